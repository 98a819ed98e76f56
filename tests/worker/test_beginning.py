# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake from a frame on: the frames before it are another job's, to the byte, and it goes on from its state."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.presets import preset_values
from blender_xpbd.scene.scene import validate
from blender_xpbd.solver.system.spring_sweeps import FREE_SWEEPS
from tests.solver.scenes import cloth, plane, scene
from tests.worker.test_worker import finish, frames_of, start

LAST = 12


def falling(friction=0.5, **values):
    body = replace(cloth(6, height=0.1), material=Material.from_values({"friction": friction, "damping": 0.5}))
    return replace(scene(body, colliders=[plane(angle=0.4)], frames=(1, LAST), substeps=4), **values)


@pytest.fixture
def run(tmp_path):
    def compute(made):
        folder = write_job(tmp_path, made)
        code, output = finish(start(folder))
        return folder, code, output

    return compute


@pytest.mark.slow
@pytest.mark.parametrize("first", [2, 8, LAST])
def test_the_same_inputs_give_the_same_bytes_from_any_frame(run, first):
    former, *_ = run(falling())
    job, code, output = run(falling(beginning=Beginning(former.name, first - 1)))
    assert code == 0, output
    assert job != former
    assert read_status(job).resumed_after == first - 1
    assert frames_of(job)[0] == frames_of(former)[0]


def test_loose_cloth_goes_on_as_it_was_simulated(run):
    """Its springs are swept several times, at a number of substeps that the material chooses."""
    body = Material.from_values({**preset_values("COTTON", "CLOTH"), "friction": 0.5})
    made = falling(bodies=(replace(cloth(6, height=0.1), material=body),))
    made = replace(made, settings=replace(made.settings, quality="MATERIAL"))
    former, *_ = run(made)
    assert read_result(former).spring_sweeps == FREE_SWEEPS
    for state in (former / "milestones", former / "checkpoint.bin"):
        shutil.rmtree(state) if state.is_dir() else state.unlink()
    job, code, output = run(replace(made, beginning=Beginning(former.name, 7)))
    assert code == 0, output
    assert frames_of(job)[0] == frames_of(former)[0]


def test_other_inputs_count_from_that_frame_on(run):
    former, *_ = run(falling())
    job, code, output = run(falling(friction=0.0, beginning=Beginning(former.name, 7)))
    assert code == 0, output
    before, after = frames_of(former)[0], frames_of(job)[0]
    assert [frame for frame in before if before[frame] == after[frame]] == list(range(1, 8))


@pytest.mark.slow
def test_a_bake_goes_on_from_one_that_went_on(run):
    """Of the second nothing is kept between its two ends."""
    first, *_ = run(falling())
    second, *_ = run(falling(friction=0.0, beginning=Beginning(first.name, 4)))
    for path in (second / "milestones", second / "checkpoint.bin"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    third, code, output = run(falling(friction=1.0, beginning=Beginning(second.name, 9)))
    assert code == 0, output
    before, after = frames_of(second)[0], frames_of(third)[0]
    assert [frame for frame in before if before[frame] == after[frame]] == list(range(1, 10))


@pytest.mark.slow
def test_a_bake_from_an_earlier_frame_than_the_one_before(run):
    first, *_ = run(falling())
    second, *_ = run(falling(friction=0.0, beginning=Beginning(first.name, 8)))
    third, code, output = run(falling(friction=1.0, beginning=Beginning(second.name, 3)))
    direct, *_ = run(falling(friction=1.0, beginning=Beginning(first.name, 3)))
    assert code == 0, output
    assert frames_of(third)[0] == frames_of(direct)[0]


def test_settings_that_keep_more_or_less_count_from_that_frame_on(run):
    former, *_ = run(falling())
    damped = falling(beginning=Beginning(former.name, 7))
    material = replace(damped.bodies[0].material, damping_time=0.01, yield_strain=5.0)
    job, code, output = run(replace(damped, bodies=(replace(damped.bodies[0], material=material),)))
    assert code == 0, output
    before, after = frames_of(former)[0], frames_of(job)[0]
    assert [frame for frame in before if before[frame] == after[frame]] == list(range(1, 8))


def test_jobs_that_go_on_from_each_other_are_refused(run, tmp_path):
    """The digest of a job tells nothing of the name of its folder."""
    former, *_ = run(falling())
    job = write_job(tmp_path, falling(beginning=Beginning(former.name, 7)))
    whole = (former / "result.json").read_bytes()
    shutil.rmtree(former)
    shutil.copytree(job, former)
    (former / "result.json").write_bytes(whole)
    code, _ = finish(start(job))
    assert code == 2
    assert read_status(job).error.code == "E_CACHE_STALE"


def test_a_damaged_result_is_computed_again(run):
    former, *_ = run(falling())
    job, *_ = run(falling(friction=0.0, beginning=Beginning(former.name, 7)))
    whole = frames_of(job)[0]
    (job / "checkpoint.bin").unlink()
    (job / "status.json").unlink()
    for frame in (9, 10, 11, 12):
        (job / "frames" / f"frame_{frame:08d}.bin").unlink()
    code, output = finish(start(job))
    assert code == 0, output
    assert frames_of(job)[0] == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", [{"frames": (2, LAST)}, {"height": 0.2}, {"count": 5}], ids=["range", "place", "vertices"]
)
def test_what_does_not_fit_is_refused(run, other):
    former, *_ = run(falling())
    body = cloth(other.get("count", 6), height=other.get("height", 0.1))
    made = scene(body, colliders=[plane(angle=0.4)], frames=other.get("frames", (1, LAST)), substeps=4)
    job, code, _ = run(replace(made, beginning=Beginning(former.name, 7)))
    assert code == 2
    assert read_status(job).error.code == "E_CACHE_STALE"


def test_a_job_that_is_gone_is_refused(run):
    job, code, _ = run(falling(beginning=Beginning("0" * 24, 7)))
    assert code == 2
    assert read_status(job).error.code == "E_CACHE_STALE"


@pytest.mark.parametrize(
    ("beginning", "code"),
    [
        (Beginning("../elsewhere", 5), "E_PARAM"),
        (Beginning("0" * 24, 0), "E_FRAME_RANGE"),
        (Beginning("0" * 24, LAST), "E_FRAME_RANGE"),
    ],
)
def test_a_forged_beginning_is_refused(beginning, code):
    with pytest.raises(XpbdError) as caught:
        validate(falling(beginning=beginning))
    assert caught.value.code == code


def test_a_beginning_is_written_and_read(tmp_path):
    made = falling(beginning=Beginning("0123456789abcdef01234567", 5))
    assert read_job(write_job(tmp_path, made)).beginning == made.beginning


@pytest.mark.parametrize("changed", [{"area_density": 2.0}, {"pinned": ()}])
def test_masses_and_pins_are_those_of_now(run, changed):
    """A heavier cloth hangs longer, and one that is let go falls."""

    def hung(**values):
        body = cloth(6, height=1.0, **{"pinned": range(6), "stretch_stiffness": 5.0, **values})
        return scene(body, frames=(1, LAST), substeps=8)

    former, *_ = run(hung())
    job, code, output = run(replace(hung(**changed), beginning=Beginning(former.name, 4)))
    assert code == 0, output
    anew = frames_of(job)[1]
    was = frames_of(former)[1]
    places = [cache.read(LAST).positions[:, 2] for cache in (anew, was)]
    assert places[0].min() < places[1].min() - 0.002
    if "pinned" in changed:
        # 0.4 m in seven frames
        assert (places[0][:6] < places[1][:6] - 0.3).all()
