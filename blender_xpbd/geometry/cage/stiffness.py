# SPDX-License-Identifier: GPL-3.0-or-later
"""Which share of its material's stiffness each tetrahedron of a cage has, so that the body bends as its mesh does.

With the fill as their share, tetrahedra store what the material does where the strain is even, but too much in
bending, for two reasons. A cell that is filled in part is as deep as a full one. And the strain of a linear tetrahedron
is constant: what the true one varies by within it is stored besides, as β h² E |∇ε|² per volume for a cell of size h.
By parts, for strains that are harmonic, the second is what stiffness stores that lies farther out at the surface. So
both are the same fault: the stiffness of a cage lies too far out, whatever the thickness.

A tetrahedron acts like stiffness that is spread over its neighbours. S is the mean over all that meets in its corners,
also where the cage has ended and the fill is 0. So the shares s are those with S s = fill. A few steps of Richardson
and Lucy come near them. They keep shares positive, their sum what it is, and 1 deep inside:

    s ← s · S(fill / S s)

More steps make stiffness uneven along the body, which then stretches more.

Source: Richardson 1972, "Bayesian-based iterative method of image restoration"; Lucy 1974. What they gain, and what is
left, is in docs/experiments.md, Stiffness of a cage.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# how many steps, and between which shares: found on bars and cylinders that are bent, stretched and twisted by exact
# loads (docs/experiments.md, Stiffness of a cage). Below the least a cell could fold up; above the greatest, hard cells
# ask for substeps
STEPS = 3
LEAST_SHARE, GREATEST_SHARE = 0.05, 1.6
# tetrahedra that meet in a vertex inside the lattice
MEETING = 24


def stiffness_shares(tetrahedra: npt.NDArray[np.int32], fill: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """The share of each tetrahedron of a cage.

    Args:
        tetrahedra: of equal volume, shape (tetrahedra, 4).
        fill: of ``Cage``, shape (tetrahedra,).

    Returns:
        Shares, shape (tetrahedra,), float32, LEAST_SHARE to GREATEST_SHARE. Their sum is that of the fill, unless no
        such shares have it.
    """
    count, total = int(tetrahedra.max()) + 1, float(fill.sum())
    shares = np.clip(fill, LEAST_SHARE, GREATEST_SHARE)
    for _ in range(STEPS):
        wanted = fill / _spread(tetrahedra, shares, count)
        shares *= _spread(tetrahedra, wanted, count)
        shares *= total / shares.sum()
        np.clip(shares, LEAST_SHARE, GREATEST_SHARE, out=shares)
    return shares.astype(np.float32)


def _spread(tetrahedra: npt.NDArray[np.int32], values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    """Means over the corners of the means over the tetrahedra that would meet there, shape (tetrahedra,)."""
    sums = np.zeros(count)
    for column in tetrahedra.T:
        sums += np.bincount(column, values, count)
    spread = np.zeros(len(tetrahedra))
    for column in tetrahedra.T:
        spread += sums[column]
    spread *= 1.0 / (4.0 * MEETING)
    return spread
