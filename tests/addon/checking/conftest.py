# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the check share."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def measured(bpy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Meshes whose mean edge was measured for gaps, from now on."""
    from blender_xpbd.addon.checking import gaps

    meshes, mean_edge = [], gaps.mean_edge

    def counted(*mesh: Any) -> float:
        meshes.append(mesh)
        return mean_edge(*mesh)

    monkeypatch.setattr(gaps, "mean_edge", counted)
    return meshes


@pytest.fixture
def named_by(bpy: ModuleType) -> Callable[[str], Callable[[], list[tuple[str, ...]]]]:
    """Makes a function that checks the scene: of whom it tells a code, each with the names that the message says."""

    def named(code: str) -> Callable[[], list[tuple[str, ...]]]:
        def find() -> list[tuple[str, ...]]:
            bpy.context.view_layer.update()
            bpy.ops.xpbd.check()
            rows = [row for row in json.loads(bpy.context.scene.xpbd.findings) if row["code"] == code]
            return [(row["object"], *row["message"].split('"')[1::2]) for row in rows]

        return find

    return named
