# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a worker that ended without a word in its status."""

from __future__ import annotations

import re
import signal
import sys

import pytest

from blender_xpbd.scene.errors import ERROR_EXIT_CODES, ExitCode

END = "The bake cannot go on."


@pytest.fixture
def worker_end(bpy):
    """The module; its package needs a Blender."""
    from blender_xpbd.addon.process import worker_end as module

    return module


@pytest.mark.parametrize("code", [code for code, status in ERROR_EXIT_CODES.items() if status != ExitCode.CRASHED])
def test_the_words_in_the_log_count_where_they_fit_the_exit_status(worker_end, tmp_path, code):
    log = f'W_PRECISION: far.\nE_X: object "A": no.\n{code}: {END}\nThe status could not be written. E_IO: full.'
    fault = worker_end.fault_told_by(ERROR_EXIT_CODES[code], tmp_path, log)
    assert (fault.code, fault.message) == (code, END)
    other = ExitCode.IO if ERROR_EXIT_CODES[code] != ExitCode.IO else ExitCode.DIVERGED
    assert worker_end.fault_told_by(other, tmp_path, log).message != END


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (ExitCode.IO, "E_IO"),
        (ExitCode.LOCKED, "E_LOCKED"),
        (ExitCode.INTERRUPTED, "E_INTERRUPTED"),
        (ExitCode.DIVERGED, "E_DIVERGED"),
    ],
)
def test_the_exit_status_counts_where_the_log_is_lost(worker_end, tmp_path, status, code):
    fault = worker_end.fault_told_by(int(status), tmp_path, "")
    assert fault.code == code
    if code == "E_IO":
        assert str(tmp_path) in fault.message
        assert "bytes are free" in fault.message


@pytest.mark.parametrize("status", [0, 1, ExitCode.REFUSED, ExitCode.CRASHED, -11])
def test_everything_else_reads_like_a_crash(worker_end, tmp_path, status):
    assert worker_end.fault_told_by(status, tmp_path, "Segmentation fault") is None


@pytest.mark.parametrize("status", [ExitCode.REFUSED, ExitCode.IO, ExitCode.CRASHED, 1])
def test_a_folder_that_is_gone_is_told(worker_end, tmp_path, status):
    fault = worker_end.fault_told_by(status, tmp_path / "gone", "")
    assert fault.code == "E_IO"
    assert "gone was deleted" in fault.message


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
@pytest.mark.parametrize(
    ("status", "log", "ran_out", "code", "words"),
    [
        (-signal.SIGKILL, "", False, "E_WORKER", "was killed"),
        (-signal.SIGKILL, "", True, "E_MEMORY", "Memory ran out"),
        (-signal.SIGSEGV, "", True, "E_WORKER", "signal 11, SIGSEGV"),
        (-signal.SIGABRT, "terminate: std::bad_alloc", False, "E_MEMORY", "bad_alloc"),
        (1, "ImportError: libX.so.6: failed to map segment from shared object", False, "E_MEMORY", "libX"),
        (1, "OSError: [Errno 12] Cannot allocate memory", False, "E_MEMORY", "Errno 12"),
        (1, "MemoryError", False, "E_MEMORY", "MemoryError"),
        (1, "KeyError", False, "E_WORKER", "exit status 1.*the_log.*KeyError"),
        (-200, "", False, "E_WORKER", "exit status -200"),
    ],
)
def test_memory_is_blamed_on_evidence_alone(worker_end, tmp_path, status, log, ran_out, code, words):
    fault = worker_end.crash(status, tmp_path / "the_log", log, memory_ran_out=ran_out)
    assert fault.code == code
    assert re.search(words, fault.message)


@pytest.mark.parametrize(("content", "count"), [("nr_free 5\noom_kill 3\n", 3), ("xoom_kill 3\n", None), (None, None)])
def test_what_the_system_counts(worker_end, tmp_path, monkeypatch, content, count):
    path = tmp_path / "vmstat"
    if content is not None:
        path.write_text(content)
    monkeypatch.setattr(worker_end, "_COUNTERS", path)
    assert worker_end.oom_kills() == count
