# SPDX-License-Identifier: GPL-3.0-or-later
"""About how many elements a bake will have, and how many seconds it will take.

Elements are counted without a cage, from volume and area. Substeps are told as the solver chooses them, from the same
bounds, but for lone terms that only a built system tells. Seconds are elements × substeps × frames × what an element
takes, which is measured by every bake on this machine (``baking/pace.py``).

What was counted is kept as text, with how it goes with the resolution, so that a panel tells what it comes to without
reading a mesh. The text may come from a stranger's file: what is not understood tells nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Container, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.scene import Scene
from ...scene.settings import EFFORTS
from ..baking.body_kinds import blender_kind
from ..baking.pace import compile_seconds, element_count, meeting_seconds, meets, substep_seconds
from ..measures.solid_measures import mean_edge
from .substep_bounds import substep_bound

# what a bake takes beside its frames, to begin and to load kernels [s], and more where surfaces meet; of eight scenes,
# docs/performance.md
START_SECONDS, MEETING_START_SECONDS = 1.3, 2.5
# the quality of trials, the substeps with which they begin, and the one that comes to about as many substeps
TRIAL_QUALITY, FEWEST_TRIED, USUAL_QUALITY = "AUTOMATIC", 5, "MATERIAL"
# parts of a text at most: a scene of more objects has rows for the first of them alone
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class Row:
    """What a body costs.

    Attributes:
        name: of the object.
        label: what its elements are called.
        count: of its elements, for the resolution.
        resolution: of its cage, 0 where it has none that goes with it.
        substeps: that its material asks for, at that resolution.
        least: substeps that it has been given at least, whatever the quality.
        seconds: of all its elements in one substep.
    """

    name: str
    label: str
    count: float
    resolution: int
    substeps: float
    least: int
    seconds: float


@dataclass(frozen=True)
class Expense:
    """What a bake comes to.

    Attributes:
        counts: elements by what they are called.
        substeps: of a frame.
        seconds: of the whole bake, without trials.
        preparation: of them, what it takes once to compile kernels; 0 where they are there.
        trial_seconds: of the trials before it, at most, where the quality goes by trials.
    """

    counts: Mapping[str, float]
    substeps: int
    seconds: float
    trial_seconds: float
    preparation: float

    def values(self) -> dict[str, float]:
        """For ``--json``."""
        elements = sum(self.counts.values())
        return {
            "elements": round(elements),
            "substeps": self.substeps,
            "seconds": round(self.seconds, 1),
            "trial_seconds": round(self.trial_seconds, 1),
            "preparation_seconds": round(self.preparation, 1),
        }

    def __str__(self) -> str:
        counted = ", ".join(f"{_rounded(count)} {label}" for label, count in self.counts.items())
        once = f", plus about {_time(self.preparation)} once to prepare" if self.preparation else ""
        trials = f", and up to {_time(self.trial_seconds)} of trials before it" if self.trial_seconds else ""
        return f"About {counted}: {_time(self.seconds - self.preparation)} at {self.substeps} substeps{once}{trials}"


def expense_text(scene: Scene, times: float, kernels: str, *, preparing: float, is_known: bool) -> str:
    """What the bodies of a scene cost, as it is kept.

    Args:
        scene: as a bake reads it.
        times: how many times as long as by ``pace`` scenes of this kind take here.
        kernels: that the scene needs, as ``kernels_of`` tells them.
        preparing: how many times as long as by ``pace`` kernels take to compile here.
        is_known: whether they have been compiled here before.
    """
    return json.dumps(
        {
            "rows": [asdict(_row(scene, body, times)) for body in scene.bodies[:_MOST_ROWS]],
            "kernels": kernels,
            "is_known": is_known,
            "most": scene.settings.maximum_substeps,
            "meeting": times * meeting_seconds(scene),
            "waiting": START_SECONDS + (MEETING_START_SECONDS if meets(scene) else 0.0),
            "compiling": preparing * compile_seconds(scene),
        }
    )


def with_kernels(text: str, compiled: Container[str]) -> str:
    """The text, with its kernels as known if they have been compiled; as it is where it is not to be understood.

    Args:
        text: of ``expense_text``.
        compiled: kernels that have been compiled here.
    """
    if _parsed(text) is None:
        return text
    values = json.loads(text)
    return json.dumps({**values, "is_known": True}) if values["kernels"] in compiled else text


def expense(
    text: str, resolutions: Callable[[str], int | None], quality: str, typed_substeps: int, frames: int
) -> Expense | None:
    """What a bake comes to as settings are now; None where nothing was counted.

    Args:
        text: of ``expense_text``.
        resolutions: of the cage of an object, by its name; None where there is no such object any more.
        quality: that the bake goes by.
        typed_substeps: that count where the quality does not go by the materials.
        frames: that are simulated, with those before the first one.
    """
    found = _parsed(text)
    if found is None:
        return None
    rows, is_known, most, meeting, waiting, compiling = found
    preparation = 0.0 if is_known else compiling
    counts: dict[str, float] = {}
    seconds, wanted, least = meeting, 20.0, 0
    for row in rows:
        resolution = resolutions(row.name)
        if resolution is None:
            continue
        finer = resolution / row.resolution if row.resolution else 1.0
        # by volume; what reaches beyond the surface grows with the square, of which there is less
        more = finer**3
        counts[row.label] = counts.get(row.label, 0.0) + row.count * more
        seconds += row.seconds * more
        wanted, least = max(wanted, row.substeps * finer), max(least, row.least)
    if not counts:
        return None
    has_trials = quality == TRIAL_QUALITY
    # trials come to about what the materials ask for
    effort = EFFORTS[USUAL_QUALITY] if has_trials else EFFORTS.get(quality)
    chosen = typed_substeps if effort is None else math.ceil(effort * min(wanted, most))
    substeps = max(chosen, least)
    solved = seconds * max(frames - 1, 0)
    trials = _trial_substeps(substeps, least) if has_trials else 0
    return Expense(counts, substeps, preparation + waiting + solved * substeps, solved * trials, preparation)


def _trial_substeps(substeps: int, least: int) -> int:
    """How many substeps of a frame trials take at most to choose so many: with n and 2n, and then with 2n and 4n."""
    coarse, total = max(FEWEST_TRIED, least), 0
    while coarse <= substeps:
        total += 3 * coarse
        coarse *= 2
    return total


def _row(scene: Scene, body: Body, times: float) -> Row:
    kind = blender_kind(body.role)
    cage = body.tetrahedralization
    goes_with = body_kind(body.role, body.name).is_solid and cage.method != "FILE"
    return Row(
        name=body.name,
        label=kind.elements,
        count=element_count(body),
        resolution=cage.resolution if goes_with else 0,
        substeps=substep_bound(scene, body, cell_of(body)),
        least=body.material.minimum_substeps,
        seconds=times * substep_seconds(body),
    )


def cell_of(body: Body) -> float:
    """Edge of a cell of a cage, or mean edge of a cloth, by which the solver goes [m]; 0 for what has neither."""
    if body_kind(body.role, body.name).is_solid:
        return float(np.ptp(body.positions @ body.axes, axis=0).max()) / body.tetrahedralization.resolution
    return mean_edge(body.positions, body.face_sizes, body.corners)


@lru_cache(maxsize=8)
def _parsed(text: str) -> tuple[tuple[Row, ...], bool, int, float, float, float] | None:
    try:
        values = json.loads(text)
        rows = tuple(Row(**row) for row in values["rows"][:_MOST_ROWS])
        meeting, waiting, compiling = (float(values[name]) for name in ("meeting", "waiting", "compiling"))
        most = int(values["most"])
        of_rows = [number for row in rows for number in (row.count, row.substeps, row.seconds)]
        whole = [number for row in rows for number in (row.resolution, row.least)]
        numbers = [meeting, waiting, compiling, most, *of_rows, *whole]
        names = all(isinstance(name, str) for row in rows for name in (row.name, row.label))
        is_sound = (
            names
            and isinstance(values["kernels"], str)
            and all(isinstance(number, int) for number in whole)
            and all(math.isfinite(number) and 0 <= number < 1e15 for number in numbers)
        )
        return (rows, bool(values["is_known"]), most, meeting, waiting, compiling) if rows and is_sound else None
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


def _rounded(count: float) -> str:
    """Two digits of a count: it is no more certain."""
    scale = 10 ** max(math.floor(math.log10(max(count, 1.0))) - 1, 0)
    return f"{round(count / scale) * scale:,.0f}"


def _time(seconds: float) -> str:
    if seconds < 90.0:
        return f"{max(round(seconds), 1)} s"
    return f"{seconds / 60.0:.0f} minutes" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} hours"
