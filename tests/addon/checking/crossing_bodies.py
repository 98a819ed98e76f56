# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies and colliders that cross, or touch alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from tests.geometry.surfaces import sphere, torus
from tests.solver.scenes import cloth


def ball(name, at, role="JELLY", size=1.0, surface=sphere, **values):
    positions, triangles = surface()
    sizes = np.full(len(triangles), 3, np.int32)
    places = size * positions + np.array(at)
    return Body(name, name, role, places, sizes, triangles.ravel().astype(np.int32), **values)


def tilted(name, angle=0.7, **values):
    """A sheet about a line through the middle, on which no vertex of a level one lies."""
    sheet = cloth(12, identifier=name, **values)
    x, y, z = (sheet.positions - (0.013, 0.0, 0.017)).T
    turned = np.column_stack([x, np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z])
    return replace(sheet, name=name, positions=turned)


def turned(surface, where=slice(None)):
    """Some triangles of a surface that is turned and moved, rounded as Blender's meshes are."""
    random = np.random.default_rng(1)
    turn, shift = np.linalg.qr(random.normal(size=(3, 3)))[0], random.normal(size=3)
    positions, triangles = surface()
    return lambda: ((positions @ turn + shift).astype(np.float32).astype(np.float64), triangles[where])


def half(name, side):
    """The triangles on one side of a wavy line around a ball: the halves have its edges in common."""
    positions, triangles = sphere()
    middles = positions[triangles].mean(axis=1)
    of_side = side * (middles[:, 2] + 0.3 * middles[:, 0]) > 0.05 * side
    return ball(name, (0.0, 0.0, 0.0), "CLOTH", surface=turned(sphere, of_side))


def eight(name, **values):
    """A sheet that starts as a figure of eight, through itself where the loops meet."""
    sheet = cloth(20, identifier=name)
    x, y, _ = sheet.positions.T
    angle = 2.0 * np.pi * (x + 0.5)
    start = np.column_stack([0.3 * np.sin(2.0 * angle), 0.97 * y, 0.3 * np.sin(angle) + 0.01 * x])
    return replace(sheet, name=name, start=start, **values)


def two_in_one(name, role):
    """Two tori in one mesh that go through each other."""
    positions, triangles = torus()
    both = (
        np.concatenate([positions, positions + np.array([0.3, 0.1, 0.07])]),
        np.concatenate([triangles, triangles + 384]),
    )
    return ball(name, (0.0, 0.0, 0.0), role, surface=lambda: both, contact=BodyContact(self_collision=True))


def helix(name, **values):
    """A strand that winds through the level of 0 six times."""
    turns = np.linspace(0.0, 6.0 * np.pi, 60)
    places = np.column_stack([0.3 * np.cos(turns) + 0.01, 0.2 * np.sin(turns) + 0.05, 0.3 * np.sin(turns + 0.3)])
    edges = np.stack([np.arange(59), np.arange(1, 60)], axis=1).astype(np.int32)
    none = np.zeros(0, np.int32)
    return Body(name, name, "STRAND", places, none, none, loose_edges=edges, **values)


def hair(name, count=40):
    """Strands that stand on a ball, rounded as Blender's meshes are."""
    random = np.random.default_rng(4)
    positions, triangles = sphere()
    roots = np.einsum(
        "ij,ijk->ik", random.dirichlet([1.0, 1.0, 1.0], count), positions[random.choice(triangles, count)]
    )
    places = np.concatenate([roots, 1.1 * roots]).astype(np.float32).astype(np.float64)
    edges = np.stack([np.arange(count), count + np.arange(count)], axis=1).astype(np.int32)
    none = np.zeros(0, np.int32)
    return Body(name, name, "STRAND", places, none, none, loose_edges=edges)


def wall(name, surface, *sizes, at=(0.003, 0.002, 0.001)):
    """A collider of a surface."""
    positions, triangles = surface()
    places = positions * sizes + np.array(at)
    return Collider(name, name, "MESH", np.eye(4)[None], places[None], triangles.astype(np.int32))


def square():
    """Two triangles that stand upright."""
    places = np.array([[-1.0, 0.1, -1.0], [1.0, 0.1, -1.0], [1.0, 0.1, 1.0], [-1.0, 0.1, 1.0]])
    return places, np.array([[0, 1, 2], [0, 2, 3]])


def upright(name, count=9, at=(0.0, 0.0, 0.0)):
    """A sheet at right angles to a level one, with a line of vertices in it."""
    sheet = cloth(count, identifier=name)
    return replace(sheet, name=name, positions=sheet.positions[:, [2, 1, 0]] + np.array(at))


def tube(name, low, high, count=16):
    """An open tube about the Z axis."""
    around = np.arange(count) * 2.0 * np.pi / count
    ring = 0.3 * np.column_stack([np.cos(around), np.sin(around), 0.0 * around])
    positions = np.concatenate([ring + np.array([0.0, 0.0, height]) for height in np.linspace(low, high, 6)])
    below = np.arange(5 * count)
    beside = below // count * count + (below + 1) % count
    corners = np.stack([below, beside, beside + count, below + count], axis=1).ravel().astype(np.int32)
    return Body(name, name, "CLOTH", positions, np.full(5 * count, 4, np.int32), corners)


def pole(name):
    """A strand along the Z axis, with a vertex at the origin."""
    places, none = np.linspace((0.0, 0.0, -0.5), (0.0, 0.0, 0.5), 11), np.zeros(0, np.int32)
    edges = np.stack([np.arange(10), np.arange(1, 11)], axis=1).astype(np.int32)
    return Body(name, name, "STRAND", places, none, none, loose_edges=edges)


def turned_all(*bodies):
    """Bodies turned alike, and rounded as Blender's meshes are."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    places = [(body.positions @ turn + 0.3).astype(np.float32).astype(np.float64) for body in bodies]
    return tuple(replace(body, positions=one) for body, one in zip(bodies, places, strict=True))


def crumpled(name, count):
    """A sheet whose vertices are anywhere in a ball: each of its triangles crosses many of another one."""
    sheet = cloth(count, identifier=name)
    positions = np.random.default_rng(ord(name)).normal(size=sheet.positions.shape)
    return replace(sheet, name=name, positions=positions)
