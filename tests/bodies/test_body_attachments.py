# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that hold on to each other."""

import dataclasses

import numpy as np
import pytest
from contact_cases import shapes

from blender_xpbd.geometry.solid.embedding import bind
from blender_xpbd.scene.body import Attachment, Body, Tetrahedralization
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, pins, run, scene, solver
from tests.solver.strands import line, strand

pytestmark = pytest.mark.usefixtures("taichi_cpu")

CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
CUBE_CORNERS = np.array([0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3], np.int32)


def cube(identifier="b1", velocity=(0.0, 0.0, 0.0)):
    """A jelly of 0.2 m, from -0.2 m to 0 m in height."""
    return Body(
        identifier, "Jelly", "JELLY", (CUBE - [0.5, 0.5, 1.0]) * 0.2, np.full(6, 4, np.int32), CUBE_CORNERS,
        Material(youngs_modulus=50e3), tetrahedralization=Tetrahedralization("CAGE", 3), velocity=np.array(velocity),
    )  # fmt: skip


def attached(body, vertices, weight=1.0, target="b1"):
    vertices = np.asarray(vertices, np.int32)
    return dataclasses.replace(
        body, attachment=Attachment(target, vertices, np.full(len(vertices), weight, np.float32))
    )


def vertices_of(simulation, index):
    """World positions of the vertices of a body's mesh."""
    model, start = simulation.system.models[index], simulation.system.starts[index]
    corners = simulation.positions().astype(np.float64)[model.elements + start]
    return np.einsum("vjk,vj->vk", corners, model.weights) + simulation.system.origin


def point_of(simulation, index, point):
    """Where the particles of a jelly's cage carry a point that is given at rest."""
    model, start = simulation.system.models[index], simulation.system.starts[index]
    element, weights = bind(point[None], model.positions, model.tetrahedra)
    corners = simulation.positions().astype(np.float64)[model.tetrahedra[element[0]] + start]
    return weights[0] @ corners + simulation.system.origin


def momentum(simulation):
    system = simulation.system
    free = system.inverse_masses > 0.0
    velocities = simulation.checkpoint()["velocities"][:, :3].astype(np.float64)
    return (velocities[free] / system.inverse_masses[free, None]).sum(axis=0)


@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_a_cloth_hangs_on_a_falling_jelly(gap):
    """It is thrown aside by the jelly alone, and keeps the gap that it was modelled with."""
    strip = attached(cloth(5, size=0.2, height=gap), range(5))
    simulation = solver(strip, cube(velocity=(1.0, 0.0, 0.0)), substeps=20)
    run(simulation, 12)
    points = vertices_of(simulation, 0)
    assert points[:5, 0].mean() > 0.2
    for vertex in range(5):
        held = point_of(simulation, 1, strip.positions[vertex])
        np.testing.assert_allclose(points[vertex], held, atol=1e-4)


def test_a_jelly_hangs_on_a_pinned_cloth():
    sheet = cloth(5, size=0.2, height=0.0, identifier="b1", stretch_stiffness=2000.0)
    sheet = dataclasses.replace(sheet, pins=pins(sheet.positions, range(25)))
    hung, loose = (solver(sheet, body, substeps=20) for body in (
        attached(cube("b0"), [1, 3, 5, 7]), cube("b0"),
    ))  # fmt: skip
    for simulation in (hung, loose):
        run(simulation, 12)
    np.testing.assert_allclose(vertices_of(hung, 1)[[1, 3, 5, 7], 2], 0.0, atol=1e-4)
    assert vertices_of(loose, 1)[:, 2].max() < -1.0


def test_the_pair_keeps_its_momentum():
    strip = attached(cloth(5, size=0.2), range(5))
    simulation = solver(strip, cube(velocity=(1.0, 0.0, 0.0)), gravity=(0, 0, 0), substeps=20)
    before = momentum(simulation)
    run(simulation, 12)
    np.testing.assert_allclose(momentum(simulation), before, atol=2e-3 * before[0])


def test_soft_weights_give():
    distances = []
    for weight in (1.0, 0.5, 0.1):
        sheet = cloth(5, size=0.2, identifier="b1")
        sheet = dataclasses.replace(sheet, pins=pins(sheet.positions, range(25)))
        simulation = solver(attached(cloth(5, size=0.2, pin_frequency=5.0), range(25), weight), sheet, substeps=20)
        run(simulation, 6)
        distances.append(-vertices_of(simulation, 0)[:, 2].mean())
    assert distances[0] == pytest.approx(0.0, abs=1e-4)
    assert distances[0] + 0.002 < distances[1] < distances[2] - 0.01


@pytest.mark.parametrize("mode", ["XPBD", "PBD"])
def test_cloth_welded_to_cloth_stays_together(mode):
    """Two sheets of different grids, overlapping by a strip."""
    upper = cloth(7, size=0.3, identifier="b1")
    upper = dataclasses.replace(upper, pins=pins(upper.positions, range(7)))
    lower = cloth(5, size=0.3)
    lower = dataclasses.replace(lower, positions=lower.positions + np.array([0.25, 0.0, 0.0]))
    simulation = solver(attached(lower, range(5)), upper, substeps=20, solver_mode=mode)
    run(simulation, 18)
    heights = vertices_of(simulation, 0)[:, 2]
    block = next(b for b in simulation.system.schedule.blocks if b is not None and b.type.name == "element_attachment")
    assert len(block) == 5
    gaps = block.type.evaluate(simulation.positions().astype(np.float64), block)
    assert np.linalg.norm(gaps, axis=1).max() < 1e-4
    # it hangs: free, it would have fallen 2.7 m
    assert -0.7 < heights.min() < heights.max() < -0.02


def test_the_order_of_bodies_does_not_matter():
    ends = []
    for turned in (False, True):
        bodies = (attached(cloth(5, size=0.2), range(5)), cube(velocity=(1.0, 0.0, 0.0)))
        simulation = solver(*(bodies[::-1] if turned else bodies), substeps=20)
        run(simulation, 8)
        ends.append(vertices_of(simulation, 1 if turned else 0))
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-3)


def test_a_vertex_without_a_mass_is_left_out():
    body = cloth(3, size=0.2)
    body = dataclasses.replace(body, positions=np.concatenate([body.positions, [[0.0, 0.0, 0.0]]]))
    simulation = solver(attached(body, [0, 9]), cube())
    assert simulation.system.schedule.counts()["element_attachment"] == 1
    assert "element_attachment" not in solver(attached(body, [9]), cube()).system.schedule.counts()


def hung(vertices, material, strand_material, mode="XPBD"):
    """A jelly cube whose upper vertices, or some of them, hang on the end of a strand over its corner."""
    jelly = dataclasses.replace(cube("b0"), tetrahedralization=Tetrahedralization("CAGE", 10))
    jelly = dataclasses.replace(attached(jelly, vertices), material=Material.from_values(material))
    rope = strand(
        line(11, 0.5, (0.0, 0.0, -1.0), start=(0.1, 0.1, 0.5)), pinned=[0], identifier="b1", **strand_material
    )
    return solver(jelly, rope, substeps=40, solver_mode=mode)


THREAD = {"youngs_modulus": 1e9, "twist_stiffness": 1e6, "density": 900.0, "radius": 5e-4, "bending_share": 1e-3}
ROPE = {**THREAD, "radius": 5e-3}
SOFT, FIRM = ({"youngs_modulus": stiffness, "density": 1100.0, "internal_damping": 2.0} for stiffness in (2e4, 2e5))
CORNER, CAP = [7], [1, 3, 5, 7]


@pytest.mark.parametrize("vertices", [CORNER, CAP], ids=["corner", "cap"])
@pytest.mark.parametrize("held_by", [THREAD, ROPE], ids=["thread", "rope"])
@pytest.mark.parametrize("material", [SOFT, FIRM], ids=["soft", "firm"])
def test_a_jelly_hangs_on_a_strand(material, held_by, vertices):
    """A strand is light, and a vertex bears little: without patches and shared masses all of these blow up."""
    simulation = hung(vertices, material, held_by)
    weight = simulation.system.models[0].masses.sum() * 9.81
    stretch = 1.0 + weight / (1e9 * np.pi * held_by["radius"] ** 2)
    for _ in range(24):
        simulation.advance()
        points = vertices_of(simulation, 0)
        assert np.ptp(points, axis=0).max() < 0.2 * np.sqrt(3.0) * (1.2 if material is FIRM else 2.0)
        nodes = vertices_of(simulation, 1)
        assert np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum() < 0.5 * (1.0 + 2.2 * (stretch - 1.0)) + 0.05
        assert np.linalg.norm(points[7] - nodes[-1]) < (0.02 if material is FIRM else 0.06)


@pytest.mark.parametrize("material", [SOFT, FIRM], ids=["soft", "firm"])
def test_a_jelly_hangs_on_a_pinned_vertex(material):
    """By the few tetrahedra there alone it would become longer than twice its diagonal, or blow up."""
    jelly = dataclasses.replace(cube("b0"), tetrahedralization=Tetrahedralization("CAGE", 10))
    material = Material.from_values(material)
    jelly = dataclasses.replace(jelly, pins=pins(jelly.positions, CORNER), material=material)
    simulation = solver(jelly, substeps=40)
    assert simulation.system.schedule.counts()["patch_attachment"] == 1
    for _ in range(24):
        simulation.advance()
        points = vertices_of(simulation, 0)
        np.testing.assert_allclose(points[CORNER], jelly.positions[CORNER], atol=1e-6)
        assert np.ptp(points, axis=0).max() < 0.2 * np.sqrt(3.0) * (1.2 if material is FIRM else 2.0)


@pytest.mark.parametrize(("count", "patches"), [(7, 0), (2, 2)])
def test_patches_that_would_overlap_are_none(count, patches):
    """What one holds another one would pull at: a jelly that is pinned along a line blew up within a second."""
    places, faces = shapes.box((1.0, 1.0, 1.0), (6, 6, 6))
    jelly = dataclasses.replace(
        cube("b0"), positions=places, corners=faces.ravel().astype(np.int32),
        face_sizes=np.full(len(faces), faces.shape[1], np.int32), material=Material.from_values(SOFT),
        tetrahedralization=Tetrahedralization("CAGE", 10),
    )  # fmt: skip
    on_top = np.flatnonzero((places[:, 2] > 0.499) & (np.abs(places[:, 1]) < 1e-6))
    line_of_pins = on_top[np.argsort(places[on_top, 0])][:: 6 // (count - 1)]
    jelly = dataclasses.replace(jelly, pins=pins(places, line_of_pins))
    simulation = solver(jelly, substeps=20, frames=(1, 25))
    assert simulation.system.schedule.counts().get("patch_attachment", 0) == patches
    for _ in range(24):
        simulation.advance()
        assert np.ptp(vertices_of(simulation, 0), axis=0).max() < 3.5


@pytest.mark.parametrize("material", [SOFT, FIRM], ids=["soft", "firm"])
def test_a_jelly_hangs_on_a_cloth_by_a_vertex(material):
    """The cloth is as light as a thread: with a patch alone it would be stretched to many times its length."""
    jelly = dataclasses.replace(cube("b0"), tetrahedralization=Tetrahedralization("CAGE", 10))
    jelly = dataclasses.replace(attached(jelly, CORNER), material=Material.from_values(material))
    sheet = cloth(11, size=0.8, identifier="b1", stretch_stiffness=5000.0)
    sheet = dataclasses.replace(sheet, positions=sheet.positions + jelly.positions[CORNER[0]] - sheet.positions[60])
    sheet = dataclasses.replace(sheet, pins=pins(sheet.positions, [0, 10, 110, 120]))
    simulation = solver(jelly, sheet, substeps=40)
    held = []
    for _ in range(24):
        simulation.advance()
        points, places = (vertices_of(simulation, number) for number in range(2))
        assert np.ptp(points, axis=0).max() < 0.2 * np.sqrt(3.0) * 2.0
        assert np.linalg.norm(points[7] - places[60]) < 0.06
        held.append(places[60, 2] - sheet.positions[60, 2])
    assert -0.67 < min(held) < -0.05


def test_a_loose_cloth_bears_no_more_than_it_weighs():
    """A rag on a jelly gets no patches, and no mass."""
    jelly = dataclasses.replace(cube(), tetrahedralization=Tetrahedralization("CAGE", 10))
    rag = attached(cloth(5, size=0.2), [12])
    system = solver(rag, jelly, substeps=20).system
    assert "patch_attachment" not in system.schedule.counts()
    alone = solver(dataclasses.replace(rag, attachment=None), substeps=20).system
    np.testing.assert_array_equal(system.models[0].masses, alone.models[0].masses)


@pytest.mark.parametrize("strength", [60.0, -60.0])
def test_a_push_counts_as_a_weight(strength):
    """One that keys let begin later, too."""
    jelly = dataclasses.replace(cube("b0"), tetrahedralization=Tetrahedralization("CAGE", 10))
    jelly = dataclasses.replace(jelly, pins=pins(jelly.positions, CORNER), material=Material.from_values(SOFT))
    free = scene(jelly, gravity=(0.0, 0.0, 0.0), frames=(1, 3))
    pushed = dataclasses.replace(free, tracks=(Track("b0", "push_x", np.array([0.0, 0.0, strength])),))
    counts = [build_system(one).schedule.counts() for one in (free, pushed)]
    assert ["patch_attachment" in count for count in counts] == [False, True]


def test_what_is_pinned_and_bears_little_has_no_patch():
    """A light cube, and one that a face clamps, as before."""
    jelly = dataclasses.replace(cube(), tetrahedralization=Tetrahedralization("CAGE", 3))
    light = Material.from_values({**FIRM, "density": 10.0})
    for held, material in ((CORNER, light), (CAP, Material.from_values(FIRM))):
        body = dataclasses.replace(jelly, pins=pins(jelly.positions, held), material=material)
        assert "patch_attachment" not in solver(body, substeps=20).system.schedule.counts()


def test_masses_are_shared_and_none_is_lost():
    system = hung(CORNER, FIRM, THREAD).system
    jelly, thread = (model.body for model in system.models)
    alone = [solver(body).system.models[0].masses for body in (dataclasses.replace(jelly, attachment=None), thread)]
    shared = [model.masses for model in system.models]
    assert sum(map(np.sum, shared)) == pytest.approx(sum(map(np.sum, alone)))
    np.testing.assert_allclose(shared[1][:-1], alone[1][:-1])
    assert shared[1][-1] > 100.0 * alone[1][-1]
    assert (shared[0] >= 0.5 * alone[0] - 1e-12).all()


def test_a_row_along_a_strand_keeps_its_places():
    jelly = attached(cube("b0"), CAP)
    places = line(11, 0.4, start=(-0.2, 0.0, 0.0))
    ladder = np.concatenate([places + np.array([0.0, side, 0.0]) for side in (-0.1, 0.1)])
    edges = [(n, n + 1) for n in range(21) if n != 10]
    rope = strand(ladder, pinned=range(22), edges=edges, identifier="b1", **ROPE)
    counts = solver(jelly, rope).system.schedule.counts()
    assert counts["element_attachment"] == 4
    assert "patch_attachment" not in counts
    drawn = strand(line(11, 0.4, start=(0.0, 0.0, 0.0), direction=(0, 0, 1)), pinned=[10], identifier="b1", **ROPE)
    counts = solver(jelly, drawn).system.schedule.counts()
    # all are as far from it: their middle is held
    assert counts["patch_attachment"] == 1
    assert "element_attachment" not in counts
    counts = hung(CAP, FIRM, ROPE).system.schedule.counts()
    # the vertex that is at the strand is held by itself, too
    assert counts["patch_attachment"] == counts["element_attachment"] == 1


def fringed():
    """A pinned cloth with two loose edges, which has rods, too."""
    sheet = cloth(5, size=0.2, height=0.0, identifier="b1")
    places = np.concatenate([sheet.positions, sheet.positions[[0, 4]] - np.array([0.0, 0.0, 0.1])])
    edges = np.array([[0, 25], [4, 26]], np.int32)
    return dataclasses.replace(sheet, positions=places, pins=pins(places, range(25)), loose_edges=edges)


def test_a_cloth_with_a_fringe_is_no_strand():
    """Its vertices are drawn to triangles: a patch knows edges alone."""
    simulation = solver(attached(cube("b0"), CAP), fringed(), substeps=20)
    counts = simulation.system.schedule.counts()
    assert counts["element_attachment"] == 4
    assert "patch_attachment" not in counts
    run(simulation, 6)
    np.testing.assert_allclose(vertices_of(simulation, 0)[CAP, 2], 0.0, atol=1e-3)


def bar(stations):
    """A jelly bar of 1 m under a pinned strand, held along both of its upper edges."""
    along = np.linspace(-0.5, 0.5, stations)
    ring = np.array([[-0.05, 0.0], [0.05, 0.0], [0.05, -0.1], [-0.05, -0.1]])
    places = np.concatenate([np.column_stack([np.full(4, x), ring]) for x in along])
    faces = [[4 * i + k, 4 * i + (k + 1) % 4, 4 * i + (k + 1) % 4 + 4, 4 * i + k + 4] for i in range(stations - 1)
             for k in range(4)]  # fmt: skip
    last = 4 * stations - 4
    faces += [[3, 2, 1, 0], [last, last + 1, last + 2, last + 3]]
    corners = np.array(faces, np.int32)
    body = Body(
        "b0", "Bar", "JELLY", places, np.full(len(corners), 4, np.int32), corners.ravel(), Material.from_values(FIRM),
        tetrahedralization=Tetrahedralization("CAGE", 20),
    )  # fmt: skip
    upper = [4 * i + k for i in range(stations) for k in (0, 1)]
    return attached(body, upper), strand(line(21, 1.2, start=(-0.6, 0, 0)), pinned=range(21), identifier="b1", **ROPE)


@pytest.mark.parametrize("stations", [5, 26])
def test_what_is_held_along_a_strand_hangs_level(stations):
    """No chain of vertices becomes one patch, and none is held by an edge when both are as far from the strand."""
    simulation = solver(*bar(stations), substeps=40)
    assert simulation.system.schedule.counts()["patch_attachment"] >= 5
    run(simulation, 12)
    points = vertices_of(simulation, 0)
    np.testing.assert_allclose(points[:4, 2].mean(), -0.05, atol=0.01)
    np.testing.assert_allclose(points[-4:, 2].mean(), -0.05, atol=0.01)


def test_what_weighs_otherwise_keeps_its_mass():
    """A jelly without weight would fall with the share that its strand got."""
    jelly, rope = (model.body for model in hung(CORNER, FIRM, THREAD).system.models)
    light = dataclasses.replace(jelly, material=dataclasses.replace(jelly.material, gravity_factor=0.0))
    masses = [
        solver(body, rope).system.models[0].masses for body in (light, dataclasses.replace(light, attachment=None))
    ]
    np.testing.assert_array_equal(*masses)


@pytest.mark.parametrize("vertices", [CORNER, CAP])
def test_a_strand_gets_a_small_share(vertices):
    system = hung(vertices, FIRM, THREAD).system
    alone = solver(dataclasses.replace(system.models[0].body, attachment=None)).system.models[0].masses.sum()
    assert 0.001 * alone < alone - system.models[0].masses.sum() < 0.0501 * alone


def test_a_strand_none_of_whose_vertices_has_a_mass_is_let_go():
    rope = strand(np.concatenate([line(5, 0.4), [[0.0, 0.0, 0.0]]]), edges=[(0, 1), (1, 2), (2, 3), (3, 4)], **ROPE)
    counts = solver(attached(rope, [5]), cube()).system.schedule.counts()
    assert not {"element_attachment", "patch_attachment"} & set(counts)


@pytest.mark.parametrize("vertices", [CORNER, CAP])
def test_soft_ones_are_as_firm_together_as_their_vertices(vertices):
    jelly, rope = (model.body for model in hung(vertices, FIRM, ROPE).system.models)
    stiffness = {}
    for name, other in (("patch", rope), ("vertices", cloth(5, size=0.2, identifier="b1"))):
        blocks = solver(attached(jelly, vertices, 0.5), other).system.schedule.blocks
        blocks = [block for block in blocks if block is not None and "attachment" in block.type.name]
        stiffness[name] = sum((1.0 / block.parameters[:, -1]).sum() for block in blocks)
    assert stiffness["patch"] == pytest.approx(stiffness["vertices"], rel=1e-5)


def test_a_single_vertex_is_held_by_itself_too():
    """However far it is from its strand."""
    for gap in (0.0, 1e-6, 0.05):
        jelly, rope = (model.body for model in hung(CORNER, FIRM, ROPE).system.models)
        rope = dataclasses.replace(rope, positions=rope.positions + np.array([0.0, 0.0, gap]))
        counts = solver(jelly, rope).system.schedule.counts()
        assert counts["patch_attachment"] == counts["element_attachment"] == 1


def test_pbd_takes_patches_too():
    simulation = hung(CAP, FIRM, ROPE, "PBD")
    run(simulation, 12)
    assert np.linalg.norm(vertices_of(simulation, 0)[7] - vertices_of(simulation, 1)[-1]) < 0.05
