# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of one ``SOLVER_VERSION`` have the same bytes."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from golden_results.record import Golden, RefusedError, read_record, renewed, write_record
from golden_results.sources import DECIDES, PACKAGE, deciding_sources, normalised, sources_digest

from blender_xpbd.jobs.version import SOLVER_VERSION

SCRIPTS = PACKAGE.parent / "scripts"
RECORDED = Golden(3, "sources", {"this": {"cloth": "a", "jelly": "b"}, "that": {"cloth": "c", "jelly": "d"}})
FOUND = Golden(3, "sources", {"this": {"cloth": "a", "jelly": "b"}})
CHANGED = {"this": {"cloth": "x", "jelly": "b"}}


def test_the_sources_that_decide_bytes_are_those_that_are_recorded() -> None:
    recorded = read_record()
    assert recorded is not None
    assert (recorded.solver_version, recorded.sources) == (SOLVER_VERSION, sources_digest()), (
        "Code that may decide bytes has changed: run scripts/golden, which records it where they stayed as they were."
    )


def test_the_bytes_are_those_that_are_recorded() -> None:
    recorded = read_record()
    assert recorded is not None
    code = "from golden_results.computed import processor; print(processor())"
    paths = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
    key = run("-c", paths + code).stdout.splitlines()[-1]
    if key not in recorded.results:
        pytest.skip("this processor has no recorded results")
    checked = run("-m", "golden_results", "--check")
    assert checked.returncode == 0, checked.stdout


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=SCRIPTS, capture_output=True, text=True, check=False)


def test_unchanged_results_may_be_recorded() -> None:
    assert renewed(None, FOUND) == FOUND
    assert renewed(RECORDED, FOUND) == RECORDED
    elsewhere = dataclasses.replace(FOUND, sources="others")
    assert renewed(RECORDED, elsewhere) == dataclasses.replace(RECORDED, sources="others")


def test_changed_results_need_another_version() -> None:
    found = dataclasses.replace(FOUND, results=CHANGED)
    with pytest.raises(RefusedError, match=r"results of cloth have changed"):
        renewed(RECORDED, found)
    raised = dataclasses.replace(found, solver_version=4)
    assert renewed(RECORDED, raised) == raised
    with pytest.raises(RefusedError, match="is recorded"):
        renewed(RECORDED, dataclasses.replace(FOUND, solver_version=2))


def test_a_new_scene_needs_another_version() -> None:
    """Nobody knows what it was before."""
    found = {"this": {**FOUND.results["this"], "balloon": "e"}}
    with pytest.raises(RefusedError, match="balloon"):
        renewed(RECORDED, dataclasses.replace(FOUND, results=found))


def test_another_processor_is_added_where_the_sources_are_the_recorded_ones() -> None:
    found = Golden(3, "sources", {"new": {"cloth": "e", "jelly": "f"}})
    assert renewed(RECORDED, found).results.keys() == {"this", "that", "new"}
    with pytest.raises(RefusedError, match="no results to compare with"):
        renewed(RECORDED, dataclasses.replace(found, sources="others"))


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert read_record(path) is None
    write_record(RECORDED, path)
    assert read_record(path) == RECORDED


def test_every_file_that_computes_decides() -> None:
    names = {path.relative_to(PACKAGE).as_posix() for path in deciding_sources()}
    assert {"constraints/distance.py", "geometry/cage/cage.py", *DECIDES} <= names
    assert not {name for name in names if name.startswith(("addon/", "jobs/"))}


PROGRAM = '''
"""Text."""
import a


class B:
    """Text."""

    def c(self, d=1.5):
        """Text."""
        # a comment
        return f"{d:g} x" + "y"
'''


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ('"""Text."""', '"""Other text."""', True),
        ("# a comment", "", True),
        ("# a comment", "pass", False),
        ("    ", "  ", True),
        ("d=1.5", "d = 1.50", True),
        ("d=1.5", "d=1.25", False),
        ('"y"', '"z"', False),
        ("import a", "import b", False),
        ("return", "yield", False),
    ],
)
def test_only_what_runs_counts(old: str, new: str, is_same: bool) -> None:
    assert old in PROGRAM
    assert (normalised(PROGRAM.replace(old, new)) == normalised(PROGRAM)) == is_same


def test_a_digest_is_of_all_deciding_files_and_their_places(tmp_path: Path) -> None:
    (tmp_path / "solver").mkdir()
    (tmp_path / "addon").mkdir()
    (tmp_path / "solver" / "a.py").write_text("x = 1\n", encoding="utf-8")
    before = sources_digest(tmp_path)
    (tmp_path / "addon" / "b.py").write_text("x = 2\n", encoding="utf-8")
    assert sources_digest(tmp_path) == before
    (tmp_path / "solver" / "a.py").rename(tmp_path / "solver" / "c.py")
    assert sources_digest(tmp_path) != before
