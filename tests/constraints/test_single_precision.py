# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints in single precision, which cloth takes: what is finite in double precision can overflow there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# the other tests share a process that computes in double precision
PROGRAM = """
import itertools, json
from pathlib import Path
import numpy as np
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.device.runtime import start_taichi
from tests.constraints.projection_kernel import projected
from tests.constraints.test_all_constraints import INVERSE_MASSES, REST, build, disturbed
from tests.solver.scenes import cloth, solver

start_taichi("CPU", 0, Path(".cache/taichi"), is_double=False)
shapes = {"point": slice(0, 3), "line": slice(1, 3), "plane": slice(2, 3)}
found = []
for name, shape, pbd, once, damping in itertools.product(REST, shapes, (False, True), (False, True), (0.0, 0.1)):
    positions = disturbed(name, 0.1, 6)
    positions[:, shapes[shape]] = 0.0
    options = {"iterations": 1 if once else 3, "once": once, "pbd": pbd, "damping": damping}
    results = projected(build(name), positions, INVERSE_MASSES[: len(positions)], **options)
    if not all(np.isfinite(values).all() for values in results):
        found.append([name, shape, options])
for edge in (1e-2, 1e-3, 1e-4, 5e-5):
    sheet = solver(cloth(21, size=20.0 * edge, pinned=(0, 20)), acceleration="NONE")
    try:
        for _ in range(3):
            sheet.advance()
        sheet.positions()
    except XpbdError as error:
        found.append([edge, error.code])
print(json.dumps(found))
"""


@pytest.mark.slow
def test_degenerate_and_tiny_shapes_stay_finite():
    command = [sys.executable, "-c", PROGRAM]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert json.loads(output.splitlines()[-1]) == []
