# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossings are put together to the lines in which surfaces meet."""

import numpy as np
import pytest

from blender_xpbd.geometry.components import connected_components
from blender_xpbd.scene.ties.contours import contours
from tests.contacts.pairs.tangled_sheets import tangled_surfaces

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize(("way", "count"), [("corner", 1), ("edge", 1), ("bump", 1), ("cross", 1), ("ridge", 2)])
def test_each_line_is_one_contour(way, count):
    surfaces, _, found = tangled_surfaces(way)
    labels, _ = contours(surfaces, found, connected_components)
    assert len(np.unique(labels)) == count


def test_signs_tell_the_two_surfaces_apart():
    surfaces, _, found = tangled_surfaces("waves")
    labels, signs = contours(surfaces, found, connected_components)
    owners = surfaces.point_objects[surfaces.edges[found[:, 0], 0]]
    assert len(np.unique(labels)) > 3
    for label in np.unique(labels):
        mine = labels == label
        assert set(np.unique(signs[mine])) == {-1, 1}
        assert len(np.unique(signs[mine] * np.where(owners[mine] == 0, 1, -1))) == 1


def test_signs_tell_the_two_parts_of_one_surface_apart():
    surfaces, _, found = tangled_surfaces("loop")
    labels, signs = contours(surfaces, found, connected_components)
    assert len(np.unique(labels)) == 1
    # vertices are numbered along the sheet, so that each arm has half of them
    numbers = np.arange(len(surfaces.rest)) // 12
    is_low = numbers[surfaces.edges[found[:, 0], 0]] < 6
    assert len(np.unique(signs * np.where(is_low, 1, -1))) == 1


def test_no_crossings_are_no_contours():
    surfaces, _, _ = tangled_surfaces("corner")
    labels, signs = contours(surfaces, np.zeros((0, 2), np.int32), connected_components)
    assert len(labels) == 0
    assert len(signs) == 0
