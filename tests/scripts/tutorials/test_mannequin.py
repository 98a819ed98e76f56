# SPDX-License-Identifier: GPL-3.0-or-later
"""The mannequin is the same mesh in each run."""

from __future__ import annotations


def test_faces_are_in_an_order_that_does_not_change(bpy):
    from tutorial_scenes.mannequin import Mannequin

    faces = [list(face.vertices) for face in Mannequin(bpy.context.scene).add_body().data.polygons]
    assert faces == sorted(faces)
    assert all(face[0] == min(face) for face in faces)
