# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the plot of a case."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from .case import Plot

# no window is needed
mpl.use("Agg")

from matplotlib import pyplot as plt


def draw(plot: Plot, path: Path) -> None:
    """Write a PNG of about 10 kB, the same bytes for the same numbers."""
    figure, axes = plt.subplots(figsize=(6.0, 3.2), dpi=80, layout="constrained")
    for curve in plot.curves:
        axes.plot(curve.x, curve.y, curve.style, label=curve.label, linewidth=1.2, markersize=4)
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    if plot.is_log_x:
        axes.set_xscale("log")
    if plot.is_log_y:
        axes.set_yscale("log")
    if plot.is_equal:
        axes.set_aspect("equal")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
