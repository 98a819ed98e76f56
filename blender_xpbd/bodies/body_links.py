# SPDX-License-Identifier: GPL-3.0-or-later
"""The links of an artist as constraints, for bodies of all kinds: between the points where the vertices are.

No face and no edge gives a mass to a vertex that links alone reach, but what hangs on a link is to fall.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..constraints.attachments.element_link import build_element_link
from ..constraints.constraint import ConstraintBlock
from ..constraints.two_sided_distance import build_two_sided_distance
from ..scene.body import Body
from ..scene.errors import Notice
from ..scene.links import AT_LEAST, AT_MOST
from ..scene.settings import SolverSettings
from .body_model import BodyModel
from .tetrahedralization import EmbeddedMesh
from .vertex_factors import vertex_factors

Floats = npt.NDArray[np.float64]

# links come after all springs of a cloth: what comes last holds best
LAYER = 4
# share of its length by which a link may start too long or too short: places are in single precision, and 0.1 mm of 1 m
# throws at 5 cm/s at 20 substeps
MOST_GIVEN = 1e-4


def with_own_particles(mesh: EmbeddedMesh, body: Body) -> EmbeddedMesh:
    """The tetrahedra of a body with a further particle in the place of each vertex that only links reach.

    Held through the nearest tetrahedron, such a vertex would turn it as a lever does.
    """
    lone = np.setdiff1d(body.links.pairs, body.corners).astype(np.int32)
    if not len(lone):
        return mesh
    count = len(mesh.vertices)
    own = np.arange(count, count + len(lone), dtype=np.int32)
    elements, weights = mesh.elements.copy(), mesh.weights.copy()
    elements[lone], weights[lone] = own[:, None], (1.0, 0.0, 0.0, 0.0)
    return replace(
        mesh,
        vertices=np.concatenate([mesh.vertices, body.positions[lone]]),
        mass_factors=np.concatenate([mesh.mass_factors, np.ones(len(lone))]),
        elements=elements,
        weights=weights,
        joined=np.concatenate([mesh.joined, own]) if len(mesh.joined) else mesh.joined,
    )


def with_links(model: BodyModel, settings: SolverSettings) -> BodyModel:
    """The body with its links, and with masses for what only they reach.

    Args:
        model: of a body, which tells its links.
        settings: of the solver, as the body has them.
    """
    links = model.body.links
    if not len(links):
        return model
    model = _with_masses(model)
    is_pbd = settings.solver_mode == "PBD"
    held = 1.0 - (1.0 - links.shares) ** (1.0 / settings.iterations) if is_pbd else links.compliances
    stretch = np.where(links.kinds == AT_LEAST, np.inf, held)
    compression = np.where(links.kinds == AT_MOST, np.inf, held)
    ends = model.body.positions[links.pairs]
    modelled = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    lengths = np.where(links.lengths > 0.0, links.lengths, modelled)
    blocks = _blocks(model, lengths, stretch, compression)
    return replace(
        model,
        blocks=(*model.blocks, *(block for block in blocks if len(block))),
        notices=(*model.notices, *_thrown(model, lengths, held == (1.0 if is_pbd else 0.0))),
    )


def _with_masses(model: BodyModel) -> BodyModel:
    """The body with a mass for vertices that only links reach: what its other vertices weigh on average, a guess.

    A vertex group for the weight scales it.
    """
    body = model.body
    has_mass = (model.masses[model.elements] > 0.0).any(axis=1)
    # joints have none, and stand for vertices that have
    has_mass[body.corners] = True
    linked = np.unique(body.links.pairs)
    lone = linked[~has_mass[linked]]
    if not len(lone):
        return model
    # copies in one place count once, so that nothing grows lighter while the body tears
    places = np.unique(body.positions[has_mass], axis=0, return_index=True)[1]
    density = vertex_factors(body, "density")
    share = 1.0 if density is None else float(density[np.flatnonzero(has_mass)[places]].mean())
    mean = float(model.masses.sum()) / len(places) / max(share, 1e-3)
    masses = model.masses.copy()
    masses[model.elements[lone, 0]] = mean if density is None else mean * np.maximum(density[lone], 1e-3)
    notices = model.notices
    if len(lone) == int((~has_mass).sum()):
        notices = tuple(notice for notice in notices if notice.code != "W_GEOM_LOOSE")
    if density is None and (count := int((model.pin_weights[model.elements[lone, 0]] < 1.0).sum())):
        text = (
            f"{count} vertices that only links reach weigh {mean:.2g} kg each, as others do on average: a guess. A "
            "Weight Group says how much less they weigh."
        )
        notices = (*notices, Notice("W_LINK", text, body.name))
    return replace(model, masses=masses, notices=notices)


def _thrown(model: BodyModel, lengths: Floats, is_rigid: npt.NDArray[np.bool_]) -> list[Notice]:
    """A warning for rigid ropes and bumpers that are longer or shorter at the start than they let be.

    They move what they hold at once by all that is missing, and nothing slows it afterwards. What holds both ways does.

    Args:
        model: of the body.
        lengths: that links let be [m], shape (links,).
        is_rigid: whether they take all that is missing in one substep, shape (links,).
    """
    body = model.body
    links, pins = body.links, body.pins
    ends = (body.start if len(body.start) else body.positions)[links.pairs]
    begun = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    fixed = np.isin(links.pairs, pins.vertices[pins.weights >= 1.0]).all(axis=1)
    missing = np.where(links.kinds == AT_LEAST, lengths - begun, begun - lengths)
    missing[(links.kinds != AT_LEAST) & (links.kinds != AT_MOST)] = 0.0
    is_thrown = (missing > MOST_GIVEN * lengths) & is_rigid & ~fixed
    if not is_thrown.any():
        return []
    text = (
        f"{int(is_thrown.sum())} links start up to {float(missing[is_thrown].max()):.3g} m longer than ≤ or shorter "
        "than ≥ lets them be, and throw what they hold. Give them a compliance, or the length that they have."
    )
    return [Notice("W_LINK", text, body.name)]


def _blocks(model: BodyModel, lengths: Floats, stretch: Floats, compression: Floats) -> list[ConstraintBlock]:
    first, second = (model.body.links.pairs[:, side] for side in range(2))
    weights = model.weights[np.stack([first, second])]
    if (weights == (1.0, 0.0, 0.0, 0.0)).all():
        pairs = np.stack([model.elements[first, 0], model.elements[second, 0]], axis=1)
        links = build_two_sided_distance(model.positions, pairs, stretch, compression, lengths)
        return [replace(links, layer=LAYER)]
    elements = model.elements
    return [
        build_element_link(
            model.positions, elements[first], weights[0], elements[second], weights[1], lengths, stretch, compression
        )
    ]
