# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check finds, and how it is kept in the scene. The text may come from a stranger's file: none is trusted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import NamedTuple

from ...scene.errors import ERROR_EXIT_CODES, WARNING_CODES, Notice, XpbdError
from ..baking.notice_groups import pattern


class Remedy(NamedTuple):
    """A button that mends what was found.

    Attributes:
        label: of the button.
        operator: ``bl_idname``; one whose property ``object_name`` says what to mend, where there is one.
    """

    label: str
    operator: str


# by the code of what was found
REMEDIES = {
    "W_INSIDE": Remedy("Lift", "xpbd.lift"),
    "W_ENCLOSED": Remedy("Make Hollow", "xpbd.make_hollow"),
    "W_WITHIN": Remedy("Keep Inside", "xpbd.keep_inside"),
    "W_DOUBLED": Remedy("Merge by Distance", "xpbd.merge_doubled"),
    "W_SEWING": Remedy("Sew", "xpbd.sew"),
    "W_LIES": Remedy("Lift", "xpbd.lift"),
    "W_FALLS": Remedy("Add Floor", "xpbd.add_floor"),
    "W_COARSE": Remedy("Subdivide", "xpbd.subdivide"),
    "W_THIN": Remedy("Automatic Resolution", "xpbd.suit_resolution"),
    "W_SIZE": Remedy("Feels Like", "xpbd.feel_like"),
    "W_QUALITY": Remedy("Allow More Substeps", "xpbd.allow_substeps"),
    "W_UNITS": Remedy("Set Gravity to 9.81 m/s²", "xpbd.set_gravity"),
    "W_NEAR": Remedy("Fit Thickness", "xpbd.fit_thickness"),
    "W_GAP": Remedy("Set Contact Distance", "xpbd.set_contact_distance"),
    "W_SMOOTHED": Remedy("Apply Subdivision", "xpbd.apply_subdivision"),
    "W_THICKENED": Remedy("Make Room", "xpbd.make_room"),
    "W_SHOWN_SMOOTH": Remedy("Turn Smoothing Off", "xpbd.turn_smoothing_off"),
    "W_SIMPLIFY": Remedy("Turn Simplify Off", "xpbd.turn_simplify_off"),
    "W_DEFORMER": Remedy("Mute", "xpbd.mute_deformers"),
    "W_RANGE": Remedy("Use Scene's", "xpbd.use_scene_range"),
    "W_RIG": Remedy("Follow the Rig", "xpbd.follow_rig"),
    "E_DATA_LINKED": Remedy("Make Local", "xpbd.make_local"),
    "E_DATA_SHARED": Remedy("Make Single User", "xpbd.make_single_user"),
}
# what else can be done about it
_LET_OUT = Remedy("Let It Be Pushed Out", "xpbd.let_out")
_OTHERS = {
    "W_INSIDE": (_LET_OUT,),
    "W_ENCLOSED": (Remedy("Lift", "xpbd.lift"), _LET_OUT),
    "W_WITHIN": (Remedy("Lift", "xpbd.lift"),),
}
# what starts inside a collider, by a check; a bake says the first of all of them
INSIDE = ("W_INSIDE", "W_ENCLOSED")
# what an artist has said to be fine
QUIET = frozenset({"W_LET_OUT"})
# these buttons mend the scene, or all objects that are concerned
_OF_SCENE = frozenset({"W_FALLS", "W_RANGE", "W_RIG", "W_SIMPLIFY", "W_UNITS"})


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        code: of a fault or a warning.
        object: name of the object concerned, or "".
        message: what it is, what it means, and what to do.
    """

    code: str
    object: str
    message: str

    @classmethod
    def of(cls, found: Notice | XpbdError) -> Finding:
        """From a warning, or a fault that would refuse the bake."""
        return cls(found.code, found.object_name, found.message)

    @property
    def remedy(self) -> Remedy | None:
        """What mends it, if a button can."""
        return REMEDIES.get(self.code) if self.object or self.code in _OF_SCENE else None

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """All buttons that do something about it, that of ``remedy`` first."""
        first = self.remedy
        return () if first is None else (first, *_OTHERS.get(self.code, ()))

    @property
    def baked_code(self) -> str:
        """What a bake calls it."""
        return INSIDE[0] if self.code in INSIDE else self.code

    @property
    def is_fault(self) -> bool:
        """Whether a bake would refuse to start."""
        return self.code in ERROR_EXIT_CODES

    def __str__(self) -> str:
        where = f' object "{self.object}":' if self.object else ""
        return f"{self.code}:{where} {self.message}"


def names_let_out(findings: Iterable[Finding]) -> frozenset[str]:
    """Names of objects of which an artist has said that they may start inside all that they start inside of."""
    rows = list(findings)
    return frozenset(one.object for one in rows if one.code in QUIET) - {
        one.object for one in rows if one.code in INSIDE
    }


def alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings that say the same of several objects, but for numbers, together; in the order of the first of each."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, pattern(finding.message)), []).append(finding)
    return list(groups.values())


def finding_values(finding: Finding) -> dict[str, str]:
    """For ``--json``."""
    return {**asdict(finding), "remedy": finding.remedy.label if finding.remedy else ""}


def findings_text(findings: Iterable[Finding]) -> str:
    """As it is kept in ``Scene.xpbd.findings``."""
    return json.dumps([asdict(finding) for finding in findings])


@lru_cache(maxsize=8)
def findings_of(text: str) -> tuple[Finding, ...] | None:
    """What was kept; None where nothing was, or where it is not to be understood."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list):
        return None
    return tuple(Finding(row["code"], row["object"], row["message"]) for row in rows if _is_finding(row))


def _is_finding(row: object) -> bool:
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in ("code", "object", "message")):
        return False
    return row["code"] in WARNING_CODES or row["code"] in ERROR_EXIT_CODES
