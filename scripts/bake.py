# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake a scene without a window.

    blender -b scene.blend --python scripts/bake.py -- ARGS
    python scripts/bake.py scene.blend ARGS

The second needs pip's bpy. ``--help`` lists ARGS.
"""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn


def main() -> int:
    """Bake; the exit status is that of docs/faults.md."""
    root = str(Path(__file__).resolve().parent.parent)
    if root not in sys.path:
        sys.path.insert(0, root)
    try:
        import bpy
    except ImportError:
        print("E_DEP: this Python has no bpy: run scripts/test once and use .venv/bin/python.", file=sys.stderr)
        return 2

    import blender_xpbd

    # An installed extension has registered the same properties; then it is the one to use, under whatever name
    installed = hasattr(bpy.types.Object, "xpbd")
    if not installed:
        blender_xpbd.register()
    try:
        package = type(bpy.context.scene.xpbd).__module__.rpartition(".addon.")[0]
        command_line = importlib.import_module(f"{package}.addon.command_line")

        # No path of its own: not the application, but pip's module
        if bpy.app.binary_path:
            return command_line.main(script_arguments(sys.argv), prog="bake.py --")
        return command_line.main(sys.argv[1:], prog="bake.py", with_file=True)
    finally:
        if not installed:
            blender_xpbd.unregister()


def script_arguments(arguments: list[str]) -> list[str]:
    """What follows the first ``--``."""
    return arguments[arguments.index("--") + 1 :] if "--" in arguments else []


def run_and_leave(main: Callable[[], int | None]) -> NoReturn:
    """End the process with what a function returns, 0 for nothing; with 1 where it raises, which is printed."""
    try:
        status = main() or 0
    except Exception:  # noqa: BLE001 - the process ends right below
        traceback.print_exc()
        status = 1
    leave(status)


def leave(status: int) -> NoReturn:
    """End the process, and Blender with it.

    Pip's bpy now and then hangs after all else, where C++ destroys what a thread of its own still waits for (it starts
    one when it reads a file). So what Python has to do at the end is done here, and that is left out.
    """
    bpy = sys.modules.get("bpy")
    if bpy is not None and not bpy.app.binary_path:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    try:
        status = main()
    except Exception:  # noqa: BLE001 - Blender would print it and end with status 0
        traceback.print_exc()
        status = 6
    leave(status)
