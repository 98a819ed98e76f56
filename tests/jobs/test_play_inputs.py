# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of a played run on the disk: as they were given, and nothing else is read."""

import json

import pytest

from blender_xpbd.jobs.play_inputs import PlayInputs
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.play import Changes, Grab, PlayInput, validate_input
from tests.solver.scenes import cloth, scene

GIVEN = PlayInput(
    -3,
    Grab("b0", (0, 1, 2), (0.25, 0.25, 0.5), 0.1, 6.0, (1.0, -2.0, 1 / 3)),
    (0.1, 0.2, 0.3),
    40.0,
    (3.0, 2.0, 1.0),
    Changes(7, (0.0, 0.0, -1.0), {"b0": {"friction": 0.5, "membrane_model": "SPRINGS", "use_tethers": True}}),
)


def test_inputs_come_back_to_the_bit(tmp_path):
    inputs = PlayInputs(tmp_path)
    assert inputs.newest_run() == 0
    first = inputs.begin_run()
    inputs.publish(first, GIVEN)
    inputs.publish(first, PlayInput(4))
    assert inputs.read(first, -3) == GIVEN
    assert inputs.read(first, 4) == PlayInput(4)
    assert inputs.read(first, 5) is None
    assert inputs.frames(first) == [-3, 4]
    assert inputs.begin_run() == inputs.newest_run() == 2
    assert inputs.has_run(2)
    assert not inputs.has_run(3)


@pytest.mark.parametrize(
    "change",
    [
        {"frame": 5},
        {"pull": "much"},
        {"grab": {"body": "b0"}},
        {"acceleration": [1.0]},
        {"other": 1},
        {"changes": {"substeps": -1, "gravity": None, "materials": {}}},
    ],
)
def test_what_is_no_input_is_refused(tmp_path, change):
    inputs = PlayInputs(tmp_path)
    run = inputs.begin_run()
    inputs.publish(run, PlayInput(4))
    path = tmp_path / "inputs" / "run_0001" / "input_00000004.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(XpbdError) as fault:
        inputs.read(run, 4)
    assert fault.value.code == "E_CACHE"


def test_a_link_is_refused(tmp_path):
    inputs = PlayInputs(tmp_path)
    run = inputs.begin_run()
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "inputs" / "run_0001" / "input_00000004.json").symlink_to(tmp_path / "secret")
    with pytest.raises(XpbdError, match="link"):
        inputs.read(run, 4)


@pytest.mark.parametrize(
    "given",
    [
        PlayInput(2, Grab("b9", (0, 1, 2), (1.0, 0.0, 0.0), 0.1, 6.0, (0.0, 0.0, 0.0))),
        PlayInput(2, Grab("b0", (0, 1, 9999), (1.0, 0.0, 0.0), 0.1, 6.0, (0.0, 0.0, 0.0))),
        PlayInput(2, Grab("b0", (0, 1, 2), (5.0, 0.0, 0.0), 0.1, 6.0, (0.0, 0.0, 0.0))),
        PlayInput(2, Grab("b0", (0, 1, 2), (1.0, 0.0, 0.0), 0.1, 0.0, (0.0, 0.0, 0.0))),
        PlayInput(2, acceleration=(1e200, 0.0, 0.0)),
        PlayInput(2, changes=Changes(materials={"c0": {}})),
    ],
)
def test_an_input_of_another_scene_is_refused(given):
    with pytest.raises(XpbdError) as fault:
        validate_input(given, scene(cloth(4)))
    assert fault.value.code == "E_PARAM"
