# SPDX-License-Identifier: GPL-3.0-or-later
"""Which particles hang together by constraints."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ...constraints.constraint import ConstraintBlock
from ...geometry.components import connected_components


def linked_particles(
    count: int, blocks: Iterable[ConstraintBlock], known: npt.NDArray[np.int32] | None = None
) -> npt.NDArray[np.int32]:
    """Label every particle with the first of those that it hangs together with.

    Args:
        count: particles.
        blocks: constraints, which link their particles.
        known: labels from other links; None for none.
    """
    labels = known
    for block in blocks:
        if block.pools is None:
            pairs = [block.indices[:, [0, k]] for k in range(1, block.indices.shape[1])]
        else:
            rows = [block.members(n) for n in range(len(block))]
            pairs = [np.stack([np.full(len(row), row[0]), row], axis=1) for row in rows]
        for links in pairs:
            labels = connected_components(count, links, labels)
    return np.arange(count, dtype=np.int32) if labels is None else labels
