# SPDX-License-Identifier: GPL-3.0-or-later
"""What a substep does, stage by stage: the one table that processors and graphics cards follow.

| act | what happens | in ``step`` of ``tests/reference/xpbd.py`` |
|---|---|---|
| BEGIN_PAIRS | what a substep with contact between bodies begins with is noted | – |
| BLOW | moving air pushes triangles | – |
| FIT_NODES | centres of mass of what attracts | – |
| PUSH | that, force fields and pushes of bodies change velocities | – |
| ATTRACT | bodies attract each other | – |
| PREDICT | gravity and drag change velocities, these move particles | ``v = kept v + fallen g``, ``x + h v`` |
| PLACE_TARGETS | pinned particles go on their way | ``x[particle] = target`` |
| PLACE_VERTICES | vertices of colliders go on their way | – |
| SOLVE_LEVELS | pulls go far through stiff cloth, by its coarse levels | – |
| CHECK_GRAINS | whether a grain has strayed from where pairs of grains were listed | – |
| SORT_GRAINS, LIST_GRAINS | if so, grains are sorted into cells and layers, and near pairs are listed | – |
| GATHER_GRAINS | of these, what may touch in this substep | – |
| TOUCH_GRAINS | these are pushed apart, and held by friction, by TOUCH in between | – |
| PROJECT | constraints move particles, one after the other | ``solve(constraint, …)`` |
| TOUCH | colliders push points out, and hold them by friction; before PROJECT too, where it begins warm | – |
| HOLD_GRABBED | in a run that is played, a hand holds a patch; after the first PROJECT | – |
| NOTE_CANDIDATES | where particles would come is noted | – |
| MEASURE_ISLANDS | how far islands came as a whole: the frames that they are looked at from | – |
| OPEN_WINDOW | boxes in which particles stay, and whether the list of pairs holds for these | – |
| OPEN_LIST | if the list of pairs does not hold, the boxes for the next one; then pairs are searched | – |
| FIND_NEAR | pairs that may touch in this substep | – |
| TOUCH_PAIRS | near pairs are pushed apart, and held by friction | – |
| TOUCH_AGAIN | colliders hold what this has pushed | – |
| CHECK_WINDOW | whether particles were pushed out of their boxes | – |
| REOPEN_WINDOW | if so, all are put back, and another search is due | – |
| STRIKE | hard pieces that hit other solids part from them | – |
| HOLD_PUSHED | colliders hold what pairs have pushed, also where it did not touch before | – |
| MEASURE_MEANS | how far islands came as a whole, pushes included, and how they spin | – |
| BEGIN_LIMIT | how far particles came in their island's frame, in their boxes | – |
| LIMIT | how far they may go so that nothing crosses | – |
| SLIDE | they go along what stops them | – |
| TRUNCATE | they go so far and no farther | – |
| CLOSE_ISLANDS | islands get back the momentum that this took | – |
| SUM_SPINS | how much spin pieces lose that touched nothing | – |
| REST_GRAINS | grains that touch something and hardly moved stay where they were | – |
| UPDATE_VELOCITIES | how far particles came is their velocity | ``(x - start) / h`` |
| FLOW | what is strained beyond its limit takes on another rest shape | – |
| DAMP_RATES | elastic tetrahedra lose what changes their shape | – |
| PART | these pieces get their velocities | – |
| REBOUND | points that hit a collider bounce | – |
| SETTLE_GRAINS | pairs of grains do not keep the speed of the push, or rebound | – |
| SETTLE_PAIRS | pairs do not keep the speed of the push, or rebound | – |
| RESTORE_SPINS | pieces that nothing pushed get their spin back | – |
| KEEP_SPINS | islands get back the spin that pushes and truncation took | – |
| COUNT_PAIRS | how many pairs pushed, for the statistics | – |
| BOUNCE | compact pieces bounce as a whole | – |
| DAMP | once, in the last substep of a frame: bodies lose internal motion | ``damp_internal_motion`` |
| NOTE_PLACES | in frames that may stay clear, see ``clear_stages``: where particles begin and come is noted | – |

The turns of a stage share no movable particle, so they may be done in any order or at once; a stage begins when all
turns of the one before are done. A team of threads claims turn by turn (``team_kernels``); for a graphics card a stage
is a launch, or several where its turns are divided by colour (``colour_path``).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...contacts.grains.tables import GRAIN_SWEEPS, SLABS
from .tasks import MOST_PARTS, ROUNDS

# the acts
PREDICT, PLACE_TARGETS, SOLVE_LEVELS, PROJECT, TOUCH, UPDATE_VELOCITIES, REBOUND, BOUNCE, DAMP = range(9)
# those of contact between bodies
BEGIN_PAIRS, PLACE_VERTICES, NOTE_CANDIDATES, MEASURE_ISLANDS, OPEN_WINDOW, FIND_NEAR, TOUCH_PAIRS = range(9, 16)
CHECK_WINDOW, REOPEN_WINDOW, MEASURE_MEANS, BEGIN_LIMIT, LIMIT, SLIDE, TRUNCATE, CLOSE_ISLANDS = range(16, 24)
SETTLE_PAIRS, COUNT_PAIRS, TOUCH_AGAIN, HOLD_PUSHED, OPEN_LIST = range(24, 29)
# those of loose pieces that fly
SUM_SPINS, RESTORE_SPINS = range(29, 31)
# that of islands
KEEP_SPINS = 31
# those of hard pieces that meet other solids
STRIKE, PART = range(32, 34)
# that of elastic bodies with material damping
DAMP_RATES = 34
# those of forces from outside
BLOW, PUSH = range(35, 37)
# that of frames in which nothing may touch
NOTE_PLACES = 37
# that of attraction
FIT_NODES, ATTRACT = range(48, 50)
# those of grains
CHECK_GRAINS, SORT_GRAINS, LIST_GRAINS, TOUCH_GRAINS, REST_GRAINS, SETTLE_GRAINS = range(50, 56)
GATHER_GRAINS = 56
# that of plastic bodies
FLOW = 38
# that of a hand
HOLD_GRABBED = 39
# those that are left out of such a frame
ACTS_OF_PAIRS = frozenset(
    {BEGIN_PAIRS, NOTE_CANDIDATES, MEASURE_ISLANDS, OPEN_WINDOW, OPEN_LIST, FIND_NEAR, TOUCH_PAIRS, TOUCH_AGAIN}
    | {CHECK_WINDOW, REOPEN_WINDOW, STRIKE, HOLD_PUSHED, MEASURE_MEANS, BEGIN_LIMIT, LIMIT, SLIDE, TRUNCATE}
    | {CLOSE_ISLANDS, PART, SETTLE_PAIRS, KEEP_SPINS, COUNT_PAIRS}
)
# how often particles go along what stops them before they stop; one takes most of what it can, see docs/experiments.md
SLIDES = 1
# how often an iteration goes over pairs at most; it ends before where pushes have become small. Of 4, 8, 16 and 32
# the first that keeps the gaps of ten layers to 5 %, see docs/experiments.md
MOST_SWEEPS = 32
# how often velocities of pairs are swept at most, where something rebounds; where nothing does, it is once
SETTLE_SWEEPS = 32
# columns of a stage
ACT, TURNS, FIRST, DETAIL = range(4)
# what a launch does of them: from which stage to before which, counted from the frame's first substep, of how many
# substeps of the frame, by a team of how many threads
SPAN_BEGIN, SPAN_END, SPAN_OF, SPAN_TEAM_SIZE = range(4)


class Stage(NamedTuple):
    """A stage: so many turns of one act.

    Attributes:
        act: what its turns do.
        turns: how many there are.
        first: task of the first turn, or for SOLVE_LEVELS the first chain of operations, for TOUCH_GRAINS and
            SETTLE_GRAINS the colour.
        detail: for PROJECT the iteration, or the sweep over springs, for TOUCH_GRAINS the sweep, for TOUCH how often
            contacts were touched before, for TOUCH_PAIRS, TOUCH_AGAIN and SETTLE_PAIRS the sweep, for LIMIT how often
            particles have slid, for BEGIN_PAIRS and OPEN_WINDOW the iterations, for SOLVE_LEVELS into how many shares a
            chain is divided, for DAMP_RATES whether impulses are mended, for NOTE_PLACES whether the substep is over.
    """

    act: int
    turns: int
    first: int = 0
    detail: int = 0


@dataclass(frozen=True)
class Contents:
    """What a substep has to do.

    Attributes:
        has_targets: whether particles follow a given motion.
        has_contacts: whether there are colliders.
        level_stages: of the coarse levels, as in ``LevelOperations``.
        piece_count: compact pieces that bounce as a whole; a turn takes an equal share of them.
        damped_count: loose pieces whose internal motion is damped; likewise.
        has_pairs: whether surfaces of bodies may touch.
        spin_chunks: chunks of the pieces whose spin is kept; likewise.
        touches_first: whether colliders also push before the first iteration. A warm start needs it: the impulses that
            it gives again do not know of the contacts that held against them.
        strikes: whether there are hard pieces that other surfaces may meet.
        damps_rates: whether constraints are damped in the velocities.
        rebounds: whether surfaces rebound from each other.
        is_forced: whether something besides gravity acts from outside.
        has_air: whether air does.
        has_grains: whether there are grains.
        takes_grabs: whether a hand may hold a patch of particles.
        attracts: whether bodies attract each other.
        spring_sweeps: how often springs are swept; more than once only where there is one iteration.
    """

    has_targets: bool = False
    has_contacts: bool = False
    level_stages: Sequence[tuple[int, int, int]] = ()
    piece_count: int = 0
    damped_count: int = 0
    has_pairs: bool = False
    spin_chunks: int = 0
    touches_first: bool = False
    strikes: bool = False
    damps_rates: bool = False
    rebounds: bool = False
    is_forced: bool = False
    has_air: bool = False
    has_grains: bool = False
    flows: bool = False
    takes_grabs: bool = False
    attracts: bool = False
    spring_sweeps: int = 1


def substep_stages(part_count: int, iterations: int, has: Contents) -> tuple[Stage, ...]:
    """The stages of a substep.

    Args:
        part_count: parts of ``tasks.Parts``; what does not go by tasks goes by as many equal parts.
        iterations: per substep.
        has: what there is to do.

    Raises:
        ValueError: more turns than ``MOST_PARTS`` in a stage.
    """
    rounds, contact_rounds = _rounds(part_count, ROUNDS), _rounds(part_count, 1)
    stages = []
    if has.has_pairs:
        stages += [Stage(BEGIN_PAIRS, part_count, detail=iterations)]
    stages += [Stage(FIT_NODES, 1)] * int(has.attracts)
    stages += [Stage(BLOW, part_count)] * int(has.has_air) + [Stage(PUSH, part_count)] * int(has.is_forced)
    stages += [Stage(ATTRACT, part_count)] * int(has.attracts)
    stages += [Stage(PREDICT, part_count)]
    if has.has_targets:
        stages += [Stage(PLACE_TARGETS, 1)]
    if has.has_pairs:
        stages += [Stage(PLACE_VERTICES, part_count)]
    stages += [Stage(SOLVE_LEVELS, chains * shares, chain, shares) for chain, chains, shares in has.level_stages]
    # touches before the first iteration, from which their multipliers go on
    early = int(has.has_contacts and has.touches_first)
    if has.has_grains:
        stages += [Stage(CHECK_GRAINS, part_count), Stage(SORT_GRAINS, 1), Stage(LIST_GRAINS, part_count)]
        stages += _grain_sweep(GATHER_GRAINS, 0)
    stages += _by_task(TOUCH, contact_rounds) * early
    for iteration in range(iterations):
        for sweep in range(has.spring_sweeps):
            stages += _by_task(PROJECT, rounds, iteration + sweep)
        stages += [Stage(HOLD_GRABBED, 1)] * int(has.takes_grabs and iteration == 0)
        sweeps = GRAIN_SWEEPS if has.has_grains else 1
        for number in range(iteration * sweeps, (iteration + 1) * sweeps):
            stages += _grain_sweep(TOUCH_GRAINS, number) * int(has.has_grains)
            stages += _by_task(TOUCH, contact_rounds, early + number) * int(has.has_contacts)
        if has.has_pairs:
            touching = _sweeps(contact_rounds, iteration, has_contacts=has.has_contacts)
            stages += touching if iteration else _search(part_count, contact_rounds, iterations, touching)
    if has.strikes:
        stages += [Stage(STRIKE, 1)]
    if has.has_pairs:
        stages += _by_task(HOLD_PUSHED, contact_rounds) * int(has.has_contacts)
        stages += _truncation(part_count, contact_rounds)
    spin_turns = min(has.spin_chunks, MOST_PARTS)
    if has.spin_chunks:
        stages += [Stage(SUM_SPINS, spin_turns)]
    stages += [Stage(REST_GRAINS, part_count)] * int(has.has_grains)
    stages += [Stage(UPDATE_VELOCITIES, part_count)] + [Stage(FLOW, part_count)] * int(has.flows)
    for sweep in range(2 * has.damps_rates):
        stages += _by_task(DAMP_RATES, rounds, sweep)
    if has.strikes:
        stages += [Stage(PART, 1)]
    if has.has_contacts:
        stages += _by_task(REBOUND, contact_rounds)
    if has.has_grains:
        stages += _grain_sweep(SETTLE_GRAINS, 0)
    if has.has_pairs:
        for sweep in range(SETTLE_SWEEPS if has.rebounds else 1):
            stages += _by_task(SETTLE_PAIRS, contact_rounds, sweep)
    if has.spin_chunks:
        stages += [Stage(RESTORE_SPINS, spin_turns)]
    if has.has_pairs:
        stages += [Stage(KEEP_SPINS, 1), Stage(COUNT_PAIRS, 1)]
    if has.piece_count:
        stages += [Stage(BOUNCE, min(has.piece_count, MOST_PARTS))]
    if has.damped_count:
        stages += [Stage(DAMP, min(has.damped_count, MOST_PARTS))]
    most = max(stage.turns for stage in stages)
    if most > MOST_PARTS:
        raise ValueError(f"a stage has {most} turns, more than can be claimed")
    return tuple(stages)


def clear_stages(stages: Sequence[Stage], part_count: int) -> tuple[Stage, ...]:
    """The stages of a substep with contact between bodies in which, as it may turn out, nothing touches."""
    kept = [stage for stage in stages if stage.act not in ACTS_OF_PAIRS]
    # BDF2's places before are others when the substep ends, where something has rebounded
    return (Stage(NOTE_PLACES, part_count), *kept, Stage(NOTE_PLACES, part_count, detail=1))


def _by_task(act: int, rounds: Sequence[tuple[int, int]], detail: int = 0) -> list[Stage]:
    """An act on the tasks of all rounds."""
    return [Stage(act, turns, first, detail) for turns, first in rounds]


def _grain_sweep(act: int, number: int) -> list[Stage]:
    """An act on the slabs of both colours, of which the second one comes first in every other sweep."""
    return [Stage(act, SLABS // 2, colour, number) for colour in ((0, 1) if number % 2 == 0 else (1, 0))]


def _sweeps(rounds: Sequence[tuple[int, int]], iteration: int, *, has_contacts: bool) -> list[Stage]:
    """All sweeps over pairs in an iteration; sweeps are counted through the substep."""
    stages = []
    for sweep in range(iteration * MOST_SWEEPS, (iteration + 1) * MOST_SWEEPS):
        stages += _by_task(TOUCH_PAIRS, rounds, sweep)
        if has_contacts:
            stages += _by_task(TOUCH_AGAIN, rounds, sweep)
    return stages


def _search(
    part_count: int, rounds: Sequence[tuple[int, int]], iterations: int, touching: Sequence[Stage]
) -> list[Stage]:
    """What is around a search, which comes before FIND_NEAR, and the first pushes."""
    return [
        Stage(NOTE_CANDIDATES, part_count),
        Stage(MEASURE_ISLANDS, 1),
        Stage(OPEN_WINDOW, part_count, detail=iterations),
        Stage(OPEN_LIST, part_count),
        *_by_task(FIND_NEAR, rounds),
        *touching,
        Stage(CHECK_WINDOW, part_count),
        Stage(REOPEN_WINDOW, part_count),
    ]


def _truncation(part_count: int, rounds: Sequence[tuple[int, int]]) -> list[Stage]:
    """What sees to it that nothing crosses, between the last push and the velocities."""
    slides = [[*_by_task(LIMIT, rounds, number), Stage(SLIDE, part_count)] for number in range(SLIDES)]
    return [
        Stage(MEASURE_MEANS, 1),
        Stage(BEGIN_LIMIT, part_count),
        *itertools.chain(*slides),
        *_by_task(LIMIT, rounds, SLIDES),
        Stage(TRUNCATE, part_count),
        Stage(CLOSE_ISLANDS, 1),
    ]


def _rounds(part_count: int, count: int) -> list[tuple[int, int]]:
    """Turns and first task of each round; what reaches across all cuts is left to a single turn."""
    if part_count == 1:
        return [(1, 0)]
    return [*((part_count, number * part_count) for number in range(count)), (1, count * part_count)]
