# SPDX-License-Identifier: GPL-3.0-or-later
"""The installation of Taichi, with made-up wheels and without a network."""

from __future__ import annotations

import os
import re
import sys
import time
import tomllib
from contextlib import nullcontext
from pathlib import Path

import environment
import pytest

from blender_xpbd.scene.errors import XpbdError
from tests.addon.process.wheels import VERSIONS, make_requirements, make_wheel

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def install(bpy, tmp_path, monkeypatch):
    """The module, with the add-on's folder below ``tmp_path / "own"``."""
    from blender_xpbd.addon.process import taichi_folder, taichi_install, worker_python

    monkeypatch.setattr(taichi_folder, "own_folder", lambda: tmp_path / "own")
    worker_python.forget_python()
    yield taichi_install
    worker_python.forget_python()


@pytest.fixture
def wheels(tmp_path):
    """A folder of wheels, and the requirements that they meet."""
    lines = [make_wheel(tmp_path / "wheels", name) for name in VERSIONS]
    return tmp_path / "wheels", make_requirements(tmp_path / "requirements.txt", lines)


def run(steps):
    """All steps, and what came of them."""
    seen = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as end:
            return seen, end.value
        time.sleep(0.01)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) if folder.exists() else []


def test_what_is_installed_is_what_the_zip_brings():
    from blender_xpbd.addon.process.taichi_folder import REQUIREMENTS, requirement_count

    pinned = set(re.findall(r"^([\w.-]+==[\w.]+)", REQUIREMENTS.read_text(), re.MULTILINE))
    numpy = {line for line in pinned if line.startswith("numpy")}
    assert pinned - numpy == set(environment.extension_requirements())
    assert len(numpy) == 1
    assert requirement_count(REQUIREMENTS) == len(pinned)
    # a line without a hash would have pip refuse all of them
    blocks = re.split(r"^(?=[\w.-]+==)", REQUIREMENTS.read_text(), flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_versions_that_taichi_has_wheels_for(install):
    pyproject = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert f">={'.'.join(map(str, install.VERSIONS[0]))}" == pyproject["project"]["requires-python"]


def test_a_whole_installation_is_found(install, wheels, tmp_path, monkeypatch):
    from blender_xpbd.addon.process import taichi_folder, worker_python

    folder, requirements = wheels
    seen, target = run(install.install_taichi(sys.executable, str(folder), requirements))
    assert {"numpy", "taichi"} <= {path.name for path in target.iterdir()}
    assert list(target.parent.iterdir()) == [target], "nothing unfinished is left"
    assert [step.fraction for step in seen] == sorted(step.fraction for step in seen)
    assert {"Looking for a Python with pip", "Trying Taichi"} <= {step.text for step in seen}

    # a Python of that version without Taichi of its own
    monkeypatch.setattr(taichi_folder, "REQUIREMENTS", requirements)
    monkeypatch.setattr(taichi_folder.taichi_folder, "__defaults__", (requirements,))
    monkeypatch.setattr(worker_python, "_library_folders", list)
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys._base_executable} -S "$@"\n')
    bare.chmod(0o755)
    found = worker_python.find_python(str(bare))
    assert found.environment["PYTHONPATH"] == str(target)
    worker_python.forget_python()
    target.chmod(0o777)
    with pytest.raises(XpbdError, match="no numpy and no taichi"):
        worker_python.find_python(str(bare))


def test_what_an_earlier_version_has_installed_goes(install, wheels, tmp_path):
    folder, requirements = wheels
    old = tmp_path / "own" / "taichi"
    for name in (f"{VERSION}-0123", "2.7-0123", ".new-killed", ".new-running"):
        (old / name).mkdir(parents=True)
    os.utime(old / ".new-killed", (1.0, 1.0))
    _, target = run(install.install_taichi(sys.executable, str(folder), requirements))
    assert {path.name for path in old.iterdir()} == {target.name, "2.7-0123", ".new-running"}


@pytest.mark.parametrize("held", ["the old one", "the new one", "an earlier version"])
def test_an_installation_that_works_stays_where_another_cannot_take_its_place(
    install, wheels, tmp_path, monkeypatch, held
):
    """As on Windows, where a worker of another Blender has loaded it; or where the disk refuses."""
    folder, requirements = wheels
    _, target = run(install.install_taichi(sys.executable, str(folder), requirements))
    before = files(target)
    earlier = target.with_name(f"{VERSION}-0123")
    (earlier / "taichi").mkdir(parents=True)
    move = Path.replace
    fixed = {"the old one": target.name, "the new one": "libraries", "an earlier version": earlier.name}[held]

    def replace(source, goal):
        if source.name == fixed:
            raise PermissionError(13, "Access is denied")
        return move(source, goal)

    monkeypatch.setattr(Path, "replace", replace)
    with nullcontext() if held == "an earlier version" else pytest.raises(XpbdError, match="Access is denied"):
        run(install.install_taichi(sys.executable, str(folder), requirements))
    assert files(target) == before
    assert files(earlier) == ["taichi"]
    assert {path.name for path in target.parent.iterdir()} == {target.name, earlier.name}


@pytest.mark.parametrize("broken", ["hash", "missing", "source alone", "does not run"])
def test_a_failure_says_why_and_leaves_nothing(install, tmp_path, broken):
    folder = tmp_path / "wheels"
    mark = tmp_path / "executed"
    lines = [make_wheel(folder, "numpy")]
    if broken == "source alone":
        folder.joinpath("taichi-1.7.4.tar.gz").write_bytes(b"")
        lines.append("taichi==1.7.4 --hash=sha256:" + "0" * 64)
    else:
        lines.append(make_wheel(folder, "taichi", "raise RuntimeError('of another machine')"))
    if broken == "hash":
        make_wheel(folder, "taichi", f"open({str(mark)!r}, 'w')")
    if broken == "missing":
        next(folder.glob("taichi*")).unlink()
    requirements = make_requirements(tmp_path / "requirements.txt", lines)
    with pytest.raises(XpbdError) as caught:
        run(install.install_taichi(sys.executable, str(folder), requirements))
    assert caught.value.code == "E_DEP"
    words = {
        "hash": "DO NOT MATCH THE HASHES",
        "missing": "taichi==1.7.4",
        "source alone": "taichi==1.7.4",
        "does not run": "RuntimeError: of another machine",
    }
    assert words[broken] in caught.value.message
    assert "Folder of Wheels" in caught.value.message
    assert files(tmp_path / "own") == ["taichi"]
    assert not mark.exists()


def test_cancelling_leaves_nothing(install, wheels, tmp_path):
    folder, requirements = wheels
    steps = install.install_taichi(sys.executable, str(folder), requirements)
    for step in steps:
        if step.text == "Starting pip":
            break
    assert any(name.startswith("taichi/.new-") for name in files(tmp_path / "own"))
    steps.close()
    assert files(tmp_path / "own") == ["taichi"]


def test_nothing_of_a_stranger_is_executed_or_heard(install, wheels, tmp_path, monkeypatch):
    """Modules in the current, the temporary and the wheels' folder, a configuration of pip, and variables for both."""
    folder, requirements = wheels
    mark = tmp_path / "executed"
    mark.mkdir()
    stranger = tmp_path / "stranger"
    for place in (folder, stranger):
        for name in ("pip.py", "json.py", "numpy.py", "sitecustomize.py", "taichi.py", "runpy.py", "setup.py"):
            place.mkdir(exist_ok=True)
            (place / name).write_text(f"open({str(mark / name)!r}, 'w').close()\n")
        for name in ("pip.conf", "pip.ini"):
            (place / name).write_text(f"[global]\ntarget = {stranger}\npython = {stranger}/none\nindex-url = x\n")
    monkeypatch.chdir(stranger)
    for name, value in {
        "PYTHONPATH": str(stranger),
        "PIP_CONFIG_FILE": str(stranger / "pip.conf"),
        "PIP_TARGET": str(stranger / "target"),
        "PIP_NO_BINARY": ":all:",
        "PIP_PYTHON": str(stranger / "none"),
        "TMPDIR": str(stranger),
    }.items():
        monkeypatch.setenv(name, value)
    before = files(stranger)
    run(install.install_taichi(sys.executable, str(folder), requirements))
    assert files(mark) == []
    assert files(stranger) == before


def test_a_folder_that_is_not_there_is_told(install, tmp_path):
    with pytest.raises(XpbdError, match="There is no folder"):
        next(install.install_taichi(sys.executable, str(tmp_path / "none")))
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("exit 1", "does not run"),
        ("echo '[[3, 14], true]'", "is Python 3.14"),
        ("echo '[[3, 12], false]'", "has no pip"),
    ],
)
def test_a_python_that_will_not_do(install, tmp_path, answer, words):
    named = tmp_path / "python"
    named.write_text(f"#!/bin/sh\n{answer}\n")
    named.chmod(0o755)
    with pytest.raises(XpbdError, match=words) as caught:
        run(install.install_taichi(str(named)))
    assert "Python 3.11 to 3.13 with pip" in caught.value.message
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    ("log", "fraction", "text"),
    [
        ("", 0.0, "Starting pip"),
        ("Collecting numpy==2.2.6 (from -r x)\n", 0.0, "Getting numpy"),
        ("Collecting numpy==2\nCollecting taichi==1\nProgress 0 of 0\n", 0.375, "Getting taichi"),
        ("Collecting numpy==2\nCollecting taichi==1\nProgress 1 of 4\nProgress 2 of 4\n", 0.5625, "Getting taichi"),
        ("Collecting taichi==1\nInstalling collected packages: taichi\n", 0.75, "Unpacking"),
    ],
)
def test_progress(install, log, fraction, text):
    step = install.progress_of(log, 2)
    assert (step.fraction, step.text) == (fraction, text)


def test_own_folder_of_a_package_that_is_no_extension(bpy):
    from blender_xpbd.addon.data.extension import own_folder

    assert own_folder().is_absolute()
    assert own_folder().name == "xpbd_physics"
    assert Path(bpy.utils.user_resource("DATAFILES")) in own_folder().parents
