# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on keeps in Blender's data: properties, records of bakes, the state of the window's bake."""
