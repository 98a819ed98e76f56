# SPDX-License-Identifier: GPL-3.0-or-later
"""The beginning of a substep for the threads of a processor, where cloths have coarse levels.

What every particle does by itself goes on threads: prediction, restriction and prolongation. The links are few and
done one after another, so that the result is that of ``kernels.simulate_frame`` to the last bit.
"""

import taichi as ti

from .hierarchy_kernels import coarse_cycle, prolong_to_particles, restrict_particles, solve_levels
from .kernels import FLOAT_TABLE, FLOATS, INT_TABLE, INTS, VECTORS, place_target, projection_step
from .thread_kernels import ITEMS_PER_TASK, predict_part


@ti.kernel
def begin_substep(
    positions: VECTORS,
    previous_positions: VECTORS,
    velocities: VECTORS,
    older_positions: VECTORS,
    older_velocities: VECTORS,
    corrections: VECTORS,
    part_particles: INTS,
    part_starts: INTS,
    particle_bodies: INTS,
    bodies: FLOAT_TABLE,
    targets: INTS,
    target_starts: VECTORS,
    target_ends: VECTORS,
    gravities: VECTORS,
    levels: INT_TABLE,
    level_stiffness: FLOAT_TABLE,
    coarse_positions: VECTORS,
    coarse_moves: VECTORS,
    restriction_starts: INTS,
    restriction_vertices: INTS,
    restriction_weights: FLOATS,
    parents: INT_TABLE,
    parent_weights: FLOAT_TABLE,
    links: INT_TABLE,
    link_lengths: FLOATS,
    link_states: FLOATS,
    h: float,
    substep: ti.i32,
    substeps: ti.i32,
    target_count: ti.i32,
    part_count: ti.i32,
    is_wide: ti.template(),
    mode: ti.template(),
):
    """Predict, then the cycle over the coarse levels, on threads where it ``is_wide``."""
    ti.loop_config(serialize=True)
    for k in range(target_count):
        share = (substep + 1.0) / substeps
        place_target(k, share, targets, target_starts, target_ends, positions, previous_positions, mode)
    for item in range(part_count * ITEMS_PER_TASK):
        if item % ITEMS_PER_TASK == 0:
            part = item // ITEMS_PER_TASK
            predict_part(
                part,
                h,
                gravities[0],
                positions,
                previous_positions,
                velocities,
                older_positions,
                older_velocities,
                corrections,
                part_particles,
                part_starts,
                particle_bodies,
                bodies,
                mode,
            )
    if ti.static(is_wide):
        for item in range(part_count * ITEMS_PER_TASK):
            if item % ITEMS_PER_TASK == 0:
                part = item // ITEMS_PER_TASK
                restrict_particles(
                    part,
                    part_count,
                    positions,
                    levels,
                    coarse_positions,
                    coarse_moves,
                    restriction_starts,
                    restriction_vertices,
                    restriction_weights,
                )
        ti.loop_config(serialize=True)
        for _ in range(ti.min(part_count, 1)):
            solve_levels(
                projection_step(h, 0, mode)[0],
                levels,
                level_stiffness,
                coarse_positions,
                coarse_moves,
                restriction_starts,
                restriction_vertices,
                restriction_weights,
                parents,
                parent_weights,
                links,
                link_lengths,
                link_states,
            )
        for item in range(part_count * ITEMS_PER_TASK):
            if item % ITEMS_PER_TASK == 0:
                part = item // ITEMS_PER_TASK
                prolong_to_particles(part, part_count, positions, levels, coarse_moves, parents, parent_weights)
    else:
        ti.loop_config(serialize=True)
        for _ in range(ti.min(part_count, 1)):
            coarse_cycle(
                projection_step(h, 0, mode)[0],
                positions,
                levels,
                level_stiffness,
                coarse_positions,
                coarse_moves,
                restriction_starts,
                restriction_vertices,
                restriction_weights,
                parents,
                parent_weights,
                links,
                link_lengths,
                link_states,
            )
