# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import sys
import tracemalloc
from pathlib import Path

import pytest

from blender_xpbd.jobs import files
from blender_xpbd.scene.errors import XpbdError

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_publish_replaces_the_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    files.publish(path, [b"one", bytearray(b"two")])
    files.publish(path, [memoryview(b"three")])
    assert path.read_bytes() == b"three"
    assert names(tmp_path) == ["a.bin"]


def test_interrupted_writing_leaves_the_former_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.bin"
    files.publish(path, [b"former"])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.publish(path, [b"new"])
    assert path.read_bytes() == b"former"
    assert names(tmp_path) == ["a.bin"]


@posix
def test_full_disk_is_named_with_path_and_bytes(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "a.bin"
    files.publish(path, [b"former"])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(XpbdError) as caught:
            files.publish(path, [b"x" * 9_000, b"y" * 9_000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.code == "E_IO"
    assert str(path) in caught.value.message
    assert "18000 bytes" in caught.value.message
    assert path.read_bytes() == b"former"
    assert names(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("number", ["ENOSPC", "EROFS", "EACCES", "EDQUOT"])
def test_refusal_of_the_system_says_what_to_do(tmp_path: Path, number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    def refuse(*_: object, **__: object) -> int:
        raise OSError(getattr(errno, number), os.strerror(getattr(errno, number)))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(XpbdError, match="choose another cache folder") as caught:
        files.publish(tmp_path / "a.bin", [b"12345"])
    assert caught.value.code == "E_IO"
    assert "5 bytes" in caught.value.message


def test_a_file_in_place_of_a_folder_is_an_io_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(XpbdError, match="E_IO"):
        files.make_folder(tmp_path / "file" / "folder")
    with pytest.raises(XpbdError, match="E_IO"):
        files.publish(tmp_path / "file" / "a", [b""])


def test_a_file_that_another_reads_is_replaced_a_little_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where the system refuses while a reader has the file open."""
    replace, refusals = Path.replace, [PermissionError(13, "in use"), PermissionError(13, "in use")]

    def replace_at_last(path: Path, target: Path) -> Path:
        if refusals:
            raise refusals.pop()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", replace_at_last)
    with pytest.raises(XpbdError, match="E_IO"):
        files.publish(tmp_path / "a", [b"content"])
    monkeypatch.setattr(files, "_WINDOWS_PAUSE", 0.0)
    monkeypatch.setattr(sys, "platform", "win32")
    files.publish(tmp_path / "a", [b"content"])
    assert (tmp_path / "a").read_bytes() == b"content"


def test_a_name_that_the_system_refuses_is_an_io_error(tmp_path: Path) -> None:
    with pytest.raises(XpbdError, match="E_IO"):
        files.inside(tmp_path, "a" * 1000, code="E_JOB")


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "a/b", "a\\b", "C:", "a\0b", "/etc/passwd"])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(XpbdError, match="E_JOB"):
        files.inside(tmp_path, name, code="E_JOB")
    with pytest.raises(XpbdError, match="E_CACHE"):
        files.inside(tmp_path, "folder", name, code="E_CACHE")


@posix
def test_links_are_refused_at_every_level(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"secret")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").symlink_to("real/a")
    (tmp_path / "dangling").symlink_to("nothing")
    for name in (("link",), ("link", "a"), ("file",), ("dangling",)):
        with pytest.raises(XpbdError, match="symbolic link"):
            files.inside(tmp_path, *name, code="E_JOB")
    with pytest.raises(XpbdError, match="not a regular file"):
        files.read_bytes(tmp_path / "file", 100, "E_JOB")


@posix
def test_writing_over_a_link_does_not_follow_it(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "a").symlink_to("victim")
    files.publish(tmp_path / "a", [b"new"])
    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert not (tmp_path / "a").is_symlink()


@posix
def test_a_folder_or_a_pipe_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(XpbdError, match="not a regular file"):
            files.read_bytes(tmp_path / name, 100, "E_CACHE")


def test_reading_respects_limits(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert files.read_bytes(path, 5, "E_JOB", size=5) == b"12345"
    with pytest.raises(XpbdError, match="more than the 4"):
        files.read_bytes(path, 4, "E_JOB")
    with pytest.raises(XpbdError, match="instead of 6"):
        files.read_bytes(path, 10, "E_JOB", size=6)
    with pytest.raises(XpbdError, match=r"E_CACHE.*missing"):
        files.read_bytes(tmp_path / "b", 4, "E_CACHE")


@posix
def test_a_huge_sparse_file_is_refused_before_allocation(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(XpbdError, match="more than"):
        files.read_bytes(path, 1000, "E_JOB")


def test_only_our_leftovers_are_removed(tmp_path: Path) -> None:
    for name in (".a.bin.0123abcd.tmp", "a.bin", "a.tmp", ".b.tmp"):
        (tmp_path / name).write_bytes(b"")
    files.remove_leftovers(tmp_path)
    files.remove_leftovers(tmp_path / "missing")
    assert names(tmp_path) == [".b.tmp", "a.bin", "a.tmp"]


def test_leftover_names_are_those_that_publish_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer killed before it renames leaves a file; it must be one that is removed."""

    def lose(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "replace", lose)
    monkeypatch.setattr(Path, "unlink", lose)
    with pytest.raises(XpbdError, match="E_IO"):
        files.publish(tmp_path / "a.bin", [b"content"])
    monkeypatch.undo()
    assert len(names(tmp_path)) == 1
    files.remove_leftovers(tmp_path)
    assert names(tmp_path) == []


def test_flushing_holds_no_task_for_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a bake leaves thousands between two lasting checkpoints; a task for each took 3 MB for 2,000
    paths = [tmp_path / str(number) for number in range(2000)]
    for path in paths:
        path.touch()
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.append(os.fstat(descriptor).st_ino))
    files.flush(paths[:20], "E_CACHE")
    flushed.clear()
    tracemalloc.start()
    try:
        files.flush(paths, "E_CACHE")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert set(flushed) >= {path.stat().st_ino for path in paths}
    assert peak < 1e6
