# SPDX-License-Identifier: GPL-3.0-or-later
"""Many things in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

MOST_LISTED = 5


def listed(things: Iterable[object], most: int = MOST_LISTED) -> str:
    """The things with commas and an "and"; beyond a number of them, how many there are more.

    Args:
        things: at least one.
        most: that are named.
    """
    words = [str(thing) for thing in things]
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])


def quoted(names: Iterable[str], most: int = MOST_LISTED) -> str:
    """The names in quotation marks, as ``listed``."""
    return listed((f'"{name}"' for name in names), most)
