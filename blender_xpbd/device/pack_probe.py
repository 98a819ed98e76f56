# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a device takes packs, by trying."""

import numpy as np
import taichi as ti

from .packs import pack_type

INTS = ti.types.ndarray(dtype=ti.i32, ndim=1)
Probe = pack_type(probe_first=INTS, probe_second=INTS)


@ti.kernel
def combine(found: INTS, pack: Probe):  # noqa: ANN201, Taichi takes None for a type of result
    """What comes out right only where both arrays are bound in their places."""
    for i in range(found.shape[0]):
        found[i] = pack.probe_first[i] + 10 * pack.probe_second[i]


def probe_packs() -> bool:
    """Whether the device computes with a pack what it should."""
    found, first, second = (ti.ndarray(ti.i32, 3) for _ in range(3))
    for array, value in ((found, 0), (first, 3), (second, 4)):
        array.fill(value)
    try:
        combine(found, Probe(probe_first=first, probe_second=second))
        return bool(np.array_equal(found.to_numpy(), np.full(3, 43)))
    except RuntimeError:
        # so Taichi says what a device cannot do
        return False
