# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's own system, as the reference sees it: same particles, same constraints, same order."""

from __future__ import annotations

import numpy as np

from tests.reference.constraint_functions import FUNCTIONS
from tests.reference.xpbd import Constraint, damp_internal_motion, step


def constraints_of(block, damping_times=None):
    """The constraints of one block of the solver; damping times are those of the particles [s]."""
    made = []
    for particles, parameters in zip(block.indices, block.parameters, strict=True):
        function, own = FUNCTIONS[block.type.name], parameters[:-1]
        time = 0.0 if damping_times is None else float(np.mean(damping_times[particles]))
        made.append(
            Constraint(particles, lambda x, f=function, p=own: f(x, *p), float(parameters[-1]), damping_time=time)
        )
    return made


class Reference:
    """Runs a ``System`` of one body frame by frame."""

    def __init__(self, system):
        self.system = system
        self.x, self.v, self.w = system.positions.copy(), system.velocities.copy(), system.inverse_masses
        self.constraints = [c for block in system.schedule.blocks if block is not None for c in constraints_of(block)]
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
            )
        if material.internal_damping > 0.0:
            share = 1.0 - np.exp(-material.internal_damping * scene.frames.frame_duration)
            self.v = damp_internal_motion(self.x, self.v, self.w, share)
        self.frame += 1
        return self.x
