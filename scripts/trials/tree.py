# SPDX-License-Identifier: GPL-3.0-or-later
"""Which state of the add-on a trial was run on."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_PACKAGE = "blender_xpbd"


def tree() -> str:
    """The last commit that changed the add-on, with its date; "unknown" outside a repository.

    A tree that holds changes of the add-on which are in no commit says so.
    """
    try:
        commit = _git("log", "-1", "--format=%h of %cs")
        changes = _git("status", "--porcelain")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}, changed" if changes else commit or "unknown"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments, "--", _PACKAGE]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
