# SPDX-License-Identifier: GPL-3.0-or-later
"""What to trust at Draft, Normal and Final: small scenes of seven kinds, three meshes each, baked with all three.

``scripts/validate --accuracy`` writes docs/accuracy.md from them, all rows or, with ``--scenes``, some; with
``--converge`` it first records the numbers of runs with many more substeps, for those that no theory gives.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from contact_cases import shapes

from blender_xpbd.jobs.version import SOLVER_VERSION
from blender_xpbd.scene.settings import EFFORTS, QUALITIES

from .bars import bar, sag_per_theory
from .converged import converged_number
from .fabrics import ANGLE, angle, stretched, strip
from .jellies import falling_ball, least_volume
from .meshes import BALLS, CUBES, SHEETS, ball, centres, cube, sheet, values
from .probe import Comparison, Measure, Probe
from .pushed import carried_ball, swing
from .running import bake
from .shot import Baked, Floats, Shot, Thing

CHIPS = {quality.identifier: quality.label for quality in QUALITIES if quality.identifier in EFFORTS}
# of the converged runs: three times those of Final for cloth. Balls take somewhat more at Final, where nothing changes
# any more: 0.946, 0.944 and 0.926 in both
MANY = 480
# cells along a side of the sheets, and the ball that one falls on [m]
CELLS, BALL = 24, 0.25
# friction of the slope, and the share of its angle of friction that it has
FRICTION, STEEPNESS = 0.5, 0.9


def hung(kind: str) -> Shot:
    """A sheet of cotton of 1 m that is let go level, held at two corners."""
    positions, faces = sheet(kind, 1.0, 1.0, CELLS, CELLS)
    corners = np.flatnonzero((positions[:, 0] < 1e-9) & (np.abs(np.abs(positions[:, 1]) - 0.5) < 1e-9))
    return Shot((Thing("Cloth", positions, faces, values("CLOTH"), pinned=corners.astype(np.int32)),), 48)


def over_ball(kind: str) -> Shot:
    """A sheet of cotton of 1 m that falls by 2 cm onto a ball."""
    positions, faces = sheet(kind, 1.0, 1.0, CELLS, CELLS)
    cloth = Thing("Cloth", positions - [0.5, 0.0, -0.02], faces, values("CLOTH"))
    collider = Thing("Ball", *ball("quads", BALL, -2.0 * BALL), values("COLLIDER"))
    return Shot((cloth, collider), 48)


def on_slope(kind: str) -> Shot:
    """A cube of 20 cm of firm jelly that lies on a slope, which friction holds."""
    steep = np.arctan(STEEPNESS * FRICTION)
    slope = shapes.turned(shapes.moved(shapes.box((0.8, 0.8, 0.2)), 0.0, 0.0, -0.1), 1, float(steep))
    # 1 mm above: it begins without a push
    lying = shapes.turned(cube(kind, 0.2, 1e-3), 1, float(steep))
    # coarse, because contact with a mesh takes its time
    body = Thing("Cube", *lying, values("JELLY", "JELLY_FIRM", friction=FRICTION, cage_resolution=8))
    return Shot((body, Thing("Slope", *slope, values("COLLIDER", friction=FRICTION))), 48)


def slipped(baked: Baked) -> float:
    """How far the cube comes in the second second [mm]."""
    places: Floats = centres(baked.motion)
    return float(1e3 * np.linalg.norm(places[-1] - places[24]))


STRAIN = Measure("99th percentile of the strain [%]", stretched, 0.0)
OVERHANG = Measure("angle [°]", angle, ANGLE)
SQUEEZED = Measure("least volume per that at rest", least_volume, None)
SLIP = Measure("way in a second [mm]", slipped, 0.0)
SWING = Measure("swing in three seconds after a push [mm]", swing, None)


def _sag() -> Measure:
    return Measure("sag per that of a clamped bar", sag_per_theory(0.2), 1.0)


PROBES: tuple[Probe, ...] = (
    *(Probe(f"Pinned cloth, {kind}", hung(kind), (STRAIN,), MANY) for kind in SHEETS),
    *(Probe(f"Cloth over a ball, {kind}", over_ball(kind), (STRAIN,), MANY) for kind in SHEETS),
    *(Probe(f"Cotton over an edge, {kind}", strip("COTTON", kind), (OVERHANG,)) for kind in SHEETS),
    *(
        Probe(f"Ball of 20 cm falls 1 m, {kind}", falling_ball("medium", 0.2, 18, kind), (SQUEEZED,), MANY)
        for kind in BALLS
    ),
    *(Probe(f"Ball of 30 cm that a goal carries, {kind}", carried_ball(kind), (SWING,), MANY) for kind in BALLS),
    Probe("Bar held at one end", bar(), (_sag(),)),
    Probe("Bar, rolled by 45°", bar(roll=45.0), (_sag(),)),
    Probe("Bar, resolution 8", bar(resolution=8), (_sag(),)),
    *(Probe(f"Cube on a slope of {STEEPNESS:g} of friction, {kind}", on_slope(kind), (SLIP,)) for kind in CUBES),
)
COMPARISON = Comparison("accuracy", PROBES, "")


@dataclass(frozen=True)
class Line:
    """A row of the table.

    Attributes:
        label: scene and number.
        right: by theory, else of the converged run; NaN where it is not recorded.
        is_theory: whether it is from theory.
        found: with each of ``CHIPS``.
        substeps: likewise.
    """

    label: str
    right: float
    is_theory: bool
    found: tuple[float, ...]
    substeps: tuple[int, ...]


def comparison(scenes: Sequence[str] = ()) -> Comparison:
    """The scenes whose names begin with one of some texts; all where there is none.

    Raises:
        ValueError: no scene begins so.
    """
    chosen = tuple(probe for probe in PROBES if not scenes or probe.name.startswith(tuple(scenes)))
    if not chosen:
        raise ValueError(f"no scene's name begins with one of {list(scenes)}")
    return replace(COMPARISON, probes=chosen)


def lines(scenes: Sequence[str] = ()) -> list[Line]:
    """Bake scenes with all qualities; arguments as of ``comparison``."""
    rows = []
    for probe in comparison(scenes).probes:
        baked = bake([_with_quality(probe.shot, quality) for quality in CHIPS])
        for measure in probe.measures:
            known = converged_number(COMPARISON.key(probe, measure)) if probe.substeps else measure.expected
            right = float("nan") if known is None else known
            found = tuple(measure.of(one) for one in baked)
            substeps = tuple(one.substeps for one in baked)
            rows.append(Line(f"{probe.name}: {measure.label}", right, not probe.substeps, found, substeps))
            print(rows[-1], flush=True)
    return rows


def converged_rights() -> dict[str, float]:
    """The recorded converged numbers of the rows that no theory gives, by their labels."""
    found = {}
    for probe in PROBES:
        for measure in probe.measures:
            known = converged_number(COMPARISON.key(probe, measure)) if probe.substeps else None
            if known is not None:
                found[f"{probe.name}: {measure.label}"] = known
    return found


def _with_quality(shot: Shot, quality: str) -> Shot:
    return replace(shot, values={**shot.values, "quality": quality})


def write_accuracy(found: Sequence[Line], path: Path) -> None:
    """Write docs/accuracy.md: a template's words around the table.

    Other rows stay, but for what is right where a converged run tells it: that is as recorded now.
    """
    words = TEMPLATE.read_text(encoding="utf-8").replace("{many}", str(MANY))
    rights = converged_rights()
    head = ["scene", "right", *CHIPS.values(), "substeps", "solver"]
    kept = {label: _with_right(row, rights[label]) if label in rights else row for label, row in _rows_of(path).items()}
    rows = kept | {line.label: _row(line) for line in found}
    table = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *rows.values()]
    made = f"the newest are of version {SOLVER_VERSION}, {dt.datetime.now(tz=dt.UTC).date().isoformat()}."
    path.parent.mkdir(parents=True, exist_ok=True)
    filled = words.replace("{table}", "\n".join(table)).replace("{made}", made)
    path.write_text(filled.replace("{versions}", COMPARISON.versions or "?"), encoding="utf-8")


def _row(line: Line) -> str:
    """A row of the table, with the version of the solver that runs."""
    right = f"{line.right:.3g}" if line.is_theory else _converged_text(line.right)
    cells = [line.label, right, *(f"{number:.3g}" for number in line.found)]
    return "| " + " | ".join([*cells, " / ".join(map(str, line.substeps)), str(SOLVER_VERSION)]) + " |"


def _converged_text(right: float) -> str:
    """The cell of a number that a converged run tells; NaN where none is recorded."""
    return "?" if np.isnan(right) else f"{right:.3g} ¹"


def _with_right(row: str, right: float) -> str:
    """A row that stays, with the converged number that is recorded now: the page tells of one version of them."""
    label, _, *others = row.split(" | ")
    return " | ".join([label, _converged_text(right), *others])


def _rows_of(path: Path) -> dict[str, str]:
    """The rows of a page by their labels; none where there is no page."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    rows = [row for row in text.splitlines() if row.startswith("| ")][1:]
    return {row.split(" | ")[0].removeprefix("| "): row for row in rows}


TEMPLATE = Path(__file__).with_name("accuracy_words.md")
