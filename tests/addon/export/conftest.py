# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects with a bake whose frames are known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.addon.baking.test_bake_output import ORIGIN, Worker, all_frames

FRAMES = 6


@pytest.fixture
def baked(bpy, make_body, read, tmp_path):
    """A function that bakes a moving, a mirrored and scaled, and a plain body; frames wobble at random.

    ``prepare`` is called with each before. It gives the objects and, by name, their positions in the world [m], shape
    (frames, vertices, 3).
    """
    from blender_xpbd.addon.baking.bake_output import BakeOutput
    from blender_xpbd.addon.baking.report import BakeSummary

    def make(names=("A", "B", "C"), step=1, first=1, prepare=None, **values):
        bpy.context.scene.frame_set(1)
        transforms = {
            "A": {"location": tuple(ORIGIN)},
            "B": {"location": tuple(ORIGIN + 3.0), "scale": (0.5, -2.0, 1.5), "rotation_euler": (0.3, 0.2, 1.0)},
            "C": {"location": tuple(ORIGIN - 3.0)},
        }
        objects = [make_body(name, **transforms[name]) for name in names]
        for obj in objects:
            obj.data.polygons.foreach_set("use_smooth", [True] * len(obj.data.polygons))
        if "A" in names:
            objects[0].keyframe_insert("location", frame=1)
            objects[0].location.x += 2.0
            objects[0].keyframe_insert("location", frame=FRAMES)
            objects[0].animation_data.action.name = "Moves"
        for obj in objects if prepare else ():
            prepare(obj)
        reading = read(frame_start=first, frame_end=FRAMES, frame_step=step, **values)
        folder = tmp_path / "jobs" / "job"
        folder.mkdir(parents=True)
        worker = Worker(folder, reading.scene)
        worker.build()
        worker.publish(*reading.scene.frames.kept())
        output = BakeOutput(folder, reading, BakeSummary())
        while output.write(60.0, all_frames()):
            pass
        for _ in output.reduce_keys():
            pass
        output.finish()
        kept = reading.scene.frames.kept()
        positions = {
            body.name: np.array([worker.positions(number, frame) for frame in kept])
            for number, body in enumerate(reading.scene.bodies)
        }
        return objects, positions

    return make


@pytest.fixture
def jobs(tmp_path):
    """The folder of the jobs."""
    return tmp_path / "jobs"
