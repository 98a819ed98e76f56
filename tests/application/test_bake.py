# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes in real applications: without a window by both doors, and in a window by the operator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.application.blender_application import ROOT, SCRIPTS, Application, assert_no_errors

pytestmark = pytest.mark.application

FRAME_END = 24
WINDOW_FRAME_END = 150

# an artist feels a window that stands still for longer than this [s]; a virtual screen draws in software
LONGEST_FREEZE = 2.0


@pytest.fixture
def scene_file(baking_application: Application, tmp_path: Path) -> Path:
    """A saved scene with one jelly body over the floor."""
    return make_scene(baking_application, tmp_path / "scene.blend", FRAME_END, 10)


def make_scene(application: Application, path: Path, frame_end: int, resolution: int) -> Path:
    run = application.script("make_scene.py", str(path), str(frame_end), str(resolution))
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
    baking_application: Application, scene_file: Path, tmp_path: Path, door: tuple[str, ...]
) -> None:
    baked = tmp_path / "baked.blend"
    run = baking_application.run("--background", str(scene_file), *door, "--save", str(baked), "--json")
    assert run.status == 0, run.output
    assert_no_errors(run.output)
    report = next(json.loads(line) for line in reversed(run.output.splitlines()) if line.startswith("{"))
    assert report["frames"] == FRAME_END
    assert report["tetrahedra"] > 0
    check = baking_application.run(
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


def test_refuses_with_the_documented_exit_status(baking_application: Application, scene_file: Path) -> None:
    run = baking_application.run("--background", str(scene_file), "--command", "xpbd", "bake", "--object", "Nobody")
    assert run.status == 2, run.output
    assert "E_NOTHING" in run.output or "E_PARAM" in run.output
    assert "Nobody" in run.output
    assert "Traceback" not in run.output


def test_window_stays_alive_during_a_bake(baking_application: Application, tmp_path: Path) -> None:
    if not baking_application.root:
        pytest.skip("the command cannot open a window on a virtual screen")
    scene = make_scene(baking_application, tmp_path / "scene.blend", WINDOW_FRAME_END, 16)
    report_file = tmp_path / "report.json"
    screenshots = ROOT / "out" / "screenshots"
    screenshots.mkdir(parents=True, exist_ok=True)
    name = Path(baking_application.root).name
    names = {f"{name}-{moment}.png" for moment in ("tab", "baking", "baked")}
    for old in names:
        (screenshots / old).unlink(missing_ok=True)
    script = ("--python", str(SCRIPTS / "bake_in_window.py"), "--", str(report_file), str(screenshots / name))
    run = baking_application.run(str(scene), *script, window="1600x900")
    assert report_file.exists(), run.output
    report = json.loads(report_file.read_text(encoding="utf-8"))
    assert report["fault"] == "", run.output
    assert_no_errors(run.output)
    assert report["category"] == "XPBD"
    # the window lived and showed the motion while it was baked
    assert report["end_status"] == "finished"
    assert report["ticks_while_baking"] >= 10
    assert report["longest_gap"] < LONGEST_FREEZE
    assert report["moved_while_baking"]
    assert report["keys"] >= WINDOW_FRAME_END
    # clear took all of it back, and cancel kept what was done
    assert report["keys_after_clear"] == 0
    assert report["baking_before_cancel"]
    assert report["seconds_to_cancel"] < 2.0
    assert 6 <= report["keys_after_cancel"] < WINDOW_FRAME_END
    assert names <= {path.name for path in screenshots.iterdir()}
