# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of JSON objects are what their reader asked for, or the file and the place are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.record import Record, printable, read_error_code, read_notices, write_notices
from blender_xpbd.scene.errors import ERROR_EXIT_CODES, WARNING_CODES, Notice, XpbdError

PATH = Path("folder") / "job.json"

Ask = Callable[[Record, str], object]

ASKED: dict[str, Ask] = {
    "text": Record.text,
    "integer": Record.integer,
    "whole": lambda record, key: record.integer(key, 0),
    "optional": Record.optional_integer,
    "boolean": Record.boolean,
    "number": Record.number,
    "vector": Record.vector,
    "integers": Record.integers,
    "texts": Record.texts,
    "scalars": Record.scalars,
    "record": Record.record,
    "choice": lambda record, key: record.choice(key, ("a", "b")),
}
# what each way of asking answers to some values; any other combination is refused
ANSWERS: list[tuple[Any, dict[str, Any]]] = [
    ("a", {"text": "a", "choice": "a"}),
    ("c", {"text": "c"}),
    (3, {"integer": 3, "whole": 3, "optional": 3, "number": 3.0}),
    (-3, {"integer": -3, "optional": -3, "number": -3.0}),
    (2**53, {"integer": 2**53, "whole": 2**53, "optional": 2**53, "number": float(2**53)}),
    (2**53 + 1, {"number": float(2**53)}),
    (10**400, {}),
    (1.5, {"number": 1.5}),
    (True, {"boolean": True}),
    (False, {"boolean": False}),
    (None, {"optional": None}),
    ([], {"integers": (), "texts": ()}),
    ([1, 2, 3], {"vector": (1.0, 2.0, 3.0), "integers": (1, 2, 3)}),
    ([1, 2.5, 3], {"vector": (1.0, 2.5, 3.0)}),
    ([1, True, 3], {}),
    ([-1], {}),
    ([0, 2**53 + 1], {}),
    (["a", "b", "c"], {"texts": ("a", "b", "c")}),
    (["a", 1], {}),
    (
        {"x": 1, "y": "t", "z": False},
        {"scalars": {"x": 1, "y": "t", "z": False}, "record": {"x": 1, "y": "t", "z": False}},
    ),
    ({"x": None}, {"record": {"x": None}}),
    ({"x": 10**400}, {"record": {"x": 10**400}}),
]


@pytest.mark.parametrize("way", ASKED)
@pytest.mark.parametrize(("value", "answers"), ANSWERS, ids=lambda value: str(value)[:20])
def test_a_value_is_what_was_asked_for_or_refused(way: str, value: Any, answers: dict[str, Any]) -> None:
    record = Record({"outer": {"key": value}}, PATH, "E_JOB").record("outer")
    if way in answers:
        found = ASKED[way](record, "key")
        assert (found.values() if isinstance(found, Record) else found) == answers[way]
    else:
        with pytest.raises(XpbdError) as caught:
            ASKED[way](record, "key")
        assert caught.value.code == "E_JOB"
        assert caught.value.message.startswith(f"{PATH}: outer")


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=4), st.sets(st.text(max_size=3), max_size=4))
def test_an_object_has_the_keys_that_are_asked_for(value: dict[str, int], keys: set[str]) -> None:
    if set(value) == keys:
        assert Record(value, PATH, "E_CACHE", keys).values() == value
    else:
        with pytest.raises(XpbdError, match=r"E_CACHE.*missing or unknown"):
            Record(value, PATH, "E_CACHE", keys)


@pytest.mark.parametrize("value", [[], "text", 3, None])
def test_what_is_no_object_is_refused(value: Any) -> None:
    with pytest.raises(XpbdError, match=r"E_JOB.*should be an object"):
        Record(value, PATH, "E_JOB")


def test_the_place_of_a_fault_is_told() -> None:
    record = Record({"bodies": [{"mass": 1}, {"mass": {"of": "x"}}]}, PATH, "E_JOB")
    second = record.records("bodies", ("mass",))[1]
    with pytest.raises(XpbdError, match=r"bodies\[1\]\.mass: of should be a number"):
        second.record("mass").number("of")
    with pytest.raises(XpbdError, match=r"bodies\[1\]\.mass: too heavy"):
        second.record("mass").refuse("too heavy")


@given(st.text())
def test_texts_can_be_written_to_a_terminal(text: str) -> None:
    assert printable(text).encode("utf-8").decode("utf-8") == text


def test_half_a_pair_of_surrogates_becomes_printable() -> None:
    record = Record({"key": "a\udcffb", "list": ["\ud800"]}, PATH, "E_JOB")
    assert record.text("key") == "a\\udcffb"
    assert record.texts("list") == ("\\ud800",)
    assert record.text_or("missing", "else") == "else"


@given(st.lists(st.builds(Notice, st.sampled_from(sorted(WARNING_CODES)), st.text(max_size=9), st.text(max_size=9))))
def test_notices_come_back_as_they_were(notices: list[Notice]) -> None:
    record = Record({"notices": write_notices(notices)}, PATH, "E_CACHE")
    assert read_notices(record, "notices") == tuple(notices)


def test_codes_are_those_that_there_are() -> None:
    code = next(iter(ERROR_EXIT_CODES))
    assert read_error_code(Record({"code": code}, PATH, "E_CACHE"), "code") == code
    with pytest.raises(XpbdError, match="E_CACHE"):
        read_error_code(Record({"code": "E_MADE_UP"}, PATH, "E_CACHE"), "code")
    forged = {"notices": [{"code": "W_MADE_UP", "message": "", "object_name": ""}]}
    with pytest.raises(XpbdError, match="E_CACHE"):
        read_notices(Record(forged, PATH, "E_CACHE"), "notices")
