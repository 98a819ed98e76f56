# SPDX-License-Identifier: GPL-3.0-or-later
"""What tracks have on the device at a frame: it depends on that frame alone, and the rest is left alone."""

import operator
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.scene.scene import SCENE_TARGET
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.step import track_player, uploads
from blender_xpbd.solver.step.friction_player import FrictionPlayer
from blender_xpbd.solver.step.state import build_state
from blender_xpbd.solver.step.track_player import TrackPlayer
from blender_xpbd.solver.step.uploads import Uploads
from blender_xpbd.solver.system.colliders import build_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 4
ARRAYS = (
    "particles.gravity",
    "particles.positions",
    "particles.bodies",
    "particles.previous_positions",
    "constraints.parameters",
    "contacts.weights",
    "colliders.floats",
)


class Played:
    """A scene of two cloths on a plane with these tracks, (target, parameter): values, and its player."""

    def __init__(self, tracks):
        bodies = cloth(4, damping_time=0.01), cloth(3, height=2.0, identifier="b1", damping_time=0.01)
        whole = scene(*bodies, colliders=[plane(friction=0.5)], frames=(1, FRAMES), substeps=2)
        rows = (Track(target, name, np.array(values, np.float64)) for (target, name), values in tracks.items())
        self.system = build_system(replace(whole, tracks=tuple(rows)))
        colliders = build_colliders(whole.colliders, self.system.origin, 0.01, 1.0)
        self.state = build_state(self.system, colliders)
        self.player = TrackPlayer(self.system, self.state, colliders, Uploads(self.state))
        self.frictions = FrictionPlayer(self.system, self.state, None)

    def play(self, frame_index):
        self.player.play(frame_index)
        self.frictions.play(frame_index, lambda: read_array(self.state.particles.positions))

    def arrays(self):
        found = {name: operator.attrgetter(name)(self.state) for name in ARRAYS}
        # what kernels only read is NumPy's own
        return {
            name: array.copy() if isinstance(array, np.ndarray) else read_array(array) for name, array in found.items()
        }

    def at(self, frame_index):
        self.play(frame_index)
        return self.arrays()


@pytest.fixture
def written(monkeypatch):
    """Names of the arrays that are copied or edited."""
    names = []
    write, edit = uploads.write_array, track_player.edited_array

    def note_write(array, values):
        names.append("copied")
        write(array, values)

    def note_edit(array):
        names.append("edited")
        return edit(array)

    monkeypatch.setattr(uploads, "write_array", note_write)
    monkeypatch.setattr(track_player, "edited_array", note_edit)
    return names


def changed(before, after):
    return {name for name in before if not np.array_equal(before[name], after[name])}


def test_without_tracks_nothing_is_touched(written):
    played = Played({})
    before = played.arrays()
    after = played.at(2)
    assert written == []
    assert changed(before, after) == set()


@pytest.mark.parametrize(
    ("target", "name", "values", "array"),
    [
        (SCENE_TARGET, "gravity_z", [-9.81, 0.0, 2.0, 3.0], "particles.gravity"),
        ("b0", "damping", [0.0, 1.0, 2.0, 3.0], "particles.positions"),
        ("b0", "internal_damping", [0.0, 1.0, 2.0, 3.0], "particles.bodies"),
        ("b0", "damping_time", [0.01, 0.02, 0.03, 0.04], "particles.previous_positions"),
        ("b0", "bending_stiffness", [0.1, 0.2, 0.3, 0.4], "constraints.parameters"),
        ("b0", "friction", [0.1, 0.2, 0.3, 0.4], "contacts.weights"),
        ("c0", "friction", [0.1, 0.2, 0.3, 0.4], "colliders.floats"),
    ],
)
def test_each_track_moves_its_own_array_alone(target, name, values, array):
    played = Played({(target, name): values})
    first = played.at(0)
    for frame_index in range(1, FRAMES):
        assert changed(first, played.at(frame_index)) == {array}
    # back again, bit for bit: what is there depends on the frame alone
    assert changed(first, played.at(0)) == set()


def test_values_are_those_of_the_frame():
    played = Played({
        (SCENE_TARGET, "gravity_x"): [1.0, 2.0, 3.0, 4.0],
        ("b1", "damping_time"): [0.01, 0.02, 0.03, 0.0],
        ("b1", "friction"): [0.2, 0.4, 0.6, 0.8],
        ("c0", "restitution"): [0.1, 0.2, 0.3, 0.4],
    })  # fmt: skip
    mine = slice(*played.system.starts[1:3])
    owners = played.system.contacts.elements[:, 4]
    for frame_index in (3, 0, 2, 1):
        arrays = played.at(frame_index)
        np.testing.assert_allclose(arrays["particles.gravity"][0], [1.0 + frame_index, 0.0, -9.81, 0.0], rtol=1e-6)
        times = arrays["particles.previous_positions"][:, 3]
        np.testing.assert_allclose(times[mine], [0.01, 0.02, 0.03, 0.0][frame_index], rtol=1e-6, atol=1e-15)
        np.testing.assert_allclose(times[: mine.start], 0.01, rtol=1e-6)
        frictions = arrays["contacts.weights"][:, 4]
        np.testing.assert_allclose(frictions[owners == 1], 0.2 * (frame_index + 1), rtol=1e-6)
        assert len(set(frictions[owners == 0].tolist())) == 1
        np.testing.assert_allclose(arrays["colliders.floats"], [[0.5, 0.1 * (frame_index + 1)]], rtol=1e-6)


def test_a_track_that_does_not_change_writes_once(written):
    played = Played({("b0", "friction"): [0.25] * FRAMES, (SCENE_TARGET, "gravity_z"): [-1.0] * FRAMES})
    played.at(0)
    count = len(written)
    for frame_index in range(FRAMES):
        played.play(frame_index)
    assert len(written) == count
