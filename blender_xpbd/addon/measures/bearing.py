# SPDX-License-Identifier: GPL-3.0-or-later
"""How thick what bears a body is: legs that it stands on, a neck or a stick by which it is held. Arrays alone.

A share of the surface or of the volume does not tell that. Ears and horns have as much as legs have, and bear
nothing but themselves. So a body is cut into bands across the way from what holds it. The least thickness of the bands
that have much of the body beyond them is what bears.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .surface_rays import SurfaceSamples

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# bands from what holds the body to its other end, and how many may be thinner than what is told: hoofs and the edge of
# a foot are. Chosen by hand, on the meshes of docs/experiments.md, Resolution from the mesh
BANDS, THINNER = 16, 3
# share of the volume beyond a band from which on it bears
BORNE = 0.25
# share of a band, by area of its section, that is thinner than its thickness: below a half, for a strip is two of them
# thick by rays along its width; as great as can be, for arms and ears beside a trunk bear nothing
SECTION_SHARE = 1.0 / 3.0
# cosine to the way from which on a ray goes along the band and not across it; rays of a band, at least and at most
ALONG, FEWEST_RAYS, MOST_RAYS = 0.8, 3, 16
# cosine between the way and gravity from which on it is gravity that is borne, and not a bar's bending
STEEP = 0.7
# of the body's length, how far its middle is at least from that of its pins, for the way to be known
LEAST_WAY = 0.05


def bearing_thickness(samples: SurfaceSamples, points: Floats, held: Ints, gravity: Floats) -> float:
    """Thickness of what bears a body, infinite where nothing tells which part that is.

    Args:
        samples: of its surface.
        points: its vertices in the coordinates of the samples, shape (vertices, 3).
        held: vertices that are held, shape (held,): it hangs on them. Without any it stands on what is lowest.
        gravity: in these coordinates, shape (3,).
    """
    places, normals = samples.places, samples.normals
    if len(held):
        way, begin = places.mean(axis=0) - points[held].mean(axis=0), points[held]
    else:
        way, begin = -gravity, places
    size = float(np.linalg.norm(way))
    if size <= (LEAST_WAY * samples.length if len(held) else 0.0):
        return math.inf
    way = way / size
    strength = float(np.linalg.norm(gravity))
    if strength > 0.0 and abs(float(way @ gravity)) > STEEP * strength:
        # feet that are not quite below the middle bear it along gravity all the same
        way = gravity * (np.sign(way @ gravity) / strength)
    along, slant = places @ way, normals @ way
    limits = np.linspace(float((begin @ way).max() if len(held) else along.min()), float(along.max()), BANDS + 1)
    band = np.where(np.abs(slant) < ALONG, np.searchsorted(limits, along, side="right") - 1, -1)
    found = []
    for number, limit in enumerate(limits[1:]):
        # by the divergence theorem of a field along the way that is 0 in the plane
        beyond = samples.area * float(slant @ np.maximum(along - limit, 0.0))
        own = np.flatnonzero(band == number)
        if beyond >= BORNE * samples.volume and len(own) >= FEWEST_RAYS:
            depths = samples.depths(own[:: -(-len(own) // MOST_RAYS)])
            found.append(_section_thickness(depths[np.isfinite(depths)]))
    return sorted(found)[THINNER] if len(found) > THINNER else math.inf


def _section_thickness(depths: Floats) -> float:
    """Thickness that a share of a section does not reach, infinite of none.

    A ray stands for a strip of the section as long as it is.
    """
    if not len(depths):
        return math.inf
    ordered = np.sort(depths)
    area = np.cumsum(ordered)
    return float(ordered[np.searchsorted(area, SECTION_SHARE * area[-1])])
