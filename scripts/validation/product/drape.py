# SPDX-License-Identifier: GPL-3.0-or-later
"""The drape test of fabrics, as an artist would set it up."""

from __future__ import annotations

import numpy as np
from contact_cases.shapes import Floats, triangles_of

from ..drape import AVERAGED, FRAMES, RANGES
from ..meshes import disc
from ..shadow import SPECIMEN_RADIUS, SUPPORT_RADIUS, drape_coefficient
from .meshes import values
from .probe import AMOUNT, Measure, Probe, product_case
from .shot import Baked, Shot, Thing

# of the range that was measured [points]
TOLERANCE = 5.0
# share of a ring's width by which vertices are moved about: folds need something that is not symmetric
UNEVEN = 0.15
# substeps of the converged runs; bending is solved in each of them
MANY = 480


def draped(preset: str, rings: int, seed: int = 0) -> Shot:
    """A disc of a fabric, of which what lies on the support is held, as the plates of the test do it."""
    positions, sizes, corners = disc(SPECIMEN_RADIUS, rings)
    radii = np.linalg.norm(positions[:, :2], axis=1)
    held = np.flatnonzero(radii <= SUPPORT_RADIUS + 1e-6).astype(np.int32)
    inner = (radii > SUPPORT_RADIUS + 1e-6) & (radii < SPECIMEN_RADIUS - 1e-6)
    moves: Floats = np.random.default_rng(seed).uniform(-1.0, 1.0, (len(positions), 2))
    positions[inner, :2] += UNEVEN * SPECIMEN_RADIUS / rings * moves[inner]
    thing = Thing("Fabric", positions, corners.reshape(len(sizes), -1), values("CLOTH", preset, damping=3.0), held)
    return Shot((thing,), FRAMES)


def coefficient(baked: Baked) -> float:
    """Drape coefficient, mean over the last frames, which still sway a little [%]."""
    (thing,) = baked.shot.things
    triangles = triangles_of((thing.positions, thing.faces))
    return float(np.mean([drape_coefficient(points, triangles) for points in baked.motion[-AVERAGED:]]))


def drape(preset: str) -> Measure:
    """That it lies in the range that was measured."""
    low, high = RANGES[preset]
    label = f"drape coefficient, {low:g} to {high:g} measured [%]"
    return Measure(label, coefficient, 0.5 * (low + high), 0.5 * (high - low) + TOLERANCE, AMOUNT)


CASES = (
    product_case(
        "product_drape",
        "drape of fabrics",
        "A disc of 30 cm over a support of 18 cm (BS 5058, ISO 9073-9): the share of the ring that its shadow covers. "
        "Wanted is the middle of what is measured by Cusick's method; the tolerance reaches 5 points beyond. Converged "
        f"runs have {MANY} substeps with a solve of bending in each; by default a frame has ten solves.",
        [
            *(
                Probe(f"cotton, {rings} rings", draped("COTTON", rings), (drape("COTTON"),), MANY)
                for rings in (10, 15, 20)
            ),
            Probe("cotton, 15 rings, other vertices", draped("COTTON", 15, seed=1), (drape("COTTON"),), MANY),
            *(
                Probe(f"{name.lower()}, 15 rings", draped(name, 15), (drape(name),), MANY)
                for name in RANGES
                if name != "COTTON"
            ),
        ],
    ),
)
