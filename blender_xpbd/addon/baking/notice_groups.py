# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings of a bake, grouped: a notice for each code, objects that have the same one named together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .report_text import baked_text

_WARNING = re.compile(r'(?P<code>W_[A-Z_]+):(?: object (?P<name>"[^"\n]*"):)? (?P<words>.+)', re.DOTALL)
# What is quoted is a name, whose digits tell it from others
_QUOTED_OR_NUMBER = re.compile(r'"[^"\n]*"|-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?')
_MOST_NAMES = 4
# of a disclosure's header, in a sidebar of the width that Blender gives it
_MOST_LETTERS = 36


@dataclass
class _Alike:
    """Warnings whose words differ in numbers alone.

    Attributes:
        words: of each of them, without code and object.
        names: of the objects, quoted.
    """

    words: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The objects, and the words with a range for each number that differs."""
        if len(self.names) > _MOST_NAMES:
            names = f"{', '.join(self.names[: _MOST_NAMES - 1])} and {len(self.names) - _MOST_NAMES + 1} more"
        else:
            names = ", ".join(self.names)
        words = _joined(self.words)
        return f"{names}: {words}" if names else f"{words[:1].upper()}{words[1:]}"


def notice_groups(warnings: Sequence[str]) -> list[str]:
    """A text for each code, with a line for each thing that is said; what is no warning stays by itself.

    Args:
        warnings: as a bake tells them: "W_CODE: object "Name": words".
    """
    groups: dict[str, dict[str, _Alike]] = {}
    for warning in warnings:
        found = _WARNING.fullmatch(warning)
        code, words = (found["code"], found["words"]) if found else ("", warning)
        alike = groups.setdefault(code or warning, {}).setdefault(pattern(words), _Alike())
        alike.words.append(words)
        if found and found["name"] and found["name"] not in alike.names:
            alike.names.append(found["name"])
    return [_text(code, of_code) for code, of_code in groups.items()]


@lru_cache(maxsize=8)
def result_line(report: str, notices: int) -> str:
    """What the bake did, in one line: "Baked 72 frames in 4.0 s · 3 notices"; "" where it did nothing.

    A longer line does without "Baked": the sidebar would cut off its end.

    Args:
        report: of ``Scene.xpbd.report``.
        notices: how many there are to be read.
    """
    done = baked_text(report)
    told = f"{notices} notice{'' if notices == 1 else 's'}" if notices else ""
    line = " · ".join(part for part in (done, told) if part)
    return line if len(line) <= _MOST_LETTERS else line.removeprefix("Baked ")


def _text(code: str, of_code: Mapping[str, _Alike]) -> str:
    lines = "\n".join(alike.text() for alike in of_code.values())
    return f"{lines} ({code})" if code.startswith("W_") else lines


def alike_text(names: Sequence[str], words: Sequence[str]) -> str:
    """Texts of objects that are alike (``pattern``) as one, with a range for each number that differs.

    Args:
        names: of the objects, "" for none.
        words: what is said of each.
    """
    return _Alike([*words], [f'"{name}"' for name in names if name]).text()


def pattern(words: str) -> str:
    """What texts have in common that are alike but for their numbers."""
    return _QUOTED_OR_NUMBER.sub(lambda found: found[0] if found[0].startswith('"') else "0", words)


def _joined(words: Sequence[str]) -> str:
    """Texts of one pattern as one: where their numbers differ, the lowest and the highest."""
    columns = [_numbers(text) for text in words]

    def told(position: int, first: str) -> str:
        texts = sorted({column[position] for column in columns}, key=_value)
        return first if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"

    count = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        if found[0].startswith('"'):
            return found[0]
        count += 1
        return told(count - 1, found[0])

    return _QUOTED_OR_NUMBER.sub(replace, words[0])


def _numbers(words: str) -> list[str]:
    return [found for found in _QUOTED_OR_NUMBER.findall(words) if not found.startswith('"')]


def _value(number: str) -> float:
    return float(number.replace(",", ""))
