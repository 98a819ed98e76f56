# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "XPBD" in the sidebar of the 3D viewport. Drawing neither computes nor changes anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ...scene.body_kinds import body_roles
from ...scene.parameters.material_parameters import CLOTH, COLLIDER, JELLY, STRAND
from ...scene.settings import EFFORTS, SOLVER_PARAMETERS
from ..data.bake_status import STATUS
from ..data.classes import register_classes, unregister_classes
from ..data.feel_settings import FEEL_PARAMETERS
from ..data.frame_range import follows_scene
from ..data.material_names import DAMPING, OF_SCENE, material_names, preset_names, structure_names
from ..data.object_types import can_have, type_labels
from ..data.quality import quality_of
from ..data.specs import GROUP_PROPERTIES, ROLES
from ..reading.feel import MODULUS
from ..reading.rigged_parts import armatures_of
from ..reading.start_reader import has_start
from .cache_panel import XPBD_PT_cache
from .findings import draw_expense, draw_findings
from .force_panels import XPBD_PT_attraction, XPBD_PT_fields, XPBD_PT_forces
from .goal_panel import XPBD_PT_goal
from .link_panel import XPBD_PT_links
from .menus import ROLE_ICONS, XPBD_MT_material
from .mode_panel import XPBD_PT_mode
from .own_presets import XPBD_PT_presets
from .plasticity_panel import XPBD_PT_plasticity
from .play_panel import draw_playing
from .pose_panel import XPBD_PT_pose, XPBD_UL_poses
from .region_panel import XPBD_PT_region
from .result import draw_result
from .sidebar import (
    PARAMETERS,
    SidebarPanel,
    SubPanel,
    active_object,
    draw_choice,
    draw_group,
    draw_parameter,
    draw_value,
)
from .wrapped_text import draw_wrapped, letters_across

# Solver settings that count for one quality only
_OF_QUALITY = {
    "substeps": {"FIXED"},
    "iterations": {"FIXED"},
    "tolerance": {"AUTOMATIC"},
    "maximum_substeps": {"AUTOMATIC", *EFFORTS},
}

# Roles beside each other, so that their names fit the width that Blender gives the sidebar
_ROLES_ACROSS = 3

# Solver settings that stand with the frames
STAGES = ("preroll", "sewing_frames")

_EDIT_WARNING = "The rest of its keys is written then. If its polygons have changed, its keys are taken back."

BODY_ROLES = body_roles()
_ROLE_LABELS = {role.identifier: role.label for role in ROLES}
_PRESET_LABELS = {choice.identifier: choice.label for choice in PARAMETERS["preset"].choices}


class XPBD_PT_main(SidebarPanel, bpy.types.Panel):
    """Role, material, Bake: all that a first bake needs."""

    bl_idname = "XPBD_PT_main"
    bl_label = "XPBD"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        layout = self.layout
        obj = active_object(context)
        if obj is None:
            layout.label(text=f"Select a {type_labels()} object", icon="INFO")
        else:
            draw_roles(layout, obj)
            draw_material_choice(layout, obj, context.scene.xpbd.solver_mode)
        layout.separator()
        if STATUS.is_baking:
            _draw_progress(layout, letters_across(context))
        elif STATUS.is_playing:
            draw_playing(layout, letters_across(context))
        else:
            _draw_quality(layout, context.scene.xpbd)
            _draw_bake(layout)
            draw_findings(layout, context.scene.xpbd, letters_across(context))
            draw_expense(layout, context.scene, letters_across(context))
        draw_result(layout, context)


def draw_roles(layout: Any, obj: Any) -> None:
    """A button for each role that the object can have."""
    column = layout.column(align=True)
    for number, role in enumerate(role for role in (*BODY_ROLES, COLLIDER) if can_have(obj, role)):
        if number % _ROLES_ACROSS == 0:
            row = column.row(align=True)
            row.scale_y = 1.4
        button = row.operator(
            "xpbd.set_role", text=_ROLE_LABELS[role], icon=ROLE_ICONS[role], depress=obj.xpbd.role == role
        )
        button.role = role
    if obj.xpbd.role != "NONE":
        row.operator("xpbd.set_role", text="", icon=ROLE_ICONS["NONE"]).role = "NONE"
    else:
        column.operator("xpbd.fill_with_grains", icon=ROLE_ICONS["GRAINS"])
    if obj.type == "MESH" and obj.xpbd.role == "NONE" and armatures_of(obj):
        column.operator("xpbd.jiggle", icon="MOD_ARMATURE")


def draw_material_choice(layout: Any, obj: Any, solver_mode: str) -> None:
    """What it is made of, in a scene of a mode, or which shape it has."""
    if obj.xpbd.role in BODY_ROLES:
        label = _PRESET_LABELS[obj.xpbd.preset]
        row = layout.row(align=True)
        row.scale_y = 1.2
        row.menu(XPBD_MT_material.bl_idname, text=label, icon="MATERIAL")
        row.popover(XPBD_PT_presets.bl_idname, text="", icon="IMGDISPLAY")
        for parameter in FEEL_PARAMETERS:
            if obj.xpbd.role in parameter.roles:
                row = layout.row()
                # there is no modulus to be scaled
                row.active = MODULUS in material_names(obj.xpbd, solver_mode)
                draw_value(row, obj.xpbd, parameter.name)
    elif obj.xpbd.role == COLLIDER:
        layout.row().prop(obj.xpbd, "collider_shape", expand=True)


def _draw_quality(layout: Any, settings: Any) -> None:
    """A button for each quality that goes by the materials; none is pressed where another one is chosen."""
    row = layout.row(align=True)
    # in a file from before there was a choice, typed numbers count although Normal looks chosen
    row.active = quality_of(settings) == settings.quality
    for quality in EFFORTS:
        row.prop_enum(settings, "quality", quality)


def _draw_bake(layout: Any) -> None:
    row = layout.row(align=True)
    row.scale_y = 1.8
    row.operator_context = "INVOKE_DEFAULT"
    row.operator("xpbd.bake", text="Bake", icon="REC")
    row.operator("xpbd.play", text="Play", icon="PLAY")
    row.operator("xpbd.check", text="", icon="CHECKMARK")
    row.operator("xpbd.clear", text="", icon="TRASH")


def _draw_progress(layout: Any, width: int) -> None:
    row = layout.row(align=True)
    row.scale_y = 1.8
    # the bar is too narrow for what the newest part tells at length, as of a worker that may hang
    newest = STATUS.status.rpartition(" · ")[2]
    is_long = not STATUS.is_waiting and len(STATUS.status) > width
    text = newest.partition(": ")[0] if is_long else STATUS.status
    row.progress(factor=STATUS.progress, type="BAR", text="Waiting" if STATUS.is_waiting else text)
    row.operator("xpbd.cancel", text="", icon="CANCEL")
    if STATUS.is_waiting:
        draw_wrapped(layout, f"{STATUS.status}. {_EDIT_WARNING}", icon="INFO", width=width)
    elif is_long and text != newest:
        draw_wrapped(layout, f"{newest}.", icon="INFO", width=width)


class XPBD_PT_material(SubPanel, bpy.types.Panel):
    """What the object is made of."""

    bl_label = "Material"
    roles = BODY_ROLES

    def draw(self, context: bpy.types.Context) -> None:
        """The values of the preset are shown; those of an own material can be changed."""
        settings = context.object.xpbd
        column = self.layout.column()
        preset = preset_names(settings.preset)
        # Bending is a distance or an angle, and its compliance has the unit of that
        units = {"bending_compliance": "m/N"} if settings.bending_model == "DISTANCE" else {}
        names = material_names(settings, context.scene.xpbd.solver_mode)
        for name in names:
            row = column.row()
            row.enabled = name not in preset
            draw_parameter(row, settings, name, units.get(name, ""))
        if settings.membrane_model == "ORTHOTROPIC" and "warp_stiffness" in names:
            column.prop_search(settings, "uv_map", context.object.data, "uv_layers")
        if preset:
            column.operator("xpbd.own_material", icon="GREASEPENCIL")


class XPBD_PT_structure(SubPanel, bpy.types.Panel):
    """What it has beyond its material."""

    bl_label = "Structure"
    roles = (JELLY, CLOTH, STRAND)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.object.xpbd
        column = self.layout.column()
        for name in structure_names(settings, context.scene.xpbd.solver_mode):
            draw_parameter(column, settings, name)


class XPBD_PT_motion(SubPanel, bpy.types.Panel):
    """How it moves at first, and what slows it."""

    bl_label = "Motion"
    roles = BODY_ROLES

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.object.xpbd
        column = self.layout.column()
        column.prop(settings, "initial_velocity")
        if has_start(context.object):
            row = column.row(align=True)
            row.label(text="Begins in the pose of a run", icon="ARMATURE_DATA")
            row.operator("xpbd.clear_start", text="", icon="X")
        preset = preset_names(settings.preset)
        for name in _of_role(settings, DAMPING):
            row = column.row()
            row.enabled = name not in preset
            draw_value(row, settings, name)
        for name in _of_role(settings, OF_SCENE):
            draw_value(column, settings, name)


class XPBD_PT_pins(SubPanel, bpy.types.Panel):
    """What holds it."""

    bl_label = "Pins"
    roles = BODY_ROLES

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = context.object
        column = self.layout.column()
        is_mesh = obj.type == "MESH"
        if not is_mesh:
            draw_choice(column, obj.xpbd, "pinned_ends")
            column.prop(obj.xpbd, "hold_direction")
        draw_group(column, obj, "pin_group", "Pin Group" if is_mesh else "Also")
        if is_mesh:
            row = column.row(align=True)
            row.operator("xpbd.add_pin_group", text="Assign")
            row.operator("xpbd.remove_pins", text="Remove")
            row.operator("xpbd.select_pins", text="Select")
            column.operator("xpbd.paint_pins", icon="BRUSH_DATA")
        row = column.row()
        row.active = bool(obj.xpbd.pin_group) or obj.xpbd.attach_object is not None
        draw_value(row, obj.xpbd, "pin_frequency")
        column.separator()
        column.prop(obj.xpbd, "attach_object")
        holder = obj.xpbd.attach_object
        if holder is not None and holder.type == "ARMATURE":
            # one that no scene has posed yet has no pose
            column.prop_search(obj.xpbd, "attach_bone", holder.data, "bones")
        row = column.row()
        row.active = obj.xpbd.attach_object is not None
        draw_group(row, obj, "attach_group", "Group" if is_mesh else "Also")


class XPBD_PT_groups(SubPanel, bpy.types.Panel):
    """What varies over it."""

    bl_label = "Vertex Groups"
    roles = BODY_ROLES

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Control points of a curve can be in no group."""
        return super().poll(context) and context.object.type != "CURVE"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        obj = context.object
        column = self.layout.column()
        for name in GROUP_PROPERTIES:
            parameter = PARAMETERS[name]
            if obj.xpbd.role in parameter.roles:
                draw_group(column, obj, name, parameter.label.removesuffix(" Group"))


class XPBD_PT_tetrahedra(SubPanel, bpy.types.Panel):
    """What fills it."""

    bl_label = "Cage"
    roles = (JELLY,)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.object.xpbd
        column = self.layout.column()
        draw_choice(column, settings, "tetrahedralizer")
        if settings.tetrahedralizer == "FILE":
            column.prop(settings, "tetrahedra_file", text="")
        else:
            row = column.row(align=True)
            draw_value(row, settings, "cage_resolution")
            row.operator("xpbd.suit_mesh", depress=settings.normal_resolution > 0)
        package = {"FTETWILD": "pytetwild", "TETGEN": "tetgen"}.get(settings.tetrahedralizer)
        if package:
            hint = f"Needs the package {package} in the Python of the solver"
            draw_wrapped(column, hint, icon="INFO", width=letters_across(context))


class XPBD_PT_collision(SubPanel, bpy.types.Panel):
    """How it meets others."""

    bl_label = "Collision"
    roles = (*BODY_ROLES, COLLIDER)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.object.xpbd
        column = self.layout.column()
        draw_value(column, settings, "friction", slider=True)
        draw_value(column, settings, "restitution", slider=True)
        if settings.role in BODY_ROLES:
            for name in _of_role(settings, ("contact_offset",)):
                draw_value(column, settings, name)
            _draw_contact(column, context.object)


def _of_role(settings: Any, names: Iterable[str]) -> list[str]:
    """Of some parameters those that count for the role of an object."""
    return [name for name in names if not PARAMETERS[name].roles or settings.role in PARAMETERS[name].roles]


def _draw_contact(column: Any, obj: Any) -> None:
    """What a body meets, and how thick it is there."""
    settings = obj.xpbd
    column.separator()
    row = column.row(align=True)
    for name in _of_role(settings, ("use_self_collision", "use_body_collision")):
        row.prop(settings, name, toggle=True)
    part = column.column()
    part.active = settings.use_self_collision or settings.use_body_collision
    for name in _of_role(settings, ("thickness",)):
        draw_value(part, settings, name)
    draw_group(part, obj, "no_contact_group", PARAMETERS["no_contact_group"].label)
    column.prop(settings, "collision_collection")
    row = column.row()
    row.active = settings.use_body_collision
    for name in _of_role(settings, ("contact_layer",)):
        draw_value(row, settings, name)
    column.operator("xpbd.select_crossings", icon="RESTRICT_SELECT_OFF")


class XPBD_PT_floor(SubPanel, bpy.types.Panel):
    """One switch for a floor."""

    bl_label = "Floor"

    def draw_header(self, context: bpy.types.Context) -> None:
        """The switch."""
        self.layout.prop(context.scene.xpbd, "use_floor", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.scene.xpbd
        column = self.layout.column()
        column.active = settings.use_floor
        column.prop(settings, "floor_height")
        column.prop(settings, "floor_friction", slider=True)
        column.prop(settings, "floor_restitution", slider=True)


class XPBD_PT_solver(SubPanel, bpy.types.Panel):
    """Which frames, how exactly, where."""

    bl_label = "Solver"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw."""
        settings = context.scene.xpbd
        column = self.layout.column()
        frames = column.column(align=True)
        frames.prop(settings, "use_scene_range")
        source = context.scene if follows_scene(settings) else settings
        frames.prop(source, "frame_start", text="Frame Start")
        frames.prop(source, "frame_end", text="End")
        frames.prop(settings, "frame_step")
        for name in STAGES:
            column.prop(settings, name)
        quality = quality_of(settings)
        if quality != settings.quality:
            column.label(text="The typed substeps count", icon="INFO")
        for parameter in SOLVER_PARAMETERS:
            if parameter.name not in STAGES and quality in _OF_QUALITY.get(parameter.name, {quality}):
                draw_parameter(column, settings, parameter.name)
        column.prop(settings, "retry_diverged")


# what panels draw, and what Blender must know before them
LISTS = (XPBD_UL_poses,)
CLASSES = (
    XPBD_PT_main,
    XPBD_PT_material,
    XPBD_PT_structure,
    XPBD_PT_motion,
    XPBD_PT_pins,
    XPBD_PT_goal,
    XPBD_PT_pose,
    XPBD_PT_groups,
    XPBD_PT_tetrahedra,
    XPBD_PT_collision,
    XPBD_PT_forces,
    XPBD_PT_links,
    XPBD_PT_plasticity,
    XPBD_PT_mode,
    XPBD_PT_floor,
    XPBD_PT_fields,
    XPBD_PT_attraction,
    XPBD_PT_solver,
    XPBD_PT_cache,
    XPBD_PT_region,
)


def register() -> None:
    """Add the panels."""
    register_classes((*LISTS, *CLASSES))


def unregister() -> None:
    """Remove the panels."""
    unregister_classes((*LISTS, *CLASSES))
