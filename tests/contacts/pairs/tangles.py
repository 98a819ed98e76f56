# SPDX-License-Identifier: GPL-3.0-or-later
"""Two sheets that cross when they start, and what takes them apart."""

import numpy as np

from blender_xpbd.contacts.pairs import untangle
from blender_xpbd.contacts.search.crossings import crossings
from blender_xpbd.device.arrays import read_array, write_array
from blender_xpbd.geometry.search.surfaces import build_surface_mesh, build_surfaces
from tests.contacts.pairs import pair_kernels as kernels
from tests.contacts.pairs.sheets import Sheets, sheet

GAP = 0.03


def turned(vertices, axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    result = vertices.copy()
    result[:, i], result[:, j] = c * vertices[:, i] - s * vertices[:, j], s * vertices[:, i] + c * vertices[:, j]
    return result


def crossing_sheets(kind, count=12):
    """Two sheets of which the second goes through the first: by a corner, an edge, a bump (a closed loop), or waves."""
    first = sheet(count)
    vertices, triangles, springs = sheet(count, shift=(0.013, 0.027))
    if kind == "corner":
        vertices = turned(turned(vertices, 2, 0.7), 1, 0.5) + np.array([0.1, 0.05, 0.2])
    elif kind == "edge":
        vertices = turned(vertices, 1, 0.35) + np.array([-0.1, 0.0, 0.12])
    elif kind == "bump":
        vertices[:, 2] += 0.03 - 0.12 * np.exp(-((np.linalg.norm(vertices[:, :2], axis=1) / 0.18) ** 2))
    else:
        vertices[:, 2] += 0.004 + 0.03 * np.sin(9.0 * vertices[:, 0] + 0.3) * np.cos(7.0 * vertices[:, 1])
    return [first, (vertices, triangles, springs)]


class Tangle:
    """Sheets that are taken apart while they move."""

    def __init__(self, sheets, substeps=10, layers=(0, 0), holds_first=False):
        self.sheets = Sheets(sheets, GAP, substeps, friction=0.3, holds_first=holds_first)
        meshes = [
            build_surface_mesh(vertices, np.full(len(triangles), 3, np.int32), triangles.ravel().astype(np.int32))
            for vertices, triangles, _ in sheets
        ]
        self.surfaces = build_surfaces(meshes, np.array([[False, True], [True, False]]))
        elements, weights = kernels.points_of_particles(self.sheets.objects)
        inverse_masses = read_array(self.sheets.particles.positions)[:, 3]
        self.carriers = untangle.Carriers(elements, weights, inverse_masses)
        self.outside = np.sign(np.subtract.outer(layers, layers)).astype(np.int32)

    @property
    def crossings(self):
        return crossings(self.surfaces, self.sheets.positions)

    def added(self):
        """What is added to the velocities for the next substep."""
        sheets = self.sheets
        return untangle.untangling_velocities(
            self.surfaces, self.crossings, sheets.positions, self.carriers, self.outside, sheets.h
        )

    def substep(self):
        """A substep; where it begins tangled, with a search of its own."""
        sheets, found = self.sheets, self.crossings
        if len(found) == 0:
            sheets.substep()
            return
        added = self.added()
        self._set_velocities(sheets.velocities + added)
        sheets.search(1.0)
        ints = read_array(sheets.pairs.pair_ints)
        bounds = np.where(untangle.tangled_pairs(self.surfaces, found, ints), untangle.TANGLED_BOUND, 0.0)
        write_array(sheets.pairs.pair_bounds, bounds)
        sheets.substep()
        self._set_velocities(untangle.taken_back(sheets.velocities, added))
        sheets.pairs = None

    def _set_velocities(self, velocities):
        write_array(self.sheets.particles.velocities, np.column_stack([velocities, np.zeros(len(velocities))]))
