# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground to fall onto, for tests."""

import numpy as np

from blender_xpbd.scene.collider import Collider


def about_y(angle):
    """A rotation that lowers what is at +X, shape (3, 3)."""
    return np.array([[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]])


def sheet(profile, width=4.0, identifier="c0", friction=0.5):
    """A mesh of quads along Y through points (x, z)."""
    points = np.asarray(profile, float)
    rows = [np.stack([points[:, 0], np.full(len(points), y), points[:, 1]], axis=1) for y in (-width / 2, width / 2)]
    first = np.arange(len(points) - 1)
    second = first + len(points)
    triangles = np.concatenate(
        [np.stack([first, first + 1, second], axis=1), np.stack([first + 1, second + 1, second], axis=1)]
    )
    return Collider(
        identifier,
        "Ground",
        "MESH",
        np.eye(4)[None],
        np.concatenate(rows)[None],
        triangles.astype(np.int32),
        friction=friction,
    )


def turned(collider, angle):
    """A collider that is turned about the Y axis."""
    matrix = np.eye(4)
    matrix[:3, :3] = about_y(angle)
    return Collider(
        collider.identifier,
        collider.name,
        collider.shape,
        (matrix @ collider.transforms[0])[None],
        collider.positions,
        collider.triangles,
        collider.radius,
        collider.friction,
    )
