# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake for scripts: ``run_bake(context, BakeOptions(…))``. This name stays wherever the code behind it moves."""

from __future__ import annotations

from .baking.bake import bake, run_bake
from .data.bake_options import BakeOptions

__all__ = ["BakeOptions", "bake", "run_bake"]
