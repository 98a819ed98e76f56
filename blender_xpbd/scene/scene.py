# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: bodies, colliders, force fields, settings. World space, SI units, float64."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .beginning import Beginning, validate_beginning
from .body import Body, validate_body
from .body_contact import validate_contact
from .body_kinds import no_bodies, validate_kind
from .collider import Collider, validate_collider
from .collider_shapes import validate_shape
from .errors import XpbdError
from .force import AIR_DENSITY, ATTRACTION, ATTRACTION_SOFTENING, FORCE_PARAMETERS, Force, validate_force
from .parameter import Parameter
from .parameters.goal_parameters import GOAL_FREQUENCY
from .parameters.material_parameters import COLLIDER
from .pose import validate_poses
from .region import Region, validate_region
from .settings import SCENE_PARAMETERS, FrameRange, SolverSettings
from .track import SCENE_TARGET, Track, animatable, animatable_of, validate_track

Floats = npt.NDArray[np.float64]

IDENTIFIER = re.compile(r"[a-z][a-z0-9]{0,31}")


@dataclass(frozen=True)
class Scene:
    """Everything that a bake needs.

    Attributes:
        bodies, colliders: what moves, and what it meets.
        frames: frame range and duration.
        settings: of the solver.
        gravity: [m/s²], shape (3,).
        forces: force fields.
        air_density: of the air that winds move [kg/m³].
        tracks: parameters that change over the frames; those of the objects and settings count where there is none.
        beginning: the state of another job that it goes on from; None to begin at rest.
        attraction: G of all bodies on each other [m³/(kg·s²)]; a = G Σ m d / (d² + ε²)^(3/2).
        attraction_softening: ε [m].
        region: what alone is simulated again of the job that it goes on from; None for everything.
    """

    bodies: tuple[Body, ...]
    colliders: tuple[Collider, ...]
    frames: FrameRange
    settings: SolverSettings = field(default_factory=SolverSettings)
    gravity: Floats = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    forces: tuple[Force, ...] = ()
    tracks: tuple[Track, ...] = ()
    air_density: float = 1.2
    beginning: Beginning | None = None
    attraction: float = 0.0
    attraction_softening: float = 0.0
    region: Region | None = None

    @property
    def objects(self) -> tuple[Body | Collider | Force, ...]:
        """All that has an identifier."""
        return (*self.bodies, *self.colliders, *self.forces)

    def goal_reach(self, body: Body, gravity: float) -> float:
        """How far a body may fall from the goal that all of it is drawn to, without end where there is none [m].

        Let go at the goal, an oscillator of the frequency f falls by 2 g / (2πf)², twice what it sags by.

        Args:
            body: of the scene.
            gravity: that acts on it [m/s²].
        """
        frequency, weights = body.material.goal_frequency, body.goal.weights
        is_free = frequency <= 0.0 or len(weights) < len(body.positions) or weights.min(initial=1.0) <= 0.0
        own = (body.identifier, GOAL_FREQUENCY.name)
        if is_free or any((track.target, track.parameter) == own for track in self.tracks):
            return math.inf
        return 2.0 * gravity / (float(weights.min()) * (2.0 * math.pi * frequency) ** 2)


def validate(scene: Scene) -> None:
    """Check what a stranger's job, or a script, may have got wrong.

    Raises:
        XpbdError: E_NOTHING, E_PARAM, E_GEOM_EMPTY, E_GEOM_NONFINITE or E_TRANSFORM_SINGULAR.
    """
    if not scene.bodies:
        raise no_bodies()
    identifiers = [item.identifier for item in scene.objects]
    if len({*identifiers, SCENE_TARGET}) != len(identifiers) + 1 or not all(map(IDENTIFIER.fullmatch, identifiers)):
        raise XpbdError("E_PARAM", f'Identifiers must be unique, of a-z and 0-9, and none "{SCENE_TARGET}".')
    if scene.gravity.shape != (3,) or not np.isfinite(scene.gravity).all():
        raise XpbdError("E_PARAM", "Gravity must be three finite numbers.")
    frame_count = scene.frames.count
    bodies = {body.identifier for body in scene.bodies}
    met = bodies | {collider.identifier for collider in scene.colliders}
    for body in scene.bodies:
        validate_body(body, frame_count, bodies - {body.identifier})
        validate_kind(body)
        validate_poses(body.poses, body.vertex_count, scene.frames, body.name)
        validate_contact(body.contact, body.vertex_count, met - {body.identifier}, body.name)
    for collider in scene.colliders:
        validate_collider(collider, frame_count)
        validate_shape(collider)
    AIR_DENSITY.check(scene.air_density)
    if scene.beginning is not None:
        validate_beginning(scene.beginning, scene.frames)
    if scene.region is not None:
        validate_region(scene.region, scene.bodies, scene.frames, scene.beginning)
    ATTRACTION.check(scene.attraction)
    ATTRACTION_SOFTENING.check(scene.attraction_softening)
    fields = {force.identifier for force in scene.forces}
    for force in scene.forces:
        validate_force(force, frame_count)
    for body in scene.bodies:
        _validate_fields(body, fields)
    _validate_tracks(scene)


def _validate_fields(body: Body, fields: set[str]) -> None:
    named = body.fields or ()
    if len(set(named)) != len(named) or not fields.issuperset(named):
        raise XpbdError("E_PARAM", "A body must name force fields of its scene, each once.", body.name)


def animatable_parameters(scene: Scene) -> dict[str, dict[str, Parameter]]:
    """What tracks may move, by the identifier of their target and the name of the parameter."""
    return {
        SCENE_TARGET: animatable(SCENE_PARAMETERS),
        **{body.identifier: animatable_of(body.role) for body in scene.bodies},
        **{collider.identifier: animatable_of(COLLIDER) for collider in scene.colliders},
        **{force.identifier: animatable(FORCE_PARAMETERS) for force in scene.forces},
    }


def _validate_tracks(scene: Scene) -> None:
    known = animatable_parameters(scene)
    names = {item.identifier: item.name for item in scene.objects}
    found: set[tuple[str, str]] = set()
    for track in scene.tracks:
        if track.target not in known:
            raise XpbdError("E_PARAM", f"There is nothing called {track.target!r} whose parameters a track could move.")
        name = names.get(track.target, "")
        if (track.target, track.parameter) in found:
            raise XpbdError("E_PARAM", f"There are two tracks of {track.parameter!r}.", name)
        found.add((track.target, track.parameter))
        validate_track(track, known[track.target], scene.frames.count, name)
