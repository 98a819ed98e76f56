# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reader of the documentation relies on: lines that fit, links that lead somewhere, files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md"))]
LONGEST_LINE = 120
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")
# paths in the package, as pages name them: `solver/step/state.py`, `addon/baking/bake.py: bake(context)`
SOURCE = re.compile(r"`((?:blender_xpbd/)?[a-z_]+/[a-z_/]+\.py)\b")
# CONTRIBUTING.md adds these as examples
EXAMPLES = {
    "blender_xpbd/contacts/capsule.py",
    "blender_xpbd/constraints/triangle_area.py",
    "tests/constraints/test_triangle_area.py",
}


def name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_fit(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST_LINE and not line.startswith("|")] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [match[1] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_sources_that_pages_name_are_there(page: Path) -> None:
    named = {match[1] for match in SOURCE.finditer(page.read_text(encoding="utf-8"))} - EXAMPLES
    places = (ROOT, ROOT / "blender_xpbd")
    assert [source for source in sorted(named) if not any((place / source).exists() for place in places)] == []
