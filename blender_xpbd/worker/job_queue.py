# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs one after the other: what one leaves loaded serves the next one.

To load the kernels of a scene with contact takes seconds, which the next bake of such a scene need not wait for.
"""

from __future__ import annotations

import gc
from pathlib import Path

from ..device.runtime import is_kept
from ..jobs.files import publish
from ..scene.errors import ExitCode, XpbdError
from .compile_runner import prepare_job
from .order import Order, Orders
from .play_runner import run_any_job
from .stop_signal import StopSignal, end_at_signals

# of a job after which nothing is wrong with the process
_WELL = (ExitCode.COMPLETE, ExitCode.INTERRUPTED)


def take_jobs(descriptor: int, seconds: float, ready: Path | None, taichi_cache: Path) -> ExitCode:
    """Run the jobs that an input tells, until it ends, none comes, or one leaves nothing that would serve the next one.

    Args:
        descriptor: of the input.
        seconds: to wait for each job.
        ready: a file that gets the number of jobs done while another one is waited for; None for one job alone.
        taichi_cache: private folder of compiled kernels.

    Returns:
        Of the last job; COMPLETE where none has come.
    """
    orders = Orders(descriptor)
    order, done = orders.next(seconds), 0
    while order is not None:
        order.stop.obey_signals()
        try:
            with order.output():
                code = _run(order, orders, taichi_cache, may_keep=ready is not None)
        except XpbdError as error:
            # there is no log to say it in; the exit status tells
            return error.exit_code
        if ready is None or order.stop.is_by_system or orders.has_ended:
            return code
        # what a preparation leaves is no worse than a worker that has done nothing yet
        is_fit = order.is_preparation or (code in _WELL and is_kept())
        if not is_fit:
            return code
        end_at_signals()
        done += 1
        try:
            publish(ready, (str(done).encode(),))
        except XpbdError:
            # nobody can be told that it waits
            return code
        # what is not collected now would be while the next job waits for its first frame
        gc.collect()
        gc.disable()
        order = orders.next(seconds)
    return ExitCode.COMPLETE


def _run(order: Order, orders: Orders, taichi_cache: Path, *, may_keep: bool) -> ExitCode:
    if order.is_preparation:
        return prepare_job(order.job, _NextJob(orders), taichi_cache)
    return run_any_job(order.job, order.stop, taichi_cache, is_played=order.is_played, may_keep=may_keep)


class _NextJob(StopSignal):
    """The wish that a preparation ends, for there is a job."""

    def __init__(self, orders: Orders) -> None:
        """Look at orders."""
        super().__init__()
        self._orders = orders

    @property
    def is_requested(self) -> bool:
        """Whether there is one."""
        return self._orders.has_next()
