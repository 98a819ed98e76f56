# SPDX-License-Identifier: GPL-3.0-or-later
"""What the result of a body is: the shape keys of its mesh, as one entry that the bake asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.settings import FrameRange


@pytest.fixture
def shape_keys(bpy):
    from blender_xpbd.addon.keys.body_results import SHAPE_KEYS

    return SHAPE_KEYS


def test_a_target_has_what_the_object_and_the_bake_say(shape_keys, make_body):
    from blender_xpbd.addon.keys.body_results import TargetOptions
    from blender_xpbd.addon.reading.body_reader import read_cloth

    obj = make_body("Sheet")
    matrices = np.tile(np.eye(4), (5, 1, 1))
    body = read_cloth(obj, 0.01)
    target = shape_keys.target(body, matrices, TargetOptions(FrameRange(3, 7, 2, 1 / 24), 0.01, make_single_user=True))
    assert (target.object_uid, target.name) == (obj.session_uid, "Sheet")
    assert (target.start, target.end, target.step) == (3, 7, 2)
    assert (target.unit_scale, target.make_single_user, target.key_style) == (0.01, True, obj.xpbd.key_style)
    assert target.matrices is matrices
    np.testing.assert_array_equal(target.mixed_shape, [vertex.co[:] for vertex in obj.data.vertices])


def test_the_writer_of_a_target_is_of_its_object(shape_keys, make_body):
    from blender_xpbd.addon.keys.body_results import TargetOptions
    from blender_xpbd.addon.reading.body_reader import read_cloth

    make_body("Other")
    obj = make_body("Sheet")
    options = TargetOptions(FrameRange(1, 2, 1, 1 / 24), 1.0, make_single_user=False)
    target = shape_keys.target(read_cloth(obj, 1.0), np.eye(4)[None], options)
    writer = shape_keys.writer(target, "bake", Path("job"))
    assert writer.find() == obj
    assert list(writer.written) == []


def test_a_mesh_that_others_use_is_refused_unless_it_is_copied(shape_keys, make_body):
    obj = make_body("Sheet")
    shape_keys.check(obj, False)
    make_body("Twin", mesh=obj.data)
    with pytest.raises(XpbdError, match="Sheet"):
        shape_keys.check(obj, False)
    shape_keys.check(obj, True)
