# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check skips where its time is over."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(("seconds_left", "result"), [(-1.0, "skipped"), (1e6, "passed")])
def test_a_test_that_would_begin_too_late_is_skipped_and_told(tmp_path, seconds_left, result):
    listed = tmp_path / "skipped.txt"
    environment = {**os.environ, "XPBD_TESTS_END": str(time.time() + seconds_left)}
    environment["XPBD_TESTS_SKIPPED"] = str(listed)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_rooms.py"]
    run = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    assert run.returncode == 0
    assert re.search(rf"^\d+ {result} in ", run.stdout, re.MULTILINE)
    assert ("the time of this check is over" in run.stdout) == listed.exists() == (result == "skipped")
