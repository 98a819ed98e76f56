# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that begin nearer than their gaps come apart, and are not thrown up by the speed of that."""

from dataclasses import replace

import numpy as np
import pytest

from tests.solver.scenes import cloth, plane, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")


def stack(count, apart, colliders=None, **keywords):
    """Level sheets on a floor, each a little smaller than the one below it."""
    step = 0.025 / count
    sheets = [cloth(8, size=0.1 - step * k, height=6e-3 + apart * k, identifier=f"b{k}") for k in range(count)]
    named = [replace(sheet, name=sheet.identifier) for sheet in sheets]
    return touching(*named, colliders=[plane()] if colliders is None else colliders, substeps=20, **keywords)


def tops(simulation, frames):
    """The greatest height at each frame, in all frames [m]."""
    heights, count = [], simulation.system.starts[len(simulation.system.models)]
    for _ in range(frames):
        simulation.advance()
        heights.append(simulation.positions()[:count, 2].max() + simulation.system.origin[2])
    return np.array(heights)


@pytest.mark.parametrize(
    ("count", "apart", "least"), [(2, 2.5e-3, 0.9), (5, 2.5e-3, 0.9), (5, 1e-3, 0.9), (10, 1e-3, 0.89)]
)
def test_the_topmost_sheet_is_not_thrown_up(count, apart, least):
    """At 1 mm the topmost of ten rose to 2.8 times the height at which it rests. The weight of ten takes more off."""
    simulation = stack(count, apart)
    heights = tops(simulation, 10)
    # each rests on its gap, and the lowest on that to the floor
    assert heights[-1] > least * count * simulation.system.models[0].contact_offset
    assert heights.max() < 1.02 * heights[-1]


def test_without_gravity_nothing_flies_off():
    """The outermost of ten went on at 0.4 m/s; now it stops where all have their gaps, but for a slow drift."""
    simulation = stack(10, 1e-3, colliders=[], gravity=(0.0, 0.0, 0.0))
    heights = tops(simulation, 20)
    assert 24.0 * (heights[-1] - heights[-2]) < 0.03


def test_it_goes_on_with_the_same_bytes():
    simulation = stack(5, 1e-3)
    tops(simulation, 2)
    kept = simulation.checkpoint()
    expected = tops(simulation, 2)
    again = stack(5, 1e-3)
    again.restore(2, kept)
    assert np.array_equal(tops(again, 2), expected)


def folded(layers, apart):
    """A strip that is flat at rest, and starts folded to and fro."""
    lengthwise, across = np.divmod(np.arange(41 * 6), 6)
    index = np.arange(41 * 6).reshape(41, 6)
    corners = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    layer, along = np.divmod(lengthwise * layers, 40)
    layer, along = np.where(layer < layers, layer, layers - 1), np.where(layer < layers, along / 40, 1.0)
    x = np.where(layer % 2 == 0, along, 1.0 - along) * 0.4 / layers
    # each goes over into the next one within a fifth of its length
    z = 6e-3 + apart * (layer + np.clip(5.0 * along - 4.0, 0.0, 1.0))
    return replace(
        cloth(2),
        positions=np.stack([0.01 * lengthwise, 0.012 * across, np.zeros(len(x))], axis=1),
        start=np.stack([x, 0.012 * across, z], axis=1),
        face_sizes=np.full(len(corners), 4, np.int32),
        corners=corners.ravel().astype(np.int32),
    )


def test_a_cloth_that_starts_folded_is_not_thrown_up():
    """The topmost of its eight layers rose to 1.9 times the height at which it rests."""
    heights = tops(touching(folded(8, 1e-3), colliders=[plane()], substeps=20), 12)
    assert heights.max() < 1.2 * heights[-1]
