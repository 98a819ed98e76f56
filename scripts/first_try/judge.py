# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a first try: nothing explodes, and nothing that an artist does not expect goes untold.

The bounds are chosen by hand, far from what a sound bake does: they are to find what anybody sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.body_kinds import body_kind

from .running import Tried
from .tries import Try

_GRAVITY, _FPS = 9.81, 24.0
# times its length that its box may be wide, its speed per that of a free fall over all its heights
MOST_WIDTH, MOST_SPEED = 2.0, 1.5
# strain of the edges at any frame and at the last one, share of tetrahedra inside out
MOST_STRAIN, MOST_STRAIN_LEFT, MOST_INVERTED = 4.0, 1.0, 0.01
# shares of its length: by which something starts inside the floor, and by which at least it moves
INSIDE, STILL = 0.02, 0.02
# of its least thickness: what is left of a jelly that is flat
FLAT = 0.7


@dataclass(frozen=True)
class Verdict:
    """What was measured, and what is wrong.

    Attributes:
        width: greatest side of its box per its length at first.
        speed: greatest speed of a vertex per that of a free fall over all its heights.
        strain: greatest one of an edge of the mesh, over all frames.
        strain_left: likewise at the last frame.
        inverted: greatest share of tetrahedra inside out.
        told: codes of what Check and the bake told.
        explosions: what exploded.
        silences: what went untold.
    """

    width: float
    speed: float
    strain: float
    strain_left: float
    inverted: float
    told: tuple[str, ...]
    explosions: tuple[str, ...] = ()
    silences: tuple[str, ...] = ()


def judge(what: Try, tried: Tried) -> Verdict:
    """Measure what came, and compare it with the bounds and with what was told."""
    if not np.isfinite(tried.motion).all():
        return Verdict(0.0, 0.0, 0.0, 0.0, 0.0, (), ("positions that are no finite numbers",))
    motion = tried.motion.astype(np.float64)
    sides = np.ptp(motion, axis=1)
    length = float(sides[0].max())
    speeds = np.linalg.norm(np.diff(motion, axis=0), axis=2) * _FPS
    fall = np.sqrt(2.0 * _GRAVITY * max(float(np.ptp(motion[:, :, 2])), 1e-9))
    strains = _strains(motion, tried.edges) if what.role != "GRAINS" else np.zeros(len(motion))
    tetrahedra = int(tried.report.get("tetrahedra", 0))
    texts = (*tried.findings, *tried.report.get("warnings", ()), tried.fault.removeprefix("Error: "))
    told = tuple(sorted({text.partition(":")[0] for text in texts if text}))
    inverted = tried.report.get("inverted_tetrahedra", 0) / max(tetrahedra, 1)
    verdict = Verdict(
        float(sides.max()) / length,
        float(speeds.max(initial=0.0) / fall),
        float(strains.max()),
        float(strains[-1]),
        float(inverted),
        told,
    )
    explosions = tuple(_explosions(verdict))
    silences = tuple(text for code, text in _unexpected(what, tried, motion, length) if code not in told)
    return Verdict(**{**vars(verdict), "explosions": explosions, "silences": silences})


def _strains(motion: npt.NDArray[np.float64], edges: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Greatest |length per that at first - 1| of the edges, shape (frames,)."""
    if not len(edges):
        return np.zeros(len(motion))
    lengths = np.linalg.norm(motion[:, edges[:, 0]] - motion[:, edges[:, 1]], axis=2)
    strains: npt.NDArray[np.float64] = np.abs(lengths / lengths[0] - 1.0).max(axis=1)
    return strains


def _explosions(verdict: Verdict) -> Iterator[str]:
    if "E_DIVERGED" in verdict.told:
        yield "blew up"
    for name, value, most in (
        ("box", verdict.width, MOST_WIDTH),
        ("speed", verdict.speed, MOST_SPEED),
        ("strain", verdict.strain, MOST_STRAIN),
        ("strain at the end", verdict.strain_left, MOST_STRAIN_LEFT),
        ("share inside out", verdict.inverted, MOST_INVERTED),
    ):
        if value > most:
            yield f"{name} {value:.3g}"


def _unexpected(what: Try, tried: Tried, motion: npt.NDArray[np.float64], length: float) -> Iterator[tuple[str, str]]:
    """What an artist does not expect, with the code that tells it."""
    if tried.fault:
        code = tried.fault.removeprefix("Error: ").partition(":")[0]
        # said when the role was given, and not only by the bake
        if not any(finding.startswith(code) for finding in tried.findings):
            yield "", f"{code} is not found by Check"
        return
    kind = body_kind(what.role)
    if what.has_floor and motion[0, :, 2].min() < -INSIDE * length:
        yield "W_INSIDE", "starts inside the floor"
    if not what.has_floor:
        yield "W_FALLS", "falls for ever"
    if np.linalg.norm(motion - motion[0], axis=2).max() < STILL * length:
        yield "W_LIES", "nothing moves"
    if motion.shape[1] < kind.least_vertices:
        yield "W_COARSE", "too few vertices"
    if kind.is_solid and _thickness(motion[-1]) < FLAT * _thickness(motion[0]):
        yield "W_SIZE", "flat"
    if tried.report.get("inverted_tetrahedra"):
        yield "W_INVERTED", "inside out"


def _thickness(points: npt.NDArray[np.float64]) -> float:
    """Standard deviation along the axis along which it is least."""
    return float(np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[-1])
