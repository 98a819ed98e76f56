# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction that changes: by tracks, also where surfaces meet, and where seams are open."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.device.arrays import read_array
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.track import Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, scene
from tests.solver.test_tearing import split

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 9
STEEP = np.radians(60.0)


def sliding(name, value, values=()):
    """How far a sheet comes that slides over another one, which is held [m]; with a track of its friction, or e."""
    held = replace(cloth(6, size=1.0, pinned=range(36)), identifier="b1", material=Material(friction=1.0))
    mine = cloth(5, size=0.4, height=0.012, friction=value) if name == "friction" else cloth(5, size=0.4, height=0.05)
    mine = replace(mine, velocity=np.array([1.0, 0.0, 0.0 if name == "friction" else -1.0]))
    mine = replace(mine, material=replace(mine.material, **{name: value}))
    whole = scene(mine, held, frames=(1, FRAMES), substeps=6, meet=True)
    if len(values):
        whole = replace(whole, tracks=(Track("b0", name, np.array(values)),))
    simulation = Solver(build_system(whole))
    for _ in range(FRAMES - 1):
        simulation.advance()
    return simulation.positions()[:25].mean(axis=0)


@pytest.mark.parametrize(("name", "axis"), [("friction", 0), ("restitution", 2)])
def test_bodies_that_meet_follow_tracks(name, axis):
    low, high = 0.05, 0.9
    expected, other = sliding(name, low)[axis], sliding(name, high)[axis]
    # built from the greatest value, which counts at the last frame alone, from which on nothing moves
    found = sliding(name, high, [low] * (FRAMES - 1) + [high])[axis]
    assert abs(other - expected) > 0.02
    assert abs(found - expected) < 0.01 * abs(other - expected)


def roof():
    """A prism over whose ridge a seam is drawn."""
    x, z = 0.4 / np.tan(STEEP), -0.4
    corners = np.array([[[side, y, z] for side in (-x, x)] + [[0.0, y, 0.0]] for y in (-0.5, 0.5)]).reshape(-1, 3)
    triangles = [[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [0, 2, 5], [0, 5, 3]]
    return Collider("c0", "Roof", "MESH", np.eye(4)[None], corners[None], np.array(triangles, np.int32), friction=1.0)


def gaps(friction, frames=12):
    """Greatest gap of a seam over a roof, frame by frame [m]."""
    rows, columns = 6, 5
    down, along = np.meshgrid(0.08 + 0.04 * np.arange(rows), 0.05 * (np.arange(columns) - 2.0), indexing="ij")
    # on the slope, as far off it as the gap
    out = 0.006 / np.sin(STEEP)
    side = np.column_stack([(down * np.cos(STEEP)).ravel() + out, along.ravel(), (-down * np.sin(STEEP)).ravel()])
    positions = np.concatenate([side, side * [-1.0, 1.0, 1.0]])
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    quads = np.column_stack([first, first + 1, first + columns + 1, first + columns])
    quads = np.concatenate([quads, quads[:, ::-1] + rows * columns]).astype(np.int32)
    seam = np.column_stack([np.arange(columns), np.arange(columns) + rows * columns]).astype(np.int32)
    material = Material.from_values({"use_stitches": True, "friction": friction})
    body = Body("b0", "Panels", "CLOTH", positions, np.full(len(quads), 4, np.int32), quads.ravel(), material)
    body = replace(body, loose_edges=seam)
    whole = scene(body, colliders=[roof()], frames=(1, 13), gravity=(0.0, 0.0, 0.0), substeps=10, meet=True)
    simulation = Solver(build_system(whole))
    found = []
    for _ in range(frames):
        simulation.advance()
        ends = simulation.positions()[seam]
        found.append(float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).max()))
    return found, simulation


def frictions(simulation):
    """Friction of the contact points, by vertex."""
    vertices = simulation.system.contacts.elements[:, 0]
    return dict(zip(vertices.tolist(), read_array(simulation._state.contacts.weights)[:, 4].tolist(), strict=True))


def test_an_open_seam_slides_and_a_closed_one_holds():
    found, simulation = gaps(friction=0.7, frames=1)
    first, second = 0, 30
    assert found[0] > 0.05
    held = frictions(simulation)
    assert held[first] == held[second] == 0.0
    assert held[first + 5] == held[second + 5] == pytest.approx(0.7)
    found, simulation = gaps(friction=0.7)
    assert found[-1] < 2.0 * simulation.system.models[0].thickness
    # no thread lengthens, and none is faster than it closes
    assert (np.diff(found) < 1e-3).all()
    assert (np.diff(found) > -1.05 / 24.0).all()
    assert set(frictions(simulation).values()) == {np.float32(0.7)}


def test_what_seams_do_is_the_same_after_a_resume():
    straight = gaps(friction=1.0, frames=6)[1]
    for begun in (1, 2, 4):
        before = gaps(friction=1.0, frames=begun)[1]
        resumed = gaps(friction=1.0, frames=0)[1]
        resumed.restore(before.frame_index, before.checkpoint())
        while resumed.frame_index < 6:
            resumed.advance()
        np.testing.assert_array_equal(resumed.positions(), straight.positions())


def test_a_seam_between_copies_slides_at_the_vertices_that_move():
    sheet = split(cloth(6, size=0.3, height=0.001, use_stitches=True, friction=0.7, tear_strain=50.0))
    # the last copies of two vertices inside
    copies = [int(np.flatnonzero(sheet.seams == sheet.seams[vertex])[-1]) for vertex in (7, 28)]
    assert min(copies) >= 36
    sheet = replace(sheet, loose_edges=np.array([copies], np.int32))
    simulation = Solver(build_system(scene(sheet, colliders=[roof()], frames=(1, 3), substeps=6)))
    simulation.advance()
    movers = simulation.system.models[0].shown[copies]
    assert (simulation.system.inverse_masses[movers] > 0.0).all()
    held = frictions(simulation)
    assert [held[vertex] for vertex in movers] == [0.0, 0.0]
