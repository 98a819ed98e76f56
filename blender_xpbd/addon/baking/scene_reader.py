# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's scene as ``scene.Scene``: world space, SI units.

The rules, as artists are told them:

- A body is its mesh before all modifiers, with the artist's shape keys as they stand at the first frame. Modifiers
  never influence the simulation; they stay live on top of the result.
- Deformers of a rig (armature, lattice, …) deform the result as every modifier does; they must stand before what
  changes the vertices.
- Of the artist's shape keys, what changes after the first frame adds on top of relative baked keys.
- Objects that are disabled in viewports, or in a collection that is, or excluded from the view layer take no part; the
  eye in the outliner does not matter. Where that is animated, the first frame decides.
- One Blender unit is ``unit_settings.scale_length`` metres, unless the unit system is None. Lengths, velocities and
  accelerations (gravity among them) are scaled by it, as Blender's own panels show them: gravity 9.81 at a scale of
  0.01 reads 0.0981 m/s². All else is in SI units whatever the scale.
- A frame lasts fps_base / fps seconds.
- Gravity and animatable parameters that something animates are followed through the frames. All other settings are
  those of the first frame, wherever the playhead stands; only the range of frames and their duration are read where it
  stands.
- Force fields that take part are followed through the frames, their numbers and their places.
- Objects that something animates are followed through the frames, and the height of the floor; all of them, where a
  handler is called at each.
- A collider is its mesh after all modifiers, at each frame. So is a surface that hair hangs on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body_kinds import body_labels, no_bodies
from ...scene.collider import Collider
from ...scene.errors import Notice, XpbdError, attempt_all
from ...scene.listing import quoted
from ...scene.parameters.material_parameters import COLLIDER
from ...scene.parameters.mode_parameters import takes_shares
from ...scene.scene import Scene, validate
from ...scene.settings import SOLVER_PARAMETERS, FrameRange, SolverSettings
from ..data.bake_options import BakeOptions
from ..data.data_lookup import object_by_uid
from ..data.frame_range import baked_range
from ..data.object_types import is_body, takes_part
from ..data.properties import unit_scale_of
from ..data.quality import TYPED, TYPED_QUALITY, quality_of
from ..data.resolutions import resolution_at
from ..data.specs import KEY_TOLERANCE, SUBFRAMES
from ..deformers.deformed_bodies import DeformedBodies, flattened_notices
from ..keys.body_results import ResultTarget, TargetOptions
from ..reading.attachment_reader import resolved
from ..reading.body_reader import LocalBody, precision_notice, with_poses
from ..reading.collider_reader import FloorReader, read_collider
from ..reading.collider_shapes import ColliderShapes
from ..reading.contact_reader import resolved_contact
from ..reading.enabled_objects import enabled_objects, switched_names
from ..reading.feel import MODULUS, felt_tracks, look_notices
from ..reading.force_reader import FieldReader, field_objects, may_change
from ..reading.modifier_stack import follows_deformed
from ..reading.motion import frame_kept, has_animation, has_frame_handlers, may_deform, may_move, world_matrix
from ..reading.parameter_tracks import ParameterTracks, gravity_of
from ..reading.pose_reader import placed_poses
from ..reading.ride_reader import Rides, bone_notices
from ..reading.unit_scale import gap_notices, gravity_notice
from .body_kinds import blender_kind
from .given_motion import followed_body, rides_of
from .ignored_inputs import deforming_spheres, ignored_inputs, switched_objects
from .pace import meets_something

Floats = npt.NDArray[np.float64]

_METRES_PER_MILLIMETRE = 1e-3


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes:
        scene: to be simulated.
        targets: where the result of each body goes, in the order of the bodies.
        scene_uid: ``session_uid`` of the Blender scene.
        notices: warnings.
        key_tolerance: how far vertices may be from where they are simulated, for fewer keys [m].
    """

    scene: Scene
    targets: tuple[ResultTarget, ...]
    scene_uid: int
    notices: tuple[Notice, ...]
    key_tolerance: float = 0.0


@dataclass(frozen=True)
class ReadProgress:
    """How far reading is: frames stepped through, of how many."""

    frames_done: int
    frames_total: int


def read_scene(context: bpy.types.Context, options: BakeOptions) -> Generator[ReadProgress, None, Reading]:
    """Read the context's scene; frame by frame where something moves, with a pause (yield) after each frame.

    The scene's frame is put back in the end, whatever ends it. Nothing else is changed.

    Args:
        context: its scene and view layer are read.
        options: of the bake.

    Returns:
        What was read.

    Raises:
        XpbdError: whatever is wrong with the input; E_INTERRUPTED when objects or the scene vanish meanwhile.
    """
    scene = context.scene
    frames = frame_range(scene, options)
    is_scripted = has_frame_handlers()
    with frame_kept(scene):
        switched = switched_names(context.view_layer)
        if switched:
            scene.frame_set(frames.start)
        enabled = enabled_objects(context.view_layer)
        bodies, colliders = _participants(scene, enabled, options)
        everything = [*bodies, *colliders]
        moving = frozenset(obj.session_uid for obj in everything if is_scripted or may_move(obj))
        changes = any(may_deform(obj) or follows_deformed(obj) for obj in everything)
        changes = changes or any(obj.xpbd.attach_object is not None or _hangs(obj) for obj in bodies)
        changes = changes or any(may_change(obj) for obj in enabled)
        if moving or has_animation(scene) or changes:
            scene.frame_set(frames.start)
        floor = FloorReader(scene, unit_scale_of(scene), is_scripted=is_scripted) if scene.xpbd.use_floor else None
        depsgraph = context.evaluated_depsgraph_get()
        sources = field_objects(scene, enabled)
        fields = FieldReader(sources, depsgraph, unit_scale_of(scene), is_scripted=is_scripted)
        parts = _SceneParts(scene, options, frames, floor, fields)
        uids = frozenset(obj.session_uid for obj in enabled)
        local_bodies, local_colliders, matrices = _read_all(bodies, colliders, options, depsgraph, uids)
        pinned = frozenset(body.object_uid for body in local_bodies if len(body.pin_vertices))
        ignored = ignored_inputs(scene, enabled, pinned, local_colliders.values())
        ignored = (*ignored, *switched_objects(switched))
        shapes = ColliderShapes(colliders, frames, depsgraph, is_scripted=is_scripted)
        parameters = ParameterTracks(scene, everything, unit_scale_of(scene))
        with DeformedBodies(scene, [obj for obj in bodies if follows_deformed(obj)]) as deformed:
            deformed.note(context)
            rides = rides_of(local_bodies, matrices, deformed.motions(), enabled)
            rides.note(_require_object, context.evaluated_depsgraph_get())
            followed = _Followed(moving, matrices, shapes, parameters, floor, fields, deformed, rides)
            yield from _follow(context, parts.scene_uid, frames, followed)
    motions_of = deformed.motions()
    riding = [(body.name, body.attachment) for body in local_bodies if rides.takes(body.attachment)]
    ignored = (*ignored, *bone_notices(riding, _require_object))
    local_bodies = [followed_body(body, motions_of, rides, unit_scale_of(context.scene)) for body in local_bodies]
    for uid, positions in shapes.positions().items():
        local_colliders[uid] = replace(local_colliders[uid], positions=positions)
    spheres = deforming_spheres([local_colliders[uid].name for uid in shapes.not_followed()])
    motions = {uid: _motion(rows) for uid, rows in matrices.items()}
    reading = parts.assemble(local_bodies, local_colliders, motions, parameters)
    flattened = flattened_notices(motions_of, frames.start)
    return replace(reading, notices=(*reading.notices, *ignored, *spheres, *flattened))


def _read_all(
    bodies: list[bpy.types.Object],
    colliders: list[bpy.types.Object],
    options: BakeOptions,
    depsgraph: bpy.types.Depsgraph,
    enabled: frozenset[int],
) -> tuple[list[LocalBody], dict[int, Collider], dict[int, list[Floats]]]:
    """Check and read each participant at the depsgraph's frame; ``enabled``: the uids of all that take part.

    Returns:
        Bodies; colliders by their objects' ``session_uid``; the first matrix of each, by that too.

    Raises:
        XpbdError: what is wrong with each of them.
    """
    unit_scale, quality = unit_scale_of(depsgraph.scene), _quality(depsgraph.scene, options)
    placeholder = np.eye(4)[None]
    met = {obj.session_uid for obj in colliders}
    local_bodies: list[LocalBody] = []
    local_colliders: dict[int, Collider] = {}
    matrices: dict[int, list[Floats]] = {}

    def read(obj: bpy.types.Object) -> None:
        matrices[obj.session_uid] = [world_matrix(obj, depsgraph)]
        if obj.session_uid in met:
            identifier = f"c{len(local_colliders)}"
            local_colliders[obj.session_uid] = read_collider(obj, identifier, placeholder, depsgraph)
        else:
            kind = blender_kind(obj.xpbd.role)
            kind.result.check(obj, options.make_single_user)
            body = with_poses(kind.read(obj, unit_scale), obj, depsgraph, enabled)
            cage = replace(body.tetrahedralization, resolution=resolution_at(obj.xpbd, quality))
            local_bodies.append(replace(body, tetrahedralization=cage))

    attempt_all(read, [*bodies, *colliders])
    return local_bodies, local_colliders, matrices


class _SceneParts:
    """What the scene says itself, kept so that no reference to Blender's data outlives a pause."""

    def __init__(
        self,
        scene: bpy.types.Scene,
        options: BakeOptions,
        frames: FrameRange,
        floor: FloorReader | None,
        fields: FieldReader,
    ) -> None:
        self.scene_uid = scene.session_uid
        self._unit_scale = unit_scale_of(scene)
        self._frames = frames
        self._settings = _solver_settings(scene, options)
        self._make_single_user = options.make_single_user
        self._key_tolerance = _key_tolerance(scene, options)
        self._gravity = np.array(gravity_of(scene), np.float64) * self._unit_scale
        self._air_density = scene.xpbd.air_density
        self._attraction = scene.xpbd.attraction
        self._softening = scene.xpbd.attraction_softening * self._unit_scale
        self._floor, self._fields = floor, fields

    def assemble(
        self,
        bodies: list[LocalBody],
        colliders: dict[int, Collider],
        matrices: dict[int, Floats],
        parameters: ParameterTracks,
    ) -> Reading:
        identifiers = {body.object_uid: f"b{index}" for index, body in enumerate(bodies)}
        floor = (self._floor.collider(),) if self._floor else ()
        met = {**identifiers, **{uid: collider.identifier for uid, collider in colliders.items()}}
        always_met = [collider.identifier for collider in floor]
        attachments = [resolved(body.attachment, body.object_uid, body.name, identifiers) for body in bodies]
        contacts = [resolved_contact(body.contact, body.object_uid, body.name, met, always_met) for body in bodies]
        poses = [
            placed_poses(
                body.poses,
                body.name,
                self._frames,
                matrices[body.object_uid],
                self._unit_scale,
                is_pbd=takes_shares(body.material.solver_mode, self._settings.solver_mode),
            )
            for body in bodies
        ]
        placed = tuple(
            body.placed(identifiers[body.object_uid], matrices[body.object_uid], self._unit_scale, attachment, contact)
            for body, (attachment, _), (contact, _) in zip(bodies, attachments, contacts, strict=True)
        )
        factors = {
            body.identifier: body.material.youngs_modulus / local.material.youngs_modulus
            for body, local in zip(placed, bodies, strict=True)
        }
        metres = np.diag([self._unit_scale] * 3 + [1.0])
        moved = tuple(replace(collider, transforms=metres @ matrices[uid]) for uid, collider in colliders.items())
        scene = Scene(
            tuple(
                replace(body, fields=self._fields.of_body(local.object_uid, local.chosen_fields), poses=own)
                for body, local, (own, _) in zip(placed, bodies, poses, strict=True)
            ),
            (*moved, *floor),
            self._frames,
            self._settings,
            self._gravity,
            self._fields.forces(),
            (*felt_tracks(parameters.tracks(met), factors), *self._fields.tracks()),
            air_density=self._air_density,
            attraction=self._attraction,
            attraction_softening=self._softening,
        )
        validate(scene)
        notices = [notice for body in bodies for notice in body.notices]
        notices += [notice for _, warnings in (*attachments, *contacts, *poses) for notice in warnings]
        notices += [notice for body in placed if (notice := precision_notice(body))]
        notices += gravity_notice(self._gravity, self._unit_scale)
        # planes and spheres let nothing through
        notices += gap_notices(body for body in scene.bodies if meets_something(body, scene))
        notices += look_notices(scene, factors, {met[uid] for uid in parameters.of_name(MODULUS)})
        wishes = TargetOptions(self._frames, self._unit_scale, self._make_single_user, self._key_tolerance)
        targets = tuple(
            blender_kind(body.role).result.target(body, matrices[body.object_uid], wishes) for body in bodies
        )
        return Reading(scene, targets, self.scene_uid, tuple(notices), self._key_tolerance)


def frame_range(scene: bpy.types.Scene, options: BakeOptions) -> FrameRange:
    """The frames that a bake of a scene with these wishes has. Raises E_FRAME_RANGE or E_PARAM."""
    own, render = scene.xpbd, scene.render
    start, end = baked_range(scene, options)
    return FrameRange(
        start=start,
        end=end,
        step=own.frame_step if options.frame_step is None else options.frame_step,
        frame_duration=float(render.fps_base) / float(render.fps),
        subframes=int(SUBFRAMES.check(own.subframes if options.subframes is None else options.subframes)),
    )


def _key_tolerance(scene: bpy.types.Scene, options: BakeOptions) -> float:
    """[m]."""
    wish = scene.xpbd.key_tolerance if options.key_tolerance is None else options.key_tolerance
    return _METRES_PER_MILLIMETRE * float(KEY_TOLERANCE.check(wish))


def _solver_settings(scene: bpy.types.Scene, options: BakeOptions) -> SolverSettings:
    wishes = {spec.name: getattr(options, spec.name, None) for spec in SOLVER_PARAMETERS}
    values = {name: getattr(scene.xpbd, name) if wish is None else wish for name, wish in wishes.items()}
    return SolverSettings.from_values({**values, "quality": _quality(scene, options)})


def _quality(scene: bpy.types.Scene, options: BakeOptions) -> str:
    is_typed = any(getattr(options, name) is not None for name in TYPED)
    return TYPED_QUALITY if is_typed else options.quality or quality_of(scene.xpbd)


def _participants(
    scene: bpy.types.Scene, enabled: Sequence[bpy.types.Object], options: BakeOptions
) -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Bodies and colliders that take part, each in the order of their names."""
    bodies = [obj for obj in enabled if is_body(obj)]
    unknown = [name for name in (*options.objects, *options.only) if not any(obj.name == name for obj in bodies)]
    if unknown:
        advice = (
            f"There is no such {body_labels().lower()} object that is enabled in viewports in this scene: give it a "
            "role in the XPBD tab, or correct the name."
        )
        raise XpbdError.joined([XpbdError("E_NOTHING", advice, name) for name in unknown])
    baked = [obj for obj in bodies if obj.name not in options.only and _may_be_met(obj)] if options.only else []
    if wanted := {*options.objects, *options.only}:
        bodies = [obj for obj in bodies if obj.name in wanted]
    if not bodies:
        raise _without_bodies(scene)
    colliders = [obj for obj in enabled if obj.xpbd.role == COLLIDER and takes_part(obj)]
    return bodies, [*colliders, *baked]


def _without_bodies(scene: bpy.types.Scene) -> XpbdError:
    """The fault of a scene of which no body is enabled: which ones there are, or that there is none."""
    hidden = [obj.name for obj in scene.objects if is_body(obj)]
    if not hidden:
        return no_bodies()
    where = "enable them in viewports, and their collections in the view layer (Outliner)"
    return XpbdError("E_NOTHING", f"All that would be simulated is disabled: {quoted(hidden)}; {where}.")


def _may_be_met(obj: bpy.types.Object) -> bool:
    """Whether a body has a bake, and faces that others may meet."""
    return bool(obj.xpbd.bake_record) and obj.type == "MESH" and len(obj.data.polygons) > 0


@dataclass(frozen=True)
class _Followed:
    """What is followed through the frames.

    Attributes:
        moving: ``session_uid`` of the objects that may move.
        matrices: of all objects, to which those of ``moving`` are appended.
        shapes: of colliders that may deform.
        parameters: that are animated.
        floor: if there is one.
        fields: force fields.
        deformed: bodies that follow their deformed meshes.
        rides: what is attached to objects that are not simulated.
    """

    moving: frozenset[int]
    matrices: dict[int, list[Floats]]
    shapes: ColliderShapes
    parameters: ParameterTracks
    floor: FloorReader | None
    fields: FieldReader
    deformed: DeformedBodies
    rides: Rides

    def __bool__(self) -> bool:
        floor_moves = self.floor is not None and self.floor.may_move
        others_change = floor_moves or self.fields.may_change or self.rides
        return bool(self.moving or self.shapes.uids or self.parameters or self.deformed or others_change)


def _follow(
    context: bpy.types.Context, scene_uid: int, frames: FrameRange, followed: _Followed
) -> Iterator[ReadProgress]:
    """Play the frames after the first where something may change; append matrices, note shapes and parameters."""
    for frame in range(frames.start + 1, frames.end + 1) if followed else ():
        yield ReadProgress(frame - frames.start, frames.count)
        if context.scene is None or context.scene.session_uid != scene_uid:
            raise XpbdError("E_INTERRUPTED", "Another scene was chosen while this one was being read: bake again.")
        context.scene.frame_set(frame)
        depsgraph = context.evaluated_depsgraph_get()
        for uid in followed.moving:
            followed.matrices[uid].append(world_matrix(_require_object(uid), depsgraph, frame))
        followed.shapes.note([_require_object(uid) for uid in followed.shapes.uids], depsgraph, frame)
        followed.parameters.note(context.scene, _require_object)
        followed.fields.look(_require_object, depsgraph, frame)
        followed.deformed.note(context)
        followed.rides.note(_require_object, context.evaluated_depsgraph_get())
        if followed.floor is not None and followed.floor.may_move:
            followed.floor.look(context.scene)


def _hangs(obj: bpy.types.Object) -> bool:
    """Whether an object is hair on a surface."""
    return obj.type == "CURVES" and obj.data.surface is not None


def _require_object(uid: int) -> bpy.types.Object:
    obj = object_by_uid(uid)
    if obj is None:
        raise XpbdError("E_INTERRUPTED", "An object was deleted while the scene was being read: bake again.")
    return obj


def _motion(rows: list[Floats]) -> Floats:
    """The matrices of all frames; one where the object has turned out to stand still."""
    matrices = np.stack(rows)
    return matrices[:1] if (matrices == matrices[0]).all() else matrices
