# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that keep a new shape: what yields, what does not, and that bakes go on bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.material import Material
from blender_xpbd.scene.track import SCENE_TARGET, Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import PATHS
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, pins, plane, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")

STILL = {"gravity": (0.0, 0.0, 0.0)}
MODELS = {
    "neo-Hookean": {"solid_model": "NEO_HOOKEAN"},
    "co-rotated": {"solid_model": "COROTATED"},
    "springs": {"solid_model": "SPRINGS"},
    "shares": {"solver_mode": "PBD", "pbd_stretch_stiffness": 0.3},
}
MEMBRANES = {
    "springs": {"membrane_model": "SPRINGS"},
    "two-sided": {"membrane_model": "SPRINGS", "compression_share": 0.5},
    "isotropic": {"membrane_model": "ISOTROPIC"},
    "woven": {"membrane_model": "ORTHOTROPIC"},
}


def pulled_block(stretch, frames=(10, 30, 60), **material):
    """A bar that is drawn to ``stretch`` of its length by its ends within some frames, and released."""
    body = jelly_cube(0.2, 0.0, 4, density=500.0, youngs_modulus=5e4, **material)
    ends = np.flatnonzero(np.abs(body.positions[:, 2] - 0.1) > 0.09).astype(np.int32)
    times = np.minimum(np.arange(frames[1] + 1) / frames[0], 1.0)
    factors = 1.0 + (stretch - 1.0) * times
    targets = body.positions[None, ends] * np.stack([np.ones_like(factors)] * 2 + [factors], axis=1)[:, None, :]
    return replace(body, pins=pins(body.positions, ends, targets=targets))


def released(body, path="SERIAL", **settings):
    """Rest lengths of vertical size after the pull, from the rest shape that the checkpoint keeps."""
    simulation = solver(body, path=path, substeps=10, **STILL, **settings)
    run(simulation, 30)
    return simulation


def elements(simulation):
    """D_m⁻¹ of all elastic tetrahedra at present, as built, and their particles."""
    state, schedule = simulation.checkpoint(), simulation.system.schedule
    block = next(block for block in schedule.blocks if block is not None and block.indices.shape[1] == 4)
    before = block.parameters[:, :9].reshape(-1, 3, 3).astype(float)
    parameters = schedule.parameters.copy()
    parameters[simulation.system.plastic.places] = state["rest_shapes"]
    width = len(block.type.parameters)
    first = next(int(row[2]) for row in schedule.table if row[0] == len(block))
    now = parameters[first : first + width * len(block)].reshape(-1, width)[:, :9].reshape(-1, 3, 3).astype(float)
    return now, before, block.indices


@pytest.mark.parametrize("model", ["neo-Hookean", "co-rotated"])
def test_what_is_left_of_the_strain_is_the_yield_strain(model):
    """A bar that is held drawn for long keeps no more elastic strain than it yields at, and the volume of its rest."""
    simulation = released(pulled_block(1.3, yield_strain=5.0, creep=100.0, poissons_ratio=0.4, **MODELS[model]))
    now, before, indices = elements(simulation)
    x = simulation.positions()[indices].astype(float)
    gradients = np.swapaxes(x[:, 1:] - x[:, :1], 1, 2) @ now
    logs = np.log(np.linalg.svd(gradients, compute_uv=False))
    logs -= logs.mean(axis=1, keepdims=True)
    equivalent = np.sqrt(2.0 / 3.0) * np.linalg.norm(logs, axis=1)
    assert equivalent.max() == pytest.approx(0.05, rel=0.02)
    np.testing.assert_allclose(np.linalg.det(now) / np.linalg.det(before), 1.0, rtol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_what_a_weight_has_drawn_stays_long(model):
    """Without weight it springs back by its yield strain alone; what never yields, all the way."""
    body = jelly_cube(0.2, 0.0, 4, density=500.0, youngs_modulus=5e3, internal_damping=10.0, **MODELS[model])
    top = np.flatnonzero(body.positions[:, 2] > 0.19).astype(np.int32)
    track = Track(SCENE_TARGET, "gravity_z", np.where(np.arange(41) < 15, -20.0, 0.0))
    lengths = {}
    for strain in (0.0, 4.0):
        material = Material.from_values({**body.material.values(), "yield_strain": strain})
        held = replace(body, pins=pins(body.positions, top), material=material)
        made = replace(scene(held, substeps=10, frames=(1, 41)), tracks=(track,))
        lengths[strain] = float(np.ptp(run(Solver(build_system(made)), 40)[:, 2]))
    assert lengths[0.0] == pytest.approx(np.ptp(solver(body).positions()[:, 2]), rel=0.01)
    assert lengths[4.0] > 1.01 * lengths[0.0]


@pytest.mark.parametrize("model", MODELS)
def test_below_its_yield_strain_nothing_changes(model):
    """The same bytes as of a body that never yields."""
    paths = [run(solver(pulled_block(1.1, yield_strain=strain, **MODELS[model]), substeps=10, **STILL), 20)
             for strain in (0.0, 300.0)]  # fmt: skip
    assert paths[0].tobytes() == paths[1].tobytes()


def sheet(**material):
    """A strip that is drawn to 1.2 of its length."""
    body = cloth(6, stretch_stiffness=200.0, **{"creep": 100.0, **material})
    ends = np.flatnonzero(np.abs(body.positions[:, 0]) > 0.49).astype(np.int32)
    factors = np.stack([1.0 + 0.2 * np.minimum(np.arange(31) / 10, 1.0), np.ones(31), np.ones(31)], axis=1)
    return replace(body, pins=pins(body.positions, ends, targets=body.positions[None, ends] * factors[:, None]))


@pytest.mark.parametrize("membrane", MEMBRANES)
def test_cloth_keeps_what_it_is_drawn_to(membrane):
    simulation = solver(sheet(yield_strain=4.0, **MEMBRANES[membrane]), substeps=10, **STILL)
    built = simulation.checkpoint()["rest_shapes"]
    run(simulation, 30)
    used = np.abs(built) > 1e-6
    change = simulation.checkpoint()["rest_shapes"][used] / built[used]
    # elements hold inverse lengths. It is drawn most at its ends, where its width is held
    longest = change.max() if membrane in ("springs", "two-sided") else 1.0 / change.min()
    assert longest > 1.2 / 1.04
    limp = solver(sheet(yield_strain=100.0, **MEMBRANES[membrane]), substeps=10, **STILL)
    run(limp, 30)
    assert limp.checkpoint()["rest_shapes"].tobytes() == built.tobytes()


def drawn_softly(body, factors, limit):
    """A body that begins drawn by ``factors`` and yields from the second frame on; it has to be too soft to move."""
    track = Track(body.identifier, "yield_strain", np.where(np.arange(21) < 1, 10000.0, limit))
    return replace(body, start=body.positions * np.asarray(factors)), track


def crept(body, track, substeps):
    """A solver of it after three frames, of which it has crept in two."""
    made = replace(scene(body, substeps=substeps, frames=(1, 21), **STILL), tracks=(track,))
    simulation = Solver(build_system(made))
    run(simulation, 3)
    return simulation


@pytest.mark.parametrize("substeps", [1, 3, 30])
@pytest.mark.parametrize(("drawn", "limit"), [(3.0, 100.0), (1.5, 10.0), (0.5, 20.0)])
def test_springs_creep_at_their_rate_whatever_the_substeps(drawn, limit, substeps):
    """A spring of the length l goes to l / (1 ± limit) as exp(−c t)."""
    material = {"membrane_model": "SPRINGS", "compression_share": 0.5, "creep": 20.0}
    body = cloth(3, stretch_stiffness=1e-6, yield_strain=limit, **material)
    body, track = drawn_softly(body, (drawn, drawn, drawn), limit)
    simulation = crept(body, track, substeps)
    built = Solver(simulation.system).checkpoint()["rest_shapes"]
    is_length = built > 0.1
    rest = (simulation.checkpoint()["rest_shapes"] / np.where(is_length, built, 1.0))[is_length]
    final = drawn / (1.0 + np.sign(drawn - 1.0) * limit / 100.0)
    expected = final + (1.0 - final) * np.exp(-20.0 * 2.0 / 24.0)
    assert len(rest) >= 12
    np.testing.assert_allclose(rest, expected, rtol=1e-4)


@pytest.mark.parametrize("substeps", [1, 30])
def test_elements_creep_at_their_rate_whatever_the_substeps(substeps):
    """The logarithm of an element's stretch goes to the limit as exp(−c t)."""
    material = {"solid_model": "NEO_HOOKEAN", "youngs_modulus": 1e-3, "density": 500.0}
    body = jelly_cube(0.2, 0.0, 4, yield_strain=5.0, creep=20.0, **material)
    body, track = drawn_softly(body, (1.5**-0.5, 1.5**-0.5, 1.5), 5.0)
    simulation = crept(body, track, substeps)
    now, before, indices = elements(simulation)
    x = simulation.positions()[indices].astype(float)
    edges = np.swapaxes(x[:, 1:] - x[:, :1], 1, 2)
    total, elastic = (np.log(np.linalg.svd(edges @ rest, compute_uv=False)[:, 0]) for rest in (before, now))
    np.testing.assert_allclose(total, np.log(1.5), rtol=1e-3)
    expected = 0.05 + (np.log(1.5) - 0.05) * np.exp(-20.0 * 2.0 / 24.0)
    np.testing.assert_allclose(elastic, expected, rtol=1e-3)


def folded(**material):
    """A strip that one end is turned over the other of, about the Y axis."""
    body = cloth(5, bending_stiffness=1e-3, creep=200.0, **material)
    ends = np.flatnonzero(np.abs(body.positions[:, 0]) > 0.24).astype(np.int32)
    angles = np.where(body.positions[ends, 0] > 0, 1.0, 0.0) * np.minimum(np.arange(31) / 15, 1.0)[:, None] * 2.4
    places = np.repeat(body.positions[None, ends], 31, axis=0)
    places[:, :, 0], places[:, :, 2] = (
        np.cos(angles) * body.positions[ends, 0], np.sin(angles) * body.positions[ends, 0],
    )  # fmt: skip
    return replace(body, pins=pins(body.positions, ends, targets=places))


def test_a_sharp_fold_stays():
    """Rest angles go as far as the yield curvature lets them; of a gentle fold not at all."""
    simulation = solver(folded(yield_curvature=2.0), substeps=10, **STILL)
    run(simulation, 30)
    angles = np.abs(simulation.checkpoint()["rest_shapes"])
    assert angles.max() > 0.5
    gentle = solver(folded(yield_curvature=1000.0), substeps=10, **STILL)
    run(gentle, 30)
    assert not gentle.checkpoint()["rest_shapes"].any()


def dropped(**material):
    """A cube of clay that falls."""
    return jelly_cube(0.2, 1.5, 5, youngs_modulus=3e4, density=1700.0, yield_strain=2.0, **material)


def test_same_bytes_on_every_path():
    found = [run(solver(dropped(), substeps=8, path=path, colliders=[plane()]), 15) for path in PATHS[:2]]
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("model", MODELS)
def test_a_bake_goes_on_bit_for_bit(model):
    """The rest shapes are part of the checkpoint."""
    body = dropped(**MODELS[model])
    whole = solver(body, substeps=8, colliders=[plane()])
    run(whole, 12)
    kept = whole.checkpoint()
    assert not np.array_equal(kept["rest_shapes"], solver(body, colliders=[plane()]).checkpoint()["rest_shapes"])
    expected = run(whole, 6)
    other = solver(body, substeps=8, colliders=[plane()])
    other.restore(12, kept)
    assert run(other, 6).tobytes() == expected.tobytes()


@pytest.mark.slow
def test_frames_that_are_done_again_flow_once():
    """Where bodies meet, a frame may be computed twice: rest shapes go back with the positions."""
    upper = replace(dropped(), identifier="b1", positions=dropped().positions + np.array([0.02, 0.0, 0.5]))
    found = []
    for stop in (0, 9):
        simulation = Solver(build_system(scene(dropped(), upper, colliders=[plane()], meet=True, substeps=6)))
        run(simulation, stop)
        if stop:
            state = simulation.checkpoint()
            simulation = Solver(build_system(scene(dropped(), upper, colliders=[plane()], meet=True, substeps=6)))
            simulation.restore(stop, state)
        found.append(run(simulation, 14 - stop))
    assert found[0].tobytes() == found[1].tobytes()


def test_clay_keeps_its_dent():
    """What falls stays flatter; jelly of the same stiffness gets its height back."""
    heights = {}
    for strain in (0.0, 2.0):
        body = replace(dropped(internal_damping=5.0), material=Material.from_values(
            {**dropped().material.values(), "yield_strain": strain, "internal_damping": 5.0}))  # fmt: skip
        heights[strain] = float(np.ptp(run(solver(body, substeps=10, colliders=[plane()]), 60)[:, 2]))
    assert heights[2.0] < heights[0.0] - 0.01


def test_keys_on_the_yield_strain_count():
    """It flows from the frame on at which the limit is low enough."""
    body = sheet(yield_strain=50.0)
    simulations = []
    for low in (40, 12):
        values = np.where(np.arange(40) < low, 50.0, 2.0)
        track = Track("b0", "yield_strain", values)
        made = replace(scene(body, substeps=10, frames=(1, 40), **STILL), tracks=(track,))
        simulations.append(Solver(build_system(made)))
    never, later = simulations
    built = never.checkpoint()["rest_shapes"]
    run(never, 20), run(later, 12)
    assert later.checkpoint()["rest_shapes"].tobytes() == built.tobytes() == never.checkpoint()["rest_shapes"].tobytes()
    run(later, 8)
    assert later.checkpoint()["rest_shapes"].max() > 1.1 * built.max()


def test_nothing_is_kept_where_nothing_yields():
    simulation = solver(cloth(4), jelly_cube(0.2))
    assert "rest_shapes" not in simulation.checkpoint()
    assert len(simulation.system.plastic) == 0


@pytest.mark.parametrize("model", ["neo-Hookean", "co-rotated"])
def test_what_is_inside_out_does_not_flow(model):
    """It would come to rest as it is, and never turn back."""
    body = jelly_cube(
        0.2, 0.0, 2, density=500.0, youngs_modulus=5e3, yield_strain=5.0, internal_damping=50.0, **MODELS[model]
    )
    every = np.arange(body.vertex_count, dtype=np.int32)
    heights = np.linspace(1.0, -1.3, 6)[np.minimum(np.arange(31), 5)]
    targets = body.positions[None] * np.stack([np.ones_like(heights)] * 2 + [heights], axis=1)[:, None, :]
    held = replace(body, pins=pins(body.positions, every, targets=targets))
    limits = np.where(np.arange(31) < 25, 0.0, 5.0)
    track = Track(body.identifier, "yield_strain", limits)
    made = replace(scene(held, substeps=10, frames=(1, 31), **STILL), tracks=(track,))
    simulation = Solver(build_system(made))
    is_inverted = None
    for frames in (24, 6):
        run(simulation, frames)
        now, before, indices = elements(simulation)
        x = simulation.positions()[indices].astype(float)
        inverted = np.linalg.det(np.swapaxes(x[:, 1:] - x[:, :1], 1, 2) @ now) < 0.0
        is_inverted = inverted if is_inverted is None else is_inverted & inverted
    assert is_inverted.sum() > 10
    np.testing.assert_array_equal(now[is_inverted], before[is_inverted].astype(np.float32))
