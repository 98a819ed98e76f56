# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import hypothesis.extra.numpy as npst
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.lock import JobLock
from blender_xpbd.scene.errors import XpbdError

ROOT = Path(__file__).resolve().parents[2]
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

finite_floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


def ramp(vertices: int) -> npt.NDArray[np.float32]:
    return np.arange(vertices * 3, dtype=np.float32).reshape(vertices, 3)


@given(data=st.data(), vertices=st.integers(0, 40), bodies=st.integers(0, 3), statistics=st.integers(0, 4))
@same_folder
def test_round_trip_keeps_every_byte(
    tmp_path: Path, data: st.DataObject, vertices: int, bodies: int, statistics: int
) -> None:
    frame = data.draw(st.integers(-99_999_999, 99_999_999))
    positions = data.draw(npst.arrays(np.float32, (vertices, 3), elements=finite_floats))
    numbers = data.draw(npst.arrays(np.float64, (bodies, statistics)))
    cache = FrameCache(tmp_path, vertices, bodies, statistics)
    cache.publish(frame, positions, numbers)
    back = cache.read(frame)
    assert back.frame == frame
    assert back.positions.dtype == np.float32
    assert back.positions.shape == (vertices, 3)
    assert back.positions.tobytes() == positions.tobytes()
    assert back.statistics.shape == (bodies, statistics)
    assert back.statistics.tobytes() == numbers.tobytes()
    assert frame in cache.available()
    assert cache.verify(frame)


def test_every_truncation_and_flipped_byte_is_found(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, 3, 1, 2)
    cache.publish(1, ramp(3), np.ones((1, 2)))
    path = tmp_path / "frames" / "frame_00000001.bin"
    content = path.read_bytes()
    damaged = [content[:length] for length in range(len(content))] + [content + b"\0"]
    damaged += [
        content[:i] + bytes([content[i] ^ bit]) + content[i + 1 :] for i in range(len(content)) for bit in (1, 128)
    ]
    for bad in damaged:
        path.write_bytes(bad)
        assert not cache.verify(1)
    with pytest.raises(XpbdError, match="E_CACHE") as caught:
        cache.read(1)
    assert str(path) in caught.value.message
    cache.publish(1, ramp(3), np.ones((1, 2)))
    assert cache.verify(1)


@given(data=st.data())
@same_folder
def test_damage_anywhere_in_a_larger_frame_is_found(tmp_path: Path, data: st.DataObject) -> None:
    cache = FrameCache(tmp_path, 500, 2, 3)
    cache.publish(0, ramp(500), np.zeros((2, 3)))
    path = cache.path(0)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    assert not cache.verify(0)


@pytest.mark.parametrize("shape", [(4, 1, 2), (3, 2, 1), (3, 2, 2), (2, 1, 2), (10**12, 1, 2)])
def test_frames_of_another_shape_are_refused(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    FrameCache(tmp_path, 3, 1, 2).publish(1, ramp(3), np.ones((1, 2)))
    other = FrameCache(tmp_path, *shape)
    with pytest.raises(XpbdError, match="E_CACHE"):
        other.read(1)
    with pytest.raises(ValueError, match="shapes"):
        other.publish(1, ramp(3), np.ones((1, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_never_written(tmp_path: Path, bad: float) -> None:
    cache = FrameCache(tmp_path, 3, 1, 1)
    cache.publish(4, ramp(3), np.ones((1, 1)))
    positions = ramp(3)
    positions[2, 1] = bad
    with pytest.raises(XpbdError, match=r"E_DIVERGED.*frame 5"):
        cache.publish(5, positions, np.ones((1, 1)))
    assert cache.available() == [4]


def test_a_forged_frame_that_is_not_finite_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = FrameCache(tmp_path, 3, 1, 1)
    with monkeypatch.context() as patch:
        patch.setattr(np, "isfinite", lambda array: np.ones(array.shape, bool))
        cache.publish(1, np.full((3, 3), np.nan, np.float32), np.ones((1, 1)))
    with pytest.raises(XpbdError, match="E_CACHE"):
        cache.read(1)


def test_available_ignores_everything_else(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, 3, 1, 1)
    assert cache.available() == []
    for frame in (10, 2, -3, 0):
        cache.publish(frame, ramp(3), np.ones((1, 1)))
    folder = tmp_path / "frames"
    strangers = (
        ".frame_00000007.bin.0123abcd.tmp",
        "frame_7.bin",
        "frame_-00000000.bin",
        "frame_00000007.bin.bak",
        "frame_٠٠٠٠٠٠٠٧.bin",
    )
    for name in strangers:
        (folder / name).write_bytes(b"")
    (folder / "frame_00000008.bin").mkdir()
    assert cache.available() == [-3, 0, 2, 10]
    assert not cache.verify(7)
    assert not cache.verify(8)


def test_missing_frames_and_impossible_numbers(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, 3, 1, 1)
    with pytest.raises(XpbdError, match=r"E_CACHE.*missing"):
        cache.read(1)
    with pytest.raises(XpbdError, match="E_FRAME_RANGE"):
        cache.publish(100_000_000, ramp(3), np.ones((1, 1)))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_links_are_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    job = tmp_path / "job"
    job.mkdir()
    (job / "frames").symlink_to(elsewhere)
    cache = FrameCache(job, 3, 1, 1)
    for action in (lambda: cache.publish(1, ramp(3), np.ones((1, 1))), lambda: cache.read(1), cache.available):
        with pytest.raises(XpbdError, match="symbolic link"):
            action()
    assert list(elsewhere.iterdir()) == []
    (job / "frames").unlink()
    (job / "frames").mkdir()
    (job / "frames" / "frame_00000001.bin").symlink_to(tmp_path / "secret")
    assert not cache.verify(1)
    assert cache.available() == []


def test_a_frames_folder_that_is_a_file_is_an_io_error(tmp_path: Path) -> None:
    (tmp_path / "frames").write_bytes(b"")
    cache = FrameCache(tmp_path, 3, 1, 1)
    with pytest.raises(XpbdError, match="E_IO"):
        cache.publish(1, ramp(3), np.ones((1, 1)))
    with pytest.raises(XpbdError, match="E_IO"):
        cache.available()


KILLED_WRITERS = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from blender_xpbd.jobs.checkpoint import read_checkpoint, write_checkpoint
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.status import Status, read_status, write_status

folder, vertices, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
cache = FrameCache(folder, vertices, 1, 1)


def write_for_ever():
    frame = 0
    while True:
        positions = np.full((vertices, 3), frame, np.float32)
        cache.publish(frame % 20, positions, np.full((1, 1), float(frame)))
        write_checkpoint(folder, frame, {"positions": positions})
        write_status(folder, Status("RUNNING", frame))
        frame += 1


checked = 0
for _ in range(kills):
    child = os.fork()
    if child == 0:
        write_for_ever()
    time.sleep(random.uniform(0.01, 0.04))
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    for frame in cache.available():
        data = cache.read(frame)
        assert (data.positions == data.statistics[0, 0]).all()
        checked += 1
    kept = read_checkpoint(folder)
    assert kept is None or (kept[1]["positions"] == kept[0]).all()
    read_status(folder)
print(checked)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_killed_writers_leave_no_torn_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED_WRITERS, str(tmp_path), "20000", "20"]
    run = subprocess.run(command, cwd=ROOT, check=True, timeout=60, stdout=subprocess.PIPE, text=True)
    assert int(run.stdout) > 20
    with JobLock(tmp_path):
        leftovers = [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]
    assert leftovers == []


def test_a_reader_sees_whole_frames_while_they_are_replaced(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
import numpy as np
from blender_xpbd.jobs.frames import FrameCache
cache = FrameCache(Path(sys.argv[1]), 20000, 1, 1)
for i in range(200):
    cache.publish(1, np.full((20000, 3), i, np.float32), np.full((1, 1), float(i)))
"""
    cache = FrameCache(tmp_path, 20_000, 1, 1)
    cache.publish(1, np.zeros((20_000, 3), np.float32), np.zeros((1, 1)))
    writer = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT)
    seen = set()
    end = time.monotonic() + 60
    while writer.poll() is None and time.monotonic() < end:
        data = cache.read(1)
        assert (data.positions == data.statistics[0, 0]).all()
        seen.add(float(data.statistics[0, 0]))
    assert writer.wait(timeout=60) == 0
    assert len(seen) > 1


def test_publishing_a_frame_does_not_wait_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    FrameCache(tmp_path, 100, 1, 1).publish(1, ramp(100), np.zeros((1, 1)))
    assert not flushed


def turns(count: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(-1.0, 1.0, (count, 4)).astype(np.float32)


def test_orientations_are_kept_with_a_frame(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, 3, 1, 2, 5)
    cache.publish(1, ramp(3), np.full((1, 2), 7.0), turns(5))
    found = cache.read(1)
    np.testing.assert_array_equal(found.orientations, turns(5))
    np.testing.assert_array_equal(found.positions, ramp(3))
    np.testing.assert_array_equal(found.statistics, 7.0)


def test_a_frame_without_orientations_is_as_before_there_were_any(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, 3, 1, 2)
    cache.publish(1, ramp(3), np.zeros((1, 2)))
    assert cache.read(1).orientations.shape == (0, 4)
    # headers of 128 bytes, three vertices, two statistics, the digest
    assert len(cache.path(1).read_bytes()) == 128 + 36 + 128 + 16 + 16


@pytest.mark.parametrize("count", [0, 4, 6])
def test_another_number_of_orientations_is_refused(tmp_path: Path, count: int) -> None:
    cache = FrameCache(tmp_path, 3, 1, 2, 5)
    with pytest.raises(ValueError, match="has shapes"):
        cache.publish(1, ramp(3), np.zeros((1, 2)), turns(count))
    cache.publish(1, ramp(3), np.zeros((1, 2)), turns(5))
    with pytest.raises(XpbdError, match="E_CACHE"):
        FrameCache(tmp_path, 3, 1, 2, count).read(1)


def test_orientations_must_be_finite(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, 3, 1, 2, 5)
    values = turns(5)
    values[2, 1] = np.nan
    with pytest.raises(XpbdError, match="E_DIVERGED"):
        cache.publish(1, ramp(3), np.zeros((1, 2)), values)
    cache.publish(1, ramp(3), np.zeros((1, 2)), turns(5))
    path = cache.path(1)
    content = bytearray(path.read_bytes()[:-16])
    content[-4:] = np.float32(np.inf).tobytes()
    path.write_bytes(bytes(content) + hashlib.blake2b(content, digest_size=16).digest())
    with pytest.raises(XpbdError, match="no finite numbers"):
        cache.read(1)
