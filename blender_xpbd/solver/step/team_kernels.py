# SPDX-License-Identifier: GPL-3.0-or-later
"""The XPBD loop for processors: substeps of a frame in one kernel, by one thread or by a team of them.

All walk through the stages of all substeps (see ``stages``). A stage has so many turns; each goes to who claims it
first, beginning with those that were one's own in the last substep too, whose particles are still in the core's cache.
When no turn is left, one waits until all are done. Turns of a stage share no movable particle, so the result is the
same to the last bit whoever does which, and for a team of one.

A launch for every iteration, as Taichi wants it, would cost as much as several thousand projections. Waiting in the
kernel costs next to nothing while each thread has a core to itself. Nobody waits for a thread that has not begun or has
lost its core while it waited, so it does not matter how many of the team really run.
"""

import taichi as ti

from ...constraints.attachments.grab import hold_grabbed
from ...constraints.constraint import BDF2, RATES
from ...contacts.clearance import keeps_clearance, stays_clear
from ...contacts.collider_anchors import note_anchor
from ...contacts.contact import OUT_OF_REACH, are_grains_alone, project_contact
from ...contacts.restitution import bounce_piece, restore_speeds
from ...device.apart import apart
from ...forces.attraction import fit_nodes
from ..acts.external_functions import blow_share, push_share
from ..acts.flow_functions import flow_share
from ..acts.functions import (
    damping_step,
    forget_history,
    place_target,
    predict_position,
    project_task,
    projection_step,
    resting_speed,
    speed_change,
    update_velocity,
)
from ..acts.grain_stages import attract_share, take_grain_turn
from ..acts.internal_damping import damp_piece
from ..acts.level_functions import operate
from ..acts.orientations import predict_orientations, update_angular_velocities
from ..acts.pair_functions import place_vertices
from ..acts.pair_stages import take_pair_turn
from ..acts.spin import note_held, note_touch, restore_spin, sum_spin
from ..acts.strike_functions import part_pieces, strike_pieces
from ..acts.sweep_functions import touch_again_task
from ..order.stages import (
    ACT,
    ATTRACT,
    BLOW,
    BOUNCE,
    DAMP,
    DAMP_RATES,
    DETAIL,
    FIRST,
    FIT_NODES,
    FLOW,
    HOLD_GRABBED,
    HOLD_PUSHED,
    OPEN_LIST,
    PART,
    PLACE_TARGETS,
    PLACE_VERTICES,
    PREDICT,
    PROJECT,
    PUSH,
    REBOUND,
    REOPEN_WINDOW,
    RESTORE_SPINS,
    SOLVE_LEVELS,
    SPAN_BEGIN,
    SPAN_END,
    SPAN_OF,
    SPAN_TEAM_SIZE,
    STRIKE,
    SUM_SPINS,
    TOUCH,
    TOUCH_AGAIN,
    TURNS,
    UPDATE_VELOCITIES,
)
from ..order.tasks import MOST_PARTS
from ..windows.pair_tables import FIRST as FIRST_PARTICLE
from ..windows.pair_tables import IS_OVER, MUST_SEARCH
from ..windows.pair_tables import LAST as LAST_PARTICLE
from ..windows.window_functions import is_pushed, note_moved
from .packs import Colliders, Constraints, Contacts, Levels, Order, Pairs, Particles, Pieces, Targets, World

# Taichi hands out a parallel loop in pieces of 512 turns at least, so a member of the team is as many
ITEMS_PER_MEMBER = 512
# who has claimed each turn of a stage, then how many turns are done, apart by more than a line of any cache
DONE = MOST_PARTS + 64
COUNTERS = DONE + 64


@ti.func
def is_first(counters: ti.template(), turn, epoch):
    """Claim a turn of the stage that is the ``epoch``-th of the frame: whether nobody has before."""
    claimed = counters[turn] >= epoch
    if not claimed:
        claimed = ti.atomic_max(counters[turn], epoch) >= epoch
    return not claimed


@apart
def predict_share(particles: ti.template(), turn, turns, h, substep, mode: ti.template()):
    """Predict the particles of one of ``turns`` equal shares."""
    bodies, starts = ti.static(particles.bodies, particles.body_starts)
    count = starts[bodies.shape[0]]
    first, last = count * turn // turns, count * (turn + 1) // turns
    for b in range(bodies.shape[0]):
        if starts[b] < last and starts[b + 1] > first:
            change = speed_change(particles, b, substep)
            for i in range(ti.max(starts[b], first), ti.min(starts[b + 1], last)):
                predict_position(particles, i, h, change, mode)


@apart
def place_targets(particles: ti.template(), targets: ti.template(), share, mode: ti.template()):
    """Place all pinned particles ``share`` of the way to the next frame."""
    for k in range(targets.particles.shape[0]):
        place_target(particles, targets, k, share, mode)


@apart
def solve_levels(world: ti.template(), order: ti.template(), stage, turn, inverse_h2):
    """Do the operations of a chain on the coarse levels, or one share of them."""
    shares = order.stages[stage, DETAIL]
    chain = order.stages[stage, FIRST] + turn // shares
    for operation in range(order.operation_starts[chain], order.operation_starts[chain + 1]):
        operate(world.levels, world.particles.positions, order, operation, turn % shares, shares, inverse_h2)


@apart
def project_contact_task(
    world: ti.template(), order: ti.template(), task, substep, is_first, is_late, h, variant: ti.template()
):
    """Project the contact points of a task; where it ``is_late`` those alone that pairs have pushed."""
    starts, segments = ti.static(order.contact_segment_starts, order.contact_segments)
    for segment in range(starts[task], starts[task + 1]):
        for k in range(segments[segment, 0], segments[segment, 1]):
            is_asked = True
            if ti.static(variant.has_pairs):
                if is_late:
                    is_asked = is_pushed(world, k)
                    if is_asked:
                        note_moved(world, k)
            if ti.static(are_grains_alone(variant)):
                is_asked = is_first or world.contacts.touches[k] != OUT_OF_REACH
            if ti.static(keeps_clearance(variant)):
                if is_asked and stays_clear(world.particles, world.contacts, world.colliders, k, variant):
                    is_asked = False
                    if is_first:
                        world.contacts.touches[k] = 0
            if is_asked:
                project_contact(
                    world.particles,
                    world.contacts,
                    world.colliders,
                    k,
                    substep,
                    h,
                    resting_speed(world.particles, world.contacts, k, h, variant),
                    is_first,
                    variant,
                )
                if ti.static(variant.keeps_spins):
                    note_touch(world.contacts, world.pieces, k)


@apart
def update_share(world: ti.template(), turn, turns, h, variant: ti.template()):
    """Velocities of one of ``turns`` equal shares of the particles; of colliders, of vertices that are searched."""
    count = world.particles.positions.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    last = end
    if ti.static(variant.has_pairs):
        rows = ti.static(world.pairs.object_rows)
        bodies = world.particles.bodies.shape[0]
        if bodies < rows.shape[0]:
            last = ti.min(last, rows[bodies, FIRST_PARTICLE])
        for o in range(bodies, rows.shape[0]):
            for i in range(ti.max(begin, rows[o, FIRST_PARTICLE]), ti.min(end, rows[o, LAST_PARTICLE])):
                update_velocity(world.particles, i, h, variant.mode)
    for i in range(begin, last):
        update_velocity(world.particles, i, h, variant.mode)


@apart
def finish_contacts(
    particles: ti.template(), contacts: ti.template(), order: ti.template(), task, h, variant: ti.template()
):
    """Restitution and anchors of the contact points of a task, after the velocities of its particles."""
    starts, segments = ti.static(order.contact_segment_starts, order.contact_segments)
    for segment in range(starts[task], starts[task + 1]):
        for k in range(segments[segment, 0], segments[segment, 1]):
            if ti.static(variant.has_anchors):
                note_anchor(particles, contacts, k, h)
            restore_speeds(particles, contacts, k, variant.bounces)
    if ti.static(variant.mode & BDF2):
        for segment in range(starts[task], starts[task + 1]):
            for k in range(segments[segment, 0], segments[segment, 1]):
                forget_history(particles, contacts, k, h, variant.mode)


@apart
def bounce_share(world: ti.template(), turn, turns, h, variant: ti.template()):
    """Let one of ``turns`` equal shares of the compact pieces bounce."""
    count = world.pieces.piece_rows.shape[0] - 1
    for piece in range(count * turn // turns, count * (turn + 1) // turns):
        inverse_h = projection_step(h, 0, 0, variant.mode)[2]
        bounce_piece(world.particles, world.contacts, world.pieces, piece, h, inverse_h, variant)


@apart
def sum_spin_share(world: ti.template(), turn, turns, h):
    """Sum the lost spin of one of ``turns`` equal shares of the chunks of pieces that nothing holds."""
    count = world.pieces.spin_chunks.shape[0]
    for chunk in range(count * turn // turns, count * (turn + 1) // turns):
        sum_spin(world.particles, world.pieces, chunk, h)


@apart
def restore_spin_share(world: ti.template(), turn, turns, variant: ti.template()):
    """Give one of ``turns`` equal shares of them their spin back."""
    count = world.pieces.spin_chunks.shape[0]
    for chunk in range(count * turn // turns, count * (turn + 1) // turns):
        restore_spin(world.particles, world.pieces, world.pairs.object_counts, chunk, variant)


@apart
def damp_share(particles: ti.template(), pieces: ti.template(), turn, turns, h, of):
    """Damp one of ``turns`` equal shares of the loose pieces for the substeps of a frame."""
    count = pieces.damped_rows.shape[0] - 1
    for piece in range(count * turn // turns, count * (turn + 1) // turns):
        damp_piece(particles, pieces, piece, h, of)


@ti.func
def take_turn(world: ti.template(), order: ti.template(), stage, turn, substep, variant: ti.template()):
    """Do one turn of a stage of the table."""
    mode = ti.static(variant.mode)
    # read by each turn: kept over all of them it slowed down the loops over tetrahedra by 2 %
    h = order.duration[0]
    act, turns = order.stages[stage, ACT], order.stages[stage, TURNS]
    task, iteration = order.stages[stage, FIRST] + turn, order.stages[stage, DETAIL]
    if ti.static(variant.has_air):
        if act == BLOW:
            blow_share(world, turn, turns, substep, h, variant)
    if ti.static(variant.is_forced):
        if act == PUSH:
            push_share(world.particles, turn, turns, substep, h, variant)
    if ti.static(variant.attracts):
        if act == FIT_NODES:
            fit_nodes(world.particles, world.pairs)
        if act == ATTRACT:
            attract_share(world.particles, world.pairs, turn, turns, substep)
    if act == PREDICT:
        predict_share(world.particles, turn, turns, h, substep, mode)
        if ti.static(variant.has_orientations):
            predict_orientations(world.particles, turn, turns, h, substep)
    if act == PLACE_TARGETS:
        place_targets(world.particles, world.targets, (substep + 1.0) / order.span[SPAN_OF], mode)
    if ti.static(variant.has_levels):
        if act == SOLVE_LEVELS:
            solve_levels(world, order, stage, turn, projection_step(h, 0, 0, mode)[0])
    if act == PROJECT:
        step = projection_step(h, iteration, substep, mode)
        project_task(world.particles, world.constraints, order, task, step, mode, variant.constraints)
    if ti.static(variant.takes_grabs):
        if act == HOLD_GRABBED:
            share, step = (substep + 1.0) / order.span[SPAN_OF], projection_step(h, 0, substep, mode)
            hold_grabbed(world.particles, world.targets, share, order.span[SPAN_OF], step)
            if ti.static(variant.keeps_spins):
                note_held(world.targets, world.pieces)
    if ti.static(variant.shapes):
        if act == TOUCH or act == HOLD_PUSHED:
            is_late = act == HOLD_PUSHED
            project_contact_task(world, order, task, substep, iteration == 0 and not is_late, is_late, h, variant)
    if ti.static(variant.shapes and variant.has_pairs):
        if act == TOUCH_AGAIN:
            touch_again_task(world, order, task, iteration, h, variant)
    if ti.static(variant.has_grains):
        take_grain_turn(world.particles, world.contacts, world.pairs, order, stage, turn, substep, h, variant)
    if act == UPDATE_VELOCITIES:
        update_share(world, turn, turns, h, variant)
        if ti.static(variant.has_orientations):
            update_angular_velocities(world.particles, turn, turns, h)
    if ti.static(variant.flows):
        if act == FLOW:
            flow_share(world.particles, world.constraints, turn, turns, h, variant.flows)
    if ti.static(variant.damped_constraints):
        if act == DAMP_RATES:
            step = damping_step(h, iteration, mode)
            kinds = ti.static(variant.damped_constraints)
            project_task(world.particles, world.constraints, order, task, step, ti.static(mode | RATES), kinds)
    if ti.static(variant.keeps_spins):
        if act == SUM_SPINS:
            sum_spin_share(world, turn, turns, h)
        if act == RESTORE_SPINS:
            restore_spin_share(world, turn, turns, variant)
    if ti.static(variant.strikes):
        # Euler's alone: see ``StruckPieces``
        if act == STRIKE:
            starts = ti.static(world.particles.previous_positions)
            strike_pieces(world.particles, starts, world.pairs, world.pieces, h, variant)
        if act == PART:
            part_pieces(world.particles, world.pieces, h)
    if ti.static(variant.shapes):
        if act == REBOUND:
            finish_contacts(world.particles, world.contacts, order, task, h, variant)
    if ti.static(variant.bounces):
        if act == BOUNCE:
            bounce_share(world, turn, turns, h, variant)
    if ti.static(variant.damps_bodies):
        if act == DAMP:
            damp_share(world.particles, world.pieces, turn, turns, h, order.span[SPAN_OF])
    if ti.static(variant.has_pairs):
        if act == PLACE_VERTICES:
            place_vertices(world, turn, turns, substep, order.span[SPAN_OF], mode)
        take_pair_turn(world, order, stage, turn, substep, variant)


@ti.kernel
def simulate_substeps(
    particles: Particles,
    constraints: Constraints,
    targets: Targets,
    contacts: Contacts,
    pieces: Pieces,
    colliders: Colliders,
    levels: Levels,
    pairs: Pairs,
    order: Order,
    variant: ti.template(),
):
    """The stages of a frame that ``order.span`` tells."""
    world = ti.static(World(particles, constraints, targets, contacts, pieces, colliders, levels, pairs))
    ti.loop_config(serialize=True)
    for n in range(order.counters.shape[0]):
        order.counters[n] = 0
    for item in range(order.span[SPAN_TEAM_SIZE] * ITEMS_PER_MEMBER):
        if item % ITEMS_PER_MEMBER == 0:
            member, team_size = item // ITEMS_PER_MEMBER, order.span[SPAN_TEAM_SIZE]
            stage_count = order.stages.shape[0]
            # stages of the frame that are over, and turns that those of this launch had
            epoch, end, last = order.span[SPAN_BEGIN], 0, order.span[SPAN_END]
            while epoch < last:
                substep, stage = epoch // stage_count, epoch % stage_count
                epoch += 1
                turns = order.stages[stage, TURNS]
                if ti.static(variant.damps_bodies):
                    if order.stages[stage, ACT] == DAMP and substep + 1 < order.span[SPAN_OF]:
                        turns = 0
                end += turns
                for n in range(turns):
                    turn = (member * turns // team_size + n) % turns
                    if is_first(order.counters, turn, epoch):
                        take_turn(world, order, stage, turn, substep, variant)
                        ti.atomic_add(order.counters[DONE], 1)
                while ti.atomic_or(order.counters[DONE], 0) < end:
                    pass
                if ti.static(variant.has_pairs):
                    # told before this stage began, so that all who are there see it, and who comes late in its substep
                    act, number = order.stages[stage, ACT], substep + 1
                    if act == REOPEN_WINDOW and pairs.told[MUST_SEARCH] == number:
                        last = 0
                    if act == OPEN_LIST and pairs.told[IS_OVER] == number:
                        last = 0
