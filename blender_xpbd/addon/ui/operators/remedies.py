# SPDX-License-Identifier: GPL-3.0-or-later
"""Mend what a check has found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix

from ....scene.body import Body
from ....scene.scene import Scene
from ...baking.standing_report import forget_fault
from ...checking.bevelled import shown_radius
from ...checking.check_scene import read_first_frame, renew_findings
from ...checking.depths import depths
from ...checking.doubled import merge_doubled
from ...checking.enclosed import enclosing, keep_inside
from ...checking.fitted_thickness import fit_thickness
from ...checking.halving import halve_segments
from ...checking.letting_out import let_be_pushed_out
from ...checking.lying import lies_on
from ...checking.resolutions import is_coarser_than_automatic, suit_mesh
from ...checking.sizes import suit_size
from ...checking.smoothed import apply_subdivision
from ...checking.substep_bounds import cloth_bound
from ...checking.thickened import make_room, shown_side
from ...checking.wrapped import make_hollow, wrapping
from ...data.bake_options import BakeOptions
from ...data.object_types import is_body
from ...data.properties import unit_scale_of
from ...keys.key_animation import has_shared_action, make_action_own
from ...reading.feel import length_of
from ...reading.mesh_reader import is_shared, own_shape_keys
from ...reading.motion import animated_paths, may_move
from ...reading.points import point_count
from ...reading.unit_scale import DEFAULT_GRAVITY, fitting_gap
from .idle import chosen_objects, is_object_mode
from .remedy import ObjectRemedy, Remedy, name_property

# vertices that a subdivided mesh has at least, and times that its edges are halved at most
ENOUGH_VERTICES, MOST_HALVINGS = 400, 5


class XPBD_OT_lift(Remedy, bpy.types.Operator):
    """Move an object up, out of what it starts inside."""

    bl_idname = "xpbd.lift"
    bl_label = "Lift"
    object_name: name_property()

    def mend(self, context: bpy.types.Context) -> str:
        """Lift it."""
        obj = context.scene.objects.get(self.object_name)
        if obj is None or not obj.is_editable:
            return f'There is no object "{self.object_name}" that could be moved'
        if may_move(obj):
            return f'"{obj.name}" is animated, or held by another object: move it yourself'
        scene = read_first_frame(context, BakeOptions()).scene
        bodies = [body for body in scene.bodies if body.name == obj.name]
        lifts = [lift for body in bodies for lift in _lifts(body, scene)]
        if not lifts or not np.isfinite(lifts).all():
            return f'"{obj.name}" is inside nothing that it would leave upwards'
        way = Matrix.Translation((0.0, 0.0, max(lifts) / unit_scale_of(context.scene)))
        obj.matrix_world = way @ obj.matrix_world
        context.view_layer.update()
        return ""


def _lifts(body: Body, scene: Scene) -> list[float]:
    """How far up a body leaves what it is inside of, or what it lies on [m]."""
    lies = [0.5 * length_of(body.positions, body.axes)] if lies_on(body, scene) else []
    over = [float(outer.positions[:, 2].max() - body.positions[:, 2].min()) for outer in enclosing(body, scene)]
    return [*lies, *over, *(depth.lift for depth in depths(body, scene.colliders).values())]


class XPBD_OT_let_out(ObjectRemedy, bpy.types.Operator):
    """Leave an object where it is: the bake pushes it gently out of what it starts inside."""

    bl_idname = "xpbd.let_out"
    bl_label = "Let It Be Pushed Out"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Say that the finding is fine, until it is another one."""
        return let_be_pushed_out(context.scene, obj)


class XPBD_OT_keep_inside(ObjectRemedy, bpy.types.Operator):
    """Attach all vertices of an object to the jelly in which it is, so that it stays there and moves with it."""

    bl_idname = "xpbd.keep_inside"
    bl_label = "Keep Inside"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Attach it."""
        scene = read_first_frame(context, BakeOptions()).scene
        outer = [one.name for body in scene.bodies if body.name == obj.name for one in enclosing(body, scene)]
        return keep_inside(context.scene, obj, outer[0]) if outer else f'"{obj.name}" is wholly inside no jelly'


class XPBD_OT_make_hollow(ObjectRemedy, bpy.types.Operator):
    """Give the colliders in which an object starts walls that grow outwards, so that they hold it inside."""

    bl_idname = "xpbd.make_hollow"
    bl_label = "Make Hollow"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Give them walls."""
        scene = read_first_frame(context, BakeOptions()).scene
        found = [(body, wrapping(body, scene)) for body in scene.bodies if body.name == obj.name]
        told = [make_hollow(context.scene, body, colliders) for body, colliders in found if colliders]
        return "; ".join(filter(None, told)) if told else f'"{obj.name}" is wholly inside no collider'


class XPBD_OT_merge_doubled(ObjectRemedy, bpy.types.Operator):
    """Merge the vertices of a mesh that are in one place, so that its faces hold together."""

    bl_idname = "xpbd.merge_doubled"
    bl_label = "Merge by Distance"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Merge them."""
        return merge_doubled(obj)


class XPBD_OT_apply_subdivision(ObjectRemedy, bpy.types.Operator):
    """Make the mesh as fine as it is shown, so that what is seen is simulated, and can be held off what it lies on."""

    bl_idname = "xpbd.apply_subdivision"
    bl_label = "Apply Subdivision"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Apply it."""
        return apply_subdivision(context, obj)


class XPBD_OT_add_floor(Remedy, bpy.types.Operator):
    """Turn the floor on, under all that is simulated."""

    bl_idname = "xpbd.add_floor"
    bl_label = "Add Floor"

    def mend(self, context: bpy.types.Context) -> str:
        """Turn it on, at height 0 where nothing is lower."""
        bodies = read_first_frame(context, BakeOptions()).scene.bodies
        lowest = min(float(body.positions[:, 2].min()) for body in bodies) / unit_scale_of(context.scene)
        context.scene.xpbd.floor_height = min(lowest, 0.0)
        context.scene.xpbd.use_floor = True
        return ""


class XPBD_OT_feel_like(ObjectRemedy, bpy.types.Operator):
    """Scale the stiffness of a jelly, so that it looks like one of another size: firm where it is large."""

    bl_idname = "xpbd.feel_like"
    bl_label = "Feels Like"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Choose the size at which it sags so far that it looks like jelly."""
        told = suit_size(context, [obj])
        if told:
            self.report({"INFO"}, told)
        return "" if told else f'"{obj.name}" looks like jelly already'


class XPBD_OT_suit_resolution(ObjectRemedy, bpy.types.Operator):
    """Choose the resolution of a jelly from its mesh, so that there are cells enough across what is thin."""

    bl_idname = "xpbd.suit_resolution"
    bl_label = "Automatic Resolution"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Choose it, unless it is no finer: then a number is to be typed, which the finding tells."""
        if not is_coarser_than_automatic(context, obj):
            return f'Automatic has no more cells for "{obj.name}": type more, which takes longer, or thicken it'
        self.report({"INFO"}, suit_mesh(context, [obj]))
        return ""


class XPBD_OT_allow_substeps(ObjectRemedy, bpy.types.Operator):
    """Raise At Most of the scene's substeps, so that the weight of an object does not stretch it; bakes take longer."""

    bl_idname = "xpbd.allow_substeps"
    bl_label = "Allow More Substeps"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Raise it as far as the object asks for."""
        scene = read_first_frame(context, BakeOptions()).scene
        needed = max((cloth_bound(scene, body) for body in scene.bodies if body.name == obj.name), default=0)
        settings = context.scene.xpbd
        if needed > settings.bl_rna.properties["maximum_substeps"].hard_max:
            return f'"{obj.name}" is so small that no number of substeps is enough: make its faces, or it, larger'
        if needed <= settings.maximum_substeps:
            return f'"{obj.name}" needs no more substeps than are allowed'
        settings.maximum_substeps = needed
        return ""


class XPBD_OT_set_gravity(Remedy, bpy.types.Operator):
    """Give the scene the gravity of the Earth, in the direction that it has, whatever its unit scale."""

    bl_idname = "xpbd.set_gravity"
    bl_label = "Set Gravity to 9.81 m/s²"

    def mend(self, context: bpy.types.Context) -> str:
        """Scale it."""
        scene = context.scene
        if "gravity" in animated_paths(scene):
            return "Gravity is animated: divide its keys by the unit scale"
        if scene.gravity.length == 0.0:
            return "Gravity is zero"
        scene.gravity = scene.gravity.normalized() * (DEFAULT_GRAVITY / unit_scale_of(scene))
        return ""


class XPBD_OT_make_local(ObjectRemedy, bpy.types.Operator):
    """Make an object and its mesh this file's own, so that they can be baked: linked ones come from another file."""

    bl_idname = "xpbd.make_local"
    bl_label = "Make Local"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Make it and its data local; an override becomes an object of its own."""
        name = obj.name
        local: Any = obj.make_local()
        local.data.make_local()
        forget_fault(context.scene, "E_DATA_LINKED", name)
        return ""


class XPBD_OT_make_single_user(ObjectRemedy, bpy.types.Operator):
    """Give an object a copy of the mesh, or of its keys' action, that it shares, so that a bake changes no other."""

    bl_idname = "xpbd.make_single_user"
    bl_label = "Make Single User"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Copy what is shared of the mesh and the action of its shape keys; materials stay shared."""
        if not _is_in_common(obj):
            return f'Nothing else uses the mesh of "{obj.name}", or the action of its shape keys'
        if is_shared(obj):
            obj.data = obj.data.copy()
        make_action_own(own_shape_keys(obj.data))
        for other in context.scene.objects:
            # the last one that is left with a mesh has it for itself
            if is_body(other) and not _is_in_common(other):
                forget_fault(context.scene, "E_DATA_SHARED", other.name)
        return ""


def _is_in_common(obj: bpy.types.Object) -> bool:
    """Whether other objects have the same mesh, or the same action of its shape keys."""
    return is_shared(obj) or has_shared_action(own_shape_keys(obj.data))


class XPBD_OT_set_contact_distance(ObjectRemedy, bpy.types.Operator):
    """Give an object the usual gap to colliders, whatever the unit scale of the scene."""

    bl_idname = "xpbd.set_contact_distance"
    bl_label = "Set Contact Distance"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Set it, or more where the edges are so long that even that would be too thin."""
        bodies = [body for body in read_first_frame(context, BakeOptions()).scene.bodies if body.name == obj.name]
        gap = max((fitting_gap(body) for body in bodies), default=0.0)
        if gap == 0.0:
            return f'"{obj.name}" has no faces'
        obj.xpbd.contact_offset = gap / unit_scale_of(context.scene)
        return ""


class XPBD_OT_make_room(ObjectRemedy, bpy.types.Operator):
    """Give a cloth the gap that Solidify, or a strand the radius that its bevel shows, so that it does not sink in."""

    bl_idname = "xpbd.make_room"
    bl_label = "Make Room"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Set Contact Distance and Thickness, or the Radius of a strand."""
        if obj.type == "CURVE":
            shown = shown_radius(obj)
            if shown <= obj.xpbd.radius:
                return f'Its bevel shows "{obj.name}" no thicker than it is simulated'
            obj.xpbd.radius = shown
            return ""
        body = next(
            (one for one in read_first_frame(context, BakeOptions()).scene.bodies if one.name == obj.name), None
        )
        if body is None or shown_side(obj) == 0.0:
            return f'Solidify shows "{obj.name}" no thicker than it is simulated'
        return make_room(obj, body, unit_scale_of(context.scene))


class XPBD_OT_fit_thickness(ObjectRemedy, bpy.types.Operator):
    """Make all bodies of a stack, or a folded one, so thin that they stay as near to each other as they start."""

    bl_idname = "xpbd.fit_thickness"
    bl_label = "Fit Thickness"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Set Thickness of all of them."""
        read = read_first_frame(context, BakeOptions()).scene
        return fit_thickness(context.scene, read, obj.name, unit_scale_of(context.scene))


class XPBD_OT_sew(ObjectRemedy, bpy.types.Operator):
    """Let the edges between the panels of a cloth pull together until they are closed."""

    bl_idname = "xpbd.sew"
    bl_label = "Sew"
    object_name: name_property()

    def mend_object(self, context: bpy.types.Context, obj: bpy.types.Object) -> str:
        """Turn Sewing on."""
        obj.xpbd.use_stitches = True
        return ""


class XPBD_OT_subdivide(Remedy, bpy.types.Operator):
    """Halve the edges of a mesh, or the segments of a curve, until it can show how it bends; once where it can."""

    bl_idname = "xpbd.subdivide"
    bl_label = "Subdivide"
    object_name: name_property()

    def mend(self, context: bpy.types.Context) -> str:
        """Subdivide the mesh or the curve itself: a modifier would come after the simulation."""
        obj = context.scene.objects.get(self.object_name)
        if obj is None or obj.type not in _SUBDIVIDE or not obj.data.is_editable:
            return f'There is no object "{self.object_name}" whose mesh or curve could be changed'
        refusal = _SUBDIVIDE[obj.type](obj.data)
        if not refusal and obj.xpbd.normal_resolution:
            suit_mesh(context, [obj])
        return refusal


class XPBD_OT_suit_mesh(bpy.types.Operator):
    """Choose the resolution of the selected jellies from their meshes: as fine as what is thin, and as they show."""

    bl_idname = "xpbd.suit_mesh"
    bl_label = "Automatic"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether the mesh is not being edited."""
        return is_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Choose it; it goes with the quality until a number is typed."""
        told = suit_mesh(context, [obj for obj in chosen_objects(context) if obj.is_editable])
        if not told:
            self.report({"WARNING"}, "No selected object is a jelly whose mesh can be measured")
            return {"CANCELLED"}
        self.report({"INFO"}, told)
        renew_findings(context)
        return {"FINISHED"}


def _subdivide_mesh(data: bpy.types.Mesh) -> str:
    mesh = bmesh.new()
    try:
        mesh.from_mesh(data)
        # halved edges put no vertex into a polygon of more than four corners
        bmesh.ops.triangulate(mesh, faces=[face for face in mesh.faces if len(face.verts) > 4])
        for number in range(MOST_HALVINGS):
            # a mesh of many vertices may be coarse for what it meets
            if number and len(mesh.verts) >= ENOUGH_VERTICES:
                break
            bmesh.ops.subdivide_edges(mesh, edges=list(mesh.edges), cuts=1, use_grid_fill=True)
        mesh.to_mesh(data)
    finally:
        mesh.free()
    data.update()
    return ""


def _subdivide_curve(curve: bpy.types.Curve) -> str:
    if curve.shape_keys is not None:
        return f'"{curve.name}" has shape keys, which would not fit: give it more points before them'
    for _ in range(MOST_HALVINGS):
        if point_count(curve) >= ENOUGH_VERTICES:
            break
        halve_segments(curve)
    curve.update_tag()
    return ""


_SUBDIVIDE: Mapping[str, Callable[[Any], str]] = {"MESH": _subdivide_mesh, "CURVE": _subdivide_curve}
