# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from blender_xpbd.scene.listing import listed, quoted


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1"),
        (2, "1 and 2"),
        (3, "1, 2 and 3"),
        (5, "1, 2, 3, 4 and 5"),
        (6, "1, 2, 3, 4, 5 and 1 more"),
        (12, "1, 2, 3, 4, 5 and 7 more"),
    ],
)
def test_things_are_named_or_counted(count: int, text: str) -> None:
    assert listed(range(1, count + 1)) == text


def test_names_are_quoted() -> None:
    assert quoted(["A", 'B"']) == '"A" and "B""'
    assert quoted("ABC", most=1) == '"A" and 2 more'
