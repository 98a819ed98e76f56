# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that begins with frames of the one before, as the artist wishes: from a frame on, or as a loop."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from ...jobs.changes import Change, changes, told
from ...jobs.job import write_job
from ...scene.errors import Notice, XpbdError
from ...scene.scene import Scene
from ..data.bake_options import BakeOptions
from .continuation import gone_on
from .loop import looped
from .report import BakeSummary
from .scene_reader import Reading


def begun(reading: Reading, source: Path | None, options: BakeOptions, folder: Path, summary: BakeSummary) -> Reading:
    """What was read, as it goes on from the bake before.

    Args:
        reading: the scene as it is now.
        source: the job of the bake before, or None where there is none.
        options: with ``from_frame`` or ``loop``.
        folder: of the cache.
        summary: gets what has changed since that bake. Where it goes on from, and what draws a loop, differs on
            purpose and is not told.

    Raises:
        XpbdError: as ``gone_on`` and ``looped``.
    """
    made = reading
    if options.from_frame is not None:
        made = gone_on(made, source, options.from_frame, folder)
    if options.loop is not None:
        made = looped(made, source, options.loop, folder)
    beginning = made.scene.beginning
    if beginning is not None:
        found = _changed_since(folder / beginning.job, reading.scene)
        summary.stale = told(found, only=options.only)
        # who bakes from a frame on has changed something for it
        notice = _loop_notice(found, beginning.frame) if options.loop is not None else None
        if notice is not None:
            summary.add_notice(notice)
    return made


def _changed_since(source: Path, scene: Scene) -> tuple[Change, ...]:
    """What of a scene is not as in a job; nothing where that job cannot be read."""
    try:
        with tempfile.TemporaryDirectory(prefix="xpbd-") as folder:
            return changes(source, write_job(Path(folder), scene), with_beginning=False)
    except XpbdError:
        return ()


def _loop_notice(found: Iterable[Change], last: int) -> Notice | None:
    """A warning that the frames of a loop that are kept, until the last of these, do not know of changes."""
    concerned = [str(change) for change in found if change.first is None or change.first <= last]
    if not concerned:
        return None
    text = f"Changed since the bake, and without effect on the loop until frame {last}: {', '.join(concerned)}."
    return Notice("W_IGNORED", f"{text} Bake all frames again, then make the loop.")
