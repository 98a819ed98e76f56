# SPDX-License-Identifier: GPL-3.0-or-later
"""When a bake is shown, trimmed or retimed, is carried over to one that takes its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..data.bake_record import BakeRecord, read_record
from ..data.data_lookup import object_by_uid
from ..keys.body_results import ResultTarget
from ..keys.retiming import retime


def shown_times(targets: Iterable[ResultTarget]) -> dict[int, BakeRecord]:
    """The records, which tell it, of objects that have a bake, by their ``session_uid``."""
    objects = (object_by_uid(target.object_uid) for target in targets)
    records = {obj.session_uid: read_record(obj) for obj in objects if obj is not None}
    return {uid: record for uid, record in records.items() if record is not None}


def show_at(times: Mapping[int, BakeRecord]) -> None:
    """Show bakes of the same frames when those before were shown.

    Args:
        times: as of ``shown_times``, from before.

    Raises:
        XpbdError: as of ``retime``.
    """
    for uid, record in times.items():
        obj = object_by_uid(uid)
        now = read_record(obj) if obj is not None else None
        if obj is not None and now is not None and now.clip() != record.clip():
            retime(obj, (record.cut_start, record.cut_end), record.shift, record.speed)
