# SPDX-License-Identifier: GPL-3.0-or-later
"""The shadow of a draped disc."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# the standard's: a specimen of 30 cm on a support of 18 cm (BS 5058:1973, ISO 9073-9)
SPECIMEN_RADIUS = 0.15
SUPPORT_RADIUS = 0.09
DIRECTIONS = 720
SAMPLES = 12


def outline(positions: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """How far the shadow on the XY plane reaches in every direction from the origin [m], shape (DIRECTIONS,)."""
    steps = np.arange(SAMPLES + 1) / SAMPLES
    u, v = np.meshgrid(steps, steps)
    inside = u + v <= 1.0 + 1e-9
    weights = np.stack([1.0 - u[inside] - v[inside], u[inside], v[inside]], axis=1)
    points = np.einsum("sc,tcx->tsx", weights, positions[triangles][:, :, :2]).reshape(-1, 2)
    angle = np.arctan2(points[:, 1], points[:, 0]) % (2.0 * np.pi)
    reach = np.zeros(DIRECTIONS)
    np.maximum.at(reach, (angle / (2.0 * np.pi) * DIRECTIONS).astype(int) % DIRECTIONS, np.linalg.norm(points, axis=1))
    return reach


def drape_coefficient(positions: npt.NDArray[np.float64], triangles: npt.NDArray[np.int32]) -> float:
    """Share of the overhanging ring's area that lies in the shadow (Cusick 1968) [%]."""
    area = np.pi * (outline(positions, triangles) ** 2).mean()
    support = np.pi * SUPPORT_RADIUS**2
    return float(100.0 * (area - support) / (np.pi * SPECIMEN_RADIUS**2 - support))
