# SPDX-License-Identifier: GPL-3.0-or-later
"""What a played run leaves, if it is wanted: its frames as keys, or a pose as the shape at rest, or as the start.

What is refused is refused before the run is ended, so that it can go on.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.cache_contents import jobs_size
from ...scene.errors import Notice, XpbdError
from ..baking.bake_output import ALL_FRAMES, BakeOutput
from ..baking.report import BakeSummary
from ..baking.scene_reader import Reading, read_scene
from ..data.data_lookup import object_by_uid, scene_by_uid
from ..keys.key_target import KeyTarget
from ..keys.start_pose import keep_start
from ..measures.thinness import thinness_notices
from ..process.cache_folder import note_kept
from ..reading.mesh_reader import own_keys
from .pace import Pace
from .player import PLAYING, Player

_ALL_THE_TIME = 1e9


def keep_run(context: bpy.types.Context, player: Player) -> BakeSummary:
    """Turn the run into keys, as a bake of the same frames does; its job folder stays, with the inputs.

    Raises:
        XpbdError: E_NOTHING, where nothing has been played yet; what a bake may raise. ``player.is_open`` tells whether
            the run can go on.
    """
    if player.state != PLAYING or player.frame <= player.reading.scene.frames.start:
        raise XpbdError("E_NOTHING", "Nothing was played yet: let it run, then keep it.")
    last, begin = player.frame, time.perf_counter()
    # read as it is without the run; the next tick shows it again, where something is refused
    player.take_display_back()
    reading = _result(read_scene(context, replace(player.options, frame_end=last, frame_step=None)))
    summary = BakeSummary(
        objects=[target.name for target in reading.targets],
        frame_start=reading.scene.frames.start,
        frame_end=last,
        frame_step=reading.scene.frames.step,
        vertices=sum(body.vertex_count for body in reading.scene.bodies),
        cache=str(player.job),
    )
    _require_same(reading, player.reading)
    player.close()
    note_kept(player.job.parent)
    output = BakeOutput(player.job, reading, summary)
    for notice in (*reading.notices, *thinness_notices(reading.scene)):
        summary.add_notice(notice)
    output.write(_ALL_THE_TIME, ALL_FRAMES)
    _result(output.take_deformers_out(context))
    _result(output.reduce_keys())
    output.finish()
    if output.error is not None:
        raise output.error
    if player.pace.was_coarser:
        summary.add_notice(_fewer_substeps(player.pace))
    summary.complete = True
    summary.cache_bytes = jobs_size(player.job.parent.parent)
    summary.seconds["total"] = time.perf_counter() - begin
    scene = scene_by_uid(reading.scene_uid)
    if scene is not None:
        scene.xpbd.report = summary.to_json()
    return summary


def _fewer_substeps(pace: Pace) -> Notice:
    """That a run was coarser than a bake, to come in time."""
    few = pace.fewest_substeps
    text = (
        f"It was played with as few as {few} substep{'' if few == 1 else 's'}, to keep its pace, where a bake has "
        f"{pace.full_substeps}: softer, and less exact. Bake for all of them."
    )
    return Notice("W_QUALITY", text)


def use_as_rest_shape(player: Player) -> list[str]:
    """Let the pose that is shown be the shape of the meshes at rest; return the names of the objects.

    Raises:
        XpbdError: E_PARAM, for a mesh with shape keys of its own, whose shape they decide; E_NOTHING, where no mesh is
            played. The run goes on then.
    """
    meshes = _meshes(player)
    player.take_display_back()
    for obj, _, _ in meshes:
        if own_keys(obj) or obj.xpbd.bake_record:
            advice = "The mesh has shape keys, which decide its shape: remove them, or clear the bake, first."
            raise XpbdError("E_PARAM", advice, obj.name)
    frame = player.frame
    player.end()
    for obj, target, positions in meshes:
        local = target.local(frame, positions)
        obj.data.vertices.foreach_set("co", np.ascontiguousarray(local, np.float32).ravel())
        obj.data.update()
    return [obj.name for obj, _, _ in meshes]


def use_as_start(player: Player) -> list[str]:
    """Let the next bake, or run, begin in the pose that is shown; return the names of the objects.

    Meshes begin where they are shown in the world, at rest. Their shape at rest, keys and bakes stay.

    Raises:
        XpbdError: E_NOTHING, where no mesh is played. The run goes on then.
    """
    meshes = _meshes(player)
    player.end()
    for obj, target, positions in meshes:
        keep_start(obj, target.deformed_local(target.start, positions))
    return [obj.name for obj, _, _ in meshes]


def _meshes(player: Player) -> list[tuple[bpy.types.Object, KeyTarget, npt.NDArray[np.float64]]]:
    """Meshes that are played, and where their vertices are shown in the world [m]."""
    meshes = []
    for target, positions in zip(player.reading.targets, player.shown_positions(), strict=True):
        obj = object_by_uid(target.object_uid)
        if obj is not None and obj.type == "MESH" and isinstance(target, KeyTarget):
            meshes.append((obj, target, positions))
    if not meshes:
        raise XpbdError("E_NOTHING", "Curves and hair have no pose that could be kept: keep the run as keys.")
    return meshes


def _require_same(now: Reading, then: Reading) -> None:
    """Refuse to write a run to other objects than it was of."""

    def told(reading: Reading) -> list[tuple[int, int]]:
        return [
            (target.object_uid, body.vertex_count)
            for target, body in zip(reading.targets, reading.scene.bodies, strict=True)
        ]

    if told(now) != told(then):
        raise XpbdError("E_CACHE_STALE", "Objects were added, removed or edited while they were played: play again.")


def _result(generator: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value
