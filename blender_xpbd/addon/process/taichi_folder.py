# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Taichi lies that the artist has had installed: in the add-on's own folder, for the worker alone."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ...jobs.files import reading
from ..data.extension import own_folder
from .private_folder import is_private

REQUIREMENTS = Path(__file__).with_name("taichi_requirements.txt")


def taichi_folder(version: str, requirements: Path = REQUIREMENTS) -> Path:
    """The folder of the libraries for a Python; another one where other versions of them are wanted.

    Args:
        version: such as "3.11".
        requirements: what is to be in it.
    """
    digest = hashlib.sha256(_content(requirements)).hexdigest()[:12]
    return own_folder() / "taichi" / f"{version}-{digest}"


def requirement_count(requirements: Path) -> int:
    """How many packages they are."""
    return _content(requirements).count(b"==")


def _content(requirements: Path) -> bytes:
    with reading(requirements, "E_IO") as (file, length):
        return file.read(length)


def installed_folder(version: str) -> Path | None:
    """The same where it is there; None where not, or where others may write to it: libraries are code."""
    folder = taichi_folder(version)
    return folder if is_private(folder) else None
