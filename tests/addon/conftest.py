# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the add-on share: a worker that needs no Taichi, objects, deep comparison of Blender's data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

FAKE_WORKER = Path(__file__).with_name("fake_worker.py")


@pytest.fixture
def fake_worker(bpy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Bakes use fake_worker.py; call the fixture to say what goes wrong in it."""
    from blender_xpbd.addon.baking import bake
    from blender_xpbd.addon.process import worker_process
    from blender_xpbd.addon.process.worker_python import WorkerPython, worker_environment

    def command(python: WorkerPython, job: Path) -> list[str]:
        return [python.executable, str(FAKE_WORKER), str(job)]

    def search(_preference: str = "") -> Generator[None, None, WorkerPython]:
        yield
        return WorkerPython(sys.executable, "3.11", worker_environment([]))

    def wish(**wishes: Any) -> None:
        monkeypatch.setenv("XPBD_FAKE_WORKER", json.dumps(wishes))

    monkeypatch.setattr(worker_process, "worker_command", command)
    monkeypatch.setattr(bake, "search_python", search)
    wish()
    return wish


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a test goes to the user's cache; kernels are compiled once for all tests, see ``pytest_configure``."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "user"))


@pytest.fixture
def make_body(bpy: ModuleType) -> Callable[..., Any]:
    """A function that adds a 4 × 4 grid (25 vertices), or what it is given, with a role."""

    def make(name: str = "Body", role: str = "CLOTH", mesh: Any = None, **transform: Any) -> Any:
        if mesh is None:
            mesh = bpy.data.meshes.new(name)
            x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5))
            points = np.column_stack((x.ravel(), y.ravel(), 0.1 * x.ravel() * y.ravel()))
            quads = [(i, i + 1, i + 6, i + 5) for row in range(4) for i in range(5 * row, 5 * row + 4)]
            mesh.from_pydata(points.tolist(), [], quads)
        obj = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(obj)
        for attribute, value in transform.items():
            setattr(obj, attribute, value)
        obj.xpbd.role = role
        bpy.context.view_layer.update()
        return obj

    return make


@pytest.fixture
def select(bpy: ModuleType) -> Callable[..., None]:
    """A function that selects objects, the first of them active."""

    def choose(*objects: Any) -> None:
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj in objects)
        bpy.context.view_layer.objects.active = objects[0] if objects else None

    return choose


@pytest.fixture
def dump() -> Callable[[Any], Any]:
    """A function that turns an object with its mesh, keys and animation into plain values, for comparison."""
    return dump_object


def dump_object(obj: Any) -> Any:
    """All that a bake might touch, deeply."""
    import bpy

    bpy.context.view_layer.update()
    mesh = obj.data
    values = {
        "object": _dump(obj, depth=1),
        "mesh": _dump(mesh, depth=1),
        "vertices": np.array([vertex.co[:] for vertex in mesh.vertices]).tolist(),
        "keys": _dump(mesh.shape_keys, depth=3) if mesh.shape_keys else None,
        "points": [
            [block.name, np.array([point.co[:] for point in block.points]).tolist()]
            for block in (mesh.shape_keys.key_blocks if mesh.shape_keys else [])
        ],
        "modifiers": [_dump(modifier, depth=1) for modifier in obj.modifiers],
        "actions": [_dump(action, depth=6) for action in bpy.data.actions],
        "meshes": sorted(mesh.name for mesh in bpy.data.meshes),
    }
    values["object"].pop("xpbd", None)
    return values


_VOLATILE = {
    "rna_type",
    "bl_rna",
    "is_evaluated",
    "original",
    "preview",
    "tag",
    "bound_box",
    "id_data",
    "data",
    "points",
}


def _dump(thing: Any, depth: int) -> Any:
    import bpy

    values: dict[str, Any] = {}
    for prop in thing.bl_rna.properties:
        name = prop.identifier
        if name in _VOLATILE:
            continue
        value = getattr(thing, name)
        if prop.type == "POINTER":
            if isinstance(value, bpy.types.ID) and not (name == "shape_keys" and depth > 1):
                values[name] = value.name
            else:
                values[name] = _dump(value, depth - 1) if value is not None and depth > 1 else value is not None
        elif prop.type == "COLLECTION":
            values[name] = [_dump(item, depth - 1) for item in value] if depth > 1 else len(value)
        elif getattr(prop, "is_array", False):
            values[name] = np.array(value).tolist()
        else:
            values[name] = sorted(value) if isinstance(value, set) else value
    if isinstance(thing, bpy.types.ID) and depth > 1 and getattr(thing, "animation_data", None):
        values["animation_data"] = _dump(thing.animation_data, depth)
    return values


@pytest.fixture
def read(bpy: ModuleType) -> Callable[..., Any]:
    """A function that reads the scene for a bake of five frames; its ``steps`` are what the reading yielded."""
    from blender_xpbd.addon.baking.scene_reader import read_scene
    from blender_xpbd.addon.data.bake_options import BakeOptions

    def run(**values: Any) -> Any:
        steps = read_scene(bpy.context, BakeOptions(**{"frame_start": 1, "frame_end": 5, **values}))
        seen = []
        try:
            while True:
                seen.append(next(steps))
        except StopIteration as end:
            run.steps = seen
            return end.value

    return run


@pytest.fixture
def codes(bpy: ModuleType) -> Callable[[], list[str]]:
    """A function that checks the scene; the codes of what it finds, in their order."""

    def read() -> list[str]:
        bpy.ops.xpbd.check()
        return [row["code"] for row in json.loads(bpy.context.scene.xpbd.findings)]

    return read


@pytest.fixture
def ball(bpy: ModuleType) -> Any:
    """A ball below the origin that is a collider."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6, location=(0.0, 0.0, -3.0))
    made = bpy.context.object
    made.name, made.xpbd.role = "Ball", "COLLIDER"
    return made
