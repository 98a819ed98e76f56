# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of the sheets of ``contact_cases.tangles``, and what of them crosses."""

import numpy as np
from contact_cases.tangles import tangled_sheets

from blender_xpbd.contacts.search.crossings import crossings
from blender_xpbd.geometry.search.surfaces import build_surface_mesh, build_surfaces


def surfaces_of(meshes):
    """The surfaces of meshes that all meet each other and themselves, and where their points are."""
    made = [
        build_surface_mesh(vertices, np.full(len(triangles), 3, np.int32), triangles.ravel())
        for vertices, triangles in meshes
    ]
    surfaces = build_surfaces(made, np.ones((len(meshes), len(meshes)), np.bool_))
    return surfaces, np.concatenate([vertices for vertices, _ in meshes])


def tangled_surfaces(way, kind="grid"):
    """Surfaces, positions of their points, and what crosses."""
    surfaces, positions = surfaces_of(tangled_sheets(way, kind))
    found = crossings(surfaces, positions)
    assert len(found)
    return surfaces, positions, found
