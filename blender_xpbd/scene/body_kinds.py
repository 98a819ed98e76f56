# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of bodies: what each is called, what it needs, and what scales it.

Each kind has an entry of the same name in three places, for no layer may know another's libraries: here, in
``bodies.kinds`` (how it is built, held to and measured) and in ``addon.baking.body_kinds`` (how it is read and
written). A test holds that they have the same names in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .body import Body, validate_faces, validate_segments, validate_tetrahedralization
from .errors import XpbdError
from .parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND

# what scales bodies of all kinds, solids, sheets and strands, of ``VERTEX_FACTORS``
COMMON_FACTORS = ("density", "friction", "push")
SOLID_FACTORS = ("stiffness", "density", "damping", "friction", "push")
SHEET_FACTORS = ("stiffness", "bending", "density", "damping", "friction", "pressure", "push")
STRAND_FACTORS = ("stiffness", "bending", "density", "damping", "friction", "push", "radius")


@dataclass(frozen=True)
class BodyKind:
    """A kind of body.

    Attributes:
        name: the role of its objects and the key in a job.
        label: what panels show.
        description: the tooltip, for an artist.
        checks: refuse a body (E_PARAM, E_GEOM_*) whose fields beyond places, pins and material are not what this kind
            needs; a kind without faces has no check of them.
        vertex_factors: which of ``VERTEX_FACTORS`` scale it.
        shows: what a mesh of fewer than ``least_vertices`` cannot show.
        least_vertices: see there.
        refined_by: what an artist does to give it more.
        is_solid: whether tetrahedra fill it.
        is_sheet: whether its faces are a sheet of some thickness.
        tears: whether it can tear along edges, or into pieces if it is a solid.
        is_physical: its stiffness is that of its material alone: compliances and PBD mode do not change it.
        stands_in_air: whether air pushes its faces or its edges; what has neither feels air by its damping alone.
        fits_points: whether lengths that were never set are made to fit between its points.
    """

    name: str
    label: str
    description: str
    checks: tuple[Callable[[Body], None], ...] = ()
    vertex_factors: tuple[str, ...] = COMMON_FACTORS
    shows: str = "how it bends"
    least_vertices: int = 0
    refined_by: str = "subdivide the mesh"
    is_solid: bool = False
    is_sheet: bool = False
    tears: bool = False
    is_physical: bool = False
    stands_in_air: bool = True
    fits_points: bool = False


BODY_KINDS: tuple[BodyKind, ...] = (
    BodyKind(
        JELLY,
        "Jelly",
        "Soft body with a volume: jelly, gummy, rubber, flesh",
        (validate_faces, validate_tetrahedralization),
        SOLID_FACTORS,
        shows="bulges",
        least_vertices=26,
        is_solid=True,
        tears=True,
    ),
    BodyKind(
        CLOTH,
        "Cloth",
        "Thin sheet: shirt, curtain, flag, leather",
        (validate_faces,),
        SHEET_FACTORS,
        shows="folds",
        least_vertices=25,
        is_sheet=True,
        tears=True,
    ),
    BodyKind(
        STRAND,
        "Strand",
        "Thin round rods: thread, rope, wire, hair",
        (validate_segments,),
        STRAND_FACTORS,
        shows="how it bends",
        least_vertices=3,
        refined_by="subdivide the line; of a curve its control points count, not its resolution",
        is_physical=True,
    ),
    BodyKind(
        GRAINS,
        "Grains",
        "Loose balls, one at each vertex: sand, gravel, peas, marbles",
        is_physical=True,
        stands_in_air=False,
        fits_points=True,
    ),
)


def body_roles() -> tuple[str, ...]:
    """The roles of objects that are simulated."""
    return tuple(kind.name for kind in BODY_KINDS)


def body_labels() -> str:
    """The kinds as the text of a message has them: "Jelly, Cloth, Strand or Grains"."""
    *others, last = (kind.label for kind in BODY_KINDS)
    return f"{', '.join(others)} or {last}"


def no_bodies() -> XpbdError:
    """The fault of a scene in which nothing is simulated: E_NOTHING."""
    return XpbdError("E_NOTHING", f"No object has the role {body_labels()}: give one in the XPBD tab.")


def body_kind(role: str, object_name: str = "") -> BodyKind:
    """The kind of bodies of a role.

    Raises:
        XpbdError: E_PARAM, for a role that no kind has.
    """
    for kind in BODY_KINDS:
        if kind.name == role:
            return kind
    raise XpbdError("E_PARAM", f"Unknown role {role!r}.", object_name)


def validate_kind(body: Body) -> None:
    """Check what the kind of a body needs.

    Raises:
        XpbdError: E_PARAM, E_GEOM_EMPTY or E_GEOM_NONFINITE.
    """
    for check in body_kind(body.role, body.name).checks:
        check(body)


def sewn_edges(body: Body) -> npt.NDArray[np.int32]:
    """The loose edges of a body that are drawn together until they are closed, shape (edges, 2)."""
    is_sewn = body_kind(body.role, body.name).is_sheet and body.material.use_stitches
    return body.loose_edges[: None if is_sewn else 0]
