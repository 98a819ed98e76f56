# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that meet colliders: sharp, round, moving, thin, open, squeezing."""

from __future__ import annotations

from functools import partial

import numpy as np

from . import shapes
from .case import Case, Content
from .objects import cloth, deforming_collider, floor, held, jelly, jittered, mesh_collider, motion, roughened


def over_cube(side: int, random: np.random.Generator, frames: int) -> Content:
    """A tablecloth over a cube of 8 vertices."""
    table = shapes.moved(shapes.box((0.5, 0.5, 0.5)), 0.0, 0.0, 0.25)
    sheet = shapes.moved(jittered(shapes.sheet(side, side), random), 0.0, 0.0, 0.53)
    return Content((cloth("cloth", sheet),), (mesh_collider("table", table), floor()))


def on_post(random: np.random.Generator, frames: int) -> Content:
    """A jelly cube of 2 m falls on a post of 36 cm."""
    post = shapes.moved(shapes.box((0.36, 0.36, 1.0)), 0.0, 0.0, 0.5)
    cube = shapes.moved(jittered(shapes.box((2.0, 2.0, 2.0), (8, 8, 8)), random), 0.0, 0.0, 2.2)
    return Content((jelly("cube", cube),), (mesh_collider("post", post), floor()))


def over_sphere(random: np.random.Generator, frames: int) -> Content:
    """A cloth over a ball of a mesh."""
    ball = shapes.moved(shapes.sphere(0.3, 8), 0.0, 0.0, 0.3)
    sheet = shapes.moved(jittered(shapes.sheet(40, 40), random), 0.05, 0.02, 0.63)
    return Content((cloth("cloth", sheet),), (mesh_collider("ball", ball), floor()))


def spinning(random: np.random.Generator, frames: int) -> Content:
    """A cloth on a box that spins up to a turn in a second."""
    sheet = shapes.moved(jittered(shapes.sheet(32, 32), random), 0.0, 0.0, 0.44)
    angles = 0.5 * np.pi * (np.arange(frames) / 24.0) ** 2
    turns = np.array([shapes.rotation(2, min(angle, 40.0)) for angle in angles])
    box = mesh_collider("box", shapes.box((0.4, 0.5, 0.4)), motion(frames, np.array([0.0, 0.0, 0.2]), turns), 0.8)
    return Content((cloth("cloth", sheet),), (box, floor()))


def funnel(random: np.random.Generator, frames: int) -> Content:
    """A cloth slides into a funnel, which is open at both ends."""
    height = np.linspace(0.3, 1.0, 8)
    wall, quads = shapes.tube(
        np.stack([0 * height, 0 * height, height], axis=1), 0.08 + 0.5 * (height - 0.3), 24, has_caps=False
    )
    sheet = shapes.moved(jittered(shapes.sheet(36, 36, 0.7, 0.7), random), 0.03, 0.02, 1.02)
    return Content((cloth("cloth", sheet, "SILK"),), (mesh_collider("funnel", (wall, quads), friction=0.1), floor()))


def jaws(random: np.random.Generator, frames: int) -> Content:
    """A hanging cloth between two jaws that close to 6 mm, less than it wants, and open again."""
    sheet = shapes.turned(shapes.sheet(32, 32, 0.8, 0.8), 1, np.pi / 2.0)
    sheet = shapes.moved(roughened(sheet, random), 0.0, 0.0, 0.5)
    top = np.flatnonzero(sheet[0][:, 2] > 0.88)
    time = np.arange(frames) / 24.0
    gap = np.interp(time, [0.0, 0.2, 0.9, 1.2, 1.6], [0.4, 0.4, 0.006, 0.006, 0.4]) / 2.0
    colliders = []
    for name, sign in (("left", -1.0), ("right", 1.0)):
        place = np.stack([sign * (gap + 0.1), 0 * gap, 0 * gap + 0.45], axis=1)
        jaw = shapes.box((0.2, 0.6, 0.3), (2, 3, 2))
        colliders.append(mesh_collider(name, jaw, motion(frames, place)))
    return Content((cloth("cloth", sheet, pins=held(top, sheet[0][None, top])),), tuple(colliders))


def rollers(random: np.random.Generator, frames: int) -> Content:
    """A jelly bar is drawn down between two rollers that turn."""
    bar = shapes.moved(jittered(shapes.box((0.3, 0.25, 0.6), (6, 5, 12)), random), 0.0, 0.0, 0.95)
    time = np.arange(frames) / 24.0
    colliders = []
    axis = np.array([[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]])
    roller = shapes.tube(np.linspace(axis[0], axis[1], 6), np.full(6, 0.2), 24)
    for name, sign in (("left", -1.0), ("right", 1.0)):
        turns = np.array([shapes.rotation(1, -sign * 3.0 * t) for t in time])
        colliders.append(mesh_collider(name, roller, motion(frames, np.array([sign * 0.29, 0.0, 0.4]), turns), 0.9))
    return Content((jelly("bar", bar, "JELLY_SOFT", 8),), (*colliders, floor(-0.6)))


def moving_floor(random: np.random.Generator, frames: int) -> Content:
    """Cloth and jelly on a floor of two triangles that is lifted and shaken."""
    time = np.arange(frames) / 24.0
    place = np.stack([0.05 * np.sin(9.0 * time), 0 * time, 0.1 * np.sin(5.0 * time)], axis=1)
    ground = mesh_collider("ground", shapes.sheet(2, 2, 4.0, 4.0), motion(frames, place))
    sheet = shapes.moved(jittered(shapes.sheet(24, 24), random), 0.6, 0.0, 0.05)
    cube = shapes.moved(jittered(shapes.box((0.3, 0.3, 0.3), (4, 4, 4)), random), -0.5, 0.0, 0.2)
    return Content((cloth("cloth", sheet), jelly("cube", cube)), (ground,))


def wire(random: np.random.Generator, frames: int) -> Content:
    """A cloth falls over a thin square rod, of which only edges matter."""
    rod = shapes.moved(shapes.turned(shapes.box((0.01, 0.01, 3.0)), 1, np.pi / 2.0), 0.0, 0.0, 0.7)
    sheet = shapes.moved(jittered(shapes.sheet(24, 24), random), 0.0, 0.02, 0.75)
    return Content((cloth("cloth", sheet),), (mesh_collider("rod", rod, friction=0.8), floor()))


def open_bowl(random: np.random.Generator, frames: int) -> Content:
    """A cloth falls into an open bowl, a shell without thickness."""
    ball, quads = shapes.sphere(0.4, 10)
    low = (ball[quads][:, :, 2] < 0.08).all(axis=1)
    bowl = shapes.moved((ball, quads[low]), 0.0, 0.0, 0.42)
    sheet = shapes.moved(jittered(shapes.sheet(28, 28, 0.6, 0.6), random), 0.02, 0.0, 0.7)
    return Content((cloth("cloth", sheet),), (mesh_collider("bowl", bowl), floor()))


def curtain(random: np.random.Generator, frames: int) -> Content:
    """A ball flies through a curtain at 30 m/s and away: the curtain has to swing or slide off it."""
    sheet = shapes.moved(roughened(shapes.turned(shapes.sheet(32, 32), 1, np.pi / 2.0), random), 0.0, 0.0, 0.5)
    top = np.flatnonzero(sheet[0][:, 2] > 0.98)
    time = np.arange(frames) / 24.0
    place = np.stack([-2.0 + 30.0 * time, 0 * time, 0 * time + 0.45], axis=1)
    ball = mesh_collider("ball", shapes.sphere(0.12, 5), motion(frames, place))
    return Content((cloth("cloth", sheet, pins=held(top, sheet[0][None, top])),), (ball,))


def cape(random: np.random.Generator, frames: int) -> Content:
    """A cape on a figure that walks: trunk and legs bend, the shoulders sway."""
    time = np.arange(frames) / 24.0
    spine = np.array([[0.0, 0.0, 0.9], [0.0, 0.0, 1.5]])
    trunk = shapes.capsule(spine[0], spine[1], 0.17, 10, 16)
    legs = [shapes.capsule(np.array([0.0, y, 0.08]), np.array([0.0, y, 0.66]), 0.07) for y in (-0.12, 0.12)]
    parts = (trunk, *legs)
    count = np.cumsum([0, *(len(part[0]) for part in parts)])
    figure = shapes.joined(*parts)
    places = np.empty((frames, len(figure[0]), 3))
    for frame, t in enumerate(time):
        swing, begun = np.sin(6.0 * t), min(t / 0.5, 1.0)
        places[frame] = figure[0]
        body = places[frame, : count[1]]
        body[:, 1] += 0.05 * begun * swing * (body[:, 2] - 0.7)
        for number, sign in ((1, 1.0), (2, -1.0)):
            leg = places[frame, count[number] : count[number + 1]]
            leg[:] = (leg - [0, 0, 0.66]) @ shapes.rotation(1, sign * 0.5 * begun * swing).T + [0, 0, 0.66]
        places[frame, :, 0] += 0.9 * (np.sqrt(t * t + 0.04) - 0.2)
    sheet = shapes.turned(shapes.sheet(36, 26, 1.0, 0.62), 1, np.pi / 2.0)
    sheet = shapes.moved(roughened(sheet, random), -0.21, 0.0, 1.02)
    top = np.flatnonzero(sheet[0][:, 2] > sheet[0][:, 2].max() - 0.02)
    sway = np.stack([0.9 * (np.sqrt(time**2 + 0.04) - 0.2), 0.04 * np.sin(6.0 * time) * np.minimum(time / 0.5, 1.0)], 1)
    targets = sheet[0][None, top] + np.concatenate([sway, np.zeros((frames, 1))], axis=1)[:, None]
    return Content((cloth("cape", sheet, pins=held(top, targets)),), (deforming_collider("figure", places, figure),))


CASES = (
    *(Case(f"cube{side * side}", partial(over_cube, side), 48) for side in (2, 12, 32)),
    Case("cube16384", partial(over_cube, 128), 30),
    Case("post", on_post, 40),
    Case("sphere", over_sphere, 48),
    Case("spinning", spinning, 72),
    Case("funnel", funnel, 60),
    Case("jaws", jaws, 60, pinch=(5, 38)),
    Case("cape", cape, 60),
    Case("rollers", rollers, 60, pinch=(1, 60)),
    Case("curtain", curtain, 24),
    Case("floor", moving_floor, 60),
    Case("wire", wire, 40),
    Case("bowl", open_bowl, 48),
)
