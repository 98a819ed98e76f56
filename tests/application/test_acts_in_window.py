# SPDX-License-Identifier: GPL-3.0-or-later
"""Random acts of a user during bakes in the windows of real applications: some of those of scripts/reliability."""

from __future__ import annotations

import pytest
from trials.windows import act_in_a_window, missing_application

pytestmark = pytest.mark.application


# by turns in each application; the later two quit amid a bake
@pytest.mark.parametrize("number", range(4))
def test_nothing_is_raised_or_left(blender_command, tmp_path, monkeypatch, number):
    monkeypatch.setenv("XPBD_BLENDER_APP", blender_command)
    if why := missing_application():
        pytest.skip(why)
    outcome = act_in_a_window(number, tmp_path)
    assert outcome.faults == ()
    assert outcome.counts["acts in a bake"] >= 15
