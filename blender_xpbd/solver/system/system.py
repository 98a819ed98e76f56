# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole scene as one set of particles, constraints and contact points."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...bodies.body_attachments import Weight, build_body_attachments, find_welds, with_shared_masses
from ...bodies.body_model import BodyModel
from ...bodies.kinds import build_body, solver_kind
from ...bodies.orientations import Orientations
from ...bodies.own_frame import own_frame
from ...bodies.own_settings import drag_exponent, own_settings
from ...constraints.constraint import ConstraintBlock
from ...contacts import contact_type
from ...device.runtime import choose_device
from ...scene.body import Body
from ...scene.errors import Notice, XpbdError
from ...scene.scene import Scene
from ...scene.settings import SolverSettings
from ..colliding.faceted_spheres import with_faceted_spheres
from ..order.compact_pieces import CompactPieces, build_compact_pieces
from ..order.contact_points import ContactPoints, build_contact_points
from ..order.damped_pieces import DampedPieces, build_damped_pieces
from ..order.level_tables import has_levels, projection_time
from ..order.schedule import Schedule, build_schedule
from ..order.spinning_pieces import SpinningPieces, build_spinning_pieces
from ..order.struck_pieces import StruckPieces, build_struck_pieces
from ..order.tasks import part_count
from .air_surfaces import AirSurfaces, build_air_surfaces, no_surfaces
from .attraction import Attraction, build_attraction
from .contact_objects import ContactObjects, build_contact_objects, collider_vertices
from .drag import response
from .external_forces import ExternalForces
from .grains import Grains, build_grains
from .held_particles import HeldParticles, drawn_to_goal, drawn_to_poses, pinned_particles, start_positions
from .ignored import ignored
from .plasticity import PlasticRows, build_plastic_rows, plastic_blocks
from .plate_intervals import most_plate_interval
from .posed_particles import PosedParticles, build_posed, pose_blocks
from .region_hold import RegionHold, build_region_hold
from .shares import share_blocks, share_rows
from .spring_sweeps import spring_sweeps
from .tracks import FollowingColumn, Tracks, built_scene, following_columns, unfollowed, watched_blocks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# float32 keeps 24 bits: this many times its extent from the origin, a body's finest motion is lost.
# Chosen by hand: 6e-4 of the extent is then the rounding. Lower would warn of scenes in which nobody sees it
PRECISION_RATIO = 1e4
# particles times frames, from which on contact between bodies gains by kernels that compile for longer: frames are
# then up to an eighth shorter, which is 1 to 4 s of such a bake (docs/experiments.md, Compiling kernels). Frames of
# loose cloth on mesh colliders are a sixth shorter, which makes up for 18 s of compiling from the second number on
LONG_BAKE, LONG_BAKE_ON_MESHES = 1_000_000, 5_000_000


@dataclass(frozen=True)
class System:
    """Particles of all bodies, one after the other, then the anchors of soft pins, then vertices of colliders.

    Attributes:
        scene: what it is made from, with the values from which it is built in place of those that tracks move.
        models: one per body, without blocks.
        origin: subtracted from all positions, so that float32 is finest where the scene is [m], shape (3,).
        positions: relative to the origin [m], shape (particles, 3).
        velocities: [m/s], shape (particles, 3).
        inverse_masses: [1/kg], less what drag takes from the answer to an impulse, shape (particles,).
        damping_times: of the material around each particle [s], shape (particles,).
        starts: first particle of each body, then the end of the last, shape (bodies + 1,).
        orientations: of all bodies, one after the other.
        orientation_starts: first orientation of each body, then the end of the last, shape (bodies + 1,).
        pinned: per body.
        drawn: what draws each body to its goal.
        posed: what a ghost force moves towards poses.
        schedule: the constraints.
        graphics_work: constraints that a graphics card would share out; 0 where cloth has coarse levels: colour by
            colour they take hundreds of launches per substep, which is longer than a processor needs for the work.
        contacts: the points of the surface that meet colliders.
        pieces: what of the bodies bounces as a whole.
        objects: bodies and mesh colliders whose surfaces may touch; None where nothing can.
        damped: what of them moves within itself, and is damped.
        spinning: what of them nothing holds; BDF2 keeps its spin by itself.
        struck: what of them parts from hard pieces as a rigid body.
        tracks: parameters that change over the frames.
        columns: parameters of constraints that follow them.
        by_share: of each constraint in scheduled order, type by type, 1 where it takes a share away (PBD) and 0 where
            it has a compliance; empty where all are the same.
        plastic: constraints that may take on another rest shape.
        air: their surfaces, where there is air.
        attraction: of all particles on each other.
        grains: of all bodies.
        notices: warnings.
        takes_grabs: whether a hand may hold a patch of particles, in a run that is played.
        region: what holds all but a part of a body to the motion of another system; None where nothing does.
    """

    scene: Scene
    models: tuple[BodyModel, ...]
    origin: Floats
    positions: Floats
    velocities: Floats
    inverse_masses: Floats
    damping_times: Floats
    starts: Ints
    orientations: Orientations
    orientation_starts: Ints
    pinned: tuple[HeldParticles, ...]
    drawn: tuple[HeldParticles, ...]
    posed: PosedParticles
    schedule: Schedule
    graphics_work: int
    contacts: ContactPoints
    pieces: CompactPieces
    objects: ContactObjects | None
    damped: DampedPieces
    spinning: SpinningPieces
    struck: StruckPieces
    tracks: Tracks
    columns: tuple[FollowingColumn, ...]
    by_share: Ints
    plastic: PlasticRows
    air: AirSurfaces
    attraction: Attraction
    grains: Grains
    notices: tuple[Notice, ...]
    takes_grabs: bool = False
    region: RegionHold | None = None

    @property
    def external(self) -> ExternalForces:
        """What acts on bodies from outside besides gravity: of the scene as it is, also where its substeps changed."""
        return ExternalForces(self.scene, self.tracks, self.origin)

    @property
    def moved_particles(self) -> Ints:
        """All particles that follow a given motion, shape (pinned,)."""
        return np.concatenate([held.particles for held in self._held]).astype(np.int32)

    @property
    def _held(self) -> tuple[HeldParticles, ...]:
        return (*self.pinned, *self.drawn, *self.posed.held)

    @cached_property
    def spring_sweeps(self) -> int:
        """How often springs are swept in each substep."""
        return spring_sweeps(self.scene, self.models)

    @property
    def strikes(self) -> bool:
        """Whether there are hard pieces that other surfaces may meet."""
        return self.objects is not None and len(self.struck) > 0

    @property
    def device(self) -> str:
        """Which device to ask for: contact between bodies, grains, attraction and regions are for processors."""
        is_bound = self.objects is not None or len(self.grains) > 0 or self.attraction or self.region is not None
        return "CPU" if is_bound else self.scene.settings.device

    @property
    def wants_double(self) -> bool:
        """Whether what moves is to be computed in double precision.

        Corrections below half a unit in the last place are lost in single: slender jelly then sticks on the way to
        rest, and many iterations stop converging. Cloth hardly shows it, and pays the most for double.
        """
        settings = self.scene.settings
        if settings.precision != "AUTO":
            return settings.precision == "DOUBLE"
        return settings.iterations > 1 or any(solver_kind(model.body).is_double for model in self.models)

    @property
    def compiling(self) -> tuple[bool, bool, bool]:
        """How the kernels for this system are to be compiled: the last three arguments of ``start_taichi``."""
        return self.wants_double, self.is_branched, self.is_large

    @property
    def is_branched(self) -> bool:
        """Whether the kernels for this system have many branches.

        A floor is enough: cloth that falls onto one compiled for 11 seconds with the control-flow pass, 2 without.
        """
        if (
            self.objects is not None
            or self.scene.forces
            or self.scene.colliders
            or any(solver_kind(model.body).is_branched for model in self.models)
        ):
            return True
        return self.is_large

    @property
    def is_large(self) -> bool:
        """Whether the kernels for this system take longer to be optimized than that gains.

        The largest are those with queries of mesh colliders, or chains of strands. Contact between bodies compiles for
        7 to 16 seconds longer with the search for common subexpressions: short bakes and what is played do without.
        So does cloth on mesh colliders, unless its springs are swept so often that they take most of a frame.
        """
        work = 0 if self.takes_grabs else len(self.inverse_masses) * self.scene.frames.count
        meets, has_solids = self.objects is not None, any(len(model.tetrahedra) for model in self.models)
        if (meets and work < LONG_BAKE) or (self.has_mesh_queries and work < LONG_BAKE_ON_MESHES):
            return True
        if self.has_mesh_queries and (meets or has_solids or self.spring_sweeps == 1):
            return True
        return any(block is not None and block.type.is_large for block in self.schedule.blocks)

    @property
    def has_mesh_queries(self) -> bool:
        """Whether there is a collider whose query has many branches."""
        return any(contact_type(collider.shape).is_branched for collider in self.scene.colliders)

    def targets(self, frame_index: int) -> Floats:
        """Where the moved particles are at a frame, counted from the start; relative to the origin [m]."""
        return np.concatenate([held.places(frame_index) - self.origin for held in self._held]).reshape(-1, 3)


def build_system(scene: Scene) -> System:
    """Turn bodies into particles and constraints.

    Raises:
        XpbdError: E_GEOM_* or E_TET_*, for a body that cannot be simulated; E_PARAM, see ``assemble``.
    """
    scene = built_scene(scene)
    return assemble(scene, tuple(build_body(body, scene.settings) for body in scene.bodies))


def assemble(scene: Scene, models: tuple[BodyModel, ...]) -> System:
    """Put bodies that are built into one system; its models are without their constraints, which the schedule has.

    Args:
        scene: as ``tracks.built_scene`` returns it.
        models: of its bodies.

    Raises:
        XpbdError: E_PARAM, for a body with orientations where time is integrated by BDF2.
    """
    _require_euler(scene, models)
    step = scene.frames.frame_duration / SolverSettings().substeps
    welds = find_welds(models, scene.settings, Weight(float(np.linalg.norm(scene.gravity)), step))
    keyed = {track.target for track in scene.tracks if track.parameter == "gravity_factor"}
    models = with_shared_masses(models, welds, keyed)
    scene = with_faceted_spheres(scene, models)
    origin = _centre(models)
    starts = np.concatenate([[0], np.cumsum([len(model.positions) for model in models])]).astype(np.int32)
    drags = [drag_share(scene, model.body, model.body.material.damping) for model in models]
    inverse_masses = [drag * _inverse_masses(model) for drag, model in zip(drags, models, strict=True)]
    positions = [model.positions - origin for model in models]
    # so that the order of the constraints does not depend on how a body is turned
    upright = [own_frame(mine, model.body.axes).upright(mine) for mine, model in zip(positions, models, strict=True)]
    velocities = [np.tile(model.body.velocity, (len(model.positions), 1)) for model in models]
    blocks: list[ConstraintBlock] = []
    owners: list[Body] = []
    pinned: list[HeldParticles] = []
    drawn: list[HeldParticles] = []
    posed: list[HeldParticles] = []
    begins = [start_positions(model) - origin for model in models]
    next_anchor, first_turn = int(starts[-1]), 0
    for number, (model, start) in enumerate(zip(models, starts, strict=False)):
        mine = [block.shifted(int(start)) if start else block for block in model.blocks]
        if model.plate is not None:
            h, most = projection_time(scene), most_plate_interval(scene)
            plate = model.plate.block(positions[number], inverse_masses[number], h, scene.settings.substeps, most)
            mine.append(plate.shifted(int(start)))
        if model.rods is not None:
            rods = model.rods.blocks(inverse_masses[number], int(first_turn))
            mine += [block.shifted(int(start)) for block in rods]
            upright[number] = model.rods.gathered(upright[number], inverse_masses[number])
        first_turn += len(model.orientations)
        own = own_settings(model.body, scene.settings)
        pinned.append(pinned_particles(model, int(start), next_anchor, own))
        next_anchor += len(pinned[-1].anchored)
        drawn.append(drawn_to_goal(model, int(start), next_anchor, own))
        next_anchor += len(drawn[-1].anchored)
        posed.append(drawn_to_poses(model, int(start), next_anchor, own))
        next_anchor += len(posed[-1].anchored)
        for held in (pinned[-1], drawn[-1], posed[-1]):
            mine += held.pulls
            upright.append(upright[number][held.anchored])
            velocities.append(np.zeros((len(held.anchored), 3)))
            inverse_masses.append(np.zeros(len(held.anchored)))
            begins.append(begins[number][held.anchored])
        blocks += mine
        owners += [model.body] * len(mine)
    for number, block in build_body_attachments(models, welds, starts, scene.settings):
        blocks.append(block)
        owners.append(models[number].body)
    all_positions, all_inverse_masses = np.concatenate(begins), np.concatenate(inverse_masses)
    all_velocities = np.concatenate(velocities)
    all_velocities *= (all_inverse_masses > 0.0)[:, None]
    del positions, begins, inverse_masses, velocities
    graphics_work = 0 if has_levels(models, scene) else sum(len(block) for block in blocks)
    objects = build_contact_objects(scene, models, starts, len(all_positions))
    grain_count = sum(len(model.radii) for model in models)
    device = "CPU" if objects is not None or grain_count or scene.attraction else scene.settings.device
    # a graphics card takes a launch for each colour of each round, and needs no parts
    parts = part_count(blocks, grain_count) if choose_device(device, graphics_work) == "CPU" else 1
    tracks = Tracks.of(scene)
    shared = share_blocks(owners, scene.settings)
    plastic = plastic_blocks(blocks, owners)
    of_poses = pose_blocks(blocks, posed)
    watched = {*watched_blocks(blocks, owners, tracks), *shared, *plastic, *of_poses}
    schedule = build_schedule(blocks, all_inverse_masses, np.concatenate(upright), parts, watched)
    columns = following_columns(schedule, blocks, owners, tracks)
    by_share = share_rows(schedule, blocks, shared)
    numbers = {model.body.identifier: number for number, model in enumerate(models)}
    of_bodies = [numbers[owner.identifier] for owner in owners]
    plastic_rows = build_plastic_rows(schedule, blocks, plastic, of_bodies, all_positions)
    contacts = build_contact_points(models, starts, schedule.parts)
    pieces = build_compact_pieces(scene, models, starts, blocks, all_inverse_masses, contacts)
    holders = [(held.particles, held.sources) for held in pinned]
    damped = build_damped_pieces(models, starts, all_inverse_masses, holders)
    # BDF2 loses no spin to speak of
    is_euler = scene.settings.time_integration != "BDF2"
    spinning = build_spinning_pieces(models, starts, blocks, all_inverse_masses if is_euler else np.zeros(next_anchor))
    met = [] if objects is None else models
    vertex_count = 0 if objects is None else len(objects.vertices)
    struck = build_struck_pieces(scene, met, starts, blocks, all_inverse_masses, vertex_count)
    del blocks, upright
    all_grains = build_grains(models, starts, all_positions, all_inverse_masses, contacts)
    air = (
        build_air_surfaces(models, starts, len(all_positions))
        if ExternalForces(scene, tracks, origin).has_air
        else no_surfaces()
    )
    vertices = np.zeros((0, 3)) if objects is None else collider_vertices(scene, objects) - origin
    return System(
        scene=scene,
        models=tuple(replace(model, blocks=()) for model in models),
        origin=origin,
        positions=np.concatenate([all_positions, vertices]),
        velocities=np.concatenate([all_velocities, np.zeros_like(vertices)]),
        inverse_masses=np.concatenate([all_inverse_masses, np.zeros(len(vertices))]),
        damping_times=_damping_times(models, len(all_inverse_masses) + len(vertices)),
        starts=starts,
        orientations=Orientations.joined(model.orientations for model in models),
        orientation_starts=np.cumsum([0, *(len(model.orientations) for model in models)], dtype=np.int32),
        pinned=tuple(pinned),
        drawn=tuple(drawn),
        posed=build_posed(models, starts, posed, schedule, of_poses, origin),
        schedule=schedule,
        graphics_work=graphics_work,
        contacts=contacts,
        pieces=pieces,
        objects=objects,
        damped=damped,
        spinning=spinning,
        struck=struck,
        tracks=tracks,
        columns=columns,
        by_share=by_share,
        plastic=plastic_rows,
        air=air,
        attraction=build_attraction(scene, models, starts, len(all_positions) + len(vertices)),
        grains=all_grains,
        region=build_region_hold(scene, models, starts),
        notices=(
            *(notice for model in models for notice in (*model.notices, *_own_notices(model, origin))),
            *all_grains.growth.notices([model.body.name for model in models]),
            *ignored(scene, unfollowed(scene, tracks, columns)),
        ),
    )


def drag_share(scene: Scene, body: Body, rate: float) -> float:
    """By what share an impulse changes velocities in a substep with drag of a rate [1/s], see ``drag.response``."""
    z = np.array(rate * scene.frames.frame_duration / scene.settings.substeps)
    exponent = drag_exponent(body, scene.settings)
    if scene.settings.time_integration == "BDF2":
        return float(response(z + exponent, is_bdf2=True))
    return math.exp(-exponent) * float(response(z, is_bdf2=False))


def _require_euler(scene: Scene, models: tuple[BodyModel, ...]) -> None:
    """BDF2 would need the orientations before the last, which nobody keeps."""
    for model in models:
        if len(model.orientations) and scene.settings.time_integration == "BDF2":
            advice = "What turns by itself cannot be integrated by BDF2: choose another Time Integration."
            raise XpbdError("E_PARAM", advice, model.body.name)


def _centre(models: tuple[BodyModel, ...]) -> Floats:
    low = np.min([model.positions.min(axis=0) for model in models], axis=0)
    high = np.max([model.positions.max(axis=0) for model in models], axis=0)
    centre: Floats = (low + high) / 2.0
    return centre


def _inverse_masses(model: BodyModel) -> Floats:
    free = (model.masses > 0.0) & (model.pin_weights < 1.0)
    inverse = np.zeros(len(model.masses))
    inverse[free] = 1.0 / model.masses[free]
    return inverse


def _damping_times(models: tuple[BodyModel, ...], count: int) -> Floats:
    # anchors of soft pins and vertices of colliders come last and damp nothing
    times = np.zeros(count)
    first = 0
    for model in models:
        if len(model.damping_times):
            times[first : first + len(model.positions)] = model.damping_times
        first += len(model.positions)
    return times


def _own_notices(model: BodyModel, origin: Floats) -> list[Notice]:
    notices = []
    name = model.body.name
    if not (_inverse_masses(model) > 0.0).any():
        notices.append(Notice("W_ALL_PINNED", "Every vertex is pinned: nothing is left to simulate.", name))
    extent = model.extent
    distance = float(np.abs(model.positions - origin).max())
    if distance > PRECISION_RATIO * extent:
        notices.append(
            Notice("W_PRECISION", f"The object is {extent:g} m large but {distance:g} m away from the others.", name)
        )
    return notices
