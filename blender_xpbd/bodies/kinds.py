# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of bodies on the solver's side: how each is built, held to and measured.

The same names in the same order as ``scene.body_kinds``. Nothing else in the solver asks what kind a body is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..scene.body import Body
from ..scene.parameters.material_parameters import CLOTH, GRAINS, JELLY, STRAND
from ..scene.settings import SolverSettings
from .body_links import with_links
from .body_model import BodyModel
from .cloth import bind_to_cloth, build_cloth
from .grains import bind_to_grains, build_grains, measure_grains
from .jelly import bind_to_jelly, build_jelly
from .joined import build_joined_sheet, build_joined_solid
from .measures import MeasureBody, measure_cloth, measure_jelly
from .own_settings import own_settings
from .pin_motion import Motion, carry_pins, match_pins
from .strand import bind_to_strand, build_strand, place_strand_pins

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class SolverKind:
    """How the solver takes a kind of body.

    Attributes:
        name: as of the scene's ``BodyKind``.
        build: particles and constraints of a body.
        bind: particles of a body, shape (points, 4), and their weights, shape (points, 4), that hold given points of
            the world [m], shape (points, 3), as other bodies are attached to it.
        measure: what measures frames of a body against its rest pose, see ``measures``.
        join: builds a body of what is joined where it was cut so that it can tear, by what builds one.
        place_pins: of a model, some vertices and particles, how these go with those, see ``pin_motion``.
        is_compact: it is a solid, which may bounce as a whole.
        is_double: what moves needs double precision: corrections below half a unit in the last place of a single are
            lost, and it would stick on its way to rest.
        is_branched: its constraints have many branches.
    """

    name: str
    build: Callable[[Body, SolverSettings], BodyModel]
    bind: Callable[[BodyModel, Floats], tuple[Ints, Floats]]
    measure: Callable[[BodyModel], MeasureBody]
    join: Callable[[Body, Callable[[Body], BodyModel]], BodyModel] = build_joined_sheet
    place_pins: Callable[[BodyModel, Ints, Ints], Motion] = match_pins
    is_compact: bool = False
    is_double: bool = False
    is_branched: bool = False


BODY_KINDS: tuple[SolverKind, ...] = (
    SolverKind(
        JELLY,
        build_jelly,
        bind_to_jelly,
        measure_jelly,
        build_joined_solid,
        carry_pins,
        is_compact=True,
        is_double=True,
        is_branched=True,
    ),
    SolverKind(CLOTH, build_cloth, bind_to_cloth, measure_cloth),
    SolverKind(STRAND, build_strand, bind_to_strand, measure_cloth, place_pins=place_strand_pins, is_double=True),
    SolverKind(GRAINS, build_grains, bind_to_grains, measure_grains),
)


def solver_kind(body: Body) -> SolverKind:
    """The kind of a body that ``scene.validate`` has let pass."""
    return next(kind for kind in BODY_KINDS if kind.name == body.role)


def build_body(body: Body, settings: SolverSettings) -> BodyModel:
    """Make particles and constraints.

    Raises:
        XpbdError: E_GEOM_* or E_TET_*, for a mesh that cannot be simulated; E_PARAM for pressure in an open mesh.
    """
    own = own_settings(body, settings)
    ordered = replace(body, pins=body.pins.ascending(), goal=body.goal.ascending())
    kind = solver_kind(body)
    return kind.join(ordered, lambda joined: with_links(kind.build(joined, own), own))
