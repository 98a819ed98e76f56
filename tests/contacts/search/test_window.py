# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes that travel with particles hold them until the window ends."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from blender_xpbd.contacts.search.pair_search import PairSearch
from blender_xpbd.contacts.search.window import open_window
from blender_xpbd.device.arrays import make_vectors, read_array
from blender_xpbd.geometry.search.surfaces import build_surfaces
from tests.contacts.search.search_cases import contents, sheet

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize("count", [1, 10])
def test_what_falls_freely_ends_where_its_box_ends(count: int) -> None:
    surfaces = build_surfaces([sheet(1, 1)], np.ones((1, 1), bool))
    window = PairSearch(surfaces, contents(surfaces, 0.01)).window
    random = np.random.default_rng(0)
    velocities, gravity, h = random.standard_normal((4, 3)), np.array([0.0, 0.5, -9.81]), 0.004
    particles = SimpleNamespace(
        positions=make_vectors(surfaces.rest, np.array([1.0, 2.0, 0.0, 1.0])),
        velocities=make_vectors(velocities),
        gravity=make_vectors(gravity[None]),
    )
    open_window(window, particles, count * h, count, 0.03)
    starts, travels = read_array(window.window_starts), read_array(window.window_travels)
    assert starts[:, :3] == pytest.approx(surfaces.rest)
    assert starts[:, 3] == pytest.approx(0.03)
    places, speeds = surfaces.rest.copy(), velocities.copy()
    for _ in range(count):
        speeds[[0, 1, 3]] += h * gravity
        places += h * speeds
    assert (starts + travels)[:, :3] == pytest.approx(places, abs=1e-9)
