# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of bodies: the same in all layers, and a new one needs no other code."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.bodies import kinds as solver_kinds
from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.bodies.kinds import SolverKind
from blender_xpbd.bodies.pin_motion import carry_pins
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.scene import body_kinds as scene_kinds
from blender_xpbd.scene.body import VERTEX_FACTORS, Body
from blender_xpbd.scene.body_kinds import BodyKind
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import DEFAULT_PRESETS
from blender_xpbd.scene.scene import validate
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.statistics import Measure
from blender_xpbd.solver.system.system import build_system
from tests.bodies.test_materials import jelly
from tests.solver.scenes import GRAVITY, cloth, pins, plane, scene

PACKAGE = Path(__file__).resolve().parents[2] / "blender_xpbd"


def names(kinds):
    return [kind.name for kind in kinds]


def test_the_solver_has_the_kinds_of_the_scene():
    assert names(solver_kinds.BODY_KINDS) == names(scene_kinds.BODY_KINDS)
    assert len(set(names(scene_kinds.BODY_KINDS))) == len(scene_kinds.BODY_KINDS)


def test_every_kind_has_a_material_and_known_factors():
    assert set(names(scene_kinds.BODY_KINDS)) <= set(DEFAULT_PRESETS)
    for kind in scene_kinds.BODY_KINDS:
        assert set(kind.vertex_factors) <= set(VERTEX_FACTORS)


def test_the_text_of_messages_names_all_kinds():
    assert scene_kinds.body_labels() == "Jelly, Cloth, Strand or Grains"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_else_compares_with_a_kind(path):
    """No branch over kinds: what differs by kind is in its entry."""
    kinds = set(names(scene_kinds.BODY_KINDS))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            found = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
            found |= {leaf.id for leaf in ast.walk(node) if isinstance(leaf, ast.Name)}
            assert not found & kinds, f"{path}:{node.lineno}"


def test_a_role_that_no_kind_has_is_refused():
    with pytest.raises(XpbdError, match="Unknown role 'GAS'") as caught:
        validate(scene(replace(cloth(3), role="GAS")))
    assert (caught.value.code, caught.value.object_name) == ("E_PARAM", "Cloth")


def build_points(body, _settings):
    """Loose points of one kilogram each."""
    count = body.vertex_count
    own = np.arange(count, dtype=np.int32)
    pin_weights = np.zeros(count)
    pin_weights[body.pins.vertices] = body.pins.weights
    return BodyModel(
        body=body,
        positions=body.positions,
        masses=np.ones(count),
        blocks=(),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        pin_weights=pin_weights,
        edges=np.zeros((0, 2), np.int32),
    )


def bind_to_points(model, points):
    nearest = np.linalg.norm(points[:, None] - model.positions[None], axis=2).argmin(axis=1).astype(np.int32)
    return np.repeat(nearest[:, None], 4, axis=1), np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))


def measure_points(_model):
    return lambda positions: (0.0, 0.0, 0.0, float(np.count_nonzero(positions[:, 2] < 0.0)))


@pytest.fixture
def points_kind(monkeypatch):
    """A kind without faces, registered for a test."""
    monkeypatch.setattr(scene_kinds, "BODY_KINDS", (*scene_kinds.BODY_KINDS, BodyKind("POINTS", "Points", "Grains")))
    kind = SolverKind("POINTS", build_points, bind_to_points, measure_points)
    monkeypatch.setattr(solver_kinds, "BODY_KINDS", (*solver_kinds.BODY_KINDS, kind))


def points(identifier="b0", height=1.0):
    positions = np.random.default_rng(0).uniform(-1.0, 1.0, (20, 3))
    positions[:, 2] += height
    nothing = np.zeros(0, np.int32)
    material = Material(internal_damping=0.0)
    return Body(identifier, "Points", "POINTS", positions, nothing, nothing, material, pins(positions, [3]))


@pytest.mark.usefixtures("taichi_cpu", "points_kind")
def test_a_kind_without_faces_runs_from_the_job_to_its_statistics(tmp_path):
    whole = scene(points(height=0.0), frames=(1, 3), substeps=10)
    validate(whole)
    system = build_system(read_job(write_job(tmp_path, whole)))
    assert not system.wants_double
    assert not system.is_branched
    simulation = Solver(system)
    before = simulation.surface(simulation.positions())
    simulation.advance()
    after = simulation.surface(simulation.positions())
    fall = before[:, 2] - after[:, 2]
    assert fall[3] == 0.0
    # symplectic Euler falls further than g t² / 2 by half a substep
    np.testing.assert_allclose(np.delete(fall, 3), 0.5 * GRAVITY / 24**2, rtol=1e-4)
    positions = simulation.positions()
    statistics = Measure(system)(positions)
    assert statistics.tolist() == [[0.0, 0.0, 0.0, float((positions[:, 2] < 0.0).sum())]]


def build_pairs(body, settings):
    """Points with a second one 0.1 m above each."""
    model = build_points(body, settings)
    return replace(
        model,
        positions=np.concatenate([model.positions, model.positions + np.array([0.0, 0.0, 0.1])]),
        masses=np.tile(model.masses, 2),
        pin_weights=np.tile(model.pin_weights, 2),
    )


@pytest.mark.parametrize("weight", [1.0, 0.5])
@pytest.mark.usefixtures("points_kind")
def test_a_kind_says_how_its_pins_are_placed(monkeypatch, weight):
    """Of more particles than vertices, by places that no object gives."""
    kind = replace(solver_kinds.BODY_KINDS[-1], build=build_pairs, place_pins=carry_pins)
    monkeypatch.setattr(solver_kinds, "BODY_KINDS", (*solver_kinds.BODY_KINDS[:-1], kind))
    body, pinned = points(), [3, 5, 7, 11]
    targets = np.stack([body.positions[pinned], body.positions[pinned] + [[1.0, 2.0, 3.0]]])
    body = replace(body, pins=pins(body.positions, pinned, weight, targets))
    system = build_system(scene(body, frames=(1, 2)))
    rest = system.models[0].positions[[*pinned, *(vertex + 20 for vertex in pinned)]]
    np.testing.assert_allclose(system.targets(0) + system.origin, rest, atol=1e-12)
    np.testing.assert_allclose(system.targets(1) + system.origin, rest + np.array([1.0, 2.0, 3.0]), atol=1e-12)


@pytest.mark.parametrize("is_compact", [True, False])
@pytest.mark.usefixtures("points_kind")
def test_a_kind_says_whether_it_bounces_as_a_whole(monkeypatch, is_compact):
    kind = replace(solver_kinds.BODY_KINDS[-1], is_compact=is_compact)
    monkeypatch.setattr(solver_kinds, "BODY_KINDS", (*solver_kinds.BODY_KINDS[:-1], kind))
    body = replace(points(), material=Material(restitution=0.5))
    pieces = build_system(scene(body, colliders=[plane()])).pieces
    assert len(pieces) == (19 if is_compact else 0)


@pytest.mark.usefixtures("taichi_cpu", "points_kind")
def test_kinds_meet_in_one_scene():
    """With a jelly, a floor, and a cloth that hangs on a point."""
    from blender_xpbd.scene.body import Attachment

    hung = replace(cloth(4, identifier="b1", height=1.0), attachment=Attachment("b0", np.int32([0]), np.float32([1.0])))
    soft = replace(jelly(height=0.1), identifier="b2")
    simulation = Solver(build_system(scene(points(), hung, soft, colliders=[plane()], substeps=5)))
    assert simulation.system.wants_double
    assert simulation.system.schedule.counts()["element_attachment"] == 1
    simulation.advance()
    assert np.isfinite(simulation.surface(simulation.positions())).all()
    assert Measure(simulation.system)(simulation.positions()).shape == (3, 4)
