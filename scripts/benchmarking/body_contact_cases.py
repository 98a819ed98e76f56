# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact of cloth with itself costs: beside the same scene without it, and beside Blender's own Cloth."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import Scene
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

from .peer_cases import blender_record
from .rows import Row
from .scenes import cloth_body, floor, scene_of, square
from .solver_cases import frame_times, started

FRAMES = 60
# frames of a pair of solvers that take turns
PAIRED_FRAMES = 24
# the share of a sheet that is folded over another such share, and how far above it: a fifth of it touches
FLAP, FLAP_HEIGHT = 0.1, 0.004
ALONE = BodyContact(self_collision=False, body_collision=False)
# the scene of the peers: a ball of this radius, and how far above it the cloth begins [m]
BALL, LIFT = 0.4, 0.05


def ball() -> Collider:
    """The peers' ball as a mesh: 64 segments, 32 rings."""
    angle, height = np.linspace(0, 2 * np.pi, 65)[:-1], np.linspace(0, np.pi, 33)[1:-1]
    rings = np.stack(
        [
            np.outer(np.sin(height), np.cos(angle)),
            np.outer(np.sin(height), np.sin(angle)),
            np.outer(np.cos(height), np.ones(64)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    positions = BALL * np.concatenate([rings, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    index = np.arange(len(rings), dtype=np.int32).reshape(31, 64)
    a, b = index[:-1], index[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    sides = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    first, last = index[0], index[-1]
    caps = [np.stack([first, np.roll(first, -1), 0 * first + len(rings)], -1)]
    caps += [np.stack([np.roll(last, -1), last, 0 * last + len(rings) + 1], -1)]
    triangles = np.concatenate([sides, *caps]).astype(np.int32)
    return Collider("ball", "Ball", "MESH", np.eye(4)[None], positions[None], triangles)


def sheet(side: int, height: float, contact: BodyContact, pins: Pins | None = None) -> Body:
    """A cotton sheet of 1 m."""
    positions, quads = square(side, height)
    material = Material.from_values(preset_values("COTTON", "CLOTH"))
    sizes = np.full(len(quads), 4, np.int32)
    return Body("sheet", "Sheet", "CLOTH", positions, sizes, quads.ravel(), material, pins or Pins(), contact=contact)


def draped_case(side: int, device: str, meets_itself: bool) -> Row:
    """A sheet falls over the ball and hangs down in folds, which touch."""
    contact = BodyContact(self_collision=True) if meets_itself else ALONE
    scene = scene_of((sheet(side, BALL + LIFT, contact),), (ball(),), device=device)
    return measured(scene, "draped over a ball", side, "self" if meets_itself else "collider alone")


def free_case(side: int, device: str) -> Row:
    """A sheet hangs from two corners: nothing is near itself at first."""
    body = cloth_body(side, "DISTANCE")
    return paired(body, (), "hangs from two corners", side, device)


def flap_case(side: int, device: str) -> Row:
    """A sheet lies on a floor with a flap folded over: a fifth of it touches."""
    return paired(flapped(side), (floor(),), "a fifth touches", side, device)


def flapped(side: int) -> Body:
    """A cotton sheet of 1 m by 0.9 m whose last tenth lies on the one before."""
    positions, quads = square(side, FLAP_HEIGHT)
    along = positions[:, 0] + 0.5
    over = along > 1.0 - FLAP
    radius = 0.5 * FLAP_HEIGHT
    # around half a circle, then back over the sheet
    arc = np.clip((along - 1.0 + FLAP) / radius, 0.0, np.pi)
    back = np.maximum(along - 1.0 + FLAP - np.pi * radius, 0.0)
    positions[over, 0] = (0.5 - FLAP + radius * np.sin(arc) - back)[over]
    positions[over, 2] += (radius * (1.0 - np.cos(arc)))[over]
    material = Material.from_values({**preset_values("COTTON", "CLOTH"), "rest_angle": "FLAT"})
    sizes = np.full(len(quads), 4, np.int32)
    return Body("sheet", "Sheet", "CLOTH", positions, sizes, quads.ravel(), material)


def paired(body: Body, colliders: tuple[Collider, ...], name: str, side: int, device: str) -> Row:
    """Time of a frame with contact of the sheet with itself and without; two solvers take turns, frame by frame."""
    solvers = {}
    row: Row = {}
    for meets in (True, False):
        contact = BodyContact(self_collision=True) if meets else ALONE
        scene = scene_of((replace(body, contact=contact),), colliders, device=device)
        _, solvers[meets], row = started(scene) if meets else (None, Solver(build_system(scene)), row)
        solvers[meets].advance()
    times = [{meets: frame_times(solver, 1)[0] for meets, solver in solvers.items()} for _ in range(PAIRED_FRAMES)]
    counts = solvers[True].contact_counts()
    return {
        "scene": name,
        "vertices": side**2,
        "method": "self, by turns with none",
        **row,
        "ms/frame": 1e3 * statistics.median(pair[True] for pair in times),
        "ms/frame without": 1e3 * statistics.median(pair[False] for pair in times),
        "times the cost": statistics.median(pair[True] / pair[False] for pair in times),
        "pushing pairs per vertex": 0.0 if counts is None else float(counts[:, 0].sum()) / side**2,
    }


def measured(scene: Scene, name: str, side: int, method: str) -> Row:
    """Time of the frames, and how much the sheet stretches at the end."""
    _, solver, row = started(scene)
    times = frame_times(solver, FRAMES)
    places = solver.positions()[: side**2].reshape(side, side, 3)
    counts = solver.contact_counts()
    contacts = {} if counts is None else {"contacts": int(counts[:, 0].sum())}
    crossings = solver.crossings()
    crossed = {} if crossings is None else {"crossings": int(crossings.counts.sum()) // 2}
    return {
        "scene": name,
        "vertices": side**2,
        "method": method,
        **row,
        "ms/frame": 1e3 * statistics.median(times[1:30]),
        # the same at all sizes where cost grows as n log n
        "ns/(n log2 n)": 1e9 * statistics.median(times[1:30]) / (side**2 * math.log2(side**2)),
        "ms/frame 31-60": 1e3 * statistics.median(times[30:]),
        "p99 strain %": 100.0 * float(np.percentile(_strains(places), 99)),
        **contacts,
        **crossed,
    }


def _strains(places: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    lengths = np.concatenate([np.linalg.norm(np.diff(places, axis=axis), axis=2).ravel() for axis in range(2)])
    return lengths * (len(places) - 1) - 1.0


def blender_cloth(side: int, scripts: Path) -> Row:
    """Blender's own Cloth with self-collision over the same ball.

    Args:
        side: vertices a side.
        scripts: folder with ``bl.sh``; the environment names the application as its README says.

    Raises:
        OSError: the scripts are not there.
        subprocess.CalledProcessError: they failed.
    """
    record = blender_record(scripts, "kind=cloth", f"n={side}", "sphere=1", "selfcol=1", "budget=200")
    return {
        "scene": "draped over a ball",
        "vertices": side**2,
        "method": f"Cloth, Blender {record['version']}",
        "ms/frame": record["ms"],
        "p99 strain %": record.get("final", {}).get("p99", ""),
        "crossings": record.get("crossing", ""),
    }
