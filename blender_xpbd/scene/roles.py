# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles of objects, as parameters name them."""

JELLY = "JELLY"
CLOTH = "CLOTH"
STRAND = "STRAND"
GRAINS = "GRAINS"
COLLIDER = "COLLIDER"
