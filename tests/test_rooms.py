# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms within a package: each imports only those that stand before it, so nothing runs back or in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import PACKAGE, PACKAGE_SOURCES, ROOT, imported_modules, name

# From the ground floor up. "" is the package's own folder, of which single files may stand elsewhere; "__init__" is the
# package's own file, where it has the tuple of what all rooms hold
ROOMS: dict[str, tuple[str, ...]] = {
    "scene": ("errors", "parameter", "roles", "parameters", "", "falls", "ties"),
    "geometry": ("", "surface", "solid", "cage", "levels", "collider", "search"),
    "constraints": ("", "attachments", "bending", "rods", "__init__"),
    "contacts": ("", "pairs", "grains", "search"),
    "solver": ("colliding", "order", "system", "windows", "tangles", "acts", "step", ""),
    "addon": (
        "data",
        "gallery",
        "measures",
        "reading",
        "deformers",
        "reduction",
        "keys",
        "process",
        "baking",
        "playing",
        "export",
        "checking",
        "ui",
        "ui.operators",
        "",
    ),
}
LARGEST_ROOM = 30


def room_of(module: str) -> tuple[str, str]:
    """Package and room of a module or a room, by its name below ``blender_xpbd``."""
    package, _, rest = module.partition(".")
    rest = rest or "__init__"
    rooms = [room for room in ROOMS.get(package, ()) if room and f"{rest}.".startswith(f"{room}.")]
    return package, max(rooms, key=len, default="")


def faults(path: Path, text: str) -> Iterator[str]:
    own = ".".join(path.relative_to(ROOT / PACKAGE).with_suffix("").parts)
    package, room = room_of(own)
    order = ROOMS.get(package, ("",))
    for module, line in imported_modules(path, ast.parse(text)):
        top, _, rest = module.partition(".")
        if top == PACKAGE and rest.partition(".")[0] == package:
            other = room_of(rest)[1]
            if order.index(other) > order.index(room):
                yield f"{path.relative_to(ROOT)}:{line}: {room or package} imports {other or package}"


@pytest.mark.parametrize("path", PACKAGE_SOURCES, ids=name)
def test_rooms_import_what_stands_before_them(path: Path) -> None:
    assert list(faults(path, path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("scene/parameters/roles.py", "from ..material import Material"),
        ("scene/parameter.py", "from .material import Material"),
        ("constraints/distance.py", "from .rods.rod import ROD"),
        ("constraints/rods/rod.py", "from .. import CONSTRAINTS"),
        ("solver/acts/functions.py", "from ..step.packs import State"),
        ("geometry/surface/topology.py", "from ..solid.masses import f"),
        ("geometry/chunks.py", "from .cage.lattice import Lattice"),
        ("solver/order/tasks.py", "from ..system.system import System"),
        ("solver/step/state.py", "from ..solver import Solver"),
        ("addon/data/properties.py", "from ..ui import panels"),
        ("addon/ui/panels.py", "from .operators.bake import f"),
        ("addon/keys/shape_key_writer.py", "def f():\n    from ..baking.report import g"),
        ("addon/baking/bake.py", "from ..bake import run_bake"),
    ],
)
def test_a_breach_is_seen(where: str, line: str) -> None:
    assert len(list(faults(ROOT / PACKAGE / where, line))) == 1


def test_every_folder_is_a_room() -> None:
    folders = {path.parent for path in PACKAGE_SOURCES if path.parent.parent != ROOT}
    found = {".".join(folder.relative_to(ROOT / PACKAGE).parts) for folder in folders if folder != ROOT / PACKAGE}
    rooms = {f"{package}.{room}" for package, order in ROOMS.items() for room in order if room}
    files = {".".join(path.relative_to(ROOT / PACKAGE).with_suffix("").parts) for path in PACKAGE_SOURCES}
    assert {folder for folder in found if "." in folder} == rooms - files


def test_no_room_is_a_heap() -> None:
    counts: dict[Path, int] = {}
    for path in PACKAGE_SOURCES:
        counts[path.parent] = counts.get(path.parent, 0) + 1
    assert {folder.name: count for folder, count in counts.items() if count > LARGEST_ROOM} == {}
