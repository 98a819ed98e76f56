# SPDX-License-Identifier: GPL-3.0-or-later
"""What begins tangled has to come apart within ten frames, and stay apart: the cases of Wicke et al. 2006."""

from __future__ import annotations

from functools import partial

import numpy as np

from . import shapes
from .case import Case, Content
from .objects import cloth, floor, held, jelly, jittered, roughened
from .tangles import MESHES, SELVES, WAYS, tangled_sheets

# frames in which all has to come apart, and those that are simulated
RECOVERY, FRAMES = 10, 20


def hanging(way: str, kind: str, random: np.random.Generator, frames: int) -> Content:
    """Cotton under gravity: the first sheet hangs by its corners, the other goes through it.

    One that goes through itself hangs by one end, for with both ends of a loop where they are it cannot be without.
    """
    bodies = []
    for number, mesh in enumerate(tangled_sheets(way, kind)):
        sheet = roughened(mesh, random)
        corners = _corners(mesh)[: 2 if way in SELVES else 4] if number == 0 else []
        bodies.append(cloth(f"cloth{number}", sheet, pins=held(corners, sheet[0][None, corners])))
    return Content(tuple(bodies))


def _corners(mesh: shapes.Mesh) -> list[int]:
    """The corners of a sheet whose rows are one behind the other."""
    count = len(mesh[0])
    # a grid of any sheet of ``tangles`` is square
    side = round(count**0.5)
    return [0, side - 1, count - side, count - 1]


def pinned_border(random: np.random.Generator, frames: int) -> Content:
    """Two sheets that are pinned along the borders which cross: what can part has to, beside what cannot."""
    bodies = []
    for number, mesh in enumerate(tangled_sheets("edge")):
        sheet = roughened(mesh, random)
        far = np.flatnonzero(sheet[0][:, 0] < sheet[0][:, 0].min() + 0.05)
        bodies.append(cloth(f"cloth{number}", sheet, pins=held(far, sheet[0][None, far])))
    return Content(tuple(bodies))


def on_floor(random: np.random.Generator, frames: int) -> Content:
    """Three sheets that lie on a floor and go through each other in waves."""
    bodies = []
    for number in range(3):
        x, y = (sheet := jittered(shapes.sheet(20, 20, 0.6, 0.6), random))[0][:, :2].T
        z = 0.04 + 0.012 * number + 0.015 * np.sin(14.0 * x + 2.0 * number) * np.cos(11.0 * y - number)
        bodies.append(cloth(f"cloth{number}", (np.column_stack([x, y, z]), sheet[1])))
    return Content(tuple(bodies), (floor(),))


def rod_through(random: np.random.Generator, frames: int) -> Content:
    """A rod of jelly goes right through a cube of jelly and out again."""
    cube = jittered(shapes.box((0.3, 0.3, 0.3), (5, 5, 5)), random)
    rod = roughened(shapes.box((0.6, 0.06, 0.06), (20, 2, 2)), random)
    rod = shapes.moved(shapes.turned(rod, 2, 0.2), 0.0, 0.02, 0.25)
    return Content((jelly("cube", shapes.moved(cube, 0.0, 0.0, 0.2)), jelly("rod", rod, resolution=12)), (floor(),))


def sheet_in_jelly(random: np.random.Generator, frames: int) -> Content:
    """A sheet goes through the middle of a jelly."""
    ball = shapes.moved(roughened(shapes.sphere(0.15, 6), random), 0.0, 0.0, 0.25)
    sheet = shapes.moved(jittered(shapes.sheet(24, 24, 0.8, 0.8), random), 0.0, 0.0, 0.28)
    return Content((jelly("ball", ball), cloth("cloth", sheet)), (floor(),))


CASES = (
    *(
        Case(f"{way}_{kind}", partial(hanging, way, kind), FRAMES, recovery=RECOVERY)
        for way in WAYS
        for kind in MESHES
        # for a sheet that goes through itself there is no coarse one
        if way not in SELVES or kind != "coarse"
    ),
    *(
        Case(build.__name__, build, FRAMES, recovery=RECOVERY)
        for build in (pinned_border, on_floor, rod_through, sheet_in_jelly)
    ),
)
