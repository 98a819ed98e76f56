# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames as the fewest shape keys within an error: arrays in, arrays out; nothing here knows Blender's data."""
