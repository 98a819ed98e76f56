# SPDX-License-Identifier: GPL-3.0-or-later
"""Jelly: tetrahedra are its substance, its mesh is embedded in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..constraints.constraint import ConstraintBlock
from ..constraints.corotated import COROTATED, build_corotated
from ..constraints.deferred import DeferredBlock
from ..constraints.distance import build_distance, network_compliance
from ..constraints.neo_hookean import NEO_HOOKEAN, build_neo_hookean
from ..constraints.neo_hookean_single import STILL_RATE
from ..constraints.tetrahedron_element import lame_parameters, solid_tetrahedra
from ..constraints.tetrahedron_volume import build_tetrahedron_volume
from ..geometry.chunks import chunks
from ..geometry.edges import edge_lengths
from ..geometry.solid.clamps import clamped_shares, held_face_normals
from ..geometry.solid.embedding import bind
from ..geometry.solid.joints import SLACK, interpolated, is_on_held_face, points_between
from ..geometry.solid.masses import tetrahedron_masses
from ..geometry.solid.tetrahedra import signed_volumes, tetrahedron_edges
from ..geometry.surface.mesh_checks import check_mesh
from ..geometry.surface.topology import unique_edges
from ..scene.body import Body
from ..scene.body_contact import JELLY_THICKNESS_SHARE
from ..scene.settings import SolverSettings
from .body_links import with_own_particles
from .body_model import BodyModel, Joints, followed, have_own_particles, is_direct, last_parameter, scaled_parameter
from .goals import held_particles
from .shape import build_shape
from .shares import tetrahedron_shares
from .spring_calibration import calibrated, solid_of_tetrahedra
from .tetrahedralization import EmbeddedMesh, tetrahedralized
from .vertex_factors import constraint_factors, embedded_factors, vertex_factors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# stiffness that springs around a cell of the cage keep however little of the body it holds, so that it cannot fold up;
# chosen by hand, more would stiffen the surface
MINIMUM_FILL = 0.1
# Poisson's ratio of a network of springs
NETWORK_RATIO = 0.25


def build_jelly(body: Body, settings: SolverSettings) -> BodyModel:
    """Make particles and constraints.

    Raises:
        XpbdError: E_GEOM_* or E_TET_*, for a mesh that cannot be simulated.
    """
    triangles, notices = check_mesh(body.positions, body.face_sizes, body.corners, body.name)
    mesh = with_own_particles(tetrahedralized(body, triangles), body)
    mesh, joints, distances = _with_joints(mesh, body, triangles, settings)
    material, count = body.material, len(mesh.vertices)
    edges = tetrahedron_edges(mesh.tetrahedra)

    def particle_factors(name: str) -> Floats | None:
        factors = vertex_factors(body, name)
        return None if factors is None else embedded_factors(factors, mesh.elements, mesh.weights, edges, count)

    density, damping = particle_factors("density"), particle_factors("damping")
    density_share = np.maximum(constraint_factors(density, mesh.tetrahedra), 1e-3)
    fill = mesh.fill if density is None else mesh.fill * density_share
    masses = mesh.mass_factors * tetrahedron_masses(mesh.vertices, mesh.tetrahedra, material.density, fill)
    pin_weights = np.zeros(count)
    pinned = body.pins.vertices
    pin_weights[joints.particles] = 1.0
    np.maximum.at(pin_weights, mesh.elements[pinned].ravel(), np.repeat(body.pins.weights.astype(np.float64), 4))
    frictions = np.zeros(0)
    if (friction := vertex_factors(body, "friction")) is not None:
        inner = embedded_factors(friction, mesh.elements, mesh.weights, edges, count)
        between = (inner[mesh.surface_elements] * mesh.surface_weights).sum(axis=1)
        frictions = material.friction * np.maximum(np.concatenate([friction, between]), 0.0)
    model = BodyModel(
        body=body,
        positions=mesh.vertices,
        masses=masses,
        blocks=(),
        elements=mesh.elements,
        weights=mesh.weights,
        pin_weights=pin_weights,
        edges=edges,
        tetrahedra=mesh.tetrahedra,
        damping_times=material.damping_time * (np.ones(count) if damping is None else damping),
        surface_elements=mesh.surface_elements,
        surface_weights=mesh.surface_weights,
        frictions=frictions,
        thickness_share=JELLY_THICKNESS_SHARE,
        notices=(*notices, *mesh.notices),
        joined=mesh.joined,
        fragments=mesh.fragments,
        joints=joints,
    )
    # a point about which it turns has no edge
    held = held_particles(model, [block.indices for block in distances])
    solid = _solid(body, mesh, triangles, edges, particle_factors("stiffness"), held, settings)
    return replace(
        model, blocks=(*solid, *build_shape(body, mesh.vertices, masses, edges, settings), *distances), held=held
    )


def bind_to_jelly(model: BodyModel, points: Floats) -> tuple[Ints, Floats]:
    """The tetrahedra that points lie in, or nearest to, and their weights, as ``SolverKind.bind``."""
    tetrahedra, weights = bind(points, model.positions, model.tetrahedra)
    return model.tetrahedra[tetrahedra], weights


def _with_joints(
    mesh: EmbeddedMesh, body: Body, triangles: Ints, settings: SolverSettings
) -> tuple[EmbeddedMesh, Joints, list[ConstraintBlock]]:
    """The tetrahedra with a further particle at each point about which the body turns, and what these hold.

    A pinned vertex of a face that is pinned holds all corners of its tetrahedron, which clamps the body. One that is
    pinned by itself, or with others along edges, has a particle of its own, and so have points on these edges. The
    corners around keep their distances to it.
    """
    held = body.pins.vertices[body.pins.weights >= 1.0]
    clamps = is_on_held_face(triangles, held, body.vertex_count)
    is_fixed = np.zeros(len(mesh.vertices), np.bool_)
    is_fixed[mesh.elements[clamps]] = True
    # what a link has given a particle of its own is pinned as it is, and so is what clamps hold already
    is_placed = have_own_particles(mesh.elements[held]) | is_fixed[mesh.elements[held]].all(axis=1)
    vertices = held[~clamps[held] & ~is_placed]
    if not len(vertices) or mesh.fragments is not None:
        return mesh, Joints(), []
    edges = unique_edges(body.face_sizes, body.corners)
    edges = edges[np.isin(edges, held).all(axis=1) & np.isin(edges, vertices).any(axis=1)]
    spacing = float(edge_lengths(mesh.vertices, tetrahedron_edges(mesh.tetrahedra)).mean())
    between, between_shares = points_between(body.positions, edges, spacing)
    ends = np.concatenate([np.stack([vertices, vertices], axis=1), between]).astype(np.int32)
    shares = np.concatenate([np.zeros(len(vertices)), between_shares])
    points = interpolated(body.positions, ends, shares)
    beside, _ = bind(points[len(vertices) :], mesh.vertices, mesh.tetrahedra, SLACK)
    around = np.concatenate([mesh.elements[vertices], mesh.tetrahedra[beside]])
    # a corner in the place of a point has no direction to it
    at_point, corner = np.nonzero(np.linalg.norm(mesh.vertices[around] - points[:, None], axis=2) < SLACK * spacing)
    corners = around[at_point, corner]
    is_fixed[corners] = True
    # what lies between fixed corners has nothing to hold
    moving = np.flatnonzero(~is_fixed[around].all(axis=1))
    own = np.arange(len(mesh.vertices), len(mesh.vertices) + len(moving), dtype=np.int32)
    places = np.concatenate([mesh.vertices, points[moving]])
    pairs = np.stack([np.repeat(own, 4), around[moving].ravel()], axis=1).astype(np.int32)
    elements, weights = mesh.elements.copy(), mesh.weights.copy()
    is_vertex = moving < len(vertices)
    elements[vertices[moving[is_vertex]]] = own[is_vertex, None]
    weights[vertices[moving[is_vertex]]] = (1.0, 0.0, 0.0, 0.0)
    jointed = replace(
        mesh,
        vertices=places,
        mass_factors=np.concatenate([mesh.mass_factors, np.ones(len(own))]),
        elements=elements,
        weights=weights,
    )
    distances = build_distance(places, pairs[~is_fixed[pairs[:, 1]]], last_parameter(settings, 0.0, 1.0))
    rows = np.concatenate([at_point, moving])
    joints = Joints(np.concatenate([corners, own]), ends[rows], shares[rows])
    return jointed, joints, [distances] if len(own) else []


def _solid(
    body: Body,
    mesh: EmbeddedMesh,
    triangles: Ints,
    edges: Ints,
    factors: Floats | None,
    held: npt.NDArray[np.bool_],
    settings: SolverSettings,
) -> list[ConstraintBlock]:
    material = body.material
    vertices, tetrahedra = mesh.vertices, mesh.tetrahedra
    if is_direct(body, settings):
        stretch = scaled_parameter(
            settings, material.stretch_compliance, material.pbd_stretch_stiffness, constraint_factors(factors, edges)
        )
        volume = scaled_parameter(
            settings, material.volume_compliance, material.pbd_volume_stiffness, constraint_factors(factors, tetrahedra)
        )
        return [
            replace(build_distance(vertices, edges, stretch), yields=True).following(
                *followed(body, settings, "youngs_modulus", "stretch_compliance")
            ),
            build_tetrahedron_volume(vertices, tetrahedra, volume).following(
                *followed(body, settings, "youngs_modulus", "volume_compliance")
            ),
        ]
    if material.solid_model == "SPRINGS":
        return _springs(body, mesh, edges, np.maximum(mesh.fill, MINIMUM_FILL), factors)
    return [_elements(body, mesh, triangles, factors, held)]


def _elements(
    body: Body, mesh: EmbeddedMesh, triangles: Ints, factors: Floats | None, held_on: npt.NDArray[np.bool_]
) -> ConstraintBlock:
    """Elastic tetrahedra."""
    material, vertices, shares = body.material, mesh.vertices, mesh.stiffness
    is_corotated = material.solid_model == "COROTATED"
    solid = np.concatenate([solid_tetrahedra(vertices, mesh.tetrahedra[part]) for part in chunks(len(mesh.tetrahedra))])
    tetrahedra = mesh.tetrahedra if solid.all() else mesh.tetrahedra[solid]
    shares, fill = (shares, mesh.fill) if solid.all() else (shares[solid], mesh.fill[solid])
    held = body.pins.vertices[body.pins.weights >= 1.0]
    held = held[~have_own_particles(mesh.elements[held])]
    if len(held):
        normals = held_face_normals(body.positions, triangles, held)[held]
        points, elements, weights = body.positions[held], mesh.elements[held], mesh.weights[held]
        shares = clamped_shares(vertices, tetrahedra, shares, fill, points, normals, elements, weights)

    def parameters_of(numbers: npt.NDArray[Any]) -> Floats:
        own = tetrahedra[numbers]
        modulus = material.youngs_modulus * constraint_factors(factors, own)
        solid_of = (vertices, own, modulus, material.poissons_ratio, shares[numbers])
        if is_corotated:
            return build_corotated(*solid_of).parameters
        return build_neo_hookean(*solid_of, np.where(held_on[own[:, 0]], 0.0, STILL_RATE)).parameters

    kind = COROTATED if is_corotated else NEO_HOOKEAN
    return DeferredBlock(kind, tetrahedra, parameters_of, follows=("youngs_modulus",), yields=True)


def _springs(
    body: Body, mesh: EmbeddedMesh, edges: Ints, fill: Floats, factors: Floats | None
) -> list[ConstraintBlock]:
    """Springs along the edges, and what volume stiffness they lack.

    A network of springs is a solid with λ = μ, which is ν = 1/4. Its springs are made for the μ of the material, and
    each tetrahedron gets the rest of λ: ½ κ (C/V)² V with κ = λ − μ, so α = V/κ. Below ν = 1/4 nothing is left to
    add: the springs are made for E.
    """
    material, vertices, tetrahedra = body.material, mesh.vertices, mesh.tetrahedra
    nu = max(material.poissons_ratio, NETWORK_RATIO)
    mu, lame = lame_parameters(material.youngs_modulus, nu)
    lengths = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    shares = tetrahedron_shares(vertices, tetrahedra, fill, edges)
    shares = calibrated(vertices, edges, shares, solid_of_tetrahedra(vertices, tetrahedra, fill))
    modulus = 2.0 * (1.0 + NETWORK_RATIO) * float(mu)
    compliance = network_compliance(lengths, shares, modulus, 3) / constraint_factors(factors, edges)
    blocks = [replace(build_distance(vertices, edges, compliance), yields=True)]
    if nu > NETWORK_RATIO:
        volumes = signed_volumes(vertices, tetrahedra) * fill
        stiffness = (lame - mu) * constraint_factors(factors, tetrahedra)
        blocks.append(build_tetrahedron_volume(vertices, tetrahedra, volumes / stiffness))
    return [block.following("youngs_modulus") for block in blocks]
