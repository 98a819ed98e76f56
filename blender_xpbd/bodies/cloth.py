# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth: its vertices are particles, its edges and faces constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..constraints.bending.dihedral_bending import build_dihedral_bending, free_shares, hinge_compliance
from ..constraints.bending.isometric_bending import build_isometric_bending, isometric_compliance
from ..constraints.constraint import ConstraintBlock
from ..constraints.diagonal import COMPRESSION_SHARE, build_diagonals
from ..constraints.distance import build_distance, network_compliance
from ..constraints.enclosed_volume import build_enclosed_volume, build_gas, fullness
from ..constraints.membrane import build_membrane, warp_directions_from_uv
from ..constraints.stitch import build_stitch
from ..constraints.strain_limit import build_strain_limit
from ..constraints.two_sided_distance import build_tethers, build_two_sided_distance
from ..geometry.levels.tethers import surface_paths, tethers
from ..geometry.solid.masses import surface_masses
from ..geometry.surface.mesh_checks import check_mesh
from ..geometry.surface.surface_binding import bind_to_triangles
from ..geometry.surface.topology import bending_pairs, face_diagonals, hinges, pair_keys, unique_edges
from ..scene.body import Body
from ..scene.body_kinds import sewn_edges
from ..scene.errors import XpbdError
from ..scene.gas import has_pressure, pressure_notices
from ..scene.settings import SolverSettings
from .body_model import BodyModel, followed, is_direct, last_parameter, scaled_parameter
from .cloth_hierarchy import cloth_hierarchy
from .cloth_plate import Mask, cloth_plate
from .followers import FOLLOWER_SHARE, find_followers, follower_links
from .fringe import build_fringe
from .shape import build_shape
from .shares import polygon_shares
from .spring_calibration import calibrated, solid_of_triangles
from .vertex_factors import constraint_factors, vertex_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# coupling of warp and weft: typical of woven fabric
MEMBRANE_POISSONS_RATIO = 0.3
# how fast loose edges close; chosen by hand, so that a seam does not snap shut in a frame [m/s]
STITCH_SPEED = 1.0
# layers of springs: those that bend and tethers first, then diagonals, edges and limits. Diagonals of quads are a type
# of their own, which comes before all. What comes last holds best, and stretched edges show, where a fold that opens a
# little later does not (docs/experiments.md, Coarse levels of cloth)
DIAGONALS, EDGES, LIMITS = 1, 2, 3


def build_cloth(body: Body, settings: SolverSettings) -> BodyModel:
    """Make particles and constraints.

    Raises:
        XpbdError: E_GEOM_*, for a mesh that cannot be simulated; E_PARAM for pressure in an open mesh.
    """
    triangles, notices = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
    count, material = body.vertex_count, body.material
    density = vertex_factors(body, "density")
    edges = unique_edges(body.face_sizes, body.corners)
    masses = surface_masses(body.positions, triangles, material.area_density)
    area, is_follower = float(masses.sum()) / material.area_density, find_followers(edges, masses)
    masses[is_follower] = FOLLOWER_SHARE * masses[masses > 0.0].mean()
    masses = masses if density is None else masses * np.maximum(density, 1e-3)
    pin_weights = np.zeros(count)
    pin_weights[body.pins.vertices] = body.pins.weights
    fixed = pin_weights >= 1.0
    fringe = build_fringe(body, pin_weights, settings)
    own_edges = edges[~is_follower[edges].any(axis=1)] if is_follower.any() else edges
    membrane = _membrane(body, triangles, own_edges, settings)
    inside = _inside(body, triangles, settings)
    filled = inside if has_pressure(body) else []
    folds = hinges(triangles)
    plate, is_hinged = cloth_plate(body, triangles, folds, fixed, settings)
    blocks = [
        *_bending(body, folds[is_hinged], fixed, settings),
        *membrane,
        *follower_links(body, edges, is_follower, area, EDGES, settings),
        *_limits(body, edges, settings),
        *_tethers(body, triangles, pin_weights, settings),
        *inside,
        *build_shape(body, body.positions, masses, edges, settings),
    ]
    own = np.arange(count, dtype=np.int32)
    damping, friction = vertex_factors(body, "damping"), vertex_factors(body, "friction")
    return BodyModel(
        body=body,
        positions=body.positions,
        masses=masses + fringe.masses,
        blocks=tuple(block for block in blocks if len(block)),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        pin_weights=pin_weights,
        edges=np.concatenate([edges, fringe.edges]),
        damping_times=material.damping_time * (np.ones(count) if damping is None else damping),
        frictions=np.zeros(0) if friction is None else material.friction * friction,
        hierarchy=cloth_hierarchy(body, triangles, masses, pin_weights, membrane, settings),
        plate=plate,
        rods=fringe.rods,
        orientations=fringe.orientations,
        notices=(
            *fringe.notices(body, tuple(notices)),
            *pressure_notices(body, (float(share) for block in filled for share in fullness(body.positions, block))),
        ),
    )


def _membrane(body: Body, triangles: Ints, edges: Ints, settings: SolverSettings) -> list[ConstraintBlock]:
    material, positions = body.material, body.positions
    factors = vertex_factors(body, "stiffness")
    if material.membrane_model == "SPRINGS" or is_direct(body, settings):
        return _springs(body, triangles, edges, factors, settings)
    woven = material.membrane_model == "ORTHOTROPIC"
    share = constraint_factors(factors, triangles)
    sheet = build_membrane(
        positions,
        triangles,
        share * (material.warp_stiffness if woven else material.stretch_stiffness),
        share * (material.weft_stiffness if woven else material.stretch_stiffness),
        share * material.shear_stiffness if woven else None,
        MEMBRANE_POISSONS_RATIO,
        warp_directions(body, triangles) if woven else None,
    )
    follows = ("warp_stiffness", "weft_stiffness", "shear_stiffness") if woven else ("stretch_stiffness",)
    return [replace(sheet, follows=follows, yields=True)]


def _limits(body: Body, edges: Ints, settings: SolverSettings) -> list[ConstraintBlock]:
    material, blocks = body.material, []
    if material.greatest_stretch > 0.0:
        rigid = last_parameter(settings, 0.0, 1.0)
        limit = build_strain_limit(body.positions, edges, material.greatest_stretch / 100.0, rigid)
        blocks.append(replace(limit, layer=LIMITS, follows=("greatest_stretch",)))
    if len(seams := sewn_edges(body)):
        blocks.append(build_stitch(seams, STITCH_SPEED, compliance=last_parameter(settings, 0.0, 1.0)))
    return blocks


def _springs(
    body: Body, triangles: Ints, edges: Ints, factors: Floats | None, settings: SolverSettings
) -> list[ConstraintBlock]:
    material, positions = body.material, body.positions
    quads, others = _diagonals(body)
    pairs = np.concatenate([edges, quads, others])
    share = constraint_factors(factors, pairs)
    if is_direct(body, settings):
        given = scaled_parameter(settings, material.stretch_compliance, material.pbd_stretch_stiffness, share)
        compliance = np.full(len(pairs), given)
    else:
        lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
        shares = polygon_shares(positions, body.face_sizes, body.corners, pairs)
        if (body.face_sizes != 4).any():
            # both diagonals make each quad isotropic by itself
            shares = calibrated(positions, pairs, shares, solid_of_triangles(positions, triangles))
        compliance = network_compliance(lengths, shares, material.stretch_stiffness, 2)
        compliance = compliance / share
    compression = material.compression_share if settings.solver_mode == "XPBD" else 1.0
    follows = followed(body, settings, "stretch_stiffness", "stretch_compliance")
    if compression < 1.0:
        follows = (*follows, "compression_share")
    first, last = len(edges), len(edges) + len(quads)
    are_soft = not is_direct(body, settings)
    ranges = (
        (DIAGONALS, slice(first, last), are_soft),
        (DIAGONALS, slice(last, None), False),
        (EDGES, slice(first), False),
    )
    return [
        replace(
            _held(positions, pairs[rows], compliance[rows], compression, is_soft),
            layer=layer,
            follows=follows,
            yields=True,
        )
        for layer, rows, is_soft in ranges
    ]


def _diagonals(body: Body) -> tuple[Ints, Ints]:
    """Pairs of corners across a quad, and those of other polygons."""
    diagonals = face_diagonals(body.face_sizes, body.corners)
    is_quad = body.face_sizes == 4
    if is_quad.all():
        return diagonals, diagonals[:0]
    own = face_diagonals(body.face_sizes[is_quad], body.corners[np.repeat(is_quad, body.face_sizes)])
    of_quads = np.isin(pair_keys(*diagonals.T), pair_keys(*own.T))
    return diagonals[of_quads], diagonals[~of_quads]


def _held(
    positions: Floats, pairs: Ints, compliance: Floats, compression_share: float, are_soft: bool
) -> ConstraintBlock:
    """Springs that resist compression by a share of what they resist tension, of soft ones another share."""
    if compression_share >= 1.0:
        return (build_diagonals if are_soft else build_distance)(positions, pairs, compliance)
    if are_soft:
        compression_share *= COMPRESSION_SHARE
    with np.errstate(divide="ignore"):
        compression = np.where(compliance > 0.0, compliance, 1e-12) / compression_share
    return build_two_sided_distance(positions, pairs, compliance, compression)


def _bending(body: Body, folds: Ints, fixed: Mask, settings: SolverSettings) -> list[ConstraintBlock]:
    """The constraints of folds, as far as these do not bend as plates."""
    follows = followed(body, settings, "bending_stiffness", "bending_compliance")
    is_angle = body.material.bending_model == "DIHEDRAL"
    return [replace(block, follows=follows, yields=is_angle) for block in _bending_blocks(body, folds, fixed, settings)]


def _bending_blocks(body: Body, folds: Ints, fixed: Mask, settings: SolverSettings) -> list[ConstraintBlock]:
    material, positions = body.material, body.positions
    direct = is_direct(body, settings)
    if material.bending_model == "NONE" or (not direct and material.bending_stiffness == 0.0):
        return []
    factors = vertex_factors(body, "bending")

    def given(share: Floats | float) -> Floats | float:
        return scaled_parameter(settings, material.bending_compliance, material.pbd_bending_stiffness, share)

    if material.bending_model == "DISTANCE":
        pairs = bending_pairs(body.face_sizes, body.corners)
        share = constraint_factors(factors, pairs)
        if direct:
            return [build_distance(positions, pairs, given(share))]
        lengths = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
        return [build_distance(positions, pairs, lengths**2 / (12.0 * material.bending_stiffness * share))]
    share = constraint_factors(factors, folds)
    bends = material.bending_stiffness * share / free_shares(positions, folds, fixed)
    if material.bending_model == "ISOMETRIC":
        parameter = _isometric_parameter(body, folds, bends, given(share), settings)
        return [build_isometric_bending(positions, folds, parameter)]
    compliance = given(share) if direct else hinge_compliance(positions, folds, bends)
    rest_angles: Literal["flat"] | None = "flat" if material.rest_angle == "FLAT" else None
    return [build_dihedral_bending(positions, folds, compliance, rest_angles)]


def _isometric_parameter(
    body: Body, folds: Ints, bending_stiffness: Floats | float, given: Floats | float, settings: SolverSettings
) -> Floats | float:
    if settings.solver_mode == "PBD":
        return given
    if not is_direct(body, settings):
        return isometric_compliance(body.positions, folds, bending_stiffness)
    # given for the angle, as for dihedral bending
    squared_lengths: Floats = ((body.positions[folds[:, 1]] - body.positions[folds[:, 0]]) ** 2).sum(axis=1)
    return given * squared_lengths


def _tethers(body: Body, triangles: Ints, pin_weights: Floats, settings: SolverSettings) -> list[ConstraintBlock]:
    fixed = np.flatnonzero(pin_weights >= 1.0).astype(np.int32)
    if not body.material.use_tethers or len(fixed) == 0:
        return []
    # quads cut along both diagonals, so that ways are good in every direction
    ways, lengths = surface_paths(body.positions, triangles, other_triangulation(body))
    free = np.flatnonzero(pin_weights < 1.0).astype(np.int32)
    pairs, reaches = tethers(body.positions, ways, lengths, fixed, free)
    rigid = last_parameter(settings, 0.0, 1.0)
    return [build_tethers(pairs, reaches, body.material.tether_slack, rigid).following("tether_slack")]


def _inside(body: Body, triangles: Ints, settings: SolverSettings) -> list[ConstraintBlock]:
    material, positions = body.material, body.positions
    factors = vertex_factors(body, "pressure")
    is_pbd = settings.solver_mode == "PBD"
    try:
        if material.pressure_model == "VOLUME":
            rigid = last_parameter(settings, 0.0, 1.0)
            volume = build_enclosed_volume(positions, triangles, material.volume_ratio, rigid, factors)
            return [volume.following("volume_ratio")]
        if material.pressure_model == "GAS":
            share = 1.0 if is_pbd else None
            gas = build_gas(positions, triangles, material.pressure, pbd_stiffness=share, factors=factors)
            return [gas if is_pbd else gas.following("pressure")]
    except ValueError as error:
        advice = f"The mesh cannot be filled: {error}. Close it, or set Filled With to Nothing."
        raise XpbdError("E_PARAM", advice, body.name) from error
    return []


def bind_to_cloth(model: BodyModel, points: Floats) -> tuple[Ints, Floats]:
    """The corners of the nearest triangles and their weights, as ``SolverKind.bind``."""
    body = model.body
    triangles, _ = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
    found, shares = bind_to_triangles(points, model.positions, triangles)
    corners = triangles[found]
    # a fourth particle that does not count
    return np.concatenate([corners, corners[:, :1]], axis=1), np.pad(shares, ((0, 0), (0, 1)))


def other_triangulation(body: Body) -> Ints:
    """Triangles of the quads, cut along the diagonal that the fan from the first corner does not take."""
    starts = np.cumsum(body.face_sizes) - body.face_sizes
    quads = body.corners[starts[body.face_sizes == 4][:, None] + np.arange(4)]
    return np.concatenate([quads[:, [1, 2, 3]], quads[:, [1, 3, 0]]])


def warp_directions(body: Body, triangles: Ints) -> Floats | None:
    """Direction of U in the world on each triangle, shape (triangles, 3); None without a UV map."""
    if len(body.uvs) == 0:
        return None
    # of each vertex the UV of the last corner that has it: a seam turns the warp of the triangles beside it
    uvs = np.zeros((body.vertex_count, 2))
    uvs[body.corners] = body.uvs
    return warp_directions_from_uv(body.positions, triangles, uvs[triangles])
