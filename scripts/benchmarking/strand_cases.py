# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands alone: what of the solver a segment takes in a substep."""

from __future__ import annotations

import statistics
import time

import numpy as np

from blender_xpbd.scene.body import Body, Pins
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.parameters.material_parameters import STRAND
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings

from .rows import Row
from .scenes import SECONDS_PER_FRAME
from .solver_cases import started

SUBSTEPS = 20
FRAMES = 48


def strands_scene(preset: str, strands: int, segments: int, length: float, device: str) -> Scene:
    """Level strands that fall from a hinge each."""
    count = segments + 1
    line = np.linspace(0.0, length, count)[:, None] * np.array([1.0, 0.0, 0.0])
    points = np.concatenate([line + np.array([0.0, 0.02, 0.0]) * k for k in range(strands)])
    edges = np.array([[count * k + n, count * k + n + 1] for k in range(strands) for n in range(segments)], np.int32)
    held = count * np.arange(strands, dtype=np.int32)
    none = np.zeros(0, np.int32)
    material = Material.from_values(dict(preset_values(preset, STRAND)))
    pins = Pins(held, np.ones(strands, np.float32), points[None, held])
    body = Body("b0", "Strands", STRAND, points, none, none, material, pins, loose_edges=edges)
    settings = SolverSettings(substeps=SUBSTEPS, device=device)
    return Scene((body,), (), FrameRange(1, FRAMES + 2, 1, SECONDS_PER_FRAME), settings, np.array([0.0, 0.0, -9.81]))


def strands_case(preset: str, strands: int, segments: int, device: str) -> Row:
    """CPU time of all threads per frame, the first left out."""
    length = 0.5
    _, solver, row = started(strands_scene(preset, strands, segments, length, device))
    solver.advance()
    times = []
    for _ in range(FRAMES):
        before = time.process_time()
        solver.advance()
        times.append(time.process_time() - before)
    places = solver.positions()[: strands * (segments + 1)].reshape(strands, segments + 1, 3)
    lengths = np.linalg.norm(np.diff(places, axis=1), axis=2)
    work = strands * segments * SUBSTEPS
    return row | {
        "strands": f"{preset}, {strands} of {segments} segments",
        "CPU ms/frame": 1e3 * statistics.median(times),
        "least": 1e3 * min(times),
        "CPU ns per segment and substep": 1e9 * statistics.median(times) / work,
        "greatest strain": float(np.abs(lengths * segments / length - 1.0).max()),
    }
