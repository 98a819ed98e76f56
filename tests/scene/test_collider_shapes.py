# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of colliders: known to the solver, and a new one needs no other code."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import taichi as ti

import blender_xpbd.contacts as contacts
from blender_xpbd.contacts import generate
from blender_xpbd.contacts.contact_type import ContactType
from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.scene import collider_shapes
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.collider_shapes import COLLIDER_SHAPES, ColliderShape, collider_shape, shape_names
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import validate
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step import state
from blender_xpbd.solver.system import colliders as system_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, run, scene

PACKAGE = Path(__file__).resolve().parents[2] / "blender_xpbd"
CORNERS = np.array([[3.0, 0.0, 4.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
FACE = np.array([[0, 1, 2]], np.int32)


def compared_shapes(text: str) -> list[int]:
    """Lines that compare a shape with a name, or look something up by one."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare | ast.Subscript):
            leaves = list(ast.walk(node))
            names = {leaf.value for leaf in leaves if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)}
            words = {
                leaf.attr if isinstance(leaf, ast.Attribute) else leaf.id
                for leaf in leaves
                if isinstance(leaf, ast.Attribute | ast.Name)
            }
            if names & set(shape_names()) and any("shape" in word.lower() for word in words):
                found.append(node.lineno)
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_asks_which_shape_a_collider_has(path: Path) -> None:
    assert compared_shapes(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('collider.shape == "MESH"', 1),
        ('shape not in ("PLANE", "SPHERE")', 1),
        ('SHAPE_NUMBERS["PLANE"]', 1),
        ('obj.type != "MESH"', 0),
        ("collider.shape in shape_names()", 0),
    ],
)
def test_such_questions_are_seen(text: str, count: int) -> None:
    assert len(compared_shapes(text)) == count


def test_the_solver_knows_every_shape_once() -> None:
    known = [contact.shape for contact in contacts.CONTACTS]
    assert len(set(known)) == len(known)
    assert set(shape_names()) <= set(known)
    assert len(set(shape_names())) == len(COLLIDER_SHAPES)
    assert [contacts.contact_type(name).shape for name in shape_names()] == list(shape_names())


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(XpbdError, match="Unknown collider shape 'BOX'") as caught:
        validate(scene(cloth(3), colliders=[replace(plane(), name="Crate", shape="BOX")]))
    assert (caught.value.code, caught.value.object_name) == ("E_PARAM", "Crate")


@pytest.mark.parametrize("radius", [0.0, -1.0, np.inf, np.nan])
def test_only_a_ball_needs_a_radius(radius: float) -> None:
    for name, is_refused in (("PLANE", False), ("MESH", False), ("SPHERE", True)):
        collider = replace(mesh_box(0.5), shape=name, radius=radius)
        if is_refused:
            with pytest.raises(XpbdError, match=r"E_PARAM.*radius"):
                validate(scene(cloth(3), colliders=[collider]))
        else:
            validate(scene(cloth(3), colliders=[collider]))


def test_only_a_mesh_needs_faces() -> None:
    bare = Collider("c0", "Bare", "MESH", np.eye(4)[None], radius=1.0)
    with pytest.raises(XpbdError, match=r"E_GEOM_EMPTY.*Bare"):
        validate(scene(cloth(3), colliders=[bare]))
    for name in ("PLANE", "SPHERE"):
        validate(scene(cloth(3), colliders=[replace(bare, shape=name)]))


def test_what_each_takes_from_the_mesh() -> None:
    positions, triangles, radius = collider_shape("MESH").local(CORNERS, FACE)
    np.testing.assert_array_equal(positions, CORNERS[None])
    np.testing.assert_array_equal(triangles, FACE)
    assert radius == 0.0
    for name, expected in (("SPHERE", 5.0), ("PLANE", 0.0)):
        positions, triangles, radius = collider_shape(name).local(CORNERS, FACE)
        assert (positions.shape, triangles.shape, radius) == ((1, 0, 3), (0, 3), expected)
    assert [shape.name for shape in COLLIDER_SHAPES if not shape.needs_mesh] == ["PLANE"]


@pytest.mark.usefixtures("taichi_cpu")
def test_colliders_make_kernels_branch_and_meshes_make_them_large() -> None:
    ball = Collider("c0", "Ball", "SPHERE", np.eye(4)[None], radius=0.5)
    systems = [
        build_system(scene(cloth(3, size=0.1), colliders=have)) for have in ([], [plane()], [ball], [mesh_box(0.5)])
    ]
    assert [system.is_branched for system in systems] == [False, True, True, True]
    assert [system.is_large for system in systems] == [False, False, False, True]
    assert not build_system(scene(jelly_cube(0.2, 0.3, 3), colliders=[plane()])).is_large


@ti.func
def query_step(colliders: ti.template(), header, radius, point, previous_point, offset, k):
    """A plane as high as the radius."""
    return ti.Vector([0.0, 0.0, 1.0, point[2] - radius - offset]), ti.Vector([0.0, 0.0, 0.0]), False


@pytest.mark.usefixtures("taichi_cpu")
def test_a_new_shape_needs_no_other_code(monkeypatch, tmp_path) -> None:
    """Checked, written to a job, read, and met by the solver."""
    monkeypatch.setattr(
        collider_shapes,
        "COLLIDER_SHAPES",
        (*COLLIDER_SHAPES, ColliderShape("STEP", "Step", "", (collider_shapes.validate_radius,))),
    )
    known = (*contacts.CONTACTS, ContactType("STEP", query_step))
    for module in (contacts, generate, state, system_colliders):
        monkeypatch.setattr(module, "CONTACTS", known)
    step = Collider("c0", "Step", "STEP", np.eye(4)[None], radius=0.25, friction=1.0)
    with pytest.raises(XpbdError, match=r"E_PARAM.*radius"):
        validate(scene(cloth(3), colliders=[replace(step, radius=0.0)]))
    folder = write_job(tmp_path, scene(cloth(4, height=0.3, contact_offset=0.0), colliders=[step]))
    read = read_job(folder)
    assert read.colliders[0].shape == "STEP"
    np.testing.assert_allclose(run(Solver(build_system(read)), 12)[:, 2], 0.25, atol=1e-3)
