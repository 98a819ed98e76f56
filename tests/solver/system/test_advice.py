# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of substeps, and that the size of a body alone changes nothing."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.advice import divergence_advice, stiffness_advice, stretch_advice
from blender_xpbd.solver.system.statistics import Measure
from blender_xpbd.solver.system.substeps import MOST_SUBSTEPS, substeps_for_stiffness, substeps_for_weight
from blender_xpbd.solver.system.system import build_system
from tests.solver.grain_scenes import grain_scene, grains
from tests.solver.scenes import cloth, jelly_cube, pins, plane, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize("size", [2.0**-20, 2.0**-14, 2.0**-6, 2.0**4], ids=["1 µm", "61 µm", "16 mm", "16 m"])
@pytest.mark.parametrize("kind", ["jelly", "cloth"])
def test_bodies_of_any_size_move_alike(size, kind):
    """E ∝ L and t ∝ √L leave the equations of motion as they are: no tolerance may have a length in it.

    But for the rate from which on the strain of free jelly counts as still.

    Powers of two round alike, of four their square roots too.
    """
    ends = []
    for scale in (1.0, size):
        if kind == "jelly":
            body = jelly_cube(scale, youngs_modulus=2e4 * scale, contact_offset=0.01 * scale, internal_damping=0.0)
            # of what is free, slow strain does not lag, and what is slow is told by a rate
            body = replace(body, pins=pins(body.positions, [7]))
        else:
            stiffness = {"stretch_stiffness": 100.0 * scale**2, "bending_stiffness": 1e-4 * scale**4}
            stiffness["area_density"] = 0.2 * scale
            body = cloth(8, size=scale, height=0.1 * scale, contact_offset=0.01 * scale, pinned=(0,), **stiffness)
        settings = {"duration": np.sqrt(scale) / 24, "precision": "DOUBLE", "substeps": 30}
        simulation = solver(body, colliders=[plane()], frames=(1, 9), **settings)
        ends.append(run(simulation, 8) / scale)
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)


def small_cube(size=1e-4, resolution=16, **settings):
    return build_system(scene(jelly_cube(size, resolution=resolution), colliders=[plane()], frames=(1, 5), **settings))


def test_no_more_substeps_are_advised_than_can_be_set():
    text = stiffness_advice(small_cube())
    assert "softer" in text
    assert "Resolution" in text
    assert "about" not in text
    assert re.findall(r"\d+", text) == ["20"]


def test_grains_are_not_called_jelly():
    piles = [build_system(grain_scene(grains(np.eye(3), radius=0.012), substeps=count)) for count in (20, 45)]
    text = stiffness_advice(piles[0])
    assert re.findall(r"about (\d+)", text) == ["43"]
    assert "grains" in text
    assert "jelly" not in text
    assert not stiffness_advice(piles[1])


def test_what_is_advised_holds():
    system = small_cube(0.05)
    needed = int(re.findall(r"about (\d+)", stiffness_advice(system))[0])
    assert 20 < needed <= MOST_SUBSTEPS
    assert not stiffness_advice(small_cube(0.05, substeps=needed + 1))
    assert not stiffness_advice(small_cube(0.05, solver_mode="PBD"))


def quality_cube(quality, substeps, **settings):
    return small_cube(0.05, resolution=8, quality=quality, substeps=substeps, **settings)


def test_a_draft_tells_that_stiff_jelly_bends_too_softly_and_normal_does_not():
    normal = substeps_for_stiffness(quality_cube("MATERIAL", 20))
    assert 20 < normal < 160
    text = stiffness_advice(quality_cube("DRAFT", math.ceil(0.5 * normal)))
    assert f"about {normal} " in text
    assert text.endswith("Normal takes as many.")
    assert not stiffness_advice(quality_cube("MATERIAL", normal))


def test_a_draft_that_only_rebounds_too_low_is_by_choice():
    ball = jelly_cube(1.0, height=1.0, resolution=16, youngs_modulus=2e4)
    systems = [
        build_system(scene(ball, colliders=[plane()], frames=(1, 40), quality=quality, substeps=10))
        for quality in ("DRAFT", "FIXED")
    ]
    assert not stiffness_advice(systems[0])
    assert stiffness_advice(systems[1])


def test_what_the_limit_keeps_from_jelly_is_told_with_the_limit():
    text = stiffness_advice(quality_cube("MATERIAL", 30, maximum_substeps=30))
    assert text.endswith("Raise At Most to allow them.")
    assert not stiffness_advice(quality_cube("FIXED", 30)).endswith("them.")


def test_substeps_advised_for_a_tiny_body_hold_it():
    system = small_cube(resolution=8)
    needed = substeps_for_weight(system, system.models[0])
    text = divergence_advice(system, 0)
    assert f"{needed} substeps" in text
    system = small_cube(resolution=8, substeps=needed)
    simulation = Solver(system)
    for _ in range(2):
        simulation.advance()
    assert Measure(system)(simulation.positions())[0, 1] < 0.1


def test_advice_for_bodies_that_are_too_small_for_any_substeps():
    assert not re.search(r"\d+ substeps", divergence_advice(small_cube(1e-5, gravity=(0.0, 0.0, -2e4)), 0))
    for size in (0.1, 1.0):
        assert "more substeps" in divergence_advice(small_cube(size), 0)


@pytest.mark.parametrize("quality", ["DRAFT", "MATERIAL"])
def test_a_limit_that_lets_cloth_stretch_is_told(quality):
    fine = {limit: scene(cloth(21, size=0.05), quality=quality, maximum_substeps=limit) for limit in (40, 200)}
    text = stretch_advice(build_system(fine[40]))
    assert "about 160" in text
    assert "At Most" in text
    assert not stretch_advice(build_system(fine[200]))
    assert not stretch_advice(build_system(scene(cloth(21, size=0.05))))


def test_no_limit_is_advised_that_cannot_be_set():
    dust = scene(cloth(21, size=1e-6), quality="MATERIAL")
    assert "larger" in stretch_advice(build_system(dust))
