# SPDX-License-Identifier: GPL-3.0-or-later
"""Backward Euler for a chain by Newton's method, float64: shares no code with the solver."""

from __future__ import annotations

import numpy as np


def newton_chain(links: int, length: float, compliance: float, h: float, steps: int) -> np.ndarray:
    """Force on the support of a chain of 1 kg particles that is let go level [N], shape (steps,).

    Every step solves M (x − x̃) = ∇Cᵀ λ and C + α̃ λ = 0 (XPBD 2016, eq. 8 and 9) for x and λ at once, with
    the whole Jacobian and halved steps where the residual would grow.
    """
    x = np.stack([length * np.arange(1, links + 1), np.zeros(links)], axis=1)
    v, forces, multipliers = np.zeros_like(x), [], np.zeros(links)
    for number in range(steps):
        # the first step begins at rest with half a push, so that what falls freely is on its parabola
        v[:, 1] -= 9.81 * h * (1.0 if number else 0.5)
        predicted = x + h * v
        new, multipliers = _solve(x, predicted, multipliers, length, compliance / h**2)
        v, x = (new - x) / h, new
        forces.append(-multipliers[0] / h**2)
    return np.array(forces)


def _solve(
    x: np.ndarray, predicted: np.ndarray, multipliers: np.ndarray, length: float, alpha_tilde: float
) -> tuple[np.ndarray, np.ndarray]:
    count = len(x)
    for _ in range(200):
        residual, jacobian = _system(x, predicted, multipliers, length, alpha_tilde)
        size = np.linalg.norm(residual)
        if size < 1e-12:
            break
        change = np.linalg.solve(jacobian, -residual)
        step = 1.0
        while step > 1e-4:
            ahead, ahead_multipliers = (
                x + step * change[: 2 * count].reshape(-1, 2),
                multipliers + step * change[2 * count :],
            )
            if np.linalg.norm(_system(ahead, predicted, ahead_multipliers, length, alpha_tilde)[0]) < size:
                break
            step /= 2.0
        x, multipliers = ahead, ahead_multipliers
    return x, multipliers


def _system(
    x: np.ndarray, predicted: np.ndarray, multipliers: np.ndarray, length: float, alpha_tilde: float
) -> tuple[np.ndarray, np.ndarray]:
    """Residual of both equations and its Jacobian."""
    count = len(x)
    difference = np.diff(np.concatenate([np.zeros((1, 2)), x]), axis=0)
    distance = np.linalg.norm(difference, axis=1)
    normal = difference / distance[:, None]
    gradient = np.zeros((count, 2 * count))
    jacobian = np.zeros((3 * count, 3 * count))
    jacobian[: 2 * count, : 2 * count] = np.eye(2 * count)
    for k in range(count):
        bend = multipliers[k] / distance[k] * (np.eye(2) - np.outer(normal[k], normal[k]))
        own, before = slice(2 * k, 2 * k + 2), slice(2 * k - 2, 2 * k)
        gradient[k, own] = normal[k]
        jacobian[own, own] -= bend
        if k > 0:
            gradient[k, before] = -normal[k]
            jacobian[before, before] -= bend
            jacobian[own, before] += bend
            jacobian[before, own] += bend
    jacobian[: 2 * count, 2 * count :] = -gradient.T
    jacobian[2 * count :, : 2 * count] = gradient
    jacobian[2 * count :, 2 * count :] = alpha_tilde * np.eye(count)
    residual = np.concatenate(
        [(x - predicted).ravel() - gradient.T @ multipliers, distance - length + alpha_tilde * multipliers]
    )
    return residual, jacobian
