# SPDX-License-Identifier: GPL-3.0-or-later
"""A region of a bake simulated again: what lies outside it, in space and in time, keeps its bytes."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import Delaunay

from blender_xpbd.jobs.job import read_job, write_job
from blender_xpbd.jobs.result import read_result
from blender_xpbd.jobs.status import read_status
from blender_xpbd.scene.beginning import Beginning
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.errors import ExitCode, XpbdError
from blender_xpbd.scene.pose import Pose
from blender_xpbd.scene.region import Region
from blender_xpbd.scene.scene import validate
from blender_xpbd.worker.job_runner import JobRunner, run_job
from blender_xpbd.worker.region_runner import RegionRunner
from blender_xpbd.worker.stop_signal import StopSignal
from tests.solver.scenes import cloth, jelly_cube, mesh_box, pins, plane, scene
from tests.solver.strands import line, strand
from tests.worker.test_worker import finish, frames_of, start, wait_for_frame

KERNELS = Path(os.environ.get("XPBD_TAICHI_CACHE") or Path(__file__).resolve().parents[2] / ".cache" / "taichi")
LAST, FIRST, END = 24, 10, 18


def hung_cloth(**values):
    """A sheet that swings on one side."""
    body = cloth(9, height=1.0, pinned=range(9), **values)
    return scene(body, frames=(1, LAST), substeps=20)


def dropped_jelly(**values):
    return scene(
        jelly_cube(0.5, height=0.2, resolution=5, **values), colliders=[plane()], frames=(1, LAST), substeps=20
    )


def free_half(body):
    """The vertices of the far half, and how freely they move."""
    middle = body.positions.mean(axis=0)
    return np.flatnonzero(body.positions[:, 0] > middle[0] - 1e-9).astype(np.int32)


def regional(made, former, first=FIRST, last=END, blend=4, vertices=None, freedom=1.0):
    body = made.bodies[0]
    vertices = free_half(body) if vertices is None else np.asarray(vertices, np.int32)
    region = Region(body.identifier, vertices, np.full(len(vertices), freedom, np.float32), first, last, blend)
    return replace(made, beginning=Beginning(former.name, first - 1), region=region)


@pytest.fixture
def run(tmp_path):
    def compute(made):
        folder = write_job(tmp_path, made)
        code, output = finish(start(folder))
        assert code == 0, output
        return folder

    return compute


def places(folder):
    files, cache = frames_of(folder)
    return files, np.stack([cache.read(frame).positions for frame in cache.available()]).astype(np.float64)


def subdivided_jelly(**values):
    """A cube whose surface has vertices to choose from."""
    made = dropped_jelly(**values)
    positions, sizes, corners = box(6)
    body = replace(made.bodies[0], positions=positions, face_sizes=sizes, corners=corners)
    return replace(made, bodies=(body,))


def box(count):
    """A cube of half a metre with a grid on each side."""
    line = np.linspace(-0.25, 0.25, count)
    points, quads = [], []
    for axis in range(3):
        for side in (-0.25, 0.25):
            first = len(points)
            for u in line:
                for v in line:
                    point = [u, v]
                    point.insert(axis, side)
                    points.append(point)
            for i in range(count - 1):
                for j in range(count - 1):
                    quad = [first + i * count + j, first + (i + 1) * count + j]
                    quad += [quad[1] + 1, quad[0] + 1]
                    quads.append(quad if (side > 0) != (axis == 1) else quad[::-1])
    found, numbers = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    corners = numbers.ravel()[np.array(quads)].ravel().astype(np.int32)
    return found + np.array([0.0, 0.0, 0.35]), np.full(len(quads), 4, np.int32), corners


def irregular_cloth(**values):
    """As ``hung_cloth``, of triangles of all sizes."""
    numbers = np.random.default_rng(7)
    points = numbers.uniform(-0.5, 0.5, (110, 2))
    points[:20, 0], points[:20, 1] = -0.5, np.linspace(-0.5, 0.5, 20)
    triangles = Delaunay(points).simplices.astype(np.int32)
    positions = np.column_stack([points, np.ones(len(points))])
    sizes = np.full(len(triangles), 3, np.int32)
    shape = {"positions": positions, "face_sizes": sizes, "corners": triangles.ravel()}
    body = replace(cloth(9, **values), pins=pins(positions, range(20)), **shape)
    return scene(body, frames=(1, LAST), substeps=20)


def struck_cloth(**values):
    """A box goes up through it, so fast that frame 13 is simulated in slices."""
    ups = np.tile(np.eye(4), (LAST, 1, 1))
    ups[:, 2, 3] = 5.0
    ups[: FIRST + 1, 2, 3] = -1.0
    ups[FIRST + 1 : FIRST + 5, 2, 3] = np.linspace(-1.0, 5.0, 4)
    body = replace(cloth(11, height=0.6, pinned=range(11), **values), contact=BodyContact(self_collision=True))
    box = mesh_box((0.2, 0.2, 0.05), transforms=ups)
    return scene(body, colliders=[box], frames=(1, LAST), substeps=4, meet=True)


def posed_cloth(**values):
    made = hung_cloth(**values)
    pose = made.bodies[0].positions + np.sin(3.0 * made.bodies[0].positions[:, :1]) * [0.0, 0.0, 0.3]
    return replace(made, bodies=(replace(made.bodies[0], poses=(Pose(END - 2, 7, pose),)),))


def bdf2_cloth(**values):
    made = hung_cloth(**values)
    return replace(made, settings=replace(made.settings, time_integration="BDF2"))


def plastic_cloth(**values):
    """It is folded and drawn for good by its own weight."""
    values = {
        "membrane_model": "SPRINGS",
        "yield_strain": 0.2,
        "yield_curvature": 0.5,
        "stretch_stiffness": 10.0,
        **values,
    }
    return hung_cloth(**values)


def hung_strand(**values):
    return scene(strand(line(21), [0], radius=0.01, **values), frames=(1, LAST), substeps=10)


ALIKE = (
    hung_cloth,
    irregular_cloth,
    subdivided_jelly,
    struck_cloth,
    posed_cloth,
    bdf2_cloth,
    plastic_cloth,
    hung_strand,
)


@pytest.mark.slow
@pytest.mark.parametrize("make", ALIKE, ids=lambda make: make.__name__)
def test_with_nothing_changed_nothing_departs(run, make):
    """What is outside gives way within a substep as it did, and is where it was after it."""
    former = run(make())
    vertices = free_half(make().bodies[0])
    job = run(regional(make(), former, freedom=0.6, vertices=vertices))
    assert frames_of(job)[0] == frames_of(former)[0]
    status = read_status(job)
    assert (status.state, status.frames_done, status.frame) == ("COMPLETE", LAST, LAST)


@pytest.mark.parametrize(
    ("make", "changed"),
    [(hung_cloth, {"stretch_stiffness": 3.0}), (subdivided_jelly, {"youngs_modulus": 3000.0})],
)
def test_only_the_region_moves_otherwise(run, make, changed):
    former = run(make())
    files, before = places(former)
    other_files, other = places(run(regional(make(**changed), former)))
    outside = np.setdiff1d(np.arange(before.shape[1]), free_half(make().bodies[0]))
    # led back at the last frame, to the byte
    same = [frame for frame in files if other_files[frame] == files[frame]]
    assert same == [*range(1, FIRST), *range(END, LAST + 1)]
    np.testing.assert_array_equal(other[:, outside], before[:, outside])
    assert np.abs(other - before)[FIRST - 1 : END - 4].max() > 0.01


@pytest.mark.slow
def test_a_killed_region_goes_on_with_the_same_bytes(run, tmp_path):
    long = {"settings": replace(subdivided_jelly().settings, substeps=120)}
    former = run(replace(subdivided_jelly(), **long))
    made = regional(replace(subdivided_jelly(youngs_modulus=3000.0), **long), former)
    job = write_job(tmp_path, made)
    process = start(job)
    wait_for_frame(job, FIRST + 2, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert read_status(job).state != "COMPLETE"
    code, output = finish(start(job))
    assert code == 0, output
    assert "W_CACHE_DAMAGED" not in {notice.code for notice in read_status(job).notices}
    resumed = frames_of(job)[0]
    shutil.rmtree(job)
    assert frames_of(run(made))[0] == resumed


def test_a_region_goes_on_from_its_checkpoint(run, tmp_path):
    former = run(hung_cloth())
    made = regional(hung_cloth(stretch_stiffness=3.0), former)
    whole, cache = frames_of(run(made))
    job = write_job(tmp_path, made)
    for path in [job / "checkpoint.bin", *(cache.path(frame) for frame in range(FIRST + 5, LAST + 1))]:
        path.unlink()
    # of the states on its way
    milestones = sorted((job / "milestones").iterdir())
    newest = [path for path in milestones if int(path.name[-8:]) <= FIRST + 4][-1]
    (newest / "checkpoint.bin").rename(job / "checkpoint.bin")
    code, output = finish(start(job))
    assert code == 0, output
    assert read_status(job).resumed_after == int(newest.name[-8:]) >= FIRST
    assert frames_of(job)[0] == whole


def test_a_region_of_a_region_keeps_the_first(run):
    former = run(hung_cloth())
    first = run(regional(hung_cloth(stretch_stiffness=3.0), former))
    corner = np.arange(20, 27)
    second = run(regional(hung_cloth(stretch_stiffness=30.0), first, first=14, last=21, vertices=corner))
    before, after = places(first)[1], places(second)[1]
    others = np.setdiff1d(np.arange(81), corner)
    np.testing.assert_array_equal(after[:, others], before[:, others])
    changed = [frame for frame in range(1, LAST + 1) if (after[frame - 1] != before[frame - 1]).any()]
    # at its last frame it is led back
    assert changed == list(range(14, 21))


@pytest.mark.parametrize("substeps", [(6, 6, 12), (6, 12, 12), (12, 6, 9)])
def test_a_region_before_another_with_other_substeps(run, substeps):
    """Outside its frames the first solver is where the one of the bake is, after substeps of its own number."""

    def made(count, **values):
        return scene(cloth(5, height=1.0, pinned=range(5), **values), frames=(1, 10), substeps=count)

    inside = np.arange(15, 25)
    former = run(made(substeps[0]))
    later = run(regional(made(substeps[1], stretch_stiffness=3.0), former, 7, 9, 1, inside))
    earlier = run(regional(made(substeps[2], stretch_stiffness=3.0), later, 3, 5, 1, inside))
    before, after = places(later)[1], places(earlier)[1]
    changed = [frame for frame in range(1, 11) if (after[frame - 1] != before[frame - 1]).any()]
    assert changed == [3, 4]
    np.testing.assert_allclose(after, before, atol=0.05)


@pytest.mark.parametrize("first", [FIRST + 3, END + 3])
def test_a_bake_goes_on_from_a_region(run, first):
    """Within the region from its own state, after it from that of the bake that it came back to."""
    former = run(hung_cloth())
    changed = {} if first < END else {"stretch_stiffness": 3.0}
    region = run(regional(hung_cloth(**changed), former))
    job = run(replace(hung_cloth(), beginning=Beginning(region.name, first - 1)))
    kept, went_on, was = frames_of(region)[0], frames_of(job)[0], frames_of(former)[0]
    assert all(went_on[frame] == kept[frame] for frame in range(1, first))
    if first > END:
        # there it is the bake before
        assert all(went_on[frame] == was[frame] for frame in range(first, LAST + 1))
    # nothing that was held begins at rest
    before, after = places(former)[1], places(job)[1]
    step = np.abs(before[first - 1] - before[first - 2]).max()
    assert np.abs(after[first - 1] - before[first - 1]).max() < 0.3 * step


@pytest.mark.slow
def test_a_collider_comes_and_the_frames_outside_stay(tmp_path):
    """Contact with a mesh is measured, which the bake before did not do: its frames are written anew.

    Within one process: with no kernels at hand, those of contact are compiled once.
    """

    def run(made, runner=JobRunner):
        folder = write_job(tmp_path, made)
        assert run_job(folder, StopSignal(), KERNELS, runner) == ExitCode.COMPLETE
        return folder

    former = run(hung_cloth())
    made = replace(hung_cloth(), colliders=(mesh_box((0.3, 0.3, 0.3)),))
    job = run(regional(made, former), RegionRunner)
    assert read_result(job).statistics != read_result(former).statistics
    before, after = places(former)[1], places(job)[1]
    changed = [frame for frame in range(1, LAST + 1) if (after[frame - 1] != before[frame - 1]).any()]
    assert set(changed) <= set(range(FIRST, END + 1))
    # so does a bake from a frame on
    later = run(replace(made, beginning=Beginning(former.name, FIRST - 1)))
    np.testing.assert_array_equal(places(later)[1][: FIRST - 1], before[: FIRST - 1])


def test_frames_that_a_step_leaves_out(run):
    made = replace(hung_cloth(), frames=replace(hung_cloth().frames, step=5))
    former = run(made)
    job = run(regional(replace(made, bodies=hung_cloth(stretch_stiffness=3.0).bodies), former))
    before, after = frames_of(former)[0], frames_of(job)[0]
    assert list(before) == list(after)
    assert [frame for frame in before if before[frame] != after[frame]] == [11, 16]


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"vertices": []}, "E_PARAM", "must have vertices"),
        ({"vertices": range(81)}, "E_PARAM", "leave out"),
        ({"vertices": [3, 81]}, "E_PARAM", "outside the mesh"),
        ({"freedom": 0.0}, "E_PARAM", "freedom"),
        ({"first": 1}, "E_FRAME_RANGE", "2 to 24"),
        ({"last": LAST + 1}, "E_FRAME_RANGE", "2 to 24"),
        ({"blend": 20}, "E_PARAM", "fewer frames"),
    ],
)
def test_what_is_no_region(tmp_path, changes, code, words):
    with pytest.raises(XpbdError, match=words) as caught:
        validate(regional(hung_cloth(), tmp_path / ("0" * 24), **changes))
    assert caught.value.code == code


def test_a_region_needs_the_same_bodies_and_frames(run, tmp_path):
    former = run(hung_cloth())
    moved = replace(hung_cloth().bodies[0], positions=hung_cloth().bodies[0].positions + 0.5)
    longer = replace(hung_cloth(), frames=replace(hung_cloth().frames, end=LAST + 4))
    for made in (replace(hung_cloth(), bodies=(moved,)), longer):
        job = write_job(tmp_path, regional(made, former))
        code, output = finish(start(job))
        assert (code, read_status(job).error.code) == (2, "E_CACHE_STALE"), output


def test_a_job_holds_its_region(tmp_path):
    made = regional(hung_cloth(), tmp_path / ("0" * 24))
    found = read_job(write_job(tmp_path, made)).region
    assert (found.body, found.first, found.last, found.blend) == ("b0", FIRST, END, 4)
    np.testing.assert_array_equal(found.vertices, made.region.vertices)
    np.testing.assert_array_equal(found.freedoms, made.region.freedoms)
