# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between two jobs: each kind of input is named, with the frame from which it counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.jobs.changes import Change, changes, kept_until
from blender_xpbd.jobs.changes import told as told_of
from blender_xpbd.jobs.job import write_job
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange
from blender_xpbd.scene.track import Track


@pytest.fixture
def told(tmp_path, scene):
    """What is told of a job made from the scene by a function."""

    def tell(edit):
        before = write_job(tmp_path / "cache", scene)
        return {str(change) for change in changes(before, write_job(tmp_path / "cache", edit(scene)))}

    return tell


def with_body(scene: Scene, **values) -> Scene:
    return replace(scene, bodies=(replace(scene.bodies[0], **values), *scene.bodies[1:]))


def with_collider(scene: Scene, index: int, **values) -> Scene:
    colliders = list(scene.colliders)
    colliders[index] = replace(colliders[index], **values)
    return replace(scene, colliders=tuple(colliders))


def moved(array, row):
    """The same array, a little different from a row on; transforms stay affine."""
    array = np.array(array)
    array[row:, ..., :3, -1:] += 0.1
    return array


def test_equal_jobs_differ_in_nothing(told):
    assert told(lambda scene: scene) == set()


def test_a_material_value_is_called_as_in_the_panel(told, scene):
    softer = replace(scene.bodies[0].material, youngs_modulus=5.0)
    assert told(lambda scene: with_body(scene, material=softer)) == {f"{scene.bodies[0].name}: Young's Modulus"}


def test_what_differs_by_rounding_is_told_where_nothing_else_does(tmp_path, scene):
    """A preset that is left goes into properties of single precision."""
    values = scene.bodies[0].material
    before = write_job(tmp_path / "cache", scene)

    def tell(**others):
        rounded = replace(
            values, poissons_ratio=float(np.float32(values.poissons_ratio) * np.float32(1.0 + 2e-7)), **others
        )
        found = changes(before, write_job(tmp_path / "cache", with_body(scene, material=rounded)))
        assert len(found) == 1 + len(others)
        return [text.split(": ")[1] for text in told_of(found)]

    assert tell() == ["Poisson's Ratio"]
    assert tell(youngs_modulus=1.5 * values.youngs_modulus) == ["Young's Modulus"]


def test_a_setting_of_the_scene_has_no_object(told):
    assert told(lambda scene: replace(scene, settings=replace(scene.settings, substeps=9))) == {"Substeps"}


def test_gravity_and_the_range(told):
    assert told(lambda scene: replace(scene, gravity=np.array([0.0, 0.0, -1.0]))) == {"gravity"}


def test_a_moved_mesh_and_its_groups(told, scene):
    name = scene.bodies[0].name
    assert told(lambda scene: with_body(scene, positions=scene.bodies[0].positions + 1.0)) == {f"{name}: mesh or place"}
    weights = {"stiffness": np.ones(4, np.float32)}
    assert told(lambda scene: with_body(scene, vertex_factors=weights)) == {f"{name}: vertex groups"}


@pytest.mark.parametrize("row", [1, 2, 3])
def test_an_animation_counts_from_the_first_frame_that_differs(told, row):
    frame = row - 1
    edit = lambda scene: with_collider(scene, 1, transforms=moved(scene.colliders[1].transforms, row))  # noqa: E731
    assert told(edit) == {f"Ball: animation from frame {frame}"}
    edit = lambda scene: with_collider(scene, 2, positions=moved(scene.colliders[2].positions, row))  # noqa: E731
    assert told(edit) == {f"Rock: animation from frame {frame}"}


def test_an_animation_that_differs_at_the_first_frame_counts_from_the_start(told):
    assert told(lambda scene: with_collider(scene, 1, transforms=moved(scene.colliders[1].transforms, 0))) == {
        "Ball: animation"
    }


def test_a_motion_that_begins_counts_from_its_first_row(told):
    motion = np.tile(np.eye(4), (4, 1, 1))
    motion[2:, 2, 3] = 1.0
    assert told(lambda scene: with_collider(scene, 0, transforms=motion)) == {"Floor: animation from frame 1"}


def test_a_track_is_called_by_its_parameter(told, scene):
    values = scene.tracks[3].values.copy()
    values[2] = -3.0
    track = replace(scene.tracks[3], values=values)
    edit = lambda scene: replace(scene, tracks=(*scene.tracks[:3], track))  # noqa: E731
    assert told(edit) == {"Gravity Z from frame 1"}
    assert told(lambda scene: replace(scene, tracks=scene.tracks[:3])) == {"animation of Gravity Z"}


def test_objects_that_come_and_go(told, scene):
    assert told(lambda scene: replace(scene, forces=scene.forces[:1])) == {"Drag: removed"}
    more = replace(scene.forces[1], identifier="f3", name="New")
    assert told(lambda scene: replace(scene, forces=(*scene.forces, more))) == {"New: added"}


def falling(frames: FrameRange, scene: Scene) -> Scene:
    """Nothing moves but the body, so that the range can change alone."""
    still = replace(scene.bodies[1], pins=type(scene.bodies[1].pins)())
    return replace(scene, bodies=(still,), colliders=scene.colliders[:1], forces=(), tracks=(), frames=frames)


def test_a_longer_range_keeps_all_frames(tmp_path, scene):
    short = write_job(tmp_path, falling(FrameRange(1, 10), scene))
    long = write_job(tmp_path, falling(FrameRange(1, 20), scene))
    for before, after in ((short, long), (long, short)):
        found = changes(before, after)
        assert found == (Change("", "last frame", 11),)
        assert kept_until(found) == 10


def test_what_keeps_nothing():
    late, early = Change("A", "animation", 7), Change("B", "mesh")
    assert kept_until((late, Change("C", "animation", 5))) == 4
    assert kept_until((late, early)) is None
    assert kept_until(()) is None
    assert kept_until((replace(late, keeps=False),)) is None


def test_a_track_with_another_greatest_value_keeps_nothing(tmp_path, scene):
    frames = FrameRange(-1, 2)
    values = np.array([0.0, 1.0, 2.0, 2.0])

    def made(values):
        body = scene.bodies[0].identifier
        return write_job(tmp_path, replace(scene, frames=frames, tracks=(Track(body, "damping", values),)))

    before = made(values)
    assert kept_until(changes(before, made(np.array([0.0, 1.0, 2.0, 1.5])))) == 1
    assert kept_until(changes(before, made(np.array([0.0, 1.0, 2.0, 3.0])))) is None


def test_a_longer_range_with_a_greater_value_keeps_nothing(tmp_path, scene):
    def made(last):
        body = scene.bodies[1].identifier
        short = falling(FrameRange(1, last), scene)
        return write_job(tmp_path, replace(short, tracks=(Track(body, "friction", np.linspace(0, 1, 21)[:last]),)))

    assert kept_until(changes(made(10), made(21))) is None


def test_a_mesh_that_begins_to_deform_or_to_scale_keeps_nothing(tmp_path, scene):
    still = with_collider(scene, 2, positions=scene.colliders[2].positions[:1])
    later = np.repeat(scene.colliders[2].positions[:1], 4, axis=0)
    later[3] *= 1.1
    deforms = with_collider(scene, 2, positions=later)
    scaled = np.tile(np.eye(4), (4, 1, 1))
    scaled[3, 0, 0] = 2.0
    before = write_job(tmp_path, still)
    assert kept_until(changes(before, write_job(tmp_path, deforms))) is None
    assert kept_until(changes(before, write_job(tmp_path, with_collider(still, 2, transforms=scaled)))) is None


def test_a_damaged_job_is_refused(tmp_path, scene):
    job = write_job(tmp_path / "a", scene)
    other = write_job(tmp_path / "b", scene)
    (other / "job.json").write_text("{}")
    with pytest.raises(XpbdError) as caught:
        changes(other, job)
    assert caught.value.code == "E_JOB"
