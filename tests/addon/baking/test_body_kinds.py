# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of bodies on Blender's side."""

from __future__ import annotations

from blender_xpbd.scene.body_kinds import BODY_KINDS


def test_blender_has_the_kinds_of_the_scene(bpy):
    from blender_xpbd.addon.baking import body_kinds

    assert [kind.name for kind in body_kinds.BODY_KINDS] == [kind.name for kind in BODY_KINDS]


def test_only_what_scales_a_kind_is_read(bpy, make_body):
    """A group that was chosen while the object was cloth is not missed when it is jelly."""
    from blender_xpbd.addon.baking.body_kinds import blender_kind

    body = make_body(role="JELLY")
    body.xpbd.bending_group, body.xpbd.density_group = "Gone", "Gone too"
    local = blender_kind("JELLY").read(body, 1.0)
    assert [notice.message for notice in local.notices] == ['There is no vertex group "Gone too": it scales nothing.']


def test_each_kind_writes_its_own_result(bpy, make_body, monkeypatch, tmp_path):
    """What writes the frames of a body is asked of its kind."""
    from dataclasses import replace

    from blender_xpbd.addon.baking import body_kinds
    from blender_xpbd.addon.baking.bake_output import BakeOutput
    from blender_xpbd.addon.baking.report import BakeSummary
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    made = []

    def writer(target, bake, job):
        made.append((target.name, job))

    jelly, *others = body_kinds.BODY_KINDS
    changed = (replace(jelly, result=replace(jelly.result, writer=writer)), *others)
    monkeypatch.setattr(body_kinds, "BODY_KINDS", changed)
    make_body("Sheet", role="CLOTH")
    make_body("Pudding", role="JELLY")
    steps = read_scene(bpy.context, BakeOptions(frame_start=1, frame_end=3))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        BakeOutput(tmp_path / "job", end.value, BakeSummary())
    assert made == [("Pudding", tmp_path / "job")]
