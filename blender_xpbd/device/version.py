# SPDX-License-Identifier: GPL-3.0-or-later
"""The Taichi whose insides are known here."""

from __future__ import annotations

KNOWN = (1, 7)


def knows_taichi() -> bool:
    """Whether the insides of this Taichi are those that ``device`` was written for."""
    # imported late: ``quick_import`` has to do something before
    import taichi

    return bool(taichi.__version__[: len(KNOWN)] == KNOWN)
