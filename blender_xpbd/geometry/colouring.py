# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of constraints: sets that share no particle and may be projected in any order."""

from __future__ import annotations

import numpy as np

from .chunks import chunks

# Colours are tried in windows of as many as a particle's bit mask holds.
WINDOW = 64
IMPROVEMENT_PASSES = 4
# Drawn by nobody: no colour is free.
NONE_FREE = 255
# of SplitMix64 (Steele, Lea & Flood 2014)
MIXING_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def colour_constraints(indices: np.ndarray, particle_count: int) -> np.ndarray:
    """Colour constraints so that those of one colour share no particle.

    Every constraint draws a colour that is free at all its particles (from a hash of its number, so the result
    depends on nothing else); where two draw the same colour at a particle, one stays and the other draws again. Then
    whole colours, last first, are moved into lower ones where these are free (Culberson's iterated greedy, which
    never needs more colours than before).

    Args:
        indices: particles of each constraint, shape (constraints, n).
        particle_count: number of particles.

    Returns:
        Colours, shape (constraints,), int32, 0 … colours − 1, without gaps.

    Raises:
        ValueError: an index is out of range.

    Source: Gebremedhin & Manne 2000, "Scalable parallel graph coloring algorithms"; Culberson 1992, "Iterated greedy
    graph coloring and the difficulty landscape".
    """
    indices = np.asarray(indices)
    if indices.size and (indices.min() < 0 or indices.max() >= particle_count):
        raise ValueError("a constraint names a particle that does not exist")
    colours = np.full(len(indices), -1, dtype=np.int32)
    remaining = np.arange(len(indices), dtype=np.int32)
    base = 0
    while len(remaining):
        _colour_window(indices, particle_count, remaining, base, colours)
        remaining = remaining[colours[remaining] < 0]
        base += WINDOW
    if base == WINDOW:
        for _ in range(IMPROVEMENT_PASSES):
            colours = _recolour(indices, particle_count, colours)
    return _without_gaps(colours)


def colour_order(colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order that puts constraints of one colour together, and where each colour begins.

    Args:
        colours: shape (constraints,), 0 … colours − 1.

    Returns:
        ``order``, shape (constraints,), int32: constraints by colour, in the order of the input within a colour.
        ``offsets``, shape (colours + 1,), int32: colour i is ``order[offsets[i]:offsets[i + 1]]``.
    """
    colours = np.asarray(colours)
    counts = np.bincount(colours) if len(colours) else np.zeros(0, dtype=np.int64)
    # NumPy sorts 16-bit integers by radix, several times faster.
    keys = colours.astype(np.uint16) if len(counts) <= 0xFFFF else colours
    order = np.argsort(keys, kind="stable").astype(np.int32)
    return order, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _colour_window(
    indices: np.ndarray, particle_count: int, remaining: np.ndarray, base: int, colours: np.ndarray
) -> None:
    """Give colours base … base + WINDOW − 1 to as many of the remaining constraints as they suffice for."""
    used = np.zeros(particle_count, dtype=np.uint64)
    degree = min(_greatest_degree(indices, remaining, particle_count), WINDOW)
    owner = np.zeros((particle_count, degree), dtype=np.int32)
    draw = 0
    while len(remaining):
        drawn = _draw(indices, remaining, used, degree, draw)
        is_open = drawn != NONE_FREE
        if not is_open.all():
            remaining, drawn = remaining[is_open], drawn[is_open]
        if (width := int(drawn.max(initial=0)) + 1) > owner.shape[1]:
            owner = np.zeros((particle_count, width), dtype=np.int32)
        # The last of those that write to one place stays; so the last of all stays everywhere, and every round
        # colours at least one.
        for part in chunks(len(remaining)):
            mine = remaining[part]
            owner[indices[mine], drawn[part, None]] = mine[:, None]
        lost = np.zeros(len(remaining), dtype=bool)
        for part in chunks(len(remaining)):
            mine, colour = remaining[part], drawn[part]
            particles = indices[mine]
            won = (owner[particles, colour[:, None]] == mine[:, None]).all(axis=1)
            _mark(used, particles[won], colour[won])
            colours[mine[won]] = base + colour[won].astype(np.int32)
            lost[part] = ~won
        remaining = remaining[lost]
        draw += 1


def _greatest_degree(indices: np.ndarray, remaining: np.ndarray, particle_count: int) -> int:
    """How many of the remaining constraints come together at a particle, at most; at least 1."""
    degrees = np.zeros(particle_count, dtype=np.int64)
    for column in range(indices.shape[1]):
        degrees += np.bincount(indices[remaining, column], minlength=particle_count)
    return max(int(degrees.max(initial=0)), 1)


def _draw(indices: np.ndarray, remaining: np.ndarray, used: np.ndarray, degree: int, draw: int) -> np.ndarray:
    """A free colour for each constraint, shape (remaining,), uint8, or NONE_FREE."""
    drawn = np.empty(len(remaining), dtype=np.uint8)
    palette = _low_bits(degree)
    for part in chunks(len(remaining)):
        mine = remaining[part]
        taken = _masks(used, indices[mine])
        free = ~taken & palette
        # Where the small palette is used up, any colour of the window will do.
        free = np.where(free == 0, ~taken, free)
        colour = _lowest_bit_from(free, _hash(mine, draw) % np.uint64(degree))
        drawn[part] = np.where(free == 0, NONE_FREE, colour)
    return drawn


def _recolour(indices: np.ndarray, particle_count: int, colours: np.ndarray) -> np.ndarray:
    """First-fit over the colours, last first: constraints of one colour cannot get in each other's way."""
    order, offsets = colour_order(colours)
    used = np.zeros(particle_count, dtype=np.uint64)
    improved = np.empty_like(colours)
    for colour in range(len(offsets) - 2, -1, -1):
        members = order[offsets[colour] : offsets[colour + 1]]
        particles = indices[members]
        lowest = _lowest_bit_from(~_masks(used, particles), np.zeros(1, dtype=np.uint64))
        bits = np.uint64(1) << lowest.astype(np.uint64)
        for column in particles.T:
            used[column] |= bits
        improved[members] = lowest
    return improved


def _masks(used: np.ndarray, particles: np.ndarray) -> np.ndarray:
    """Colours in use at any particle of each constraint, as bits."""
    masks = used[particles[:, 0]]
    for column in range(1, particles.shape[1]):
        masks |= used[particles[:, column]]
    return masks


def _mark(used: np.ndarray, particles: np.ndarray, colour: np.ndarray) -> None:
    """Note one colour per constraint as used at its particles; no colour may come twice at a particle."""
    bits = np.uint64(1) << colour.astype(np.uint64)
    # A particle may win several colours in one round, so the bits are summed. Each comes once, so sum is or; a
    # constraint that names a particle twice has marked it the second time.
    for column in particles.T:
        np.add.at(used, column, bits & ~used[column])


def _lowest_bit_from(masks: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Number of the first set bit at or after bit ``turn``, going round; the masks may not be 0."""
    back = (np.uint64(64) - turn) & np.uint64(63)
    turned = (masks >> turn) | (masks << back)
    lowest = turned & (~turned + np.uint64(1))
    # frexp of a power of two is exact: 2^k = 0.5 · 2^(k + 1).
    bit = np.frexp(lowest.astype(np.float64))[1] - 1
    return (bit + turn.astype(np.int64)) & 63


def _low_bits(count: int) -> np.uint64:
    """A mask of the lowest bits."""
    return np.uint64((1 << count) - 1)


def _hash(numbers: np.ndarray, draw: int) -> np.ndarray:
    """Well-mixed uint64 of constraint numbers and the number of the draw (SplitMix64's finaliser)."""
    with np.errstate(over="ignore"):
        mixed = (numbers.astype(np.uint64) + np.uint64((draw + 1) * 0x1000003)) * MIXING_FACTORS[0]
        mixed = (mixed ^ (mixed >> np.uint64(30))) * MIXING_FACTORS[1]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * MIXING_FACTORS[2]
    return mixed ^ (mixed >> np.uint64(31))


def _without_gaps(colours: np.ndarray) -> np.ndarray:
    """Number the colours that occur 0, 1, 2, … in their order."""
    occurs = np.bincount(colours, minlength=1) > 0 if len(colours) else np.zeros(1, dtype=bool)
    return (np.cumsum(occurs) - 1).astype(np.int32)[colours]
