# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the check share."""

from __future__ import annotations

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
