# SPDX-License-Identifier: GPL-3.0-or-later
"""The attributes of a mesh that make links of its edges, and that tell which of its vertices were one."""

from __future__ import annotations

# 0 for no link, else one of ``scene.links.LINK_KINDS``; an integer
LINK_KIND = "xpbd_link"
# numbers: rest length in Blender units, 0 for as modelled; compliance [m/N]; share of PBD mode, 1 where it is absent
LINK_LENGTH = "xpbd_rest_length"
LINK_COMPLIANCE = "xpbd_compliance"
LINK_STIFFNESS = "xpbd_stiffness"
# of vertices: equal where they were one before they were split for tearing, or of jelly the piece that it was cut into;
# an integer above 0
SEAM = "xpbd_seam"
# the modifier that shows them as one; what is joined is at the same place to the last bit, torn ones are hardly ever so
# close [Blender units]
WELD, WELD_DISTANCE = "XPBD Weld", 1e-6
LINK_TYPES = {LINK_KIND: "INT", LINK_LENGTH: "FLOAT", LINK_COMPLIANCE: "FLOAT", LINK_STIFFNESS: "FLOAT"}
