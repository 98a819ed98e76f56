# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a file of Blender's exporters fits on the disk, and is whole once it is written.

Blender's USD exporter does not tell that the disk took no more, and Alembic's library ends the whole of Blender then.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ...jobs.files import read_exactly, reading
from ...scene.errors import XpbdError

# Alembic: position and velocity of each vertex, the normal of each corner where faces are flat or have sharp edges
_VERTEX_BYTES, _CORNER_BYTES = 24, 12
# of each object: names and places of what a sample has, and what does not change
_SAMPLE_BYTES, _OBJECT_BYTES = 1 << 12, 1 << 16
_ONCE_PER_CORNER = 32
_MEGABYTE = 1e6

# Ogawa's file is frozen, that is closed in order, where this byte follows its name
_OGAWA = b"Ogawa\xff"
# the crate of USD: its name, a version, and where its table of contents begins; of that, a count, and then of each
# section a name, where it begins and how long it is
_CRATE = struct.Struct("<8s8xq")
_COUNT, _SECTION = struct.Struct("<Q"), struct.Struct("<16sqq")
_MOST_SECTIONS = 1000


def require_room(path: Path, objects: Sequence[bpy.types.Object], samples: int) -> None:
    """See that an Alembic file fits on the disk.

    Args:
        path: of the file.
        objects: that are written, as they are shown now.
        samples: of each.

    Raises:
        XpbdError: E_IO.
    """
    graph = bpy.context.evaluated_depsgraph_get()
    needed: int = sum(_size(obj.evaluated_get(graph).data, samples) for obj in objects)
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        text = f"{path.name} may take {needed / _MEGABYTE:.1f} MB, and {free / _MEGABYTE:.1f} MB are free: choose "
        raise XpbdError("E_IO", f"{text}another place, or fewer subframes. Blender itself would end on a full disk.")


def _size(mesh: Any, samples: int) -> int:
    corners = len(mesh.loops)
    normals = len(mesh.vertices) if mesh.normals_domain == "POINT" else corners
    sample = _VERTEX_BYTES * len(mesh.vertices) + _CORNER_BYTES * normals + _SAMPLE_BYTES
    return samples * sample + _ONCE_PER_CORNER * corners + _OBJECT_BYTES


def require_whole(path: Path) -> None:
    """See that Blender's exporter has written all of a file.

    Args:
        path: of an Alembic, USD or another file, of which the others are not looked at.

    Raises:
        XpbdError: E_IO.
    """
    suffix = path.suffix.lower()
    if suffix not in {".abc", ".usdc"}:
        return
    with reading(path, "E_IO") as (file, length):

        def piece(place: int, size: int) -> bytes:
            if not 0 <= place <= length - size:
                raise _torn(path)
            file.seek(place)
            content = bytearray(size)
            read_exactly(file, memoryview(content), path, "E_IO")
            return bytes(content)

        if suffix == ".abc":
            if piece(0, len(_OGAWA)) != _OGAWA:
                raise _torn(path)
            return
        name, contents = _CRATE.unpack(piece(0, _CRATE.size))
        (count,) = _COUNT.unpack(piece(contents, _COUNT.size))
        if name != b"PXR-USDC" or not 0 < count <= _MOST_SECTIONS:
            raise _torn(path)
        for row in _SECTION.iter_unpack(piece(contents + _COUNT.size, count * _SECTION.size)):
            piece(row[1] + row[2], 0)


def _torn(path: Path) -> XpbdError:
    text = f"Blender's exporter did not write all of {path.name}: see that there is room on the disk, or choose another"
    return XpbdError("E_IO", f"{text} place for the file.")
