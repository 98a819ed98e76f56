# SPDX-License-Identifier: GPL-3.0-or-later
"""The least of what the system, the process' own limit and its group leave."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from blender_xpbd.jobs import free_memory as module
from blender_xpbd.jobs.free_memory import free_memory

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of what a Linux would tell: 4000 KiB are available, and no group has a limit."""
    monkeypatch.setattr(module, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(module, "_GROUP_LIMIT", tmp_path / "memory.max")
    monkeypatch.setattr(module.resource, "getrlimit", lambda _: (module.resource.RLIM_INFINITY,) * 2)
    (tmp_path / "meminfo").write_text("MemTotal:       9000 kB\nMemFree:  1000 kB\nMemAvailable:   4000 kB\n")
    (tmp_path / "memory.max").write_text("max\n")
    return tmp_path


def test_this_machine_has_some_memory() -> None:
    assert 2**20 < free_memory() < 2**60


@posix
def test_what_is_available_counts_not_what_is_free(system: Path) -> None:
    assert free_memory() == 4000 * 1024


@posix
def test_the_limit_of_a_group_counts_where_it_is_less(system: Path) -> None:
    (system / "memory.max").write_text("1000000\n")
    assert free_memory() == 1_000_000
    (system / "memory.max").write_text("999999999999\n")
    assert free_memory() == 4000 * 1024


@posix
def test_the_limit_of_the_process_counts_where_it_is_less(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.resource, "getrlimit", lambda _: (500_000, 900_000))
    assert free_memory() == 500_000


@posix
def test_a_system_that_tells_nothing_has_what_is_built_in(system: Path) -> None:
    (system / "memory.max").unlink()
    (system / "meminfo").unlink()
    assert free_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    (system / "meminfo").write_text("MemTotal:       9000 kB\n")
    assert free_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
