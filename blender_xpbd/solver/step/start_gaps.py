# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts nearer to something else than its gap comes apart slowly: pushed at once, a stack would be thrown up.

A pair may stay as near as it was when the simulation started, by a share of what its gap lacked that falls from 1 to 0
without a jump in speed, as in ``start_depths``. What a pair lacked is kept by its points, for pairs come and go.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import taichi as ti

from ...contacts.pairs.geometry import pair_geometry
from ...contacts.pairs.push import carried
from ...contacts.pairs.tables import EDGE_EDGE, GAP, KIND, POINTS
from ...contacts.search.pair_search import PairList, PairSearch
from ...device.arrays import write_array
from ..acts.near_functions import is_for_colliders
from ..system.body_gravity import strongest_pull
from ..system.contact_objects import ContactObjects
from ..system.system import System
from .packs import Pairs, Particles
from .start_depths import LEAST_GRAVITY, MOST_LOAD, falling_share
from .state import padded

Floats = npt.NDArray[np.float64]

# of its gap, what a pair may lack untold: what rests on each other does by so much, and by rounding. Chosen by hand
NOTABLE = 0.01
# sheets that come apart one on the other, at least: one that is folded may have as many. Chosen by hand
LEAST_LAYERS = 4


@dataclass(frozen=True)
class StartGaps:
    """Pairs that start nearer than their gaps.

    Attributes:
        duration: after which none may be nearer any more [s].
        frame_duration: of the scene [s].
    """

    duration: float
    frame_duration: float

    def shares(self, frame_index: int, times: Floats) -> npt.NDArray[np.float32]:
        """Of what gaps lacked, what is allowed at some times, which are shares of a frame, shape (times,)."""
        return falling_share((frame_index + times) * self.frame_duration / self.duration)


@ti.kernel
def measure_lacks(particles: Particles, pairs: Pairs, count: ti.i32):
    """Let the points of the first ``count`` pairs have what the gap of any of these lacks where windows start."""
    ti.loop_config(serialize=True)
    for k in range(count):
        if not is_for_colliders(particles, pairs, k):
            points = ti.Vector([pairs.pair_ints[k, POINTS + i] for i in ti.static(range(4))])
            x = ti.Matrix.rows([carried(pairs.list_starts, pairs, points[i], True) for i in ti.static(range(4))])
            is_edges, none = pairs.pair_ints[k, KIND] == EDGE_EDGE, ti.Vector([0.0, 0.0, 0.0])
            found = pair_geometry(is_edges, x[0, :], x[1, :], x[2, :], x[3, :], none)
            lack = pairs.pair_floats[k, GAP] - found.distance
            if lack > NOTABLE * pairs.pair_floats[k, GAP]:
                for i in ti.static(range(4)):
                    ti.atomic_max(pairs.start_lacks[points[i]], ti.cast(lack, ti.f32))


def may_start_near(system: System, objects: ContactObjects) -> bool:
    """Whether two objects may be nearer at the start than they may stay, by their boxes, or parts of one.

    Pairs of one object keep what they have at rest, so it takes a start of another shape.
    """
    points, starts = objects.points(system.positions), objects.surfaces.point_starts
    mine = [points[first:last] for first, last in itertools.pairwise(starts)]
    lows = np.array([one.min(axis=0, initial=np.inf) for one in mine])
    highs = np.array([one.max(axis=0, initial=-np.inf) for one in mine])
    apart = np.maximum(lows[:, None] - highs, lows - highs[:, None]).max(axis=2)
    is_changed = np.zeros(len(mine), np.bool_)
    is_changed[: objects.body_count] = [len(model.body.start) > 0 for model in system.models]
    may_lack = ~np.eye(len(mine), dtype=np.bool_) | np.diag(is_changed)
    return bool((objects.surfaces.sees & may_lack & (apart < objects.gaps)).any())


def list_starts(system: System, search: PairSearch, team_size: int) -> PairList:
    """List the pairs that may be nearer than their gaps at the start; windows are places without a margin."""
    window = search.window
    for array in (window.window_starts, window.window_ends, window.window_stays):
        write_array(array, padded(system.positions))
    return search.search(team_size)


def start_gaps(system: System, found: PairList, lacks: Floats) -> StartGaps | None:
    """How pairs come apart that start nearer than their gaps; None where none does.

    Args:
        system: what is simulated.
        found: the pairs that may be so near.
        lacks: of each surface point, what a gap lacks at the start, or 0 [m].
    """
    if not lacks.any():
        return None
    layers = max(int(np.bincount(found.islands).max()), LEAST_LAYERS)
    gravity = max(strongest_pull(system.scene), LEAST_GRAVITY)
    # the topmost layer goes through what all lack
    duration = float(np.sqrt(6.0 * layers * lacks.max() / (MOST_LOAD * gravity)))
    return StartGaps(duration, system.scene.frames.frame_duration)
