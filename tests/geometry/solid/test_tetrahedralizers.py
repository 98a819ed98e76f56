# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from blender_xpbd.geometry.solid.tetrahedra import signed_volumes
from blender_xpbd.geometry.solid.tetrahedralizers import PACKAGES, available, tetrahedralize
from blender_xpbd.scene.errors import XpbdError
from tests.geometry.surfaces import cube, enclosed_volume, sphere

WRITE = """
import sys, pathlib, numpy as np
folder = pathlib.Path(sys.argv[2])
np.save(folder / 'vertices.npy', np.array({vertices}, dtype=float))
np.save(folder / 'tetrahedra.npy', np.array({tetrahedra}))
"""


def fake(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def fault(code: str, timeout_s: float = 20.0) -> XpbdError:
    with pytest.raises(XpbdError) as caught:
        tetrahedralize("TETGEN", *cube(), 0.5, timeout_s, "Cube", command=fake(code))
    assert caught.value.object_name == "Cube"
    return caught.value


def test_only_installed_libraries_are_offered() -> None:
    assert set(available()) == {name for name, package in PACKAGES.items() if importlib.util.find_spec(package)}


def test_a_library_that_hangs_is_stopped() -> None:
    assert fault("import time; time.sleep(60)", timeout_s=0.3).code == "E_TET_TIMEOUT"


def test_a_library_that_crashes_harms_nobody() -> None:
    error = fault("import os, sys; print('boom', flush=True); os.abort()")
    assert error.code == "E_TET_CRASH"
    assert "boom" in error.message
    assert fault("").code == "E_TET_CRASH"


def test_a_refusal_says_why() -> None:
    error = fault("import sys; print('it intersects itself'); sys.exit(3)")
    assert error.code == "E_TET_OPEN"
    assert "it intersects itself" in error.message


@pytest.mark.parametrize(
    ("vertices", "tetrahedra", "code"),
    [
        ("[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]", "[[0,1,2,3]]", "E_TET_VOLUME"),
        ("[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]", "[[0,1,2,4]]", "E_TET_CRASH"),
        ("[[0,0,0],[1,0,0],[0,1,0],[0,0,np.nan]]", "[[0,1,2,3]]", "E_TET_CRASH"),
        ("[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]", "[[0,1,2]]", "E_TET_CRASH"),
        ("[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]", "np.zeros((0, 4), dtype=int)", "E_TET_VOLUME"),
        ("[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]", "[[0,1,2,object()]]", "E_TET_CRASH"),
    ],
)
def test_what_a_library_returns_is_checked(vertices: str, tetrahedra: str, code: str) -> None:
    assert fault(WRITE.format(vertices=vertices, tetrahedra=tetrahedra)).code == code


def test_a_result_comes_back_in_metres_and_oriented() -> None:
    points, triangles = cube()
    command = fake(WRITE.format(vertices="[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]", tetrahedra="[[1,0,2,3]]"))
    vertices, tetrahedra = tetrahedralize("TETGEN", points * 50 + 7, triangles, 10, 20, command=command)
    assert np.allclose(vertices, np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * 100 + 7)
    assert (signed_volumes(vertices, tetrahedra) > 0).all()


@pytest.mark.parametrize(("name", "edge"), [("GMSH", 0.5), ("TETGEN", 0.0), ("TETGEN", np.nan)])
def test_wrong_parameters_are_refused(name: str, edge: float) -> None:
    with pytest.raises(XpbdError) as caught:
        tetrahedralize(name, *cube(), edge, 20.0)
    assert caught.value.code == "E_PARAM"


@pytest.mark.parametrize("name", list(PACKAGES))
def test_the_library_itself_fills_a_sphere(name: str) -> None:
    if name not in available():
        pytest.skip(f"{PACKAGES[name]} is not installed")
    points, triangles = sphere(12, 6)
    vertices, tetrahedra = tetrahedralize(name, points * 10 + 100, triangles, 6.0, 60.0)
    assert np.isclose(signed_volumes(vertices, tetrahedra).sum(), 1000 * enclosed_volume(points, triangles), rtol=0.01)


def test_tetgen_refuses_an_open_surface() -> None:
    if "TETGEN" not in available():
        pytest.skip("tetgen is not installed")
    points, triangles = sphere(12, 6)
    with pytest.raises(XpbdError) as caught:
        tetrahedralize("TETGEN", points, triangles[10:], 0.5, 60.0)
    assert caught.value.code == "E_TET_OPEN"
