# SPDX-License-Identifier: GPL-3.0-or-later
"""A path as the artist names it."""

from __future__ import annotations

import os
from pathlib import Path


def absolute_path(path: Path) -> Path:
    """The absolute path; ``~`` and ``~name`` are home folders, and what no user is called stays as it is."""
    # Path.expanduser raises RuntimeError where there is no such user
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111
