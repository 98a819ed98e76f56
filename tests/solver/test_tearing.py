# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that tears along edges that were split for it."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.tearing import TearingSolver, make_solver
from tests.solver.scenes import cloth, mesh_box, pins, plane, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

STILL = {"gravity": (0.0, 0.0, 0.0)}


def split(body):
    """The body with vertices of their own for each face, that are joined, as Make Tearable leaves them."""
    taken, corners, sources = set(), [], list(range(body.vertex_count))
    for vertex in body.corners.tolist():
        if vertex in taken:
            sources.append(vertex)
        corners.append(len(sources) - 1 if vertex in taken else vertex)
        taken.add(vertex)
    positions = body.positions[sources]
    return replace(
        body,
        positions=positions,
        corners=np.array(corners, np.int32),
        seams=np.array(sources, np.int32) + 1,
        pins=pins(positions, np.flatnonzero(np.isin(sources, body.pins.vertices))),
    )


def pulled(count=9, to=1.5, frames=20, **material):
    """A split sheet whose ends are drawn apart to ``to`` of its length."""
    body = split(cloth(count, stretch_stiffness=500.0, internal_damping=2.0, **material))
    ends = np.flatnonzero(np.abs(body.positions[:, 0]) > 0.499).astype(np.int32)
    shares = np.minimum(np.arange(61) / frames, 1.0)
    factors = np.stack([1.0 + (to - 1.0) * shares, np.ones(61), np.ones(61)], axis=1)
    return replace(body, pins=pins(body.positions, ends, targets=body.positions[None, ends] * factors[:, None]))


def meeting(body):
    """The body with self-collision."""
    return replace(body, contact=replace(body.contact, self_collision=True))


def made(*bodies, path="SERIAL", meet=False, **settings):
    keywords = {"substeps": 10, "frames": (1, 61), **settings}
    return make_solver(build_system(scene(*bodies, meet=meet, **keywords)), (path,))


@pytest.mark.parametrize(("meets", "fall"), [(False, -9.81), (True, -9.81), (True, 9.81)])
def test_what_has_not_torn_moves_as_if_it_could_not(meets, fall):
    """Joined copies are one vertex, and the sheet moves as before it was split, to the last bit.

    Copies that are not used would hold what they lie before: what falls along its normals.
    """
    whole = meeting(cloth(8, pinned=[0, 7]))
    tearable = replace(split(whole), material=replace(whole.material, tear_strain=500.0))
    plain, tearable = (made(body, meet=meets, gravity=(0.0, 0.0, fall)) for body in (whole, tearable))
    assert isinstance(tearable, TearingSolver)
    for simulation in (plain, tearable):
        run(simulation, 12)
    shown, expected = (simulation.surface(simulation.positions()) for simulation in (tearable, plain))
    np.testing.assert_array_equal(shown, expected[split(whole).seams - 1])
    assert tearable.counts(0)[0] == 0


def test_a_sheet_that_is_drawn_too_far_comes_apart():
    body = pulled(tear_strain=25.0)
    simulation = made(body, **STILL)
    counts = []
    for _ in range(40):
        run(simulation, 1)
        counts.append(simulation.counts(0)[0])
    surface = simulation.surface(simulation.positions())
    assert np.isfinite(surface).all()
    # nothing tears below the strain, and pieces keep their size
    assert counts[4] == 0
    assert counts[-1] > 0
    assert sorted(counts) == counts
    edges = np.stack([body.corners.reshape(-1, 4), np.roll(body.corners.reshape(-1, 4), -1, axis=1)], axis=-1)
    lengths = [np.linalg.norm(np.diff(x[edges], axis=2), axis=-1) for x in (surface, body.positions)]
    assert np.median(lengths[0] / lengths[1]) < 1.1
    gap = np.ptp(surface[:, 0]) - 1.0
    assert gap == pytest.approx(0.5, abs=0.01)


def test_below_its_strain_nothing_tears():
    simulation = made(pulled(to=1.2, tear_strain=40.0), **STILL)
    run(simulation, 30)
    assert simulation.counts(0)[0] == 0


def test_same_bytes_on_every_path():
    found = []
    for path in PATHS[:2]:
        simulation = made(pulled(tear_strain=25.0), path=path, **STILL)
        run(simulation, 25)
        assert simulation.counts(0)[0] > 0
        found.append(simulation.surface(simulation.positions()).tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("stop", [8, 18])
def test_a_bake_goes_on_bit_for_bit(stop):
    """Before anything has torn, and after."""
    whole, other = made(pulled(tear_strain=25.0), **STILL), made(pulled(tear_strain=25.0), **STILL)
    run(whole, stop)
    kept = whole.checkpoint()
    assert sum(array.nbytes for array in kept.values()) <= other.most_checkpoint_bytes
    other.restore(stop, kept)
    for simulation in (whole, other):
        run(simulation, 22 - stop)
    assert whole.surface(whole.positions()).tobytes() == other.surface(other.positions()).tobytes()
    assert whole.counts(0) == other.counts(0)


def test_torn_pieces_keep_a_new_shape():
    """Rest shapes of clay-like cloth go over to the pieces."""
    simulation = made(pulled(tear_strain=25.0, yield_strain=5.0, creep=20.0), **STILL)
    run(simulation, 40)
    assert simulation.counts(0)[0] >= 0
    assert np.isfinite(simulation.positions()).all()


def test_a_mesh_collider_that_has_come_far_does_not_sweep_there_when_cloth_tears():
    """Its vertices began again where they were at the first frame, and threw the pieces away at 500 m/s."""
    flat = cloth(9, stretch_stiffness=500.0, internal_damping=2.0, tear_strain=10.0)
    rim = np.flatnonzero(np.abs(flat.positions[:, :2]).max(axis=1) > 0.499)
    frames = np.tile(np.eye(4), (61, 1, 1))
    frames[:, 2, 3] = 0.3 - 0.04 * np.arange(61)
    body = split(replace(flat, pins=pins(flat.positions, rim)))
    simulation = made(body, colliders=[mesh_box(0.1, frames)], meet=True)
    fastest = []
    for _ in range(13):
        run(simulation, 1)
        fastest.append(np.linalg.norm(simulation.checkpoint()["velocities"][:, :3], axis=1).max())
    assert simulation.counts(0)[0] > 0
    assert max(fastest) < 30.0


def test_torn_pieces_fall_onto_a_floor_and_meet():
    """What has torn is a body of its own for contact, too."""
    body = pulled(count=6, tear_strain=20.0)
    simulation = made(body, meet=True, colliders=[plane(-0.2)])
    run(simulation, 25)
    surface = simulation.surface(simulation.positions())
    assert simulation.counts(0)[0] > 0
    assert np.isfinite(surface).all()
    assert surface[:, 2].min() + simulation.system.origin[2] > -0.21


def drawn_flag():
    """A sheet whose one edge is held; a moving hand on the other one tears it, and gravity folds the rest."""
    body = split(cloth(7, stretch_stiffness=300.0, internal_damping=2.0, tear_strain=12.0))
    x, y = body.positions[:, 0], body.positions[:, 1]
    held, drawn = np.flatnonzero(x < -0.499), np.flatnonzero((x > 0.499) & (np.abs(y) < 0.2))
    ends = np.concatenate([held, drawn]).astype(np.int32)
    moves = np.repeat([[0.0, 0.0, 0.0], [0.8, 0.0, 1.0]], [len(held), len(drawn)], axis=0)
    shares = np.minimum(np.arange(61) / 20.0, 1.0)[:, None, None]
    return replace(body, pins=pins(body.positions, ends, targets=body.positions[None, ends] + shares * moves))


@pytest.mark.slow
def test_torn_cloth_that_meets_itself_comes_apart():
    """Copies that have torn apart begin at a gap of 0: they must not stick, and joined ones are no obstacle."""
    frames, found = 20, {}
    for name, body in (("meets", meeting(drawn_flag())), ("passes", drawn_flag())):
        simulation = made(body, meet=name == "meets")
        run(simulation, frames)
        found[name] = (simulation.counts(0)[0], simulation.surface(simulation.positions()))
        if name == "meets":
            assert simulation.contact_counts()[:, 1].sum() == 0.0
            assert simulation.crossings().counts.sum() == 0
    assert found["meets"][0] == pytest.approx(found["passes"][0], rel=0.3)
    heights = [surface[:, 2].mean() for _, surface in found.values()]
    assert heights[0] == pytest.approx(heights[1], abs=0.05)


def test_torn_cloth_that_meets_itself_has_the_same_bytes():
    """On every path, and from a checkpoint on."""
    first, stop, frames = made(meeting(drawn_flag()), meet=True), 9, 13
    run(first, stop)
    assert first.counts(0)[0] > 0
    kept = first.checkpoint()
    others = [made(meeting(drawn_flag()), meet=True, path=path) for path in PATHS[:2]]
    others[0].restore(stop, kept)
    run(others[1], stop)
    for simulation in (first, *others):
        run(simulation, frames - stop)
    expected, *rest = (simulation.surface(simulation.positions()).tobytes() for simulation in (first, *others))
    assert rest == [expected, expected]
