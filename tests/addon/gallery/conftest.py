# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of the gallery, made and baked with the real solver."""

from tests.addon.baked_scene import bake_scene

__all__ = ["bake_scene"]
