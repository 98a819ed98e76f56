# SPDX-License-Identifier: GPL-3.0-or-later
"""Which path a system takes."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.contacts import CONTACTS
from blender_xpbd.device import runtime
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.order import tasks
from blender_xpbd.solver.step import plan
from blender_xpbd.solver.step.plan import COLOURS, PATHS, SERIAL, THREADS, Pace
from blender_xpbd.solver.system.colliders import build_colliders
from blender_xpbd.solver.system.system import build_system
from tests.solver.scenes import cloth, mesh_box, plane, scene, solver


def paths_taken(frames, seconds):
    """The paths of some frames, which take ``seconds(path, frame)``."""
    pace, taken = Pace(("A", "B")), []
    for frame in range(frames):
        taken.append(pace.next_path())
        pace.note(taken[-1], seconds(taken[-1], frame))
    return taken


@pytest.mark.parametrize("slow", [1.1, 1.6, 4.0, 8.0])
def test_the_faster_path_is_taken_and_the_other_tried_now_and_then(slow):
    taken = paths_taken(2000, lambda path, frame: {"A": slow, "B": 1.0}[path])
    assert taken[:4] == ["A", "A", "B", "B"]
    tried = taken[4:].count("A")
    assert tried >= 5
    # trials cost little, however slow the other path is
    assert tried * (slow - 1.0) < 0.04 * len(taken)


def test_the_choice_follows_what_the_machine_has_to_do():
    taken = paths_taken(300, lambda path, frame: {"A": 1.0, "B": 0.6 if frame < 150 else 5.0}[path])
    assert taken[20:150].count("B") > 110
    assert taken[170:].count("A") > 110


def test_the_first_frame_of_a_path_compiles_and_does_not_count_alone():
    taken = paths_taken(40, lambda path, frame: 10.0 if frame == 0 else {"A": 0.5, "B": 1.0}[path])
    assert taken[10:].count("A") > 25


def test_a_single_path_needs_no_trials():
    pace = Pace(("A",))
    for _ in range(30):
        assert pace.next_path() == "A"
        pace.note("A", 1.0)


@pytest.mark.usefixtures("taichi_cpu")
@pytest.mark.parametrize("path", PATHS)
def test_compiling_changes_nothing(path, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    body = cloth(24, pinned=[0, 23], internal_damping=5.0, height=0.1)
    simulation = solver(body, path=path, colliders=[plane()])
    assert simulation.system.models[0].hierarchy is not None
    moving = simulation.checkpoint()
    moving["velocities"][:, :3] = np.random.default_rng(0).normal(size=(len(moving["velocities"]), 3))
    moving["positions"][:, 2] += 0.01 * moving["velocities"][:, 0]
    simulation.restore(1, moving)
    before = simulation.checkpoint()
    simulation.compile()
    after = simulation.checkpoint()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(("cores", "paths"), [(1, (SERIAL,)), (2, (THREADS, SERIAL))])
def test_threads_are_for_great_scenes_and_several_cores(cores, paths, monkeypatch):
    monkeypatch.setattr(plan, "thread_count", lambda: cores)
    small = build_system(scene(cloth(6)))
    assert plan.choose_paths(small, "CPU") == (SERIAL,)
    assert plan.choose_paths(small, "CUDA") == (COLOURS,)
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    assert plan.choose_paths(build_system(scene(cloth(6))), "CPU") == paths


@pytest.mark.parametrize(
    ("device", "great", "is_cut"),
    [("AUTO", 10**6, True), ("AUTO", 1, False), ("CPU", 1, True), ("CUDA", 10**6, False), ("VULKAN", 10**6, False)],
)
def test_graphics_cards_need_no_parts(device, great, is_cut, monkeypatch):
    monkeypatch.setattr(tasks, "TASK_SECONDS", 1e-9)
    monkeypatch.setattr(runtime, "AUTO_GPU_CONSTRAINTS", great)
    monkeypatch.setattr(runtime, "is_available", lambda name: name in ("CPU", "CUDA"))
    assert (build_system(scene(cloth(6), device=device)).schedule.parts.count > 1) == is_cut


def test_meshes_with_and_without_a_floor_take_the_same_kernels():
    ball = Collider("c0", "Ball", "SPHERE", np.eye(4)[None], radius=0.5)
    shapes = []
    for colliders in ([], [plane()], [ball], [mesh_box(0.5)], [mesh_box(0.5), plane()], [mesh_box(0.5), ball]):
        built = build_colliders(tuple(colliders), np.zeros(3), 0.01, 1.0)
        shapes.append(plan.compiled_shapes(build_system(scene(cloth(3, size=0.1), colliders=colliders)), built))
    names = [[kind.shape for number, kind in enumerate(CONTACTS) if mask >> number & 1] for mask in shapes]
    plain, both = ["PLANE"], ["PLANE", "MESH"]
    assert names == [[], plain, ["SPHERE"], both, both, ["PLANE", "SPHERE", "MESH"]]


def test_short_bakes_and_play_compile_contact_between_bodies_quickly():
    short = build_system(scene(cloth(6), cloth(6, height=1.0, identifier="b1"), meet=True))
    assert short.objects is not None
    long = replace(short, scene=replace(short.scene, frames=replace(short.scene.frames, end=100_000)))
    assert [short.is_large, long.is_large, replace(long, takes_grabs=True).is_large] == [True, False, True]
    alone = replace(short, objects=None)
    assert not alone.is_large


@pytest.mark.parametrize(
    ("quality", "pinned", "end", "takes_grabs", "is_large"),
    [
        ("MATERIAL", (), 200_000, False, False),
        ("MATERIAL", (), 100_000, False, True),
        ("MATERIAL", (), 200_000, True, True),
        ("MATERIAL", (0,), 200_000, False, True),
        ("FIXED", (), 200_000, False, True),
    ],
)
def test_long_bakes_of_loose_cloth_on_a_mesh_compile_for_quick_springs(quality, pinned, end, takes_grabs, is_large):
    body = cloth(6, height=1.0, pinned=pinned)
    built = build_system(scene(body, colliders=[mesh_box(0.5)], quality=quality, frames=(1, end)))
    assert replace(built, objects=None, takes_grabs=takes_grabs).is_large == is_large
    assert replace(built, takes_grabs=takes_grabs).is_large
