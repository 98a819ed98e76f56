# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices are held to another object."""

from __future__ import annotations

import numpy as np
import pytest


def attach(body, target, weights):
    group = body.vertex_groups.new(name="Held")
    for vertex, weight in weights.items():
        group.add([vertex], weight, "REPLACE")
    body.xpbd.attach_object, body.xpbd.attach_group = target, "Held"


def test_an_attachment_names_its_target(bpy, make_body, read):
    jelly = make_body("Zebra", role="JELLY")
    attach(make_body("Middle"), jelly, {3: 1.0, 7: 0.5, 9: 0.0})
    make_body("Ant")
    reading = read()
    first, second, third = reading.scene.bodies
    assert (first.attachment, third.attachment) == (None, None)
    assert second.attachment.target == third.identifier
    np.testing.assert_array_equal(second.attachment.vertices, [3, 7])
    np.testing.assert_array_equal(second.attachment.weights, np.array([1.0, 0.5], np.float32))
    assert reading.notices == ()


@pytest.mark.parametrize("state", ["no group", "another group", "empty group", "itself", "hidden"])
def test_attachments_to_nothing_are_told(bpy, make_body, read, state):
    target, body = make_body("Holder", role="JELLY"), make_body("Body")
    attach(body, body if state == "itself" else target, {} if state == "empty group" else {0: 1.0})
    if state in {"no group", "another group"}:
        body.xpbd.attach_group = "" if state == "no group" else "Nowhere"
    elif state == "hidden":
        target.hide_viewport = True
    reading = read()
    assert [(notice.code, notice.object_name) for notice in reading.notices] == [("W_GROUP", "Body")]
    assert all(found.attachment is None for found in reading.scene.bodies)


def test_what_is_read_keeps_the_object_not_its_name(bpy, make_body):
    from blender_xpbd.addon.reading.attachment_reader import read_attachment, resolved

    jelly, body = make_body("Jelly", role="JELLY"), make_body("Body")
    assert read_attachment(body) == (None, ())
    attach(body, jelly, {3: 0.5, 4: 1.0})
    found, notices = read_attachment(body)
    assert notices == ()
    jelly.name = "Renamed"
    identifiers = {jelly.session_uid: "b1", body.session_uid: "b0"}
    attachment, notices = resolved(found, body.session_uid, "Body", identifiers)
    assert (attachment.target, attachment.vertices.tolist(), attachment.weights.tolist()) == ("b1", [3, 4], [0.5, 1.0])
    assert notices == ()
    assert resolved(None, body.session_uid, "Body", identifiers) == (None, ())
