# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands: their vertices are particles, each connected piece of their edges is an elastic rod."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..constraints.attachments.attachment import build_attachment
from ..geometry.surface.topology import unique_pairs
from ..scene.body import Body
from ..scene.errors import Notice, XpbdError
from ..scene.settings import SolverSettings
from .body_model import BodyModel, last_parameter
from .orientations import Orientations
from .pin_motion import Motion, least_squares_rotation
from .rods import Rods, Section, build_rods, least_turn, rotate
from .shape import build_shape
from .vertex_factors import vertex_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# a vertex that a group makes thinner than this share of the radius is this thick: what is thinner weighs nothing
LEAST_RADIUS = 0.05
# of the radius, how thick a strand is where bodies meet: pushes leave up to 0.3 % of it open
THICKNESS_SHARE = 2.01
# what the material of rods follows
FOLLOWED = ("youngs_modulus", "bending_share", "twist_stiffness")


def build_strand(body: Body, settings: SolverSettings) -> BodyModel:
    """Make particles and constraints.

    Raises:
        XpbdError: E_GEOM_EMPTY, where all edges are without length.
    """
    count, material, positions = body.vertex_count, body.material, body.positions
    every = unique_pairs(body.loose_edges)
    is_long = np.linalg.norm(positions[every[:, 0]] - positions[every[:, 1]], axis=1) > 0.0
    edges, joined = every[is_long], every[~is_long]
    if len(edges) == 0:
        raise XpbdError("E_GEOM_EMPTY", "All edges of the strand are without length.", body.name)
    radii = vertex_radii(body)
    section = Section(material.youngs_modulus, material.twist_stiffness, material.bending_share, material.density)
    pin_weights = np.zeros(count)
    pin_weights[body.pins.vertices] = body.pins.weights
    masses = rod_masses(positions, edges, radii, section.density)
    density = vertex_factors(body, "density")
    masses = masses if density is None else masses * np.maximum(density, 1e-3)
    rods = build_rods(positions, edges, radii, section, pin_weights >= 1.0, straight=material.rest_angle == "FLAT")
    rods, places = with_directors(replace(rods, follows=FOLLOWED), positions, radii, pin_weights >= 1.0)
    whole = np.concatenate([positions, places])
    rigid = np.full(len(joined), last_parameter(settings, 0.0, 1.0))
    blocks = [build_attachment(joined, rigid), *build_shape(body, positions, masses, edges, settings)]
    own = np.arange(count, dtype=np.int32)
    damping, friction = vertex_factors(body, "damping"), vertex_factors(body, "friction")
    extra = len(places)
    times = material.damping_time * (np.ones(count) if damping is None else damping)
    return BodyModel(
        body=body,
        positions=whole,
        masses=np.concatenate([masses, np.zeros(extra)]),
        blocks=tuple(block for block in blocks if len(block)),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        pin_weights=np.concatenate([pin_weights, np.ones(extra)]),
        edges=edges,
        damping_times=np.concatenate([times, np.zeros(extra)]),
        frictions=np.zeros(0) if friction is None else material.friction * friction,
        gap=float(radii[edges].mean()),
        thickness_share=THICKNESS_SHARE,
        rods=rods,
        orientations=rod_orientations(rods),
        notices=_notices(body, edges),
    )


def vertex_radii(body: Body) -> Floats:
    """The radius of a strand at each vertex [m], shape (vertices,)."""
    factors = vertex_factors(body, "radius")
    shares = np.ones(body.vertex_count) if factors is None else np.maximum(factors, LEAST_RADIUS)
    return body.material.radius * shares


def rod_masses(positions: Floats, edges: Ints, radii: Floats, density: float) -> Floats:
    """Half of the mass of each edge at each of its ends [kg], shape (particles,)."""
    lengths = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1)
    halves = 0.5 * density * np.pi * radii[edges].mean(axis=1) ** 2 * lengths
    masses = np.bincount(edges.ravel(), np.repeat(halves, 2), len(positions))
    return np.asarray(masses, np.float64)


def with_directors(rods: Rods, positions: Floats, radii: Floats, fixed: npt.NDArray[np.bool_]) -> tuple[Rods, Floats]:
    """Rods with a further particle beside each clamped edge, which goes with the pins and tells how they twist it.

    Returns:
        The rods, and the places of these particles [m], shape (clamped edges, 3).
    """
    clamped = np.flatnonzero(fixed[rods.edges].all(axis=1))
    ways = positions[rods.edges[clamped, 1]] - positions[rods.edges[clamped, 0]]
    tangents = ways / rods.lengths[clamped, None]
    across = np.cross(tangents, np.eye(3)[np.abs(tangents).argmin(axis=1)])
    across *= (radii[rods.edges[clamped]].mean(axis=1) / np.linalg.norm(across, axis=1))[:, None]
    directors, directions = rods.directors.copy(), rods.directions.copy()
    directors[clamped] = len(positions) + np.arange(len(clamped))
    back = rods.rotations[clamped] * [1.0, -1.0, -1.0, -1.0]
    directions[clamped] = [rotate(q, v) for q, v in zip(back, across, strict=True)] if len(clamped) else across
    places = positions[rods.edges[clamped]].mean(axis=1) + across
    return replace(rods, directors=directors, directions=directions), places


def rod_orientations(rods: Rods) -> Orientations:
    """Those of the edges, which the rods alone turn."""
    count = len(rods.edges)
    return Orientations(rods.rotations, np.zeros(count), np.zeros((count, 3)))


def place_strand_pins(model: BodyModel, vertices: Ints, particles: Ints) -> Motion:
    """Held vertices are where they are; what tells how clamped edges are turned goes with all of them.

    Arguments as of ``pin_motion.match_pins``.
    """
    directors = particles[particles >= model.body.vertex_count]
    rods = model.rods
    edge_of = np.full(len(model.positions), -1)
    if rods is not None:
        clamped = np.flatnonzero(rods.directors >= 0)
        edge_of[rods.directors[clamped]] = clamped

    def place(target: Floats) -> Floats:
        now = model.positions.copy()
        now[vertices] = target
        if len(directors) and rods is not None:
            ends = rods.edges[edge_of[directors]]
            rest, moved = (places[ends[:, 1]] - places[ends[:, 0]] for places in (model.positions, now))
            across = model.positions[directors] - model.positions[ends].mean(axis=1)
            turn = _pin_rotation(model.positions[vertices], target)
            now[directors] = now[ends].mean(axis=1) + turned_alike(across @ turn.T, rest @ turn.T, moved)
        placed: Floats = now[particles]
        return placed

    return place


def _pin_rotation(rest: Floats, target: Floats) -> Floats:
    """How pins turn; where they lie in a line, they do not tell how it is turned about itself."""
    spread = rest - rest.mean(axis=0)
    extents = np.linalg.svd(spread, compute_uv=False)
    if len(extents) < 2 or extents[1] <= 1e-6 * extents[0]:
        return np.eye(3)
    return least_squares_rotation(spread, target - target.mean(axis=0))


def turned_alike(vectors: Floats, old: Floats, new: Floats) -> Floats:
    """Vectors turned by the least rotations that take directions to others, all of shape (vectors, 3)."""
    turned = vectors.copy()
    for number, (a, b) in enumerate(zip(old, new, strict=True)):
        size = np.linalg.norm(a) * np.linalg.norm(b)
        if size > 0.0:
            turned[number] = rotate(least_turn(a / np.linalg.norm(a), b / np.linalg.norm(b)), vectors[number])
    return turned


def bind_to_strand(model: BodyModel, points: Floats) -> tuple[Ints, Floats]:
    """The ends of the nearest edges and their weights, as ``SolverKind.bind``."""
    tails, heads = (model.positions[model.edges[:, end]] for end in range(2))
    ways = heads - tails
    squares = (ways**2).sum(axis=1)
    elements, weights = np.zeros((len(points), 4), np.int32), np.zeros((len(points), 4))
    for number, point in enumerate(points):
        shares = np.clip(((point - tails) * ways).sum(axis=1) / squares, 0.0, 1.0)
        nearest = int(((tails + shares[:, None] * ways - point) ** 2).sum(axis=1).argmin())
        elements[number] = model.edges[nearest][[0, 1, 0, 0]]
        weights[number, :2] = 1.0 - shares[nearest], shares[nearest]
    return elements, weights


def _notices(body: Body, edges: Ints) -> tuple[Notice, ...]:
    loose = body.vertex_count - len(np.unique(edges))
    if loose == 0:
        return ()
    text = f"{loose} vertices have no edges with a length; they stay where they are."
    return (Notice("W_GEOM_LOOSE", text, body.name),)
