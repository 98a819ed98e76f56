# SPDX-License-Identifier: GPL-3.0-or-later
"""How much there is to simulate, and how long it takes, told before a bake."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.addon.recorded_layout import draw


@pytest.fixture
def told(bpy):
    from blender_xpbd.addon.checking.check_scene import scene_expense

    def read():
        return scene_expense(bpy.context.scene, bpy.context.scene.xpbd.expense)

    return read


@pytest.fixture
def kept_kernel(tmp_path, monkeypatch):
    """A folder of compiled kernels that has one; its file."""
    monkeypatch.setenv("XPBD_TAICHI_CACHE", str(tmp_path))
    path = tmp_path / "T0.tic"
    path.touch()
    return path


@pytest.fixture
def jelly(bpy, make_body, select):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0.0, 0.0, 0.6))
    body = bpy.context.object
    bpy.context.scene.xpbd.use_floor = True
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    return body


def test_the_panel_tells_it_after_a_role_was_given(bpy, jelly, told):
    from blender_xpbd.addon.ui import panels

    words = " ".join(draw(panels.XPBD_PT_main).words)
    assert "tetrahedra" in words
    assert "once to prepare" in words
    assert 8_000 < told().counts["tetrahedra"] < 18_000


def test_it_goes_with_resolution_quality_and_frames(bpy, jelly, told):
    settings, before = bpy.context.scene.xpbd, told()
    jelly.xpbd.cage_resolution = 2 * jelly.xpbd.cage_resolution
    finer = told()
    assert finer.counts["tetrahedra"] == pytest.approx(8 * before.counts["tetrahedra"])
    assert finer.seconds > before.seconds
    settings.substeps = 7
    assert told().substeps == 7
    seconds = told().seconds
    bpy.context.scene.frame_end = 2 * bpy.context.scene.frame_end
    assert told().seconds > seconds


def test_an_object_that_is_gone_or_renamed_is_not_told_as_nothing(bpy, jelly, told):
    jelly.name = "Renamed"
    assert told() is None


def test_substeps_that_an_object_was_given_are_told_as_they_are(bpy, jelly, told):
    settings, jelly.xpbd.minimum_substeps = bpy.context.scene.xpbd, 60
    bpy.ops.xpbd.check()
    # waves in what falls ask for fewer than 20 at Normal
    for quality, substeps in (("DRAFT", 60), ("MATERIAL", 60), ("FINAL", 80), ("FIXED", 60)):
        settings.quality = quality
        assert told().substeps == substeps


def test_what_lies_on_a_table_does_not_fall_unless_the_table_moves(bpy, told, select):
    scene = bpy.context.scene
    scene.xpbd.use_floor = True
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5))
    table = bpy.context.object
    select(table)
    bpy.ops.xpbd.set_role(role="COLLIDER")
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(0.0, 0.0, 1.151))
    body = bpy.context.object
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    lying = told().substeps
    table.keyframe_insert("location", frame=1)
    table.location.z += 0.2
    table.keyframe_insert("location", frame=20)
    scene.frame_set(1)
    bpy.ops.xpbd.check()
    assert told().substeps > 1.5 * lying


def test_bounds_are_those_of_the_solver():
    from blender_xpbd.addon.checking import substep_bounds as told
    from blender_xpbd.solver.system import substeps as of_solver

    assert (told._WAVE, told._DAMPED_WAVE) == (of_solver.WAVE_SHARE, of_solver.DAMPED_WAVE_SHARE)
    assert (told._WAVE_EDGES, told._WAVE_FALL) == (of_solver.WAVE_EDGES, of_solver.WAVE_FALL)
    bounds = of_solver.SHAPE_ENOUGH, of_solver.VOLUME_ENOUGH, of_solver.HIT_SHARE, of_solver.KEPT_SHARE
    assert bounds == (told._SHAPE, told._VOLUME, told._HIT, told._KEPT)
    assert (told._CLOTH, told._PILE) == (of_solver.CLOTH_ENOUGH, of_solver.PILE_SHARE)


def test_a_file_of_tetrahedra_does_not_go_with_the_quality(bpy, jelly, told):
    from dataclasses import replace

    from blender_xpbd.addon.checking.check_scene import read_first_frame, scene_expense
    from blender_xpbd.addon.checking.expense import expense_text
    from blender_xpbd.addon.data.bake_options import BakeOptions

    scene = read_first_frame(bpy.context, BakeOptions()).scene
    (body,) = scene.bodies
    body = replace(body, tetrahedralization=replace(body.tetrahedralization, method="FILE", tetrahedra=[[0, 1, 2, 3]]))
    text = expense_text(replace(scene, bodies=(body,)), 1.0, "", preparing=1.0, is_known=True)
    for quality in ("MATERIAL", "FINAL"):
        bpy.context.scene.xpbd.quality = quality
        assert scene_expense(bpy.context.scene, text).counts == {"tetrahedra": 1.0}


def test_the_device_tells_kinds_of_scenes_apart(bpy, jelly):
    from dataclasses import replace

    from blender_xpbd.addon.baking.pace import kernels_of
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions

    scene = read_first_frame(bpy.context, BakeOptions()).scene
    settings = [replace(scene.settings, device=device) for device in ("CPU", "VULKAN")]
    assert len({kernels_of(replace(scene, settings=one)) for one in settings}) == 2


def test_a_strangers_resolution_breaks_no_panel(bpy, jelly, told):
    values = json.loads(bpy.context.scene.xpbd.expense)
    values["rows"][0]["resolution"] = 1e-200
    bpy.context.scene.xpbd.expense = json.dumps(values)
    assert told() is None


def test_other_bodies_are_counted_too(bpy, make_body, told, select):
    make_body("Cloth")
    bpy.ops.xpbd.check()
    assert told().counts == {"vertices": 25.0}


def test_a_bake_teaches_how_fast_the_machine_is(bpy, make_body, told, fake_worker, kept_kernel):
    from blender_xpbd.addon.process.speeds import read_speeds

    make_body("Cloth")
    bpy.ops.xpbd.check()
    assert told().preparation > 0.0
    assert bpy.ops.xpbd.bake() == {"FINISHED"}
    assert len(read_speeds().times) == 1
    # at once, without another check
    assert told().preparation == 0.0
    bpy.ops.xpbd.check()
    assert told().preparation == 0.0
    # nobody empties the folder without a reason
    kept_kernel.unlink()
    bpy.ops.xpbd.check()
    assert told().preparation > 0.0


def test_what_compiling_took_tells_how_long_it_will_take(bpy, jelly, kept_kernel):
    from blender_xpbd.addon.baking.pace import COMPILE_SECONDS, kernels_of, note_pace
    from blender_xpbd.addon.baking.report import BakeSummary
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.process.speeds import read_speeds

    scene = read_first_frame(bpy.context, BakeOptions()).scene
    summary = BakeSummary(substeps=20)
    summary.seconds = {"worker_compile": 4.0 * COMPILE_SECONDS, "worker_solve": 1.0}
    note_pace(scene, summary)
    assert read_speeds().preparing == pytest.approx(2.0)
    assert kernels_of(scene) in read_speeds().times
    # the second time nothing was compiled, but loaded
    summary.seconds["worker_compile"] = 0.1
    note_pace(scene, summary)
    assert read_speeds().preparing == pytest.approx(2.0)


def test_kernels_that_were_not_compiled_stay_unknown(bpy, jelly, told):
    from blender_xpbd.addon.baking.pace import COMPILE_SECONDS
    from blender_xpbd.addon.checking.expense import with_kernels

    text, before = bpy.context.scene.xpbd.expense, told().seconds
    kernels = json.loads(text)["kernels"]
    assert with_kernels(text, {"others"}) == text
    bpy.context.scene.xpbd.expense = with_kernels(text, {kernels})
    assert told().preparation == 0.0
    assert told().seconds == pytest.approx(before - COMPILE_SECONDS)
    for strange in ("", "3", '{"kernels": "a"}'):
        assert with_kernels(strange, {"a"}) == strange


def test_trials_are_told_beside_the_bake(bpy, jelly, told):
    """By Trial runs the scene with n and 2n substeps until both are alike: at most with 5, 10, 20, … and twice that."""
    from blender_xpbd.addon.baking.pace import COMPILE_SECONDS
    from blender_xpbd.addon.checking.expense import START_SECONDS

    settings, normal = bpy.context.scene.xpbd, told()
    assert normal.trial_seconds == 0.0
    assert "trial" not in str(normal)
    settings.quality = "AUTOMATIC"
    found = told()
    assert found.substeps == normal.substeps
    assert found.seconds == normal.seconds
    solved = normal.seconds - START_SECONDS - COMPILE_SECONDS
    tried = [3 * n for n in (5, 10, 20, 40, 80, 160) if n <= normal.substeps]
    assert found.trial_seconds == pytest.approx(sum(tried) / normal.substeps * solved)
    assert "trials" in str(found)


def test_speeds_come_to_what_is_measured(bpy):
    from blender_xpbd.addon.process.speeds import _path, note_times, read_speeds

    assert read_speeds().of("a") == 1.0
    note_times("a", 4.0)
    assert read_speeds().of("a") == read_speeds().of("unknown") == 4.0
    note_times("a", 1.0)
    assert read_speeds().of("a") == 2.0
    for text in ("", "[]", '{"solver": 0, "times": {"a": 2.0}}', '{"times": {"a": "fast", "b": 1e9}}'):
        _path().write_text(text)
        assert read_speeds().times == {}


@pytest.mark.parametrize("shape", ["triangles", "sphere", "suzanne", "sheet"])
def test_cloth_is_told_the_substeps_that_the_solver_takes(bpy, told, shape):
    """From √(area / faces) triangles were told 1.27 times as many, rounded to steps of 20."""
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.checking.expense import cell_of
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.geometry.edges import edge_lengths
    from blender_xpbd.geometry.surface.topology import unique_edges
    from blender_xpbd.solver.system.substeps import CLOTH_ENOUGH

    if shape == "triangles":
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.5)
    elif shape == "sphere":
        bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=16, radius=0.5)
    elif shape == "suzanne":
        bpy.ops.mesh.primitive_monkey_add()
    else:
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=10)
    bpy.context.object.xpbd.role = "CLOTH"
    bpy.ops.xpbd.check()
    scene = read_first_frame(bpy.context, BakeOptions()).scene
    (body,) = scene.bodies
    edge = edge_lengths(body.positions, unique_edges(body.face_sizes, body.corners)).mean()
    assert cell_of(body) == pytest.approx(edge, rel=1e-9)
    wanted = 20 * round(scene.frames.frame_duration / CLOTH_ENOUGH * (9.81 / edge) ** 0.5 / 20)
    assert told().substeps == max(wanted, 20)


@pytest.mark.parametrize("mesh", ["primitive_uv_sphere_add", "primitive_monkey_add", "primitive_torus_add"])
@pytest.mark.parametrize("goal", ["none", "held", "let go"])
def test_jelly_that_hangs_on_a_goal_is_told_the_substeps_that_the_solver_takes(bpy, told, select, mesh, goal):
    """It was told those of a fall to the floor: twice as many for a walking mannequin."""
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.scene.track import Track
    from blender_xpbd.solver.system.substeps import substeps_for_material
    from blender_xpbd.solver.system.system import build_system

    getattr(bpy.ops.mesh, mesh)(location=(0.0, 0.0, 3.0))
    body = bpy.context.object
    body.scale = (0.1, 0.1, 0.1)
    bpy.context.scene.xpbd.use_floor = True
    select(body)
    bpy.ops.xpbd.set_role(role="JELLY")
    if goal != "none":
        body.xpbd.goal_source = "OBJECT"
    if goal == "let go":
        for frame, frequency in ((10, 3.0), (11, 0.0)):
            body.xpbd.goal_frequency = frequency
            body.xpbd.keyframe_insert("goal_frequency", frame=frame)
    bpy.ops.xpbd.check()
    scene = read_first_frame(bpy.context, BakeOptions()).scene
    tracks = (Track(scene.bodies[0].identifier, "goal_frequency", np.zeros(1)),) if goal == "let go" else ()
    scene = replace(scene, tracks=tracks, frames=replace(scene.frames, end=bpy.context.scene.frame_end))
    wanted = substeps_for_material(build_system(scene))
    assert told().substeps == pytest.approx(wanted, rel=0.25)


def test_a_slow_bake_does_not_teach_scenes_of_other_kinds(bpy):
    from blender_xpbd.addon.process.speeds import note_times, read_speeds

    note_times("JELLY*/a", 8.0)
    assert read_speeds().of("JELLY*/other") == 8.0
    assert read_speeds().of("CLOTH/b") == 1.0, "of one that was slow, as on a busy machine"
    note_times("GRAINS/c", 2.0)
    note_times("STRAND/d", 1.5)
    assert read_speeds().of("CLOTH/b") == 2.0, "of three the middle tells of the machine"


def test_a_bake_of_few_elements_teaches_nothing_of_more(bpy, make_body):
    from dataclasses import replace

    from blender_xpbd.addon.baking.pace import kernels_of, note_pace, substep_seconds
    from blender_xpbd.addon.baking.report import BakeSummary
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions
    from blender_xpbd.addon.process.speeds import read_speeds

    make_body("Cloth")
    scene = read_first_frame(bpy.context, BakeOptions()).scene
    scene = replace(scene, frames=replace(scene.frames, end=scene.frames.start + 250))
    kernels, frames = kernels_of(scene), 250
    # 4 ms to begin each frame
    note_pace(scene, BakeSummary(substeps=20, seconds={"worker_solve": 1.0}))
    assert read_speeds().times == {kernels: 1.0}, "known, and as fast as any other"
    # as of so many substeps that its elements take two seconds
    substeps = round(2.0 / (frames * sum(map(substep_seconds, scene.bodies))))
    note_pace(scene, BakeSummary(substeps=substeps, seconds={"worker_solve": 8.0}))
    assert read_speeds().of(kernels) == pytest.approx(2.0, rel=0.01)


def test_kinds_of_a_family_have_roles_and_contact_in_common(bpy, make_body):
    from blender_xpbd.addon.baking.pace import kernels_of
    from blender_xpbd.addon.checking.check_scene import read_first_frame
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def family():
        return kernels_of(read_first_frame(bpy.context, BakeOptions()).scene).rpartition("/")[0]

    body = make_body("Cloth")
    assert family() == "CLOTH"
    body.xpbd.use_self_collision = True
    assert family() == "CLOTH*"
    make_body("Grains", role="GRAINS", location=(0.0, 0.0, 9.0))
    assert family() == "CLOTH+GRAINS*"


@pytest.mark.parametrize("text", ["", "3", "{}", '{"rows": [], "is_known": 1, "most": 2}', '{"rows": [{"name": 1}]}'])
def test_a_strangers_text_tells_nothing(bpy, told, text):
    from blender_xpbd.addon.ui import panels

    bpy.context.scene.xpbd.expense = text
    assert told() is None
    draw(panels.XPBD_PT_main)


def test_the_check_of_the_command_line_tells_it(bpy, make_body, capfd):
    from blender_xpbd.addon.command_line import run_command

    make_body("Cloth")
    assert run_command(["check", "--json", "--substeps", "9"]) == 0
    printed = capfd.readouterr()
    told = json.loads(printed.err.splitlines()[-1])
    assert (told["elements"], told["substeps"]) == (25, 9)
    assert told["seconds"] > 0.0
    assert "25 vertices" in told["message"]
    findings = json.loads(printed.out.splitlines()[-1])
    assert {name for row in findings for name in row} == {"code", "object", "message", "remedy"}
