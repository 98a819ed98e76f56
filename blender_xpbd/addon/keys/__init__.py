# SPDX-License-Identifier: GPL-3.0-or-later
"""Results in Blender's data: shape keys and their animation, written and taken back."""
