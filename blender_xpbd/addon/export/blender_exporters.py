# SPDX-License-Identifier: GPL-3.0-or-later
"""Alembic, USD and glTF by Blender's own exporters: the baked objects alone, over the frames of the bake.

Alembic and USD get the objects as they are, with a Mesh Cache modifier that plays the frames of the cache in the place
of shape keys; modifiers stay live on top. glTF knows no such thing: it gets a copy with relative keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...scene.errors import XpbdError
from .usd_times import check_division, divide_times, stretched
from .wholeness import require_room, require_whole

_OPERATORS = {".abc": ("wm", "alembic_export"), ".usdc": ("wm", "usd_export"), ".glb": ("export_scene", "gltf")}
_SWITCHES = ("hide_viewport", "hide_select", "hide_render")
_WISHES: dict[str, dict[str, Any]] = {
    ".abc": {"selected": True, "visible_objects_only": False, "as_background_job": False},
    # shape keys would be written as blend shapes, not as what the modifier plays
    ".usdc": {
        "selected_objects_only": True,
        "visible_objects_only": False,
        "export_animation": True,
        "export_shapekeys": False,
        "export_armatures": False,
        "export_textures_mode": "KEEP",
        "relative_paths": False,
    },
    ".glb": {
        "export_format": "GLB",
        "use_selection": True,
        # strands and grains have no faces, and cloth may have loose edges
        "use_mesh_edges": True,
        "use_mesh_vertices": True,
        "export_animations": True,
        "export_animation_mode": "ACTIVE_ACTIONS",
        "export_morph": True,
        "export_morph_normal": False,
        "export_morph_animation": True,
        "export_frame_range": True,
        "export_force_sampling": True,
        "export_optimize_animation_size": False,
        "export_try_omit_sparse_sk": False,
        "export_try_sparse_sk": False,
        "export_apply": False,
    },
}


def find_exporter(suffix: str) -> Any:
    """Blender's operator for a kind of file.

    Raises:
        XpbdError: E_EXPORT, where this Blender has none.
    """
    module, name = _OPERATORS[suffix]
    operator = getattr(getattr(bpy.ops, module), name)
    try:
        operator.get_rna_type()
    except KeyError as fault:
        advice = (
            "enable the add-on glTF 2.0 in the preferences"
            if suffix == ".glb"
            else "it was built without it; use the Blender of blender.org"
        )
        raise XpbdError("E_EXPORT", f"This Blender cannot write {suffix} files: {advice}.") from fault
    return operator


@dataclass(frozen=True)
class ExportedSpan:
    """Which times of the scene are written.

    Attributes:
        start, end: the first and the last frame.
        per_frame: samples from one frame to the next.
    """

    start: int
    end: int
    per_frame: int = 1

    @property
    def count(self) -> int:
        """How many samples that are."""
        return (self.end - self.start + 1) * self.per_frame


def run_exporter(
    context: bpy.types.Context, path: Path, objects: Sequence[bpy.types.Object], span: ExportedSpan
) -> None:
    """Write objects with an exporter of Blender; selection, hidden objects and frames are as before in the end.

    Args:
        context: its scene and view layer have the objects.
        path: of the file; its ending says which exporter.
        objects: all that are written.
        span: the times; glTF has whole frames alone.

    Raises:
        XpbdError: E_EXPORT, where the exporter fails; E_IO, where the disk has no room.
    """
    suffix = path.suffix.lower()
    operator = find_exporter(suffix)
    samples = {"xsamples": span.per_frame, "gsamples": span.per_frame}
    place = {"start": span.start, "end": span.end, "filepath": str(path), "check_existing": False}
    wishes = {**_WISHES[suffix], **samples, **place}
    is_divided = suffix == ".usdc" and span.per_frame > 1
    if is_divided:
        check_division(span.per_frame)
    known = {prop.identifier for prop in operator.get_rna_type().properties}
    with ExitStack() as stack:
        stack.enter_context(_only_selected(context, objects))
        if suffix != ".abc":
            stack.enter_context(_scene_range(context.scene, span.start, span.end))
        if is_divided:
            stack.enter_context(stretched(context.scene, span.per_frame))
        if suffix == ".abc":
            require_room(path, objects, span.count)
        try:
            operator("EXEC_DEFAULT", **{name: value for name, value in wishes.items() if name in known})
        except RuntimeError as fault:
            raise XpbdError("E_EXPORT", f"Blender's exporter failed: {fault}") from fault
    if not path.is_file():
        raise XpbdError("E_EXPORT", f"Blender's exporter wrote no file {path.name}.")
    require_whole(path)
    if is_divided:
        divide_times(path, span.per_frame)


@contextmanager
def _only_selected(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Select these objects alone; exporters take the selection, of which hidden ones can be no part."""
    layer = context.view_layer
    layer.update()
    strangers = [obj.name for obj in objects if obj not in set(layer.objects)]
    if strangers:
        names = ", ".join(strangers)
        raise XpbdError("E_EXPORT", f"{names} must be in the view layer: enable the collection and the object there.")
    selected, active = list(context.selected_objects), layer.objects.active
    try:
        with ExitStack() as stack:
            for obj in objects:
                stack.enter_context(_shown(context.scene.collection, obj))
            layer.update()
            hidden = [obj for obj in objects if obj.hide_get()]
            stack.callback(_hide, hidden)
            for obj in hidden:
                obj.hide_set(False)
            for obj in layer.objects:
                obj.select_set(obj in objects)
            if left := [obj.name for obj in objects if not obj.select_get()]:
                raise XpbdError(
                    "E_EXPORT",
                    f"Blender does not let {', '.join(left)} be selected: show the object and its collection.",
                )
            layer.objects.active = objects[0]
            yield
    finally:
        layer.update()
        for obj in layer.objects:
            obj.select_set(obj in selected)
        layer.objects.active = active


@contextmanager
def _shown(everything: bpy.types.Collection, obj: bpy.types.Object) -> Iterator[None]:
    """Let an object be selected and rendered, whatever its switches and those of its collections say.

    What one of an object's collections shows is shown: so it is put into the scene's own, which hides nothing.
    """
    before = {name: getattr(obj, name) for name in _SWITCHES}
    is_guest = obj.name not in everything.objects
    if is_guest:
        everything.objects.link(obj)
    try:
        for name in _SWITCHES:
            setattr(obj, name, False)
        yield
    finally:
        for name, value in before.items():
            setattr(obj, name, value)
        if is_guest:
            everything.objects.unlink(obj)


def _hide(objects: Sequence[bpy.types.Object]) -> None:
    for obj in objects:
        obj.hide_set(True)


@contextmanager
def _scene_range(scene: bpy.types.Scene, start: int, end: int) -> Iterator[None]:
    """The frames of the scene, which USD and glTF go by. A scene has none before 0, where a bake may begin."""
    before = scene.frame_start, scene.frame_end, scene.frame_step
    try:
        scene.frame_start, scene.frame_end, scene.frame_step = start, end, 1
        if (scene.frame_start, scene.frame_end) != (start, end):
            raise XpbdError(
                "E_EXPORT",
                f"Blender's exporter cannot write the frames {start} to {end}, for a scene begins at 0 at the "
                "earliest: bake later frames, or export Alembic (.abc).",
            )
        yield
    finally:
        scene.frame_start, scene.frame_end, scene.frame_step = before
