# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges are counted, and volumes are those of the bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.surface.surface_volume import examine_surface
from tests.geometry.surfaces import cone, cube, join, rotation_of_seed, sphere, two_fingers

# with the volumes that geometry gives
SOLIDS = {"cube": (cube(), 8.0), "fingers": (two_fingers(0.5), 2.5 * 1.0 + 2 * 3.0)}


@pytest.mark.parametrize("name", SOLIDS)
@given(seed=st.integers(0, 10_000), scale=st.floats(1e-3, 1e3), shift=st.floats(-100.0, 100.0))
def test_the_volume_is_that_of_the_solid(name: str, seed: int, scale: float, shift: float) -> None:
    (vertices, triangles), volume = SOLIDS[name]
    placed = (vertices @ rotation_of_seed(seed).T + shift) * scale
    report = examine_surface(placed, triangles)
    assert report.is_closed
    assert report.faults() == []
    assert report.signed_volume == pytest.approx(volume * scale**3, rel=1e-9)
    assert examine_surface(placed, triangles[:, ::-1]).signed_volume == pytest.approx(-volume * scale**3, rel=1e-9)


@given(seed=st.integers(0, 10_000), count=st.integers(1, 25))
def test_edges_are_counted_as_one_by_one(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    triangles = np.array([random.choice(7, 3, replace=False) for _ in range(count)])
    users: dict[frozenset[int], list[tuple[int, int]]] = {}
    for a, b, c in triangles.tolist():
        for edge in ((a, b), (b, c), (c, a)):
            users.setdefault(frozenset(edge), []).append(edge)
    report = examine_surface(random.normal(size=(7, 3)), triangles)
    assert report.open_edges == sum(len(edges) == 1 for edges in users.values())
    assert report.crowded_edges == sum(len(edges) > 2 for edges in users.values())
    assert report.turned_edges == sum(len(edges) == 2 and edges[0] == edges[1] for edges in users.values())


def test_faults_are_told_in_words() -> None:
    vertices, triangles = sphere(8, 6)
    opened = examine_surface(vertices, triangles[1:])
    assert (opened.is_closed, opened.faults()) == (False, ["3 open edges"])
    turned = triangles.copy()
    turned[0] = turned[0, ::-1]
    assert examine_surface(vertices, turned).faults() == ["3 edges between faces with opposite normals"]
    doubled = examine_surface(vertices, np.concatenate([triangles, triangles[:1]]))
    assert doubled.faults() == ["3 edges of more than two faces"]


def test_volumes_of_parts_add_up() -> None:
    parts = cube(), (cone()[0] + 7.0, cone()[1])
    volumes = [examine_surface(*part).signed_volume for part in parts]
    assert examine_surface(*join(*parts)).signed_volume == pytest.approx(sum(volumes))
