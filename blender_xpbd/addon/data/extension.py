# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on as Blender knows it: its package, and the preferences that Blender keeps for it."""

from __future__ import annotations

from pathlib import Path

import bpy

# The extension's package, bl_ext.….xpbd_physics; or blender_xpbd, where a script registers it
BASE_PACKAGE = __name__.rpartition(".addon.")[0]


def worker_python_path(context: bpy.types.Context) -> str:
    """The Python that the artist has named; "" where there is none, or where a script uses the package."""
    addon = context.preferences.addons.get(registered_package(context))
    return str(getattr(addon.preferences, "worker_python", "")) if addon is not None else ""


def compiles_ahead(context: bpy.types.Context) -> bool:
    """Whether kernels may be compiled before a bake needs them."""
    addon = context.preferences.addons.get(registered_package(context))
    return bool(getattr(addon.preferences, "compile_ahead", True)) if addon is not None else True


def registered_package(context: bpy.types.Context) -> str:
    """The package whose properties Blender has: an installed extension's, also where a script imports a checkout."""
    return type(context.scene.xpbd).__module__.rpartition(".addon.")[0]


def wheels_folder(context: bpy.types.Context) -> str:
    """Where the artist keeps the files of Taichi, for a machine without network; "" where they are downloaded."""
    addon = context.preferences.addons.get(registered_package(context))
    return bpy.path.abspath(str(getattr(addon.preferences, "wheels_folder", ""))) if addon is not None else ""


def own_folder() -> Path:
    """The folder of the user that Blender gives this add-on; it need not be there yet.

    Blender removes it with the extension. A package that a script registers has one beside Blender's other data.
    """
    try:
        return Path(bpy.utils.extension_path_user(BASE_PACKAGE))
    except ValueError:  # no extension
        return Path(bpy.utils.user_resource("DATAFILES")) / "xpbd_physics"
