# SPDX-License-Identifier: GPL-3.0-or-later
"""Identifiers from a file: safe in the names of others."""

from __future__ import annotations

from ..scene.scene import IDENTIFIER
from .record import Record


def read_identifier(record: Record, key: str = "identifier") -> str:
    """An identifier.

    Raises:
        XpbdError: the record's code, for what could not be part of a file's name.
    """
    identifier = record.text(key)
    if not IDENTIFIER.fullmatch(identifier):
        record.refuse(f"{key} may have a-z and 0-9 only")
    return identifier
