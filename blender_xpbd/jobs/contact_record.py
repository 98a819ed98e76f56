# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body meets, as a part of the body in ``job.json``."""

from __future__ import annotations

from typing import Any

from ..scene.body_contact import BodyContact, Ints
from .record import Record

CONTACT_KEYS = ("self_collision", "body_collision", "thickness", "sees", "layer")


def describe_contact(contact: BodyContact) -> dict[str, Any]:
    """The settings as an object of ``job.json``; ``left_out`` is an array of the body."""
    return {
        "self_collision": bool(contact.self_collision),
        "body_collision": bool(contact.body_collision),
        "thickness": float(contact.thickness),
        # null stands for all
        "sees": None if contact.sees is None else list(contact.sees),
        "layer": int(contact.layer),
    }


def read_contact(record: Record, left_out: Ints) -> BodyContact:
    """Read what a body of a job meets.

    Args:
        record: of the settings, with exactly ``CONTACT_KEYS``.
        left_out: vertices that take no part.

    Raises:
        XpbdError: the record's code.
    """
    return BodyContact(
        self_collision=record.boolean("self_collision"),
        body_collision=record.boolean("body_collision"),
        thickness=record.number("thickness"),
        sees=None if record.is_null("sees") else record.texts("sees"),
        left_out=left_out,
        layer=record.integer("layer"),
    )
