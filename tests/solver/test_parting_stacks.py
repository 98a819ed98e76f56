# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that begin nearer than their gaps come apart, and are not thrown up by the speed of that."""

from dataclasses import replace

import numpy as np
import pytest

from tests.solver.scenes import cloth, plane, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")


@pytest.mark.parametrize(("count", "apart", "most"), [(2, 2.5e-3, 1.05), (5, 2.5e-3, 1.05), (5, 1e-3, 2.0)])
def test_the_topmost_sheet_is_not_thrown_up(count, apart, most):
    """At 1 mm the topmost of five rose to 4.4 times the height at which it rests, at 2.5 mm to 1.35 times."""
    sheets = [cloth(8, size=0.1 - 0.005 * k, height=6e-3 + apart * k, identifier=f"b{k}") for k in range(count)]
    simulation = touching(
        *[replace(sheet, name=sheet.identifier) for sheet in sheets], colliders=[plane()], substeps=20
    )
    heights = []
    for _ in range(10):
        simulation.advance()
        heights.append(simulation.positions()[: simulation.system.starts[count], 2].max())
    heights = np.array(heights) + simulation.system.origin[2]
    # each rests on its gap, and the lowest on that to the floor
    assert heights[-1] > 0.9 * count * simulation.system.models[0].contact_offset
    assert heights.max() < most * heights[-1]
