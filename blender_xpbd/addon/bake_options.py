# SPDX-License-Identifier: GPL-3.0-or-later
"""``BakeOptions`` for scripts that import it from here, as the documentation of the first version told them to."""

from __future__ import annotations

from .data.bake_options import BakeOptions

__all__ = ["BakeOptions"]
