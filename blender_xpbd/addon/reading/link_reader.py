# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the links that an artist has made of edges; nothing is changed."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.errors import Notice
from ...scene.links import LINK_KINDS, Links
from ..data.link_attributes import LINK_COMPLIANCE, LINK_LENGTH, LINK_STIFFNESS, LINK_TYPES
from .points import link_kinds

Floats = npt.NDArray[np.float64]
_WORDS = {"INT": "integers", "FLOAT": "numbers"}


def read_links(obj: bpy.types.Object, unit_scale: float) -> tuple[Links, tuple[Notice, ...]]:
    """The links of a mesh, and warnings for what of its attributes does not count; curves and hair have none.

    Args:
        obj: of a type that is simulated.
        unit_scale: metres per Blender unit.
    """
    if obj.type != "MESH":
        return Links(), ()
    mesh, notices = obj.data, []
    for name, data_type in LINK_TYPES.items():
        attribute = mesh.attributes.get(name)
        if attribute is not None and (attribute.domain, attribute.data_type) != ("EDGE", data_type):
            text = f'The attribute "{name}" is not of {_WORDS[data_type]} on edges: it links nothing. Make it anew.'
            notices.append(Notice("W_LINK", text, obj.name))
    kinds = link_kinds(mesh)
    known = np.isin(kinds, LINK_KINDS)
    if unknown := int(((kinds != 0) & ~known).sum()):
        text = f"{unknown} edges have a link that is none of 1 (=), 2 (≤) and 3 (≥): they hold nothing."
        notices.append(Notice("W_LINK", text, obj.name))
    chosen = np.flatnonzero(known)
    if not len(chosen):
        return Links(), tuple(notices)
    pairs = np.zeros((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("vertices", pairs.ravel())
    lengths, compliances = (_numbers(mesh, name, 0.0)[chosen] for name in (LINK_LENGTH, LINK_COMPLIANCE))
    shares = _numbers(mesh, LINK_STIFFNESS, 1.0)[chosen]
    sound = np.isfinite(lengths) & np.isfinite(compliances) & np.isfinite(shares)
    sound &= (lengths >= 0.0) & (compliances >= 0.0) & (shares >= 0.0) & (shares <= 1.0)
    if not sound.all():
        text = (
            f"{int((~sound).sum())} links have a negative or infinite rest length or compliance, or a stiffness that "
            "is not 0 to 1: they hold nothing."
        )
        notices.append(Notice("W_LINK", text, obj.name))
    chosen = chosen[sound]
    links = Links(pairs[chosen], kinds[chosen], lengths[sound] * unit_scale, compliances[sound], shares[sound])
    return links, tuple(notices)


def _numbers(mesh: bpy.types.Mesh, name: str, absent: float) -> Floats:
    """A number of each edge, shape (edges,)."""
    attribute = mesh.attributes.get(name)
    if attribute is None or (attribute.domain, attribute.data_type) != ("EDGE", LINK_TYPES[name]):
        return np.full(len(mesh.edges), absent)
    values = np.zeros(len(mesh.edges), np.float32)
    attribute.data.foreach_get("value", values)
    return values.astype(np.float64)
