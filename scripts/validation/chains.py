# SPDX-License-Identifier: GPL-3.0-or-later
"""Pendulums, the catenary, and chains against a Newton solution and at equal work."""

from __future__ import annotations

import numpy as np

from blender_xpbd.solver.solver import Solver

from .case import Case, Curve, Plot, Result, at_most, relative
from .newton import newton_chain
from .simulation import GRAVITY, particles, path_of, run, settled, start

PERIODS = {10: 1.00191, 45: 1.03997, 90: 1.18034, 135: 1.52795, 170: 2.43936}


def pendulum(angle: float, frame: float, substeps: int, compliance: float = 0.0) -> Solver:
    """1 kg on a rod of 1 m, let go at an angle from below [°]."""
    place = [np.sin(np.radians(angle)), 0.0, -np.cos(np.radians(angle))]
    return start(particles([[0, 0, 0], place], [0.0, 1.0], [[0, 1]], compliance), substeps, 1, frame)


def pendulum_periods() -> Result:
    """Four times the first quarter."""
    rows, curves = [], []
    small = 2.0 * np.pi / np.sqrt(GRAVITY)
    for angle, expected in PERIODS.items():
        frame, substeps = 0.005, 10
        x = path_of(pendulum(angle, frame, substeps), round(0.27 * small * expected / frame), 1)[:, 0]
        k = int(np.flatnonzero(x <= 0.0)[0])
        quarter = (k - 1 + x[k - 1] / (x[k - 1] - x[k])) * frame
        rows.append(relative(f"T/T₀ at {angle}°", expected, 4.0 * quarter / small, 5e-3))
        curves.append(Curve(f"{angle}°", np.arange(len(x)) * frame, x))
    return Result(tuple(rows), Plot("time [s]", "x [m]", tuple(curves)))


def pendulum_tension() -> Result:
    """Tension from the stretch of a stiff rod, C/α."""
    alpha, frame = 1e-4, 0.002
    path = path_of(pendulum(90.0, frame, 8, alpha), 340, 1)
    tension = (np.linalg.norm(path, axis=1) - 1.0) / alpha / GRAVITY
    depth = -path[:, 2]
    bottom = int(np.argmax(depth))
    smooth = np.polyfit(np.arange(-10, 11), tension[bottom - 10 : bottom + 11], 2)[-1]
    plot = Plot(
        "height above the bottom [m]",
        "tension / (m g)",
        (
            Curve("solver", 1.0 - depth[: bottom + 1], tension[: bottom + 1]),
            Curve("3 (1 − height)", [0, 1], [3, 0], "k:"),
        ),
    )
    return Result((relative("tension at the bottom / (m g)", 3.0, smooth, 5e-3),), plot)


def catenary() -> Result:
    """Sag of rigid chains."""
    rows, curves = [], []
    for length, sag in ((1.05, 0.1393), (1.2, 0.2923), (2.0, 0.7964)):
        links = 60
        share = np.linspace(-1.0, 1.0, links + 1)
        deepest = np.sqrt(length**2 - 1.0) / 2.0
        points = np.stack([0.5 * share, 0.0 * share, -deepest * (1.0 - np.abs(share))], axis=1)
        masses = np.full(links + 1, length / links)
        masses[[0, -1]] = 0.0
        pairs = np.stack([np.arange(links), np.arange(links) + 1], axis=1)
        model = particles(points, masses, pairs, 0.0, drag=6.0)
        final = settled(start(model, 40, 60), 150, 1e-6)
        rows.append(relative(f"sag of a chain of {length} m", sag, -final[:, 2].min(), 0.01))
        curves.append(Curve(f"{length} m", final[:, 0], final[:, 2], ".-"))
    return Result(tuple(rows), Plot("x [m]", "z [m]", tuple(curves), is_equal=True))


LINKS, LENGTH, FRAME = 19, 1.0, 1 / 60


def support_forces(iterations: int, frames: int) -> np.ndarray:
    """Force on the support of a falling chain after each frame [N], from the multiplier of its first link."""
    points = np.array([[LENGTH * i, 0.0, 0.0] for i in range(LINKS + 1)])
    pairs = np.stack([np.arange(LINKS), np.arange(LINKS) + 1], axis=1)
    solver = start(particles(points, [0.0] + [1.0] * LINKS, pairs, 1e-8), 1, iterations, FRAME)
    block = next(block for block in solver.system.schedule.blocks if block is not None)
    first = int(np.flatnonzero((block.indices == 0).any(axis=1))[0])
    forces = []
    for _ in range(frames):
        solver.advance()
        # the solver keeps multipliers to itself: nothing else needs them after a substep
        multipliers = solver._state.constraints.lagrange_multipliers.to_numpy()
        forces.append(-float(multipliers[first]) / FRAME**2)
    return np.array(forces)


def newton() -> Result:
    """Forces on the support against Newton's method."""
    frames = 100
    exact = newton_chain(LINKS, LENGTH, 1e-8, FRAME, frames)
    time = (np.arange(frames) + 1) * FRAME
    rows, curves = [], [Curve("Newton", time, exact, "k:")]
    for iterations, limit in ((50, 0.06), (100, 0.02), (1000, 0.005)):
        got = support_forces(iterations, frames)
        worst = float(np.abs(got - exact).max() / np.abs(exact).max())
        rows.append(at_most(f"greatest force error per greatest force, {iterations} iterations", limit, worst))
        curves.append(Curve(f"{iterations} iterations", time, got))
    note = (
        "The paper does not say how long its links are; here they are 1 m. "
        "Links of 0.1 to 0.5 m pass below their support within the 100 frames, and the whip that follows is further "
        "off: 11 / 5.5 / 0.84 % with 0.1 m."
    )
    return Result(tuple(rows), Plot("time [s]", "force on the support [N]", tuple(curves)), note)


def small_steps() -> Result:
    """Substeps against iterations."""
    points = np.array([[0.05 * i, 0.0, 0.0] for i in range(20)])
    pairs = np.stack([np.arange(19), np.arange(19) + 1], axis=1)
    masses = np.array([0.0] + [0.1] * 19)
    rows, curves, found = [], [], {}
    for work in (10, 40):
        for substeps, iterations in ((work, 1), (1, work)):
            solver = start(particles(points, masses, pairs, 0.0), substeps, iterations, 1 / 60)
            errors, energies = [], []
            for _ in range(90):
                x = run(solver, 1)
                v = solver.checkpoint()["velocities"][:, :3].astype(np.float64)
                errors.append(np.abs(np.linalg.norm(x[1:] - x[:-1], axis=1) / 0.05 - 1.0).max())
                energies.append((masses * (0.5 * (v**2).sum(axis=1) + GRAVITY * x[:, 2])).sum())
            found[substeps, iterations] = (np.mean(errors), -energies[-1])
            curves.append(Curve(f"{substeps} × {iterations}", (np.arange(90) + 1) / 60, errors))
        (few, loss), (many, other_loss) = found[work, 1], found[1, work]
        rows.append(at_most(f"strain of {work} × 1 per strain of 1 × {work}", 1.0, few / many))
        rows.append(at_most(f"energy lost by {work} × 1 per energy lost by 1 × {work}", 1.0, loss / other_loss))
    plot = Plot("time [s]", "greatest strain", tuple(curves), is_log_y=True)
    return Result(tuple(rows), plot, "Labels are substeps × iterations per frame. The energy is lost in 1.5 s.")


CASES = (
    Case(
        "pendulum_periods",
        "Pendulum periods",
        "1 kg on a rigid rod, let go at rest: four times the first quarter of the swing, per T₀ = 2π√(L/g). "
        "Expected from the elliptic integral K(sin(θ/2)).",
        pendulum_periods,
        quick=True,
    ),
    Case(
        "pendulum_tension",
        "Pendulum tension",
        "Let go at 90°, the rod carries 3 m g at the bottom.",
        pendulum_tension,
        quick=True,
    ),
    Case("catenary", "Catenary", "A rigid chain of 60 links over a span of 1 m, at rest.", catenary),
    Case(
        "newton_chain",
        "Chain against Newton's method",
        "20 particles of 1 kg, links of 1 m and 10⁻⁸ m/N, held at one end and let go level: the force on the support "
        "in 100 frames of 1/60 s against backward Euler solved by Newton's method in float64 (XPBD 2016, §6.1).",
        newton,
    ),
    Case(
        "small_steps",
        "Substeps against iterations",
        "A rigid chain of 20 particles falls for 1.5 s: n substeps of one iteration against one step of n iterations "
        "(Small Steps 2019).",
        small_steps,
        quick=True,
    ),
)
