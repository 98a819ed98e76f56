# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of Blender's exporters that the disk did not take whole are found, and what was there before stays."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from blender_xpbd.scene.errors import XpbdError

FORMER = b"what was exported before"
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def written(bpy, baked, jobs, tmp_path):
    """A function that bakes and exports, and tells the objects and the file."""
    from blender_xpbd.addon.export.export import export

    def write(suffix, prepare=None, **values):
        objects, _ = baked(prepare=prepare, **values)
        path = tmp_path / f"motion{suffix}"
        path.write_bytes(FORMER)
        export(bpy.context, path, objects, cache=jobs)
        return objects, path

    return write


@pytest.mark.parametrize("suffix", [".abc", ".usdc"])
def test_a_file_that_was_cut_anywhere_is_told(written, suffix):
    from blender_xpbd.addon.export.wholeness import require_whole

    _, path = written(suffix)
    require_whole(path)
    content = path.read_bytes()
    if suffix == ".abc":
        # a file that was not closed in order does not have this byte
        path.write_bytes(content[:5] + b"\0" + content[6:])
        with pytest.raises(XpbdError, match="E_IO"):
            require_whole(path)
        content = content[:5]
    for length in {0, 1, 5, 8, 30, len(content) // 3, len(content) // 2, len(content) - 1}:
        path.write_bytes(content[:length])
        with pytest.raises(XpbdError, match="E_IO"):
            require_whole(path)


def test_a_crate_of_noise_is_told(tmp_path):
    from blender_xpbd.addon.export.wholeness import require_whole

    path = tmp_path / "noise.usdc"
    for beginning in (b"PXR-USDC", b"PXR-USDC" + b"\xff" * 8, b"PXR-USDC" + bytes(8) + b"\0" * 7 + b"\x80"):
        path.write_bytes(beginning + b"\xff" * 1000)
        with pytest.raises(XpbdError, match="E_IO"):
            require_whole(path)


def test_what_an_exporter_leaves_half_does_not_take_the_place_of_a_file(bpy, baked, jobs, tmp_path, monkeypatch):
    """As Blender's exporter does on a full disk, which it does not tell."""
    from blender_xpbd.addon.export import blender_exporters
    from blender_xpbd.addon.export.export import export

    find = blender_exporters.find_exporter

    class Careless:
        def __init__(self, suffix):
            self._operator = find(suffix)
            self.get_rna_type = self._operator.get_rna_type

        def __call__(self, *arguments, **values):
            self._operator(*arguments, **values)
            path = Path(values["filepath"])
            path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])

    objects, _ = baked()
    path = tmp_path / "motion.usdc"
    path.write_bytes(FORMER)
    monkeypatch.setattr(blender_exporters, "find_exporter", Careless)
    with pytest.raises(XpbdError, match="did not write all") as fault:
        export(bpy.context, path, objects, cache=jobs)
    assert fault.value.code == "E_IO"
    assert path.read_bytes() == FORMER


def sharpen(obj):
    obj.data.polygons.foreach_set("use_smooth", [False] * len(obj.data.polygons))
    obj.data.uv_layers.new(name="UV")


def subdivide(obj):
    sharpen(obj)
    obj.modifiers.new("Subdivision", "SUBSURF")


@pytest.mark.parametrize("prepare", [None, sharpen, subdivide])
def test_an_alembic_file_takes_no_more_than_is_asked_for(bpy, written, monkeypatch, prepare):
    """Where there is less room than that, nothing is begun: Alembic's library would end Blender."""
    from blender_xpbd.addon.export import wholeness
    from blender_xpbd.addon.export.export import export

    asked = []
    size = wholeness._size

    def noted(mesh, samples):
        asked.append(size(mesh, samples))
        return asked[-1]

    monkeypatch.setattr(wholeness, "_size", noted)
    objects, path = written(".abc", prepare)
    needed = sum(asked)
    assert path.stat().st_size < needed
    content = path.read_bytes()
    total, used, _ = shutil.disk_usage(path.parent)
    for free in (0, needed - 1):
        monkeypatch.setattr(shutil, "disk_usage", lambda _place, free=free: Usage(total, used, free))
        with pytest.raises(XpbdError, match="full disk") as fault:
            export(bpy.context, path, objects, cache=path.parent / "jobs")
        assert fault.value.code == "E_IO"
        assert path.read_bytes() == content
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: Usage(total, used, needed))
    assert export(bpy.context, path, objects, cache=path.parent / "jobs") == [path]
