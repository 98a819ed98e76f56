# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start in each other are told by a check as a bake tells them, and what only touches is not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker.contact_notices import contact_objects
from tests.addon.checking.crossing_bodies import (
    ball,
    crumpled,
    eight,
    hair,
    half,
    helix,
    pole,
    square,
    tilted,
    tube,
    turned,
    turned_all,
    two_in_one,
    upright,
    wall,
)
from tests.contacts.search.test_own_ties import CROSSING as OWN_CROSSING
from tests.contacts.search.test_own_ties import TOUCHING as OWN_TOUCHING
from tests.contacts.search.test_own_ties import turned as turned_mesh
from tests.geometry.surfaces import cube, sphere, torus
from tests.solver.scenes import cloth, scene


@pytest.fixture
def told(bpy):
    from blender_xpbd.addon.checking.crossed import starts_crossed

    def counts(*bodies, colliders=()):
        """How often bodies cross, by both their names."""
        found = {}
        for notice in starts_crossed(scene(*bodies, colliders=colliders, meet=True)):
            assert notice.code == "W_TANGLED"
            for name, count in re.findall(r'(itself|"\w+") \((\d+) edges?\)', notice.message):
                other = notice.object_name if name == "itself" else name.strip('"')
                found[notice.object_name, other] = int(count)
        return found

    return counts


SELF = BodyContact(self_collision=True)
SHEET = replace(cloth(9, identifier="Sheet"), name="Sheet")
OVERLAPPING = {
    "jellies": (ball("A", (0.0, 0.0, 0.0)), ball("B", (0.7, 0.2, 0.1))),
    "cloths": (SHEET, tilted("Tilted")),
    "cloth and jelly": (SHEET, ball("A", (0.01, 0.02, 0.03), size=0.3)),
    "three": (SHEET, tilted("Tilted"), tilted("Steep", angle=1.4)),
    "cloth and itself": (eight("Eight", contact=SELF),),
    "cloth and itself and jelly": (eight("Eight", contact=SELF), ball("A", (0.01, 0.02, 0.03), size=0.1)),
    "a mesh of two": (two_in_one("Tori", "CLOTH"),),
    "a jelly of two": (two_in_one("Tori", "JELLY"),),
    "strand and cloth": (SHEET, helix("Helix")),
    "strand and jelly": (ball("A", (0.01, 0.02, 0.03), size=0.35), helix("Helix")),
}
AT_VERTICES = {
    "grids along their lines": (SHEET, upright("Upright")),
    "grids on each other's edges": (SHEET, upright("Upright", at=(0.0, 0.0625, 0.0))),
    "grids that are turned": turned_all(SHEET, upright("Upright")),
    "a pole through a vertex": (SHEET, pole("Pole")),
}
WALL, POST = wall("Wall", square, 1.0, 1.0, 1.0), wall("Post", cube, 0.1, 0.1, 1.0)
HELD = {
    "cloth and an open wall": ((SHEET,), (WALL,)),
    "jelly and an open wall": ((ball("A", (0.01, 0.02, 0.03), size=0.35),), (WALL,)),
    "strand and an open wall": ((helix("Helix"),), (WALL,)),
    "coarse cloth on a post": ((replace(cloth(4, identifier="Coarse"), name="Coarse"),), (POST,)),
    "all": ((SHEET, helix("Helix"), eight("Eight", contact=SELF)), (WALL,)),
}
TOUCHING = {
    "stacked": (ball("A", (0.0, 0.0, 0.0), size=0.5, surface=cube), ball("B", (0.0, 0.0, 1.0), size=0.5, surface=cube)),
    "stacked askew": (
        ball("A", (0.0, 0.0, 0.0), size=0.5, surface=cube),
        ball("B", (0.3, 0.1, 1.0), size=0.5, surface=cube),
    ),
    "beside": (ball("A", (0.0, 0.0, 0.0), size=0.5, surface=cube), ball("B", (1.0, 0.0, 0.5), size=0.5, surface=cube)),
    "far from the origin": (
        ball("A", (100.0, 50.0, 0.0), size=0.5, surface=cube),
        ball("B", (100.3, 50.1, 1.0), size=0.5, surface=cube),
    ),
    "on top": (ball("A", (0.0, 0.0, -0.5), size=0.5, surface=cube), SHEET),
    "in one place": (ball("A", (0, 0, 0), surface=turned(sphere)), ball("B", (0, 0, 0), surface=turned(sphere))),
    "halves": (half("A", 1.0), half("B", -1.0)),
    "folds in one place": (replace(SHEET, start=np.abs(SHEET.positions), contact=SELF),),
    "hair on a ball": (ball("A", (0.0, 0.0, 0.0)), hair("Hair")),
    "a grid that ends on one": (SHEET, upright("Upright", at=(0.0, 0.0, 0.5))),
    "grids turned, one ends on the other": turned_all(SHEET, upright("Upright", at=(0.0, 0.0, 0.5))),
    "tubes end to end": (tube("A", 0.0, 1.0), tube("B", 1.0, 2.0)),
    "a tube on a sheet": (replace(cloth(9, size=2.0), name="Wide"), tube("Tube", 0.0, 1.0)),
    "tori in one place": (ball("A", (0, 0, 0), "CLOTH", surface=torus), ball("B", (0, 0, 0), "CLOTH", surface=torus)),
    "strands": (helix("A"), replace(helix("B"), positions=helix("B").positions + 0.01)),
    "strand on a sheet": (SHEET, replace(helix("A"), positions=helix("A").positions * (1.0, 1.0, 0.0))),
    "within": (ball("A", (0.0, 0.0, 0.0)), ball("B", (0.1, 0.0, 0.0), size=0.3)),
}


@pytest.mark.parametrize("case", OVERLAPPING)
@pytest.mark.usefixtures("taichi_cpu")
def test_what_overlaps_is_told_as_by_a_bake(told, case):
    expected = baked(*OVERLAPPING[case])
    assert expected
    assert told(*OVERLAPPING[case]) == expected


@pytest.mark.parametrize("case", HELD)
@pytest.mark.usefixtures("taichi_cpu")
def test_what_goes_through_a_collider_is_told_as_by_a_bake(told, case):
    bodies, colliders = HELD[case]
    expected = baked(*bodies, colliders=colliders)
    assert {name for _, name in expected} & {"Wall", "Post"}
    assert told(*bodies, colliders=colliders) == expected


@pytest.mark.parametrize("case", AT_VERTICES)
@pytest.mark.usefixtures("taichi_cpu")
def test_what_crosses_at_vertices_alone_is_told_by_both(told, case):
    """No edge passes through a face there, until one of the two is moved by rounding."""
    counts, in_a_bake = told(*AT_VERTICES[case]), baked(*AT_VERTICES[case])
    assert len(counts) == len(in_a_bake) == 1
    ((pair, count),) = counts.items()
    # which edges meet others just at their ends is a matter of rounding
    assert in_a_bake[pair] == pytest.approx(count, rel=0.2)


@pytest.mark.parametrize("change", [lambda mesh: mesh, turned_mesh], ids=["level", "turned"])
@pytest.mark.parametrize("mesh", OWN_CROSSING.values(), ids=OWN_CROSSING)
@pytest.mark.usefixtures("taichi_cpu")
def test_what_crosses_itself_at_vertices_alone_is_told_by_both(told, mesh, change):
    body = ball("A", (0.0, 0.0, 0.0), "CLOTH", surface=lambda: change(mesh), contact=SELF)
    in_a_bake = baked(body)
    assert in_a_bake.keys() == {("A", "A")}
    assert told(body) == in_a_bake


@pytest.mark.parametrize("change", [lambda mesh: mesh, turned_mesh], ids=["level", "turned"])
@pytest.mark.parametrize("mesh", OWN_TOUCHING.values(), ids=OWN_TOUCHING)
@pytest.mark.usefixtures("taichi_cpu")
def test_what_touches_itself_is_not_told_where_a_bake_does_not(told, mesh, change):
    """By rounding alone some of it passes through, as it does in a bake."""
    body = ball("A", (0.0, 0.0, 0.0), "CLOTH", surface=lambda: change(mesh), contact=SELF)
    assert told(body).get(("A", "A"), 0) <= baked(body).get(("A", "A"), 0)


def baked(*bodies, colliders=()):
    """What a bake counts at its first frame, as ``told``."""
    world = scene(*bodies, colliders=colliders, meet=True)
    counts, names = Solver(build_system(world)).crossings().counts, contact_objects(world)
    return {(names[a], names[b]): counts[a, b] for a, b in np.argwhere(np.triu(counts)).tolist()}


def test_what_another_check_tells_of_a_collider_is_told_once(told):
    """A body that is sunk into a closed collider starts inside of it; one that dips into what is round by less is no
    fault, and the bake counts nothing where it holds bodies by points alone."""
    block = wall("Block", cube, 0.3, 0.3, 0.3)
    assert told(ball("A", (0.4, 0.0, 0.0), size=0.25), colliders=(block,)) == {}
    globe = wall("Globe", lambda: sphere(96, 48), 0.3, 0.3, 0.3)
    assert told(replace(cloth(80, height=0.2999), name="Fine"), colliders=(globe,)) == {}


def test_what_can_be_done_is_told(bpy):
    from blender_xpbd.addon.checking.crossed import starts_crossed

    bodies = (SHEET, eight("Eight", contact=SELF), two_in_one("Tori", "JELLY"))
    texts = {one.object_name: one.message for one in starts_crossed(scene(*bodies, colliders=(WALL,), meet=True))}
    assert texts["Sheet"].endswith("Move it out, or give a higher Layer to what is to lie outside.")
    texts = {
        role: next(starts_crossed(scene(two_in_one("Tori", role), meet=True))).message for role in ("CLOTH", "JELLY")
    }
    assert texts["CLOTH"].endswith("pins may prevent that. Part it from itself, or turn Self off.")
    assert "left so" in texts["JELLY"]
    (notice,) = starts_crossed(scene(SHEET, colliders=(WALL,), meet=True))
    assert notice.message.endswith("pins may prevent that. Move it out.")


def test_what_no_body_sees_is_not_told(told):
    assert told(SHEET, colliders=(WALL,))
    assert told(replace(SHEET, contact=BodyContact(sees=())), colliders=(WALL,)) == {}


def test_of_itself_is_told_where_it_meets_itself(told):
    assert told(eight("Eight")) == {}
    assert told(eight("Eight", contact=replace(SELF, left_out=np.arange(400, dtype=np.int32)))) == {}


def test_doubled_vertices_do_not_cross(told):
    """Loose triangles of a jagged sheet meet at all of their edges, in places that no two of them share exactly."""
    rough = cloth(9)
    rough = replace(rough, positions=turned(lambda: (rough.positions + waves(rough), rough.corners))()[0])
    loose = np.arange(len(rough.corners), dtype=np.int32)
    cut = replace(rough, positions=rough.positions[rough.corners], corners=loose, contact=SELF)
    assert told(cut) == {}


def waves(sheet):
    return np.random.default_rng(2).normal(scale=0.03, size=sheet.positions.shape)


@pytest.mark.parametrize("case", TOUCHING)
@pytest.mark.usefixtures("taichi_cpu")
def test_what_only_touches_is_not_told(told, case):
    assert told(*TOUCHING[case]) == told(*reversed(TOUCHING[case])) == baked(*TOUCHING[case]) == {}


@pytest.mark.parametrize(
    "contact",
    [
        BodyContact(body_collision=False),
        BodyContact(sees=("Other",)),
        BodyContact(layer=1),
        BodyContact(left_out=np.arange(81, dtype=np.int32)),
    ],
)
def test_what_settings_part_is_not_told(told, contact):
    _, other = OVERLAPPING["cloths"]
    assert told(SHEET, other)
    assert told(replace(SHEET, contact=contact), other) == {}


def test_what_is_attached_does_not_cross(told):
    _, other = OVERLAPPING["cloths"]
    # the row of the sheet that the other one goes through, and those beside it
    held = np.flatnonzero(np.abs(SHEET.positions[:, 1]) < 0.2).astype(np.int32)
    attachment = Attachment("Tilted", held, np.ones(len(held), np.float32))
    assert told(replace(SHEET, attachment=attachment), other) == {}


def test_a_start_counts_and_not_the_shape_at_rest(told):
    _, other = OVERLAPPING["cloths"]
    above = SHEET.positions.copy()
    above[:, 2] += 2.0
    assert told(replace(SHEET, start=above), other) == {}
    assert told(replace(SHEET, positions=above, start=SHEET.positions), other) == told(SHEET, other)


def test_edges_of_a_cut_sheet_count_once(told):
    _, other = OVERLAPPING["cloths"]
    loose = np.arange(len(SHEET.corners), dtype=np.int32)
    cut = replace(SHEET, positions=SHEET.positions[SHEET.corners], corners=loose, seams=SHEET.corners + 1)
    assert told(cut, other) == told(SHEET, other)


def test_of_too_many_crossings_an_even_sample_is_told(bpy, monkeypatch):
    """Of sheets of 3042 triangles it took 23 s, and of larger ones minutes and gigabytes."""
    from blender_xpbd.addon.checking import crossed

    asked, passing = [], crossed.passing

    def counted(first, *rest):
        asked.append(len(first))
        return passing(first, *rest)

    monkeypatch.setattr(crossed, "passing", counted)
    sheets = [crumpled(name, 40) for name in "ABC"]
    messages = [notice.message for notice in crossed.starts_crossed(scene(*sheets, meet=True))]
    assert max(asked) < 1.5 * crossed.MOST_PAIRS
    assert min(asked) > 0.5 * crossed.LEAST_PAIRS
    assert [re.sub(r"\d+", "N", text).split(" where")[0] for text in messages] == [
        'Crosses "B" (at least N edges) and "C" (at least N edges)',
        'Crosses "C" (at least N edges)',
    ]


def test_a_sample_counts_no_more_than_all(bpy, monkeypatch):
    from blender_xpbd.addon.checking import crossed

    pair = scene(crumpled("A", 12), crumpled("B", 12), meet=True)

    def count():
        (notice,) = crossed.starts_crossed(pair)
        found = re.search(r"\(\D*(\d+) edges?\)", notice.message)
        assert found is not None
        return int(found[1]), "at least" in notice.message

    all_of_them, is_sample = count()
    assert not is_sample
    counts = []
    for most in (20, 1500, 6000):
        monkeypatch.setattr(crossed, "MOST_PAIRS", most)
        monkeypatch.setattr(crossed, "LEAST_PAIRS", 1)
        some, is_sample = count()
        assert is_sample
        counts.append(some)
    assert 0 < counts[0] < counts[1] < counts[2] < all_of_them


def test_of_a_large_mesh_patches_are_looked_at(bpy, monkeypatch):
    from blender_xpbd.addon.checking import crossed

    def count():
        (notice,) = crossed.starts_crossed(scene(eight("Eight", contact=SELF), meet=True))
        found = re.search(r"itself \((at least )?(\d+) edges?\)", notice.message)
        assert found is not None
        return int(found[2]), bool(found[1])

    whole, is_sample = count()
    assert not is_sample
    monkeypatch.setattr(crossed, "MOST_TRIANGLES", 400)
    monkeypatch.setattr(crossed, "LEAST_TRIANGLES", 400)
    some, is_sample = count()
    assert is_sample
    # of 722 triangles
    assert 0.2 * whole < some < 0.7 * whole


def test_of_a_crumpled_mesh_some_triangles_are_asked(bpy, monkeypatch):
    from blender_xpbd.addon.checking import crossed

    sheet = scene(replace(crumpled("A", 12), contact=SELF), meet=True)
    counts = []
    for most in (100_000, 1000, 100):
        monkeypatch.setattr(crossed, "MOST_OWN_PAIRS", most)
        (notice,) = crossed.starts_crossed(sheet)
        found = re.search(r"itself \((at least )?(\d+) edges?\)", notice.message)
        assert found is not None
        counts.append((int(found[2]), bool(found[1])))
    assert [is_sample for _, is_sample in counts] == [False, True, True]
    assert counts[0] > counts[1] > counts[2] > (0, True)
