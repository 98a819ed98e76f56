# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that go through each other, or through themselves, in all the ways in which contours can end.

The ways are those of Wicke, Lanker & Gross 2006: contours that are closed, or that end at borders of one sheet or of
both.
"""

import numpy as np

from blender_xpbd.contacts.search.crossings import crossings
from blender_xpbd.geometry.search.surfaces import build_surface_mesh, build_surfaces

# corner: the contour ends at the border of one sheet. edge: once at that of each. bump: it is closed. waves: it is
# several. cross: it goes from border to border through the middle. strip: likewise, of a narrow sheet. ridge: a fold
# comes through, so that two such contours belong together. loop: a sheet goes through itself from border to border
WAYS = ("corner", "edge", "bump", "waves", "cross", "strip", "ridge", "loop")
MESHES = ("grid", "irregular", "coarse")


def sheet(kind="grid", width=1.0, seed=1):
    """Vertices and triangles of a flat sheet of 1 m length: a grid, triangles that no two are alike of, or few."""
    along = {"grid": 12, "irregular": 11, "coarse": 5}[kind]
    across = max(3, round(along * width))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, along), np.linspace(-0.5, 0.5, across) * width, indexing="ij")
    n = np.arange(along * across).reshape(along, across)
    a, b, c, d = n[:-1, :-1].ravel(), n[1:, :-1].ravel(), n[1:, 1:].ravel(), n[:-1, 1:].ravel()
    is_flipped = np.zeros(len(a), np.bool_)
    if kind == "irregular":
        random = np.random.default_rng(seed)
        x[1:-1] += random.uniform(-0.3, 0.3, x[1:-1].shape) / (along - 1)
        y[:, 1:-1] += random.uniform(-0.3, 0.3, y[:, 1:-1].shape) * width / (across - 1)
        is_flipped = random.random(len(a)) < 0.5
    halves = [np.where(is_flipped, *corners) for corners in ((a, a), (b, b), (d, c), (b, a), (c, c), (d, d))]
    triangles = np.stack(halves, axis=1).reshape(-1, 3).astype(np.int32)
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1), triangles


def turned(vertices, axis, angle):
    """Vertices turned about X, Y or Z."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    result = vertices.copy()
    result[:, i], result[:, j] = c * vertices[:, i] - s * vertices[:, j], s * vertices[:, i] + c * vertices[:, j]
    return result


def tangled_sheets(way, kind="grid"):
    """Meshes, vertices and triangles each: two sheets, or the one that goes through itself."""
    if way == "loop":
        return [_loop(*sheet(kind))]
    vertices, triangles = sheet(kind, 0.4 if way == "strip" else 1.0, seed=2)
    vertices = vertices + np.array([0.013, 0.027, 0.0])
    from_middle = np.linalg.norm(vertices[:, :2], axis=1)
    if way == "corner":
        vertices = turned(turned(vertices, 2, 0.7), 1, 0.5) + np.array([0.1, 0.05, 0.2])
    elif way == "edge":
        vertices = turned(vertices, 1, 0.35) + np.array([-0.1, 0.0, 0.12])
    elif way == "bump":
        vertices[:, 2] += 0.03 - (0.2 if kind == "coarse" else 0.12) * np.exp(-((from_middle / 0.18) ** 2))
    elif way == "waves":
        vertices[:, 2] += 0.004 + 0.03 * np.sin(9.0 * vertices[:, 0] + 0.3) * np.cos(7.0 * vertices[:, 1])
    elif way == "cross":
        vertices = turned(vertices, 1, 0.6)
    elif way == "strip":
        vertices = turned(vertices, 1, 0.8) + np.array([0.02, 0.0, 0.01])
    elif way == "ridge":
        vertices[:, 2] += 0.05 - 0.15 * np.clip(1.0 - np.abs(vertices[:, 0]) / 0.27, 0.0, 1.0)
    # a coarse sheet goes through a fine one
    return [sheet("grid" if kind == "coarse" else kind), (vertices, triangles)]


def pokes(*places):
    """A sheet of 1 m, and as one mesh small ones upright, one with its centre at each place."""
    vertices, triangles = sheet("coarse")
    small = turned(0.1 * vertices, 1, np.pi / 2.0)
    parts = [small + np.array(place) for place in places]
    faces = [triangles + k * len(vertices) for k in range(len(places))]
    return [sheet(), (np.concatenate(parts), np.concatenate(faces))]


def _loop(vertices, triangles):
    """A sheet bent to an α."""
    along, across = vertices[:, 0], vertices[:, 1]
    turn = np.radians(135.0)
    angle = np.clip(along / 0.25, -1.0, 1.0) * turn
    arm = 1.8 * np.sign(along) * np.maximum(np.abs(along) - 0.25, 0.0)
    x = 0.2 * np.sin(angle) + arm * np.cos(turn)
    z = -0.2 * np.cos(angle) + np.abs(arm) * np.sin(turn)
    return np.stack([x, 0.6 * across + 0.15 * x, z], axis=1), triangles


def surfaces_of(meshes):
    """The surfaces of meshes that all meet each other and themselves, and where their points are."""
    made = [
        build_surface_mesh(vertices, np.full(len(triangles), 3, np.int32), triangles.ravel())
        for vertices, triangles in meshes
    ]
    surfaces = build_surfaces(made, np.ones((len(meshes), len(meshes)), np.bool_))
    return surfaces, np.concatenate([vertices for vertices, _ in meshes])


def tangled_surfaces(way, kind="grid"):
    """Surfaces, positions of their points, and what crosses."""
    surfaces, positions = surfaces_of(tangled_sheets(way, kind))
    found = crossings(surfaces, positions)
    assert len(found)
    return surfaces, positions, found
