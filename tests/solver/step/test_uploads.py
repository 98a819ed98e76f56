# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs is copied, and nothing else."""

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.solver.step import uploads
from blender_xpbd.solver.step.state import build_state
from blender_xpbd.solver.step.uploads import Uploads
from blender_xpbd.solver.system.colliders import build_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, plane, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.fixture
def state():
    system = build_system(scene(cloth(4, pinned=[0, 3]), colliders=[plane()], substeps=4))
    return build_state(system, build_colliders(system.scene.colliders, system.origin, 0.01, 1.0))


@pytest.fixture
def written(monkeypatch):
    """The shapes of the arrays that are copied."""
    shapes = []
    write = uploads.write_array

    def note(array, values):
        shapes.append(values.shape)
        write(array, values)

    monkeypatch.setattr(uploads, "write_array", note)
    return shapes


def test_what_differs_is_copied_once(state, written):
    copies = Uploads(state)
    values = np.array([[0.25, 0.5]])
    for again in (values, values, values.copy()):
        copies.write("colliders.floats", again)
    assert written == [(1, 2)]
    np.testing.assert_array_equal(read_array(state.colliders.floats), values)
    other = np.array([[0.25, 0.75]])
    copies.write("colliders.floats", other)
    copies.write("colliders.floats", values)
    assert len(written) == 3
    np.testing.assert_array_equal(read_array(state.colliders.floats), values)


def test_arrays_are_told_apart_by_pack_and_name(state, written):
    copies = Uploads(state)
    rows = np.array([[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0]])
    copies.write("targets.starts", rows)
    copies.write("targets.ends", rows)
    assert written == [(2, 4), (2, 4)]
    for array in (state.targets.starts, state.targets.ends):
        np.testing.assert_array_equal(read_array(array), rows)


def test_nothing_is_not_copied(state, written):
    Uploads(state).write("levels.stiffness", np.zeros(0))
    assert written == []


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_what_the_array_cannot_hold_is_refused_and_not_taken_as_copied(state, written, value):
    """1e39 is a number, but not in the single precision of the array."""
    copies = Uploads(state)
    good = np.array([[0.1, 0.2]], np.float32)
    copies.write("colliders.floats", good)
    for _ in range(2):
        with pytest.raises(XpbdError, match="E_NONFINITE"):
            copies.write("colliders.floats", np.array([[0.1, value]]))
    assert written == [(1, 2)]
    np.testing.assert_array_equal(read_array(state.colliders.floats), good)
