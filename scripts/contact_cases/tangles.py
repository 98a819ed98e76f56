# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that go through each other, or through themselves, in all the ways in which contours can end.

Two sheets meet in a closed contour, or in one that ends at the border of one of them or of both. Within a sheet it may
also end where the two places at which the sheet meets itself come together: at a pinch point. These are the cases of
Wicke, Lanker & Gross 2006, "Untangling cloth with boundaries".
"""

from __future__ import annotations

import numpy as np

from .shapes import Floats, Mesh, rotation

# corner: the contour ends at the border of one sheet. edge: once at that of each. bump: it is closed. waves: it is
# several. cross: it goes from border to border through the middle. strip: likewise, of a narrow sheet. ridge: a fold
# comes through, so that two such contours belong together
SHEETS = ("corner", "edge", "bump", "waves", "cross", "strip", "ridge")
# of a sheet with itself. loop: from border to border. neck: it is closed. pinch: it ends at two pinch points. cone: at
# one, and at the border
SELVES = ("loop", "neck", "pinch", "cone")
WAYS = (*SHEETS, *SELVES)
# coarse: few triangles, which go through many of another sheet
MESHES = ("grid", "irregular", "coarse")
SIDES = {"grid": 12, "irregular": 11, "coarse": 5}


def sheet(kind: str = "grid", width: float = 1.0, seed: int = 1) -> Mesh:
    """A flat sheet of triangles, of 1 m length: a grid, triangles that no two are alike of, or few."""
    along = SIDES[kind]
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


def tangled_sheets(way: str, kind: str = "grid") -> list[Mesh]:
    """Two sheets, or the one that goes through itself."""
    if way in SELVES:
        vertices, triangles = sheet(kind)
        bent = {"loop": _loop, "neck": _neck, "pinch": _pinch, "cone": _cone}[way]
        return [(bent(vertices[:, 0], vertices[:, 1]), triangles)]
    vertices, triangles = sheet(kind, 0.4 if way == "strip" else 1.0, seed=2)
    vertices = vertices + np.array([0.013, 0.027, 0.0])
    from_middle = np.linalg.norm(vertices[:, :2], axis=1)
    if way == "corner":
        vertices = vertices @ (rotation(1, 0.5) @ rotation(2, 0.7)).T + np.array([0.1, 0.05, 0.2])
    elif way == "edge":
        vertices = vertices @ rotation(1, 0.35).T + np.array([-0.1, 0.0, 0.12])
    elif way == "bump":
        vertices[:, 2] += 0.03 - (0.2 if kind == "coarse" else 0.12) * np.exp(-((from_middle / 0.18) ** 2))
    elif way == "waves":
        vertices[:, 2] += 0.004 + 0.03 * np.sin(9.0 * vertices[:, 0] + 0.3) * np.cos(7.0 * vertices[:, 1])
    elif way == "cross":
        vertices = vertices @ rotation(1, 0.6).T
    elif way == "strip":
        vertices = vertices @ rotation(1, 0.8).T + np.array([0.02, 0.0, 0.01])
    elif way == "ridge":
        vertices[:, 2] += 0.05 - 0.15 * np.clip(1.0 - np.abs(vertices[:, 0]) / 0.27, 0.0, 1.0)
    # a coarse sheet goes through a fine one
    return [sheet("grid" if kind == "coarse" else kind), (vertices, triangles)]


def pokes(*places: list[float]) -> list[Mesh]:
    """A sheet of 1 m, and as one mesh small ones upright, one with its centre at each place."""
    vertices, triangles = sheet("coarse")
    small = 0.1 * vertices @ rotation(1, np.pi / 2.0).T
    parts = [small + np.array(place) for place in places]
    faces = [triangles + k * len(vertices) for k in range(len(places))]
    return [sheet(), (np.concatenate(parts), np.concatenate(faces).astype(np.int32))]


def _loop(along: Floats, across: Floats) -> Floats:
    """A sheet bent to an α."""
    turn = np.radians(135.0)
    angle = np.clip(along / 0.25, -1.0, 1.0) * turn
    arm = 1.8 * np.sign(along) * np.maximum(np.abs(along) - 0.25, 0.0)
    x = 0.2 * np.sin(angle) + arm * np.cos(turn)
    z = -0.2 * np.cos(angle) + np.abs(arm) * np.sin(turn)
    return np.stack([x, 0.6 * across + 0.15 * x, z], axis=1)


def _neck(along: Floats, across: Floats) -> Floats:
    """A sheet folded in two, one half of which bulges through the other."""
    radius = 0.05
    angle = np.clip(along / radius, -np.pi / 2.0, np.pi / 2.0)
    arm = np.abs(along) - np.abs(angle) * radius
    bulge = 0.16 * np.exp(-(((arm - 0.22) / 0.14) ** 2) - (across / 0.18) ** 2)
    z = radius * np.sin(angle) - np.where(angle > np.pi / 2.0 - 1e-9, bulge, 0.0)
    return np.stack([arm - radius * np.cos(angle), across + 0.0, z], axis=1)


def _pinch(along: Floats, across: Floats) -> Floats:
    """A sheet with a fold that goes through itself in its middle, but not at its ends."""
    return _crease(along, across, 4.0 * np.exp(-((across / 0.2) ** 2)))


def _cone(along: Floats, across: Floats) -> Floats:
    """A sheet with a fold that goes through itself at the border, but not in the middle."""
    return _crease(along, across, 4.0 * np.exp(-(((across + 0.5) / 0.4) ** 2)))


def _crease(along: Floats, across: Floats, drawn: Floats) -> Floats:
    """A fold that goes through itself where ``drawn`` exceeds 1, and ends in a pinch point where it is 1."""
    profile = np.exp(-((along / 0.12) ** 2))
    return np.stack([along * (1.0 - drawn * profile), across + 0.0, 0.12 * drawn / 4.0 * profile], axis=1)
