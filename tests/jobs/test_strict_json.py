# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest

from blender_xpbd.jobs import strict_json
from blender_xpbd.jobs.files import publish
from blender_xpbd.scene.errors import XpbdError


@pytest.mark.parametrize(
    "text",
    [
        b"NaN",
        b"[Infinity]",
        b'{"a": -Infinity}',
        b"1e999",
        b'{"a": 1, "a": 2}',
        b'{"b": {"a": 1, "a": 1}}',
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b"1" * 10_000,
        b"{'a': 1}",
    ],
)
def test_loose_json_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text)
    with pytest.raises(XpbdError, match="E_JOB") as caught:
        strict_json.load_json(path, 10**6, "E_JOB")
    assert str(path) in caught.value.message


def test_json_round_trip_and_refusal_of_nan(tmp_path: Path) -> None:
    value = {"a": [1, 2.5, None, True, "ä\n"], "b": {"c": 1e-300}}
    path = tmp_path / "a.json"
    publish(path, [strict_json.dump_json(value)])
    assert strict_json.load_json(path, 1000, "E_JOB") == value
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            strict_json.dump_json({"a": number})


def test_a_small_text_that_makes_millions_of_objects_is_refused(tmp_path: Path) -> None:
    """Ten megabytes of it would take a gigabyte."""
    path = tmp_path / "a.json"
    path.write_bytes(b"[" + b"[]," * 2**21 + b"0]")
    with pytest.raises(XpbdError, match=r"E_JOB.*values"):
        strict_json.load_json(path, 2**26, "E_JOB")
