# SPDX-License-Identifier: GPL-3.0-or-later
"""TetGen's files, good and bad."""

from __future__ import annotations

import numpy as np
import pytest

from blender_xpbd.scene.errors import XpbdError

NODES = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"
TETRAHEDRA = "1 4 0\n0 0 1 2 3\n"


def write(folder, nodes=NODES, tetrahedra=TETRAHEDRA):
    (folder / "mesh.node").write_text(nodes)
    (folder / "mesh.ele").write_text(tetrahedra)
    return folder / "mesh.node"


def test_the_coarse_bunny(bpy, meshes_folder):
    from blender_xpbd.addon.tetrahedra_file import read_tetrahedra

    points, tetrahedra = read_tetrahedra(meshes_folder / "bunny-coarse.ele")
    assert points.shape == (333, 3)
    assert tetrahedra.shape == (1351, 4)
    assert tetrahedra.max() == 332


def test_a_good_file(bpy, tmp_path):
    from blender_xpbd.addon.tetrahedra_file import read_tetrahedra

    points, tetrahedra = read_tetrahedra(write(tmp_path))
    np.testing.assert_array_equal(points[3], [0, 0, 1])
    assert tetrahedra.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("nodes", "tetrahedra"),
    [
        ("", TETRAHEDRA),
        ("5 3 0 0\n" + NODES[8:], TETRAHEDRA),
        (NODES.replace("4 3", "4 2"), TETRAHEDRA),
        (NODES.replace("1 1 0 0", "1 nan 0 0"), TETRAHEDRA),
        (NODES.replace("1 1 0 0", "1 x 0 0"), TETRAHEDRA),
        (NODES, "1 4 0\n0 0 1 2 4\n"),
        (NODES, "1 4 0\n0 0 1 2\n"),
        (NODES, "0 4 0\n"),
        (NODES, "1 4 0\n0 0 1 2 -1\n"),
    ],
)
def test_bad_files(bpy, tmp_path, nodes, tetrahedra):
    from blender_xpbd.addon.tetrahedra_file import read_tetrahedra

    with pytest.raises(XpbdError, match="E_TET_FILE") as caught:
        read_tetrahedra(write(tmp_path, nodes, tetrahedra), "Body")
    assert caught.value.object_name == "Body"


def test_flat_tetrahedra(bpy, tmp_path):
    from blender_xpbd.addon.tetrahedra_file import read_tetrahedra

    with pytest.raises(XpbdError, match="E_TET_VOLUME"):
        read_tetrahedra(write(tmp_path, NODES.replace("3 0 0 1", "3 1 1 0")))
