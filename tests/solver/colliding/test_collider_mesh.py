# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the vertices of mesh colliders are at the boundaries of substeps."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.geometry.rotations import interpolated_rotations
from blender_xpbd.solver.system.colliders import build_colliders
from tests.solver.scenes import mesh_box, plane

ORIGIN = np.array([1.0, -2.0, 0.5])
SUBSTEPS = 4


def spun(angle, scale=1.0, place=(0.0, 0.0, 0.0)):
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    matrix[:3, :3] *= scale
    matrix[:3, 3] = place
    return matrix


def in_world(colliders, row, frame_index):
    """By the rows that the kernels get, shape (substeps + 1, vertices, 3)."""
    motion = colliders.motion(frame_index, SUBSTEPS)[:, row].astype(float)
    start, end = colliders.vertices(row, frame_index)
    shares = np.linspace(0.0, 1.0, SUBSTEPS + 1)[:, None, None]
    local = start + shares * (end - start)
    turned = np.einsum("sij,svj->svi", motion[:, :9].reshape(-1, 3, 3), local)
    return turned + motion[:, None, 9:12] + ORIGIN


def expected(collider, sources, frame_index):
    """At the two ends of a frame."""
    points = []
    for frame in (frame_index, frame_index + 1):
        matrix = collider.transforms[min(frame, len(collider.transforms) - 1)]
        local = collider.positions[min(frame, len(collider.positions) - 1)]
        points.append((local @ matrix[:3, :3].T + matrix[:3, 3])[sources])
    return np.stack(points)


BOX = mesh_box(0.5)
WAVE = BOX.positions + np.random.default_rng(0).normal(size=(3, 8, 3)) * 0.1
MOVING = np.stack([spun(0.3 * k, place=(k, 0.0, 9.0)) for k in range(3)])
SCALED = np.stack([spun(0.3, 1.0 + k, (k, 0.0, 0.0)) for k in range(3)])
MIRRORED = np.stack([spun(0.2 * k) @ np.diag([-1.0, 1.0, 1.0, 1.0]) for k in range(3)])


@pytest.mark.parametrize(
    ("positions", "transforms", "deforms"),
    [
        (BOX.positions, MOVING, False),
        (BOX.positions, SCALED, True),
        (BOX.positions, MIRRORED, False),
        (WAVE, BOX.transforms, True),
        (WAVE, MOVING, True),
        (WAVE, MIRRORED, True),
        (WAVE + 1e4, BOX.transforms, True),
    ],
    ids=["moving", "scaled", "mirrored", "deforming", "both", "mirrored and deforming", "far"],
)
@pytest.mark.parametrize("frame_index", [0, 1, 2])
def test_vertices_are_where_the_job_says(positions, transforms, deforms, frame_index):
    collider = replace(BOX, positions=positions, transforms=transforms)
    colliders = build_colliders((plane(), collider), ORIGIN, 0.01, 1.0)
    (mesh,) = colliders.meshes
    assert (mesh.row, mesh.deforms) == (1, deforms)
    found = in_world(colliders, 1, frame_index)
    size = np.abs(found).max()
    np.testing.assert_allclose(found[[0, -1]], expected(collider, mesh.surface.sources, frame_index), atol=1e-6 * size)
    # near the frame's own origin, where single precision is fine
    assert np.abs(colliders.vertices(1, frame_index)[0]).max() < 4.0


def test_between_frames_the_object_turns_and_vertices_go_straight():
    collider = replace(BOX, positions=WAVE, transforms=MOVING)
    colliders = build_colliders((collider,), ORIGIN, 0.01, 1.0)
    sources = colliders.meshes[0].surface.sources
    turn = interpolated_rotations(MOVING[0, :3, :3], MOVING[1, :3, :3], np.array([0.5]))[0]
    middle = 0.5 * (WAVE[0] + WAVE[1])[sources] @ turn.T + 0.5 * (MOVING[0] + MOVING[1])[:3, 3]
    np.testing.assert_allclose(in_world(colliders, 0, 0)[SUBSTEPS // 2], middle, atol=1e-5)


def test_what_kernels_get_of_a_mesh_that_deforms_depends_on_the_frame():
    colliders = build_colliders((replace(BOX, positions=WAVE), BOX), ORIGIN, 0.01, 1.0)
    assert colliders.deforms
    np.testing.assert_allclose(colliders.motion(1, SUBSTEPS)[:, 0, 12], np.linspace(0.0, 1.0, SUBSTEPS + 1))
    first, second = (colliders.deformed_floats(frame, SUBSTEPS) for frame in (0, 1))
    rigid = colliders.trees[0].float_start
    np.testing.assert_array_equal(first[:rigid], second[:rigid])
    assert (first[rigid:] != second[rigid:]).any()
    assert not build_colliders((BOX,), ORIGIN, 0.01, 1.0).deforms
