# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of presets are read as values: whatever else stands in them is refused, and nothing of it is executed."""

from __future__ import annotations

import os

import pytest

from blender_xpbd.scene.errors import XpbdError

HEAD = "import bpy\nsettings = bpy.context.object.xpbd\n\n"
# whatever is no preset, each after the head
HOSTILE = {
    "a call": "open({mark!r}, 'w').close()",
    "a call in a value": "settings.area_density = __import__('pathlib').Path({mark!r}).touch() or 0.3",
    "a call after a value": "settings.area_density = 0.3; open({mark!r}, 'w').close()",
    "a value over two lines": "settings.area_density = (\nopen({mark!r}, 'w').close() or 0.3)",
    "a carriage return": "settings.area_density = 0.3\ropen({mark!r}, 'w').close()",
    "a form feed": "settings.area_density = 0.3\x0copen({mark!r}, 'w').close()",
    "an import": "import os",
    "another object": "settings = bpy.data.objects[0].xpbd",
    "a deeper path": "settings.bl_rna.name = 'x'",
    "a dunder": "settings.__class__ = 1",
    "what is no parameter": "settings.bake_record = 'x'",
    "what is no parameter of a material": "settings.role = 'JELLY'",
    "what there is not": "settings.nothing_of_this_name = 1.0",
    "infinity": "settings.area_density = 1e999",
    "no number": "settings.area_density = nan",
    "out of range": "settings.area_density = -1.0",
    "a huge integer": "settings.area_density = " + "9" * 190,
    "a word for a number": "settings.area_density = 'much'",
    "true for a number": "settings.area_density = True",
    "a complex number": "settings.area_density = 1+2j",
    "a number for a choice": "settings.preset = 3",
    "an unknown choice": "settings.preset = 'NOTHING'",
    "brackets": "settings.area_density = " + "[" * 190,
    "many signs": "settings.area_density = " + "-" * 190 + "1",
    "a long line": "settings.area_density = 0.3" + " " * 10_000 + "1",
    "no text": "\udcff\udcfe",
    "zeros": "\0" * 1000,
    "more than a preset has": "# words\n" * 100_000,
}


@pytest.fixture
def settings(bpy, make_body):
    """Of a cloth with a material of its own."""
    body = make_body("A")
    body.xpbd.preset = "MATERIAL"
    body.xpbd.area_density, body.xpbd.friction = 0.75, 0.25
    return body.xpbd


def values_of(settings):
    from blender_xpbd.addon.data.material_names import MATERIAL_VALUES

    return {name: getattr(settings, name) for name in (*MATERIAL_VALUES, "preset", "role") if hasattr(settings, name)}


def apply_file(settings, path):
    from blender_xpbd.addon.data.material_names import MATERIAL_VALUES
    from blender_xpbd.addon.data.own_preset_file import apply_values, preset_values, read_own_preset

    text = read_own_preset(path)
    apply_values(settings, preset_values(text, str(path), settings, MATERIAL_VALUES, 1.0))


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_preset_is_refused_whole(settings, tmp_path, what):
    before = values_of(settings)
    mark, path = tmp_path / "executed", tmp_path / "shared.py"
    hostile = HOSTILE[what].replace("{mark!r}", repr(str(mark)))
    path.write_bytes(f"{HEAD}settings.friction = 0.5\n{hostile}\n".encode(errors="surrogateescape"))
    with pytest.raises(XpbdError) as fault:
        apply_file(settings, path)
    assert fault.value.code == "E_PARAM"
    assert not mark.exists()
    assert values_of(settings) == before


@pytest.mark.parametrize("kind", ["pipe", "folder", "nothing", "itself", "device"])
def test_what_is_no_file_is_refused_at_once(settings, tmp_path, kind):
    path = tmp_path / "shared.py"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "itself":
        path.symlink_to(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    with pytest.raises(XpbdError) as fault:
        apply_file(settings, path)
    assert fault.value.code in {"E_PARAM", "E_IO"}


def test_what_blender_writes_is_read_and_links_are_followed(settings, tmp_path):
    file, path = tmp_path / "kept", tmp_path / "shared.py"
    file.write_text(f"{HEAD}settings.area_density = 0.5\nsettings.friction = 1\nsettings.preset = 'MATERIAL'\n")
    path.symlink_to(file)
    apply_file(settings, path)
    assert (settings.area_density, settings.friction, settings.preset) == (0.5, 1.0, "MATERIAL")


def test_the_preset_comes_last_wherever_it_stands(settings, tmp_path):
    path = tmp_path / "shared.py"
    path.write_text(f"{HEAD}settings.preset = 'DENIM'\nsettings.friction = 0.5\n")
    apply_file(settings, path)
    assert settings.preset == "DENIM"
