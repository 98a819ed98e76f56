# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of a cloth that only faces without area have: no material gives them mass, but they belong to the cloth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..constraints.attachments.attachment import build_attachment
from ..constraints.constraint import ConstraintBlock
from ..constraints.distance import build_distance, network_compliance
from ..geometry.components import connected_components
from ..geometry.edges import edge_lengths
from ..scene.body import Body
from ..scene.settings import SolverSettings
from .body_model import followed, is_direct, last_parameter

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

# of the mean mass of the others: what has no area weighs nothing, but the solver divides by it. Chosen by hand: more
# would weigh the cloth down, less would make the mass ratios large that slow convergence
FOLLOWER_SHARE = 0.1


def find_followers(edges: Ints, masses: Floats) -> Bools:
    """Vertices without mass that edges join to some with mass, over any number of them.

    Args:
        edges: of all faces, shape (edges, 2).
        masses: that faces give [kg], shape (vertices,).
    """
    if (masses > 0.0).all():
        return np.zeros(len(masses), np.bool_)
    labels = connected_components(len(masses), edges)
    is_body = np.zeros(len(masses), np.bool_)
    is_body[labels[masses > 0.0]] = True
    return (masses == 0.0) & is_body[labels]


def follower_links(
    body: Body, edges: Ints, is_follower: Bools, area: float, layer: int, settings: SolverSettings
) -> list[ConstraintBlock]:
    """What holds followers to the cloth: springs along their edges, like those of a mean edge.

    Args:
        body: the cloth.
        edges: of all faces, shape (edges, 2).
        is_follower: shape (vertices,).
        area: of the cloth [m²].
        layer: of the springs.
        settings: of the solver.
    """
    touches = is_follower[edges].any(axis=1)
    if not touches.any():
        return []
    links, material = edges[touches], body.material
    lengths = edge_lengths(body.positions, links)
    compliance: Floats | float = last_parameter(settings, material.stretch_compliance, material.pbd_stretch_stiffness)
    if not is_direct(body, settings):
        shares = np.full(len(links), area / max(len(edges) - len(links), 1))
        stiffness = material.stretch_stiffness
        if material.membrane_model == "ORTHOTROPIC":
            stiffness = max(material.warp_stiffness, material.weft_stiffness)
        compliance = network_compliance(lengths, shares, stiffness, 2)
    # at one place an edge has no direction to be a spring along
    joined = links[lengths == 0.0]
    rigid = np.full(len(joined), last_parameter(settings, 0.0, 1.0))
    is_woven = material.membrane_model == "ORTHOTROPIC" and not is_direct(body, settings)
    # the stiffer of two values is no power of either
    follows = () if is_woven else followed(body, settings, "stretch_stiffness", "stretch_compliance")
    springs = replace(build_distance(body.positions, links, compliance), layer=layer, follows=follows)
    return [springs, build_attachment(joined, rigid)]
