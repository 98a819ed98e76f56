# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose edges of a cloth hang on it."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, scene


def scarf(**values):
    """A sheet of nine vertices by nine that is held on one side, with a thread of four edges at the other."""
    body = cloth(9, pinned=range(9), **values)
    threads = [72 + 2 * k for k in range(5)]
    points = [body.positions[corner] + [0.05 * n, 0.0, 0.0] for corner in threads for n in range(1, 5)]
    first = len(body.positions)
    edges = [
        [corner if n == 0 else first + 4 * k + n - 1, first + 4 * k + n]
        for k, corner in enumerate(threads)
        for n in range(4)
    ]
    return replace(body, positions=np.concatenate([body.positions, points]), loose_edges=np.array(edges, np.int32))


def test_threads_have_mass_and_nothing_is_told_of_them():
    model, plain = build_body(scarf(), SolverSettings()), build_body(cloth(9), SolverSettings())
    thread = 900.0 * np.pi * 0.002**2 * 0.2
    assert model.masses.sum() == pytest.approx(plain.masses.sum() + 5.0 * thread)
    assert len(model.rods.strands) == 5
    assert len(model.orientations) == 20
    assert [notice.code for notice in model.notices] == []


def test_a_vertex_without_any_edge_is_still_told():
    body = scarf()
    body = replace(body, positions=np.concatenate([body.positions, [[9.0, 0.0, 0.0]]]))
    assert [notice.code for notice in build_body(body, SolverSettings()).notices] == ["W_GEOM_LOOSE"]


@pytest.mark.parametrize("seams", [{"use_stitches": True}, {}])
def test_seams_and_bdf2_have_no_threads(seams):
    settings = SolverSettings(time_integration="BACKWARD_EULER" if seams else "BDF2")
    assert build_body(scarf(**seams), settings).rods is None


@pytest.mark.slow
@pytest.mark.usefixtures("taichi_cpu")
def test_threads_hang_down_and_keep_their_length():
    body = scarf(damping=2.0)
    simulation = Solver(build_system(scene(body, substeps=10)))
    for _ in range(48):
        simulation.advance()
    places = simulation.positions() + simulation.system.origin
    ends = body.loose_edges
    lengths = np.linalg.norm(places[ends[:, 1]] - places[ends[:, 0]], axis=1)
    np.testing.assert_allclose(lengths, 0.05, rtol=5e-3)
    ways = places[ends[3::4, 1]] - places[ends[::4, 0]]
    assert (ways[:, 2] < -0.17).all()
