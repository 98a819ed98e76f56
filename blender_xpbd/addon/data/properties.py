# SPDX-License-Identifier: GPL-3.0-or-later
"""``Object.xpbd``, ``Scene.xpbd`` and ``WindowManager.xpbd``, made from the parameters in ``specs``.

``Object.xpbd.poses`` is a list of groups of their own.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import bpy

from ...scene.body_kinds import BODY_KINDS, body_roles
from ...scene.parameter import Choice, Parameter, Value
from ...scene.parameters.material_parameters import MATERIAL_PARAMETERS
from ...scene.presets import DEFAULT_PRESETS, PRESETS, left_values, preset_values
from .bake_status import STATUS
from .frame_range import TYPED_FRAMES, keep_typed_frames
from .material_names import COMPLIANCES, OWN_COMPLIANCE, OWN_MATERIAL, STIFFNESSES, is_overruled, preset_names
from .quality import TYPED, keep_typed
from .resolutions import follow_quality, keep_typed_resolution
from .shown_settings import SHOWN, redraw_viewports
from .specs import OBJECT_SETTINGS, POSE_SETTINGS, SCENE_SETTINGS, STATUS_SETTINGS, Setting

# Blender's subtype and unit of an SI unit, where it has one
BLENDER_UNITS: Mapping[str, tuple[str, str]] = {
    "m": ("DISTANCE", "LENGTH"),
    "m/s": ("VELOCITY", "VELOCITY"),
    "m/s²": ("NONE", "ACCELERATION"),
}
# a length in Blender units times the unit scale is one in metres
_SCALED_UNITS = frozenset(BLENDER_UNITS)
LENGTHS = frozenset(parameter.name for parameter in MATERIAL_PARAMETERS if parameter.unit in _SCALED_UNITS)
_FITTED_ROLES = frozenset(kind.name for kind in BODY_KINDS if kind.fits_points)
# lengths that count where nobody has typed them [m], and their roles
_DEFAULT_LENGTHS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    parameter.name: (float(parameter.default), tuple(role for role in parameter.roles if role not in _FITTED_ROLES))
    for parameter in MATERIAL_PARAMETERS
    if parameter.unit == "m" and parameter.default
}
_showing = False
_PRESET_ROLES = {preset.identifier: preset.role for preset in PRESETS}


class XPBD_PG_pose(bpy.types.PropertyGroup):
    """A shape that an object is to have at a frame."""


class XPBD_PG_object(bpy.types.PropertyGroup):
    """The settings of one object."""


class XPBD_PG_scene(bpy.types.PropertyGroup):
    """The settings of one scene."""


class XPBD_PG_status(bpy.types.PropertyGroup):
    """How the bake stands; computed, never stored."""


def enum_items(choices: tuple[Choice, ...]) -> tuple[tuple[str, str, str, str, int], ...]:
    """Blender's items of an enumeration.

    A .blend file stores the number: it is made from the identifier, so that items may be added and sorted later.
    24 bits, because a button holds it as a float.
    """
    return tuple(
        (choice.identifier, choice.label, choice.description, "NONE", zlib.crc32(choice.identifier.encode()) >> 8)
        for choice in choices
    )


def fits_role(preset: str, role: str) -> bool:
    """Whether a preset is for the role; own materials are for both."""
    return _PRESET_ROLES.get(preset, role) == role


def is_named(preset: str) -> bool:
    """Whether the preset sets the material's values, which are then only shown."""
    return preset in _PRESET_ROLES


def unit_scale_of(scene: bpy.types.Scene) -> float:
    """Metres per Blender unit."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


def material_values(settings: Any, unit_scale: float = 1.0) -> dict[str, Value]:
    """The material of a body in SI units: its own values, and over them those of its preset.

    Args:
        settings: ``Object.xpbd`` of a jelly or cloth object.
        unit_scale: metres per Blender unit.

    Raises:
        XpbdError: E_PARAM, where the preset is for another role.
    """
    role = settings.role
    own: dict[str, Value] = {}
    for parameter in MATERIAL_PARAMETERS:
        if parameter.name != "stiffness_input" and (not parameter.roles or role in parameter.roles):
            value = getattr(settings, parameter.name)
            own[parameter.name] = value * unit_scale if parameter.unit in _SCALED_UNITS else value
    return {**own, **preset_values(settings.preset, role)}


def show_preset(settings: Any, context: bpy.types.Context | None = None) -> None:
    """Copy the values of a named preset: the panel shows them, and an own material starts from them.

    What the preset that was shown before has set, and this one does not, gets its default: nobody has typed it.

    Args:
        settings: ``Object.xpbd``.
        context: of whose scene the unit scale is; None for the first scene that has the object.
    """
    global _showing  # noqa: PLW0603 - tells the values' own callbacks apart from the artist
    role, preset = settings.role, settings.preset
    if role not in body_roles() or not is_named(preset) or not fits_role(preset, role):
        return
    _showing = True
    try:
        for name, value in left_values(settings.shown_preset, preset).items():
            if holds(settings, name, _in_blender_units(settings, context, name, value)):
                settings.property_unset(name)
        for name, value in preset_values(preset, role).items():
            if name != "stiffness_input":
                setattr(settings, name, _in_blender_units(settings, context, name, value))
        settings.shown_preset = preset
    finally:
        _showing = False


def _in_blender_units(settings: Any, context: bpy.types.Context | None, name: str, value: Value) -> Value:
    """A value of a preset as its property has it: lengths in Blender units."""
    if name not in LENGTHS or isinstance(value, str):
        return value
    return value / _own_unit_scale(settings, context)


def _own_unit_scale(settings: Any, context: bpy.types.Context | None) -> float:
    """Metres per Blender unit where an object is; arguments as of ``show_preset``."""
    scenes = settings.id_data.users_scene if context is None else (context.scene,)
    return unit_scale_of(scenes[0]) if scenes else 1.0


def holds(settings: Any, name: str, value: Value) -> bool:
    """Whether a property has a value, which Blender rounds to single precision."""
    held = getattr(settings, name)
    return bool(held == value if isinstance(value, str) else math.isclose(held, value, rel_tol=1e-6))


def _choose_preset(settings: Any, context: bpy.types.Context | None) -> None:
    """A new role gets a preset that fits it."""
    default = DEFAULT_PRESETS.get(settings.role)
    if default is not None and not fits_role(settings.preset, settings.role):
        settings.preset = default
    show_preset(settings, context)
    _show_default_lengths(settings, _own_unit_scale(settings, context))


def _show_default_lengths(settings: Any, unit_scale: float) -> None:
    """Set lengths that nobody has typed to their defaults in Blender units, and forget those of another role.

    Args:
        settings: ``Object.xpbd``.
        unit_scale: metres per Blender unit; at 1 the property's own default is right.
    """
    if unit_scale == 1.0:
        return
    preset = preset_names(settings.preset)
    for name, (default, roles) in _DEFAULT_LENGTHS.items():
        if name in preset:
            continue
        if settings.role not in roles:
            if settings.is_property_set(name) and holds(settings, name, default / unit_scale):
                settings.property_unset(name)
        elif not settings.is_property_set(name):
            setattr(settings, name, default / unit_scale)


def _leave_preset(own: str, name: str) -> Callable[[Any, bpy.types.Context | None], None]:
    """A value that a script sets counts: what the preset says no longer does."""

    def leave(settings: Any, _context: bpy.types.Context | None) -> None:
        if not _showing and (own == OWN_COMPLIANCE or is_overruled(settings, name)):
            settings.preset = own

    return leave


def _keep_size(settings: Any, _context: bpy.types.Context | None) -> None:
    """What is typed stays, whatever the material."""
    settings.fits_size = False


_UPDATES: Mapping[str, Callable[..., None]] = {
    "role": _choose_preset,
    "preset": show_preset,
    "feels_like": _keep_size,
    "cage_resolution": keep_typed_resolution,
    **{name: _leave_preset(OWN_MATERIAL, name) for preset in PRESETS for name in preset.values},
    **{name: _leave_preset(OWN_MATERIAL, name) for name in STIFFNESSES},
    **{name: _leave_preset(OWN_COMPLIANCE, name) for name in COMPLIANCES},
}


def _status_getter(name: str) -> Callable[[Any], Value]:
    def get(_settings: Any) -> Value:
        value: Value = getattr(STATUS, name)
        return value

    return get


def is_holder(settings: Any, obj: bpy.types.Object) -> bool:
    """Whether an object may hold the one that the settings are of."""
    return obj != settings.id_data


def blender_property(setting: Setting, **callbacks: Any) -> Any:
    """A setting as what ``bpy.props`` makes of it. Animatable where a bake follows its keys.

    Args:
        setting: of ``specs``.
        callbacks: ``update`` or ``get``, for bpy.props.
    """
    parameter = setting.parameter
    common: dict[str, Any] = {
        "name": parameter.label,
        "description": tooltip(parameter),
        "options": ({"HIDDEN"} if setting.hidden else set()) | ({"ANIMATABLE"} if setting.follows_keys else set()),
        **callbacks,
    }
    if "get" not in callbacks:
        common["default"] = parameter.default
        common["override"] = set() if setting.hidden else {"LIBRARY_OVERRIDABLE"}
    if parameter.kind == "BOOL":
        return bpy.props.BoolProperty(**common)
    if parameter.kind == "ENUM":
        return bpy.props.EnumProperty(items=enum_items(parameter.choices), **common)
    if parameter.kind == "STRING":
        return _text_property(setting.subtype, common)
    common.update(_limits(parameter))
    if parameter.kind == "INT":
        return bpy.props.IntProperty(**common)
    subtype, unit = BLENDER_UNITS.get(parameter.unit, ("NONE", "NONE"))
    common.update(subtype=subtype, unit=unit, precision=_precision(parameter))
    if setting.size > 1:
        common["default"] = (parameter.default,) * setting.size
        return bpy.props.FloatVectorProperty(size=setting.size, **common)
    return bpy.props.FloatProperty(**common)


def _text_property(subtype: str, common: dict[str, Any]) -> Any:
    """A text, or an object or a collection by its pointer, which is None by default."""
    if subtype == "OBJECT":
        del common["default"]
        properties: Any = bpy.props
        return properties.PointerProperty(type=bpy.types.Object, poll=is_holder, **common)
    if subtype == "COLLECTION":
        del common["default"]
        return bpy.props.PointerProperty(type=bpy.types.Collection, **common)
    if subtype in {"FILE_PATH", "DIR_PATH"} and bpy.app.version >= (4, 5):
        # Older ones take "//" without being asked
        common["options"] = {*common["options"], "PATH_SUPPORTS_BLEND_RELATIVE"}
    return bpy.props.StringProperty(subtype=subtype, **common)


def tooltip(parameter: Parameter) -> str:
    """What the parameter means, with its unit."""
    return f"{parameter.description} [{parameter.unit}]" if parameter.unit else parameter.description


def _limits(parameter: Parameter) -> dict[str, Any]:
    """Limits for bpy.props, without those that the parameter has not. Exclusive ones are left to the bake."""
    convert = int if parameter.kind == "INT" else float
    limits = {
        "min": parameter.minimum,
        "max": parameter.maximum,
        "soft_min": parameter.soft_minimum,
        "soft_max": parameter.soft_maximum,
    }
    return {name: convert(limit) for name, limit in limits.items() if limit is not None and abs(limit) != float("inf")}


def _precision(parameter: Parameter) -> int:
    """Decimals that tell values of the slider's range apart."""
    top = parameter.maximum if parameter.soft_maximum is None else parameter.soft_maximum
    if top >= 1e4:
        return 0 if top >= 1e5 else 1
    return 3 if top > 0.5 else 4 if top > 0.01 else 6


_GROUPS: tuple[tuple[type, Any, tuple[Setting, ...], str], ...] = (
    (XPBD_PG_object, bpy.types.Object, OBJECT_SETTINGS, "Takes part in XPBD simulations"),
    (XPBD_PG_scene, bpy.types.Scene, SCENE_SETTINGS, "How XPBD simulations of this scene run"),
    (XPBD_PG_status, bpy.types.WindowManager, STATUS_SETTINGS, "How the XPBD bake stands"),
)


# Data-blocks that a bake stamps, see ``bake_record.stamp``
BAKED_DATA: tuple[Any, ...] = (bpy.types.Mesh, bpy.types.Curve, bpy.types.Curves, bpy.types.Key)


_SCENE_UPDATES: Mapping[str, Callable[[Any, Any], None]] = {
    "quality": follow_quality,
    **dict.fromkeys(TYPED, keep_typed),
    **dict.fromkeys(TYPED_FRAMES, keep_typed_frames),
    **dict.fromkeys(SHOWN, redraw_viewports),
}


def _callbacks(owner: type, name: str) -> dict[str, Any]:
    if owner is bpy.types.WindowManager:
        return {"get": _status_getter(name)}
    updates = _UPDATES if owner is bpy.types.Object else _SCENE_UPDATES
    return {"update": updates[name]} if name in updates else {}


def register() -> None:
    """Add the property groups.

    Properties are added to a registered group, and not by annotations: as annotations, those with callbacks crash
    pip's bpy 4.2 at exit, even after they have been unregistered.
    """
    properties: Any = bpy.props
    bpy.utils.register_class(XPBD_PG_pose)
    for setting in POSE_SETTINGS:
        setattr(XPBD_PG_pose, setting.name, blender_property(setting))
    for group, owner, settings, description in _GROUPS:
        bpy.utils.register_class(group)
        for setting in settings:
            setattr(group, setting.name, blender_property(setting, **_callbacks(owner, setting.name)))
        override = set() if owner is bpy.types.WindowManager else {"LIBRARY_OVERRIDABLE"}
        if owner is bpy.types.Object:
            group.poses = properties.CollectionProperty(
                name="Poses",
                description="Shapes that the object is to have at their frames",
                type=XPBD_PG_pose,
                override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
            )
        owner.xpbd = properties.PointerProperty(name="XPBD", description=description, type=group, override=override)
    for owner in BAKED_DATA:
        owner.xpbd_bake = properties.StringProperty(name="XPBD Bake", description="Whose it is", options={"HIDDEN"})


def unregister() -> None:
    """Remove the property groups."""
    for owner in BAKED_DATA:
        del owner.xpbd_bake
    for group, owner, settings, _description in reversed(_GROUPS):
        delattr(owner, "xpbd")
        for setting in settings:
            delattr(group, setting.name)
        if owner is bpy.types.Object:
            del group.poses
        bpy.utils.unregister_class(group)
    for setting in POSE_SETTINGS:
        delattr(XPBD_PG_pose, setting.name)
    bpy.utils.unregister_class(XPBD_PG_pose)
