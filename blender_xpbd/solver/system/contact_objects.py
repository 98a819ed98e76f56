# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a scene whose surfaces may touch each other: bodies, then the mesh colliders that bodies see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...bodies.joined import unused_vertices, vertex_origins
from ...contacts.pairs.tables import (
    OBJECT_FRICTION,
    OBJECT_HALF_THICKNESS,
    OBJECT_RESTITUTION,
    OBJECT_SLACK,
    OBJECT_WIDTH,
)
from ...geometry.search.surfaces import SurfaceMesh, Surfaces, build_surface_mesh, build_surfaces
from ...geometry.surface.topology import boundary_edges
from ...geometry.surface.triangle_surface import same_places
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles
from ...scene.scene import Scene
from ...scene.transforms import transformed
from ..colliding.collider_features import (
    has_surface,
    meets,
    searched_features,
    sees_it,
    surface_lengths,
)
from ..colliding.collider_mesh import ColliderMesh

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


# how far particles may leave the way for which pairs are listed for several substeps, as a share of the thickness of
# their object; and of its mean edge at most, since normals may not turn by 45°. Chosen by trying, see
# docs/experiments.md, What a search lists
SLACK = 0.25
EDGE_SLACK = 0.15


@dataclass(frozen=True)
class ContactObjects:
    """Surfaces of all objects, bodies first, and what the solver knows of their points.

    Attributes:
        surfaces: points, edges and triangles that are searched for pairs; a body sees only colliders of which anything
            is searched for it.
        sees: which objects may touch each other, and which touch themselves; symmetric, shape (objects, objects).
        meshes: the whole surface of each object.
        colliders: which of the scene's colliders come after the bodies, shape (colliders,).
        elements: four particles of each point, then its object, shape (points, 5).
        weights: of these particles, shape (points, 4).
        rows: columns as in ``contacts.pairs.tables``, shape (objects, OBJECT_WIDTH).
        particle_ranges: first particle of each object and the one after its last, shape (objects, 2).
        gaps: to keep between objects [m], shape (objects, objects).
        frictions: Coulomb coefficient of each point, shape (points,).
        solids: which objects fill the space inside their surface, shape (objects,).
        is_open: which are colliders that have no inside, shape (objects,).
    """

    surfaces: Surfaces
    sees: Mask
    meshes: tuple[SurfaceMesh, ...]
    colliders: Ints
    elements: Ints
    weights: npt.NDArray[np.float32]
    rows: Floats
    particle_ranges: Ints
    gaps: Floats
    frictions: Floats
    solids: Mask
    is_open: Mask

    @property
    def body_count(self) -> int:
        """Bodies, which are the first objects."""
        return len(self.rows) - len(self.colliders)

    @cached_property
    def whole_surfaces(self) -> Surfaces:
        """All that may cross, whether it is searched for pairs or held by other means."""
        return build_surfaces(self.meshes, self.sees)

    @property
    def embeds(self) -> bool:
        """Whether a point is carried by several particles."""
        return bool((self.weights[:, 1:] != 0.0).any())

    @property
    def rebounds(self) -> bool:
        """Whether a surface gives back anything of an approach."""
        return bool((self.rows[:, OBJECT_RESTITUTION] > 0.0).any())

    @property
    def asked_ranges(self) -> Ints:
        """As ``particle_ranges``, but of colliders only the vertices that are searched, which come first."""
        ranges = self.particle_ranges.copy()
        for number in range(self.body_count, len(ranges)):
            points = slice(*self.surfaces.point_starts[number : number + 2])
            ranges[number, 1] = ranges[number, 0] + self.surfaces.takes_part[points].sum()
        return ranges

    def points(self, positions: npt.NDArray[np.floating[Any]]) -> Floats:
        """Where the points are, from all particles [m], shape (points, 3)."""
        places: Floats = np.einsum("pj,pjk->pk", self.weights.astype(np.float64), positions[self.elements[:, :4]])
        return places

    @cached_property
    def vertex_points(self) -> Ints:
        """The points of colliders, those first that are searched; counted from the first one, shape (vertices,)."""
        return _searched_first(self.surfaces.takes_part[self.surfaces.point_starts[self.body_count] :])

    @property
    def vertex_particles(self) -> Ints:
        """The particle of each of ``vertex_points``, shape (vertices,)."""
        return self.elements[self.surfaces.point_starts[self.body_count] :, 0][self.vertex_points]

    @property
    def vertices(self) -> Ints:
        """Collider and particle of each of ``vertex_points``, shape (vertices, 2)."""
        counts = np.diff(self.particle_ranges[self.body_count :], axis=1)[:, 0]
        colliders = np.repeat(self.colliders, counts)[self.vertex_points]
        return np.stack([colliders, self.vertex_particles], axis=1).astype(np.int32)


def collider_vertices(scene: Scene, objects: ContactObjects) -> Floats:
    """Where the particles are at the first frame that are vertices of colliders [m], shape (vertices, 3)."""
    places = [np.zeros((0, 3))]
    for number in objects.colliders:
        collider = scene.colliders[number]
        sources = ColliderMesh(collider, number).surface.sources
        places.append(transformed(collider.transforms[0], collider.positions[0][sources]))
    of_rows = np.concatenate(places)[objects.vertex_points]
    return of_rows[np.argsort(objects.vertex_particles)]


def build_contact_objects(
    scene: Scene, models: Sequence[BodyModel], starts: Ints, first_vertex: int
) -> ContactObjects | None:
    """The objects of a scene that may touch; None where nothing can.

    Args:
        scene: bodies and colliders.
        models: of the bodies.
        starts: first particle of each body, then the end of the last.
        first_vertex: the particle that is the first vertex of the first of the colliders that take part.
    """
    numbers = seen_colliders(scene)
    sees = _sees(scene, numbers, [len(model.radii) > 0 for model in models])
    if not sees.any():
        return None
    colliders = [scene.colliders[number] for number in numbers]
    bodies = [_body_mesh(model) for model in models]
    shapes = [ColliderMesh(scene.colliders[number], number) for number in numbers]
    meshes = bodies + [_collider_mesh(shape) for shape in shapes]
    has_body_pairs = bool(sees[: len(models), : len(models)].any())
    features = [searched_features(shape, models) for shape in shapes]
    if not has_body_pairs and not any(asks.any() for _, asks in features):
        return None
    searched = bodies + [mesh for mesh, _ in features]
    ends = first_vertex + np.cumsum([0, *(len(mesh.rest) for mesh in meshes[len(models) :])])
    ranges = np.concatenate([np.stack([starts[:-1], starts[1:]], 1), np.stack([ends[:-1], ends[1:]], 1)])
    elements = [model.elements + start for model, start in zip(models, starts, strict=False)]
    elements += [
        np.repeat(row[0] + _ranks(mesh.takes_part)[:, None], 4, axis=1)
        for row, mesh in zip(ranges[len(models) :], searched[len(models) :], strict=True)
    ]
    weights = [model.weights for model in models]
    weights += [np.tile([1.0, 0.0, 0.0, 0.0], (len(mesh.rest), 1)) for mesh in meshes[len(models) :]]
    owners = [np.full((len(mine), 1), number) for number, mine in enumerate(elements)]
    rows = _rows(models, colliders, weights)
    return ContactObjects(
        surfaces=build_surfaces(searched, _searches(sees, [asks for _, asks in features])),
        sees=sees,
        meshes=tuple(meshes),
        colliders=np.array(numbers, np.int32),
        elements=np.concatenate([np.concatenate(elements), np.concatenate(owners)], axis=1).astype(np.int32),
        weights=np.concatenate(weights).astype(np.float32),
        rows=rows,
        particle_ranges=ranges.astype(np.int32),
        gaps=_gaps(models, rows),
        frictions=_frictions(models, meshes, rows),
        solids=np.array([len(model.tetrahedra) > 0 for model in models] + [False] * len(numbers)),
        is_open=np.array([False] * len(models) + [not shape.surface.closed for shape in shapes]),
    )


def _ranks(takes_part: Mask) -> npt.NDArray[np.int64]:
    """The place of each vertex of a collider among its particles: those that take part come first."""
    ranks = np.empty(len(takes_part), np.int64)
    ranks[_searched_first(takes_part)] = np.arange(len(takes_part))
    return ranks


def _searched_first(takes_part: Mask) -> Ints:
    """Points in order, but those that are searched before the others."""
    return np.argsort(~takes_part, kind="stable").astype(np.int32)


def unseen_colliders(scene: Scene) -> Mask:
    """Which colliders each body passes through, shape (bodies, colliders)."""
    seen = [[sees_it(body, collider.identifier) for collider in scene.colliders] for body in scene.bodies]
    return ~np.array(seen, np.bool_).reshape(len(scene.bodies), len(scene.colliders))


def seen_colliders(scene: Scene) -> list[int]:
    """Numbers of the mesh colliders that a body sees, which are the objects after the bodies."""
    return [
        number
        for number, collider in enumerate(scene.colliders)
        if has_triangles(collider) and any(meets(body, collider.identifier) for body in scene.bodies)
    ]


def _sees(scene: Scene, colliders: Sequence[int], are_grains: Sequence[bool]) -> Mask:
    """Which objects may touch which, shape (objects, objects).

    Grains meet surfaces of other bodies with their points; what they do to each other is in ``contacts.grains``.

    Args:
        scene: bodies and colliders.
        colliders: numbers of those that take part.
        are_grains: of each body.
    """
    bodies, count = scene.bodies, len(scene.bodies)
    sees = np.zeros((count + len(colliders), count + len(colliders)), np.bool_)
    for i, body in enumerate(bodies):
        sees[i, i] = body.contact.self_collision and has_surface(body)
        for j, other in enumerate(bodies[:i]):
            both = body.contact.body_collision and other.contact.body_collision
            have = [has_surface(one) or is_grains for one, is_grains in ((body, are_grains[i]), (other, are_grains[j]))]
            both = both and all(have) and not (are_grains[i] and are_grains[j])
            sees[i, j] = both and sees_it(body, other.identifier) and sees_it(other, body.identifier)
        for n, number in enumerate(colliders):
            sees[count + n, i] = meets(body, scene.colliders[number].identifier)
    return sees | sees.T


def _searches(sees: Mask, of_colliders: Sequence[Mask]) -> Mask:
    """Which objects are searched for pairs, of those that see each other, by the bodies that ask each collider.

    Args:
        sees: shape (objects, objects).
        of_colliders: of each, shape (bodies,).
    """
    searched, count = sees.copy(), len(sees) - len(of_colliders)
    for number, asks in enumerate(of_colliders, start=count):
        searched[number, :count] &= asks
        searched[:count, number] = searched[number, :count]
    return searched


def _body_mesh(model: BodyModel) -> SurfaceMesh:
    body = model.body
    left_out = body.contact.left_out
    if body.attachment is not None:
        # what is held to a surface lies on it
        left_out = np.union1d(left_out, body.attachment.vertices)
    if len(body.seams):
        # copies that are joined to others stay where they are, and what is between pieces that hold is no surface
        left_out = np.union1d(left_out, unused_vertices(body))
    mesh = build_surface_mesh(body.positions, body.face_sizes, body.corners, body.loose_edges, left_out)
    if len(body.seams):
        return replace(mesh, origins=vertex_origins(model))
    return replace(mesh, origins=_doubled_places(mesh)) if body.contact.self_collision else mesh


def _doubled_places(mesh: SurfaceMesh) -> Ints:
    """A number of each point, equal where faces end in one place, shape (points,); (0,) where none do.

    Layers and closed pieces that touch there meet each other: theirs are no copies of one point.
    """
    ends = np.unique(boundary_edges(mesh.triangles))
    if len(ends) == 0 or not np.ptp(mesh.rest[ends], axis=0).any():
        return np.zeros(0, np.int32)
    firsts, places = same_places(mesh.rest[ends])
    if len(firsts) == len(ends):
        return np.zeros(0, np.int32)
    origins = np.arange(len(mesh.rest), dtype=np.int32)
    origins[ends] = ends[firsts[places]]
    return origins


def _collider_mesh(mesh: ColliderMesh) -> SurfaceMesh:
    triangles = mesh.surface.triangles
    return build_surface_mesh(mesh.vertices(0), np.full(len(triangles), 3, np.int32), triangles.ravel())


def _rows(models: Sequence[BodyModel], colliders: Sequence[Collider], weights: Sequence[Floats]) -> Floats:
    rows = np.zeros((len(weights), OBJECT_WIDTH))
    for row, model in zip(rows, models, strict=False):
        material = model.body.material
        row[[OBJECT_FRICTION, OBJECT_RESTITUTION]] = material.friction, material.restitution
        row[OBJECT_HALF_THICKNESS] = model.thickness / 2.0
        row[OBJECT_SLACK] = SLACK * model.thickness
        if len(model.radii) == 0:
            row[OBJECT_SLACK] = min(row[OBJECT_SLACK], EDGE_SLACK * float(surface_lengths(model.body).mean()))
    for row, collider in zip(rows[len(models) :], colliders, strict=True):
        row[[OBJECT_FRICTION, OBJECT_RESTITUTION]] = collider.friction, collider.restitution
        row[OBJECT_SLACK] = rows[: len(models), OBJECT_SLACK].min()
    return rows


def _gaps(models: Sequence[BodyModel], rows: Floats) -> Floats:
    halves = rows[:, OBJECT_HALF_THICKNESS]
    gaps: Floats = halves[:, None] + halves
    for number, model in enumerate(models):
        gaps[number, len(models) :] = gaps[len(models) :, number] = model.contact_offset
    return gaps


def _frictions(models: Sequence[BodyModel], meshes: Sequence[SurfaceMesh], rows: Floats) -> Floats:
    frictions = [np.full(len(mesh.rest), row[OBJECT_FRICTION]) for mesh, row in zip(meshes, rows, strict=True)]
    for mine, model in zip(frictions, models, strict=False):
        if len(model.frictions):
            mine[:] = model.frictions[: len(mine)]
    return np.concatenate(frictions)
