# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python that the worker runs in, with made-up interpreters."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from blender_xpbd.scene.errors import XpbdError

needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="made-up interpreters are shell scripts")


@pytest.fixture
def module(bpy, monkeypatch):
    from blender_xpbd.addon.process import worker_python

    worker_python.forget_python()
    yield worker_python
    worker_python.forget_python()


def interpreter(path: Path, answer: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(0o755)
    return str(path)


def test_this_python_is_found_with_taichi_and_searched_once(module, monkeypatch):
    found = module.find_python(sys.executable)
    assert found.version == f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setattr(module, "probe", None)
    assert module.find_python(sys.executable) is found
    assert module.known_python(sys.executable) is found
    assert module.known_python("another") is None


def test_the_environment_steers_no_python_but_ours(module, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere.py")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("KEPT", "yes")
    environment = module.worker_environment(["/a", "/b"])
    assert environment["PYTHONPATH"] == os.pathsep.join(("/a", "/b"))
    assert environment["PYTHONNOUSERSITE"] == "1"
    assert environment["PYTHONSAFEPATH"] == "1"
    assert environment["KEPT"] == "yes"
    assert not {"PYTHONHOME", "PYTHONSTARTUP"} & set(environment)
    assert "PYTHONPATH" not in module.worker_environment([])
    assert environment["XPBD_TAICHI_CACHE"]


@needs_shell
def test_a_search_pauses_while_an_interpreter_is_tried(module, tmp_path):
    named = interpreter(tmp_path / "python", "sleep 0.5; echo '[[3, 12], [true, true]]'")
    search = module.search_python(named)
    pauses = 0
    for _ in search:
        pauses += 1
        time.sleep(0.01)
    # fifty on a quiet machine; none, if it waited for the interpreter
    assert pauses > 5
    assert module.known_python(named).version == "3.12"
    assert list(module.search_python(named)) == [], "what is known needs no pause"


@needs_shell
def test_a_search_that_is_given_up_leaves_no_process(module, tmp_path):
    named = interpreter(tmp_path / "python", f"echo $$ > {tmp_path}/pid; exec sleep 60")
    search = module.search_python(named)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        next(search)
        time.sleep(0.01)
    search.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@needs_shell
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("exit 1", "does not run"),
        ("echo hello", "does not run"),
        ("echo '[[3, 9], [true, true]]'", "too old"),
        ("echo '[[3, 14], [true, false]]'", "no taichi"),
        ("echo '[[3, 14], [false, false]]'", "no numpy and no taichi"),
    ],
)
def test_a_named_python_that_will_not_do(module, tmp_path, answer, words):
    named = interpreter(tmp_path / "python", answer)
    with pytest.raises(XpbdError, match=words) as caught:
        module.find_python(named)
    assert caught.value.code == "E_DEP"
    assert "Preferences" in caught.value.message
    assert module.known_python(named) is None


@needs_shell
def test_a_named_python_of_another_version_uses_its_own_libraries(module, tmp_path):
    named = interpreter(tmp_path / "python", "echo '[[3, 12], [true, true]]'")
    found = module.find_python(named)
    assert found.version == "3.12"
    assert "PYTHONPATH" not in found.environment


@needs_shell
def test_the_search_takes_the_first_that_will_do(module, tmp_path, monkeypatch):
    bad = interpreter(tmp_path / "bad" / "python3", "exit 1")
    good = interpreter(tmp_path / "good" / "python3", "echo '[[3, 12], [true, true]]'")
    monkeypatch.setattr(module, "candidates", lambda: iter([bad, good]))
    assert module.find_python().executable == good


def test_none_found_says_what_to_do(module, monkeypatch):
    monkeypatch.setattr(module, "candidates", lambda: iter([]))
    with pytest.raises(XpbdError, match="E_DEP") as caught:
        module.find_python()
    assert "pip install taichi==1.7.4`" in caught.value.message


@needs_shell
def test_candidates_are_pythons_and_each_comes_once(module, tmp_path, monkeypatch):
    on_path = interpreter(tmp_path / "bin" / "python3", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "executable", "/usr/bin/blender")
    found = list(module.candidates())
    assert on_path in found
    assert "/usr/bin/blender" not in found
    assert len(found) == len(set(found))
    assert all(Path(path).is_file() for path in found)


@pytest.mark.parametrize("name", ["~no_such_user/bin/python", "~no_such_user"])
def test_a_home_that_nobody_has_is_told(module, name):
    with pytest.raises(XpbdError, match="does not run"):
        module.find_python(name)
