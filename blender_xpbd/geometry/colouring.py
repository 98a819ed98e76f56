# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of constraints: sets that share no particle and may be projected in any order."""

from __future__ import annotations

import numpy as np

# Colours are tried in windows of as many as a particle's bit mask holds.
WINDOW = 64
IMPROVEMENT_PASSES = 4
MULTIPLIERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


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
    indices = np.asarray(indices, dtype=np.int64)
    if indices.size and (indices.min() < 0 or indices.max() >= particle_count):
        raise ValueError("a constraint names a particle that does not exist")
    colours = np.full(len(indices), -1, dtype=np.int32)
    remaining = np.arange(len(indices))
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
    owner = np.zeros(particle_count * WINDOW, dtype=np.int32)
    degree = int(np.bincount(indices[remaining].reshape(-1), minlength=1).max())
    palette = _low_bits(min(degree, WINDOW))
    draw = 0
    while len(remaining):
        particles = indices[remaining]
        taken = _masks(used, particles)
        free = ~taken & palette
        # Where the small palette is used up, any colour of the window will do.
        free = np.where(free == 0, ~taken, free)
        open_ = free != 0
        remaining, particles, free = remaining[open_], particles[open_], free[open_]
        turn = _hash(remaining, draw) % np.uint64(max(min(degree, WINDOW), 1))
        colour = _lowest_bit_from(free, turn)
        # The last of those that write to one place stays; so the last of all stays everywhere, and every round
        # colours at least one.
        slots = particles * WINDOW + colour[:, None]
        owner[slots] = remaining[:, None]
        won = (owner[slots] == remaining[:, None]).all(axis=1)
        _mark(used, particles[won], colour[won])
        colours[remaining[won]] = base + colour[won]
        remaining = remaining[~won]
        draw += 1


def _recolour(indices: np.ndarray, particle_count: int, colours: np.ndarray) -> np.ndarray:
    """First-fit over the colours, last first: constraints of one colour cannot get in each other's way."""
    order, offsets = colour_order(colours)
    used = np.zeros(particle_count, dtype=np.uint64)
    improved = np.empty_like(colours)
    for colour in range(len(offsets) - 2, -1, -1):
        members = order[offsets[colour] : offsets[colour + 1]]
        particles = indices[members]
        lowest = _lowest_bit_from(~_masks(used, particles), np.zeros(1, dtype=np.uint64))
        _mark(used, particles, lowest)
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
    # A particle may lose or win several colours in one round, so the bits are summed (each comes once: sum is or).
    for column in range(particles.shape[1]):
        if len(particles):
            _add_bits(used, particles[:, column], bits)


def _add_bits(used: np.ndarray, particles: np.ndarray, bits: np.ndarray) -> None:
    """used[particles] |= bits, where particles may repeat."""
    order = np.argsort(particles, kind="stable")
    ordered = particles[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    used[ordered[begins]] |= np.bitwise_or.reduceat(bits[order], begins)


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
        mixed = (numbers.astype(np.uint64) + np.uint64((draw + 1) * 0x1000003)) * MULTIPLIERS[0]
        mixed = (mixed ^ (mixed >> np.uint64(30))) * MULTIPLIERS[1]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * MULTIPLIERS[2]
    return mixed ^ (mixed >> np.uint64(31))


def _without_gaps(colours: np.ndarray) -> np.ndarray:
    """Number the colours that occur 0, 1, 2, … in their order."""
    occurs = np.bincount(colours, minlength=1) > 0 if len(colours) else np.zeros(1, dtype=bool)
    return (np.cumsum(occurs) - 1).astype(np.int32)[colours]
