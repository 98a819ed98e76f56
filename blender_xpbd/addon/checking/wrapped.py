# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start wholly inside a collider that would push them out on several sides, so that they wrap it."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ...scene.body import Body
from ...scene.collider import Collider
from ...scene.collider_shapes import has_triangles
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.scene import Scene
from ...scene.transforms import transformed
from ..measures.solid_measures import signed_volume
from ..reading.feel import length_of
from .depths import MOST_ASKED, closed_tree, is_within

Floats = npt.NDArray[np.float64]

# of the length of a collider, how thick the walls are that it is given, and of the gap at least. Chosen by hand: what
# is pressed into a wall beyond its middle comes out of it on the other side
WALL, LEAST_WALL = 0.05, 4.0


def wrapping(body: Body, scene: Scene) -> list[Collider]:
    """The colliders in which a body starts with all its vertices, and which it would leave on several sides."""
    sees = body.contact.sees
    return [one for one in scene.colliders if (sees is None or one.identifier in sees) and _wraps(body, one)]


def wrapped_notice(body: Body, names: list[str]) -> Notice:
    """A warning of a body that starts wholly inside colliders, by their names."""
    text = (
        f"Starts wholly inside {quoted(names)}, which pushes it out on all sides, so that it stays wrapped around it. "
        "Lift moves it out. Make Hollow gives the collider walls, so that it holds the body inside, as a box does."
    )
    return Notice("W_ENCLOSED", text, body.name)


def make_hollow(scene: bpy.types.Scene, body: Body, colliders: list[Collider]) -> str:
    """Give colliders walls, which grow outwards; why not, where one cannot have them: then none gets any.

    Args:
        scene: of the objects.
        body: that they are to hold inside.
        colliders: in which it starts.
    """
    objects = [(one, obj) for one in colliders if (obj := _walled(scene, one)) is not None]
    if refused := {one.name for one in colliders} - {one.name for one, _ in objects}:
        verb = "is no mesh" if len(refused) == 1 else "are no meshes"
        return f"{quoted(sorted(refused))} {verb} that could get walls: choose Mesh as shape, or open it"
    for collider, obj in objects:
        modifier = obj.modifiers.new("Walls", "SOLIDIFY")
        # the modifier grows along normals, which may point inwards
        way = np.copysign(1.0, signed_volume(collider.positions[0], collider.triangles))
        size = WALL * length_of(collider.positions[0], np.eye(3))
        scales = np.linalg.norm(collider.transforms[0][:3, :3], axis=0)
        # the modifier counts in the object's own space
        least = LEAST_WALL * body.material.contact_offset / float(scales.min())
        modifier.thickness, modifier.offset, modifier.use_even_offset = max(size, least), way, True
        modifier.show_render = False
    return ""


def _walled(scene: bpy.types.Scene, collider: Collider) -> bpy.types.Object | None:
    """The object of a collider; None where it cannot have walls."""
    obj = scene.objects.get(collider.name)
    return obj if obj is not None and obj.is_editable and has_triangles(collider) else None


def _wraps(body: Body, collider: Collider) -> bool:
    ways = _ways_out(body.positions, collider)
    if ways is None:
        return False
    mean = ways.mean(axis=0)
    # some leave it against the others
    return bool((ways @ mean).min() <= 0.0)


def _ways_out(points: Floats, collider: Collider) -> Floats | None:
    """Unit vectors from points to the nearest of the surface, shape (points asked, 3); None unless all are inside."""
    matrix = collider.transforms[0]
    if not has_triangles(collider):
        if collider.radius <= 0.0:
            return None
        ways = points - matrix[:3, 3]
        lengths = np.linalg.norm(ways, axis=1)
        is_inside = lengths.max() < collider.radius * np.cbrt(abs(np.linalg.det(matrix[:3, :3])))
        return ways / np.maximum(lengths, 1e-30)[:, None] if is_inside else None
    surface = transformed(matrix, collider.positions[0])
    if (points <= surface.min(axis=0)).any() or (points >= surface.max(axis=0)).any():
        return None
    tree = closed_tree(surface, collider.triangles)
    if tree is None or not is_within(points, tree):
        return None
    asked = points[:: -(-len(points) // MOST_ASKED)]
    found = np.array([tree.find_nearest(Vector(point))[0] for point in asked.tolist()])
    ways = found - asked
    return ways / np.maximum(np.linalg.norm(ways, axis=1), 1e-30)[:, None]
