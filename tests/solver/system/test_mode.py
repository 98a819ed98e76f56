# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a scene is compiled into its kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blender_xpbd.constraints.constraint import ACCUMULATE, BDF2, DAMPED, PBD, WARM
from blender_xpbd.solver.system.mode import Variant, static_mode
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, jelly_cube, scene


@pytest.mark.parametrize(
    ("settings", "material", "mode"),
    [
        ({}, {}, 0),
        ({"iterations": 2}, {}, ACCUMULATE),
        ({"measure_residual": True}, {}, ACCUMULATE),
        ({"solver_mode": "PBD"}, {}, PBD),
        ({"time_integration": "BDF2"}, {}, BDF2),
        ({}, {"damping_time": 0.01}, DAMPED),
        ({"solver_mode": "PBD", "iterations": 3, "time_integration": "BDF2"}, {}, PBD | ACCUMULATE | BDF2),
    ],
)
def test_what_a_scene_asks_for(settings, material, mode):
    assert static_mode(build_system(scene(cloth(4, **material), **settings))) == mode


def test_one_damped_body_is_enough():
    bodies = cloth(4), cloth(4, height=1.0, identifier="b1", damping_time=0.1)
    assert static_mode(build_system(scene(*bodies))) == DAMPED


def stiff_jelly(modulus, **settings):
    return build_system(scene(jelly_cube(0.1, resolution=4, youngs_modulus=modulus), **settings))


def test_only_jelly_of_one_iteration_begins_where_it_ended():
    """However soft it is, and whatever else there is."""
    for modulus in (1e2, 1e8):
        assert static_mode(stiff_jelly(modulus)) & WARM
        for settings in ({"iterations": 2}, {"solver_mode": "PBD"}, {"time_integration": "BDF2"}):
            assert not static_mode(stiff_jelly(modulus, **settings)) & WARM
    for material in ({"solid_model": "COROTATED"}, {"solver_mode": "PBD"}, {"stiffness_input": "COMPLIANCE"}):
        other = jelly_cube(0.1, resolution=4, **material)
        assert not static_mode(build_system(scene(other, cloth(4, height=1.0, identifier="b1")))) & WARM
        warm = replace(jelly_cube(0.1, 10.0, 4), identifier="b1")
        assert static_mode(build_system(scene(other, warm))) & WARM


def test_multipliers_of_friction_are_kept_for_further_iterations_and_bounces():
    plain = Variant(0, 1, 1, bounces=False, has_levels=False, damps_bodies=False)
    assert not plain.keeps_friction
    assert plain._replace(mode=ACCUMULATE).keeps_friction
    assert plain._replace(mode=WARM).keeps_friction
    assert plain._replace(mode=WARM).touches_early
    assert not plain.touches_early
    assert plain._replace(bounces=True).keeps_friction
    assert plain._replace(has_anchors=True).keeps_friction
    assert not plain.has_history
    assert plain._replace(mode=BDF2 | PBD).has_history
    assert (plain.step_share, plain._replace(mode=BDF2).step_share) == (1.0, pytest.approx(2.0 / 3.0))
