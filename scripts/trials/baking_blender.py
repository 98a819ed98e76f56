# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender that bakes when it is told to and says what it does; ``living_bake`` starts it, and trials kill it.

It reads orders from standard input, a line of JSON each, and tells of them by a pipe: {make: name of a scene} and
{bake: folder of the cache, tolerance: of keys [mm]}, this with {region: first and last frame} or {take_back: true} of
the group that each scene has; {save: path} and {open: path} of a .blend file; {record: values that the record of the
bake gets}; {export: path, cache: its folder}.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

FRAMES = 60
# of the vertices that can be baked again
GROUP = "Part"
SOFTER = {"CLOTH": "JERSEY", "JELLY": "JELLY_SOFT"}


def main(pipe: int) -> None:
    """Follow orders until they end."""
    import bpy

    import blender_xpbd
    from blender_xpbd.addon.baking.bake_output import BakeOutput
    from blender_xpbd.addon.keys.shape_key_writer import ShapeKeyWriter

    def tell(**values: Any) -> None:
        os.write(pipe, json.dumps(values).encode() + b"\n")

    bpy.ops.wm.read_factory_settings(use_empty=True)
    blender_xpbd.register()
    _say_when(BakeOutput, "write", "keys", tell)
    _say_when(ShapeKeyWriter, "finish", "last keys", tell)
    tell(ready=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "make" in order:
            _make(order["make"])
            tell(made=order["make"])
        elif "save" in order:
            bpy.ops.wm.save_as_mainfile(filepath=order["save"], copy=True)
            tell(saved=order["save"])
        elif "open" in order:
            bpy.ops.wm.open_mainfile(filepath=order["open"])
            tell(opened=order["open"])
        elif "export" in order:
            _export(Path(order["export"]), Path(order["cache"]), tell)
        elif "record" in order:
            _spoil_record(order["record"])
            tell(spoilt=True)
        else:
            _bake(order, tell)


def _say_when(owner: type, name: str, what: str, tell: Callable[..., None]) -> None:
    """Let a method tell when it begins and when it has ended."""
    method = getattr(owner, name)

    def telling(*arguments: Any, **named: Any) -> Any:
        tell(begins=what)
        try:
            return method(*arguments, **named)
        finally:
            tell(ends=what)

    setattr(owner, name, telling)


def _make(name: str) -> None:
    import bpy

    from .blender import make_grid

    bpy.ops.wm.read_factory_settings(use_empty=True)
    settings = bpy.context.scene.xpbd
    settings.frame_end, settings.quality, settings.use_floor = FRAMES, "FIXED", True
    if name == "cloth":
        cloth = make_grid("Cloth", side=13)
        # level it would land flat, whatever it is made of
        cloth.location.z, cloth.rotation_euler.x = 1.0, 0.3
        settings.substeps = 100
    else:
        _make_jelly()
        settings.substeps = 30
    body = bpy.context.scene.objects[0]
    third = len(body.data.vertices) // 3
    body.vertex_groups.new(name=GROUP).add(list(range(third)), 1.0, "REPLACE")
    body.xpbd.region_group = GROUP


def _make_jelly() -> None:
    import bmesh
    import bpy

    mesh = bpy.data.meshes.new("Jelly")
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=2, radius=0.5)
    shape.to_mesh(mesh)
    shape.free()
    obj = bpy.data.objects.new("Jelly", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.location.z = 0.8
    obj.xpbd.role = "JELLY"
    obj.xpbd.cage_resolution = 5
    bpy.context.view_layer.update()


def _spoil_record(values: dict[str, Any] | str) -> None:
    """Change values of the record, or all of its text."""
    import bpy

    settings = bpy.context.scene.objects[0].xpbd
    former = json.loads(settings.bake_record)
    settings.bake_record = values if isinstance(values, str) else json.dumps(former | values)


def _options(order: dict[str, Any]) -> Any:
    """What is wished; a region is of a softer material, so that it moves otherwise."""
    import bpy

    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.data.rebake_settings import RegionWish

    body = bpy.context.scene.objects[0]
    wishes: dict[str, Any] = {}
    if "region" in order:
        body.xpbd.preset = SOFTER[body.xpbd.role]
        wishes["region"] = RegionWish(body.name, GROUP, *order["region"])
    elif order.get("take_back"):
        wishes["take_back_region"] = body.name
    return BakeOptions(cache=Path(order["bake"]), key_tolerance=order["tolerance"], **wishes)


def _bake(order: dict[str, Any], tell: Callable[..., None]) -> None:
    import bpy

    from blender_xpbd.addon.baking.bake import run_bake
    from blender_xpbd.scene.errors import XpbdError

    tell(begun=order["bake"])
    code, after = "", None
    try:
        summary = run_bake(bpy.context, _options(order), on_progress=lambda progress: _tell_stage(progress.stage, tell))
        after = summary.resumed_after
    except XpbdError as fault:
        code = fault.code
    tell(code=code, shown="" if code else _shown(), resumed_after=after)


def _export(path: Path, cache: Path, tell: Callable[..., None]) -> None:
    """Write the motion of all objects to a file."""
    import bpy

    from blender_xpbd.addon.export.export import export
    from blender_xpbd.scene.errors import XpbdError

    tell(begun=str(path))
    code = ""
    try:
        export(bpy.context, path, list(bpy.context.scene.objects), cache=cache)
    except XpbdError as fault:
        code = fault.code
    tell(code=code)


def _tell_stage(stage: str, tell: Callable[..., None]) -> None:
    """From the first step on, the search for fewer keys is what it is in the midst of."""
    if stage == "REDUCING":
        tell(begins="fewer keys")


def _shown() -> str:
    """A digest of what all frames show of the only object."""
    import bpy

    obj = bpy.context.scene.objects[0]
    digest = hashlib.sha256()
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        places = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", places)
        digest.update(places.tobytes())
    bpy.context.scene.frame_set(1)
    return digest.hexdigest()


if __name__ == "__main__":
    main(int(sys.argv[1]))
    # pip's bpy now and then hangs where C++ is torn down
    os._exit(0)
