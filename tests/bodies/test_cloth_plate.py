# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cloth bends as a plate, and that it hangs as its material says at the default settings."""

from dataclasses import replace

import numpy as np
import pytest
from validation.meshes import grid
from validation.simulation import positions_of, run, start

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.constraints.bending.dihedral_bending import build_dihedral_bending, hinge_compliance
from blender_xpbd.geometry.surface.topology import hinges
from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import scene

DENSITY = 0.15
COTTON = {**preset_values("COTTON", "CLOTH"), "internal_damping": 0.0}
OVERHANG = 0.045
# bending length: half of what hangs over at 41.5° (ASTM D1388)
STIFFNESS = DENSITY * 9.81 * (OVERHANG / 2.0) ** 3


def cloth(mesh, settings=None, fixed=(), **values):
    material = Material.from_values({"internal_damping": 0.0, "area_density": DENSITY, **values})
    pins = Pins.following(np.asarray(fixed, np.int32), np.ones(len(fixed), np.float32), np.eye(4)[None])
    body = Body("b0", "Cloth", "CLOTH", mesh[0], mesh[1], mesh[2], material, pins=pins)
    return build_body(body, settings or SolverSettings())


def sheet(pattern="quads"):
    return grid(1.0, 0.5, 8, 4, pattern)


def curved():
    positions, sizes, corners = sheet()
    positions[:, 2] = 0.3 * positions[:, 0] ** 2
    return positions, sizes, corners


def creased(angle=1.7):
    """A sheet with one sharp fold [rad]."""
    positions, sizes, corners = sheet()
    beyond = np.maximum(positions[:, 0] - 0.5, 0.0)
    positions[:, 0] += beyond * (np.cos(angle) - 1.0)
    positions[:, 2] = beyond * np.sin(angle)
    return positions, sizes, corners


def two_sheets(second):
    first, (positions, sizes, corners) = sheet(), second
    return (
        np.concatenate([first[0], positions + np.array([2.0, 0.0, 0.0])]),
        np.concatenate([first[1], sizes]),
        np.concatenate([first[2], corners + len(first[0])]).astype(np.int32),
    )


def bending_hinges(model):
    names = ("dihedral_bending", "isometric_bending")
    return sum(len(block) for block in model.blocks if block.type.name in names)


@pytest.mark.parametrize("bending_model", ["DIHEDRAL", "ISOMETRIC"])
@pytest.mark.parametrize("pattern", ["quads", "triangles", "crossed", "equilateral"])
def test_flat_cloth_bends_as_a_plate(bending_model, pattern):
    model = cloth(sheet(pattern), bending_model=bending_model)
    assert model.plate is not None
    assert bending_hinges(model) == 0


@pytest.mark.parametrize(
    ("mesh", "settings", "values"),
    [
        (creased(), {}, {}),
        (sheet(), {"solver_mode": "PBD"}, {}),
        (sheet(), {"device": "GPU"}, {}),
        (sheet(), {}, {"stiffness_input": "COMPLIANCE"}),
    ],
)
def test_other_cloth_bends_by_its_hinges(mesh, settings, values):
    model = cloth(mesh, SolverSettings(**settings), **values)
    assert model.plate is None
    assert bending_hinges(model) > 0


def test_bending_by_distances_or_none_stays():
    for bending_model in ("DISTANCE", "NONE"):
        model = cloth(sheet(), bending_model=bending_model)
        assert model.plate is None
        assert bending_hinges(model) == 0


def test_pieces_choose_for_themselves():
    """A creased piece beside a flat one keeps its hinges, all of them."""
    alone, both = cloth(creased()), cloth(two_sheets(creased()))
    assert both.plate is not None
    assert bending_hinges(both) == bending_hinges(alone)
    assert np.diff(both.plate.matrix.starts)[len(sheet()[0]) :].max() == 0


@pytest.mark.parametrize("mesh", [curved(), creased(1.5)], ids=["curved", "creased"])
def test_curved_cloth_bends_as_a_shell(mesh):
    model = cloth(mesh)
    assert bending_hinges(model) == 0
    assert len(model.plate.rest.forces)
    assert cloth(mesh, rest_angle="FLAT").plate.rest is None
    both = cloth(two_sheets(mesh)).plate.rest
    assert both.vertices.min() >= len(sheet()[0])
    assert cloth(sheet()).plate.rest is None


def half_tube(**values):
    """A free half tube of 20 cm of cotton, 40 cm long."""
    positions, sizes, corners = grid(np.pi * 0.1, 0.4, 16, 20, "crossed")
    angle = positions[:, 0] / 0.1
    positions = np.stack([0.1 * np.cos(angle), positions[:, 1], 0.1 * np.sin(angle)], axis=1)
    body = Body("b0", "Cloth", "CLOTH", positions, sizes, corners, Material.from_values({**COTTON, **values}))
    return scene(body, frames=(1, 300), gravity=(0.0, 0.0, 0.0))


@pytest.mark.usefixtures("taichi_cpu")
def test_a_shell_keeps_its_shape_and_what_is_to_rest_flat_opens():
    widths = []
    for rest_angle in ("MESH", "FLAT"):
        simulation = Solver(build_system(half_tube(rest_angle=rest_angle)))
        for _ in range(24):
            simulation.advance()
        widths.append(float(np.ptp(simulation.positions()[:, 0])))
    assert widths[0] == pytest.approx(0.2, abs=1e-5)
    assert widths[1] > 0.22


@pytest.mark.usefixtures("taichi_cpu")
def test_a_shell_that_is_squeezed_and_spins_keeps_momentum_and_gains_no_energy():
    simulation = Solver(build_system(half_tube()))
    masses = simulation.system.models[0].masses
    places = simulation.positions().astype(np.float64)
    x = places - masses @ places / masses.sum()
    thrown = np.cross([0.0, 3.0, 0.0], x) - x * [3.0, 0.0, 0.0]
    state = simulation.checkpoint()
    velocities = np.array(state["velocities"], np.float64)
    velocities[:, :3] += thrown
    simulation.restore(0, {**state, "velocities": velocities})
    energies, v = [float(masses @ (thrown**2).sum(axis=1))], thrown
    for _ in range(120):
        simulation.advance()
        v = np.array(simulation.checkpoint()["velocities"][:, :3], np.float64)
        energies.append(float(masses @ (v**2).sum(axis=1)))
    now = simulation.positions().astype(np.float64)
    spins = masses @ np.cross(x, thrown), masses @ np.cross(now - masses @ now / masses.sum(), v)
    assert np.linalg.norm(spins[1] - spins[0]) < 1e-3 * np.linalg.norm(spins[0])
    assert np.linalg.norm(masses @ v) < 1e-5 * masses.sum()
    assert 0.3 * energies[0] < energies[-1] < max(energies[1:]) < 1.02 * energies[0]


@pytest.mark.parametrize("bending_model", ["DIHEDRAL", "ISOMETRIC"])
def test_hinges_at_the_edge_of_a_clamp_are_twice_as_stiff(bending_model):
    mesh = sheet("triangles")
    x = mesh[0][:, 0]
    blocks = [
        next(block for block in cloth(mesh, settings, fixed, bending_model=bending_model).blocks if len(block.follows))
        for settings, fixed in ((SolverSettings(device="GPU"), which) for which in ((), np.flatnonzero(x < 0.3)))
    ]
    ratios = blocks[1].parameters[:, -1] / blocks[0].parameters[:, -1]
    edge = np.isclose(x[blocks[0].indices[:, :2]], 0.25).all(axis=1)
    np.testing.assert_allclose(ratios, np.where(edge, 0.5, 1.0))


def test_slivers_bend_by_hinges():
    positions, sizes, corners = sheet("triangles")
    inner = np.flatnonzero(np.isclose(positions[:, 0], 0.5) & np.isclose(positions[:, 1], 0.25))
    positions[inner, 0] += 0.1245
    assert cloth((positions, sizes, corners)).plate is None


def test_a_group_scales_the_stiffness():
    positions, sizes, corners = sheet()
    body = Body("b0", "Cloth", "CLOTH", positions, sizes, corners, Material.from_values({}))
    half = replace(body, vertex_factors={"bending": np.full(body.vertex_count, 0.5, np.float32)})
    whole, scaled = (build_body(mine, SolverSettings()).plate for mine in (body, half))
    np.testing.assert_allclose(scaled.matrix.values, 0.5 * whole.matrix.values)


def chord_angle(model, positions, seconds=2.5):
    """Of the line from the clamp to the tip below the horizontal [°], at the default 20 substeps of 1 iteration."""
    solver = start(model, 20)
    run(solver, int(24 * seconds))
    after = positions_of(solver)
    tip = positions[:, 0] > positions[:, 0].max() - 1e-9
    return np.degrees(np.arctan2(-after[tip, 2].mean(), after[tip, 0].mean()))


def strip(pattern, cells):
    """What hangs over, and two cells that are clamped; and which vertices are."""
    spacing = OVERHANG / cells
    across = max(round(0.025 / spacing), 1)
    positions, sizes, corners = grid(OVERHANG + 2.0 * spacing, across * spacing, cells + 2, across, pattern)
    positions[:, 0] -= 2.0 * spacing
    return (positions, sizes, corners), np.flatnonzero(positions[:, 0] < 1e-9)


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("cells", [6, 9, 18])
@pytest.mark.parametrize("pattern", ["quads", "triangles", "equilateral"])
def test_a_strip_hangs_over_as_its_stiffness_says(pattern, cells):
    """41.5° where it is twice its bending length; 65 to 83° with hinges, one after the other."""
    mesh, fixed = strip(pattern, cells)
    model = cloth(mesh, fixed=fixed, bending_stiffness=STIFFNESS, stretch_stiffness=2000.0, damping=3.0)
    assert chord_angle(model, mesh[0]) == pytest.approx(41.5, abs=2.5)


@pytest.mark.usefixtures("taichi_cpu")
def test_hinges_one_after_the_other_are_far_too_soft():
    """What the test above would find without plates."""
    mesh, fixed = strip("quads", 18)
    model = cloth(mesh, fixed=fixed, bending_stiffness=STIFFNESS, stretch_stiffness=2000.0, damping=3.0)
    folds = hinges(mesh[2].reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))
    block = build_dihedral_bending(model.positions, folds, hinge_compliance(model.positions, folds, STIFFNESS))
    assert chord_angle(replace(model, plate=None, blocks=(block, *model.blocks)), mesh[0]) > 60.0
