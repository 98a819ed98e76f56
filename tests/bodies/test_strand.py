# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands as bodies: masses, radii, what is attached to them, and where pins lead."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.bodies.strand import bind_to_strand, place_strand_pins
from blender_xpbd.scene.body import Pins
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import SolverSettings
from tests.solver.strands import STEEL, line, strand


def model_of(body):
    return build_body(body, SolverSettings())


def test_its_mass_is_that_of_a_round_section():
    model = model_of(strand(line(11, 2.0), radius=0.01, **STEEL))
    assert model.masses.sum() == pytest.approx(7800.0 * np.pi * 0.01**2 * 2.0)
    assert model.masses[0] == pytest.approx(0.5 * model.masses[5])
    assert model.contact_offset == pytest.approx(0.01)
    assert model.thickness == pytest.approx(0.02, rel=0.01)


def test_edges_without_length_are_joined_and_vertices_without_edges_told():
    points = np.concatenate([line(4), line(4)[3:], [[5.0, 0.0, 0.0]]])
    model = model_of(strand(points, edges=[[0, 1], [1, 2], [2, 3], [3, 4], [3, 2]], radius=0.01))
    assert [block.type.name for block in model.blocks] == ["attachment"]
    assert len(model.rods.edges) == 3
    assert [notice.code for notice in model.notices] == ["W_GEOM_LOOSE"]
    with pytest.raises(XpbdError, match="E_GEOM_EMPTY"):
        model_of(strand(np.zeros((3, 3)), radius=0.01))


def test_points_are_held_by_the_nearest_edge():
    model = model_of(strand(line(5), radius=0.01))
    points = np.array([[0.3, 0.1, 0.0], [-1.0, 0.0, 0.0], [0.75, 0.0, 2.0]])
    elements, weights = bind_to_strand(model, points)
    held = (weights[:, :, None] * model.positions[elements]).sum(axis=1)
    np.testing.assert_allclose(held, [[0.3, 0.0, 0.0], [0.0, 0.0, 0.0], [0.75, 0.0, 0.0]], atol=1e-12)


def test_what_tells_a_twist_goes_with_the_pins():
    """As a rigid motion where pins span a plane, and by the least turn where they lie in a line."""
    points = np.concatenate([line(3), line(3, direction=(0.0, 1.0, 0.0))[1:]])
    edges = [[0, 1], [1, 2], [0, 3], [3, 4]]
    pinned = strand(points, [0, 1, 3], edges=edges, radius=0.01)
    model = model_of(pinned)
    assert len(model.positions) == 7
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    sources = np.array([0, 1, 3, 5, 6], np.int32)
    places = place_strand_pins(model, np.array([0, 1, 3], np.int32), sources)(points[[0, 1, 3]] @ turn.T + 2.0)
    np.testing.assert_allclose(places, model.positions[sources] @ turn.T + 2.0, atol=1e-9)
    alone = model_of(strand(line(4), [0, 1], radius=0.01))
    places = place_strand_pins(alone, np.array([0, 1], np.int32), np.array([0, 1, 4], np.int32))(
        alone.positions[:2] + 1.0
    )
    np.testing.assert_allclose(places, alone.positions[[0, 1, 4]] + 1.0, atol=1e-12)


def test_pins_of_an_object_lead_it_too():
    held = Pins.following(np.array([0, 1], np.int32), np.ones(2, np.float32), np.eye(4)[None])
    assert len(model_of(replace(strand(line(4), radius=0.01), pins=held)).positions) == 5
