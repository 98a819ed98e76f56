# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of bodies on Blender's side: how each is shown, read and written.

The same names in the same order as ``scene.body_kinds``. Nothing else in the add-on asks what kind a body is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ...scene.parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND
from ..keys.body_results import SHAPE_KEYS, STRAND_RESULT, ResultKind
from ..reading.body_reader import LocalBody, read_cloth, read_grains, read_jelly
from ..reading.strand_reader import read_strand


@dataclass(frozen=True)
class BlenderKind:
    """How Blender shows and holds a kind of body.

    Attributes:
        name: as of the scene's ``BodyKind``.
        icon: Blender's name of it.
        set_role: what the button that makes objects so does, for an artist.
        read: an object as it stands in the present frame, and the metres per Blender unit, as a body before it is
            placed in the world. Raises E_GEOM_EMPTY, E_GEOM_NONFINITE, E_PARAM or E_TET_FILE.
        result: what a bake makes of it.
        elements: what it is counted in.
        seconds: that one of them takes in a substep, by ``scripts/benchmark`` and docs/performance.md.
    """

    name: str
    icon: str
    set_role: str
    read: Callable[[bpy.types.Object, float], LocalBody]
    result: ResultKind
    elements: str
    seconds: float


BODY_KINDS: tuple[BlenderKind, ...] = (
    BlenderKind(
        JELLY,
        "META_BALL",
        "Make the selected objects jelly: soft bodies with a volume",
        read_jelly,
        SHAPE_KEYS,
        "tetrahedra",
        4e-8,
    ),
    BlenderKind(
        CLOTH, "MOD_CLOTH", "Make the selected objects cloth: thin sheets", read_cloth, SHAPE_KEYS, "vertices", 2e-7
    ),
    BlenderKind(
        STRAND,
        "STRANDS",
        "Make the selected objects strands: threads, ropes, wires, hair. Of meshes of edges, curves and hair",
        read_strand,
        STRAND_RESULT,
        "segments",
        4e-7,
    ),
    BlenderKind(
        GRAINS,
        "OUTLINER_OB_POINTCLOUD",
        "Make the vertices of the selected objects grains: loose balls, as sand and peas",
        read_grains,
        SHAPE_KEYS,
        "grains",
        4e-7,
    ),
)


def blender_kind(role: str) -> BlenderKind:
    """The kind of a role that is one of a body."""
    return next(kind for kind in BODY_KINDS if kind.name == role)
