# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts inside a collider comes out of it slowly: pushed out at once it would be thrown as far as it was deep.

A point may stay as deep as it was when the simulation started, by a share that falls from 1 to 0 without a jump in
speed. Where no point starts inside, nothing of this is compiled.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...contacts import contact_type
from ...contacts.depth import depth_in
from ...contacts.tables import POINT_BODY
from ...device.arrays import make_array, make_zeros, read_array, write_array
from ...device.launch import launch
from ...scene.collider_shapes import has_triangles
from ...scene.errors import Notice
from ..system.body_gravity import strongest_pull
from ..system.colliders import ColliderSet
from ..system.frame_slice import WHOLE
from ..system.system import System
from .packs import SINGLES, Colliders, Contacts, Particles
from .plan import make_plan
from .state import State, with_contacts

Floats = npt.NDArray[np.float64]

# gravity that the time of coming out goes by where there is less [m/s²]
LEAST_GRAVITY = 5.0
# what is pushed out bears at most this share of its weight more than its weight, and as much less towards the end. At 1
# it was weightless there, and what its double weight had folded snapped back (docs/experiments.md, Coming out of a
# collider)
MOST_LOAD = 1.0 / 3.0
# a point counts as inside where pushing it out within a substep would give it this many times the speed that gravity
# gives it, or where it is deeper than this share of its body's size. Chosen by hand
RESTING = 2.0
ROUNDING = 1e-6
# of the gap to a collider, how much deeper a body may lie without a word
GAP_SLACK = 0.01


def falling_share(x: Floats) -> npt.NDArray[np.float32]:
    """What falls from 1 at 0 to 0 at 1 without a jump in speed, and stays there."""
    x = np.minimum(x, 1.0)
    return (1.0 - x * x * (3.0 - 2.0 * x)).astype(np.float32)


@dataclass(frozen=True)
class StartDepths:
    """Points that start inside a collider.

    Attributes:
        duration: after which none may be inside any more [s].
        frame_duration: of the scene [s].
        deepest: how deep a point of a body is in a collider at most [m], by their numbers.
        wholly: of these, those where all points are inside a mesh.
    """

    duration: float
    frame_duration: float
    deepest: dict[tuple[int, int], float]
    wholly: frozenset[tuple[int, int]]

    def shares(self, frame_index: int, times: Floats) -> npt.NDArray[np.float32]:
        """Of the depth, what is allowed at some times, which are shares of a frame, shape (times,)."""
        return falling_share((frame_index + times) * self.frame_duration / self.duration)

    def notices(self, system: System, colliders: ColliderSet) -> Iterator[Notice]:
        """A warning for each body that starts inside a collider: which one, and how deep.

        None where a body lies in the gap that it keeps, as what was modelled on a floor does.
        """
        first = system.scene.frames.start
        last = first + int(np.ceil(self.duration / self.frame_duration))
        for number, model in enumerate(system.models):
            gap, least = model.contact_offset, (1.0 + GAP_SLACK) * model.contact_offset
            found = {c: depth - gap for (body, c), depth in self.deepest.items() if body == number and depth > least}
            if found:
                inside = ", ".join(f'"{colliders.names[c]}" ({depth:.3g} m)' for c, depth in found.items())
                text = (
                    f"Starts inside {inside}: it is pushed out of it until frame {last}. Move it out of it for frame "
                    f"{first} where it shall not be."
                )
                if any((number, c) in self.wholly for c in found):
                    text += (
                        " All of it is inside: what is nearest to other sides comes out there, so that it may stay "
                        "wrapped around. To be held inside, it takes walls of a thickness (Solidify)."
                    )
                yield Notice("W_INSIDE", text, model.body.name)


@ti.kernel
def measure_depths(
    particles: Particles,
    contacts: Contacts,
    colliders: Colliders,
    depths: SINGLES,
    c: ti.i32,
    variant: ti.template(),
):
    """``depth_in`` collider ``c`` for all contact points."""
    for k in range(depths.shape[0]):
        depths[k] = depth_in(particles, contacts, colliders, k, c, variant)


def with_start_depths(system: System, state: State, colliders: ColliderSet) -> tuple[State, StartDepths | None]:
    """The same arrays, with the depths of contact points where one starts inside a collider; else as they were."""
    candidates = _near_colliders(system, colliders)
    if not candidates:
        return state, None
    depths = _depths(system, state, colliders, candidates)
    bodies = system.contacts.elements[:, POINT_BODY]
    depths[depths <= _resting_depths(system)[bodies][:, None]] = 0.0
    deepest = {
        (int(body), c): float(depths[bodies == body, column].max())
        for column, c in enumerate(candidates)
        for body in np.unique(bodies[depths[:, column] > 0.0])
    }
    if not deepest:
        return state, None
    wholly = frozenset(
        (body, c)
        for body, c in deepest
        if has_triangles(system.scene.colliders[c]) and (depths[bodies == body, candidates.index(c)] > 0.0).all()
    )
    gravity = max(strongest_pull(system.scene), LEAST_GRAVITY)
    # 6 d/T² is the greatest acceleration of a share that falls by 3 x² − 2 x³
    duration = float(np.sqrt(6.0 * max(deepest.values()) / (MOST_LOAD * gravity)))
    found = StartDepths(duration, system.scene.frames.frame_duration, deepest, wholly)
    columns = np.full(len(colliders.ints), -1)
    columns[candidates] = np.arange(len(candidates))
    substeps = system.scene.settings.substeps
    changed = with_contacts(
        state,
        start_columns=make_array(columns, ti.i32),
        start_depths=make_array(depths, ti.f32),
        depth_shares=make_array(found.shares(0, WHOLE.times(substeps)), ti.f32),
    )
    return changed, found


def _depths(system: System, state: State, colliders: ColliderSet, asked: list[int]) -> npt.NDArray[np.float32]:
    """How deep contact points are in some colliders at the first frame [m], shape (points, colliders asked)."""
    substeps = system.scene.settings.substeps
    motion = colliders.motion(0, substeps)
    write_array(state.colliders.motion, np.broadcast_to(motion[0], motion.shape).copy())
    if colliders.deforms:
        write_array(state.colliders.mesh_floats, colliders.deformed_floats(0, substeps))
    variant = make_plan(system, state, colliders).variant
    depths = make_zeros((len(system.contacts),), ti.f32)
    columns = []
    for c in asked:
        launch(measure_depths, state.particles, state.contacts, state.colliders, depths, c, variant)
        columns.append(read_array(depths).copy())
    return np.stack(columns, axis=1)


def _resting_depths(system: System) -> Floats:
    """How deep points of each body may be, and count as lying on the surface [m]."""
    h = system.scene.frames.frame_duration / system.scene.settings.substeps
    fallen = RESTING * strongest_pull(system.scene) * h * h
    sizes = np.array([float(np.ptp(model.positions, axis=0).max()) for model in system.models])
    return np.maximum(fallen, ROUNDING * sizes)


def _near_colliders(system: System, colliders: ColliderSet) -> list[int]:
    """Colliders of which the box, or the surface where NumPy knows it, meets a contact point."""
    contacts = system.contacts
    if len(contacts) == 0:
        return []
    carriers = system.positions[contacts.elements[:, :4]]
    points = (contacts.weights[:, :4, None] * carriers).sum(axis=1)
    offset = max(model.contact_offset for model in system.models)
    motion = colliders.motion(0, 1)[0].astype(np.float64)
    boxes = {mesh.row: colliders.vertices(mesh.row, 0)[0] for mesh in colliders.meshes}
    near = []
    for c, collider in enumerate(system.scene.colliders):
        local = (points - motion[c, 9:12]) @ motion[c, :9].reshape(3, 3)
        distances = contact_type(collider.shape).distances
        if c in boxes:
            above, below = local > boxes[c].min(axis=0) - offset, local < boxes[c].max(axis=0) + offset
            is_near = (above & below).all(axis=1).any()
        else:
            is_near = distances is None or (distances(local, np.full(len(local), motion[c, 12])) < offset).any()
        if is_near:
            near.append(c)
    return near
