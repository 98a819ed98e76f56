# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's objects as arrays. Nothing is changed."""
