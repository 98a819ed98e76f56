# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON of a job folder: strict, and bounded in what it makes of a text."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from ..scene.errors import XpbdError
from .files import read_bytes

# In strict JSON each value follows one of these, so that they tell how many objects a text will make: 200 MB at most
_BEFORE_VALUES = (b",", b":", b"[", b"{")
_MAXIMUM_JSON_VALUES = 2**21


def dump_json(value: Any) -> bytes:
    """JSON text in UTF-8, the same for the same value.

    Raises:
        ValueError: for NaN and infinity.
    """
    return (json.dumps(value, allow_nan=False, indent=1) + "\n").encode("utf-8")


def load_json(path: Path, limit: int, code: str) -> Any:
    """Read strict JSON: no NaN, no infinity, no key twice, no more bytes than the limit, nor millions of values.

    Raises:
        XpbdError: ``code``, or E_IO when the system cannot read it.
    """
    return parse_json(read_bytes(path, limit, code), path, code)


def parse_json(content: bytes | bytearray, path: Path, code: str) -> Any:
    """Strict JSON that was read from a file.

    Raises:
        XpbdError: ``code``, naming the file.
    """
    if sum(content.count(mark) for mark in _BEFORE_VALUES) > _MAXIMUM_JSON_VALUES:
        raise XpbdError(code, f"{path} has more than {_MAXIMUM_JSON_VALUES} values.")
    try:
        return json.loads(
            bytes(content).decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique,
        )
    # RecursionError: brackets nested by the thousand
    except (ValueError, RecursionError) as fault:
        raise XpbdError(code, f"{path} is not the JSON expected: {fault}.") from fault


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return mapping
