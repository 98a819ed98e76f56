# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings in the panel, with their buttons."""

from __future__ import annotations

from tests.addon.recorded_layout import draw


def test_findings_and_their_buttons(bpy, make_body):
    from blender_xpbd.addon.ui import panels

    bpy.context.scene.xpbd.use_floor = True
    body = make_body("Cloth", location=(0.0, 0.0, -1.0))
    bpy.context.view_layer.objects.active = body
    bpy.context.scene.xpbd.frame_end = 77
    assert not {"xpbd.lift"} & {name for name, _ in draw(panels.XPBD_PT_main).operators}
    bpy.ops.xpbd.check()
    layout = draw(panels.XPBD_PT_main)
    assert {"xpbd.lift", "xpbd.use_scene_range"} <= {name for name, _ in layout.operators}
    assert "xpbd.let_out" in {name for name, _ in layout.operators}
    assert [values.object_name for values in layout.operator_values if hasattr(values, "object_name")] == ["Cloth"] * 2
    assert any("Starts inside" in words for words in layout.words)


def test_a_strangers_text_draws_nothing(bpy):
    from blender_xpbd.addon.ui import panels

    bpy.context.scene.xpbd.findings = '[{"code": "X", "object": "y", "message": "z"}, 3]'
    assert "z" not in draw(panels.XPBD_PT_main).words


def test_what_a_finding_says_is_not_said_again(bpy):
    from blender_xpbd.addon.checking.finding import Finding, findings_text
    from blender_xpbd.addon.ui.findings import untold

    kept = findings_text([Finding("W_INSIDE", "Cube", "Starts inside it."), Finding("W_IGNORED", "", "Wind.")])
    warnings = [
        'W_INSIDE: object "Cube": Starts inside.',
        'W_INSIDE: object "Ball": Starts inside.',
        "W_IGNORED: Wind.",
        "W_IGNORED: Rain.",
        'W_RIG: Pins follow the object itself: "Cape".',
    ]
    assert untold(warnings, kept) == [warnings[1], *warnings[3:]]
    # a button of the whole scene mends it
    followed = findings_text([Finding("W_RIG", "", 'The simulation does not see the pose: "Skirt" and "Cape".')])
    assert untold(warnings, followed) == warnings[:-1]
    # one that came later is told
    assert untold(['W_RIG: Pins follow the object itself: "Cape" and "Hat".'], followed) != []
    assert untold(warnings, "") == warnings
    # a bake has one code for all that starts inside something
    assert untold(warnings, findings_text([Finding("W_ENCLOSED", "Cube", "Wholly inside.")])) == warnings[1:]


def test_what_was_found_of_an_object_goes_with_it(bpy, make_body):
    from blender_xpbd.addon.ui import panels

    body = make_body("Cloth", location=(0.0, 0.0, -1.0))
    bpy.context.scene.xpbd.use_floor = True
    bpy.context.view_layer.objects.active = make_body("Other", location=(0.0, 0.0, 5.0))
    bpy.ops.xpbd.check()
    assert any("Starts inside" in words for words in draw(panels.XPBD_PT_main).words)
    bpy.data.objects.remove(body)
    assert not any("Starts inside" in words for words in draw(panels.XPBD_PT_main).words)


def test_a_fall_is_told_while_what_is_not_named_may_still_fall(bpy):
    from blender_xpbd.addon.checking.finding import Finding
    from blender_xpbd.addon.ui.findings import _is_mended

    settings = bpy.context.scene.xpbd
    assert _is_mended(Finding("W_FALLS", "", 'Nothing to land on: "A" and "B" fall for ever.'), settings)
    named = '"A", "B", "C", "D", "E" and 2 more'
    assert not _is_mended(Finding("W_FALLS", "", f"Nothing to land on: {named} fall for ever."), settings)


def test_the_floor_s_own_switch_mends_too(bpy):
    from blender_xpbd.addon.checking.finding import Finding, findings_text
    from blender_xpbd.addon.ui.findings import draw_findings
    from tests.addon.recorded_layout import RecordedLayout

    settings = bpy.context.scene.xpbd
    settings.findings = findings_text([Finding("W_FALLS", "", "It falls for ever.")])
    for use_floor in (False, True):
        settings.use_floor = use_floor
        layout = RecordedLayout()
        draw_findings(layout, settings, 40)
        assert ("It falls for ever." in layout.words) != use_floor


def test_a_goal_that_was_chosen_by_hand_mends_the_rig(bpy, make_body):
    from blender_xpbd.addon.checking.finding import Finding, findings_text
    from blender_xpbd.addon.ui.findings import draw_findings
    from tests.addon.recorded_layout import RecordedLayout

    cape, hat = make_body("Cape"), make_body("Hat")
    settings = bpy.context.scene.xpbd

    def has_button(names):
        settings.findings = findings_text([Finding("W_RIG", "", f"The simulation does not see the pose: {names}.")])
        layout = RecordedLayout()
        draw_findings(layout, settings, 60)
        return "xpbd.follow_rig" in {name for name, _ in layout.operators}

    cape.xpbd.goal_source = "DEFORMED"
    assert has_button('"Cape" and "Hat"')
    hat.xpbd.goal_source = "DEFORMED"
    assert not has_button('"Cape" and "Hat"')
    # who is left out of the list is not known
    assert has_button('"Cape", "Hat" and 3 more')
    assert has_button('"Cape" and "Gone"')


def test_a_bake_does_not_warn_of_what_may_be_pushed_out(bpy):
    from blender_xpbd.addon.checking.finding import Finding, findings_text
    from blender_xpbd.addon.ui.findings import unallowed, untold

    kept = findings_text([Finding("W_LET_OUT", "Cube", "Starts inside it. The bake pushes it out of it.")])
    warnings = [
        'W_INSIDE: object "Cube": Starts inside it: it is pushed out of it until frame 9.',
        'W_INSIDE: object "Cube.001": Starts inside it.',
        'W_OVERLAP: object "Cube": 2 pairs of grains start inside each other.',
    ]
    assert unallowed(warnings, kept) == untold(warnings, kept) == warnings[1:]
    assert unallowed(warnings, "") == warnings
    # as long as it starts inside something else, too, a bake tells it; once, where there is a button
    partly = findings_text([Finding("W_LET_OUT", "Cube", "Inside A."), Finding("W_ENCLOSED", "Cube", "Inside B.")])
    assert unallowed(warnings, partly) == warnings
    assert untold(warnings, partly) == warnings[1:]


def test_what_is_said_of_several_objects_is_said_once(bpy):
    from blender_xpbd.addon.checking.finding import Finding, findings_text
    from blender_xpbd.addon.ui.findings import draw_findings
    from tests.addon.recorded_layout import RecordedLayout

    for name in ("A", "B", "C"):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, None))
    rows = [("W_FEEL", "A", "Feels like 1 m."), ("W_FEEL", "B", "Feels like 2 m."), ("W_FEEL", "C", "Too soft.")]
    rows += [("E_DATA_SHARED", name, "Others use its mesh.") for name in ("A", "B")]
    settings = bpy.context.scene.xpbd
    settings.findings = findings_text([Finding(*row) for row in rows])
    layout = RecordedLayout()
    draw_findings(layout, settings, 60)
    told = ['"A", "B": Feels like 1 to 2 m.', "C: Too soft.", '"A", "B": Others use its mesh.']
    assert [words for words in layout.words if ": " in words] == told
    ((button, _),) = layout.operators
    assert button == "xpbd.make_single_user"
    assert [(one.object_name, one.with_alike) for one in layout.operator_values] == [("A", True)]
