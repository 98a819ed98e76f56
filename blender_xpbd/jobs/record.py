# SPDX-License-Identifier: GPL-3.0-or-later
"""Typed access to JSON objects that may hold anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from ..scene.errors import ERROR_EXIT_CODES, WARNING_CODES, Notice, XpbdError

_LARGEST = 2**53


class Record:
    """One JSON object of a file: every accessor checks the type, and an error names file and key."""

    def __init__(self, value: Any, path: Path, code: str, keys: Iterable[str] | None = None, place: str = "") -> None:
        """Take a value that has been read.

        Args:
            value: what should be an object.
            path: of the file, for messages.
            code: of the errors.
            keys: exactly those that the object must have; None for any.
            place: where in the file the object stands, for messages.

        Raises:
            XpbdError: ``code``, when it is no object or has other keys.
        """
        self._path = path
        self._code = code
        self._place = place
        if not isinstance(value, dict):
            raise XpbdError(code, f"{path}: {place or 'the whole'} should be an object.")
        self._value: dict[str, Any] = value
        if keys is not None and set(value) != set(keys):
            wrong = ", ".join(sorted(set(value) ^ set(keys)))
            self.refuse(f"missing or unknown: {wrong}")

    def text(self, key: str) -> str:
        """A string, made printable: half a surrogate pair could not be written to a terminal."""
        value = self._value[key]
        if not isinstance(value, str):
            self.refuse(f"{key} should be a text")
        return printable(value)

    def text_or(self, key: str, default: str) -> str:
        """A string, or the default where the key is missing."""
        return self.text(key) if key in self._value else default

    def choice(self, key: str, choices: Iterable[str]) -> str:
        """One of the given strings."""
        value = self.text(key)
        if value not in choices:
            self.refuse(f"{key} is {value!r}, which is unknown")
        return value

    def integer(self, key: str, minimum: int = -_LARGEST) -> int:
        """A whole number of at most 2^53 in amount, and at least the minimum."""
        value = self._value[key]
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= _LARGEST:
            self.refuse(f"{key} should be a whole number" + (f" of at least {minimum}" if minimum >= 0 else ""))
        return value

    def optional_integer(self, key: str) -> int | None:
        """A whole number or null."""
        return None if self._value[key] is None else self.integer(key)

    def boolean(self, key: str) -> bool:
        """True or false; no number stands for them."""
        value = self._value[key]
        if not isinstance(value, bool):
            self.refuse(f"{key} should be true or false")
        return value

    def number(self, key: str) -> float:
        """A number; it is finite, because strict JSON knows no other."""
        return self._number(key, self._value[key])

    def _number(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
            self.refuse(f"{key} should be a number")
        return float(value)

    def vector(self, key: str) -> tuple[float, float, float]:
        """Three numbers."""
        value = self._list(key)
        if len(value) != 3:
            self.refuse(f"{key} should have three numbers")
        return self._number(key, value[0]), self._number(key, value[1]), self._number(key, value[2])

    def integers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers of at least 0."""
        value = self._list(key)
        if not all(isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= _LARGEST for item in value):
            self.refuse(f"{key} should be whole numbers of at least 0")
        return tuple(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self._list(key)
        if not all(isinstance(item, str) for item in value):
            self.refuse(f"{key} should be a list of texts")
        return tuple(printable(item) for item in value)

    def scalars(self, key: str) -> dict[str, str | float | int | bool]:
        """An object with any keys, whose values are texts, numbers, true or false."""
        record = self.record(key)
        return {name: record._scalar(name, value) for name, value in record.values().items()}

    def _scalar(self, key: str, value: Any) -> str | float | int | bool:
        if isinstance(value, str | bool):
            return value
        if isinstance(value, int):
            return self.integer(key)
        return self._number(key, value)

    def values(self) -> dict[str, Any]:
        """The object itself."""
        return self._value

    def is_null(self, key: str) -> bool:
        """Whether the value is null."""
        return self._value[key] is None

    def record(self, key: str, keys: Iterable[str] | None = None) -> Record:
        """An object within this one."""
        return Record(self._value[key], self._path, self._code, keys, self._below(key))

    def records(self, key: str, keys: Iterable[str], optional: Iterable[str] = ()) -> list[Record]:
        """A list of objects that all have the same keys, and may have some more."""
        wanted, further, found = set(keys), set(optional), []
        for number, item in enumerate(self._list(key)):
            own = wanted | further.intersection(item) if isinstance(item, dict) else wanted
            found.append(Record(item, self._path, self._code, own, self._below(f"{key}[{number}]")))
        return found

    def _list(self, key: str) -> list[Any]:
        value = self._value[key]
        if not isinstance(value, list):
            self.refuse(f"{key} should be a list")
        return value

    def _below(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def refuse(self, reason: str) -> NoReturn:
        """Raise the error, naming file and place."""
        raise XpbdError(self._code, f"{self._path}: {self._place + ': ' if self._place else ''}{reason}.")


def printable(text: str) -> str:
    """The text, with what UTF-8 cannot hold written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


NOTICE_KEYS = ("code", "message", "object_name")


def write_notices(notices: Iterable[Notice]) -> list[Mapping[str, str]]:
    """Warnings as JSON objects."""
    return [{"code": n.code, "message": printable(n.message), "object_name": printable(n.object_name)} for n in notices]


def read_notices(record: Record, key: str) -> tuple[Notice, ...]:
    """Warnings from a list of JSON objects.

    Raises:
        XpbdError: the record's code, for anything else.
    """
    return tuple(
        Notice(item.choice("code", WARNING_CODES), item.text("message"), item.text("object_name"))
        for item in record.records(key, NOTICE_KEYS)
    )


def read_error_code(record: Record, key: str) -> str:
    """One of the known error codes."""
    return record.choice(key, ERROR_EXIT_CODES)
