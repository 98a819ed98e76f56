# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a body at each frame, against deformations of which all is known."""

import dataclasses

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.bodies.measures import STATISTICS, measure_cloth, measure_jelly
from blender_xpbd.scene.settings import SolverSettings
from tests.solver.scenes import cloth, jelly_cube


def told(measure, positions):
    return dict(zip(STATISTICS, measure(positions), strict=True))


def test_at_rest_all_is_0():
    model = build_body(jelly_cube(1.0, resolution=3), SolverSettings())
    assert all(value == pytest.approx(0.0, abs=1e-12) for value in told(measure_jelly(model), model.positions).values())


def test_a_stretch_along_one_axis():
    """Edges along X get 10 % longer, those along Y stay, and the mean goes by the rest lengths."""
    body = cloth(2)
    body = dataclasses.replace(body, positions=body.positions * [4.0, 1.0, 1.0])
    model = build_body(body, SolverSettings())
    found = told(measure_cloth(model), model.positions * [1.1, 1.0, 1.0])
    assert found["greatest_strain"] == pytest.approx(0.1)
    assert found["mean_strain"] == pytest.approx(0.1 * 8.0 / 10.0)
    assert found["volume_change"] == found["inverted_tetrahedra"] == 0.0


def test_shrinking_counts_as_strain_too():
    model = build_body(cloth(3), SolverSettings())
    assert told(measure_cloth(model), 0.8 * model.positions)["greatest_strain"] == pytest.approx(0.2)


def test_volume_and_what_is_inside_out():
    model = build_body(jelly_cube(1.0, resolution=3), SolverSettings())
    measure = measure_jelly(model)
    assert told(measure, model.positions * [1.0, 1.0, 0.5])["volume_change"] == pytest.approx(-0.5)
    mirrored = told(measure, model.positions * [1.0, 1.0, -1.0])
    assert mirrored["inverted_tetrahedra"] == len(model.tetrahedra)
    assert mirrored["volume_change"] == pytest.approx(-2.0)
    flat = told(measure, model.positions * [1.0, 1.0, 0.0])
    assert flat["inverted_tetrahedra"] == len(model.tetrahedra)


def test_edges_without_length_have_no_strain():
    body = cloth(3)
    positions = body.positions.copy()
    positions[1] = positions[0]
    model = dataclasses.replace(build_body(cloth(3), SolverSettings()), positions=positions)
    moved = positions + [0.0, 0.0, 1.0] * (np.arange(9) == 1)[:, None]
    found = told(measure_cloth(model), moved)
    assert np.isfinite(list(found.values())).all()
    bare = dataclasses.replace(model, edges=np.zeros((0, 2), np.int32))
    assert told(measure_cloth(bare), moved)["mean_strain"] == 0.0
