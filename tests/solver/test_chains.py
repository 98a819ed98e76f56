# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands without branches, solved side by side, move as the sparse system moves them one by one."""

import numpy as np
import pytest

from blender_xpbd.bodies import rods
from blender_xpbd.constraints.side_by_side import LANES
from tests.solver.scenes import solver
from tests.solver.strands import STEEL, helix, line, strand

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SOFT = {"radius": 0.005, "youngs_modulus": 1e8, "twist_stiffness": 4e7, "density": 900.0}
WIRE = {"radius": 0.001, **STEEL}
CURL = helix(24, 2.0, 0.05, 0.3)
HELD = {
    "free": (CURL, ()),
    "a hinge": (CURL, (0,)),
    "a hinge at its other end": (CURL, (23,)),
    "a clamp": (CURL, (0, 1)),
    "both ends": (CURL, (0, 23)),
    "two clamps": (CURL, (0, 1, 22, 23)),
    "a hinge between": (CURL, (9,)),
    "a clamp between": (CURL, (9, 10)),
    "one edge": (line(2), (0,)),
    "a straight one between two pins": (line(24, 0.24), (0, 23)),
}


def played(body, frames=4, **settings):
    simulation = solver(body, **{"substeps": 10, **settings})
    for _ in range(frames):
        simulation.advance()
    system = simulation.system
    return simulation.positions()[: body.vertex_count] + system.origin, system.schedule.counts()


@pytest.mark.parametrize(("points", "pinned"), HELD.values(), ids=HELD)
@pytest.mark.parametrize("values", [SOFT, WIRE], ids=["soft", "wire"])
def test_a_chain_moves_as_the_sparse_system_moves_it(points, pinned, values, monkeypatch):
    body = strand(points, pinned, **values)
    ours, counts = played(body)
    assert "rod" not in counts
    monkeypatch.setattr(rods, "is_chain", lambda *_: False)
    expected, counts = played(body)
    assert "rod_chains" not in counts
    assert np.abs(expected - expected[0] - (points - points[0])).max() > (1e-9 if len(pinned) == 0 else 1e-7)
    np.testing.assert_allclose(ours, expected, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize(
    "values", [{"twist_stiffness": 0.0}, {"twist_stiffness": 2e6}, {"bending_share": 0.0, "twist_stiffness": 0.0}]
)
def test_a_strand_that_hardly_resists_twist_is_no_chain(values):
    _, counts = played(strand(CURL, (0, 1), **{**SOFT, **values}), frames=0)
    assert counts["rod"] == 1
    assert "rod_chains" not in counts


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"iterations": 3}, {"solver_mode": "PBD"}])
def test_so_it_does_with_damping_and_several_iterations(settings, monkeypatch):
    body = strand(CURL, (0, 1), internal_damping=5.0, **SOFT)
    ours, _ = played(body, **settings)
    monkeypatch.setattr(rods, "is_chain", lambda *_: False)
    np.testing.assert_allclose(ours, played(body, **settings)[0], rtol=0.0, atol=1e-8)


def test_a_strand_moves_the_same_whatever_is_beside_it():
    """Of eleven curls three are in a bundle that is not full."""
    count = LANES + 3
    shapes = [helix(24, 1.0 + 0.3 * k, 0.05, 0.3) for k in range(count)]
    edges = [[24 * k + n, 24 * k + n + 1] for k in range(count) for n in range(23)]
    body = strand(np.concatenate(shapes), [24 * k for k in range(count)], edges=edges, **SOFT)
    together, counts = played(body)
    assert counts["rod_chains"] == 2
    for k in (0, LANES - 1, LANES, count - 1):
        alone, _ = played(strand(shapes[k], [0], **SOFT))
        np.testing.assert_allclose(together[24 * k : 24 * k + 24], alone, rtol=0.0, atol=1e-12)
