# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a cloth is good: it stretches no more than it should, and moves as a converged run does.

Strain is that of triangles, by their greatest principal stretch, weighted by area: that of edges counts a mesh's
directions, not the cloth's. A converged run has 320 substeps of plain XPBD. Motion is told by the mean place of the
cloth's mass and its energy per mass, as shares of how far it comes and of the energy that this way sets free.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from contact_cases import shapes

from blender_xpbd.scene.settings import SolverSettings
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker.quality import by_material

from .cloth_classes import CLASSES, FRAMES, Sample
from .rows import Row
from .solver_cases import started

Floats = npt.NDArray[np.float64]

CONVERGED = 320
# frames at which strain is told: after 0.5, 1 and 2 s
STRAINED = (12, 24, 48)
# what a good cloth has at most: mean strain, 99th percentile, also per that of the converged run, and by which share
# of it motion may be off
MEAN, PERCENTILE, PER_CONVERGED, OFF = 0.01, 0.05, 1.5, 0.03
GRAVITY = 9.81


@dataclass(frozen=True)
class Motion:
    """Two seconds of a cloth.

    Attributes:
        places: centre of mass at each frame [m], shape (frames + 1, 3).
        kinetic: kinetic energy per mass at each frame [J/kg], shape (frames + 1,).
        strains: mean and 99th percentile of the strain at ``STRAINED``, shape (3, 2).
        times: processor time of each frame [s].
        substeps: of a frame.
    """

    places: Floats
    kinetic: Floats
    strains: Floats
    times: list[float]
    substeps: int

    @property
    def energies(self) -> Floats:
        """Kinetic energy and that of weight, per mass [J/kg], shape (frames + 1,)."""
        return self.kinetic + GRAVITY * self.places[:, 2]


def good_case(name: str, edge: float, fabric: str, device: str, substeps: int = 0) -> Row:
    """A row for a class of cloth at the substeps of *Normal*, or at given ones, beside its converged run."""
    sample = CLASSES[name](edge)
    settings = SolverSettings(substeps=substeps or SolverSettings().substeps, device=device)
    if not substeps:
        # as a bake at *Normal*: loose cloth has its springs swept several times
        settings = replace(settings, quality="MATERIAL")
        settings = by_material(build_system(sample.scene(fabric, settings)))
    found = moved(sample, fabric, settings)
    right = moved(sample, fabric, SolverSettings(substeps=CONVERGED, acceleration="NONE", device=device))
    return {"class": name, "fabric": fabric, "vertices": len(sample.mesh[0]), **compared(found, right)}


def moved(sample: Sample, fabric: str, settings: SolverSettings) -> Motion:
    """Simulate a cloth for two seconds."""
    system, solver, _ = started(sample.scene(fabric, settings))
    (model,) = system.models
    rest, triangles = sample.mesh[0], shapes.triangles_of(sample.mesh)
    shares = model.masses / model.masses.sum()
    places, kinetic, strains, times = [shares @ rest], [0.5 * float(np.square(sample.velocity).sum())], [], []
    for frame in range(1, FRAMES + 1):
        began = time.process_time()
        solver.advance()
        now = solver.positions()[: len(rest)].astype(np.float64) + system.origin
        times.append(time.process_time() - began)
        velocities = solver.checkpoint()["velocities"][: len(rest), :3].astype(np.float64)
        places.append(shares @ now)
        kinetic.append(0.5 * float(shares @ (velocities**2).sum(axis=1)))
        if frame in STRAINED:
            strains.append(strain(rest, now, triangles))
    return Motion(np.array(places), np.array(kinetic), np.array(strains), times, settings.substeps)


def strain(rest: Floats, now: Floats, triangles: npt.NDArray[np.int32]) -> tuple[float, float]:
    """Mean and 99th percentile, over the area, of how far triangles are strained along their greatest stretch."""
    sides = [
        np.stack([points[triangles[:, k]] - points[triangles[:, 0]] for k in (1, 2)], axis=-1) for points in (rest, now)
    ]
    grams = [np.swapaxes(side, 1, 2) @ side for side in sides]
    # squares of the principal stretches: eigenvalues of the deformed metric in the one at rest
    products = np.linalg.solve(*grams)
    half = 0.5 * np.trace(products, axis1=1, axis2=2)
    greatest = np.sqrt(half + np.sqrt(np.maximum(half**2 - np.linalg.det(products), 0.0)))
    areas = np.sqrt(np.linalg.det(grams[0]))
    strains = np.abs(greatest - 1.0)
    order = np.argsort(strains)
    below = np.cumsum(areas[order]) / areas.sum()
    return float(areas @ strains / areas.sum()), float(strains[order][np.searchsorted(below, 0.99)])


def compared(found: Motion, right: Motion) -> Row:
    """Strain, and by which share of the converged motion the path, the first swing and the energy are off."""
    offset = right.places - right.places[0]
    reach = np.linalg.norm(offset, axis=1).max()
    # along which the cloth swings, and its first turn
    axis = np.linalg.svd(offset)[2][0]
    swings = [(motion.places - motion.places[0]) @ axis for motion in (found, right)]
    turn = int(np.abs(swings[1]).argmax())
    set_free = max(float(right.kinetic.max()), GRAVITY * float(np.ptp(right.places[:, 2])))
    off = {
        "path": float(np.linalg.norm(found.places - right.places, axis=1).max() / reach),
        "swing": float(abs(np.abs(swings[0][: turn + 4]).max() / abs(swings[1][turn]) - 1.0)),
        **{f"energy {k} s": float((found.energies - right.energies)[24 * k] / set_free) for k in (1, 2)},
    }
    most = np.array([MEAN, PERCENTILE])
    limits = np.stack(
        [most * [1.0, 0.0] + [0.0, 1.0] * np.maximum(PERCENTILE, PER_CONVERGED * row) for row in right.strains]
    )
    is_good = (found.strains <= limits).all() and max(map(abs, off.values())) <= OFF
    return {
        "substeps": found.substeps,
        "ms/frame": 1e3 * statistics.median(found.times),
        **{f"strain % {seconds} s": _pair(row) for seconds, row in zip((0.5, 1, 2), found.strains, strict=True)},
        "converged %": _pair(right.strains[-1]),
        **{f"{name} off %": 100.0 * share for name, share in off.items()},
        "good": "yes" if is_good else "no",
    }


def _pair(strains: Floats) -> str:
    return " / ".join(f"{100.0 * number:.2g}" for number in strains)
