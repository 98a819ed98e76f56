# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test shares: Blender with the add-on, the real meshes, hypothesis' profiles."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

from blender_xpbd.device import quick_import

ROOT = Path(__file__).resolve().parent.parent

# the same examples on every machine and in every run; `--hypothesis-profile=explore` looks further
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=30)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Give Taichi a cache of the tests' own, kept between runs, and import it and NumPy as the worker does.

    Otherwise Taichi draws the source line of each expression of each kernel, for errors that do not come, and on a busy
    machine two threads of BLAS wait for each other at every small matrix.
    """
    # before NumPy is imported, which reads it once
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("XPBD_TAICHI_CACHE", str(ROOT / ".cache" / "taichi"))
    if importlib.util.find_spec("taichi") is None:
        return
    quick_import.prepare_import()
    import taichi  # noqa: F401

    quick_import.finish_import()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what would begin after ``XPBD_TESTS_END`` (seconds since the epoch): a check ends on slow machines too.

    The file ``XPBD_TESTS_SKIPPED`` gets a line for each.
    """
    if time.time() <= float(os.environ.get("XPBD_TESTS_END", "inf")):
        return
    if path := os.environ.get("XPBD_TESTS_SKIPPED"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{item.nodeid}\n")
    pytest.skip("the time of this check is over")


@pytest.fixture(scope="session")
def meshes_folder() -> Path:
    """The folder of common test models: ``XPBD_MESHES``, or ``../shared/meshes`` beside the repository."""
    folder = Path(os.environ.get("XPBD_MESHES", ROOT.parent / "shared" / "meshes"))
    if not folder.is_dir():
        pytest.skip(f"no test models in {folder}; XPBD_MESHES names another folder")
    return folder


@pytest.fixture(scope="session")
def _bpy_module() -> ModuleType:
    if importlib.util.find_spec("bpy") is None:
        pytest.skip("bpy is not installed")
    import bpy

    return bpy


@pytest.fixture
def bpy(_bpy_module: ModuleType) -> Iterator[ModuleType]:
    """Blender as a module: an empty file, the add-on registered; afterwards empty and unregistered again."""
    import blender_xpbd

    _bpy_module.ops.wm.read_factory_settings(use_empty=True)
    blender_xpbd.register()
    try:
        yield _bpy_module
    finally:
        blender_xpbd.unregister()
        _bpy_module.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def taichi_cpu() -> None:
    """Taichi on the processor, started where no test has: a second start would take the arrays of the first."""
    import taichi as ti

    from blender_xpbd.device.runtime import start_taichi

    # a test that runs a whole job stops it
    if ti.lang.impl.get_runtime().prog is None:
        start_taichi("CPU", 0, ROOT / ".cache" / "taichi")
