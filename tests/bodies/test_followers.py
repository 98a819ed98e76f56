# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of faces without an area belong to the cloth that they are joined to."""

from dataclasses import replace

import numpy as np
import pytest

from tests.solver.scenes import GRAVITY, cloth, pins, run, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

MODELS = ["SPRINGS", "ISOTROPIC", "ORTHOTROPIC"]


def with_spurs(body):
    """The sheet with faces without area beside it.

    A triangle in line with an edge of the border and another on it, whose tips are in no other face; a triangle whose
    tip is a second vertex in the place of one; and a triangle that is joined to nothing.
    """
    count, (first, second) = len(body.positions), body.positions[-2:]
    step = second - first
    lone = np.array([0.0, 0.0, 3.0])
    added = [second + step, second + 2 * step, second, lone, lone, lone]
    faces = [[count - 2, count - 1, count], [count - 1, count, count + 1], [count - 2, count - 1, count + 2]]
    faces.append([count + 3, count + 4, count + 5])
    return replace(
        body,
        positions=np.concatenate([body.positions, added]),
        corners=np.concatenate([body.corners, np.ravel(faces).astype(np.int32)]),
        face_sizes=np.concatenate([body.face_sizes, np.full(4, 3, np.int32)]),
    )


@pytest.mark.parametrize("model", MODELS)
def test_they_fall_with_it(model):
    body = with_spurs(cloth(8, membrane_model=model))
    fall = run(solver(body), 12) - body.positions
    np.testing.assert_allclose(fall[:-3, 2], -GRAVITY / 8, rtol=0.03)
    np.testing.assert_allclose(fall[:-3, :2], 0.0, atol=1e-4)
    assert not fall[-3:].any()


@pytest.mark.parametrize("count", [8, 24], ids=["plain", "with coarse levels"])
@pytest.mark.parametrize("model", MODELS)
def test_they_hang_from_it(model, count):
    """Pinned on the other side; the tips stay within a tenth of their distance to where they are joined."""
    body = with_spurs(cloth(count, membrane_model=model))
    body = replace(body, pins=pins(body.positions, range(count)))
    simulation = solver(body, substeps=40)
    end = run(simulation, 12)
    corner = count * count - 1
    step = 1.0 / (count - 1)
    gaps = np.linalg.norm(end[corner + 1 : corner + 4] - end[corner], axis=1)
    # they weigh next to nothing
    assert end[corner, 2] < -0.4
    assert gaps[0] == pytest.approx(step, rel=0.2)
    assert gaps[1] < 2.2 * step
    assert gaps[2] < 0.3 * step
    bare = replace(cloth(count, membrane_model=model), pins=pins(body.positions, range(count)))
    np.testing.assert_allclose(end[corner], run(solver(bare, substeps=40), 12)[corner], atol=0.1)
