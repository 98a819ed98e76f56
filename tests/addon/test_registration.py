# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on comes and goes without a trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def run(script):
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=ROOT, timeout=60, capture_output=True, text=True, check=False)


def traces(bpy):
    """All of Blender that the add-on might leave something in."""
    handlers = bpy.app.handlers
    draw = getattr(bpy.types.VIEW3D_MT_object.draw, "_draw_funcs", [])
    return {
        "types": sorted(name for name in dir(bpy.types) if "xpbd" in name.lower()),
        "classes": sorted(
            cls.__name__
            for base in (bpy.types.Operator, bpy.types.Panel, bpy.types.Menu, bpy.types.PropertyGroup)
            for cls in base.__subclasses__()
            if "XPBD" in cls.__name__ and cls.is_registered
        ),
        "operators": sorted(dir(bpy.ops.xpbd)),
        "properties": [
            hasattr(owner, "xpbd") for owner in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager)
        ],
        "handlers": {
            name: [function.__module__ for function in getattr(handlers, name) if "xpbd" in function.__module__]
            for name in dir(handlers)
            if isinstance(getattr(handlers, name), list)
        },
        "menus": [function.__module__ for function in draw if "xpbd" in function.__module__],
    }


def test_unregister_is_the_inverse_of_register(bpy):
    import blender_xpbd

    present = traces(bpy)
    assert present["types"]
    assert present["operators"]
    assert present["menus"]
    assert all(present["properties"])
    assert present["handlers"]["load_pre"]
    blender_xpbd.unregister()
    try:
        absent = traces(bpy)
        assert absent["types"] == []
        assert absent["classes"] == []
        assert absent["operators"] == []
        assert absent["properties"] == [False, False, False]
        assert not any(absent["handlers"].values())
        assert absent["menus"] == []
    finally:
        blender_xpbd.register()
    assert traces(bpy) == present


def test_values_outlive_a_restart_of_the_add_on(bpy):
    import blender_xpbd

    obj = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    obj.xpbd.role = "CLOTH"
    blender_xpbd.unregister()
    blender_xpbd.register()
    assert obj.xpbd.role == "CLOTH"


@pytest.mark.parametrize(
    "ending",
    ["", "blender_xpbd.unregister()", "blender_xpbd.unregister(); blender_xpbd.register()"],
    ids=["registered", "unregistered", "registered again"],
)
def test_a_script_ends_well(bpy, ending):
    """pip's bpy 4.2 crashes and 4.5 hangs at exit, if callbacks or classes are left to it."""
    script = f"""
import bpy, blender_xpbd
blender_xpbd.register()
bpy.data.objects["Cube"].xpbd.role = "JELLY"
print(bpy.context.window_manager.xpbd.progress)
{ending}
"""
    done = run(script)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_importing_needs_no_blender():
    script = "import sys; import blender_xpbd; print(blender_xpbd.__version__); assert 'bpy' not in sys.modules"
    done = run(script)
    assert done.returncode == 0, done.stderr
