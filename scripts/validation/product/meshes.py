# SPDX-License-Identifier: GPL-3.0-or-later
"""Unlike meshes of the same shape, and what is measured of a motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from contact_cases import shapes
from contact_cases.shapes import Floats, Mesh, triangles_of

from ..meshes import grid

BALLS = ("quads", "rings", "coarse")
CUBES = ("six faces", "quads", "triangles")
SHEETS = ("quads", "triangles", "crossed")


def ball(kind: str, radius: float, height: float) -> Mesh:
    """A ball whose lowest point is at a height [m], of one of ``BALLS``."""
    if kind == "rings":
        angle = np.linspace(0.0, np.pi, 18)[1:-1]
        curve = np.stack([0.0 * angle, 0.0 * angle, -np.cos(angle)], axis=1)
        mesh = shapes.tube(radius * curve, radius * np.sin(angle), 24)
        mesh[0][-2:] = [[0.0, 0.0, -radius], [0.0, 0.0, radius]]
    else:
        mesh = shapes.sphere(radius, 3 if kind == "coarse" else 10)
    return shapes.moved(mesh, 0.0, 0.0, height - float(mesh[0][:, 2].min()))


def cube(kind: str, size: float, height: float) -> Mesh:
    """A cube whose lower face is at a height [m], of one of ``CUBES``."""
    cells = {"six faces": 1, "quads": 6, "triangles": 5}[kind]
    positions, quads = shapes.box((size, size, size), (cells, cells, cells))
    mesh = positions, triangles_of((positions, quads)) if kind == "triangles" else quads
    return shapes.moved(mesh, 0.0, 0.0, height + 0.5 * size)


def sheet(kind: str, length: float, width: float, along: int, across: int) -> Mesh:
    """A level sheet from X = 0 to its length, about the X axis, of one of ``SHEETS``; cells along and across."""
    positions, sizes, corners = grid(length, width, along, across, kind)
    return positions - [0.0, 0.5 * width, 0.0], corners.reshape(len(sizes), -1)


def centres(motion: Floats) -> Floats:
    """Mean of the vertices at each frame [m], shape (frames, 3)."""
    places: Floats = motion.mean(axis=1)
    return places


def volumes(motion: Floats, faces: np.ndarray) -> Floats:
    """What a closed surface encloses at each frame [m³], shape (frames,)."""
    a, b, c = (motion[:, corner] for corner in triangles_of((motion[0], faces)).T)
    found: Floats = np.einsum("fti,fti->f", a, np.cross(b, c)) / 6.0
    return found


def tilt(rest: Floats, after: Floats) -> float:
    """Angle between the Z axis and where the best rotation takes it [degrees]."""
    own, before = after - after.mean(axis=0), rest - rest.mean(axis=0)
    left, _, right = np.linalg.svd(own.T @ before)
    return float(np.degrees(np.arccos(np.clip((left @ right)[2, 2], -1.0, 1.0))))


def edge_strains(rest: Floats, after: Floats, faces: np.ndarray) -> Floats:
    """Length over rest length, less 1, of all sides of the faces."""
    ends = np.unique(np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1), axis=0)
    lengths = [np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1) for points in (rest, after)]
    strains: Floats = lengths[1] / lengths[0] - 1.0
    return strains


def box_collider(size: tuple[float, float, float], top: float) -> Mesh:
    """A box whose upper face is at a height [m]."""
    return shapes.moved(shapes.box(size), 0.0, 0.0, top - 0.5 * size[2])


def values(role: str, preset: str = "", **others: str | float | int | bool) -> Mapping[str, str | float | int | bool]:
    """Settings of an object: its role, its preset unless it is the default one, then others."""
    return {"role": role, **({"preset": preset} if preset else {}), **others}
