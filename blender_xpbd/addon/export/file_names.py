# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the files of an export, and how a .blend file refers to them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import bpy

# What one system or another does not take in the name of a file
_FORBIDDEN = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f]')
# Systems take 255 in all
_MOST_BYTES = 120


def paths_of_objects(path: Path, names: Sequence[str]) -> list[Path]:
    """A file for each object: the path itself for one, else with the objects' names appended.

    Where two would be the same, also to a system that knows no case, the second gets a number.

    Args:
        path: that was asked for.
        names: of the objects.
    """
    if len(names) == 1:
        return [path]
    stems: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = _FORBIDDEN.sub("_", name).encode()[:_MOST_BYTES].decode(errors="ignore")
        stem = f"{path.stem}_{plain}"
        if _folded(stem) in taken:
            stem = next(other for number in count(2) if _folded(other := f"{stem}_{number}") not in taken)
        taken.add(_folded(stem))
        stems.append(stem)
    return [path.with_name(f"{stem}{path.suffix}") for stem in stems]


def path_in_blend_file(path: Path) -> str:
    """As a modifier refers to a file: relative to the .blend file, if that was saved and lies on the same drive."""
    if not bpy.data.filepath:
        return str(path)
    try:
        return str(bpy.path.relpath(str(path)))
    except ValueError:
        return str(path)


def _folded(stem: str) -> str:
    return unicodedata.normalize("NFC", stem.casefold())
