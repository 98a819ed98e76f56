# SPDX-License-Identifier: GPL-3.0-or-later
"""What of colliders is a particle, placed and searched: no more than what bodies need."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from blender_xpbd.contacts.search import tree_walk
from blender_xpbd.geometry.collider.geodesic import geodesic_sphere
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.transforms import transformed
from blender_xpbd.solver.colliding import collider_features
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import pair_substeps
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.tangles.tangles import Tangles
from tests.solver.scenes import cloth, mesh_box, scene, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

RADIUS = 0.2


def ball(transforms: np.ndarray | None = None) -> Collider:
    vertices, triangles = geodesic_sphere(40)
    poses = np.eye(4)[None] if transforms is None else transforms
    return Collider("c0", "Ball", "MESH", poses, RADIUS * vertices[None], triangles)


def shifting(frames: int, standing: int) -> np.ndarray:
    """Poses of what moves, and then stands."""
    poses = np.tile(np.eye(4), (frames, 1, 1))
    poses[:, 0, 3] = 0.01 * np.minimum(np.arange(frames), standing)
    return poses


def test_vertices_that_are_searched_come_first() -> None:
    """A few of the ball's hold a coarse cloth; boxes and lists are made for these alone."""
    objects = build_system(scene(cloth(6, size=0.8, height=0.5), colliders=[ball()])).objects
    assert objects is not None
    takes_part = objects.surfaces.takes_part[36:]
    assert 0 < takes_part.sum() < 0.5 * len(takes_part)
    first, last = objects.asked_ranges[1]
    assert last - first == takes_part.sum()
    particles = objects.elements[36:, 0]
    assert ((particles >= first) & (particles < last) == takes_part).all()
    np.testing.assert_array_equal(objects.elements[objects.vertex_points + 36, 0], objects.vertices[:, 1])


@pytest.mark.parametrize("integration", ["SYMPLECTIC_EULER", "BDF2"])
def test_all_vertices_of_colliders_are_in_place_when_a_frame_is_over(integration: str) -> None:
    """Also those that no substep places, of what moves and of what stands after it moved."""
    colliders = [ball(shifting(8, 4)), replace(mesh_box(0.1), identifier="c1", name="Box")]
    body = cloth(6, size=0.8, height=RADIUS + 0.02)
    simulation = touching(body, colliders=colliders, substeps=4, frames=(1, 8), time_integration=integration)
    objects = simulation.system.objects
    assert objects is not None
    for frame in range(7):
        places = np.concatenate(
            [
                transformed(one.transforms[min(frame, len(one.transforms) - 1)], one.positions[0])
                for one in (simulation.system.scene.colliders[number] for number in objects.colliders)
            ]
        )
        found = objects.points(simulation.positions().astype(np.float64))[36:] + simulation.system.origin
        np.testing.assert_allclose(found, places, atol=1e-6)
        simulation.advance()


def test_all_vertices_of_colliders_are_in_place_at_each_look_at_what_crosses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that are not searched: triangles beside them are looked at."""
    collider = ball(shifting(8, 8))
    simulation = touching(cloth(6, size=0.8, height=0.1), colliders=[collider], substeps=4, frames=(1, 8))
    objects = simulation.system.objects
    assert objects is not None
    assert not objects.surfaces.takes_part[36:].all()
    look, found = Tangles.begin, []

    def noted(tangles: Tangles) -> bool:
        found.append(objects.points(simulation.positions().astype(np.float64))[36:] + simulation.system.origin)
        return look(tangles)

    monkeypatch.setattr(Tangles, "begin", noted)
    simulation.advance()
    # the first substep is looked at once more
    for step, places in zip([0, 0, 1, 2, 3], found, strict=True):
        np.testing.assert_allclose(places, collider.positions[0] + [0.01 * step / 4.0, 0.0, 0.0], atol=1e-6)


def states_of_a_drape(path: str = "SERIAL") -> tuple[Solver, list[dict[str, np.ndarray]]]:
    """A cloth on a ball that shifts and then stands, with the states before and after each of seven frames."""
    body = cloth(6, size=0.8, height=RADIUS + 0.02)
    simulation = touching(body, colliders=[ball(shifting(8, 3))], substeps=4, frames=(1, 8), path=path)
    states = [simulation.checkpoint()]
    for _ in range(7):
        simulation.advance()
        states.append(simulation.checkpoint())
    return simulation, states


def test_threads_change_no_byte_of_what_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "FEWEST_TASKS", 0.0)
    simulation, alone = states_of_a_drape()
    objects = simulation.system.objects
    assert objects is not None
    assert not objects.surfaces.takes_part[36:].all()
    for threads in (1, 2, 4, 8):
        for module in (pair_substeps, tree_walk):
            monkeypatch.setattr(module, "thread_count", lambda threads=threads: threads)
        for one, other in zip(alone, states_of_a_drape("THREADS")[1], strict=True):
            assert all(np.array_equal(one[name], other[name]) for name in one)


def test_a_run_goes_on_the_same_from_where_a_collider_stands() -> None:
    simulation, states = states_of_a_drape()
    for frame in reversed(range(7)):
        simulation.restore(frame, states[frame])
        simulation.advance()
        after = simulation.checkpoint()
        assert all(np.array_equal(states[frame + 1][name], after[name]) for name in after)


def test_a_coarse_cloth_does_not_slow_down_a_fine_one() -> None:
    """The ball's vertices are searched for the coarse one alone, and both still see it."""
    fine, coarse = cloth(40, size=0.8, height=0.5), cloth(4, size=0.8, height=1.0, identifier="b1")
    objects = build_system(scene(fine, coarse, colliders=[ball()])).objects
    assert objects is not None
    assert objects.surfaces.sees[2].tolist() == [False, True, False]
    assert objects.sees[2].tolist() == [True, True, False]
    assert objects.whole_surfaces.sees[2].tolist() == [True, True, False]


def test_sharp_edges_are_searched_for_all() -> None:
    fine, coarse = cloth(20, size=0.8, height=0.5), cloth(4, size=0.8, height=1.0, identifier="b1")
    objects = build_system(scene(fine, coarse, colliders=[mesh_box(0.2)])).objects
    assert objects is not None
    assert objects.surfaces.sees[2].tolist() == [True, True, False]


def test_what_no_body_asks_for_is_not_searched() -> None:
    """A wide gap holds long edges, and a fine cloth has short ones: only edges and gaps of two bodies ask together."""
    coarse = cloth(6, size=0.8, height=1.0, contact_offset=0.2)
    fine = cloth(60, size=0.8, height=0.5, identifier="b1", contact_offset=0.002)
    vertices, triangles = geodesic_sphere(6)
    collider = Collider("c0", "Ball", "MESH", np.eye(4)[None], RADIUS * vertices[None], triangles)
    assert build_system(scene(coarse, fine, colliders=[collider])).objects is None


def test_bodies_that_ask_alike_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    find, found = collider_features.sharp_edges, []

    def counted(*places: Any, **how: Any) -> Any:
        found.append(how)
        return find(*places, **how)

    monkeypatch.setattr(collider_features, "sharp_edges", counted)
    bodies = [cloth(6, size=0.8, height=float(k), identifier=f"b{k}") for k in range(3)]
    assert build_system(scene(*bodies, colliders=[ball()])).objects is not None
    assert len(found) == 1
