# SPDX-License-Identifier: GPL-3.0-or-later
"""Optional libraries that fill a surface with tetrahedra: fTetWild and TetGen, if installed.

They run in a process of their own: they may crash or never end, and both are beyond our control.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...scene.errors import XpbdError
from .tetrahedra import orient_positive, signed_volumes
from .tetrahedralizer_process import REFUSED

# Name of each option, and the package that serves it; pytetwild is MPL-2.0, the core of tetgen is AGPL: never bundled.
PACKAGES: dict[str, str] = {"FTETWILD": "pytetwild", "TETGEN": "tetgen"}
# More than this is no plausible answer to a mesh that Blender holds.
OUTPUT_SIZE_LIMIT = 4 * 1024**3


def available() -> tuple[str, ...]:
    """The options whose library is installed; none is imported."""
    return tuple(name for name, package in PACKAGES.items() if importlib.util.find_spec(package) is not None)


def tetrahedralize(
    name: str,
    positions: np.ndarray,
    triangles: np.ndarray,
    edge_length: float,
    timeout_s: float,
    object_name: str = "",
    command: Sequence[str] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Fill a surface with tetrahedra.

    Args:
        name: one of ``available()``.
        positions: vertices [m], shape (vertices, 3).
        triangles: shape (triangles, 3).
        edge_length: that the tetrahedra should have [m], positive.
        timeout_s: the library is stopped after this long [s].
        object_name: named in errors.
        command: run instead of the library's process, with the same arguments; for tests.

    Returns:
        Vertices [m], shape (n, 3), float64, and tetrahedra, shape (m, 4), int32, all of positive volume.

    Raises:
        XpbdError: ``E_PARAM`` for a wrong name or edge length, ``E_TET_TIMEOUT``, ``E_TET_CRASH``, ``E_TET_OPEN`` if
            the library refuses the surface, ``E_TET_VOLUME`` if what it returns has tetrahedra without volume.
    """
    if name not in PACKAGES:
        raise XpbdError(
            "E_PARAM", f"there is no tetrahedralizer {name}; choose one of {', '.join(PACKAGES)}", object_name
        )
    if not (np.isfinite(edge_length) and edge_length > 0.0):
        raise XpbdError("E_PARAM", f"the tetrahedra's edge length is {edge_length}; it must be positive", object_name)
    positions = np.asarray(positions, dtype=np.float64)
    # The libraries have absolute tolerances: give them a body of size 1 around 0.
    used, corners = np.unique(np.asarray(triangles), return_inverse=True)
    centre = positions[used].mean(axis=0)
    size = float(np.ptp(positions[used], axis=0).max())
    if size == 0.0:
        raise XpbdError("E_TET_VOLUME", "all faces of the mesh lie in one point; scale it up", object_name)
    with tempfile.TemporaryDirectory(prefix="xpbd-tetrahedra-") as temporary:
        folder = Path(temporary)
        np.save(folder / "positions.npy", (positions[used] - centre) / size)
        np.save(folder / "triangles.npy", corners.reshape(-1, 3).astype(np.int32))
        arguments = [*(command or _library_command()), name, str(folder), repr(float(edge_length) / size)]
        _run(arguments, timeout_s, folder, name, object_name)
        vertices, tetrahedra = _read_result(folder, name, object_name)
    tetrahedra = orient_positive(vertices, tetrahedra)
    flat = int((signed_volumes(vertices, tetrahedra) <= 0.0).sum())
    if flat or len(tetrahedra) == 0:
        message = (
            f"{name} made {flat} of {len(tetrahedra)} tetrahedra without volume; use a cage or another edge length"
        )
        raise XpbdError("E_TET_VOLUME", message, object_name)
    return vertices * size + centre, tetrahedra


def _library_command() -> list[str]:
    """The process that runs a library: by its file, because an extension's folder has another name than the package.

    ``-P``: Python shall look for modules neither beside that file, where a library could take ours for another's, nor
    where it is started.
    """
    return [sys.executable, "-P", str(Path(__file__).with_name("tetrahedralizer_process.py"))]


def _run(arguments: list[str], timeout_s: float, folder: Path, name: str, object_name: str) -> None:
    """Run a library's process to its end, and say what went wrong."""
    log = folder / "log.txt"
    try:
        # A file, not a pipe, so that whatever the library prints cannot block it.
        with log.open("wb") as output:
            status = subprocess.run(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=timeout_s,
                # libraries leave files where they run
                cwd=folder,
                check=False,
            ).returncode
    except subprocess.TimeoutExpired as error:
        message = f"{name} was stopped after {timeout_s:g} s; raise the limit, simplify the mesh, or use a cage"
        raise XpbdError("E_TET_TIMEOUT", message, object_name) from error
    except OSError as error:
        raise XpbdError("E_TET_CRASH", f"{name} cannot be started: {error}; use a cage", object_name) from error
    if status == 0:
        return
    lines = log.read_bytes()[-2000:].decode("utf-8", errors="replace").strip().splitlines()
    last = lines[-1] if lines else "it said nothing"
    if status == REFUSED:
        message = f"{name} refuses the mesh ({last}); close it and remove self-intersections, or use a cage"
        raise XpbdError("E_TET_OPEN", message, object_name)
    raise XpbdError("E_TET_CRASH", f"{name} ended with status {status} ({last}); use a cage", object_name)


def _read_result(folder: Path, name: str, object_name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read what the library's process left in its folder, and check it."""
    arrays = []
    for file, width, kinds in (("vertices.npy", 3, "f"), ("tetrahedra.npy", 4, "iu")):
        path = folder / file
        try:
            if path.stat().st_size > OUTPUT_SIZE_LIMIT:
                raise ValueError("it is too large")
            array = np.load(path, allow_pickle=False)
            if array.ndim != 2 or array.shape[1] != width or array.dtype.kind not in kinds:
                raise ValueError(f"it has shape {array.shape} and type {array.dtype}")
        except (OSError, ValueError, EOFError) as error:
            message = f"{name} left no readable result ({file}: {error}); use a cage"
            raise XpbdError("E_TET_CRASH", message, object_name) from error
        arrays.append(array)
    vertices, tetrahedra = arrays[0].astype(np.float64), arrays[1].astype(np.int64)
    in_range = tetrahedra.size == 0 or (tetrahedra.min() >= 0 and tetrahedra.max() < len(vertices))
    if not in_range or not np.isfinite(vertices).all():
        raise XpbdError("E_TET_CRASH", f"{name} left a damaged result; use a cage", object_name)
    return vertices, tetrahedra.astype(np.int32)
