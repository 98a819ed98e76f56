# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators ask first that read or change what a bake or a run is about."""

from __future__ import annotations

from typing import Any

from ...data.bake_status import STATUS


def is_idle(operator: Any) -> bool:
    """Whether neither a bake is running nor a run is played; where not, the button's tooltip says so.

    Args:
        operator: the class that is polled.
    """
    if STATUS.is_baking:
        operator.poll_message_set("Wait for the bake, or cancel it")
    elif STATUS.is_playing:
        operator.poll_message_set("A run is played: keep or stop it first")
    return not (STATUS.is_baking or STATUS.is_playing)
