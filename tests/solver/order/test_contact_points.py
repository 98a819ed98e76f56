# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that meet colliders: all there once, those of one element together, and no two threads on one particle."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.solver.order.contact_points import ContactPoints, build_contact_points
from blender_xpbd.solver.order.tasks import Parts
from blender_xpbd.solver.system.system import System, build_system
from tests.solver.scenes import cloth, jelly_cube, scene


@pytest.fixture(scope="module")
def system() -> System:
    sheet = cloth(7, identifier="b1", friction=0.9)
    return build_system(scene(jelly_cube(0.2, resolution=5, friction=0.25), sheet))


def points_of(system: System, count: int) -> tuple[ContactPoints, np.ndarray]:
    """The contact points where each particle belongs to one of so many parts, and those parts."""
    particles = np.random.default_rng(count).integers(0, count, len(system.positions)).astype(np.int32)
    # whole bodies of one part too, so that not everything reaches across
    particles[system.starts[1] :] = 0
    parts = Parts(particles=particles, count=count, tasks=())
    return build_contact_points(system.models, system.starts, parts), particles


parts = pytest.mark.parametrize("count", [1, 3])


def expected_points(system: System) -> list[tuple[float, ...]]:
    """Elements, body, weights and friction of every point, one by one."""
    rows = []
    for body, (model, start) in enumerate(zip(system.models, system.starts, strict=False)):
        elements = np.concatenate([model.elements, model.surface_elements]) + start
        weights = np.concatenate([model.weights, model.surface_weights]).astype(np.float32)
        friction = np.float32(model.body.material.friction)
        rows += [(*e, body, *w, friction) for e, w in zip(elements.tolist(), weights.tolist(), strict=True)]
    return sorted(rows)


@parts
def test_every_point_of_every_body_is_there_once(system: System, count: int) -> None:
    found, _ = points_of(system, count)
    rows = np.column_stack([found.elements, found.weights]).tolist()
    np.testing.assert_array_equal(sorted(map(tuple, rows)), expected_points(system))
    assert len(found) == len(rows)


@pytest.mark.parametrize(
    "values",
    [{"elements": np.zeros((64, 4), np.int32)}, {"weights": np.full((64, 4), 0.25)}],
    ids=["shared", "between"],
)
def test_points_of_cloth_are_its_particles(values) -> None:
    """Colliders stand behind particles, each of which has one contact point."""
    system = build_system(scene(cloth(7)))
    whole = Parts(particles=np.zeros(64, np.int32), count=1, tasks=())
    build_contact_points(system.models, system.starts, whole)
    with pytest.raises(ValueError, match="share particles"):
        build_contact_points([replace(system.models[0], **values)], system.starts, whole)


@parts
def test_points_of_one_element_follow_one_another(system: System, count: int) -> None:
    found, _ = points_of(system, count)
    elements = [
        {tuple(element) for element in found.elements[first:last, :4].tolist()}
        for first, last in itertools.pairwise(found.element_starts)
    ]
    assert all(len(element) == 1 for element in elements)
    assert len(set().union(*elements)) == len(elements)
    assert (found.element_starts[0], found.element_starts[-1]) == (0, len(found))


@parts
def test_elements_of_one_colour_share_no_particle(system: System, count: int) -> None:
    found, particles = points_of(system, count)
    ends = []
    for is_across, boundaries in enumerate(found.colours):
        for first, last in itertools.pairwise(boundaries):
            mine = [set(found.elements[found.element_starts[row], :4].tolist()) for row in range(first, last)]
            assert sum(map(len, mine)) == len(set().union(*mine))
            for element in mine:
                assert (len({particles[particle] for particle in element}) > 1) == bool(is_across)
        ends += [boundaries[0], boundaries[-1]]
    assert ends == [0, ends[1], ends[1], len(found.element_starts) - 1]


@parts
def test_each_part_has_the_points_of_its_own_particles(system: System, count: int) -> None:
    found, particles = points_of(system, count)
    assert len(found.segment_starts) == count + 2
    seen = []
    for task in range(count + 1):
        for segment in range(found.segment_starts[task], found.segment_starts[task + 1]):
            rows = range(*found.segments[segment])
            seen += list(rows)
            owners = [set(particles[found.elements[row, :4]].tolist()) for row in rows]
            assert all(len(own) > 1 if task == count else own == {task} for own in owners)
    assert sorted(seen) == list(range(len(found)))
