# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes in real applications: without a window by both doors, and in a window by the operator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.application.blender_application import ROOT, SCRIPTS, Application, assert_no_errors

pytestmark = pytest.mark.application

FRAME_END = 24

# an artist feels a window that stands still for longer than this [s]; a virtual screen draws in software
LONGEST_FREEZE = 1.5


@pytest.fixture
def scene_file(application: Application, tmp_path: Path) -> Path:
    """A saved scene with one jelly body over the floor."""
    path = tmp_path / "scene.blend"
    run = application.script("make_scene.py", str(path))
    assert run.status == 0, run.output
    return path


@pytest.mark.parametrize(
    "door",
    [
        pytest.param(("--command", "xpbd", "bake"), id="command"),
        pytest.param(("--python", str(ROOT / "scripts" / "bake.py"), "--"), id="script"),
    ],
)
def test_bakes_without_a_window(
    application: Application, scene_file: Path, tmp_path: Path, door: tuple[str, ...]
) -> None:
    baked = tmp_path / "baked.blend"
    run = application.run("--background", str(scene_file), *door, "--save", str(baked), "--json")
    assert run.status == 0, run.output
    assert_no_errors(run.output)
    report = next(json.loads(line) for line in reversed(run.output.splitlines()) if line.startswith("{"))
    assert report["frames"] == FRAME_END
    assert report["tetrahedra"] > 0
    check = application.run(
        "--background",
        str(baked),
        "--python-exit-code",
        "1",
        "--python",
        str(SCRIPTS / "check_bake.py"),
        "--",
        str(FRAME_END),
    )
    assert check.status == 0, check.output


def test_refuses_with_the_documented_exit_status(application: Application, scene_file: Path) -> None:
    run = application.run("--background", str(scene_file), "--command", "xpbd", "bake", "--object", "Nobody")
    assert run.status == 2, run.output
    assert "E_NOTHING" in run.output or "E_PARAM" in run.output
    assert "Nobody" in run.output
    assert "Traceback" not in run.output


def test_window_stays_alive_during_a_bake(application: Application, scene_file: Path, tmp_path: Path) -> None:
    if not application.root:
        pytest.skip("the command cannot open a window on a virtual screen")
    report_file = tmp_path / "report.json"
    screenshots = ROOT / "out" / "screenshots"
    screenshots.mkdir(parents=True, exist_ok=True)
    name = Path(application.root).name
    run = application.run(
        str(scene_file),
        "--python",
        str(SCRIPTS / "bake_in_window.py"),
        "--",
        str(report_file),
        str(screenshots / name),
        window="1600x900",
    )
    assert report_file.exists(), run.output
    report = json.loads(report_file.read_text(encoding="utf-8"))
    assert report["fault"] == "", run.output
    assert_no_errors(run.output)
    assert report["category"] == "XPBD"
    assert report["ticks_while_baking"] >= 5
    assert report["longest_gap"] < LONGEST_FREEZE
    # the viewport showed the newest frame: the scene's frame moved while the bake ran
    assert report["keys"] >= 2
    assert report["end_status"] == "finished"
    assert {path.name for path in screenshots.glob(f"{name}-*.png")} >= {f"{name}-baking.png", f"{name}-baked.png"}
