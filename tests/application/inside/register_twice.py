# SPDX-License-Identifier: GPL-3.0-or-later
"""Disable, enable and reload the extension; when it is disabled, nothing of it may be left in Blender.

Argument after ``--``: the extension's module name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import addon_utils
import bpy

HANDLERS = [name for name in dir(bpy.app.handlers) if isinstance(getattr(bpy.app.handlers, name), list)]


def traces(extension: str) -> Iterator[str]:
    """Names of everything in Blender that comes from the extension."""
    for kind in (bpy.types.Operator, bpy.types.Panel, bpy.types.Menu, bpy.types.PropertyGroup, bpy.types.UIList):
        yield from (
            cls.__name__ for cls in kind.__subclasses__() if cls.__module__.startswith(extension) and cls.is_registered
        )
    # Blender 5.2 has a node of its own that is called GeometryNodeXPBDSolver
    yield from (name for name in dir(bpy.types) if name.lower().startswith("xpbd"))
    yield from (f"bpy.ops.xpbd.{name}" for name in dir(bpy.ops.xpbd))
    for kind in (bpy.types.Object, bpy.types.Mesh, bpy.types.Key, bpy.types.Scene, bpy.types.WindowManager):
        yield from (f"{kind.__name__}.{name}" for name, _ in kind.bl_rna.properties.items() if "xpbd" in name.lower())
    for name in HANDLERS:
        yield from (f"{name}: {handler}" for handler in getattr(bpy.app.handlers, name) if belongs(handler, extension))
    for menu in (bpy.types.VIEW3D_MT_object, bpy.types.TOPBAR_MT_file_export, bpy.types.VIEW3D_MT_object_context_menu):
        drawers = getattr(menu.draw, "_draw_funcs", [])
        yield from (f"{menu.__name__}: {drawer}" for drawer in drawers if belongs(drawer, extension))


def belongs(function: object, extension: str) -> bool:
    """Whether a function was defined in the extension."""
    return str(getattr(function, "__module__", "")).startswith(extension)


def main() -> None:
    """Go through the add-on's life and compare what is there."""
    extension = sys.argv[sys.argv.index("--") + 1]
    at_start = sorted(traces(extension))
    assert at_start, "the extension is not enabled"
    assert hasattr(bpy.context.scene, "xpbd")
    for _ in range(2):
        addon_utils.disable(extension)
        left = list(traces(extension))
        assert not left, f"left after disabling: {left}"
        assert not hasattr(bpy.context.scene, "xpbd")
        addon_utils.enable(extension)
        assert sorted(traces(extension)) == at_start
    bpy.ops.script.reload()
    assert sorted(traces(extension)) == at_start
    bpy.ops.wm.read_homefile(use_empty=True)
    assert sorted(traces(extension)) == at_start
    print(f"{len(at_start)} traces, the same after disabling, enabling and reloading")


main()
