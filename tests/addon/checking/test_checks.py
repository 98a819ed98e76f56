# SPDX-License-Identifier: GPL-3.0-or-later
"""Each check finds what it is for, and nothing in a sound scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from contact_cases import shapes

from blender_xpbd.scene.body import Attachment, Body, Pins, Tetrahedralization
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.track import Track
from tests.geometry.surfaces import cube, sphere, torus
from tests.solver.scenes import cloth, jelly_cube, mesh_box, plane, scene


@pytest.fixture
def checks(bpy):
    from blender_xpbd.addon.checking import checks

    return checks


def found(check, made):
    return [(notice.code, notice.object_name) for notice in check(made)]


def test_a_sound_scene(checks):
    made = scene(cloth(10, height=1.0), replace(jelly_cube(1.0, 2.0), identifier="b1"), colliders=[plane()])
    assert [notice for check in checks.CHECKS[:2] for notice in check(made)] == []
    assert list(checks.heavy(made)) == []


def test_what_starts_inside_is_told_with_its_depth(checks):
    (notice,) = checks.starts_inside(scene(cloth(10, height=-0.3), colliders=[plane()]))
    assert (notice.code, notice.object_name) == ("W_INSIDE", "Cloth")
    assert '"Plane" (0.3 m)' in notice.message


def test_what_lies_in_its_own_gap_is_not_inside(checks):
    assert found(checks.starts_inside, scene(cloth(10, height=-0.004), colliders=[plane()])) == []


def test_colliders_wholly_inside_a_jelly_are_told(checks):
    core, outside = mesh_box(0.2), replace(mesh_box(0.2), name="Beside", identifier="c2")
    jelly = replace(jelly_cube(1.0, 0.0), name="Jelly")
    middle = jelly.positions.mean(axis=0)
    core, outside = (moved(one, middle + way) for one, way in ((core, [0.0, 0.0, 0.0]), (outside, [0.4, 0.0, 0.0])))
    (notice,) = checks.starts_around(scene(jelly, colliders=[core, outside, plane()]))
    assert (notice.code, notice.object_name) == ("W_CORE", "Jelly")
    assert f'"{core.name}"' in notice.message
    assert '"Beside"' not in notice.message
    unseen = replace(jelly, contact=replace(jelly.contact, sees=("c2",)))
    assert found(checks.starts_around, scene(unseen, colliders=[core, outside], meet=True)) == []
    assert found(checks.starts_around, scene(cloth(10), colliders=[core])) == []


def moved(collider, place):
    """A collider that stands elsewhere."""
    matrices = np.array(collider.transforms)
    matrices[:, :3, 3] = place
    return replace(collider, transforms=matrices)


def test_what_nothing_holds_falls(checks):
    made = scene(cloth(10), replace(cloth(10, pinned=[0]), identifier="b1", name="Flag"))
    (notice,) = checks.falls(made)
    assert notice.code == "W_FALLS"
    assert '"Cloth"' in notice.message
    assert "Flag" not in notice.message
    assert "it falls" in notice.message
    (both,) = checks.falls(scene(cloth(10), replace(cloth(10), identifier="b1", name="Flag")))
    assert "they fall" in both.message
    assert found(checks.falls, replace(made, gravity=np.zeros(3))) == []
    assert found(checks.falls, replace(made, colliders=(plane(),))) == []


@pytest.mark.parametrize("factor", [0.0, -1.0])
def test_what_gravity_does_not_pull_down_does_not_fall(checks, factor):
    feather = cloth(10, gravity_factor=factor)
    assert found(checks.falls, scene(feather)) == []
    made = scene(feather, replace(cloth(10), identifier="b1", name="Flag"))
    (notice,) = checks.falls(made)
    assert '"Flag"' in notice.message
    assert "Cloth" not in notice.message
    keyed = replace(made, tracks=(Track("b0", "gravity_factor", np.linspace(0.0, 1.0, 50)),))
    (notice,) = checks.falls(keyed)
    assert '"Cloth"' in notice.message


def test_what_is_attached_to_something_held_is_held(checks):
    def link(body, identifier, target):
        held = Attachment(target, np.zeros(1, np.int32), np.ones(1, np.float32))
        return replace(body, identifier=identifier, attachment=held, pins=Pins())

    flag = cloth(10, pinned=[0])
    chain = link(cloth(10), "b1", "b0"), link(cloth(10), "b2", "b1")
    assert found(checks.falls, scene(flag, *chain)) == []
    assert found(checks.falls, scene(replace(flag, pins=Pins()), *chain)) == [("W_FALLS", "")]


def test_what_comes_to_lie_on_something_held_does_not_fall_for_ever(checks):
    """A ball in a hammock, and one on that ball."""
    hammock = cloth(10, pinned=[0, 9, 90, 99])
    ball = replace(jelly_cube(0.2, 0.3), identifier="b1", name="Ball")
    upper = replace(jelly_cube(0.2, 0.8), identifier="b2", name="Upper")
    assert found(checks.falls, scene(hammock, ball, upper, meet=True)) == []
    assert found(checks.falls, scene(upper, ball, hammock, meet=True)) == []
    for lost in (
        replace(ball, positions=ball.positions - np.array([0.0, 0.0, 5.0])),
        replace(ball, positions=ball.positions + np.array([5.0, 0.0, 0.0])),
        replace(ball, contact=replace(ball.contact, sees=())),
    ):
        (notice,) = checks.falls(scene(hammock, lost, meet=True))
        assert '"Ball"' in notice.message
    (notice,) = checks.falls(scene(replace(hammock, pins=Pins()), ball, upper, meet=True))
    assert "they fall" in notice.message
    (notice,) = checks.falls(scene(hammock, ball, upper))
    assert '"Ball"' in notice.message, "they pass through each other"


@pytest.mark.parametrize(("body", "is_coarse"), [(cloth(2), True), (cloth(10), False), (jelly_cube(1.0), True)])
def test_few_vertices(checks, body, is_coarse):
    assert found(checks.coarse, scene(body)) == ([("W_COARSE", body.name)] if is_coarse else [])


def drum(sides, resolution):
    """A prism whose ends are polygons, and its width that of the cube below."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    ring = 0.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = np.concatenate([np.column_stack([ring, np.full(sides, height)]) for height in (1.5, 2.1)])
    corner, following = np.arange(sides), (np.arange(sides) + 1) % sides
    walls = np.stack([corner, following, following + sides, corner + sides], axis=1)
    corners = np.concatenate([walls.ravel(), corner[::-1], corner + sides]).astype(np.int32)
    sizes = np.array([4] * sides + [sides, sides], np.int32)
    body = replace(jelly_cube(1.0, resolution=resolution), identifier="b1", name="Drum")
    return replace(body, positions=places, face_sizes=sizes, corners=corners)


@pytest.mark.parametrize(("sides", "resolution", "is_told"), [(32, 12, True), (32, 6, False), (16, 14, True)])
def test_faces_that_are_large_for_the_cells_of_a_cage(checks, sides, resolution, is_told):
    """Where another jelly may come to them."""
    mesh = shapes.box((1.0, 1.0, 1.0), (6, 6, 6))
    sizes = np.full(len(mesh[1]), mesh[1].shape[1], np.int32)
    below = replace(jelly_cube(1.0), positions=mesh[0], face_sizes=sizes, corners=mesh[1].ravel().astype(np.int32))
    above = drum(sides, resolution)
    assert found(checks.coarse, scene(below, above, meet=True)) == ([("W_COARSE", "Drum")] if is_told else [])
    assert found(checks.coarse, scene(above, meet=True)) == []
    assert found(checks.coarse, scene(cloth(10), above, meet=True)) == [], "cloth bears it everywhere"
    aside = replace(below, positions=mesh[0] + [3.0, 0.0, 0.0])
    assert found(checks.coarse, scene(aside, above, meet=True)) == []


@pytest.mark.parametrize(
    ("count", "radius", "is_told"),
    [(3, 0.2, True), (15, 0.2, True), (16, 0.2, False), (16, 0.1, True), (3, 60.0, False)],
)
def test_spheres_that_show_through_what_tears(checks, count, radius, is_told):
    sheet = cloth(count, size=0.8)
    torn = replace(sheet, seams=np.arange(5, dtype=np.int32), material=replace(sheet.material, tear_strain=5.0))
    # in the frame in which it is smallest
    scales = np.stack([np.diag([scale, scale, scale, 1.0]) for scale in (3.0, 1.0)])
    ball = Collider("c0", "Ball", "SPHERE", scales, radius=radius)
    told = list(checks.coarse_over_spheres(scene(torn, colliders=[ball, plane()])))
    assert [(one.code, one.object_name) for one in told] == ([("W_COARSE", "Cloth")] if is_told else [])
    assert all('"Ball"' in one.message for one in told)
    assert found(checks.coarse_over_spheres, scene(sheet, colliders=[ball])) == []
    unseeing = replace(torn, contact=replace(torn.contact, sees=("c1",)))
    assert found(checks.coarse_over_spheres, scene(unseeing, colliders=[ball], meet=True)) == []


@pytest.mark.parametrize(("resolution", "is_heavy"), [(16, False), (40, True)])
def test_many_tetrahedra(checks, resolution, is_heavy):
    made = scene(jelly_cube(1.0, resolution=resolution))
    assert found(checks.heavy, made) == ([("W_HEAVY", "Cube")] if is_heavy else [])


@pytest.mark.parametrize(
    ("surface", "resolution"), [(cube(), 8), (cube(), 16), (sphere(), 12), (sphere(), 24), (torus(), 32)]
)
def test_the_count_of_tetrahedra_is_about_right(bpy, surface, resolution):
    from blender_xpbd.addon.baking.needs import tetrahedra
    from blender_xpbd.solver.system.system import build_system

    positions, triangles = surface
    sizes, corners = np.full(len(triangles), 3, np.int32), triangles.ravel().astype(np.int32)
    cage = Tetrahedralization("CAGE", resolution)
    body = Body("b0", "Body", "JELLY", positions, sizes, corners, tetrahedralization=cage)
    count = len(build_system(scene(body)).models[0].tetrahedra)
    assert tetrahedra(body) == pytest.approx(count, rel=0.25)
    assert tetrahedra(replace(body, tetrahedralization=Tetrahedralization("FTETWILD"))) == 0.0
    assert tetrahedra(cloth(10)) == 0.0


def test_what_is_small_and_half_inside_is_told(checks):
    made = scene(replace(jelly_cube(0.01, 0.0), name="Bead"), colliders=[plane(0.005)])
    (notice,) = checks.starts_inside(made)
    assert "(0.005 m)" in notice.message


def pillow(thickness, pressure=500.0, model="GAS", others=()):
    """A ball that is flattened to a share of its height, and others beside it in the same mesh."""
    positions, triangles = sphere()
    parts = [positions * (1.0, 1.0, share) + (3.0 * x, 0.0, 0.0) for x, share in enumerate((thickness, *others))]
    corners = np.concatenate([triangles + x * len(positions) for x in range(len(parts))])
    made = cloth(2, pressure=pressure, pressure_model=model)
    return replace(
        made,
        positions=np.concatenate(parts),
        face_sizes=np.full(len(corners), 3, np.int32),
        corners=corners.reshape(-1).astype(np.int32),
    )


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        (pillow(0.05), True),
        (pillow(0.5), False),
        (pillow(0.5, others=(0.04, 0.6)), True),
        (pillow(0.05, pressure=-100.0), False),
        (pillow(0.05, model="NONE"), False),
        (pillow(0.05, model="VOLUME"), False),
    ],
)
def test_a_gas_in_a_flat_mesh_is_told_as_the_bake_tells_it(checks, made, is_told):
    from blender_xpbd.bodies.cloth import build_cloth
    from blender_xpbd.scene.settings import SolverSettings

    told = list(checks.flat_gas(scene(made)))
    assert [notice.code for notice in told] == ["W_PRESSURE"] * is_told
    baked = build_cloth(made, SolverSettings()).notices
    assert told == [notice for notice in baked if notice.code == "W_PRESSURE"]


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_flat_jelly_is_refused_before_the_bake(checks, turn):
    thick = jelly_cube(1.0, 2.0)
    assert list(checks.flat_solids(scene(thick, cloth(10)))) == []
    normal = np.array([np.sin(turn), 0.0, np.cos(turn)])
    flat = replace(thick, positions=thick.positions - (thick.positions @ normal)[:, None] * normal)
    (fault,) = checks.flat_solids(scene(flat))
    assert (fault.code, fault.object_name) == ("E_TET_VOLUME", flat.name)
