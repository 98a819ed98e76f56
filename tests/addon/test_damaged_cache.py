# SPDX-License-Identifier: GPL-3.0-or-later
"""Damage in a cache reaches who bakes: the panel, ``--json`` and standard error, by the real worker."""

from __future__ import annotations

import json
import sys

import pytest


@pytest.fixture
def run(bpy, make_body, capfd, tmp_path):
    """A function that bakes a body from the command line; it returns the summary and standard error."""
    from blender_xpbd.addon import command_line

    make_body("Body")

    def call():
        arguments = ["--cache", str(tmp_path / "cache"), "--frames", "1", "8", "--json"]
        assert command_line.main([*arguments, "--worker-python", sys.executable]) == 0
        out, err = capfd.readouterr()
        return json.loads(out.splitlines()[-1]), err

    return call


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("frame_00000005.bin", "Frame 5 of the cache is damaged. All frames were computed again, from frame 1 on."),
        ("result.json", "result.json"),
    ],
)
def test_what_is_damaged_is_told_once(bpy, run, tmp_path, name, words):
    from blender_xpbd.addon.baking.report_text import summary_warnings

    assert run()[0]["warnings"] == []
    path = next((tmp_path / "cache").rglob(name))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    summary, err = run()
    assert not summary["from_cache"]
    for told in (summary["warnings"], err.splitlines(), summary_warnings(bpy.context.scene.xpbd.report)):
        (damage,) = [line for line in told if line.startswith("W_CACHE_DAMAGED")]
        assert words in damage
    summary, err = run()
    assert summary["from_cache"]
    assert summary["warnings"] == []
    assert "W_CACHE_DAMAGED" not in err
