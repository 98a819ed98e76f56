# SPDX-License-Identifier: GPL-3.0-or-later
"""States between frames, and velocities, in exported files: read back by Blender, and compared with the cache."""

import numpy as np
import pytest

from blender_xpbd.jobs.subframes import SubframeCache
from blender_xpbd.scene.errors import XpbdError
from tests.addon.baking.test_bake_output import ORIGIN
from tests.addon.export.conftest import FRAMES
from tests.addon.export.test_export import IMPORTERS, SIZE, export

__all__ = ("export",)

COUNT = 3


@pytest.fixture
def sampled(baked, jobs):
    """A function that bakes as ``baked``, with states between frames; gives the positions of all, by name."""

    def make(names=("C",), **values):
        objects, positions = baked(names=names, subframes=COUNT, **values)
        parts = COUNT + 1
        frames = _frames()
        every = {name: np.empty((parts * (FRAMES - 1) + 1, *places.shape[1:])) for name, places in positions.items()}
        first = next(iter(positions.values()))
        states = SubframeCache(jobs / "job", frames, sum(places.shape[1] for places in positions.values()))
        for frame in range(2, FRAMES + 1):
            moments = []
            for part in range(1, parts):
                number = parts * (frame - 2) + part
                rows = []
                for index, (name, places) in enumerate(positions.items()):
                    wobble = np.random.default_rng(1000 * index + number).uniform(-0.5, 0.5, first.shape[1:])
                    every[name][number] = places[frame - 2] + wobble
                    rows.append(every[name][number])
                moments.append((np.concatenate(rows) - ORIGIN).astype(np.float32))
            states.publish(frame, tuple(moments), moments[-1])
        for name, places in positions.items():
            every[name][::parts] = places
        return objects, every

    def _frames():
        from blender_xpbd.scene.settings import FrameRange

        return FrameRange(1, FRAMES, subframes=COUNT)

    return make


def seen(bpy, obj, time):
    """World positions and the local attribute ``velocity`` that Blender shows at a part of a frame."""
    bpy.context.scene.frame_set(int(time), subframe=time - int(time))
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([vertex.co[:] for vertex in evaluated.data.vertices])
    matrix = np.array(evaluated.matrix_world)
    attribute = evaluated.data.attributes.get("velocity")
    velocities = None if attribute is None else np.array([row.vector[:] for row in attribute.data])
    return points @ matrix[:3, :3].T + matrix[:3, 3], velocities


TIMES = 1.0 + np.arange((COUNT + 1) * (FRAMES - 1) + 1) / (COUNT + 1)


@pytest.mark.parametrize("suffix", [".abc", ".usdc"])
def test_blender_reads_every_state_and_velocity_back(bpy, sampled, export, dump, tmp_path, suffix):
    """Of one that moves by itself, a mirrored one, and one that stands still."""
    from blender_xpbd.addon.export import usd_times

    if suffix == ".usdc" and usd_times._sdf() is None:
        pytest.skip("this bpy lacks USD's Python package, see the test below")
    objects, every = sampled(names=("A", "B", "C"))
    bpy.context.scene.frame_set(2)
    before, render = [dump(obj) for obj in objects], bpy.context.scene.render
    range_before = render.frame_map_old, render.frame_map_new, bpy.context.scene.frame_end
    export(tmp_path / f"out{suffix}", objects)
    assert [dump(obj) for obj in objects] == before
    assert (render.frame_map_old, render.frame_map_new, bpy.context.scene.frame_end) == range_before
    old = set(bpy.data.objects)
    for obj in old:
        obj.name = f"old {obj.name}"
    IMPORTERS[suffix](bpy, str(tmp_path / f"out{suffix}"))
    read = {obj.name: obj for obj in bpy.data.objects if obj not in old and obj.type == "MESH"}
    step = bpy.context.scene.render.fps_base / bpy.context.scene.render.fps / (COUNT + 1)
    for name, places in every.items():
        for number, time in enumerate(TIMES):
            points, velocities = seen(bpy, read[name], time)
            np.testing.assert_allclose(points, places[number], atol=2e-6 * SIZE)
            if name == "C" and 0 < number < len(TIMES) - 1:
                # it stands still and is as large as the world, so local velocities are those in the world
                slope = (places[number + 1] - places[number - 1]) / (2.0 * step)
                np.testing.assert_allclose(velocities, slope, atol=1e-4 * SIZE)


@pytest.mark.parametrize("suffix", [".pc2", ".mdd"])
def test_a_modifier_plays_every_state(bpy, sampled, export, tmp_path, suffix):
    (obj,), every = sampled()
    export(tmp_path / f"out{suffix}", [obj], replaces_keys=True)
    for number, time in enumerate(TIMES):
        np.testing.assert_allclose(seen(bpy, obj, time)[0], every["C"][number], atol=1e-6 * SIZE)


def test_arrays_tell_the_parts_of_frames(bpy, sampled, export, tmp_path):
    objects, every = sampled(names=("A", "B"))
    export(tmp_path / "out.npz", objects)
    with np.load(tmp_path / "out.npz") as arrays:
        for name, places in every.items():
            assert arrays[f"{name}/frames"].tolist() == TIMES.tolist()
            np.testing.assert_allclose(arrays[f"{name}/positions"], places, atol=1e-6 * SIZE)
            step = (TIMES[1] - TIMES[0]) / bpy.context.scene.render.fps
            slopes = np.gradient(places, step, axis=0, edge_order=2)
            np.testing.assert_allclose(arrays[f"{name}/velocities"], slopes, atol=1e-4 * SIZE)


def test_an_attribute_of_the_artist_keeps_its_name_and_values(bpy, sampled, export, tmp_path):
    (obj,), _ = sampled()
    attribute = obj.data.attributes.new("velocity", "FLOAT", "POINT")
    attribute.data.foreach_set("value", np.arange(len(obj.data.vertices), dtype=np.float32))
    export(tmp_path / "out.abc", [obj])
    kept = obj.data.attributes["velocity"]
    assert (kept.data_type, [value.value for value in kept.data[:3]]) == ("FLOAT", [0.0, 1.0, 2.0])
    assert not [one.name for one in obj.data.attributes if "XPBD" in one.name]


def test_states_that_are_gone_are_told(bpy, sampled, export, jobs, tmp_path):
    objects, _ = sampled()
    next((jobs / "job" / "subframes").iterdir()).unlink()
    with pytest.raises(XpbdError, match=r"E_CACHE.*Subframes.*Bake again"):
        export(tmp_path / "out.npz", objects)


def test_a_blender_without_the_package_of_usd_says_so(bpy, sampled, export, tmp_path, monkeypatch):
    from blender_xpbd.addon.export import usd_times

    objects, _ = sampled()
    monkeypatch.setattr(usd_times, "_sdf", lambda: None)
    with pytest.raises(XpbdError, match=r"E_EXPORT.*subframes.*Alembic"):
        export(tmp_path / "out.usdc", objects)


def test_frames_that_blender_has_no_numbers_for_are_told(bpy):
    from blender_xpbd.addon.export.usd_times import stretched

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 300_000
    before = scene.render.frame_map_old, scene.render.frame_map_new
    with stretched(scene, 3):
        assert (scene.frame_start, scene.frame_end) == (3, 900_000)
    with pytest.raises(XpbdError, match=r"E_EXPORT.*Frame 300000 with 3 subframes"), stretched(scene, 4):
        pytest.fail("it is cut")
    assert (scene.frame_start, scene.frame_end) == (1, 300_000)
    assert (scene.render.frame_map_old, scene.render.frame_map_new) == before
