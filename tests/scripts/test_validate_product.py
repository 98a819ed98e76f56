# SPDX-License-Identifier: GPL-3.0-or-later
"""How scripts/validate bakes through the add-on, and what it keeps of runs with many substeps."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest
from validation.product import accuracy, converged, damping, probe
from validation.product.converged import Converged, converged_number, converged_versions, record_converged
from validation.product.meshes import BALLS, CUBES, SHEETS, ball, cube, edge_strains, sheet, tilt, values, volumes
from validation.product.probe import AMOUNT, AT_MOST, SHARE, Comparison, Measure, Probe
from validation.product.running import bake, with_substeps
from validation.product.shot import Baked, Shot, Thing

from blender_xpbd.jobs.version import SOLVER_VERSION

CLOTH = Thing("Cloth", *sheet("quads", 1.0, 1.0, 2, 2), values("CLOTH"))


@pytest.mark.slow
def test_a_shot_is_baked_at_default_settings(bpy, monkeypatch, tmp_path):
    """A free cloth falls by ½ g t²; a pinned vertex and the object's name stay."""
    held = dataclasses.replace(CLOTH, name="Held", pinned=np.arange(9, dtype=np.int32))
    free, pinned = bake([Shot((CLOTH,), 3), Shot((held,), 2, {"substeps": 5}, gravity=1.0)])
    assert (free.substeps, free.iterations, pinned.substeps) == (20, 1, 5)
    fall = np.array([0.0, 0.0, 0.5 * 9.81 * (3 / 24) ** 2])
    np.testing.assert_allclose(free.motion[0] - free.motion[-1], np.tile(fall, (9, 1)), rtol=1e-4, atol=1e-7)
    assert list(pinned.motions) == ["Held"]
    np.testing.assert_allclose(pinned.motion, np.tile(held.positions, (3, 1, 1)), atol=1e-6)


def test_a_bake_that_fails_is_told(bpy):
    with pytest.raises(subprocess.CalledProcessError):
        bake([Shot((dataclasses.replace(CLOTH, values=values("CLOTH", area_density=0.0)),), 2)])


@pytest.mark.parametrize(
    ("kind", "expected", "tolerance", "is_within"),
    [
        (SHARE, 2.0, 0.1, True),
        (SHARE, 2.0, 0.01, False),
        (AMOUNT, 2.0, 0.2, True),
        (AMOUNT, 2.0, 0.05, False),
        (AT_MOST, 2.2, 0.0, True),
        (AT_MOST, 2.0, 0.0, False),
        (SHARE, None, 0.1, True),
    ],
)
def test_rows_compare_with_theory_or_with_the_converged_run(monkeypatch, kind, expected, tolerance, is_within):
    shot = Shot((CLOTH,), 1)
    measure = Measure("sag [m]", lambda baked: 2.1, expected, tolerance, kind)
    monkeypatch.setattr(probe, "bake", lambda shots: [Baked(shot, {"Cloth": np.zeros((2, 9, 3))}, 20, 1)])
    monkeypatch.setattr(probe, "converged_number", {"case / soft / sag [m]": 2.0}.get)
    (row,) = Comparison("case", (Probe("soft", shot, (measure,), 320),), "")().rows
    assert (row.label, row.settings, row.got, row.converged) == ("soft: sag [m]", "20 × 1", 2.1, 2.0)
    assert row.is_within is is_within


def test_converged_numbers_are_kept_in_a_file(monkeypatch, tmp_path):
    monkeypatch.setattr(converged, "RECORD", tmp_path / "converged.json")
    converged._recorded.cache_clear()
    try:
        assert converged_number("a") is None
        record_converged({"a": Converged(1.0, 320, 5, "2026-01-01"), "b": Converged(2.0, 320, 5, "2026-01-01")})
        record_converged({"a": Converged(3.0, 640, 6, "2026-01-02")})
        assert (converged_number("a"), converged_number("b")) == (3.0, 2.0)
        assert [converged_versions(keys) for keys in ("a", "ab", "x", "")] == ["6", "5 and 6", "", ""]
        record_converged({"c": Converged(2.0, 320, 12, "2026-01-03")})
        assert converged_versions("abc") == "5, 6 and 12"
    finally:
        converged._recorded.cache_clear()


def test_a_case_says_of_which_version_its_converged_numbers_are(monkeypatch, tmp_path):
    monkeypatch.setattr(converged, "RECORD", tmp_path / "converged.json")
    monkeypatch.setattr(
        probe, "bake", lambda shots: [Baked(shot, {"Cloth": np.zeros((2, 9, 3))}, 20, 1) for shot in shots]
    )
    measure = Measure("sag [m]", lambda baked: 1.5, 1.5)
    probes = (Probe("soft", Shot((CLOTH,), 1), (measure,), 160), Probe("other", Shot((CLOTH,), 1), (measure,)))
    converged._recorded.cache_clear()
    try:
        record_converged({"case / other / sag [m]": Converged(1.5, 160, 4, "2026-01-01")})
        assert Comparison("case", probes, "Hint.")().note == "Hint.", "nothing converged is compared with"
        record_converged({"case / soft / sag [m]": Converged(1.5, 160, 7, "2026-01-01")})
        assert Comparison("case", probes, "Hint.")().note == "Hint. Converged numbers are of version 7 of the solver."
    finally:
        converged._recorded.cache_clear()


def test_converged_runs_have_the_substeps_of_their_probe(monkeypatch):
    shots = []

    def pretend(chosen):
        shots.extend(chosen)
        return [Baked(shot, {"Cloth": np.zeros((2, 9, 3))}, 160, 1) for shot in chosen]

    monkeypatch.setattr(probe, "bake", pretend)
    measure = Measure("sag [m]", lambda baked: 1.5, None)
    probes = (Probe("soft", Shot((CLOTH,), 1), (measure,), 160), Probe("other", Shot((CLOTH,), 1), (measure,)))
    (found,) = Comparison("case", probes, "").converge().items()
    assert (found[0], found[1].value, found[1].substeps) == ("case / soft / sag [m]", 1.5, 160)
    # residuals, so that bending is solved in each of them
    assert [shot.values for shot in shots] == [{"substeps": 160, "measure_residual": True}]
    assert shots == [with_substeps(Shot((CLOTH,), 1), 160)]


@pytest.mark.parametrize("kind", BALLS)
def test_balls_are_closed_and_face_outwards(kind):
    mesh = ball(kind, 0.5, 1.0)
    assert volumes(mesh[0][None], mesh[1])[0] == pytest.approx(np.pi / 6.0, rel=0.2)
    assert mesh[0][:, 2].min() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", CUBES)
def test_cubes_have_their_volume(kind):
    mesh = cube(kind, 2.0, 1.0)
    assert volumes(mesh[0][None], mesh[1])[0] == pytest.approx(8.0)


@pytest.mark.parametrize("kind", SHEETS)
def test_strain_and_tilt_of_a_known_deformation(kind):
    rest, faces = sheet(kind, 2.0, 1.0, 4, 2)
    strains = edge_strains(rest, rest * [1.1, 1.0, 1.0], faces)
    assert (strains.min(), strains.max()) == (pytest.approx(0.0, abs=1e-12), pytest.approx(0.1))
    angle = np.radians(30.0)
    turned = rest @ np.array([[1, 0, 0], [0, np.cos(angle), np.sin(angle)], [0, -np.sin(angle), np.cos(angle)]])
    assert tilt(rest, turned + np.array([1.0, 2.0, 3.0])) == pytest.approx(30.0)


def test_the_page_for_artists_has_a_row_for_each_scene(tmp_path: Path) -> None:
    rows = [
        accuracy.Line("Bar: sag", 1.0, True, (1.25, 1.1, 1.05), (10, 20, 80)),
        accuracy.Line("Ball: volume", 0.9812, False, (0.8, 0.9, 0.98), (40, 81, 324)),
        accuracy.Line("Cloth: strain", float("nan"), False, (3.0, 2.0, 1.0), (10, 20, 80)),
    ]
    path = tmp_path / "accuracy.md"
    accuracy.write_accuracy(rows, path)
    text = path.read_text(encoding="utf-8")
    assert "| scene | right | Draft | Normal | Final | substeps | solver |" in text
    assert f"| Bar: sag | 1 | 1.25 | 1.1 | 1.05 | 10 / 20 / 80 | {SOLVER_VERSION} |" in text
    assert f"| Ball: volume | 0.981 ¹ | 0.8 | 0.9 | 0.98 | 40 / 81 / 324 | {SOLVER_VERSION} |" in text
    assert f"| Cloth: strain | ? | 3 | 2 | 1 | 10 / 20 / 80 | {SOLVER_VERSION} |" in text
    assert f"the newest are of version {SOLVER_VERSION}" in text
    assert f"with version {accuracy.COMPARISON.versions} of the solver" in text


def test_other_rows_of_the_page_stay(tmp_path: Path) -> None:
    """As they were, of their version and in their place."""
    path = tmp_path / "accuracy.md"
    rows = [accuracy.Line(name, 1.0, True, (1.0, 1.0, 1.0), (10, 20, 80)) for name in ("Bar: sag", "Ball: volume")]
    accuracy.write_accuracy(rows, path)
    old = path.read_text(encoding="utf-8").replace(f" {SOLVER_VERSION} |", " 3 |")
    path.write_text(old, encoding="utf-8")
    accuracy.write_accuracy([accuracy.Line("Bar: sag", 1.0, True, (2.0, 1.0, 1.0), (10, 20, 80))], path)
    found = [row for row in path.read_text(encoding="utf-8").splitlines() if row.startswith(("| Bar", "| Ball"))]
    expected = [f"| Bar: sag | 1 | 2 | 1 | 1 | 10 / 20 / 80 | {SOLVER_VERSION} |"]
    assert found == [*expected, "| Ball: volume | 1 | 1 | 1 | 1 | 10 / 20 / 80 | 3 |"]


def test_rows_that_stay_take_the_converged_number_that_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says of which version converged numbers are: a row of an older one would make that untrue."""
    first, second = accuracy.PROBES[:2]
    labels = [f"{one.name}: {one.measures[0].label}" for one in (first, second)]
    path = tmp_path / "accuracy.md"
    accuracy.write_accuracy([accuracy.Line(label, 9.0, False, (3.0, 2.0, 1.0), (1, 2, 8)) for label in labels], path)
    recorded = {accuracy.COMPARISON.key(second, second.measures[0]): 0.1234}
    monkeypatch.setattr(accuracy, "converged_number", recorded.get)
    accuracy.write_accuracy([accuracy.Line(labels[0], 8.0, False, (3.0, 2.0, 1.0), (1, 2, 8))], path)
    rows = [row for row in path.read_text(encoding="utf-8").splitlines() if row.startswith("| Pinned")]
    assert [row.split(" | ")[1] for row in rows] == ["8 ¹", "0.123 ¹"]
    assert all(row.endswith(f" | 3 | 2 | 1 | 1 / 2 / 8 | {SOLVER_VERSION} |") for row in rows)


def test_rows_of_some_scenes_are_baked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        accuracy, "bake", lambda shots: [Baked(shot, {"Bar": CLOTH.positions[None]}, 20, 1) for shot in shots]
    )
    one = dataclasses.replace(accuracy.PROBES[0], measures=(Measure("x", lambda baked: 2.0, 1.0),))
    monkeypatch.setattr(accuracy, "PROBES", (one, dataclasses.replace(one, name="Other")))
    assert [line.label for line in accuracy.lines(["Oth"])] == ["Other: x"]
    assert [chosen.name for chosen in accuracy.comparison(["Oth"]).probes] == ["Other"]
    assert len(accuracy.lines()) == 2
    with pytest.raises(ValueError, match="begins"):
        accuracy.lines(["None"])


def test_the_page_has_three_meshes_of_each_of_seven_scenes() -> None:
    assert len(accuracy.PROBES) == 21
    assert len({probe.name for probe in accuracy.PROBES}) == 21
    measures = [probe.measures[0] for probe in accuracy.PROBES]
    assert len({measure.label for measure in measures}) == 6, "strain is measured of pinned and of free cloth"
    # what no theory tells comes from a converged run
    assert all(scene.substeps or scene.measures[0].expected is not None for scene in accuracy.PROBES)


def test_a_swing_is_told_from_what_it_is_mixed_with() -> None:
    times = np.arange(73) / 24.0
    swing = np.exp(-0.6 * times) * np.cos(6.0 * times) + 0.2 * np.exp(-2.0 * times) * np.cos(25.0 * times)
    mesh = cube("quads", 1.0, 0.0)
    thing = Thing("Plain", *mesh, {}, pinned=np.array([0], np.int32))
    motion = mesh[0] + swing[:, None, None] * [0.0, 0.0, 0.01]
    found = damping.decay(Baked(Shot((thing,), 72), {"Plain": motion}, 20, 1), "Plain")
    assert found == pytest.approx((0.6, 6.0), rel=1e-3)
