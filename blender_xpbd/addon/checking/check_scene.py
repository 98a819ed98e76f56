# SPDX-License-Identifier: GPL-3.0-or-later
"""Check a Blender scene: read it at its first frame as a bake would, and look at what came."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Any

import bpy

from ...scene.body import Pins
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice, XpbdError
from ...scene.roles import COLLIDER
from ...scene.scene import Scene
from ...scene.settings import FrameRange
from ..baking.ignored_inputs import is_unseen_rig, rig_notice
from ..baking.pace import element_count, kernels_of
from ..baking.scene_reader import Reading, read_scene
from ..baking.space import space_notices
from ..data.bake_options import BakeOptions
from ..data.bake_status import STATUS
from ..data.extension import compiles_ahead, worker_python_path
from ..data.frame_range import baked_range
from ..data.object_types import is_body
from ..data.quality import TYPED, TYPED_QUALITY, quality_of
from ..data.resolutions import resolution_at
from ..measures.thinness import thinness_notices
from ..process.cache_folder import cache_folder
from ..process.compiling_ahead import compile_ahead, known_kernels
from ..process.folder_check import folder_fault
from ..process.speeds import read_speeds
from ..reading.motion import may_deform
from ..reading.parameter_tracks import animated_settings
from ..reading.pose_reader import range_notices
from .bevelled import bevelled, shown_radius
from .checks import CHECKS, flat_solids, starts_inside
from .expense import Expense, expense, expense_text, with_kernels
from .finding import Finding, findings_of, findings_text, names_let_out
from .keyed_motion import with_keyed_motion
from .letting_out import forget_let_out, let_out
from .lying import lying
from .shown_smooth import shown_smooth, smoothers
from .smoothed import smoothed, smoothing
from .thickened import shown_side, thickened

# of larger scenes nothing is compiled ahead: to build them takes as long, and memory that the artist may need
MOST_ELEMENTS = 200_000
# of how modifiers show what is simulated, where it may come to lie on something
SHOWN_CHECKS = (smoothed, thickened, bevelled, shown_smooth)


def check_scene(context: bpy.types.Context, options: BakeOptions) -> tuple[Finding, ...]:
    """All that is worth knowing before a bake, faults first; arguments as of ``examine``."""
    return examine(context, options)[0]


def examine(context: bpy.types.Context, options: BakeOptions) -> tuple[tuple[Finding, ...], str]:
    """All that is worth knowing before a bake, faults first, and what it costs, as ``expense_text``; "" where refused.

    Args:
        context: its scene is checked.
        options: of the bake.
    """
    findings, costs, _ = _examined(context, options)
    return findings, costs


def _examined(context: bpy.types.Context, options: BakeOptions) -> tuple[tuple[Finding, ...], str, Scene | None]:
    """As ``examine``, and the scene as it was read at its first frame; None where it is refused."""
    costs, scene = "", None
    start, end = baked_range(context.scene, options)
    found: list[Notice | XpbdError] = []
    folder, _ = cache_folder(context.scene, options.cache)
    if (unusable := folder_fault(folder)) is not None:
        found.append(unusable)
    try:
        reading = read_first_frame(context, options)
        scene = replace(reading.scene, frames=replace(reading.scene.frames, end=max(start, end)))
    except XpbdError as fault:
        found += fault.faults
    else:
        found += flat_solids(scene)
        found += thinness_notices(scene)
        # a check names those without pins, too
        found += (notice for notice in reading.notices if notice.code != "W_RIG")
        found += _rig_notices(target.name for target in reading.targets)
        found += [let_out(notice) for check in CHECKS for notice in check(scene)]
        found += lying(context, scene)
        is_shown = any(
            _is_shown_otherwise(obj) for body in scene.bodies if (obj := context.scene.objects.get(body.name))
        )
        may_fall = any(body_kind(body.role, body.name).is_solid for body in scene.bodies)
        moved = with_keyed_motion(context.scene, scene) if is_shown or may_fall else scene
        if is_shown:
            found += [notice for check in SHOWN_CHECKS for notice in check(context.scene, moved)]
        found += [notice for target in reading.targets for notice in _pose_notices(target.name, scene.frames)]
        found += space_notices(scene, folder, has_fewer_keys=reading.key_tolerance > 0.0)
        speeds = read_speeds()
        kind = kernels_of(scene)
        held = _without_goals_that_go(context.scene, moved)
        is_known = kind in known_kernels()
        costs = expense_text(held, speeds.of(kind), kind, preparing=speeds.preparing, is_known=is_known)
    found += _range_notices(context.scene, options)
    findings = map(Finding.of, found)
    # faults, then what has a button, though it may refuse and say why; what has none comes last
    return tuple(sorted(findings, key=lambda one: (not one.is_fault, not one.remedies))), costs, scene


def _is_shown_otherwise(obj: bpy.types.Object) -> bool:
    """Whether a body has what one of ``SHOWN_CHECKS`` looks at."""
    return bool(smoothing(obj) or shown_side(obj) or smoothers(obj) or shown_radius(obj))


def _without_goals_that_go(shown: bpy.types.Scene, scene: Scene) -> Scene:
    """The scene without goals whose strength something animates: what they hold may fall, which takes substeps."""
    going = {obj.name for obj in shown.objects if is_body(obj) and "goal_frequency" in animated_settings(obj)}
    return replace(
        scene, bodies=tuple(replace(body, goal=Pins()) if body.name in going else body for body in scene.bodies)
    )


def renew_expense(scene: bpy.types.Scene) -> None:
    """Tell that kernels are there by now: they have been compiled, by a bake or ahead of one."""
    known = with_kernels(scene.xpbd.expense, known_kernels())
    if known != scene.xpbd.expense:
        scene.xpbd.expense = known


def renew_expenses() -> None:
    """As ``renew_expense``, of all scenes."""
    for scene in bpy.data.scenes:
        renew_expense(scene)


def note_findings(context: bpy.types.Context) -> tuple[Finding, ...]:
    """Check the scene, keep what was found where the panel shows it, and compile ahead what a bake will need."""
    findings, context.scene.xpbd.expense, scene = _examined(context, BakeOptions())
    if scene is not None and _is_compiled_ahead(context, scene):
        compile_ahead(scene, kernels_of(scene), worker_python_path(bpy.context), renew_expenses)
    # what cannot be read has told of nothing what it starts inside
    if not any(finding.is_fault for finding in findings):
        forget_let_out(context.scene, findings)
    context.scene.xpbd.findings = findings_text(findings)
    return findings


def _is_compiled_ahead(context: bpy.types.Context, scene: Scene) -> bool:
    """Whether kernels are compiled before a bake: not of what is large, nor while the solver works.

    Colliders that may deform have kernels of their own, and a look at one frame does not tell.
    """
    # preferences are the same in every context
    if STATUS.is_baking or STATUS.is_playing or not compiles_ahead(bpy.context):
        return False
    size = sum(map(element_count, scene.bodies)) + sum(len(one.triangles) for one in scene.colliders)
    colliders = (obj for obj in context.scene.objects if obj.xpbd.role == COLLIDER)
    return size <= MOST_ELEMENTS and not any(may_deform(obj) for obj in colliders)


def renew_findings(context: bpy.types.Context) -> None:
    """Check again where the panel shows something, so that it shows nothing that is mended.

    Not in a bake or a run, which read the scene themselves.
    """
    scene = context.scene
    if not scene.xpbd.findings or STATUS.is_baking or STATUS.is_playing:
        return
    if any(is_body(obj) for obj in scene.objects):
        note_findings(context)
    else:
        scene.xpbd.findings = scene.xpbd.expense = ""


def forget_findings(scene: bpy.types.Scene, code: str) -> None:
    """Take what is mended out of what the panel shows."""
    findings = findings_of(scene.xpbd.findings)
    if findings is not None:
        scene.xpbd.findings = findings_text(finding for finding in findings if finding.code != code)


def read_first_frame(context: bpy.types.Context, options: BakeOptions) -> Reading:
    """What a bake would read at its first frame.

    Raises:
        XpbdError: as ``read_scene``.
    """
    start, _ = baked_range(context.scene, options)
    return _whole(read_scene(context, replace(options, frame_start=start, frame_end=start)))


def _whole(reading: Generator[Any, None, Reading]) -> Reading:
    """What a reading comes to, without a pause."""
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return end.value


def objects_let_out(context: bpy.types.Context, options: BakeOptions) -> frozenset[str]:
    """Names of the objects of which an artist has said that they may start inside what they do start inside.

    Raises:
        XpbdError: as ``read_scene``; only where there is such an object.
    """
    if not any(obj.xpbd.let_out for obj in context.scene.objects):
        return frozenset()
    found = map(let_out, starts_inside(read_first_frame(context, options).scene))
    return names_let_out(map(Finding.of, found))


def scene_expense(scene: bpy.types.Scene, text: str, options: BakeOptions | None = None) -> Expense | None:
    """What a bake comes to by the settings as they are now, None where nothing was counted.

    Args:
        scene: that is to be baked.
        text: of ``examine``.
        options: of the bake.
    """
    if not text:
        return None
    wishes = options or BakeOptions()
    start, end = baked_range(scene, options)
    is_typed = any(getattr(wishes, name) is not None for name in TYPED)
    quality = TYPED_QUALITY if is_typed else wishes.quality or quality_of(scene.xpbd)
    typed = wishes.substeps or scene.xpbd.substeps
    # Blender looks for each name in all of them
    objects = dict(scene.objects.items())

    def resolution(name: str) -> int | None:
        obj = objects.get(name)
        return None if obj is None else resolution_at(obj.xpbd, quality)

    return expense(text, resolution, quality, typed, end - start + 1 + scene.xpbd.preroll)


def _pose_notices(name: str, frames: FrameRange) -> tuple[Notice, ...]:
    """Warnings of a pose that the frames of the bake do not have; the first frame alone, as it was read, has none."""
    obj = bpy.data.objects.get(name)
    return () if obj is None else range_notices(obj, frames)


def _rig_notices(names: Iterable[str]) -> Iterator[Notice]:
    """One warning for all bodies whose rig the simulation does not see."""
    bodies = [obj for name in names if (obj := bpy.data.objects.get(name)) is not None]
    notice = rig_notice([obj.name for obj in bodies if is_unseen_rig(obj)], "The simulation does not see the pose")
    if notice is not None:
        yield notice


def _range_notices(scene: bpy.types.Scene, options: BakeOptions) -> Iterator[Notice]:
    if options.frame_start is not None or options.frame_end is not None:
        return
    start, end = baked_range(scene)
    if (start, end) != (scene.frame_start, scene.frame_end):
        text = f"The bake goes from frame {start} to {end}, the scene from {scene.frame_start} to {scene.frame_end}."
        yield Notice("W_RANGE", text)
