# SPDX-License-Identifier: GPL-3.0-or-later
"""A body as particles and constraints: what cloth and jelly are made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..constraints.attachment import pin_compliance
from ..constraints.constraint import ConstraintBlock
from ..constraints.dihedral_bending import build_dihedral_bending, hinge_compliance
from ..constraints.distance import build_distance, network_compliance
from ..constraints.tetrahedron_volume import build_tetrahedron_volume
from ..geometry.masses import surface_masses, tetrahedron_masses
from ..geometry.mesh_checks import check_mesh
from ..geometry.tetrahedra import signed_volumes, tetrahedron_edges
from ..geometry.topology import bending_pairs, face_diagonals, hinges, unique_edges
from ..scene.material import Material
from ..scene.material_parameters import CLOTH
from ..scene.scene import Body
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .tetrahedralization import tetrahedralized

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# stiffness that a cell of the cage keeps however little of the body it holds, so that it cannot fold up
MINIMUM_FILL = 0.1


def build_body(body: Body, settings: SolverSettings) -> BodyModel:
    """Make particles and constraints.

    Raises:
        XpbdError: E_GEOM_* or E_TET_*, for a mesh that cannot be simulated.
    """
    return _build_cloth(body, settings) if body.role == CLOTH else _build_jelly(body, settings)


def last_parameter(settings: SolverSettings, compliance: Floats | float, pbd_stiffness: float) -> Floats | float:
    """What the last parameter of a constraint holds: its compliance, or in PBD mode k' = 1 − (1 − k)^(1/n).

    The correction makes the stiffness per substep independent of the n iterations (PBD 2007, §3.3).
    """
    if settings.solver_mode == "PBD":
        return 1.0 - (1.0 - pbd_stiffness) ** (1.0 / settings.iterations)
    return compliance


def _build_cloth(body: Body, settings: SolverSettings) -> BodyModel:
    triangles, notices = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
    material, positions = body.material, body.positions
    edges = unique_edges(body.face_sizes, body.corners)
    diagonals = face_diagonals(body.face_sizes, body.corners)
    pairs = np.concatenate([edges, diagonals])
    blocks = [
        *_cloth_bending(body, triangles, settings),
        build_distance(positions, pairs, _cloth_compliance(body, edges, diagonals, settings)),
    ]
    masses = surface_masses(positions, triangles, material.area_density)
    pin_weights = np.zeros(len(positions))
    pin_weights[body.pins.vertices] = body.pins.weights
    own = np.arange(len(positions), dtype=np.int32)
    return BodyModel(
        body=body,
        positions=positions,
        masses=masses,
        blocks=tuple(block for block in blocks if len(block)),
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1)),
        pin_weights=pin_weights,
        edges=edges,
        notices=tuple(notices),
    )


def _cloth_compliance(body: Body, edges: Ints, diagonals: Ints, settings: SolverSettings) -> Floats:
    """Of edges, then diagonals [m/N], so that the network has the stretch stiffness of the cloth."""
    material, pairs = body.material, np.concatenate([edges, diagonals])
    if material.stiffness_input == "COMPLIANCE" or settings.solver_mode == "PBD":
        value = last_parameter(settings, material.stretch_compliance, material.pbd_stretch_stiffness)
        return np.broadcast_to(np.asarray(value, np.float64), len(pairs))
    lengths = np.linalg.norm(body.positions[pairs[:, 0]] - body.positions[pairs[:, 1]], axis=1)
    shares = polygon_shares(body.positions, body.face_sizes, body.corners, pairs)
    return network_compliance(lengths, shares, material.stretch_stiffness, 2)


def polygon_shares(positions: Floats, face_sizes: Ints, corners: Ints, pairs: Ints) -> Floats:
    """The area that each edge and diagonal stands for [m²]; the shares of a polygon sum up to its area.

    A diagonal takes twice the share of an edge, which has another one from the polygon across: so the four
    directions of a grid of quads weigh the same, which makes the network isotropic.
    """
    key = _pair_keys(pairs, len(positions))
    order = np.argsort(key)
    shares = np.zeros(len(pairs))
    starts = np.concatenate([[0], np.cumsum(face_sizes)[:-1]])
    for size in np.unique(face_sizes):
        polygons = corners[starts[face_sizes == size][:, None] + np.arange(size)]
        areas = _polygon_areas(positions, polygons)
        sides = [(polygons[:, k], polygons[:, (k + 1) % size], 0.5) for k in range(size)]
        if size == 4:
            sides += [(polygons[:, k], polygons[:, k + 2], 1.0) for k in range(2)]
        elif size > 4:
            sides += [(polygons[:, k], polygons[:, (k + 2) % size], 1.0) for k in range(size)]
        total = sum(weight for _, _, weight in sides)
        for first, second, weight in sides:
            wanted = _pair_keys(np.stack([first, second], axis=1), len(positions))
            slot = np.minimum(np.searchsorted(key[order], wanted), len(key) - 1)
            found = key[order[slot]] == wanted
            np.add.at(shares, order[slot[found]], (areas * weight / total)[found])
    return np.maximum(shares, shares.max(initial=0.0) * 1e-6)


def _pair_keys(pairs: Ints, count: int) -> npt.NDArray[np.int64]:
    low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
    keys: npt.NDArray[np.int64] = low.astype(np.int64) * count + high
    return keys


def _polygon_areas(positions: Floats, polygons: Ints) -> Floats:
    corners = positions[polygons]
    relative = corners - corners[:, :1]
    areas: Floats = np.linalg.norm(np.cross(relative[:, 1:-1], relative[:, 2:]).sum(axis=1), axis=1) / 2.0
    return areas


def _cloth_bending(body: Body, triangles: Ints, settings: SolverSettings) -> list[ConstraintBlock]:
    material: Material = body.material
    direct = material.stiffness_input == "COMPLIANCE" or settings.solver_mode == "PBD"
    if material.bending_model == "NONE" or (not direct and material.bending_stiffness == 0.0):
        return []
    given = last_parameter(settings, material.bending_compliance, material.pbd_bending_stiffness)
    if material.bending_model == "DISTANCE":
        pairs = bending_pairs(body.face_sizes, body.corners)
        if direct:
            return [build_distance(body.positions, pairs, given)]
        lengths = np.linalg.norm(body.positions[pairs[:, 0]] - body.positions[pairs[:, 1]], axis=1)
        return [build_distance(body.positions, pairs, lengths**2 / (12.0 * material.bending_stiffness))]
    folds = hinges(triangles)
    compliance = given if direct else hinge_compliance(body.positions, folds, material.bending_stiffness)
    return [build_dihedral_bending(body.positions, folds, compliance)]


def _build_jelly(body: Body, settings: SolverSettings) -> BodyModel:
    triangles, notices = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
    mesh = tetrahedralized(body, triangles)
    material = body.material
    edges = tetrahedron_edges(mesh.tetrahedra)
    stretch: Floats | float
    if material.stiffness_input == "COMPLIANCE" or settings.solver_mode == "PBD":
        stretch = last_parameter(settings, material.stretch_compliance, material.pbd_stretch_stiffness)
        volume = last_parameter(settings, material.volume_compliance, material.pbd_volume_stiffness)
    else:
        lengths = np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)
        shares = tetrahedron_shares(mesh.vertices, mesh.tetrahedra, np.maximum(mesh.fill, MINIMUM_FILL), edges)
        stretch = network_compliance(lengths, shares, material.youngs_modulus, 3)
        volume = 0.0
    pin_weights = np.zeros(len(mesh.vertices))
    pinned = body.pins.vertices
    np.maximum.at(pin_weights, mesh.elements[pinned].ravel(), np.repeat(body.pins.weights.astype(np.float64), 4))
    return BodyModel(
        body=body,
        positions=mesh.vertices,
        masses=tetrahedron_masses(mesh.vertices, mesh.tetrahedra, material.density, mesh.fill),
        blocks=(
            build_distance(mesh.vertices, edges, stretch),
            build_tetrahedron_volume(mesh.vertices, mesh.tetrahedra, float(volume)),
        ),
        elements=mesh.elements,
        weights=mesh.weights,
        pin_weights=pin_weights,
        edges=edges,
        tetrahedra=mesh.tetrahedra,
        notices=(*notices, *mesh.notices),
    )


def tetrahedron_shares(vertices: Floats, tetrahedra: Ints, fill: Floats, edges: Ints) -> Floats:
    """The filled volume that each edge stands for [m³]; the shares of a tetrahedron sum up to its volume.

    They go by the squared lengths, so that all edges of a tetrahedron are springs of one stiffness. That makes the
    body-centred cubic lattice isotropic: its <100> edges get 2/5 and its <111> edges 3/5 of the volume.
    """
    key = _pair_keys(edges, len(vertices))
    order = np.argsort(key)
    volumes = signed_volumes(vertices, tetrahedra) * fill
    pairs = [(i, j) for i in range(4) for j in range(i)]
    squares = np.stack([((vertices[tetrahedra[:, i]] - vertices[tetrahedra[:, j]]) ** 2).sum(axis=1) for i, j in pairs])
    parts = volumes * squares / np.maximum(squares.sum(axis=0), 1e-300)
    shares = np.zeros(len(edges))
    for (i, j), part in zip(pairs, parts, strict=True):
        wanted = _pair_keys(tetrahedra[:, [i, j]], len(vertices))
        np.add.at(shares, order[np.searchsorted(key, wanted, sorter=order)], part)
    return shares


def soft_pin_compliance(model: BodyModel, particles: Ints, settings: SolverSettings) -> Floats:
    """Last parameter of the attachments of softly pinned particles, shape (particles,)."""
    weights = model.pin_weights[particles]
    if settings.solver_mode == "PBD":
        return 1.0 - (1.0 - weights) ** (1.0 / settings.iterations)
    return pin_compliance(weights.astype(np.float32), model.masses[particles], model.body.material.pin_frequency)
