# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton that begins tangled and hangs under gravity is free within ten frames, as another library judges."""

import numpy as np
import pytest

pytest.importorskip("ipctk")

from contact_cases import recovery
from contact_cases.judge import Judge
from contact_cases.running import scene_of

from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system

pytestmark = pytest.mark.usefixtures("taichi_cpu")

# one mesh of each way; all, and jelly, are for scripts/contact_suite
QUICK = [case for case in recovery.CASES if case.name.endswith(("_grid", "_border"))]
FRAMES = 14


@pytest.mark.slow
@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_what_begins_tangled_is_free_and_whole(case):
    content = scene_of(case, 0, 10)
    judge, simulation = Judge(content, forgives=False), Solver(build_system(content), ("SERIAL",))
    edges = np.linalg.norm(np.diff(judge.rest[judge.edges], axis=1)[:, 0], axis=1)
    assert judge.crossings(judge.rest) > 0
    counts, speed = [], 0.0
    for frame in range(1, FRAMES + 1):
        before = simulation.positions().astype(np.float64)
        simulation.advance()
        after = simulation.surface(simulation.positions()).astype(np.float64) + simulation.system.origin
        speed = max(speed, float(np.linalg.norm(simulation.positions() - before, axis=1).max()) * 24.0)
        counts.append(judge.crossings(judge.places(after, frame)))
        lengths = np.linalg.norm(np.diff(after[judge.edges], axis=1)[:, 0], axis=1)
        # ten substeps strain hanging cotton by a fifth
        assert np.percentile(lengths / edges, 99) < 1.5
    assert counts[recovery.RECOVERY - 1 :] == [0] * (FRAMES - recovery.RECOVERY + 1)
    # of fourteen frames in free fall, and what parting adds
    assert speed < 9.0
