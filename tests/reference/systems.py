# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's own system, as the reference sees it: same particles, same constraints, same order."""

from __future__ import annotations

from functools import partial

import numpy as np

from blender_xpbd.constraints.pools import EXTRAS, FIRST_EXTRA, FIRST_VALUE, MEMBERS
from tests.reference.constraint_functions import (
    FUNCTIONS,
    distance,
    enclosed_volume,
    link,
    membrane,
    shape_matching,
)
from tests.reference.xpbd import Constraint, damp_internal_motion, step


def constraints_of(block, damping_times=None, start=None, h=None):
    """The constraints of one block of the solver, one or two for each of its rows.

    Args:
        block: of the solver.
        damping_times: of the particles [s], None for no damping.
        start: positions at the start of the step, for stitches.
        h: step [s], for stitches.
    """
    made = []
    for number in range(len(block)):
        particles = block.members(number) if block.pools is not None else block.indices[number]
        time = 0.0 if damping_times is None else float(np.mean(damping_times[particles]))
        for function, compliance, bounds in _rows(block, number, start, h):
            late = float(block.parameters[number, 0]) if block.type.name == "attachment" else 0.0
            softness = 10.0 if block.type.name == "diagonal" else 1.0
            made.append(Constraint(np.asarray(particles), function, compliance, time, bounds, None, late, softness))
    return made


def _rows(block, number, start, h):
    """Function, compliance and bounds of one row of a block."""
    name, own = block.type.name, block.parameters[number]
    free = (-np.inf, np.inf)
    if name == "two_sided_distance":
        # a rope and a bumper; -1 stands for none
        sides = ((own[1], (-np.inf, 0.0)), (own[2], (0.0, np.inf)))
        return [(partial(distance, rest_length=own[0]), alpha, bounds) for alpha, bounds in sides if alpha >= 0.0]
    if name == "element_link":
        sides = ((own[9], (-np.inf, 0.0)), (own[10], (0.0, np.inf)))
        return [(lambda x: link(x, own[:8], own[8]), alpha, bounds) for alpha, bounds in sides if alpha >= 0.0]
    if name == "stitch":
        first, second = start[block.indices[number]]
        thread = max(np.linalg.norm(first - second) - own[0] * h, 0.0)
        return [(partial(distance, rest_length=thread), own[2], (-own[1], 0.0))]
    if name == "membrane":
        ratios = np.array([[1.0, -own[5], 0.0], [-own[5], own[4], 0.0], [0.0, 0.0, own[6]]])
        return [(lambda x: membrane(x, *own[:4]), own[7] * ratios, free)]
    if name == "enclosed_volume":
        first, count = block.indices[number][[FIRST_EXTRA, EXTRAS]]
        triangles = block.pools.extras[first : first + count].reshape(-1, 3)
        return [(lambda x: enclosed_volume(x, triangles, own[0]), own[2], free)]
    if name == "shape_matching":
        first, count = block.indices[number][[FIRST_VALUE, MEMBERS]]
        values = block.pools.values[first : first + 4 * count].reshape(-1, 4)
        return [(lambda x: shape_matching(x, values[:, :3], values[:, 3]), own[0], free)]
    own = own[1:] if name == "attachment" else own
    return [(lambda x: FUNCTIONS[name](x, *own[:-1]), float(own[-1]), free)]


class Reference:
    """Runs a ``System`` of one body frame by frame."""

    def __init__(self, system):
        self.system = system
        self.x, self.v, self.w = system.positions.copy(), system.velocities.copy(), system.inverse_masses
        times = system.damping_times if system.damping_times.any() else None
        blocks = [block for block in system.schedule.blocks if block is not None]
        self.constraints = [constraint for block in blocks for constraint in constraints_of(block, times)]
        self.frame = 0

    def advance(self):
        scene, material = self.system.scene, self.system.models[0].body.material
        settings, moved = scene.settings, self.system.moved_particles
        h = scene.frames.frame_duration / settings.substeps
        begin, end = self.system.targets(self.frame), self.system.targets(self.frame + 1)
        for substep in range(settings.substeps):
            share = (substep + 1) / settings.substeps
            place = dict(zip(moved.tolist(), begin + share * (end - begin), strict=True))
            self.x, self.v, _ = step(
                self.x,
                self.v,
                self.w,
                self.constraints,
                h,
                scene.gravity,
                settings.iterations,
                settings.solver_mode == "PBD",
                material.damping,
                place,
                begins=self.frame == 0 and substep == 0,
            )
        if material.internal_damping > 0.0:
            share = 1.0 - np.exp(-material.internal_damping * scene.frames.frame_duration)
            self.v = damp_internal_motion(self.x, self.v, self.w, share, moved)
        self.frame += 1
        return self.x
