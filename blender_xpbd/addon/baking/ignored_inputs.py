# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the scene and does not count in a bake: each kind is one warning that names the objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ...scene.collider import Collider
from ...scene.errors import Notice
from ...scene.listing import listed, quoted
from ...scene.parameter import by_name
from ...scene.parameters.external_parameters import PUSH
from ...scene.parameters.material_parameters import COLLIDER, MATERIAL_PARAMETERS
from ...scene.parameters.mode_parameters import takes_shares
from ...scene.presets import preset_values
from ..data.link_attributes import LINK_TYPES
from ..data.material_names import COMPLIANCES, SHARES, STIFFNESSES, hindrances, material_names
from ..data.object_types import is_body
from ..data.properties import fits_role, holds
from ..data.specs import FOLLOWED_OF_SCENE
from ..deformers.shown_otherwise import shown_otherwise
from ..reading.bystanders import bystander_notices, weight_notices
from ..reading.force_reader import field_notices
from ..reading.idle_motion import has_moving_keys, is_moved
from ..reading.mesh_reader import RIG_MODIFIERS, has_group
from ..reading.modifier_stack import follows_deformed, has_deforming_parent
from ..reading.motion import animated_paths
from ..reading.parameter_tracks import animated_settings, followed_settings

_PARAMETERS = by_name(MATERIAL_PARAMETERS)
# parameters of bodies that a setting of the scene multiplies
_BY_SCENE = {
    "air_drag": ("air_density", "use_force_fields"),
    "air_lift": ("air_density", "use_force_fields"),
    "force_weight": ("use_force_fields",),
}
# the setting of the floor that is followed, and the floor's switch
_OF_FLOOR = ("floor_height", "use_floor")
# what gives a Pin Frequency something to hold
_HOLDERS = ("pin_group", "attach_object")
# groups, and the settings of which one at least must be on for them to scale or to hold anything
_GROUPS_BESIDE: dict[str, tuple[str, ...]] = {
    "push_group": PUSH,
    "attach_group": ("attach_object",),
    "goal_group": ("goal_source",),
    "pressure_group": ("pressure_model",),
}


def ignored_inputs(
    scene: bpy.types.Scene, objects: Sequence[bpy.types.Object], pinned: frozenset[int], colliders: Iterable[Collider]
) -> tuple[Notice, ...]:
    """Warnings for what a bake takes no notice of, as it is at the first frame.

    Args:
        scene: to be baked.
        objects: all that are enabled in it.
        pinned: ``session_uid`` of the bodies with pins.
        colliders: as they were read.
    """
    bodies = [obj for obj in objects if is_body(obj)]
    rigged = [obj.name for obj in bodies if obj.session_uid in pinned and is_unseen_rig(obj)]
    curves = [obj.name for obj in bodies if obj.type != "MESH" and _has_rig(obj)]
    loose = [collider.name for collider in colliders if _has_loose_vertices(collider)]
    idle = [obj for obj in bodies if has_idle_stiffness(obj.xpbd, scene.xpbd.solver_mode)]
    in_pbd = [obj for obj in idle if takes_shares(obj.xpbd.solver_mode, scene.xpbd.solver_mode)]
    unheld = [obj.name for obj in bodies if obj.session_uid not in pinned and _is_idly_moved(obj)]
    found = (
        rig_notice(rigged, "Pins follow the object itself"),
        _ignored(
            curves, "The simulation does not see what an armature, lattice or hook does to curves; it comes on top: {}."
        ),
        _ignored(loose, "Vertices and edges of a collider that belong to no face stop nothing: {}."),
        _ignored(
            unheld,
            "Animation and constraints do not move what nothing holds to its object, as pins or a Goal would: {}.",
        ),
        _ignored(
            [obj.name for obj in idle if obj not in in_pbd],
            "Own, for Experts takes compliances: stiffness that was typed does not count; choose Own Material: {}.",
        ),
        _ignored([obj.name for obj in in_pbd], "PBD mode takes shares: stiffness that was typed does not count: {}."),
        _stretched_time(scene),
        _animated_settings([scene, *bodies, *(obj for obj in objects if obj.xpbd.role == COLLIDER)]),
        _idle_keys(scene, bodies, idle, pinned),
        _idle_groups(bodies),
    )
    others = (*bystander_notices(scene, objects), *field_notices(scene, objects), *weight_notices(scene, objects))
    return (*(notice for notice in found if notice is not None), *others, *shown_otherwise(scene, objects))


def has_idle_stiffness(settings: Any, solver_mode: str) -> bool:
    """Whether a stiffness in physical units was typed in vain: it counts as compliances or shares, and none was typed.

    Args:
        settings: ``Object.xpbd`` of a body.
        solver_mode: "XPBD" or "PBD", the scene's.
    """
    counting = {*material_names(settings, solver_mode)}
    if counting & STIFFNESSES or any(settings.is_property_set(name) for name in counting & (COMPLIANCES | SHARES)):
        return False
    return any(settings.role in _PARAMETERS[name].roles and _is_typed(settings, name) for name in STIFFNESSES)


def _is_typed(settings: Any, name: str) -> bool:
    """Whether a value is neither the default nor what the preset that was shown last has set."""
    shown = settings.shown_preset
    preset = preset_values(shown, settings.role) if shown and fits_role(shown, settings.role) else {}
    return not holds(settings, name, preset.get(name, _PARAMETERS[name].default))


def is_unseen_rig(obj: bpy.types.Object) -> bool:
    """Whether a rig or animated shape keys move the result of a mesh, and the simulation does not see them."""
    return obj.type == "MESH" and not follows_deformed(obj) and (_has_rig(obj) or has_moving_keys(obj))


def rig_notice(names: Sequence[str], what: str) -> Notice | None:
    """The warning for bodies with a rig that is not seen.

    Args:
        names: of the bodies.
        what: the simulation does without it.
    """
    if not names:
        return None
    text = f"{what}; an armature, lattice, hook or shape key moves the finished result on top: {quoted(names)}."
    return Notice("W_RIG", f"{text} Choose Deformed Mesh as Goal, so that it follows the rig and swings.")


def deforming_spheres(names: Sequence[str]) -> tuple[Notice, ...]:
    """The warning for colliders that are round whatever shape they take."""
    notice = _ignored(names, "Spheres keep the size that they have at the first frame, but these deform; use Mesh: {}.")
    return () if notice is None else (notice,)


def switched_objects(names: Sequence[str]) -> tuple[Notice, ...]:
    """The warning for what is disabled in viewports at some frames."""
    text = "Whether these take part goes by the first frame; keys on Disable in Viewports do not count: {}."
    return (Notice("W_ANIMATED", text.format(quoted(names))),) if names else ()


def _ignored(names: Sequence[str], text: str) -> Notice | None:
    return Notice("W_IGNORED", text.format(quoted(names))) if names else None


def _has_rig(obj: bpy.types.Object) -> bool:
    rigs = (modifier for modifier in obj.modifiers if modifier.type in RIG_MODIFIERS)
    return has_deforming_parent(obj) or any(modifier.show_viewport or modifier.show_render for modifier in rigs)


def _is_idly_moved(obj: bpy.types.Object) -> bool:
    """Whether an object is moved, and the simulation goes by its first frame alone."""
    return obj.xpbd.goal_source == "NONE" and is_moved(obj)


def _has_loose_vertices(collider: Collider) -> bool:
    return len(np.unique(collider.triangles)) < collider.positions.shape[1]


def _stretched_time(scene: bpy.types.Scene) -> Notice | None:
    """A warning for *Time Stretching*: Blender plays keys of one frame at another, those of a bake, too."""
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old == new:
        return None
    text = f"Time Stretching of the scene ({old} to {new}) plays the result at another speed than it is simulated at, "
    return Notice("W_IGNORED", f"{text}and not all of it: set Old and New to the same, and use Retime after the bake.")


def _animated_settings(owners: Iterable[bpy.types.ID]) -> Notice | None:
    """A warning for our own settings that are animated but not followed: a preset sets them, or they are read once."""
    found = {data.name: _not_followed(data) for data in owners}
    listed = [f'{", ".join(sorted(names))} of "{name}"' for name, names in found.items() if names]
    if not listed:
        return None
    text = "Some animated XPBD settings count as they are at the first frame, or as their preset says: "
    return Notice("W_ANIMATED", f"{text}{'; '.join(listed)}.")


def _idle_keys(
    scene: bpy.types.Scene,
    bodies: Iterable[bpy.types.Object],
    stiff_in_vain: Sequence[bpy.types.Object],
    pinned: frozenset[int],
) -> Notice | None:
    """A warning for followed settings of bodies, and of the floor, that have nothing to act on.

    Args:
        scene: to be baked.
        bodies: that are asked.
        stiff_in_vain: those of them of which it is told already that their stiffness does not count.
        pinned: as for ``ignored_inputs``.
    """
    found = [
        f'{obj.xpbd.bl_rna.properties[name].name} of "{obj.name}" (see {listed(stops)})'
        for obj in bodies
        for name in sorted(followed_settings(obj) - (STIFFNESSES if obj in stiff_in_vain else frozenset()))
        if (stops := _stops(scene, obj, name, is_pinned=obj.session_uid in pinned))
    ]
    if _OF_FLOOR[0] in animated_settings(scene) and not scene.xpbd.use_floor:
        height, switch = _labels(scene.xpbd, _OF_FLOOR)
        found.append(f'{height} of "{scene.name}" (see {switch})')
    return Notice("W_ANIMATED", f"Some animated XPBD settings do nothing: {'; '.join(found)}.") if found else None


def _stops(scene: bpy.types.Scene, obj: bpy.types.Object, name: str, *, is_pinned: bool) -> list[str]:
    """Labels of what keeps an animated setting of a body from doing anything."""
    settings = obj.xpbd
    if name == "pin_frequency" and not is_pinned and settings.attach_object is None:
        return _labels(settings, _HOLDERS)
    off = [one for one in _BY_SCENE.get(name, ()) if not getattr(scene.xpbd, one)]
    if off:
        return _labels(scene.xpbd, off)
    stops = hindrances(settings, scene.xpbd.solver_mode, name, animated_settings(obj))
    return _labels(settings, stops)


def _idle_groups(bodies: Iterable[bpy.types.Object]) -> Notice | None:
    """A warning for vertex groups of which nothing is made, as what they are for is off."""
    found = [
        f'{obj.xpbd.bl_rna.properties[name].name} of "{obj.name}" (see {listed(_labels(obj.xpbd, beside))})'
        for obj in bodies
        for name, beside in _GROUPS_BESIDE.items()
        if has_group(obj, getattr(obj.xpbd, name)) and _offers(obj, beside) and not _is_on(obj, beside)
    ]
    return Notice("W_GROUP", f"Some vertex groups do nothing: {'; '.join(found)}.") if found else None


def _offers(obj: bpy.types.Object, names: Iterable[str]) -> bool:
    """Whether the role of a body has parameters; attachments and goals are of all roles."""
    roles = [_PARAMETERS[name].roles for name in names if name in _PARAMETERS]
    return all(not own or obj.xpbd.role in own for own in roles)


def _is_on(obj: bpy.types.Object, names: Iterable[str]) -> bool:
    """Whether one at least of some settings is on, or something moves it."""
    moved = animated_settings(obj)
    return any(name in moved or getattr(obj.xpbd, name) not in (0.0, "NONE", None) for name in names)


def _labels(settings: Any, names: Iterable[str]) -> list[str]:
    return [settings.bl_rna.properties[name].name for name in names]


def _not_followed(data: bpy.types.ID) -> frozenset[str]:
    if not isinstance(data, bpy.types.Object):
        return animated_settings(data) - FOLLOWED_OF_SCENE
    return (animated_settings(data) - followed_settings(data)) | _animated_links(data)


def _animated_links(obj: bpy.types.Object) -> frozenset[str]:
    """Attributes of links that something animates, as add-ons for keys on attributes do."""
    paths = animated_paths(obj.data) if obj.type == "MESH" else ()
    return frozenset(name for name in LINK_TYPES if any(path.startswith(f'attributes["{name}"]') for path in paths))
