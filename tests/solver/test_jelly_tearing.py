# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly that tears into the pieces that it was cut into."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.body import Tetrahedralization
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.tearing import TearingSolver, make_solver
from tests.solver.cut_jelly import cut_bar, whole_bar
from tests.solver.scenes import pins, plane, run, scene

pytestmark = pytest.mark.usefixtures("taichi_cpu")

STILL = {"gravity": (0.0, 0.0, 0.0)}
SOFT = {"youngs_modulus": 1e5, "poissons_ratio": 0.3, "density": 1000.0, "internal_damping": 2.0}


def pulled(to=1.3, frames=20, **values):
    """A bar whose ends are drawn apart to ``to`` of its length."""
    body = cut_bar(**SOFT, **values)
    ends = np.flatnonzero((body.positions[:, 0] < 1e-6) | (body.positions[:, 0] > 0.5 - 1e-6)).astype(np.int32)
    shares = np.minimum(np.arange(61) / frames, 1.0)
    factors = np.stack([1.0 + (to - 1.0) * shares, np.ones(61), np.ones(61)], axis=1)
    return replace(body, pins=pins(body.positions, ends, targets=body.positions[None, ends] * factors[:, None]))


def made(*bodies, path="SERIAL", meet=False, **settings):
    keywords = {"substeps": 20, "frames": (1, 61), **settings}
    return make_solver(build_system(scene(*bodies, meet=meet, **keywords)), (path,))


def surface(simulation):
    return simulation.surface(simulation.positions()) + simulation.system.origin


@pytest.mark.parametrize("resolution", [8, 16])
def test_what_has_not_torn_is_the_whole(resolution):
    """The same cage and masses, and it bends alike."""
    cut, whole = cut_bar(tear_strain=500.0, resolution=resolution, **SOFT), whole_bar(resolution=resolution, **SOFT)
    models = [build_body(body, SolverSettings()) for body in (cut, whole)]
    assert len(models[0].tetrahedra) == len(models[1].tetrahedra)
    assert models[0].masses.sum() == pytest.approx(5.0, rel=1e-6)
    assert models[1].masses.sum() == pytest.approx(5.0, rel=1e-6)
    # faces between pieces are no surface
    assert len(models[0].body.face_sizes) == len(cut.face_sizes) - 8
    sags = []
    for body in (cut, whole):
        held = np.flatnonzero(body.positions[:, 0] < 1e-6).astype(np.int32)
        simulation = made(replace(body, pins=pins(body.positions, held)))
        run(simulation, 12)
        at_end = body.positions[:, 0] > 0.5 - 1e-6
        sags.append((surface(simulation) - body.positions)[at_end, 2].mean())
    assert sags[1] < -0.05
    assert sags[0] == pytest.approx(sags[1], rel=0.01)


def strain_of_cuts(body, slant):
    """|F n| − 1 of what is between the first cut and the last, where the bar is drawn out evenly."""
    simulation = made(replace(body, material=replace(body.material, tear_strain=500.0)), **STILL)
    run(simulation, 25)
    assert simulation.counts(0)[0] == 0
    found: list[np.ndarray] = []
    for places in (surface(simulation), body.positions):
        rings = places.reshape(5, 8, 3)
        found.append(np.array([rings[4, :4, 0].mean() - rings[1, :4, 0].mean(), *np.ptp(rings[2, :4, 1:], axis=0)]))
    normal = np.array([1.0, -slant, 0.0]) / np.hypot(1.0, slant)
    return float(np.linalg.norm(found[0] / found[1] * normal)) - 1.0


@pytest.mark.parametrize(("resolution", "slant"), [(16, 0.0), (12, 0.3), (20, -0.5)])
def test_it_tears_at_its_strain_and_not_below(resolution, slant):
    """A bar that is drawn out bears a third more than what it is strained, and tears at a sixth less."""
    body = pulled(to=1.2, resolution=resolution, slant=slant)
    strain = 100.0 * strain_of_cuts(body, slant)
    assert 5.0 < strain < 20.0
    for factor, tears in ((1.33, False), (0.83, True)):
        simulation = made(replace(body, material=replace(body.material, tear_strain=factor * strain)), **STILL)
        assert isinstance(simulation, TearingSolver)
        mass = simulation.system.models[0].masses.sum()
        run(simulation, 10)
        assert simulation.counts(0)[0] == 0
        run(simulation, 20)
        torn, count = simulation.counts(0)
        assert (torn > 0) == tears
        assert count > 0
        assert simulation.system.models[0].masses.sum() == pytest.approx(mass, rel=1e-12)
        rings = surface(simulation).reshape(5, 8, 3)
        assert np.isfinite(rings).all()
        gaps = np.linalg.norm(rings[:-1, 4:] - rings[1:, :4], axis=2)
        assert (gaps.max() > 0.03) == tears
        # what has not torn is where it was
        assert gaps.max() < 1e-6 or tears


def test_same_bytes_on_every_path():
    found = []
    for path in PATHS[:2]:
        simulation = made(pulled(tear_strain=10.0), path=path, **STILL)
        run(simulation, 25)
        assert simulation.counts(0)[0] > 0
        found.append(surface(simulation).tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("stop", [1, 6])
def test_a_bake_goes_on_bit_for_bit(stop):
    """Before anything has torn, and after."""
    whole, other = (made(pulled(tear_strain=1.4, yield_strain=5.0), **STILL) for _ in range(2))
    run(whole, stop)
    assert (whole.counts(0)[0] > 0) == (stop == 6)
    kept = whole.checkpoint()
    assert sum(array.nbytes for array in kept.values()) <= other.most_checkpoint_bytes
    other.restore(stop, kept)
    for simulation in (whole, other):
        run(simulation, 10 - stop)
    assert surface(whole).tobytes() == surface(other).tobytes()
    assert whole.counts(0) == other.counts(0)


def test_torn_pieces_fall_onto_a_floor_and_meet():
    """What has torn is a surface for contact, and does not sink into what it was part of."""
    body = cut_bar(tear_strain=4.0, **SOFT)
    held = np.flatnonzero(body.positions[:, 0] < 1e-6).astype(np.int32)
    simulation = made(replace(body, pins=pins(body.positions, held)), meet=True, colliders=[plane(-0.2)])
    run(simulation, 40)
    places = surface(simulation)
    assert simulation.counts(0)[0] > 0
    assert np.isfinite(places).all()
    assert places[:, 2].min() > -0.201
    assert places[:, 2].min() < -0.15


def test_other_tetrahedra_do_not_tear():
    body = replace(cut_bar(), tetrahedralization=Tetrahedralization("TETGEN", 8))
    with pytest.raises(XpbdError, match="E_PARAM"):
        build_body(body, SolverSettings())


@pytest.mark.parametrize(("count", "resolution"), [(5, 8), (5, 16), (20, 16), (20, 24)])
def test_pieces_are_as_thin_as_the_whole(count, resolution):
    """A piece that is thinner than two cells is none as long as it is part of the whole."""
    found = [
        [notice for notice in build_body(body, SolverSettings()).notices if notice.code == "W_THIN"]
        for body in (make(count=count, resolution=resolution, slant=0.1, **SOFT) for make in (cut_bar, whole_bar))
    ]
    assert found[0] == found[1]
    assert bool(found[0]) == (resolution == 8)


@pytest.mark.slow
def test_jelly_that_meets_itself_is_not_held_at_its_cuts():
    """Copies of vertices at cuts begin at a gap of 0: they must hold nothing, before it tears and after."""
    found = []
    for meets in (False, True):
        body = cut_bar(3, resolution=8, tear_strain=6.0, **SOFT)
        body = replace(body, contact=replace(body.contact, self_collision=meets))
        held = np.flatnonzero(body.positions[:, 0] < 1e-6).astype(np.int32)
        simulation = made(replace(body, pins=pins(body.positions, held)), meet=meets, substeps=10)
        run(simulation, 5)
        sag = surface(simulation)[:, 2].min()
        run(simulation, 10)
        found.append((sag, simulation.counts(0)[0], surface(simulation)[:, 2].mean()))
    assert found[0][0] < -0.05
    assert found[0][1] > 0
    assert found[1] == pytest.approx(found[0], rel=1e-3)
