# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge: counts edges that go through triangles, by a library that shares nothing with the solver (ipctk)."""

from __future__ import annotations

import ipctk
import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.collider_shapes import has_triangles
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.transforms import at_frame, transformed

from .shapes import Floats, Ints


class Judge:
    """All surfaces of a scene: those of its bodies, and of its colliders that are meshes."""

    def __init__(self, scene: Scene, *, forgives: bool = True) -> None:
        """Settle the topology; meshes of colliders come after those of bodies.

        Args:
            scene: what is simulated.
            forgives: whether a body that begins through itself was modelled so, as Suzanne is.
        """
        self.meshes = tuple(collider for collider in scene.colliders if has_triangles(collider))
        triangles = [_body_triangles(body.face_sizes, body.corners) for body in scene.bodies]
        triangles += [collider.triangles for collider in self.meshes]
        counts = [body.vertex_count for body in scene.bodies]
        counts += [collider.positions.shape[1] for collider in self.meshes]
        starts = np.cumsum([0, *counts])
        whole = [mine + start for mine, start in zip(triangles, starts, strict=False)]
        self.triangles = np.concatenate(whole).astype(np.int32)
        sides = np.sort(self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        self.edges = np.unique(sides, axis=0).astype(np.int32)
        self.object_of = np.repeat(np.arange(len(counts)), counts)
        self.body_count = len(scene.bodies)
        self.mesh: ipctk.CollisionMesh | None = None
        # bodies that may pass through themselves are judged against others alone
        self.tangled = frozenset(n for n, body in enumerate(scene.bodies) if not body.contact.self_collision)
        rest = np.concatenate([body.positions for body in scene.bodies])
        self.rest = self.places(rest, 0)
        at_start = self._crossing_pairs(self.rest) if forgives else []
        self.tangled |= frozenset(int(self.object_of[edge[0]]) for edge, face in at_start if self._is_own(edge, face))

    def places(self, surface: Floats, frame: int) -> Floats:
        """All vertices at a frame [m], from those of the bodies."""
        return np.concatenate([surface, *(_collider_places(collider, frame) for collider in self.meshes)])

    def crossings(self, places: Floats) -> int:
        """Pairs of an edge and a triangle that go through each other, without those of two colliders."""
        return len(self._crossing_pairs(places))

    def gap_errors(self, places: Floats, gaps: Floats, is_open: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """How much nearer than wanted pairs of surface elements are, as a share of the gap; 0 for those that are not.

        Without planes and spheres, and without pairs of two colliders. Within a body the gap is at most the distance at
        rest. Of closed colliders the solver holds points and sharp edges; edges of bodies may dip over the others, up
        to a share of the gap (``contact_objects.DIP``). So these have a list of their own.

        Args:
            places: of all vertices [m].
            gaps: to keep between objects [m], shape (objects, objects).
            is_open: which are colliders that have no inside, shape (objects,).

        Returns:
            of all pairs that are held, and of edges and triangles of bodies over closed colliders.
        """
        vertices, rest = (np.asfortranarray(each, np.float64) for each in (places, self.rest))
        if self.mesh is None:
            self.mesh = ipctk.CollisionMesh(vertices, self.edges, self.triangles)
        near = ipctk.Candidates()
        # both boxes are inflated
        near.build(self.mesh, vertices, float(gaps.max()) / 2.0)
        errors, dips = [0.0], [0.0]
        face_pairs = len(near.fv_candidates)
        for number, pair in enumerate((*near.fv_candidates, *near.ee_candidates)):
            points = pair.vertex_ids(self.edges, self.triangles)
            # a triangle and a vertex, or two edges
            one, other = self.object_of[points[0]], self.object_of[points[-1]]
            wanted = gaps[one, other]
            distance = np.sqrt(pair.compute_distance(vertices, self.edges, self.triangles))
            is_known = one == other and one in self.tangled
            if is_known or min(one, other) >= self.body_count or distance >= wanted:
                continue
            if one == other:
                wanted = min(wanted, np.sqrt(pair.compute_distance(rest, self.edges, self.triangles)))
            collider = max(one, other)
            is_held = collider < self.body_count or is_open[collider]
            # the vertex comes first
            is_held |= number < face_pairs and one < self.body_count
            (errors if is_held else dips).append(max(0.0, 1.0 - distance / max(wanted, 1e-30)))
        return np.array(errors), np.array(dips)

    def _crossing_pairs(self, places: Floats) -> list[tuple[Ints, Ints]]:
        vertices = np.asfortranarray(places, np.float64)
        if self.mesh is None:
            self.mesh = ipctk.CollisionMesh(vertices, self.edges, self.triangles)
        if not self.tangled and not ipctk.has_intersections(self.mesh, vertices):
            return []
        phase = ipctk.HashGrid()
        phase.build(vertices, self.edges, self.triangles, 1e-9)
        found = []
        for candidate in phase.detect_edge_face_candidates():
            edge, face = self.edges[candidate.edge_id], self.triangles[candidate.face_id]
            owners = self.object_of[edge[0]], self.object_of[face[0]]
            is_known = owners[0] == owners[1] and owners[0] in self.tangled
            if is_known or min(owners) >= self.body_count or np.isin(edge, face).any():
                continue
            if ipctk.is_edge_intersecting_triangle(*places[edge], *places[face]):
                found.append((edge, face))
        return found

    def _is_own(self, edge: Ints, face: Ints) -> bool:
        return bool(self.object_of[edge[0]] == self.object_of[face[0]])


def _body_triangles(face_sizes: Ints, corners: Ints) -> Ints:
    """Faces of one size as triangles."""
    faces = corners.reshape(len(face_sizes), -1)
    if faces.shape[1] == 3:
        return faces
    return np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])


def _collider_places(collider: Collider, frame: int) -> Floats:
    return transformed(at_frame(collider.transforms, frame), at_frame(collider.positions, frame))
