# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres as meshes, where the faces and edges of a body are so large that its points alone do not hold it off them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel
from ...contacts import contact_type
from ...contacts.mesh import MESH
from ...geometry.collider.geodesic import geodesic_sphere
from ...geometry.rotations import rotation_and_stretch
from ...geometry.surface.topology import triangulate
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles
from ...scene.errors import Notice
from ...scene.scene import Scene
from ...scene.starts import coarse_notice, spheres_that_show
from .collider_features import held_edges, shows_through
from .collider_mesh import ColliderMesh

Floats = npt.NDArray[np.float64]

# the share of what an edge may dip by which the middle of a face may lie inside the sphere
_FACE_DEPTH = 0.25
# the longest edge of a geodesic sphere of radius 1, times its divisions, and these at most: 5,762 vertices
_LONGEST_EDGE = 1.32
_MOST_DIVISIONS = 24


def with_faceted_spheres(scene: Scene, models: Sequence[BodyModel]) -> Scene:
    """A scene whose spheres are fine meshes where edges of bodies would dip into them by more than they may.

    An edge of length L whose ends rest on a sphere of radius r dips by L²/(8 r). Its ends, and the points of all else,
    then meet faces that are a quarter of what edges may dip inside the sphere, or more where that would take too many
    faces.

    Args:
        scene: bodies and colliders.
        models: of the bodies.
    """
    return replace(scene, colliders=tuple(_faceted(collider, models) for collider in scene.colliders))


def squashed_spheres(scene: Scene) -> list[Notice]:
    """A warning for each sphere that is stretched, and collides as a round one all the same."""
    notices = []
    for collider in scene.colliders:
        stretches = rotation_and_stretch(collider.transforms[:, :3, :3])[1]
        extents = np.linalg.svd(stretches, compute_uv=False)
        if contact_type(collider.shape).is_round and (extents[:, 0] > 1.001 * extents[:, 2]).any():
            text = "The squashed sphere collides as a round one; use Mesh."
            notices.append(Notice("W_COLLIDER_SCALE", text, collider.name))
    return notices


def coarse_over_round(scene: Scene, models: Sequence[BodyModel]) -> list[Notice]:
    """A warning for each body that can tear, through whose faces round colliders would show or come.

    Args:
        scene: of the system: its spheres are meshes where other bodies ask for that.
        models: of the bodies.
    """
    meshes = [ColliderMesh(one, row) for row, one in enumerate(scene.colliders) if has_triangles(one)]
    notices = []
    for model in models:
        names = spheres_that_show(model.body, scene.colliders, model.contact_offset, triangulate)
        names += [mesh.collider.name for mesh in meshes if shows_through(mesh, model)]
        if names:
            notices.append(coarse_notice(model.body, names))
    return notices


def _faceted(collider: Collider, models: Sequence[BodyModel]) -> Collider:
    """A collider, as a mesh if it is a sphere that is too small for the edges of what meets it."""
    if not contact_type(collider.shape).is_round:
        return collider
    rotations, stretches = rotation_and_stretch(collider.transforms[:, :3, :3])
    scales = np.cbrt(np.abs(np.linalg.det(stretches)))
    least, greatest = (collider.radius * float(scale) for scale in (scales.min(), scales.max()))
    held = held_edges(models, collider.identifier)
    if not any(edge.length**2 / (8.0 * least) > edge.dip(least) for edge in held):
        return collider
    # the middle of a face with edges w is w²/(6 r) inside
    depth = _FACE_DEPTH * min(edge.dip(least) for edge in held)
    divisions = math.ceil(_LONGEST_EDGE * greatest / math.sqrt(6.0 * depth * greatest))
    vertices, triangles = geodesic_sphere(min(max(1, divisions), _MOST_DIVISIONS))
    transforms = collider.transforms.copy()
    transforms[:, :3, :3] = rotations * scales[:, None, None]
    faces = replace(collider, shape=MESH.shape, positions=collider.radius * vertices[None], triangles=triangles)
    return replace(faces, transforms=transforms, radius=0.0)
