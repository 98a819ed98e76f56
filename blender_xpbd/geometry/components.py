# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of a graph given as pairs, in plain NumPy."""

from __future__ import annotations

import numpy as np


def connected_components(node_count: int, pairs: np.ndarray) -> np.ndarray:
    """Label every node with the smallest node of its component.

    Rounds of hooking (the larger root is attached to the smaller one) and pointer jumping; a root is always the
    smallest node of its tree, so the labels do not depend on the order of the pairs.

    Args:
        node_count: number of nodes.
        pairs: linked nodes, shape (pairs, 2), integers.

    Returns:
        Labels, shape (node_count,), int64: the index of the smallest node that is connected to each node.

    Source: Shiloach & Vishkin 1982, "An O(log n) parallel connectivity algorithm".
    """
    labels = np.arange(node_count, dtype=np.int64)
    first, second = pairs[:, 0], pairs[:, 1]
    while True:
        first, second = labels[first], labels[second]
        apart = first != second
        if not apart.any():
            return labels
        first, second = first[apart], second[apart]
        labels[np.maximum(first, second)] = np.minimum(first, second)
        while True:
            jumped = labels[labels]
            if np.array_equal(jumped, labels):
                break
            labels = jumped


def dense_labels(labels: np.ndarray) -> tuple[np.ndarray, int]:
    """Number the components 0, 1, 2, … in the order of their smallest nodes.

    Args:
        labels: a result of ``connected_components``.

    Returns:
        The new labels, shape (nodes,), int64, and their count.
    """
    is_root = labels == np.arange(len(labels))
    number = np.cumsum(is_root) - 1
    return number[labels], int(is_root.sum())
