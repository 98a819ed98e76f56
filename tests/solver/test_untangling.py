# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tangled at the first frame comes apart within ten frames; without untangling it stays as it is."""

from dataclasses import replace

import numpy as np
import pytest
from contact_cases.tangles import MESHES, SELVES, WAYS, tangled_sheets

from blender_xpbd.contacts.pairs import patches
from blender_xpbd.contacts.search.crossings import crossings as find_crossings
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.tangles import tangles, untangling
from tests.addon.checking.crossing_bodies import pole, tube, turned_all, upright
from tests.contacts.search.test_own_ties import UPRIGHT, grid, joined, turned
from tests.solver.ribbons import as_alpha
from tests.solver.scenes import cloth, jelly_cube, pins, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def tilted(body, angle, shift):
    """A body that is turned about the y axis and moved."""
    c, s = np.cos(angle), np.sin(angle)
    centre = body.positions.mean(axis=0)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return replace(body, positions=(body.positions - centre) @ turn.T + centre + shift)


def corner_through_sheet():
    """A sheet that hangs by its corners, and one with a corner through it."""
    below = cloth(12, identifier="a")
    below = replace(below, pins=pins(below.positions, [0, 11, 132, 143]))
    above = cloth(9, size=0.5, height=0.1, identifier="b")
    c, s = np.cos(0.7), np.sin(0.7)
    turned = above.positions @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return [below, tilted(replace(above, positions=turned), 0.5, np.zeros(3))]


def sheet_through_jelly():
    """A cube with the border of a sheet in its side."""
    return [jelly_cube(0.3, 0.02, 4), tilted(cloth(10, size=0.6, height=0.17, identifier="b1"), 0.1, [0.38, 0.0, 0.0])]


def crossing_count(simulation):
    """Edges that go through triangles."""
    objects = simulation.system.objects
    return len(find_crossings(objects.surfaces, objects.points(simulation.positions())))


@pytest.mark.slow
@pytest.mark.parametrize("scene", [corner_through_sheet, sheet_through_jelly])
def test_what_crosses_comes_apart(scene):
    simulation = touching(*scene())
    assert crossing_count(simulation) > 0
    for _ in range(10):
        before = simulation.positions().copy()
        simulation.advance()
    assert crossing_count(simulation) == 0
    # a fall of ten frames is 4 m/s
    assert np.linalg.norm(simulation.positions() - before, axis=1).max() < 6.0 / 24.0


def as_cloth(identifier, vertices, triangles):
    """A free cloth of a mesh."""
    sizes = np.full(len(triangles), 3, np.int32)
    material = Material.from_values({"internal_damping": 0.0})
    return Body(identifier, "Cloth", "CLOTH", vertices, sizes, triangles.ravel(), material, pins(vertices, []))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "kind"),
    # of few triangles only the widest loop of a sheet with itself is made
    [(way, kind) for way in WAYS for kind in MESHES if kind != "coarse" or way not in SELVES or way == "loop"],
)
def test_sheets_come_apart_and_stay_apart(way, kind):
    meshes = tangled_sheets(way, kind)
    bodies = [as_cloth(f"b{n}", *mesh) for n, mesh in enumerate(meshes)]
    simulation = touching(*bodies, gravity=(0.0, 0.0, 0.0))
    counts = [crossing_count(simulation)]
    for _ in range(10):
        before = simulation.positions().copy()
        simulation.advance()
        counts.append(crossing_count(simulation))
        # of half a metre in two frames, and what is bent springs back
        assert np.linalg.norm(simulation.positions() - before, axis=1).max() < 4.0 / 24.0
    assert counts[0] > 0
    assert counts[-1] == 0
    first = counts.index(0)
    assert counts[first:] == [0] * (11 - first)


@pytest.mark.slow
def test_what_goes_through_an_open_collider_comes_out():
    """It holds points on the side on which they are, so it must let those through that have to go back."""
    (vertices, triangles), (poking, faces) = tangled_sheets("corner")
    sheet = Collider("c0", "Sheet", "MESH", np.eye(4)[None], vertices[None], triangles)
    simulation = touching(as_cloth("b0", poking, faces), colliders=[sheet], gravity=(0.0, 0.0, 0.0))
    assert crossing_count(simulation) > 0
    for _ in range(10):
        simulation.advance()
    assert crossing_count(simulation) == 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [0.1, 0.25])
def test_a_jelly_in_a_jelly_glides_out(size):
    """The small one lies wholly in the large one: nothing crosses."""
    large = jelly_cube(0.3, 0.02, 4)
    small = replace(jelly_cube(size, 0.0, 3), identifier="b1")
    centre = large.positions.mean(axis=0) + np.array([0.015, 0.01, 0.005])
    small = replace(small, positions=small.positions - small.positions.mean(axis=0) + centre)
    simulation = touching(large, small, gravity=(0.0, 0.0, 0.0))
    assert crossing_count(simulation) == 0
    for _ in range(10):
        before = simulation.positions().copy()
        simulation.advance()
        assert np.linalg.norm(simulation.positions() - before, axis=1).max() < 4.0 / 24.0
    assert crossing_count(simulation) == 0
    objects = simulation.system.objects
    places = objects.points(simulation.positions())
    assert patches.swallowed(objects.surfaces, places, objects.solids) == []


def test_a_jelly_in_a_cloth_that_hangs_around_it_does_not_throw_it():
    """The cloth was drawn through the jelly as if no pins held it: it had 16 m/s at once, and 60 when it snapped."""
    cube = jelly_cube(1.6, 0.0, 4)
    cube = replace(cube, positions=cube.positions - cube.positions.mean(axis=0))
    around = tube("Tube", -0.6, 0.9, 24)
    around = replace(around, positions=around.positions * [2.2, 2.2, 1.5] + [0.013, 0.007, 0.0])
    around = replace(around, pins=pins(around.positions, range(120, 144)))
    simulation = touching(cube, around)
    assert crossing_count(simulation) > 0
    for frame in range(1, 13):
        before = simulation.positions().copy()
        simulation.advance()
        speeds = 24.0 * np.linalg.norm(simulation.positions() - before, axis=1)
        assert speeds.max() < 9.81 * frame / 24.0 + 6.0


def test_without_it_they_stay_tangled(monkeypatch):
    monkeypatch.setattr(untangling, "tangles", lambda *_: ())
    simulation = touching(*corner_through_sheet())
    for _ in range(10):
        simulation.advance()
    assert crossing_count(simulation) > 0


@pytest.mark.parametrize(("shift", "is_told"), [((0.25, 0.0, 1.0), False), ((0.25, 0.0, 0.9999), True)])
def test_solids_that_are_stacked_face_on_face_do_not_cross(shift, is_told):
    """An edge of one that meets the border of a side of the other was told as a tangle; a tenth of a millimetre is."""
    below = jelly_cube(1.0, 0.0, 4)
    above = replace(below, identifier="b1", name="Upper", positions=below.positions + shift)
    simulation = touching(below, above)
    assert crossing_count(simulation) > 0
    assert simulation.crossings().counts.any() == is_told


def flush_cubes(*centres, turned=0.0):
    """Cubes of 0.3 m at some places in the XZ plane, which is turned about the y axis."""
    c, s = np.cos(turned), np.sin(turned)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    cube = jelly_cube(0.3, 0.0, 4)
    cube = replace(cube, positions=cube.positions - cube.positions.mean(axis=0))
    places = [cube.positions + 0.3 * np.array([x, 0.0, z]) for x, z in centres]
    return [replace(cube, identifier=f"b{n}", positions=place @ turn.T) for n, place in enumerate(places)]


@pytest.mark.parametrize("turned", [0.0, 0.7])
@pytest.mark.parametrize("centres", [[(0, 0), (0, 1)], [(-1, 0), (0, 0), (0, 1)]], ids=["a pair", "an L"])
def test_solids_that_are_modelled_face_on_face_are_not_locked(centres, turned):
    """No normal tells the sides of a pair without a gap: each frame thousands of them were told as passed through."""
    simulation = touching(*flush_cubes(*centres, turned=turned), gravity=(0.0, 0.0, 0.0), substeps=4)
    for _ in range(2):
        simulation.advance()
        assert simulation.contact_counts()[:, 1].max() == 0.0
    assert not simulation.crossings().counts.any()


def hung():
    """A sheet that hangs by its corners."""
    sheet = cloth(9, identifier="Sheet")
    return replace(sheet, pins=pins(sheet.positions, [0, 8, 72, 80]))


TIED = {
    "along their lines": (upright("Upright"), hung()),
    "lower": (hung(), upright("Upright", at=(0.0, 0.0, -0.25))),
    "a strand through a vertex": (hung(), pole("Pole")),
    "free and turned": turned_all(cloth(9, identifier="Sheet"), upright("Upright")),
}


@pytest.mark.parametrize("bodies", TIED.values(), ids=TIED)
def test_what_crosses_at_vertices_alone_comes_apart(bodies):
    """No edge goes through a triangle, so it stood still, and was told in each frame as passed through."""
    simulation = touching(*bodies)
    told = simulation.crossings().counts
    assert told.any()
    for _ in range(10):
        simulation.advance()
        assert simulation.contact_counts()[:, 1].max() == 0.0
    assert not simulation.crossings().counts.any()


def of_mesh(name, mesh, held=()):
    """A cloth of a mesh."""
    positions, triangles = mesh
    body = as_cloth(name, positions, triangles)
    return replace(body, pins=pins(positions, held))


OWN_TIES = {
    "two grids in one mesh": of_mesh("Grids", joined(grid(), UPRIGHT), [0, 8, 72, 80]),
    "on edges": of_mesh("Grids", joined(grid(), grid((2, 1, 0), at=(0.0, 1.0 / 16.0, 0.0))), [0, 8, 72, 80]),
    "turned": of_mesh("Grids", turned(joined(grid(), UPRIGHT))),
    "a ribbon through itself": of_mesh("Ribbon", as_alpha(), range(9)),
}


@pytest.mark.parametrize("body", OWN_TIES.values(), ids=OWN_TIES)
def test_what_crosses_itself_at_vertices_alone_comes_apart(body):
    """As two bodies do; nothing was told of it at the start, and it stood still."""
    simulation = touching(body)
    assert simulation.crossings().counts[0, 0] > 0
    for _ in range(12):
        simulation.advance()
        assert simulation.contact_counts()[:, 1].max() == 0.0
    assert not simulation.crossings().counts.any()
    assert crossing_count(simulation) == 0


def test_what_is_tied_is_moved_by_rounding_alone(monkeypatch):
    """Each object by another multiple of it than those that it is tied with; what is held stays."""
    level = hung()
    held = replace(level, pins=pins(level.positions, range(81)))
    other = replace(upright("Other"), positions=upright("Other").positions[:, [1, 0, 2]])
    simulation = touching(upright("Upright"), held, other)
    before, moved = simulation.positions().copy(), []
    part = tangles.part_ties

    def watched(objects, search, particles):
        part(objects, search, particles)
        moved.append(simulation.positions() - before)

    monkeypatch.setattr(tangles, "part_ties", watched)
    simulation.advance()
    simulation.advance()
    first, second, third = (np.linalg.norm(moved[0][81 * n : 81 * (n + 1)], axis=1) for n in range(3))
    assert first == pytest.approx(2.5e-7, rel=0.5)
    assert second.max() == 0.0
    assert third == pytest.approx(2.0 * first, rel=0.3)
    assert all(np.array_equal(move, moved[0]) for move in moved)


@pytest.mark.parametrize("bodies", [corner_through_sheet(), sheet_through_jelly(), [cloth(9)]])
def test_what_is_not_tied_is_not_moved(monkeypatch, bodies):
    simulation = touching(*bodies)
    before, moved = simulation.positions().copy(), []
    part = tangles.part_ties

    def watched(objects, search, particles):
        part(objects, search, particles)
        moved.append(np.array_equal(simulation.positions(), before))

    monkeypatch.setattr(tangles, "part_ties", watched)
    simulation.advance()
    assert moved
    assert moved[0]
