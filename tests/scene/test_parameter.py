# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.parameter import Choice, Parameter, by_name
from blender_xpbd.scene.parameters.material_parameters import MATERIAL_PARAMETERS
from blender_xpbd.scene.settings import SOLVER_PARAMETERS

LENGTH = Parameter("length", "Length", "How long", 1.0, "m", 0.0, 10.0)
COUNT = Parameter("count", "Count", "How many", 3, minimum=1, maximum=9)
FLAG = Parameter("flag", "Flag", "Whether", True)
TEXT = Parameter("text", "Text", "What", "a")
MODE = Parameter("mode", "Mode", "Which", "A", choices=(Choice("A", "a", ""), Choice("B", "b", "")))
OPEN = Parameter("open", "Open", "Above zero", 1.0, minimum=0.0, exclusive_minimum=True)
SPECS = (LENGTH, COUNT, FLAG, TEXT, MODE, OPEN)
ALL = (*MATERIAL_PARAMETERS, *SOLVER_PARAMETERS)


def test_kind_follows_default_and_choices() -> None:
    assert [spec.kind for spec in SPECS] == ["FLOAT", "INT", "BOOL", "STRING", "ENUM", "FLOAT"]


def test_values_come_back_in_the_parameters_type() -> None:
    assert repr(LENGTH.check(2)) == "2.0"
    assert repr(COUNT.check(2.0)) == "2"
    assert FLAG.check(False) is False
    assert TEXT.check("b") == "b"
    assert MODE.check("B") == "B"
    assert LENGTH.check(0.0) == 0.0
    assert LENGTH.check(10.0) == 10.0


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (LENGTH, -1e-9),
        (LENGTH, 10.1),
        (LENGTH, math.nan),
        (LENGTH, math.inf),
        (LENGTH, -math.inf),
        (LENGTH, 10**400),
        (LENGTH, True),
        (LENGTH, "1"),
        (LENGTH, None),
        (COUNT, 0),
        (COUNT, 10),
        (COUNT, 2.5),
        (COUNT, False),
        (FLAG, 1),
        (FLAG, "true"),
        (TEXT, 1),
        (MODE, "C"),
        (MODE, "a"),
        (MODE, 0),
        (MODE, []),
        (MODE, None),
        (OPEN, 0.0),
        (OPEN, 10**400),
    ],
)
def test_other_values_are_refused_by_name(spec: Parameter, value: Any) -> None:
    with pytest.raises(XpbdError) as caught:
        spec.check(value, "Cube")
    assert caught.value.code == "E_PARAM"
    assert caught.value.object_name == "Cube"
    assert spec.name in caught.value.message
    assert spec.label in caught.value.message


@given(value=st.floats() | st.integers())
def test_a_checked_number_lies_in_the_range(value: float) -> None:
    for spec in (LENGTH, COUNT, OPEN):
        try:
            checked = spec.check(value)
        except XpbdError:
            continue
        assert isinstance(checked, float | int)
        assert math.isfinite(checked)
        assert spec.minimum <= checked <= spec.maximum
        assert checked == value
        assert spec.check(checked) == checked


def test_a_limit_that_single_precision_rounds_is_the_limit() -> None:
    share = Parameter("share", "Share", "How much", 0.5, minimum=0.1, maximum=0.499)
    assert np.float32(0.499) > 0.499
    assert share.check(float(np.float32(0.499))) == 0.499
    assert share.check(float(np.float32(0.1))) == 0.1
    for beyond in (0.4990001, 0.0999999):
        with pytest.raises(XpbdError):
            share.check(beyond)


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)
def test_every_parameter_is_whole(spec: Parameter) -> None:
    assert spec.check(spec.default) == spec.default
    assert spec.label
    assert spec.description
    # Blender ends tooltips with a full stop of its own
    assert not spec.description.endswith(".")
    if spec.kind in {"FLOAT", "INT"}:
        low = spec.minimum if spec.soft_minimum is None else spec.soft_minimum
        high = spec.maximum if spec.soft_maximum is None else spec.soft_maximum
        assert isinstance(spec.default, float | int)
        assert spec.minimum <= low <= spec.default <= high <= spec.maximum
    assert len({choice.identifier for choice in spec.choices}) == len(spec.choices)


def test_names_are_unique() -> None:
    for parameters in (MATERIAL_PARAMETERS, SOLVER_PARAMETERS):
        assert list(by_name(parameters)) == [spec.name for spec in parameters]
        assert len(by_name(parameters)) == len(parameters)
