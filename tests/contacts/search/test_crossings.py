# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges that go through triangles, against trying all and against an independent judge."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blender_xpbd.contacts.search.crossings import CrossingSearch, crossings
from blender_xpbd.geometry.search.surfaces import Surfaces, build_surface_mesh, build_surfaces
from tests.contacts.search.search_cases import crossings_between, sheet, soup

pytestmark = pytest.mark.usefixtures("taichi_cpu")
with_taichi = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

Exact = list[Fraction]


def volume(a: Exact, b: Exact, c: Exact, d: Exact) -> Fraction:
    """Six times the volume of a tetrahedron, exactly."""
    x, y, z = ([p[k] - d[k] for k in range(3)] for p in (a, b, c))
    return x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0])


def goes_through(p: Exact, q: Exact, a: Exact, b: Exact, c: Exact) -> bool:
    """Whether an edge goes through the inside of a triangle, exactly."""
    if volume(a, b, c, p) * volume(a, b, c, q) >= 0:
        return False
    sides = [volume(p, q, *side) for side in ((a, b), (b, c), (c, a))]
    return min(sides) > 0 or max(sides) < 0


def by_trying_all(surfaces: Surfaces, positions: np.ndarray) -> set[tuple[int, int]]:
    """Edge and triangle of all crossings."""
    exact = [[Fraction(float(x)) for x in row] for row in positions]
    owners, found = surfaces.point_objects, set()
    seen: set[frozenset[int]] = set()
    for t, triangle in enumerate(surfaces.triangles.tolist()):
        points = frozenset(triangle)
        if len(points) < 3 or points in seen or not surfaces.takes_part[triangle].all():
            continue
        seen.add(points)
        for e, edge in enumerate(surfaces.edges.tolist()):
            if points & set(edge) or not surfaces.takes_part[edge].all():
                continue
            if surfaces.sees[owners[edge[0]], owners[triangle[0]]]:
                corners = [exact[i] for i in (*edge, *triangle)]
                if goes_through(corners[0], corners[1], corners[2], corners[3], corners[4]):
                    found.add((e, t))
    return found


@with_taichi
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.tuples(st.integers(3, 14), st.integers(0, 12), st.integers(0, 4)), min_size=1, max_size=3),
)
def test_random_soups_cross_as_exact_arithmetic_says(seed: int, sizes: list[tuple[int, int, int]]) -> None:
    random = np.random.default_rng(seed)
    sees = random.random((len(sizes), len(sizes))) < 0.7
    surfaces = build_surfaces([soup(random, *size) for size in sizes], sees | sees.T)
    found = crossings(surfaces, surfaces.rest)
    wanted = by_trying_all(surfaces, surfaces.rest)
    assert [tuple(row) for row in found.tolist()] == sorted(wanted)
    assert crossings_between(surfaces, found).sum() == len(wanted)


def by_all_edges(surfaces: Surfaces, places: np.ndarray) -> set[tuple[int, int]]:
    """Edge and triangle of all crossings of one object, in double precision."""
    a, b, c = (places[surfaces.triangles[:, k]][None] for k in range(3))
    p, q = (places[surfaces.edges[:, k]][:, None] for k in range(2))

    def side(x: np.ndarray, y: np.ndarray, z: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.sign(np.einsum("...i,...i->...", np.cross(x - w, y - w), z - w))

    through = side(a, b, c, p) * side(a, b, c, q) < 0
    turns = side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)
    through &= (turns[0] == turns[1]) & (turns[1] == turns[2])
    shares = (surfaces.edges[:, None, :, None] == surfaces.triangles[None, :, None, :]).any(axis=(2, 3))
    return {(int(edge), int(triangle)) for edge, triangle in np.argwhere(through & ~shares)}


def crumpled(rest: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A sheet in waves, folded over along a few lines, at one of them sharply."""
    places = rest - rest.mean(axis=0)
    for _ in range(3):
        way, size = random.standard_normal(2), random.uniform(0.0, 0.12)
        places[:, 2] += size * np.sin(places[:, :2] @ (random.uniform(2.0, 12.0) * way / np.linalg.norm(way)))
    for sharpness in (200.0, random.uniform(2.0, 20.0)):
        turn, way = random.uniform(-np.pi, np.pi), random.standard_normal(3) * [1.0, 1.0, 0.2]
        way /= np.linalg.norm(way)
        axis = np.cross(way, [0.0, 0.0, 1.0])
        axis /= np.linalg.norm(axis)
        along = places @ way - random.uniform(-0.3, 0.3)
        angle = turn / (1.0 + np.exp(np.clip(-sharpness * along, -50.0, 50.0)))
        cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
        turned = along[:, None] * way
        turned = cosine * turned + sine * np.cross(axis, turned) + (1.0 - cosine) * (turned @ axis)[:, None] * axis
        places = places - along[:, None] * way + turned
    return places


@pytest.mark.slow
def test_no_crossing_of_a_crumpled_sheet_is_left_out_by_cones() -> None:
    surfaces = build_surfaces([sheet(12, 12)], np.ones((1, 1), bool))
    search, most = CrossingSearch(surfaces), 0
    for seed in range(150):
        places = crumpled(surfaces.rest, np.random.default_rng(seed))
        wanted = by_all_edges(surfaces, places)
        found = {(int(edge), int(triangle)) for edge, triangle in search.find(places)}
        assert found == wanted, seed
        most = max(most, len(wanted))
    assert most > 50


def post(x: float, y: float, low: float, high: float) -> np.ndarray:
    """The two ends of an upright edge."""
    return np.array([[x, y, low], [x, y, high]])


def count_through_sheet(ends: np.ndarray) -> int:
    """How many triangles of a sheet of 2 x 2 quads at height 0 an edge crosses."""
    nobody = np.zeros(0, np.int32)
    edge = build_surface_mesh(ends, nobody, nobody, np.array([[0, 1]], np.int32))
    surfaces = build_surfaces([sheet(2, 2, 1.0), edge], ~np.eye(2, dtype=bool))
    return len(crossings(surfaces, surfaces.rest))


@pytest.mark.parametrize(
    ("ends", "count"),
    [
        (post(0.3, 0.6, -1.0, 1.0), 1),
        # through a diagonal and through an edge between two quads: one of the two triangles
        (post(0.5, 0.5, -1.0, 1.0), 1),
        (post(1.0, 0.3, -1.0, 1.0), 1),
        # an end on the sheet touches it
        (post(0.3, 0.6, 0.0, 1.0), 0),
        (post(0.3, 0.6, -1.0, 0.0), 0),
        # in the plane of the sheet
        (np.array([[0.1, 0.2, 0.0], [1.7, 0.3, 0.0]]), 0),
        # beside it
        (post(3.0, 0.6, -1.0, 1.0), 0),
    ],
)
def test_ties(ends: np.ndarray, count: int) -> None:
    assert count_through_sheet(ends) == count


def test_sheets_that_lie_in_each_other_touch_and_do_not_cross() -> None:
    surfaces = build_surfaces([sheet(5, 5), sheet(5, 5)], np.ones((2, 2), bool))
    assert len(crossings(surfaces, surfaces.rest)) == 0


def test_counts_are_by_the_object_of_the_edge_and_of_the_triangle() -> None:
    upright = sheet(1, 1, 1.0)
    rest = upright.rest[:, [0, 2, 1]] * [0.1, 1.0, 1.0] + [0.21, 0.37, -0.5]
    surfaces = build_surfaces([sheet(1, 1, 1.0), replace(upright, rest=rest)], np.ones((2, 2), bool))
    counts = crossings_between(surfaces, crossings(surfaces, surfaces.rest))
    # two sides and the diagonal of the upright one go through the other, no edge of which goes through it
    assert counts.tolist() == [[0, 0], [3, 0]]


def test_a_judge_agrees_whether_anything_crosses() -> None:
    ipctk = pytest.importorskip("ipctk")
    answers = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        surfaces = build_surfaces([sheet(6, 6)], np.ones((1, 1), bool))
        positions = surfaces.rest + 0.012 * seed / 3 * random.standard_normal(surfaces.rest.shape)
        mesh = ipctk.CollisionMesh(positions, surfaces.edges, surfaces.triangles)
        answers.append(bool(ipctk.has_intersections(mesh, positions)))
        assert (len(crossings(surfaces, positions)) > 0) == answers[-1]
    assert set(answers) == {True, False}
