# SPDX-License-Identifier: GPL-3.0-or-later
"""The same schedule on a graphics card: within the tolerance of single precision, and the same bytes in every run.

Also for cards that are none: Mesa's software device for Vulkan (Debian's mesa-vulkan-drivers) will do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
sys.path[:0] = [{root!r}]
import json
from pathlib import Path
import numpy as np
from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.solver.step.plan import choose_paths
from blender_xpbd.device.runtime import start_taichi
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import build_system
from tests.geometry.surfaces import cube
from tests.solver.scenes import cloth, plane, scene

device = {device!r}
got = start_taichi(device, 0, Path({root!r}) / ".cache" / "taichi", is_double=False)
corners, triangles = cube()
jelly = Body("b1", "Cube", "JELLY", corners + [0, 0, 1.5], np.full(len(triangles), 3, np.int32),
             triangles.ravel().astype(np.int32), Material(), tetrahedralization=Tetrahedralization("CAGE", 6))
ground = Collider("c1", "Ground", "MESH", np.eye(4)[None], positions=(3.0 * corners - [0, 0, 1.5])[None],
                  triangles=triangles)
results = []
for _ in range(2):
    for job in (scene(cloth(24, pinned=[0, 23], area_density=0.15), precision="SINGLE", substeps=8, device=device),
                scene(jelly, colliders=[plane(), ground], precision="SINGLE", device=device)):
        system = build_system(job)
        assert system.models[0].body.role == 'JELLY' or system.graphics_work == 0, 'the cloth shall have coarse levels'
        solver = Solver(system, choose_paths(system, got))
        for _ in range(4):
            solver.advance()
        results.append(solver.positions().astype(float).tolist())
print(json.dumps([got, results]))
"""


def positions(device: str) -> tuple[str, list[np.ndarray]]:
    """Of a cloth and a jelly after four frames, twice, in a process of its own."""
    command = [sys.executable, "-c", PROGRAM.format(root=str(ROOT), device=device)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    got, results = json.loads(output.splitlines()[-1])
    return got, [np.array(result) for result in results]


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize("device", ["CUDA", "VULKAN", "METAL"])
def test_a_graphics_card_gives_what_the_processor_gives(device: str) -> None:
    from blender_xpbd.device.runtime import is_available

    if not is_available(device):
        pytest.skip(f"no {device} here")
    got, results = positions(device)
    assert got == device
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_array_equal(results[1], results[3])
    for mine, expected in zip(results, positions("CPU")[1], strict=True):
        np.testing.assert_allclose(mine, expected, atol=2e-4)


@pytest.mark.slow
def test_the_comparison_runs_on_the_processor() -> None:
    """What the test above asks of a graphics card can be asked at all."""
    got, results = positions("CPU")
    assert got == "CPU"
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_array_equal(results[1], results[3])
    assert np.ptp(results[0][:, 2]) > 0.01
