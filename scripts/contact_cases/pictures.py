# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a contact sheet of a run: four moments, shaded by the direction of the faces."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from .judge import Judge
from .running import Outcome
from .shapes import Floats

# no window is needed
mpl.use("Agg")

from matplotlib import pyplot as plt
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

LIGHT = np.array([0.3, -0.6, 0.75])
COLLIDER_COLOUR = (0.55, 0.55, 0.55)


def draw_sheet(judge: Judge, outcome: Outcome, title: str, path: Path) -> None:
    """Write a PNG of the moments that a run kept."""
    figure = plt.figure(figsize=(14.0, 4.0), dpi=80)
    everything = [judge.places(surface, frame) for frame, surface in outcome.surfaces]
    bodies = judge.object_of < judge.body_count
    for number, ((frame, _), places) in enumerate(zip(outcome.surfaces, everything, strict=True), 1):
        axes = figure.add_subplot(1, 4, number, projection="3d")
        axes.add_collection3d(_shaded(judge, places))
        low, high = places[bodies].min(axis=0), places[bodies].max(axis=0)
        centre, reach = (low + high) / 2.0, float((high - low).max()) / 2.0
        axes.set(xlim=(centre[0] - reach, centre[0] + reach), ylim=(centre[1] - reach, centre[1] + reach))
        axes.set(zlim=(centre[2] - reach, centre[2] + reach), title=f"frame {frame}")
        axes.view_init(22, -60)
        axes.set_axis_off()
    figure.suptitle(title)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def _shaded(judge: Judge, places: Floats) -> Poly3DCollection:
    corners = places[judge.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    bright = 0.35 + 0.65 * np.abs(normals @ (LIGHT / np.linalg.norm(LIGHT)))
    owner = judge.object_of[judge.triangles[:, 0]]
    palette = plt.get_cmap("tab10")(np.arange(10))[:, :3]
    colours = np.where((owner < judge.body_count)[:, None], palette[owner % 10], COLLIDER_COLOUR)
    alpha = np.where(owner < judge.body_count, 1.0, 0.35)
    return Poly3DCollection(corners, facecolors=np.column_stack([colours * bright[:, None], alpha]), edgecolors="none")
