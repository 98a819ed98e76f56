# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from blender_xpbd.scene.errors import ERROR_EXIT_CODES, WARNING_CODES, ExitCode, Notice, XpbdError


def test_errors_say_code_object_frame_and_message() -> None:
    error = XpbdError("E_DIVERGED", "Too stiff.", "Cube", 7)
    assert str(error) == 'E_DIVERGED: object "Cube" frame 7: Too stiff.'
    assert str(XpbdError("E_IO", "Disk full.")) == "E_IO: Disk full."
    assert error.exit_code == ExitCode.DIVERGED


def test_codes_are_known_and_spelled_alike() -> None:
    assert all(code.startswith("E_") for code in ERROR_EXIT_CODES)
    assert all(code.startswith("W_") for code in WARNING_CODES)
    assert len(set(WARNING_CODES)) == len(WARNING_CODES)
    assert ExitCode.COMPLETE not in ERROR_EXIT_CODES.values()
    with pytest.raises(ValueError, match="E_TYPO"):
        XpbdError("E_TYPO", "")
    with pytest.raises(ValueError, match="W_TYPO"):
        Notice("W_TYPO", "")


def test_exit_codes_are_the_documented_ones() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "COMPLETE": 0,
        "REFUSED": 2,
        "INTERRUPTED": 3,
        "DIVERGED": 4,
        "IO": 5,
        "CRASHED": 6,
        "LOCKED": 7,
    }
    assert ERROR_EXIT_CODES["E_LOCKED"] == ExitCode.LOCKED
    assert ERROR_EXIT_CODES["E_IO"] == ExitCode.IO


def test_notices_name_the_object() -> None:
    assert str(Notice("W_PRECISION", "Far away.", "Cube")) == 'W_PRECISION: object "Cube": Far away.'
    assert str(Notice("W_PRECISION", "Far away.")) == "W_PRECISION: Far away."
