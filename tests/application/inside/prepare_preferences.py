# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepare a fresh configuration: no splash screen, and a worker's Python where this one can have no Taichi.

Arguments after ``--``: the extension's module name, an interpreter that has Taichi.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys

import bpy

extension, python = sys.argv[sys.argv.index("--") + 1 :]
preferences = bpy.context.preferences
preferences.view.show_splash = False
if importlib.util.find_spec("taichi") is None:
    # the application may live in a root of its own, where the named Python is not, or does not run
    works = shutil.which(python) and not subprocess.run([python, "-c", "import taichi"], check=False).returncode
    if works:
        preferences.addons[extension].preferences.worker_python = python
    print(f"worker_python = {python}" if works else "No Python with Taichi runs here")
bpy.ops.wm.save_userpref()
