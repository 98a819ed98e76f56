# SPDX-License-Identifier: GPL-3.0-or-later
"""Links of an artist: rods, ropes and bumpers between vertices of any body."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.links import AT_LEAST, AT_MOST, EQUAL, Links
from tests.solver.scenes import GRAVITY, cloth, jelly_cube, pins, run, scene, solver

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def links(pairs, kind, length=0.0, compliance=0.0, share=1.0):
    count = len(pairs)
    return Links(
        np.asarray(pairs, np.int32),
        np.full(count, kind, np.int32),
        np.full(count, length),
        np.full(count, compliance),
        np.full(count, share),
    )


def patch(height, kind, length=0.0, compliance=0.0, **material):
    """A small cloth whose first four vertices are pinned, and whose other square hangs from them by one link."""
    upper, lower = cloth(2, 0.1), cloth(2, 0.1, height)
    body = replace(
        upper,
        positions=np.concatenate([upper.positions, lower.positions]),
        face_sizes=np.concatenate([upper.face_sizes, lower.face_sizes]),
        corners=np.concatenate([upper.corners, lower.corners + 4]),
        links=links([[k, k + 4] for k in range(4)], kind, length, compliance),
        material=cloth(2, **{"damping": 20.0, **material}).material,
    )
    return replace(body, pins=pins(body.positions, range(4)))


def resting(body, frames=60, **settings):
    """How high the lower square is in the end [m]."""
    return float(run(solver(body, **{"substeps": 20, **settings}), frames)[4:, 2].mean())


@pytest.mark.parametrize("settings", [{}, {"iterations": 4}, {"time_integration": "BDF2"}, {"solver_mode": "PBD"}])
@pytest.mark.parametrize(
    ("kind", "height", "length", "expected"),
    [
        (EQUAL, -0.3, 0.0, -0.3),
        (EQUAL, -0.3, 0.2, -0.2),
        (AT_MOST, -0.1, 0.4, -0.4),
        # it stands on the pinned square: a bumper holds it up, and a rope of its length does not
        (AT_LEAST, 0.3, 0.0, 0.3),
    ],
)
def test_a_link_holds_its_length(kind, height, length, expected, settings):
    body = patch(height, kind, length)
    assert resting(body, **settings) == pytest.approx(expected, abs=2e-3)


def test_a_rope_does_not_push_and_a_bumper_does_not_pull():
    falls = -0.5 * GRAVITY * (12 / 24) ** 2
    rope = solver(patch(0.3, AT_MOST, damping=0.0), substeps=10)
    assert run(rope, 5)[4:, 2].mean() == pytest.approx(0.3 - 0.5 * GRAVITY * (5 / 24) ** 2, abs=1e-3)
    bumper = solver(patch(-0.3, AT_LEAST, damping=0.0), substeps=10)
    assert run(bumper, 12)[4:, 2].mean() == pytest.approx(-0.3 + falls, abs=1e-3)


@pytest.mark.parametrize(
    ("kind", "length", "compliance", "is_told"),
    [
        (AT_LEAST, 1.0, 0.0, True),
        (AT_LEAST, 1.0, 1e-3, False),
        (AT_LEAST, 0.2, 0.0, False),
        (AT_MOST, 0.1, 0.0, True),
        (AT_MOST, 0.4, 0.0, False),
        (AT_MOST, 0.299, 0.0, True),
        (AT_LEAST, 0.3, 0.0, False),
        (EQUAL, 1.0, 0.0, False),
        (EQUAL, 0.0, 0.0, False),
    ],
)
def test_what_throws_at_the_start_is_told(kind, length, compliance, is_told):
    """A rigid bumper of 1 m between grains 10 cm apart threw them at 180 m/s, and nothing said so."""
    system = solver(patch(-0.3, kind, length, compliance)).system
    told = [notice.message for notice in system.notices if notice.code == "W_LINK"]
    assert len(told) == is_told
    assert all("4 links start up to" in text for text in told)


@pytest.mark.parametrize(("share", "is_told"), [(1.0, True), (0.0, False)])
def test_in_pbd_what_throws_is_told_by_its_stiffness(share, is_told):
    """Of a stiffness of 1 nothing was told, and of 0, which holds nothing, it was."""
    body = patch(-0.3, AT_LEAST, 1.0)
    body = replace(body, links=replace(body.links, shares=np.full(4, share)))
    notices = solver(body, solver_mode="PBD").system.notices
    assert ("W_LINK" in [notice.code for notice in notices]) == is_told


def test_links_between_pins_throw_nothing():
    body = patch(-0.3, AT_LEAST, 1.0)
    held = replace(body, pins=pins(body.positions, range(8)))
    assert not [notice for notice in solver(held).system.notices if notice.code == "W_LINK"]


def test_a_link_gives_by_its_compliance():
    """Each of four links bears a quarter of the square: α m g/4."""
    body = patch(-0.3, EQUAL, compliance=2.0, damping=5.0)
    mass = 0.15 * 0.01
    assert resting(body, 100) == pytest.approx(-0.3 - 2.0 * mass * GRAVITY / 4.0, abs=2e-4)


@pytest.mark.parametrize("kind", [EQUAL, AT_MOST, AT_LEAST])
def test_links_of_jelly_hold_its_surface(kind):
    """Two corners of a cube are held nearer, or farther, than they are modelled, through the cage."""
    cube = jelly_cube(0.2, 0.0, 4, youngs_modulus=2e4, internal_damping=5.0)
    wanted = {EQUAL: 0.3, AT_MOST: 0.15, AT_LEAST: 0.26}[kind]
    corners = [[0, 1]]
    body = replace(cube, links=links(corners, kind, wanted))
    simulation = solver(body, substeps=20, gravity=(0, 0, 0))
    model, surface = simulation.system.models[0], simulation.positions()
    for _ in range(30):
        surface = run(simulation, 1)
    ends = np.einsum("vj,vjk->vk", model.weights[:2], surface[model.elements[:2]])
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(wanted, abs=2e-3)


def test_without_links_nothing_changes():
    bodies = [cloth(6, pinned=[0]), replace(cloth(6, pinned=[0]), links=links(np.zeros((0, 2)), EQUAL))]
    assert run(solver(bodies[0]), 3).tobytes() == run(solver(bodies[1]), 3).tobytes()


@pytest.mark.parametrize(
    "wrong",
    [
        links([[0, 99]], EQUAL),
        links([[0, 1]], 4),
        links([[0, 1]], EQUAL, length=-1.0),
        links([[0, 1]], EQUAL, compliance=np.inf),
        links([[0, 1]], EQUAL, share=1.5),
        replace(links([[0, 1]], EQUAL), kinds=np.zeros(2, np.int32)),
    ],
)
def test_impossible_links_are_refused(wrong):
    from blender_xpbd.scene.scene import validate

    with pytest.raises(XpbdError, match=r"E_PARAM|E_GEOM"):
        validate(scene(replace(cloth(4), links=wrong)))
