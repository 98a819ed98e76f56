# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user or a script may do during a bake with what came later: materials, presets, poses, exports, galleries."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from blender_xpbd.scene.errors import XpbdError

from .acts import ACTS, Act, Bakes, Random, objects, operate

# made at once; others take seconds
_SCENES = ("TWO_PINS", "PENDULUMS", "HELIX", "CLAY", "CHAIN_MAIL")
_ENDINGS = (".pc2", ".mdd", ".npz", ".abc", ".usdc", ".glb")
_HEAD = "import bpy\nsettings = bpy.context.object.xpbd\n\n"
_PRESETS = (
    "settings.friction = 0.5\n",
    "settings.friction = 1e999\n",
    "settings.area_density = 'heavy'\n",
    "raise SystemExit\n",
    "bpy.ops.wm.read_factory_settings(use_empty=True)\n",
    "settings.role = 'COLLIDER'\n",
    "[" * 5000,
    "\0" * 5000,
)


def activate(obj: Any) -> bool:
    """Make an object the active one, as a click does; whether the view layer has it."""
    import bpy

    layer: Any = bpy.context.view_layer
    if layer.objects.get(obj.name) != obj:
        return False
    obj.select_set(True)
    layer.objects.active = obj
    return True


def _choose_material(_bakes: Bakes, random: Random) -> None:
    from blender_xpbd.scene.presets import PRESETS

    for obj in objects(random):
        fitting = [preset.identifier for preset in PRESETS if preset.role == obj.xpbd.role]
        if fitting and activate(obj):
            operate("xpbd.set_material", preset=str(random.choice(fitting)))


def _apply_preset(_bakes: Bakes, random: Random) -> None:
    """A preset of one's own, which may be anything."""
    import bpy

    from blender_xpbd.addon.ui.own_presets import preset_subdir

    for obj in objects(random):
        if not activate(obj):
            continue
        where = f"presets/{preset_subdir(obj.xpbd.role)}"
        path = Path(bpy.utils.user_resource("SCRIPTS", path=where, create=True)) / "given.py"
        path.write_text(_HEAD + str(random.choice(_PRESETS)), encoding="utf-8")
        operate("xpbd.apply_preset", filepath=str(path))


def _set_pose(_bakes: Bakes, random: Random) -> None:
    for obj in objects(random):
        if obj.type == "MESH" and obj.mode == "OBJECT":
            if obj.data.shape_keys is None:
                obj.shape_key_add(name="Basis")
            key = obj.shape_key_add(name="Pose")
            for point in key.points:
                point.co.z += 0.25
            pose = obj.xpbd.poses.add()
            pose.target, pose.frame = key.name, int(random.integers(-5, 90))


def _add_scene(_bakes: Bakes, random: Random) -> None:
    from blender_xpbd.addon.gallery.gallery import add_gallery_scene, gallery_scene

    add_gallery_scene(gallery_scene(str(random.choice(_SCENES))))


def _export(bakes: Bakes, random: Random) -> None:
    import bpy

    from blender_xpbd.addon.export.export import export

    try:
        path = bakes.folder / f"motion{random.choice(_ENDINGS)}"
        scene: Any = bpy.context.scene
        export(bpy.context, path, list(scene.objects), cache=bakes.folder / "cache")
    except XpbdError as fault:
        print(fault)


def _retime(_bakes: Bakes, random: Random) -> None:
    operate("xpbd.retime", trim_start=int(random.integers(5)), speed=float(random.uniform(0.2, 3.0)))


def _clear(_bakes: Bakes, _random: Random) -> None:
    operate("xpbd.clear")


def _lose_cache(bakes: Bakes, _random: Random) -> None:
    shutil.rmtree(bakes.folder / "cache", ignore_errors=True)


def _change_region(_bakes: Bakes, random: Random) -> None:
    """The group of a region is emptied, removed or renamed."""
    for obj in objects(random):
        if obj.type == "MESH" and obj.mode == "OBJECT" and obj.vertex_groups:
            group = obj.vertex_groups[0]
            which = int(random.integers(3))
            if which == 0:
                group.remove(range(len(obj.data.vertices)))
            elif which == 1:
                obj.vertex_groups.remove(group)
            else:
                group.name = "Renamed"


NEWER_ACTS: tuple[Act, ...] = (
    *ACTS,
    *(_choose_material, _apply_preset, _set_pose, _add_scene, _export, _retime, _clear, _change_region) * 3,
    _lose_cache,
)
