# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of docs/architecture.md that a reader of one file cannot see broken: who imports whom."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "blender_xpbd"

# layer -> (the package's layers it may import, the third-party modules it may import)
ALLOWED: dict[str, tuple[set[str], set[str]]] = {
    "": ({"addon"}, set()),
    "scene": (set(), {"numpy"}),
    "jobs": ({"scene"}, {"numpy"}),
    "geometry": ({"scene"}, {"numpy"}),
    "device": ({"scene"}, {"numpy", "taichi"}),
    "constraints": ({"scene", "geometry", "device"}, {"numpy", "taichi"}),
    "contacts": ({"scene", "geometry", "device"}, {"numpy", "taichi"}),
    "forces": ({"scene"}, {"taichi"}),
    "bodies": ({"scene", "geometry", "constraints"}, {"numpy"}),
    "solver": ({"scene", "geometry", "device", "constraints", "contacts", "forces", "bodies"}, {"numpy", "taichi"}),
    "worker": (
        {"scene", "jobs", "geometry", "device", "constraints", "contacts", "forces", "bodies", "solver"},
        {"numpy", "taichi"},
    ),
    "addon": (
        {"scene", "jobs"},
        {
            "numpy",
            "bpy",
            "bmesh",
            "bl_operators",
            "bpy_extras",
            "mathutils",
            "gpu",
            "gpu_extras",
            "blf",
            "bl_ui",
            "idprop",
        },
    ),
}

# libraries that a body's tetrahedra may come from, when a user has installed them
OPTIONAL = {"geometry": {"pytetwild", "wildmeshing", "tetgen"}}

SOURCES = sorted(path for folder in (PACKAGE, "scripts", "tests") for path in (ROOT / folder).rglob("*.py"))
PACKAGE_SOURCES = [path for path in SOURCES if path.is_relative_to(ROOT / PACKAGE)]


def layer_of(path: Path) -> str:
    parts = path.relative_to(ROOT / PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imported_modules(path: Path, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Absolute names of all modules that a file imports, at its top or inside functions, with the line."""
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *([node.module] if node.module else [])]
            if module == [PACKAGE]:
                # `from .. import solver` names its layer only here
                yield from ((f"{PACKAGE}.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield ".".join(module), node.lineno


def faults(path: Path, text: str) -> Iterator[str]:
    layer = layer_of(path)
    layers, libraries = ALLOWED[layer]
    libraries = libraries | OPTIONAL.get(layer, set())
    for module, line in imported_modules(path, ast.parse(text)):
        top, _, rest = module.partition(".")
        if top == PACKAGE:
            target = rest.partition(".")[0]
            if target != layer and target not in layers:
                yield f"{path.relative_to(ROOT)}:{line}: {layer or PACKAGE} imports {target or PACKAGE}"
        elif top not in sys.stdlib_module_names and top not in libraries:
            yield f"{path.relative_to(ROOT)}:{line}: {layer or PACKAGE} imports {module}"


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_layer_has_a_rule() -> None:
    folders = {path.parent.name for path in (ROOT / PACKAGE).glob("*/__init__.py")}
    assert folders == set(ALLOWED) - {""}


@pytest.mark.parametrize("path", PACKAGE_SOURCES, ids=name)
def test_imports_stay_in_their_layer(path: Path) -> None:
    assert list(faults(path, path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("scene/body.py", "import bpy"),
        ("scene/body.py", "from ..geometry import cage"),
        ("geometry/cage/cage.py", "def f():\n    import taichi as ti"),
        ("jobs/cache.py", "from .. import solver"),
        ("bodies/cloth.py", "import taichi"),
        ("bodies/cloth.py", "from ..solver import state"),
        ("solver/step.py", "from ..worker.run import main"),
        ("device/launch.py", "from ..solver import plan"),
        ("worker/run.py", "from ..addon import bake"),
        ("addon/baking/bake.py", "from ...geometry.cage import cage"),
        ("addon/baking/bake.py", "import taichi"),
        ("__init__.py", "import bpy"),
    ],
)
def test_a_breach_is_seen(where: str, line: str) -> None:
    assert len(list(faults(ROOT / PACKAGE / where, line))) == 1


def insides_of_taichi(text: str) -> list[int]:
    """Lines that reach beyond the public functions of Taichi."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            base = node.value
            is_of_taichi = isinstance(base, ast.Name) and base.id in ("ti", "taichi")
            is_private = node.attr.startswith("_") and not node.attr.startswith("__")
            if (is_of_taichi and (node.attr == "lang" or is_private)) or node.attr in ("_primal", "_ArgPack__argpack"):
                lines.append(node.lineno)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "taichi":
            lines.append(node.lineno)
        elif isinstance(node, ast.Import):
            lines += [node.lineno for alias in node.names if alias.name.startswith("taichi.")]
    return lines


@pytest.mark.parametrize("path", [path for path in PACKAGE_SOURCES if layer_of(path) != "device"], ids=name)
def test_the_insides_of_taichi_are_for_the_device_alone(path: Path) -> None:
    assert insides_of_taichi(path.read_text(encoding="utf-8")) == []


def test_files_of_the_device_that_reach_into_taichi_ask_for_its_version() -> None:
    for path in (ROOT / PACKAGE / "device").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not insides_of_taichi(text) or "knows_taichi()" in text, path.name


@pytest.mark.parametrize(
    "line",
    [
        "ti.lang.impl.get_runtime()",
        "kernel._primal.arguments",
        "ti._lib.core",
        "from taichi.lang import impl",
        "import taichi.lang.impl as impl",
        "pack._ArgPack__argpack",
    ],
)
def test_a_look_inside_taichi_is_seen(line: str) -> None:
    assert insides_of_taichi(line) == [1]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_every_file_states_its_licence(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()[:2]
    assert "# SPDX-License-Identifier: GPL-3.0-or-later" in lines


@pytest.mark.parametrize("path", PACKAGE_SOURCES, ids=name)
def test_kernel_files_evaluate_their_annotations(path: Path) -> None:
    """Taichi reads the annotations themselves, so a file with kernels must not postpone them."""
    text = path.read_text(encoding="utf-8")
    decorators = {
        ast.unparse(decorator)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for decorator in node.decorator_list
    }
    if any(
        decorator.startswith(("ti.kernel", "ti.func", "ti.data_oriented", "ti.dataclass")) for decorator in decorators
    ):
        assert "from __future__ import annotations" not in text
