# SPDX-License-Identifier: GPL-3.0-or-later
"""Contours: lines in which two surfaces, or two parts of one, go through each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
# from the count of nodes and linked pairs, shape (links, 2), to the least node of the component of each
Components = Callable[[int, Ints], Ints]


class Mesh(Protocol):
    """Triangles and edges by the numbers of their points, shapes (triangles, 3) and (edges, 2)."""

    @property
    def triangles(self) -> Ints:
        """Each by three points."""

    @property
    def edges(self) -> Ints:
        """Each by two points, once."""


def contours(mesh: Mesh, found: Ints, components: Components) -> tuple[Ints, Ints]:
    """Contours of crossings, which hang together by pairs of triangles that meet.

    Args:
        mesh: of all that crosses.
        found: edge and triangle of each crossing, shape (crossings, 2).
        components: what tells which nodes hang together.

    Returns:
        A number that all crossings of a contour have, and 1 or −1: crossings of the same sign have their edges on the
        same of the two surfaces; 0 where nothing tells them apart; shape (crossings,).
    """
    if len(found) == 0:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    faces, rows = _faces_of(mesh, found[:, 0])
    meeting = np.column_stack([faces, found[rows, 1]])
    segments = np.unique(np.sort(meeting, axis=1), axis=0, return_inverse=True)[1].ravel()
    # a crossing and a segment are two nodes each, one per sign
    is_turned = meeting[:, 0] > meeting[:, 1]
    one, other = 2 * rows, 2 * (len(found) + segments)
    links = np.concatenate([np.column_stack([one + k, other + (is_turned ^ (k == 1))]) for k in (0, 1)])
    count = 2 * (len(found) + int(segments.max(initial=-1)) + 1)
    labels = components(count, links.astype(np.int32))[: 2 * len(found)].reshape(-1, 2)
    # nothing tells the sides of a surface that meets itself in a Möbius strip
    return labels.min(axis=1), np.sign(labels[:, 1] - labels[:, 0]).astype(np.int32)


def _faces_of(mesh: Mesh, edges: Ints) -> tuple[Ints, Ints]:
    """The triangles at some edges, and to which of these each belongs."""
    count = int(max(mesh.triangles.max(initial=0), mesh.edges.max(initial=0))) + 1
    sides = np.sort(np.stack([mesh.triangles, np.roll(mesh.triangles, -1, axis=1)], axis=2), axis=2)
    keys = (sides[:, :, 0].astype(np.int64) * count + sides[:, :, 1]).ravel()
    order = np.argsort(keys, kind="stable")
    ends = np.sort(mesh.edges[edges], axis=1).astype(np.int64)
    wanted = ends[:, 0] * count + ends[:, 1]
    first = np.searchsorted(keys, wanted, "left", sorter=order)
    numbers = np.searchsorted(keys, wanted, "right", sorter=order) - first
    rows = np.repeat(np.arange(len(edges)), numbers)
    nexts = np.arange(len(rows)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    return (order[nexts + first[rows]] // 3).astype(np.int32), rows.astype(np.int32)
