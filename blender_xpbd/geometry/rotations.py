# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations: taken out of matrices, and interpolated at a constant angular speed.

Quaternions are (w, x, y, z). Angles come from both the sine and the cosine, so that the smallest turn and half a turn
are as exact as all others: the arc cosine of a number near 1 is lost in rounding.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def rotation_and_stretch(matrices: Floats) -> tuple[Floats, Floats]:
    """Polar decomposition M = R S with a proper rotation R.

    Of a mirror (det M < 0) it is that of −M, so that S = −S' mirrors through the point. This R is unique, and
    follows an animated mirror without jumps.

    Args:
        matrices: not singular, shape (…, 3, 3).
    """
    left, values, right = np.linalg.svd(matrices)
    handedness = np.sign(np.linalg.det(left) * np.linalg.det(right))[..., None, None]
    rotation = handedness * (left @ right)
    stretch = handedness * (np.swapaxes(right, -1, -2) @ (values[..., :, None] * right))
    return rotation, stretch


def plane_frames(matrices: Floats) -> Floats:
    """Frames of the planes z = 0 of mapped spaces: z is the normal M⁻ᵀ e_z, x the direction of M e_x.

    Args:
        matrices: not singular, shape (…, 3, 3).

    Returns:
        proper rotations, the frame's axes in their columns, shape (…, 3, 3).
    """
    x, y = _unit(matrices[..., :, 0]), _unit(matrices[..., :, 1])
    handedness = np.sign(np.linalg.det(matrices / np.abs(matrices).max(axis=(-2, -1), keepdims=True)))
    z = _unit(np.cross(x, y)) * handedness[..., None]
    frames: Floats = np.stack([x, np.cross(z, x), z], axis=-1)
    return frames


def quaternions(rotations: Floats) -> Floats:
    """Unit quaternions of proper rotations, shape (…, 4), of either sign.

    Each is the longest row of 4 q qᵀ, which is linear in the matrix: nothing cancels out (Shepperd 1978).

    Args:
        rotations: shape (…, 3, 3).
    """
    r = rotations
    trace = np.trace(r, axis1=-2, axis2=-1)
    products = np.empty((*r.shape[:-2], 4, 4))
    products[..., 0, 0] = 1.0 + trace
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products[..., i + 1, i + 1] = 1.0 - trace + 2.0 * r[..., i, i]
        products[..., 0, i + 1] = products[..., i + 1, 0] = r[..., k, j] - r[..., j, k]
        products[..., i + 1, j + 1] = products[..., j + 1, i + 1] = r[..., i, j] + r[..., j, i]
    longest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    return _unit(np.take_along_axis(products, longest[..., None, None], axis=-2)[..., 0, :])


def interpolated_rotations(first: Floats, second: Floats, times: Floats) -> Floats:
    """Rotations at a constant angular speed from the first to the second, by the shorter way (Shoemake 1985).

    Where both are the same, they are returned bit for bit.

    Args:
        first: proper rotations, shape (…, 3, 3).
        second: as many.
        times: 0 at the first, 1 at the second, shape (times,).

    Returns:
        shape (times, …, 3, 3).
    """
    turn = _quotient(quaternions(second), quaternions(first))
    turn = np.where(turn[..., :1] < 0.0, -turn, turn)
    sine = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    # a turn of nothing has any axis
    axis = turn[..., 1:] / np.where(sine > 0.0, sine, 1.0)
    half_angle = np.arctan2(sine, turn[..., :1])
    angles = times.reshape(-1, *([1] * half_angle.ndim)) * half_angle
    return _turned(np.cos(angles), np.sin(angles) * axis, first)


def _quotient(second: Floats, first: Floats) -> Floats:
    """Second times the inverse of first: exactly (±1, 0, 0, 0) where they are the same."""
    w, v, p, u = second[..., :1], second[..., 1:], first[..., :1], first[..., 1:]
    return np.concatenate([w * p + (v * u).sum(axis=-1, keepdims=True), p * v - w * u - np.cross(v, u)], axis=-1)


def _turned(scalar: Floats, vector: Floats, matrices: Floats) -> Floats:
    """The columns of matrices, turned by unit quaternions of shapes (times, …, 1) and (times, …, 3)."""
    columns = np.swapaxes(matrices, -1, -2)
    v = np.broadcast_to(vector[..., None, :], (*vector.shape[:-1], 3, 3))
    twist = 2.0 * np.cross(v, columns)
    turned: Floats = columns + scalar[..., None] * twist + np.cross(v, twist)
    return np.swapaxes(turned, -1, -2)


def _unit(vectors: Floats) -> Floats:
    # scaled first: the square of a tiny number is 0
    scaled = vectors / np.abs(vectors).max(axis=-1, keepdims=True)
    units: Floats = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return units
