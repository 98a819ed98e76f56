# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that uses every field of a job."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.jobs.job import write_job
from blender_xpbd.scene.body import Attachment, Body, Floats, Ints, Pins, Tetrahedralization
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.force import Force
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.scene.track import Track

POINTS: Floats = np.array([[0.0, 0.0, 1.0], [0.1, 0.0, 1.0], [0.0, 0.1, 1.0], [0.0, 0.0, 1.1]])
FACE_SIZES: Ints = np.array([3, 3, 3, 3], np.int32)
CORNERS: Ints = np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], np.int32)


@pytest.fixture
def scene() -> Scene:
    frames = FrameRange(-1, 2, 1, 1.001 / 24)
    jelly = Body(
        "con",
        "Würfel/../\n",
        "JELLY",
        POINTS,
        FACE_SIZES,
        CORNERS,
        Material(youngs_modulus=123.456, density=1000.1),
        Pins(np.array([1, 3], np.int32), np.array([1.0, 0.3], np.float32), np.linspace(0, 1, 24).reshape(4, 2, 3)),
        Tetrahedralization("FILE", 7, POINTS, np.array([[0, 1, 2, 3]], np.int32)),
        np.array([0.1, -0.2, 1 / 3]),
        {"stiffness": np.linspace(0, 2, len(POINTS), dtype=np.float32)},
        np.linspace(0, 1, 2 * len(CORNERS), dtype=np.float32).reshape(-1, 2),
        np.array([[0, 3]], np.int32),
        Attachment("b2", np.array([0, 2], np.int32), np.array([1.0, 0.7], np.float32)),
        np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]),
        BodyContact(False, False, 0.004, ("b2", "c3"), np.array([3], np.int32), 3),
    )
    motion = np.tile(np.eye(4), (4, 1, 1))
    motion[:, 0, 3] = np.linspace(0, 1, 4)
    followed = Pins.following(np.array([2], np.int32), np.array([0.5], np.float32), motion)
    cloth = Body("b2", "Cloth", "CLOTH", POINTS + 1, FACE_SIZES, CORNERS, pins=followed)
    floor = Collider("c1", "Floor", "PLANE", np.eye(4)[None], friction=0.7)
    ball = Collider("c2", "Ball", "SPHERE", np.tile(np.eye(4), (4, 1, 1)), radius=0.3, restitution=0.1)
    breathing = POINTS * np.array([1.0, 1.1, 1.2, 1.1])[:, None, None]
    rock = Collider("c3", "Rock", "MESH", np.eye(4)[None], breathing, np.array([[0, 1, 2]], np.int32))
    wind = Force("f1", "Wind", "WIND", motion, strength=3.5, noise=0.25, seed=7)
    drag = Force("f2", "Drag", "DRAG", motion[:1])
    tracks = (
        Track("con", "damping", np.linspace(1, 2, 4)),
        Track("c2", "friction", np.linspace(0, 1, 4)),
        Track("f1", "strength", np.linspace(-1, 1, 4)),
        Track("scene", "gravity_z", np.linspace(-9.81, 0, 4)),
    )
    return Scene(
        (jelly, cloth),
        (floor, ball, rock),
        frames,
        SolverSettings(7, 2, "PBD", "CPU"),
        np.array([0.0, 1.5, -9.80665]),
        (wind, drag),
        tracks,
    )


@pytest.fixture
def job(tmp_path: Path, scene: Scene) -> Path:
    """The folder of a written job."""
    return write_job(tmp_path / "cache", scene)
