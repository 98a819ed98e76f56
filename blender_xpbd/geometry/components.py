# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of a graph given as pairs, in plain NumPy."""

from __future__ import annotations

import numpy as np

from .chunks import chunks


def connected_components(node_count: int, pairs: np.ndarray, known: np.ndarray | None = None) -> np.ndarray:
    """Label every node with the smallest node of its component.

    Rounds of hooking (the larger root is attached to the smaller one) and pointer jumping; a root is always the
    smallest node of its tree, so the labels do not depend on the order of the pairs.

    Args:
        node_count: number of nodes.
        pairs: linked nodes, shape (pairs, 2), integers.
        known: labels that other pairs gave, with which these count; None for none.

    Returns:
        Labels, shape (node_count,), int32: the index of the smallest node that is connected to each node.

    Source: Shiloach & Vishkin 1982, "An O(log n) parallel connectivity algorithm".
    """
    labels = np.arange(node_count, dtype=np.int32) if known is None else known.copy()
    first, second = np.array(pairs[:, 0], dtype=np.int32), np.array(pairs[:, 1], dtype=np.int32)
    while True:
        for ends in (first, second):
            for part in chunks(len(ends)):
                ends[part] = labels[ends[part]]
        apart = first != second
        if not apart.any():
            return labels
        if not apart.all():
            first, second = first[apart], second[apart]
        labels[np.maximum(first, second)] = np.minimum(first, second)
        while True:
            jumped = np.empty_like(labels)
            for part in chunks(len(labels)):
                jumped[part] = labels[labels[part]]
            if np.array_equal(jumped, labels):
                break
            labels = jumped


def dense_labels(labels: np.ndarray) -> tuple[np.ndarray, int]:
    """Number the components 0, 1, 2, … in the order of their smallest nodes.

    Args:
        labels: a result of ``connected_components``.

    Returns:
        The new labels, shape (nodes,), int32, and their count.
    """
    is_root = labels == np.arange(len(labels), dtype=np.int32)
    number = np.cumsum(is_root, dtype=np.int32)
    number -= 1
    return number[labels], int(is_root.sum())
