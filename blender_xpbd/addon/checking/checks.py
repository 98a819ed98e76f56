# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of a scene as it was read: each yields what an artist should know before a bake."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice, XpbdError
from ...scene.gas import ATMOSPHERE, has_pressure, pressure_notices
from ...scene.listing import listed, quoted
from ...scene.scene import Scene
from ...scene.starts import coarse_notice, spheres_that_show
from ..baking.needs import tetrahedra
from ..measures.solid_measures import fans, fullness, pieces
from .crossed import starts_crossed
from .depths import told_depths
from .doubled import doubled
from .enclosed import starts_around, starts_in_place, starts_within
from .expense import cell_of
from .gaps import Gaps, meet
from .near_folds import starts_folded
from .near_starts import starts_near
from .reach import start_box, way_of
from .sewing import unsewn
from .substep_bounds import stretched
from .wrapped import wrapped_notice, wrapping

Floats = npt.NDArray[np.float64]

# tetrahedra from which on a bake takes minutes
MANY_TETRAHEDRA = 200_000
# from its middle to the nearest vertex, by the cells of a cage: how large faces are whose vertices sink into other
# jelly, see docs/experiments.md, Large faces on a fine cage
LARGE_FACE = 3.0
# of a mesh in single precision: how flat it is per its length
_ROUNDING = 1e-6
# seconds that a tetrahedron takes in a substep, from docs/performance.md
SECONDS_PER_TETRAHEDRON = 4e-8


def starts_inside(scene: Scene) -> Iterator[Notice]:
    """Bodies that start inside colliders, by more than the gap that they keep; those apart that cannot leave them."""
    for body in scene.bodies:
        found = told_depths(body, scene.colliders)
        if wrapped := [one.name for one in wrapping(body, scene)] if found else []:
            yield wrapped_notice(body, wrapped)
        if found := {name: depth for name, depth in found.items() if name not in wrapped}:
            inside = listed(f'"{name}" ({depth:.3g} m)' for name, depth in found.items())
            yield Notice("W_INSIDE", f"Starts inside {inside}. The bake pushes it out of it.", body.name)


def falls(scene: Scene) -> Iterator[Notice]:
    """Bodies that nothing holds and nothing can stop."""
    if scene.colliders or not np.linalg.norm(scene.gravity) > 0.0:
        return
    highest = {track.target: track.values.max() for track in scene.tracks if track.parameter == "gravity_factor"}
    held, waiting = [], []
    for body in scene.bodies:
        if len(body.pins.vertices) or len(body.goal.vertices):
            held.append(body)
        elif highest.get(body.identifier, body.material.gravity_factor) > 0.0:
            waiting.append(body)
    # what hangs on something held, or may come to lie on it, is held
    while found := [body for body in waiting if any(_holds(one, body, scene) for one in held)]:
        held += found
        known = {body.identifier for body in held}
        waiting = [body for body in waiting if body.identifier not in known]
    if waiting:
        names = quoted(body.name for body in waiting)
        verb = "it falls" if len(waiting) == 1 else "they fall"
        text = f"Nothing is there to land on, and nothing holds {names}: {verb} for ever."
        yield Notice("W_FALLS", text)


def _holds(held: Body, body: Body, scene: Scene) -> bool:
    """Whether a body hangs on one that is held, or comes to it as it falls."""
    if body.attachment is not None and body.attachment.target == held.identifier:
        return True
    return meet(body, held) and way_of(body, scene.gravity).meets(start_box(held, scene.gravity))


def coarse(scene: Scene) -> Iterator[Notice]:
    """Meshes and curves of too few vertices to show what they do."""
    for body in scene.bodies:
        kind = body_kind(body.role, body.name)
        if body.vertex_count < kind.least_vertices:
            text = f"{body.vertex_count} vertices cannot show {kind.shows}: {kind.refined_by}."
            yield Notice("W_COARSE", text, body.name)
        elif any(_may_touch(body, one, scene) for one in scene.bodies) and _has_large_faces(body):
            text = (
                "Some faces are so large for the cells of its cage that its vertices sink into other jelly which it "
                "lies on, or which lies on it. Subdivide the mesh, or take a lower resolution."
            )
            yield Notice("W_COARSE", text, body.name)


def _has_large_faces(body: Body) -> bool:
    """Whether the middle of a triangle of a solid is ``LARGE_FACE`` cells of its cage away from all vertices."""
    if not body_kind(body.role, body.name).is_solid or body.tetrahedralization.method != "CAGE":
        return False
    corners = body.positions[fans(body.face_sizes, body.corners)]
    middles, least = corners.mean(axis=1), LARGE_FACE * cell_of(body)
    far = middles[np.linalg.norm(corners - middles[:, None], axis=2).min(axis=1, initial=np.inf) > least]
    return any(bool((np.linalg.norm(body.positions - middle, axis=1) > least).all()) for middle in far)


def _may_touch(body: Body, other: Body, scene: Scene) -> bool:
    """Whether another solid may come to a body by their weight, or the body to it."""
    if body is other or not body_kind(other.role, other.name).is_solid or not meet(body, other):
        return False
    return way_of(body, scene.gravity).meets(way_of(other, scene.gravity))


def coarse_over_spheres(scene: Scene) -> Iterator[Notice]:
    """Bodies that can tear, through whose faces spheres would show; of round meshes the bake tells."""
    gaps = Gaps()
    for body in scene.bodies:
        if body.can_tear and (names := spheres_that_show(body, scene.colliders, gaps.to_colliders(body), fans)):
            yield coarse_notice(body, names)


def heavy(scene: Scene) -> Iterator[Notice]:
    """Cages of so many tetrahedra that a bake takes minutes."""
    for body in scene.bodies:
        count = tetrahedra(body) if body.tetrahedralization.method == "CAGE" else 0.0
        if count > MANY_TETRAHEDRA:
            seconds = count * SECONDS_PER_TETRAHEDRON * scene.settings.substeps * (scene.frames.count - 1)
            text = (
                f"The cage will have about {count / 1e6:.1f} million tetrahedra, which take some {_time(seconds)} at "
                f"{scene.settings.substeps} substeps: a lower resolution looks alike in most cases."
            )
            yield Notice("W_HEAVY", text, body.name)


def flat_gas(scene: Scene) -> Iterator[Notice]:
    """Closed surfaces so flat that the gas in them cannot blow them up; open ones the bake refuses."""
    for body in scene.bodies:
        if has_pressure(body) and not body_kind(body.role, body.name).is_solid:
            triangles = fans(body.face_sizes, body.corners)
            dense = 1.0 + body.material.pressure / ATMOSPHERE
            parts = pieces(body.vertex_count, triangles)
            yield from pressure_notices(body, [dense * fullness(body.positions, part) for part in parts])


def flat_solids(scene: Scene) -> Iterator[XpbdError]:
    """Solids whose vertices lie in one plane, so that the bake will refuse them."""
    for body in scene.bodies:
        is_filled = body_kind(body.role, body.name).is_solid and body.tetrahedralization.method == "CAGE"
        if is_filled and _is_flat(body.positions):
            text = "The mesh is flat and encloses no volume: thicken or close it, or make it Cloth."
            yield XpbdError("E_TET_VOLUME", text, body.name)


def _is_flat(positions: np.ndarray) -> bool:
    """Whether all lie in a plane, to rounding; ``positions`` of shape (vertices, 3)."""
    if not len(positions):
        return False
    sizes = np.linalg.svd(positions - positions.mean(axis=0), compute_uv=False)
    return bool(sizes[-1] <= _ROUNDING * sizes[0])


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90.0 else f"{seconds / 60.0:.0f} minutes"


CHECKS: tuple[Callable[[Scene], Iterator[Notice]], ...] = (
    starts_inside,
    starts_within,
    starts_around,
    starts_in_place,
    starts_crossed,
    starts_near,
    starts_folded,
    falls,
    coarse,
    coarse_over_spheres,
    doubled,
    unsewn,
    heavy,
    stretched,
    flat_gas,
)
