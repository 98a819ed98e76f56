# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that an artist may take for part of a bake, and that are not, or not as they will be shown."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

import bpy

from ...scene.collider_shapes import collider_shape
from ...scene.errors import Notice
from ...scene.listing import quoted
from ...scene.parameters.material_parameters import COLLIDER
from ..data.link_attributes import SEAM, WELD_DISTANCE
from ..data.object_types import is_body, takes_part
from .collider_reader import makes_instances
from .enabled_objects import rendered_uids
from .force_reader import field_objects
from .idle_motion import VERTEX_PARENTS, followed_groups, is_reshaped, modifier_objects
from .modifier_stack import acts, follows_deformed, is_shown_in_two_ways, makes_own_mesh
from .motion import animated_paths
from .shapers import shapers

# Blender's own simulations that move vertices
_OWN_PHYSICS = frozenset(("CLOTH", "SOFT_BODY"))
# modifiers that show further copies of the mesh
_COPIERS = frozenset(("MIRROR", "ARRAY"))
# modifiers whose vertices depend on where the mesh is
_REMAKERS = frozenset(("REMESH", "DECIMATE", "BOOLEAN", "WELD"))
# weights of fields that are not called as these are
_WEIGHTS = {"MAGNET": "magnetic"}
# modifiers that go by the place of the object that they name, not by its vertices
_GO_BY_PLACE = frozenset(("HOOK", "WARP", "SIMPLE_DEFORM", "CAST", "SCREW", "NORMAL_EDIT", "UV_WARP"))


def bystander_notices(scene: bpy.types.Scene, enabled: Sequence[bpy.types.Object]) -> Iterator[Notice]:
    """A warning for each kind of them, with the names of the objects.

    Args:
        scene: to be baked.
        enabled: all objects that are enabled in it.
    """
    bodies = [obj for obj in enabled if is_body(obj)]
    simulated = {obj.session_uid for obj in bodies}
    # who holds, stops or pushes bodies
    colliders = [obj for obj in enabled if obj.xpbd.role == COLLIDER and takes_part(obj)]
    others = [*colliders]
    holders = [obj.xpbd.attach_object for obj in bodies]
    others += [obj for obj in (*holders, *field_objects(scene, enabled)) if obj in enabled]
    hidden = [obj for obj in scene.objects if takes_part(obj) and obj.hide_viewport]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    rendered = rendered_uids(scene) if hidden else frozenset()
    found = (
        (
            "What follows vertices of a simulated object goes by its mesh as it is now, not as it will be: {}.",
            [obj for obj in (*bodies, *others) if _follows(obj, simulated)],
        ),
        (
            "Blender's own Cloth or Soft Body is on, too, and moves the finished result on top: {}.",
            [obj for obj in bodies if any(one.type in _OWN_PHYSICS and acts(one) for one in obj.modifiers)],
        ),
        (
            "Mirror and Array copy the finished result, and copies meet nothing; apply them first: {}.",
            [obj for obj in bodies if any(one.type in _COPIERS and acts(one) for one in obj.modifiers)],
        ),
        (
            "Remesh, Decimate, Boolean, Weld and Bevel by Angle make another mesh at each frame; apply them first: {}.",
            [obj for obj in bodies if any(_remakes(one, obj) and acts(one) for one in obj.modifiers)],
        ),
        (
            "Displace, Wave and the like move the finished result; apply them, or choose Deformed Mesh as Goal: {}.",
            [obj for obj in bodies if shapers(obj)],
        ),
        (
            "A cache that a modifier plays is shown in place of the result; remove it: {}.",
            [obj for obj in bodies if any(_plays_cache(one, obj) and acts(one) for one in obj.modifiers)],
        ),
        (
            "Geometry Nodes show a mesh of their own, which does not follow what is simulated; apply the modifier: {}.",
            [obj for obj in bodies if any(makes_own_mesh(one) for one in obj.modifiers if acts(one))],
        ),
        (
            "A modifier is on in viewports or in renders alone; a bake goes by viewports, so renders differ: {}.",
            [obj for obj in (*bodies, *colliders) if _is_read_as_shown(obj) and is_shown_in_two_ways(obj)],
        ),
        (
            "Blender's own Collision stops nothing here; make these a Collider: {}.",
            [obj for obj in enabled if not takes_part(obj) and _has_own_collision(obj)],
        ),
        (
            "Blender's own rigid bodies meet nothing here; make these a Collider, which follows them: {}.",
            [obj for obj in enabled if not takes_part(obj) and _is_rigid(scene, obj)],
        ),
        (
            "Disabled in viewports, so they take no part, but renders show them: {}.",
            # of what something is attached to it is told already
            [obj for obj in hidden if obj.session_uid in rendered and obj not in holders],
        ),
        (
            "Instances are shown and take no part, so they stop nothing; make them real: {}.",
            [obj for obj in enabled if _shows_instances(obj) or (obj in colliders and makes_instances(obj, depsgraph))],
        ),
        (
            "What is attached to these rides on the object, not on its shape; choose a bone or a mesh: {}.",
            [obj for obj in others if obj.session_uid not in simulated and _rides_on_shape(obj, bodies)],
        ),
    )
    for text, objects in found:
        if objects:
            names = dict.fromkeys(obj.name for obj in objects)
            yield Notice("W_IGNORED", text.format(quoted(names)))


def weight_notices(scene: bpy.types.Scene, enabled: Sequence[bpy.types.Object]) -> Iterator[Notice]:
    """Warnings for weights of fields in vain: those of Blender's own Cloth or Soft Body, and ours where no field is.

    Args:
        scene: to be baked.
        enabled: all objects that are enabled in it.
    """
    fields = field_objects(scene, enabled)
    kinds = {_WEIGHTS.get(obj.field.type, obj.field.type.lower()) for obj in fields}
    names = [obj.name for obj in enabled if is_body(obj) and _has_own_weights(obj, kinds)]
    if names:
        text = "Field Weights of Blender's own Cloth or Soft Body do not count; Gravity, Force Fields, Fields do: {}."
        yield Notice("W_FORCE", text.format(quoted(names)))
    weighed = [obj.name for obj in enabled if is_body(obj) and _weighs_fields(obj)]
    if weighed and scene.xpbd.use_force_fields and not fields:
        text = "Forces › Force Fields weighs what no force field of the scene does: {}."
        yield Notice("W_FORCE", text.format(quoted(weighed)))


def _weighs_fields(obj: bpy.types.Object) -> bool:
    """Whether an object asks for more or less of force fields; what asks for none needs none."""
    return obj.xpbd.force_weight not in (0.0, 1.0) or "xpbd.force_weight" in animated_paths(obj)


def _has_own_weights(obj: bpy.types.Object, kinds: Collection[str]) -> bool:
    """Whether weights of an object's own physics ask something of gravity, or of these kinds of fields, in vain."""
    ours = obj.xpbd
    answers = {"gravity": ours.gravity_factor, **({"all": ours.force_weight} if kinds else {}), **dict.fromkeys(kinds)}
    for modifier in obj.modifiers:
        if modifier.type not in _OWN_PHYSICS:
            continue
        weights = modifier.settings.effector_weights
        asked = {name: getattr(weights, name) for name in answers if getattr(weights, name) != 1.0}
        if any(answers[name] is None or not math.isclose(asked[name], answers[name], rel_tol=1e-6) for name in asked):
            return True
        if kinds and weights.collection not in (None, ours.force_collection):
            return True
    return any(".effector_weights." in path for path in animated_paths(obj))


def _has_own_collision(obj: bpy.types.Object) -> bool:
    """Whether Blender's own simulations meet an object."""
    is_on = any(one.type == "COLLISION" and acts(one) for one in obj.modifiers)
    return is_on and obj.collision is not None and obj.collision.use


def _is_rigid(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    """Whether Blender's own rigid bodies, where a scene simulates them, meet an object."""
    world = scene.rigidbody_world
    return world is not None and world.enabled and obj.type == "MESH" and obj.rigid_body is not None


def _remakes(modifier: bpy.types.Modifier, obj: bpy.types.Object) -> bool:
    """Whether which vertices a modifier makes depends on where those of the mesh are; not one of *Make Tearable*."""
    if modifier.type == "WELD" and obj.type == "MESH" and SEAM in obj.data.attributes:
        # the property has single precision
        return bool(modifier.merge_threshold > 1.001 * WELD_DISTANCE)
    return modifier.type in _REMAKERS or (modifier.type == "BEVEL" and modifier.limit_method == "ANGLE")


def _plays_cache(modifier: bpy.types.Modifier, obj: bpy.types.Object) -> bool:
    """Whether a modifier puts vertices where a file says, whatever the mesh is; not one that plays a bake of ours."""
    if modifier.type == "MESH_CACHE":
        is_ours = modifier.name == obj.xpbd.cache_modifier
        is_whole = modifier.deform_mode == "OVERWRITE" and modifier.factor > 0.0 and not modifier.vertex_group
        return bool(modifier.filepath) and is_whole and not is_ours
    return bool(modifier.type == "MESH_SEQUENCE_CACHE" and modifier.cache_file and "VERT" in modifier.read_data)


def _follows(obj: bpy.types.Object, simulated: Collection[int]) -> bool:
    """Whether an object, or a parent of it, is placed or shaped by vertices of what is simulated.

    Modifiers of a body come after its simulation, unless it follows its deformed mesh.
    """
    is_shaped = follows_deformed(obj) if is_body(obj) else True
    shaped_by = {
        target.session_uid
        for modifier in obj.modifiers
        if acts(modifier) and modifier.type not in _GO_BY_PLACE
        for target in modifier_objects(modifier)
    }
    if is_shaped and (shaped_by - {obj.session_uid}) & set(simulated):
        return True
    current: bpy.types.Object | None = obj
    while current is not None:
        if any(target.session_uid in simulated for target in followed_groups(current)):
            return True
        parent = current.parent
        if parent is not None and current.parent_type in VERTEX_PARENTS and parent.session_uid in simulated:
            return True
        current = parent
    return False


def _shows_instances(obj: bpy.types.Object) -> bool:
    """Whether an object shows copies of what takes part: a collection, or children on its vertices or faces."""
    if obj.instance_type == "COLLECTION":
        shown = obj.instance_collection
        return shown is not None and any(takes_part(one) for one in shown.all_objects)
    return obj.instance_type in {"VERTS", "FACES"} and any(takes_part(child) for child in obj.children)


def _is_read_as_shown(obj: bpy.types.Object) -> bool:
    """Whether a bake reads the shape that the modifiers of an object give it."""
    return follows_deformed(obj) if is_body(obj) else collider_shape(obj.xpbd.collider_shape).needs_mesh


def _rides_on_shape(target: bpy.types.Object, bodies: Sequence[bpy.types.Object]) -> bool:
    """Whether bodies are attached to an object without faces, and without a bone, whose shape moves."""
    if target.type == "MESH" and len(target.data.polygons):
        return False
    holds = [obj for obj in bodies if obj.xpbd.attach_object == target]
    has_bone = target.type == "ARMATURE" and all(obj.xpbd.attach_bone for obj in holds)
    return bool(holds) and not has_bone and is_reshaped(target)
