# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads where a mesh was made tearable; nothing is changed."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from ..data.link_attributes import SEAM


def read_seams(obj: bpy.types.Object) -> tuple[npt.NDArray[np.int32], tuple[Notice, ...]]:
    """Which vertices were one, as ``Body.seams``; and a warning where cloth is to tear that cannot.

    Args:
        obj: a mesh object.
    """
    mesh = obj.data
    attribute = mesh.attributes.get(SEAM)
    if attribute is not None and (attribute.domain, attribute.data_type) == ("POINT", "INT"):
        values = np.zeros(len(mesh.vertices), np.int32)
        attribute.data.foreach_get("value", values)
        return np.maximum(values, 0), ()
    if obj.xpbd.tear_strain == 0.0:
        return np.zeros(0, np.int32), ()
    text = "The cloth has a tear strain, but nothing along which it could tear: press Make Tearable."
    return np.zeros(0, np.int32), (Notice("W_SEAM", text, obj.name),)
