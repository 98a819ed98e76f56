# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies and cloth by extended position-based dynamics, baked to shape keys in Blender.

Only :func:`register` and :func:`unregister` touch Blender: every other package is imported without it.
"""

from __future__ import annotations

__version__ = "0.1.0"


def register() -> None:
    """Add the properties, operators and panels to Blender.

    Blender calls it when the extension is enabled; a script with pip's ``bpy`` calls it itself.
    """
    from . import addon

    addon.register()


def unregister() -> None:
    """Remove everything that :func:`register` added."""
    from . import addon

    addon.unregister()
