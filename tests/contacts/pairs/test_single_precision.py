# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry and truncation in single precision, which cloth takes: in a process of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

# the other tests share a process that computes in double precision
PROGRAM = """
import sys
from pathlib import Path
import pytest
from blender_xpbd.device.runtime import start_taichi

start_taichi("CPU", 0, Path(".cache/taichi"), is_double=False)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


@pytest.mark.slow
def test_pairs_hold_in_single_precision():
    files = ["tests/contacts/pairs/test_geometry.py", "tests/contacts/pairs/test_limit.py"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
