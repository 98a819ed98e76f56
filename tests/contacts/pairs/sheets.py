# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of springs that meet by pairs alone: a stand-alone simulation with brute-force lists."""

from typing import Any

import numpy as np
import taichi as ti

from blender_xpbd.contacts.pairs import tables
from blender_xpbd.device.arrays import make_array, read_array, write_array
from blender_xpbd.device.packs import pack_type
from blender_xpbd.device.runtime import real_type
from tests.contacts.pairs import pair_kernels as kernels

GRAVITY = 9.81
Springs = pack_type(
    ends=ti.types.ndarray(dtype=ti.i32, ndim=2), lengths=ti.types.ndarray(ndim=1), compliances=ti.types.ndarray(ndim=1)
)


@ti.kernel
def predict(particles: kernels.Moving, h: float, gx: float, gz: float):
    ti.loop_config(serialize=True)
    for i in range(particles.positions.shape[0]):
        p = particles.positions[i]
        particles.previous_positions[i] = p
        if p[3] > 0.0:
            particles.velocities[i] += ti.Vector([h * gx, 0.0, h * gz, 0.0])
            particles.positions[i] = p + h * particles.velocities[i]


@ti.kernel
def project(particles: kernels.Moving, springs: Springs, h: float):
    ti.loop_config(serialize=True)
    for s in range(springs.ends.shape[0]):
        i, j = springs.ends[s, 0], springs.ends[s, 1]
        a, b = particles.positions[i], particles.positions[j]
        way = a.xyz - b.xyz
        length = way.norm()
        total = a[3] + b[3]
        if total > 0.0:
            change = -(length - springs.lengths[s]) / (total + springs.compliances[s] / (h * h)) / length * way
            for axis in ti.static(range(3)):
                a[axis] += a[3] * change[axis]
                b[axis] -= b[3] * change[axis]
            particles.positions[i] = a
            particles.positions[j] = b


@ti.kernel
def update_velocities(particles: kernels.Moving, h: float):
    ti.loop_config(serialize=True)
    for i in range(particles.positions.shape[0]):
        v = (particles.positions[i] - particles.previous_positions[i]) / h
        v[3] = 0.0
        particles.velocities[i] = v


def sheet(count, size=1.0, height=0.0, shift=(0.0, 0.0)):
    """Vertices (count², 3), triangles and springs with compliances of a square sheet."""
    line = np.linspace(-0.5, 0.5, count) * size
    x, y = np.meshgrid(line + shift[0], line + shift[1], indexing="ij")
    vertices = np.stack([x, y, np.full_like(x, height)], -1).reshape(-1, 3)
    n = np.arange(count * count).reshape(count, count)
    a, b, c, d = n[:-1, :-1].ravel(), n[1:, :-1].ravel(), n[1:, 1:].ravel(), n[:-1, 1:].ravel()
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    kinds = (
        (1e-7, (n[:-1], n[1:]), (n[:, :-1], n[:, 1:])),
        (1e-6, (a, c), (b, d)),
        (1e-2, (n[:-2], n[2:]), (n[:, :-2], n[:, 2:])),
    )
    springs = [(c, np.stack([one.ravel(), other.ravel()], 1)) for c, *ends in kinds for one, other in ends]
    return vertices, triangles, springs


class Sheets:
    """Sheets, of which the first may be held."""

    def __init__(self, sheets, gap, substeps, friction=0.0, holds_first=False, slope=0.0, sweeps=4, slides=1):
        self.gap, self.h, self.sweeps, self.slides = gap, 1.0 / 24.0 / substeps, sweeps, slides
        self.friction, self.slope = friction, slope
        starts = np.cumsum([0] + [len(vertices) for vertices, _, _ in sheets])
        rest = np.concatenate([vertices for vertices, _, _ in sheets])
        self.triangles = np.concatenate([t + s for (_, t, _), s in zip(sheets, starts, strict=False)])
        sides = np.sort(np.concatenate([self.triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
        self.edges = np.unique(sides, axis=0)
        objects = np.repeat(np.arange(len(sheets)), np.diff(starts))
        corners = rest[self.triangles]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
        self.masses = np.zeros(len(rest))
        np.add.at(self.masses, self.triangles.ravel(), np.repeat(areas / 3.0 * 0.2, 3))
        inverse_masses = 1.0 / self.masses
        if holds_first:
            inverse_masses[objects == 0] = 0.0
        self.objects, self.has_frame = objects, not holds_first
        ends = np.concatenate(
            [s + start for (_, _, springs), start in zip(sheets, starts, strict=False) for _, s in springs]
        )
        compliances = np.concatenate([np.full(len(s), c) for _, _, springs in sheets for c, s in springs])
        self.springs = Springs(
            ends=make_array(ends.astype(np.int32), ti.i32),
            lengths=make_array(np.linalg.norm(rest[ends[:, 0]] - rest[ends[:, 1]], axis=1), real_type()),
            compliances=make_array(compliances, real_type()),
        )
        self.particles = kernels.moving(rest, inverse_masses, np.zeros_like(rest))
        elements, weights = kernels.points_of_particles(objects)
        self.surfaces = kernels.surfaces_of(elements, weights, len(rest))
        self.limits = kernels.limits_of(len(rest))
        self.pairs: Any = None
        self.margin = self.searches = self.substeps_done = 0
        # how far a particle has come since the last search at most
        self.travelled = 0.0

    @property
    def positions(self):
        return read_array(self.particles.positions)[:, :3].astype(np.float64)

    @property
    def velocities(self):
        return read_array(self.particles.velocities)[:, :3].astype(np.float64)

    def search(self, margin):
        """List all pairs whose bounding spheres come nearer than the gap and a margin."""
        x, self.margin = self.positions, margin
        reach = self.gap + margin
        vertices = _near((x, np.zeros(len(x))), _spheres(x[self.triangles]), reach)
        vertices = vertices[~(self.triangles[vertices[:, 1]] == vertices[:, :1]).any(axis=1)]
        vertices = np.column_stack([vertices[:, 0], self.triangles[vertices[:, 1]]])
        balls = _spheres(x[self.edges])
        edges = _near(balls, balls, reach)
        edges = edges[edges[:, 0] < edges[:, 1]]
        one, other = self.edges[edges[:, 0]], self.edges[edges[:, 1]]
        shared = (one[:, :, None] == other[:, None, :]).any(axis=(1, 2))
        points = np.concatenate([vertices, np.column_stack([one, other])[~shared]])
        kinds = np.repeat([tables.VERTEX_TRIANGLE, tables.EDGE_EDGE], [len(vertices), (~shared).sum()])
        # sheets are flat at rest: what is far apart there keeps the whole gap
        own = self.objects[points[:, 0]] == self.objects[points[:, 3]]
        points, kinds = points[~own], kinds[~own]
        order = np.lexsort(points.T)
        self.pairs = kernels.pairs_of(kinds[order], points[order], self.gap, self.friction)
        self.travelled = 0.0
        self.searches += 1

    def substep(self):
        """One substep, of which the straight ways cross nothing."""
        h, before = self.h, self.positions
        speed = np.linalg.norm(self.velocities - self._frame(self.velocities), axis=1).max()
        reach = 0.2 * self.gap + 2.4 * (speed * h + GRAVITY * h * h)
        if self.pairs is None or reach + 2.0 * self.travelled > self.margin:
            self.search(max(0.7 * self.gap, 4.0 * reach))
        kernels.find(self.particles, self.surfaces, self.pairs, len(read_array(self.pairs.pair_ints)), h, reach, False)
        predict(self.particles, h, GRAVITY * np.sin(self.slope), -GRAVITY * np.cos(self.slope))
        project(self.particles, self.springs, h)
        kernels.touch_all(self.particles, self.surfaces, self.pairs, self.sweeps, False)
        frame = self._frame(self.positions - before)
        _shift(self.particles.positions, -frame)
        kernels.limit_all(self.particles, self.surfaces, self.pairs, self.limits, self.slides, 0.5 * reach, False)
        self.travelled += np.linalg.norm(self.positions - before, axis=1).max()
        lost = self._frame(read_array(self.limits.moves)[:, :3] - (self.positions - before))
        _shift(self.particles.positions, frame + lost)
        update_velocities(self.particles, h)
        kernels.settle_all(self.particles, self.surfaces, self.pairs, 1.0 / h, GRAVITY * h, False)
        self.substeps_done += 1

    def _frame(self, vectors):
        return np.average(vectors, axis=0, weights=self.masses) if self.has_frame else np.zeros(3)


def _shift(vectors, shift):
    values = read_array(vectors)
    values[:, :3] += shift
    write_array(vectors, values)


def _spheres(corners) -> Any:
    centres = corners.mean(axis=1)
    return centres, np.linalg.norm(corners - centres[:, None], axis=2).max(axis=1)


def _near(some_balls, other_balls, reach):
    """Pairs of spheres (n, 2) that are nearer than ``reach``."""
    (centres, radii), (others, other_radii) = some_balls, other_balls
    found = []
    for first in range(0, len(centres), 256):
        some = slice(first, first + 256)
        distances = np.linalg.norm(centres[some, None] - others[None], axis=2)
        rows = np.argwhere(distances < radii[some, None] + other_radii + reach)
        found.append(rows + np.array([first, 0]))
    return np.concatenate(found)
