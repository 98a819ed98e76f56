# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that meet themselves and each other: folds, layers, heaps, knots."""

from __future__ import annotations

from functools import partial

import numpy as np

from blender_xpbd.scene.body import Body

from . import shapes
from .case import Case, Content
from .objects import cloth, floor, held, jelly, jittered, mesh_collider, roughened

# of the house of cards
STOREYS, CARD_GAP = 8, 0.002


def twisted(random: np.random.Generator, frames: int) -> Content:
    """A cloth is held at two ends that turn against each other, three times in all."""
    sheet = roughened(shapes.sheet(48, 24, 1.0, 0.5), random)
    time = np.arange(frames) / 24.0
    turn = 3.0 * np.pi * np.minimum(time / 2.0, 1.0)
    pinned, places = [], []
    for sign in (-1.0, 1.0):
        end = np.flatnonzero(sign * sheet[0][:, 0] > 0.48)
        pinned.append(end)
        centre = sheet[0][end].mean(axis=0)
        inward = np.stack([-sign * 0.1 * np.minimum(time, 1.0), 0 * time, 0 * time], axis=1)
        turned = np.array([(sheet[0][end] - centre) @ shapes.rotation(0, sign * angle).T for angle in turn])
        places.append(turned + centre + inward[:, None])
    pins = held(np.concatenate(pinned), np.concatenate(places, axis=1))
    return Content((cloth("cloth", sheet, pins=pins),))


def folded(random: np.random.Generator, frames: int) -> Content:
    """A cloth folded twice falls on the floor."""
    length = np.linspace(0.0, 1.2, 61)
    radius = 0.02
    # a strip that goes out, turns by a half circle, comes back, turns and goes out again
    flap = (1.2 - 2 * np.pi * radius) / 3.0
    curve = []
    for s in length:
        if s < flap:
            curve.append((s, 0.0, 0.0))
        elif s < flap + np.pi * radius:
            a = (s - flap) / radius
            curve.append((flap + radius * np.sin(a), 0.0, radius - radius * np.cos(a)))
        elif s < 2 * flap + np.pi * radius:
            curve.append((2 * flap + np.pi * radius - s, 0.0, 2 * radius))
        elif s < 2 * flap + 2 * np.pi * radius:
            a = (s - 2 * flap - np.pi * radius) / radius
            curve.append((-radius * np.sin(a), 0.0, 3 * radius - radius * np.cos(a)))
        else:
            curve.append((s - 2 * flap - 2 * np.pi * radius, 0.0, 4 * radius))
    strip = shapes.ribbon(np.array(curve), 0.4, 21, np.array([0.0, 1.0, 0.0]))
    strip = shapes.moved(jittered(strip, random), 0.0, 0.0, 0.25)
    return Content((cloth("cloth", strip, rest_angle="FLAT"),), (floor(),))


def layers(count: int, random: np.random.Generator, frames: int) -> Content:
    """Sheets fall on each other."""
    bodies = tuple(
        cloth(f"cloth{k}", shapes.moved(jittered(shapes.sheet(20, 20, 0.5, 0.5), random), 0.0, 0.0, 0.03 + 0.02 * k))
        for k in range(count)
    )
    return Content(bodies, (floor(),))


def ribbons(random: np.random.Generator, frames: int) -> Content:
    """Twenty ribbons fall on a heap, each across those below."""
    bodies = []
    for k in range(20):
        strip = shapes.turned(shapes.sheet(30, 3, 0.8, 0.05), 2, random.uniform(0.0, np.pi))
        place = (*random.uniform(-0.1, 0.1, 2), 0.05 + 0.03 * k)
        bodies.append(cloth(f"ribbon{k}", shapes.moved(roughened(strip, random), *place), "SILK"))
    return Content(tuple(bodies), (floor(),))


def cubes_in_box(random: np.random.Generator, frames: int) -> Content:
    """Ten jelly cubes fall into a box without a lid."""
    size = 0.62
    walls, quads = shapes.box((size, size, 0.8))
    lidless = (walls, quads[~(walls[quads][:, :, 2] > 0.39).all(axis=1)])
    box = mesh_collider("box", shapes.moved(lidless, 0.0, 0.0, 0.4))
    bodies = []
    for k in range(10):
        cube = jittered(shapes.box((0.2, 0.2, 0.2), (4, 4, 4)), random)
        place = (0.14 * (-1) ** k, 0.14 * (-1) ** (k // 2), 0.15 + 0.25 * (k // 2) + 0.02 * k)
        bodies.append(jelly(f"cube{k}", shapes.moved(cube, *place), resolution=4))
    return Content(tuple(bodies), (box,))


def suzannes(random: np.random.Generator, frames: int) -> Content:
    """Twenty Suzannes of jelly rain on a floor; where bpy is absent, balls take their place."""
    mesh = _suzanne()
    bodies = []
    for k in range(20):
        own = shapes.turned(shapes.turned(mesh, 2, random.uniform(0, 6.28)), 0, random.uniform(0, 6.28))
        shift = random.uniform(-0.02, 0.02, 2)
        own = shapes.moved(own, 0.35 * (k % 2) + shift[0], 0.35 * (k // 2 % 2) + shift[1], 0.3 + 0.35 * (k // 4))
        bodies.append(jelly(f"suzanne{k}", own, "JELLY_FIRM", 5))
    return Content(tuple(bodies), (floor(),))


def _suzanne() -> shapes.Mesh:
    try:
        import bpy
    except ImportError:
        return shapes.sphere(0.13, 5)
    bpy.ops.mesh.primitive_monkey_add(size=0.26)
    mesh = bpy.context.object.data
    positions = np.empty(len(mesh.vertices) * 3)
    mesh.vertices.foreach_get("co", positions)
    mesh.calc_loop_triangles()
    triangles = np.empty(len(mesh.loop_triangles) * 3, np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    bpy.data.meshes.remove(mesh)
    return positions.reshape(-1, 3), triangles.reshape(-1, 3)


def jelly_fold(random: np.random.Generator, frames: int) -> Content:
    """A C of jelly whose arms fall on each other."""
    angle = np.linspace(0.25, 2.0 * np.pi - 0.25, 40)
    curve = np.stack([0.3 * np.cos(angle), 0 * angle, 0.3 * np.sin(angle)], axis=1)
    bar = shapes.tube(curve, np.full(40, 0.07), 12)
    return Content((jelly("bar", shapes.moved(roughened(bar, random), 0, 0, 0.45), "JELLY_SOFT", 16),), (floor(),))


def sandwich(random: np.random.Generator, frames: int) -> Content:
    """Cloth falls on jelly, which falls on cloth."""
    below = shapes.moved(jittered(shapes.sheet(24, 24, 0.7, 0.7), random), 0.0, 0.0, 0.05)
    cube = shapes.moved(jittered(shapes.box((0.3, 0.3, 0.2), (6, 6, 4)), random), 0.0, 0.0, 0.25)
    above = shapes.moved(jittered(shapes.sheet(28, 28, 0.8, 0.8), random), 0.0, 0.0, 0.45)
    return Content((cloth("below", below), jelly("cube", cube), cloth("above", above)), (floor(),))


def knot(random: np.random.Generator, frames: int) -> Content:
    """Two ribbons looped through each other as a reef knot, drawn tight by their ends."""
    time = np.arange(frames) / 24.0
    pull = 0.25 * np.minimum(time / 1.5, 1.0)
    bodies = []
    for name, sign in (("left", -1.0), ("right", 1.0)):
        strip = roughened(shapes.ribbon(_loop(name == "right"), 0.03, 4, np.array([0.0, 0.0, 1.0])), random)
        rows = strip[0].reshape(-1, 4, 3)
        ends = np.concatenate([np.arange(4), np.arange(4) + 4 * (len(rows) - 1)])
        offset = np.stack([sign * pull, 0 * pull, 0 * pull], axis=1)
        pins = held(ends, strip[0][None, ends] + offset[:, None])
        bodies.append(cloth(name, strip, "DENIM", pins=pins, friction=0.3))
    return Content(tuple(bodies))


def _loop(is_through: bool) -> shapes.Floats:
    """Half of a reef knot: a flat loop, or the one that goes through it and around both of its legs."""
    if is_through:
        points = [(0.7, 0.05, 0.07), (0.24, 0.05, 0.07), (0.2, 0.05, 0.07), (0.06, 0.05, -0.07), (0.0, 0.14, -0.07)]
        points += [(-0.1, 0.19, 0.0), (-0.2, 0.12, 0.08), (-0.22, 0.08, 0.08)]
    else:
        points = [(-0.7, 0.1, 0.0), (-0.3, 0.1, 0.0), (0.0, 0.1, 0.0), (0.2, 0.1, 0.0), (0.27, 0.05, 0.0)]
    mirrored = [(x, -y, z) for x, y, z in points[::-1]]
    corners = np.array([*points, *mirrored])
    # a smooth curve through the corners: corner cutting, then equal steps
    for _ in range(3):
        cut = np.concatenate([0.75 * corners[:-1] + 0.25 * corners[1:], 0.25 * corners[:-1] + 0.75 * corners[1:]])
        order = np.argsort(np.concatenate([2 * np.arange(len(corners) - 1), 2 * np.arange(len(corners) - 1) + 1]))
        corners = np.concatenate([corners[:1], cut[order], corners[-1:]])
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1)))
    steps = np.linspace(0.0, length[-1], int(length[-1] / 0.012))
    return np.stack([np.interp(steps, length, corners[:, k]) for k in range(3)], axis=1)


def card_house(random: np.random.Generator, frames: int) -> Content:
    """A pyramid of cards that lean on each other in pairs: eight storeys, a board between two of them.

    All are as far apart as they want to be, so that nothing falls before it holds. A column of single pairs would fall
    in life, too: each board would lie on one ridge.
    """
    lean, height, gap = np.radians(15.0), 0.12, CARD_GAP
    half, rise = 0.5 * height * np.sin(lean), height * np.cos(lean)
    spacing = 4.0 * half + 0.02
    bodies: list[Body] = []
    for storey in range(STOREYS):
        base, count = gap + storey * (rise + 2.0 * gap), STOREYS - storey
        for pair in range(count):
            middle = (pair - 0.5 * (count - 1)) * spacing
            for sign in (-1.0, 1.0):
                card = shapes.turned(shapes.sheet(5, 4, height, 0.08), 1, np.pi / 2.0)
                card = shapes.turned(roughened(card, random), 1, sign * lean)
                place = (middle - sign * (half + 0.5 * gap), 0.0, base + 0.5 * rise)
                bodies.append(_card(f"card{len(bodies)}", shapes.moved(card, *place)))
        if count > 1:
            board = roughened(shapes.sheet(4 * count + 1, 4, (count - 1) * spacing + 0.06, 0.08), random)
            bodies.append(_card(f"card{len(bodies)}", shapes.moved(board, 0.0, 0.0, base + rise + gap)))
    return Content(tuple(bodies), (floor(friction=0.9),))


def _card(name: str, mesh: shapes.Mesh) -> Body:
    return cloth(name, mesh, "LEATHER", bending_stiffness=0.05, friction=0.9, contact_offset=CARD_GAP)


CASES = (
    Case("twist", twisted, 60),
    Case("fold", folded, 48),
    # five of them take three seconds to come to rest
    *(Case(f"layers{count}", partial(layers, count), 72) for count in (2, 5, 10)),
    Case("ribbons", ribbons, 60),
    Case("cubes", cubes_in_box, 60),
    Case("suzannes", suzannes, 40),
    Case("jellyfold", jelly_fold, 48),
    Case("sandwich", sandwich, 48),
    Case("knot", knot, 48),
    Case("cards", card_house, 48),
)
