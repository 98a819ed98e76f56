# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start in each other are told by a check as a bake tells them, and what only touches is not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment, Body
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.worker.contact_notices import contact_objects
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
            for name, count in re.findall(r'(itself|"\w+") \((\d+)\)', notice.message):
                other = notice.object_name if name == "itself" else name.strip('"')
                found[notice.object_name, other] = int(count)
        return found

    return counts


def ball(name, at, role="JELLY", size=1.0, surface=sphere, **values):
    positions, triangles = surface()
    sizes = np.full(len(triangles), 3, np.int32)
    places = size * positions + np.array(at)
    return Body(name, name, role, places, sizes, triangles.ravel().astype(np.int32), **values)


def tilted(name, angle=0.7, **values):
    """A sheet about a line through the middle, on which no vertex of a level one lies."""
    sheet = cloth(12, identifier=name, **values)
    x, y, z = (sheet.positions - (0.013, 0.0, 0.017)).T
    turned = np.column_stack([x, np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z])
    return replace(sheet, name=name, positions=turned)


def turned(surface, where=slice(None)):
    """Some triangles of a surface that is turned and moved, rounded as Blender's meshes are."""
    random = np.random.default_rng(1)
    turn, shift = np.linalg.qr(random.normal(size=(3, 3)))[0], random.normal(size=3)
    positions, triangles = surface()
    return lambda: ((positions @ turn + shift).astype(np.float32).astype(np.float64), triangles[where])


def half(name, side):
    """The triangles on one side of a wavy line around a ball: the halves have its edges in common."""
    positions, triangles = sphere()
    middles = positions[triangles].mean(axis=1)
    of_side = side * (middles[:, 2] + 0.3 * middles[:, 0]) > 0.05 * side
    return ball(name, (0.0, 0.0, 0.0), "CLOTH", surface=turned(sphere, of_side))


def eight(name, **values):
    """A sheet that starts as a figure of eight, through itself where the loops meet."""
    sheet = cloth(20, identifier=name)
    x, y, _ = sheet.positions.T
    angle = 2.0 * np.pi * (x + 0.5)
    start = np.column_stack([0.3 * np.sin(2.0 * angle), 0.97 * y, 0.3 * np.sin(angle) + 0.01 * x])
    return replace(sheet, name=name, start=start, **values)


def two_in_one(name, role):
    """Two tori in one mesh that go through each other."""
    positions, triangles = torus()
    both = (
        np.concatenate([positions, positions + np.array([0.3, 0.1, 0.07])]),
        np.concatenate([triangles, triangles + 384]),
    )
    return ball(name, (0.0, 0.0, 0.0), role, surface=lambda: both, contact=SELF)


def helix(name, **values):
    """A strand that winds through the level of 0 six times."""
    turns = np.linspace(0.0, 6.0 * np.pi, 60)
    places = np.column_stack([0.3 * np.cos(turns) + 0.01, 0.2 * np.sin(turns) + 0.05, 0.3 * np.sin(turns + 0.3)])
    edges = np.stack([np.arange(59), np.arange(1, 60)], axis=1).astype(np.int32)
    none = np.zeros(0, np.int32)
    return Body(name, name, "STRAND", places, none, none, loose_edges=edges, **values)


def hair(name, count=40):
    """Strands that stand on a ball, rounded as Blender's meshes are."""
    random = np.random.default_rng(4)
    positions, triangles = sphere()
    roots = np.einsum(
        "ij,ijk->ik", random.dirichlet([1.0, 1.0, 1.0], count), positions[random.choice(triangles, count)]
    )
    places = np.concatenate([roots, 1.1 * roots]).astype(np.float32).astype(np.float64)
    edges = np.stack([np.arange(count), count + np.arange(count)], axis=1).astype(np.int32)
    none = np.zeros(0, np.int32)
    return Body(name, name, "STRAND", places, none, none, loose_edges=edges)


def wall(name, surface, *sizes, at=(0.003, 0.002, 0.001)):
    """A collider of a surface."""
    positions, triangles = surface()
    places = positions * sizes + np.array(at)
    return Collider(name, name, "MESH", np.eye(4)[None], places[None], triangles.astype(np.int32))


def square():
    """Two triangles that stand upright."""
    places = np.array([[-1.0, 0.1, -1.0], [1.0, 0.1, -1.0], [1.0, 0.1, 1.0], [-1.0, 0.1, 1.0]])
    return places, np.array([[0, 1, 2], [0, 2, 3]])


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
    assert texts["CLOTH"].endswith("which pins may prevent. Part it from itself, or turn Self off.")
    assert "left so" in texts["JELLY"]
    (notice,) = starts_crossed(scene(SHEET, colliders=(WALL,), meet=True))
    assert notice.message.endswith("which pins may prevent. Move it out.")


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


def crumpled(name, count):
    """A sheet whose vertices are anywhere in a ball: each of its triangles crosses many of another one."""
    sheet = cloth(count, identifier=name)
    positions = np.random.default_rng(ord(name)).normal(size=sheet.positions.shape)
    return replace(sheet, name=name, positions=positions)


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
        'Crosses "B" (at least N) and "C" (at least N)',
        'Crosses "C" (at least N)',
    ]


def test_a_sample_counts_no_more_than_all(bpy, monkeypatch):
    from blender_xpbd.addon.checking import crossed

    pair = scene(crumpled("A", 12), crumpled("B", 12), meet=True)

    def count():
        (notice,) = crossed.starts_crossed(pair)
        found = re.search(r"\(\D*(\d+)\)", notice.message)
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
        found = re.search(r"itself \((at least )?(\d+)\)", notice.message)
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
        found = re.search(r"itself \((at least )?(\d+)\)", notice.message)
        assert found is not None
        counts.append((int(found[2]), bool(found[1])))
    assert [is_sample for _, is_sample in counts] == [False, True, True]
    assert counts[0] > counts[1] > counts[2] > (0, True)
