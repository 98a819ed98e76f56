# SPDX-License-Identifier: GPL-3.0-or-later
"""How thick bodies are where they meet."""

from __future__ import annotations

import dataclasses

import pytest

from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.settings import SolverSettings
from tests.bodies.test_materials import jelly
from tests.solver.scenes import cloth


@pytest.mark.parametrize(
    ("body", "share"), [(cloth(10, contact_offset=0.005), 1.0), (jelly(contact_offset=0.005), 0.2)]
)
def test_automatic_thickness_is_a_share_of_the_gap_to_colliders(body: Body, share: float) -> None:
    model = build_body(body, SolverSettings())
    assert model.contact_offset == 0.005
    assert model.thickness == share * 0.005


def test_automatic_thickness_of_a_fine_mesh_follows_its_edges() -> None:
    model = build_body(cloth(10, size=0.01, contact_offset=0.005), SolverSettings())
    assert model.thickness == model.contact_offset < 0.001


def test_a_given_thickness_counts_as_it_is() -> None:
    body = dataclasses.replace(cloth(10, size=0.01), contact=BodyContact(thickness=0.02))
    assert build_body(body, SolverSettings()).thickness == 0.02
