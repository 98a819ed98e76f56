# SPDX-License-Identifier: GPL-3.0-or-later
"""What the algorithm gives exactly: springs, hanging masses, PBD stiffness, free fall, momentum."""

from __future__ import annotations

import numpy as np

from blender_xpbd.bodies.body_model import last_parameter
from blender_xpbd.scene.settings import SolverSettings

from .case import Case, Curve, Plot, Result, absolute, at_most, relative
from .meshes import cloth, grid
from .simulation import GRAVITY, particles, path_of, positions_of, run, settled, start

COMPLIANCE = 1e-3


def stretched_spring(iterations: int, frame: float, substeps: int, frames: int) -> np.ndarray:
    """Offset of a mass of 1 kg on a spring of 1 m that starts at 1.5 m, after each frame [m]."""
    model = particles([[0, 0, 0], [1, 0, 0]], [0.0, 1.0], [[0, 1]], COMPLIANCE)
    solver = start(model, substeps, iterations, frame, gravity=(0, 0, 0))
    state = solver.checkpoint()
    state["positions"][1, 0] += 0.5
    solver.restore(0, state)
    return path_of(solver, frames, 1)[:, 0] - 1.0


def backward_euler(h: float, steps: int) -> np.ndarray:
    """The same by x = x̃ / (1 + h²/(αm)) in float64."""
    x, v, path = 0.5, 0.0, [0.5]
    for _ in range(steps):
        ahead = (x + h * v) / (1.0 + h * h / COMPLIANCE)
        x, v = ahead, (ahead - x) / h
        path.append(x)
    return np.array(path)


def spring() -> Result:
    """Spring: every step, decay, period."""
    h, steps, rows, curves = 1 / 480, 200, [], []
    expected = backward_euler(h, steps)
    for iterations in (1, 4, 16):
        got = stretched_spring(iterations, h, 1, steps)
        rows.append(
            absolute(
                f"greatest difference from backward Euler per amplitude, {iterations} iterations",
                0.0,
                np.abs(got - expected).max() / 0.5,
                1e-5,
            )
        )
        curves.append(Curve(f"{iterations} iterations", np.arange(steps + 1) * h, got, ".-"))
    omega = COMPLIANCE**-0.5
    energy = stretched_energy(stretched_spring(1, h, 1, steps), h)
    decay = (energy[-1] / energy[0]) ** (0.5 / (len(energy) - 1))
    rows.append(
        relative("decay of the amplitude per step, 1/√(1 + ω²h²)", 1 / np.sqrt(1 + (omega * h) ** 2), decay, 1e-5)
    )
    fine = stretched_spring(1, 1 / 480, 10, 300)
    crossings = np.flatnonzero((fine[:-1] > 0) & (fine[1:] <= 0))
    times = (crossings + fine[crossings] / (fine[crossings] - fine[crossings + 1])) / 480
    rows.append(relative("period at h = 1/4800 s [s], 2π√(αm)", 2 * np.pi / omega, np.diff(times).mean(), 1e-3))
    plot = Plot("time [s]", "offset [m]", (*curves, Curve("backward Euler", np.arange(steps + 1) * h, expected, "k:")))
    return Result(tuple(rows), plot)


def stretched_energy(offsets: np.ndarray, h: float) -> np.ndarray:
    """Energy of the spring after each step [J], with the step's own velocity (x − x_previous)/h."""
    return 0.5 * offsets[1:] ** 2 / COMPLIANCE + 0.5 * (np.diff(offsets) / h) ** 2


def hanging_mass() -> Result:
    """Stretch = m g α."""
    mass, alpha, rows, counts, stretches = 0.5, 4e-3, [], [], []
    for substeps, iterations in ((5, 1), (5, 16), (20, 1), (20, 4), (20, 16), (80, 1)):
        model = particles([[0, 0, 0], [0, 0, -1.0]], [0.0, mass], [[0, 1]], alpha, drag=20.0)
        lowest = settled(start(model, substeps, iterations), 100, 1e-7)[1, 2]
        stretches.append(-lowest - 1.0)
        counts.append(substeps * iterations)
        label = f"stretch, {substeps} substeps × {iterations} iterations [m]"
        rows.append(relative(label, mass * GRAVITY * alpha, stretches[-1], 1e-5))
    expected = np.full(len(counts), mass * GRAVITY * alpha)
    order = np.argsort(counts)
    plot = Plot(
        "substeps × iterations",
        "stretch [m]",
        (
            Curve("solver", np.array(counts)[order], np.array(stretches)[order], "o"),
            Curve("m g α", np.array(counts)[order], expected),
        ),
        is_log_x=True,
    )
    return Result(tuple(rows), plot)


def static_chain() -> Result:
    """Extension of link i = α · (weight below it)."""
    links, mass, alpha = 10, 0.1, 2e-3
    expected = alpha * mass * GRAVITY * np.arange(links, 0, -1)
    points, pairs = [[0, 0, -0.1 * i] for i in range(links + 1)], [[i, i + 1] for i in range(links)]
    rows, curves = [], [Curve("α · weight below", np.arange(1, links + 1), expected, "k:")]
    for substeps, iterations in ((40, 1), (40, 10), (40, 50), (10, 50)):
        model = particles(points, [0.0] + [mass] * links, pairs, alpha, drag=8.0)
        z = settled(start(model, substeps, iterations), 200, 1e-7)[:, 2]
        extension = z[:-1] - z[1:] - 0.1
        worst = np.abs(extension / expected - 1.0).max()
        label = f"greatest error of a link, {substeps} substeps × {iterations} iterations"
        h = 1 / 24 / substeps
        limit = 2.02 * h * h / (mass * alpha) if iterations == 1 else 1e-5
        rows.append(at_most(label, round(limit, 5), worst))
        curves.append(Curve(f"{substeps} × {iterations}", np.arange(1, links + 1), extension, "o"))
    note = (
        "C + α̃λ = 0 holds where the iterations have converged. With one iteration a link sees its neighbours where "
        "they were before their own projection, which adds about h²·(w₁ + w₂)/α."
    )
    return Result(tuple(rows), Plot("link, from the top", "extension [m]", tuple(curves)), note)


def pbd_stiffness() -> Result:
    """Residual of PBD after one substep."""
    rows, curves = [], []
    counts = (1, 2, 5, 20)
    for stiffness in (0.1, 0.5, 0.9):
        residuals = []
        for iterations in counts:
            settings = SolverSettings(iterations=iterations, solver_mode="PBD")
            share = last_parameter(settings, 0.0, stiffness)
            solver = start(
                particles([[0, 0, 0], [1.0, 0, 0]], [0.0, 1.0], [[0, 1]], share),
                1,
                iterations,
                gravity=(0, 0, 0),
                mode="PBD",
            )
            state = solver.checkpoint()
            state["positions"][1, 0] += 0.5
            solver.restore(0, state)
            residuals.append((run(solver, 1)[1, 0] - 1.0) / 0.5)
        worst = max(residuals, key=lambda value: abs(value - (1.0 - stiffness)))
        rows.append(
            absolute(f"residual at k = {stiffness} after 1 to 20 iterations, furthest off", 1 - stiffness, worst, 1e-5)
        )
        curves.append(Curve(f"k = {stiffness}", counts, residuals, "o-"))
    return Result(tuple(rows), Plot("iterations", "residual per stretch", tuple(curves), is_log_x=True))


def free_fall() -> Result:
    """Drop in a vacuum and against drag."""
    rows, curves = [], []
    for rate in (0.0, 2.0):
        expected = GRAVITY * (0.5 if rate == 0.0 else (rate + np.expm1(-rate)) / rate**2)
        for substeps in (1, 7, 20, 100):
            pair = particles([[0, 0, 0], [1.0, 0, 0]], [1.0, 1.0], [[0, 1]], 0.0, rate)
            path = path_of(start(pair, substeps), 24, 0)[:, 2]
            label = f"drop after 1 s with {substeps} substeps per frame, drag {rate:g}/s [m]"
            rows.append(relative(label, expected, -path[-1], 1e-5))
            curves.append(Curve(f"{substeps} substeps, drag {rate:g}/s", np.arange(25) / 24, path))
    return Result(tuple(rows), Plot("time [s]", "height [m]", tuple(curves)))


def momentum() -> Result:
    """Momentum of a free cloth that wobbles."""
    rows, curves = [], []
    for name, values in (("undamped", {}), ("wobble damping 5/s", {"internal_damping": 5.0})):
        model = cloth(grid(1.0, 1.0, 7, 7, "quads"), stretch_stiffness=50.0, **values)
        solver = start(model, 10, 2, gravity=(0, 0, 0))
        state = solver.checkpoint()
        state["velocities"][:, :3] = np.random.default_rng(0).normal(0, 0.5, (len(model.positions), 3))
        solver.restore(0, state)
        linear, angular = [], []
        for _ in range(49):
            velocities = solver.checkpoint()["velocities"][:, :3].astype(np.float64)
            p = model.masses[:, None] * velocities
            x = positions_of(solver) - model.positions.mean(axis=0)
            linear.append(p.sum(axis=0))
            angular.append(np.cross(x, p).sum(axis=0))
            run(solver, 1)
        size = (model.masses * 0.5).sum()
        changes = [np.linalg.norm(np.array(values) - values[0], axis=1) / size for values in (linear, angular)]
        rows.append(absolute(f"change of linear momentum in 1 frame per Σ m|v|, {name}", 0.0, changes[0][1], 1e-11))
        rows.append(absolute(f"change of linear momentum in 2 s per Σ m|v|, {name}", 0.0, changes[0].max(), 1e-10))
        rows.append(absolute(f"change of angular momentum in 2 s per Σ m|v|·1 m, {name}", 0.0, changes[1].max(), 1e-3))
        curves += [
            Curve(f"linear, {name}", np.arange(49) / 24, changes[0]),
            Curve(f"angular, {name}", np.arange(49) / 24, changes[1]),
        ]
    return Result(tuple(rows), Plot("time [s]", "change per Σ m|v|", tuple(curves)))


CASES = (
    Case(
        "spring",
        "Spring",
        "A mass of 1 kg on a spring of 1 mm/N, stretched by 0.5 m and let go: one substep is one of backward Euler, at "
        "every iteration count (XPBD 2016, §6.1).",
        spring,
        quick=True,
    ),
    Case("hanging_mass", "Hanging mass", "0.5 kg on a link of 4 mm/N stretches it by m g α.", hanging_mass, quick=True),
    Case(
        "static_chain",
        "Static chain",
        "Ten links of 2 mm/N with 0.1 kg each: link i is longer by α times the weight below it.",
        static_chain,
        quick=True,
    ),
    Case(
        "pbd_stiffness",
        "PBD stiffness",
        "k' = 1 − (1 − k)^(1/n) leaves 1 − k of the error after n iterations (PBD 2007, §3.3).",
        pbd_stiffness,
        quick=True,
    ),
    Case("free_fall", "Free fall", "A body falls by g t²/2, with drag by g (kt − 1 + e⁻ᵏᵗ)/k².", free_fall, quick=True),
    Case(
        "momentum",
        "Momentum",
        "A free cloth with random velocities: constraints and the damping of PBD 2007, §3.5 are internal.",
        momentum,
        quick=True,
    ),
)
