# SPDX-License-Identifier: GPL-3.0-or-later
"""What starts wholly inside a jelly is found, whatever it is; what is attached to it, or does not meet it, is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment, Body
from blender_xpbd.scene.body_contact import BodyContact
from tests.geometry.surfaces import cube, sphere, torus
from tests.solver.scenes import cloth, scene


@pytest.fixture
def found(bpy):
    from blender_xpbd.addon.checking.enclosed import starts_within

    return lambda *bodies: [
        (one.object_name, one.message.split('"')[1]) for one in starts_within(scene(*bodies, meet=True))
    ]


def of(surface, name, role="JELLY", size=1.0, shift=(0.0, 0.0, 0.0), **values):
    positions, triangles = surface
    sizes = np.full(len(triangles), 3, np.int32)
    places = size * positions + np.array(shift)
    return Body(name, name, role, places, sizes, triangles.ravel().astype(np.int32), **values)


OUTER = of(cube(), "Outer")


@pytest.mark.parametrize("role", ["JELLY", "CLOTH"])
@pytest.mark.parametrize("surface", [cube, sphere, torus])
def test_a_body_in_a_jelly(found, role, surface):
    inner = of(surface(), "Inner", role, 0.3, (0.1, 0.05, 0.0))
    assert found(inner, OUTER) == [("Inner", "Outer")]
    assert found(OUTER, inner) == [("Inner", "Outer")]


@pytest.mark.parametrize("shift", [(0.9, 0.0, 0.0), (3.0, 0.0, 0.0)])
def test_what_comes_through_the_surface_or_is_beside_it(found, shift):
    assert found(of(sphere(), "Inner", size=0.3, shift=shift), OUTER) == []


def test_what_is_in_the_hole_of_a_ring_or_in_an_open_jelly(found):
    inner = of(sphere(), "Inner", size=0.1)
    assert found(inner, of(torus(), "Ring")) == []
    corners, triangles = cube()
    assert found(inner, of((corners, triangles[1:]), "Open")) == []


def test_what_is_in_a_cloth_is_not_told(found):
    assert found(replace(cloth(4, size=0.2), identifier="Sheet"), replace(OUTER, role="CLOTH")) == []


def test_what_does_not_meet_it(found):
    inner = of(sphere(), "Inner", size=0.3)
    for contact in (BodyContact(body_collision=False), BodyContact(sees=("Other",))):
        assert found(replace(inner, contact=contact), OUTER) == []
        assert found(inner, replace(OUTER, contact=contact)) == []


@pytest.mark.parametrize("target", ["Outer", "Third"])
def test_what_is_attached_as_a_whole_is_not_told_and_what_hangs_by_some_vertices_is(found, target):
    inner = of(sphere(), "Inner", size=0.3)
    for count, expected in ((len(inner.positions), []), (3, [("Inner", "Outer")])):
        held = Attachment(target, np.arange(count, dtype=np.int32), np.ones(count, np.float32))
        assert found(replace(inner, attachment=held), OUTER) == expected


def test_only_what_has_something_in_its_box_is_looked_at_and_once(found, monkeypatch):
    """Thirty bodies of 100,000 faces took 5 s side by side, and 11 s one in another."""
    from blender_xpbd.addon.checking import enclosed

    made, make = [], enclosed.closed_tree

    def counted(*mesh):
        made.append(mesh)
        return make(*mesh)

    monkeypatch.setattr(enclosed, "closed_tree", counted)
    inner = [of(sphere(), f"Inner {n}", size=0.2, shift=(0.5 * n - 0.5, 0.0, 0.0)) for n in range(3)]
    assert len(found(OUTER, *inner)) == 3
    assert len(made) == 1
