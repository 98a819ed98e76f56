# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that go through faces of a closed collider beside its sharp edges.

Of closed colliders sharp edges alone are searched for pairs, and points alone are pushed out of the inside. What lies
in the plane of a face, or under it, and reaches beyond the face is on the wrong side of an edge. Its pair with that
edge would hold it there while its points come out. So where a substep begins tangled, edges that go through these faces
are looked for too: they are taken apart like all that is tangled, and their pairs are left out meanwhile. That is for
starts, which are apart after some frames: what a goal or a hand draws into a collider would be looked at for ever.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...contacts.search.crossings import CrossingSearch
from ...contacts.search.touching import blown_up
from ...geometry.search.surfaces import SurfaceMesh, Surfaces, build_surfaces
from ..system.contact_objects import ContactObjects

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


# frames in which they are looked for; what starts on a wrong side is apart after five of them
START_FRAMES = 10


class WrongSides:
    """Looks for what crosses, with the faces beside sharp edges of closed colliders.

    Attributes:
        surfaces: that are looked at; points are numbered as in ``ContactObjects.surfaces``.
    """

    def __init__(self, objects: ContactObjects, *, is_start: bool = True) -> None:
        """Find these faces.

        Args:
            objects: that may touch.
            is_start: whether they count; else this finds what any look finds.
        """
        self._objects = objects
        colliders = range(objects.body_count, len(objects.meshes))
        searched = [_searched(objects, number) for number in colliders]
        self.surfaces: Surfaces = objects.surfaces
        self._closed = np.array([number for number in colliders if not objects.is_open[number]], np.int32)
        if is_start and any(len(searched[number - objects.body_count].triangles) for number in self._closed):
            self.surfaces = build_surfaces([*objects.meshes[: objects.body_count], *searched], objects.surfaces.sees)

    @cached_property
    def search(self) -> CrossingSearch:
        """Of the surfaces."""
        return CrossingSearch(self.surfaces)

    def find(self, points: Floats, particles: npt.NDArray[Any]) -> Ints:
        """Edge and triangle of each crossing, shape (crossings, 2).

        What lies in a face of a closed collider counts too. What is pinned inside of one does not, for it never comes
        out of it. Nor do edges of solids: these are pushed out as slowly as all that starts inside.

        Args:
            points: where the surface points are [m], shape (points, 3).
            particles: positions [m], then the inverse mass [1/kg], shape (particles, 4).
        """
        found = self.search.find(points)
        if len(self._closed) == 0 or self.surfaces is self._objects.surfaces:
            return found
        moved = self.search.find(blown_up(self.surfaces, points, self._closed))
        found = np.unique(np.concatenate([found, moved]), axis=0)
        masses = np.where(self._objects.weights != 0.0, particles[self._objects.elements[:, :4], 3], 0.0)
        is_pinned = (masses <= 0.0).all(axis=1)[self.surfaces.edges[found[:, 0]]].any(axis=1)
        owners = self.surfaces.point_objects
        is_solid = self._objects.solids[owners[self.surfaces.edges[found[:, 0], 0]]]
        of_closed = np.isin(owners[self.surfaces.triangles[found[:, 1], 0]], self._closed)
        return found[~((is_pinned | is_solid) & of_closed)]


def _searched(objects: ContactObjects, number: int) -> SurfaceMesh:
    """What of a collider is searched for pairs, and of a closed one the triangles at points of its sharp edges too."""
    mesh, surfaces = objects.meshes[number], objects.surfaces
    first, last = surfaces.point_starts[number : number + 2]
    begin, end = surfaces.edge_starts[number : number + 2]
    edges, is_sharp = surfaces.edges[begin:end] - first, np.zeros(last - first, np.bool_)
    is_sharp[edges] = True
    return replace(mesh, triangles=mesh.triangles[is_sharp[mesh.triangles].any(axis=1)], edges=edges)
