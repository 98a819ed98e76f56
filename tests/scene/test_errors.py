# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from blender_xpbd.scene.errors import ERROR_EXIT_CODES, WARNING_CODES, ExitCode, Notice, XpbdError, attempt_all


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


def test_several_faults_are_one_error_that_tells_each() -> None:
    first, second, third = (
        XpbdError("E_IO", "Full.", "A", 3),
        XpbdError("E_PARAM", "Low.", "B"),
        XpbdError("E_JOB", "?"),
    )
    joined = XpbdError.joined([first, XpbdError.joined([second, third])])
    assert (joined.code, joined.message, joined.object_name, joined.frame) == ("E_IO", "Full.", "A", 3)
    assert joined.exit_code == ExitCode.IO
    assert str(joined).splitlines() == ['E_IO: object "A" frame 3: Full.', 'E_PARAM: object "B": Low.', "E_JOB: ?"]
    assert [str(fault) for fault in joined.faults] == str(joined).splitlines()
    assert str(XpbdError.joined([second])) == str(second)


def test_all_are_attempted() -> None:
    seen = []

    def refuse_odd(number: int) -> None:
        seen.append(number)
        if number % 2:
            raise XpbdError("E_PARAM", "Odd.", str(number))

    attempt_all(refuse_odd, [0, 2])
    with pytest.raises(XpbdError) as caught:
        attempt_all(refuse_odd, [0, 1, 2, 3])
    assert seen == [0, 2, 0, 1, 2, 3]
    assert [fault.object_name for fault in caught.value.faults] == ["1", "3"]
