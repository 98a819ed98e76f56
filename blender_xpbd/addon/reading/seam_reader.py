# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads where a mesh was made tearable; nothing is changed."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from ..data.link_attributes import SEAM
from .parameter_tracks import animated_settings


def read_seams(obj: bpy.types.Object) -> tuple[npt.NDArray[np.int32], tuple[Notice, ...]]:
    """How a mesh was cut, as ``Body.seams``; and a warning where something is to tear that cannot.

    Args:
        obj: a mesh object.
    """
    mesh = obj.data
    attribute = mesh.attributes.get(SEAM)
    if attribute is not None and (attribute.domain, attribute.data_type) == ("POINT", "INT"):
        values = np.zeros(len(mesh.vertices), np.int32)
        attribute.data.foreach_get("value", values)
        return np.maximum(values, 0), ()
    if obj.xpbd.tear_strain == 0.0 and "tear_strain" not in animated_settings(obj):
        return np.zeros(0, np.int32), ()
    text = "It has a tear strain, but nothing along which it could tear: press Make Tearable."
    return np.zeros(0, np.int32), (Notice("W_SEAM", text, obj.name),)


def read_edges(
    obj: bpy.types.Object, face_sizes: npt.NDArray[np.int32], corners: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], tuple[Notice, ...]]:
    """As ``read_seams``, of a cloth; what was cut as jelly has no edges that were one, and parts along all cuts.

    Arguments as of ``read_pieces``.
    """
    seams, notices = read_seams(obj)
    if len(seams) and len(corners) and not _joins(seams, face_sizes, corners) and (seams[corners] > 0).all():
        text = "It was cut as jelly, and falls apart as a cloth: undo that, and press Make Tearable again."
        return np.zeros(0, np.int32), (*notices, Notice("W_SEAM", text, obj.name))
    return seams, notices


def read_pieces(
    obj: bpy.types.Object, face_sizes: npt.NDArray[np.int32], corners: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], tuple[Notice, ...]]:
    """As ``read_seams``, of jelly; what was cut as a cloth is whole, for there faces join pieces.

    Args:
        obj: a mesh object.
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner.
    """
    pieces, notices = read_seams(obj)
    if len(pieces) and len(corners) and _joins(pieces, face_sizes, corners):
        text = "It was cut as a cloth, and does not tear as jelly: undo that, and press Make Tearable again."
        return np.zeros(0, np.int32), (*notices, Notice("W_SEAM", text, obj.name))
    return pieces, notices


def _joins(seams: npt.NDArray[np.int32], face_sizes: npt.NDArray[np.int32], corners: npt.NDArray[np.int32]) -> bool:
    """Whether any face has corners of different numbers."""
    of_corner = seams[corners]
    starts = np.cumsum(face_sizes) - face_sizes
    return bool((of_corner != np.repeat(of_corner[starts], face_sizes)).any())
