# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of several cloths in flat arrays are those of each cloth by itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from blender_xpbd.solver.order.level_tables import (
    BELOW_COUNT,
    COUNT,
    FIRST,
    FIRST_BELOW,
    FIRST_LINK,
    FIRST_PARENT,
    IS_FINEST,
    LEVEL_SWEEPS,
    LINK_COUNT,
    SWEEPS,
    build_hierarchy_tables,
    has_levels,
)
from blender_xpbd.solver.system.system import System, build_system
from tests.solver.scenes import cloth, scene


@pytest.fixture(scope="module")
def system() -> System:
    """A cloth without levels between two that have some."""
    bodies = cloth(30, pinned=(0,)), cloth(5, identifier="b1", height=1.0), cloth(24, pinned=(3,), identifier="b2")
    return build_system(scene(*bodies, substeps=4))


def test_each_level_is_that_of_its_body(system: System) -> None:
    tables = build_hierarchy_tables(system.models, system.starts, system.scene)
    rows = iter(tables.levels)
    for number in (0, 2):
        below = system.starts[number]
        for depth, level in enumerate(system.models[number].hierarchy.levels):
            row = next(rows)
            assert (row[IS_FINEST], row[FIRST_BELOW], row[BELOW_COUNT]) == (depth == 0, below, len(level.parents))
            assert row[SWEEPS] == LEVEL_SWEEPS[min(depth, len(LEVEL_SWEEPS) - 1)]
            mine = slice(row[FIRST], row[FIRST] + row[COUNT])
            np.testing.assert_array_equal(tables.positions[mine, :3], level.positions)
            np.testing.assert_array_equal(tables.positions[mine, 3], level.inverse_masses)
            parents = slice(row[FIRST_PARENT], row[FIRST_PARENT] + row[BELOW_COUNT])
            np.testing.assert_array_equal(tables.parents[parents] - row[FIRST], level.parents)
            np.testing.assert_array_equal(tables.weights[parents], level.weights)
            links = slice(row[FIRST_LINK], row[FIRST_LINK] + row[LINK_COUNT])
            found = zip((tables.links[links] - row[FIRST]).tolist(), tables.lengths[links], strict=True)
            wanted = zip(level.links.tolist(), level.lengths, strict=True)
            assert sorted((*link, length) for link, length in found) == sorted(
                (*link, length) for link, length in wanted
            )
            below = row[FIRST]
    assert next(rows, None) is None


def test_restrictions_lead_to_what_is_below(system: System) -> None:
    tables = build_hierarchy_tables(system.models, system.starts, system.scene)
    levels = [level for number in (0, 2) for level in system.models[number].hierarchy.levels]
    assert len(tables.restriction_starts) == len(tables.positions) + 1
    for row, level in zip(tables.levels, levels, strict=True):
        for vertex in range(row[COUNT]):
            mine = slice(*tables.restriction_starts[row[FIRST] + vertex : row[FIRST] + vertex + 2])
            own = slice(*level.restriction_starts[vertex : vertex + 2])
            np.testing.assert_array_equal(
                tables.restriction_vertices[mine] - row[FIRST_BELOW], level.restriction_vertices[own]
            )
            np.testing.assert_array_equal(tables.restriction_weights[mine], level.restriction_weights[own])


def test_links_of_one_colour_share_no_vertex_that_moves(system: System) -> None:
    tables = build_hierarchy_tables(system.models, system.starts, system.scene)
    for row, colours in zip(tables.levels, tables.colours, strict=True):
        assert (colours[0], colours[-1]) == (row[FIRST_LINK], row[FIRST_LINK] + row[LINK_COUNT])
        for first, last in itertools.pairwise(colours):
            ends = tables.links[first:last].ravel()
            moving = ends[tables.positions[ends, 3] > 0.0]
            assert len(np.unique(moving)) == len(moving)


@pytest.mark.parametrize("settings", [{"acceleration": "NONE"}, {"solver_mode": "PBD"}, {"substeps": 4}])
def test_whether_there_are_levels_is_told_without_building_them(settings: dict[str, object]) -> None:
    whole = build_system(scene(cloth(24, pinned=(0,)), **{"substeps": 4, **settings}))
    tables = build_hierarchy_tables(whole.models, whole.starts, whole.scene)
    assert has_levels(whole.models, whole.scene) == (len(tables.levels) > 0) == (settings == {"substeps": 4})
    assert len(tables.restriction_starts) == len(tables.positions) + 1
