# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys for the bodies of a bake, sought in a thread: it has arrays alone, and the window stays alive."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

from ...scene.errors import XpbdError
from ..reduction.motion import Motion
from ..reduction.reduction import Reduction, Style, reduce_motion


@dataclass(frozen=True)
class KeyTask:
    """One body whose keys shall be fewer.

    Attributes:
        motion: what they reproduce.
        style: how they may be played.
    """

    motion: Motion
    style: Style


def find_reductions(tasks: Mapping[int, KeyTask], tolerance: float) -> Generator[None, None, dict[int, Reduction]]:
    """Reduce all bodies, while the caller goes on between two steps; closing the generator ends it.

    Args:
        tasks: by the number of the body.
        tolerance: greatest distance of any vertex at any frame [m].

    Returns:
        The keys of each.

    Raises:
        XpbdError: E_MEMORY.
    """
    stop = Event()

    def reduce(task: KeyTask) -> Reduction:
        try:
            return reduce_motion(task.motion, tolerance, task.style, stop.is_set)
        except MemoryError as fault:
            raise XpbdError("E_MEMORY", "There is too little memory to look for fewer keys; all are kept.") from fault

    with ThreadPoolExecutor(1, thread_name_prefix="xpbd_keys") as pool:
        try:
            futures = {index: pool.submit(reduce, task) for index, task in tasks.items()}
            while not all(future.done() for future in futures.values()):
                yield
            return {index: future.result() for index, future in futures.items()}
        finally:
            stop.set()
