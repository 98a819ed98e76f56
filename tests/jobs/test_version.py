# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import tomllib
from pathlib import Path

from blender_xpbd.jobs.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == VERSION
    manifest = tomllib.loads((ROOT / "blender_xpbd" / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == VERSION
