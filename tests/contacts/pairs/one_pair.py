# SPDX-License-Identifier: GPL-3.0-or-later
"""A pair of surface elements through substeps, function by function."""

import numpy as np

from blender_xpbd.device.arrays import read_array, write_array
from tests.contacts.pairs import pair_kernels as kernels

GAP, H = 0.01, 0.01
# a vertex 5 mm over a triangle, and an edge 5 mm over an edge
VERTEX = np.array([[0.3, 0.2, 0.005], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
EDGES = np.array([[-1.0, 0.2, 0.005], [2.0, 0.2, 0.005], [0.4, -1.0, 0.0], [0.4, 0.5, 0.0]])
MASSES = np.array([1.0, 2.0, 0.5, 3.0])


class Pair:
    """One pair through a substep."""

    def __init__(self, kind, places, masses=MASSES, velocities=None, friction=0.0, restitution=0.0, carriers=None, h=H):
        self.masses, self.h = masses, h
        self.inverse_masses = np.where(np.isinf(masses), 0.0, 1.0 / masses)
        velocities = np.zeros_like(places) if velocities is None else velocities
        self.particles = kernels.moving(places, self.inverse_masses, velocities)
        self.embeds = carriers is not None
        elements, weights = carriers or kernels.points_of_particles(np.array([0, 1, 1, 1]))
        self.surfaces = kernels.surfaces_of(elements, weights, len(places))
        self.pairs = kernels.pairs_of([kind], [[0, 1, 2, 3]], GAP, friction, restitution)
        kernels.find(self.particles, self.surfaces, self.pairs, 1, h, 1.0, self.embeds)

    def move(self, ways):
        places = read_array(self.particles.positions)
        places[:, :3] += ways
        write_array(self.particles.positions, places)

    def touch(self, sweeps=1):
        before = self.positions
        kernels.touch_all(self.particles, self.surfaces, self.pairs, sweeps, self.embeds)
        return self.positions - before

    def settle(self, velocities):
        write_array(self.particles.velocities, np.column_stack([velocities, np.zeros(len(velocities))]))
        kernels.keep_all(self.particles, self.surfaces, self.pairs, self.embeds)
        kernels.settle_all(self.particles, self.surfaces, self.pairs, 1.0 / self.h, 0.01, self.embeds)
        return read_array(self.particles.velocities)[:, :3]

    def next_substep(self):
        kernels.keep_all(self.particles, self.surfaces, self.pairs, self.embeds)
        write_array(self.particles.previous_positions, read_array(self.particles.positions))
        kernels.find(self.particles, self.surfaces, self.pairs, 1, self.h, 1.0, self.embeds)

    @property
    def positions(self):
        return read_array(self.particles.positions)[:, :3].astype(float)
