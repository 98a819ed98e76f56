# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.geometry.solid.tetrahedra import signed_volumes, tetrahedron_edges
from blender_xpbd.scene import tetgen_files
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.tetgen_files import read_node_ele
from tests.jobs.hostile_folders import within

NODES = (
    "4 3 1 1 # made by hand\n# x y z attribute marker\n1 0 0 0 7.5 1\n2 1 0 0 7.5 1\n\n3 0 1 0 7.5 0\n4 0 0 1 7.5 0\n"
)
ELEMENTS = "1 4 1\n1 1 2 3 4 9 # region 9\n"


def write(folder: Path, nodes: str, elements: str) -> Path:
    (folder / "body.node").write_text(nodes)
    (folder / "body.ele").write_text(elements)
    return folder / "body"


def test_the_bunny_of_the_seed_demo(meshes_folder: Path) -> None:
    vertices, tetrahedra = read_node_ele(meshes_folder / "bunny-coarse")
    assert vertices.shape == (333, 3)
    assert tetrahedra.shape == (1351, 4)
    assert tetrahedra.dtype == np.int32
    assert len(tetrahedron_edges(tetrahedra)) == 1907
    assert (signed_volumes(vertices, tetrahedra) > 0).all()


@pytest.mark.parametrize("suffix", ["", ".node", ".ele"])
def test_comments_attributes_and_counting_from_one(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path, NODES, ELEMENTS)
    vertices, tetrahedra = read_node_ele(f"{path}{suffix}")
    assert np.array_equal(vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert tetrahedra.tolist() == [[0, 1, 2, 3]]


def test_negative_tetrahedra_are_left_to_the_worker(tmp_path: Path) -> None:
    path = write(tmp_path, NODES, "1 4 0\n1 2 1 3 4\n")
    assert read_node_ele(path)[1].tolist() == [[1, 0, 2, 3]]


@given(st.integers(0, 10_000), st.integers(0, 1), st.integers(4, 20))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, seed: int, first: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(count, 3)) * 10.0 ** rng.integers(-6, 7)
    tetrahedra = np.stack([rng.permutation(count)[:4] for _ in range(5)])
    node_rows = [f"{i + first} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(vertices.tolist())]
    element_rows = [f"{i + first} {' '.join(map(str, row + first))}" for i, row in enumerate(tetrahedra)]
    path = write(
        tmp_path_factory.mktemp("tetgen"),
        "\n".join([f"{count} 3 0 0", *rng.permutation(node_rows)]),
        "\n".join(["5 4 0", *element_rows]),
    )
    read_vertices, read_tetrahedra = read_node_ele(path)
    assert np.array_equal(read_vertices, vertices)
    assert np.array_equal(np.sort(read_tetrahedra, axis=1), np.sort(tetrahedra, axis=1))


@pytest.mark.parametrize(
    ("nodes", "elements", "where"),
    [
        ("", ELEMENTS, "body.node: is empty"),
        ("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n", ELEMENTS, "line 4: ends after 3 of 4 rows"),
        ("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0\n", ELEMENTS, "line 5: has fewer than 4 numbers"),
        ("4 3 0 0\n1 0 0 0\n2 1 x 0\n3 0 1 0\n4 0 0 1\n", ELEMENTS, "line 3: has something that is no number"),
        ("4 3 0 0\n1 0 0 0\n2 nan 0 0\n3 0 1 0\n4 0 0 1\n", ELEMENTS, "line 3: has a coordinate that is not finite"),
        ("4 3 0 0\n1 0 0 0\n2 1e999 0 0\n3 0 1 0\n4 0 0 1\n", ELEMENTS, "line 3: has a coordinate that is not finite"),
        ("4 2 0 0\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n", ELEMENTS, "line 1: has nodes of 2 dimensions"),
        ("4 3 0 0\n1 0 0 0\n1 1 0 0\n3 0 1 0\n4 0 0 1\n", ELEMENTS, "line 2: has a node number that is repeated"),
        ("4 3 0 0\n5 0 0 0\n6 1 0 0\n7 0 1 0\n8 0 0 1\n", ELEMENTS, "neither from 0 nor from 1"),
        ("x 3 0 0\n", ELEMENTS, "line 1: does not begin with whole numbers"),
        ("-4 3 0 0\n", ELEMENTS, "line 1: announces no rows"),
        ("99999999999999999999 3 0 0\n", ELEMENTS, "line 1: announces no rows"),
        (NODES + "5 1 1 1 0 0\n", ELEMENTS, "goes on after the 4 rows"),
        (NODES, "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n", "line 1: has elements of 10 nodes"),
        (NODES, "2 4 0\n1 1 2 3 4\n2 1 2 3 5\n", "line 3: names a node"),
        (NODES, "1 4 0\n1 0 1 2 3\n", "line 2: names a node"),
        (NODES, "1 4 0\n1 1 2 3 2.5\n", "line 2: has a node number that is not whole"),
        (NODES, "1 4 0\n1 1 2 3 nan\n", "line 2: has a node number that is not whole"),
        (NODES, "2 4 0\n1 1 2 3 4\n", "ends after 1 of 2 rows"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, nodes: str, elements: str, where: str) -> None:
    path = write(tmp_path, nodes, elements)
    with pytest.raises(XpbdError) as caught:
        read_node_ele(path, "Body")
    assert caught.value.code == "E_TET_FILE"
    assert caught.value.object_name == "Body"
    assert where in caught.value.message


def test_flat_tetrahedra_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, NODES.replace("4 0 0 1 7.5 0", "4 1 1 0 7.5 0"), ELEMENTS)
    with pytest.raises(XpbdError, match="line 2") as caught:
        read_node_ele(path)
    assert caught.value.code == "E_TET_VOLUME"


def test_missing_binary_and_huge_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(XpbdError, match="cannot be read"):
        read_node_ele(tmp_path / "absent")
    path = write(tmp_path, NODES, ELEMENTS)
    (tmp_path / "body.node").write_bytes(b"\x80\x04\x95")
    with pytest.raises(XpbdError, match="no text file"):
        read_node_ele(path)
    monkeypatch.setattr(tetgen_files, "FILE_SIZE_LIMIT", 2)
    with pytest.raises(XpbdError, match="larger"):
        read_node_ele(path)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
@pytest.mark.parametrize("what", ["a pipe", "an endless device"])
def test_a_name_in_a_stranger_s_file_neither_hangs_nor_fills_the_memory(tmp_path: Path, what: str) -> None:
    path = write(tmp_path, NODES, ELEMENTS)
    node = tmp_path / "body.node"
    node.unlink()
    if what == "a pipe":
        os.mkfifo(node)
    else:
        node.symlink_to("/dev/zero")
    with within(20), pytest.raises(XpbdError, match="not a regular file"):
        read_node_ele(path)
