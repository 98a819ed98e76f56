# SPDX-License-Identifier: GPL-3.0-or-later
"""Ribbons that are bent to cross themselves."""

import numpy as np

# places along a ribbon in the XZ plane; it comes back to the origin, on to the other side
ALPHA = np.array(
    [
        [-0.6, 0.0], [-0.4, 0.0], [-0.2, 0.0], [0.0, 0.0], [0.2, 0.0], [0.35, 0.1],
        [0.4, 0.25], [0.35, 0.4], [0.2, 0.45], [0.05, 0.35], [0.0, 0.2], [0.0, 0.0], [0.0, -0.2], [0.0, -0.4],
    ]
)  # fmt: skip


def as_alpha(across=9):
    """A ribbon of 1 m width that goes through itself at a line of its vertices: positions [m], and triangles."""
    width, along = np.linspace(-0.5, 0.5, across), len(ALPHA)
    x, z = (np.repeat(places, across) for places in ALPHA.T)
    points = np.column_stack([x, np.tile(width, along), z])
    numbers = np.arange(len(points)).reshape(along, across)
    quads = np.stack([numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]], axis=-1).reshape(-1, 4)
    return points, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3).astype(np.int32)
