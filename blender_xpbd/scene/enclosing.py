# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start wholly inside a jelly: what is told of them, before a bake and in it."""

from __future__ import annotations

from .body import Body
from .body_kinds import body_kind
from .errors import Notice


def is_kept_in(body: Body, outer: Body) -> bool:
    """Whether a body is attached to the jelly in which it is."""
    return body.attachment is not None and body.attachment.target == outer.identifier


def enclosed_notice(body: Body, outer: str) -> Notice:
    """A warning of a body that starts wholly inside a jelly, by its name."""
    is_solid = body_kind(body.role, body.name).is_solid
    fate = "is moved out of it" if is_solid else "falls through it until it lies on its surface from within"
    text = (
        f'Starts wholly inside "{outer}", and {fate}. To keep it in, as fruit in jelly, attach all its vertices to '
        f'"{outer}" (Keep Inside); else move it out.'
    )
    return Notice("W_WITHIN", text, body.name)
