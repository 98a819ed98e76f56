# SPDX-License-Identifier: GPL-3.0-or-later
"""``Scene.xpbd.report`` as the panel shows it. The text may come from a stranger's file: nothing in it is trusted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .contact_report import contact_rows
from .progress_bar import time_text

_SHORT_SECONDS = 60.0
_SMALL_SIZE = 1e6
# Where the next of several faults begins, and one that concerns an object
_NEXT_FAULT = re.compile(r"\n(?=E_[A-Z_]+:)")
_FAULT_OF_OBJECT = re.compile(r'(?P<code>E_[A-Z_]+): object (?P<name>"[^"]*"): (?P<words>.+)', re.DOTALL)


@lru_cache(maxsize=8)
def summary_of(report: str) -> Mapping[str, Any]:
    """The summary of a bake, empty where there is none or where it is not to be understood."""
    try:
        values = json.loads(report)
    # RecursionError: brackets nested by the thousand, in a file from a stranger
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def report_after(former: str, report: str) -> str:
    """The report of a bake; one that was refused before it had a folder leaves that of the bake which is still there.

    Args:
        former: the report before it.
        report: of the bake.
    """
    summary, before = summary_of(report), summary_of(former)
    if summary.get("cache") or not before.get("cache"):
        return report
    kept = {name: before[name] for name in ("cache", "cache_bytes") if name in before}
    return json.dumps({**summary, **kept})


def summary_warnings(report: str) -> list[str]:
    """The warnings of a bake."""
    warnings = summary_of(report).get("warnings")
    return [warning for warning in warnings if isinstance(warning, str)] if isinstance(warnings, list) else []


def summary_error(report: str) -> str:
    """What ended the bake, "" for nothing."""
    error = summary_of(report).get("error")
    return error if isinstance(error, str) else ""


def cancelled_text(report: str) -> str:
    """What is there after a cancel, and how to get the rest."""
    summary = summary_of(report)
    frames, waiting = _number(summary, "frames") or 0.0, _number(summary, "frames_waiting") or 0.0
    if summary.get("taken_back"):
        return _region_text(is_back=summary.get("complete") is True, is_begun=frames > 0.0)
    keyed = f"The bake was cancelled: {frames:.0f} of {_frames_wanted(summary)} frames are shape keys"
    if waiting > 0.0:
        return f"{keyed}, {waiting:.0f} more are solved and wait in the cache. Bake again to get them and go on."
    if not frames:
        return "The bake was cancelled before its first frame."
    return f"{keyed}. Bake again to go on from there."


def was_cancelled(report: str) -> bool:
    """Whether *Bake* goes on with what was baked last: a bake of all that has some frames and was cancelled."""
    summary = summary_of(report)
    is_begun = any(_number(summary, name) for name in ("frames", "frames_waiting"))
    return is_begun and summary.get("whole") is True and summary.get("complete") is False and not summary.get("error")


def _region_text(*, is_back: bool, is_begun: bool) -> str:
    """What is there after a cancel of what takes a region back."""
    if is_back:
        return "The bake before is back: the cancel came when its keys were being written."
    if not is_begun:
        return "Cancelled: the region stays."
    return (
        "Cancelled while an object was being edited, so the bake before may be there in part: undo, and take the "
        "region back again."
    )


def faults_of(text: str) -> list[str]:
    """An error as its faults, none where it is ""."""
    return _NEXT_FAULT.split(text) if text else []


def fault_paragraphs(text: str) -> list[str]:
    """An error for reading, a text for each of its faults; objects that have the same one are named together."""
    concerned: dict[str, list[str]] = {}
    for fault in faults_of(text):
        named = _FAULT_OF_OBJECT.fullmatch(fault)
        words = f"{named['code']}: {named['words']}" if named else fault
        concerned.setdefault(words, []).extend([named["name"]] if named else [])
    return [_words_for(words, names) for words, names in concerned.items()]


def _words_for(text: str, names: list[str]) -> str:
    if not names:
        return plain_words(text)
    code, _, words = text.partition(": ")
    return f"Object{'s' if len(names) > 1 else ''} {', '.join(names)}: {words} ({code})"


def plain_words(text: str) -> str:
    """An error or warning for reading: the code, which is for looking up, goes to the end."""
    code, colon, words = text.partition(":")
    if not colon or not code.startswith(("E_", "W_")):
        return text
    words = words.strip()
    return f"{words[:1].upper()}{words[1:]} ({code})"


@lru_cache(maxsize=8)
def summary_rows(report: str) -> tuple[tuple[str, str], ...]:
    """What the bake did, as labels and values."""
    summary = summary_of(report)
    frames = _number(summary, "frames")
    if not frames:
        return ()
    seconds = summary.get("seconds")
    total = _number(seconds, "total") if isinstance(seconds, dict) else None
    fps = _number(summary, "solver_fps")
    strain = _number(summary, "greatest_strain")
    volume = _number(summary, "greatest_volume_change") if _number(summary, "tetrahedra") else None
    inverted = _number(summary, "inverted_tetrahedra")
    device = summary.get("device")
    rows = [
        ("Frames", _frames_done(summary) + ("" if total is None else f" in {_duration(total)}")),
        *_key_rows(summary),
    ]
    rows.extend((*_origin_rows(summary), *_seam_rows(summary), *_pose_rows(summary)))
    waiting = _number(summary, "frames_waiting")
    if waiting:
        rows.append(("In the Cache", f"{waiting:.0f} more"))
    if fps:
        rows.append(("Solver", f"{fps:,.0f} fps" if fps >= 10 else f"{fps:.2g} fps"))
    if isinstance(device, str) and device:
        rows.append(("Device", device))
    substeps, iterations = _number(summary, "substeps"), _number(summary, "iterations")
    if substeps and iterations:
        rows.append(("Substeps", f"{substeps:.0f}" + (f" × {iterations:.0f}" if iterations > 1 else "")))
    mean = _number(summary, "mean_strain")
    if mean is not None:
        rows.append(("Mean Strain", _percent(mean)))
    if strain is not None:
        rows.append(("Greatest Strain", _percent(strain)))
    residual = _number(summary, "residual")
    if residual is not None:
        rows.append(("Residual", f"{1e3 * residual:.3g} mm"))
    if volume is not None:
        rows.append(("Volume Change", _percent(volume)))
    if inverted:
        rows.append(("Inside Out", "1 tetrahedron" if inverted == 1.0 else f"{inverted:.0f} tetrahedra"))
    rows.extend(contact_rows(summary.get("contact")))
    return tuple(rows)


def keys_text(report: str) -> str:
    """What fewer keys cost and save, for a line, as docs/baking.md shows it; "" where all are."""
    summary = summary_of(report)
    rows, frames = dict(_key_rows(summary)), _number(summary, "frames")
    if not rows or not frames:
        return ""
    return f"{frames:.0f} frames in {rows['Keys']} keys, greatest error {rows['Key Error']}, {rows['Size of Keys']}"


def _seam_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How well a loop closes, or a region comes back to the bake before."""
    region = summary.get("region")
    if isinstance(region, str) and region:
        seam = _number(summary, "seam_error_mm")
        return [("Region", region), *([] if seam is None else [("Seam", f"{seam:.2g} mm")])]
    frames, distance, velocity = (_number(summary, n) for n in ("loop", "seam_error_mm", "seam_velocity_error_mm_s"))
    if not frames or distance is None or velocity is None:
        return []
    return [("Loop", f"{frames:.0f} frames"), ("Seam", f"{distance:.2g} mm, {velocity:.2g} mm/s")]


def _pose_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How near objects come to their poses."""
    found = summary.get("pose_error_mm")
    errors = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    rows = []
    for entry in errors:
        frame, greatest, mean = (_number(entry, name) for name in ("frame", "greatest", "mean"))
        if frame is not None and greatest is not None and mean is not None:
            rows.append((f"Pose at {frame:.0f}", f"{greatest:.2g} mm off, mean {mean:.2g} mm"))
    return rows


def _origin_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where frames came from that were not solved in this bake."""
    if summary.get("from_cache") is True:
        return [("Simulated", "before: all frames from the cache")]
    after = _number(summary, "resumed_after")
    return [] if after is None else [("Simulated", f"after frame {after:.0f}; before it, from the cache")]


def stale_inputs(report: str) -> list[str]:
    """What differed from the bake before."""
    inputs = summary_of(report).get("stale")
    return [text for text in inputs if isinstance(text, str)] if isinstance(inputs, list) else []


def _key_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    names = ("keys", "key_error_mm", "key_bytes", "every_frame_bytes")
    keys, error, size, before = (_number(summary, name) for name in names)
    if not keys or error is None or not size or not before or size >= before:
        return []
    return [
        ("Keys", f"{keys:.0f}"),
        ("Key Error", f"{error:.2g} mm"),
        ("Size of Keys", f"{_megabytes(before)} → {_megabytes(size)} MB"),
    ]


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f}" if size >= _SMALL_SIZE else f"{size / 1e6:.1g}"


def baked_text(report: str) -> str:
    """What the bake did, in short: "Baked 72 frames in 4.0 s"; "" where it has no frames."""
    summary = summary_of(report)
    if not _number(summary, "frames"):
        return ""
    seconds = summary.get("seconds")
    total = _number(seconds, "total") if isinstance(seconds, dict) else None
    origin = " from cache" if summary.get("from_cache") is True else ""
    # reading them took the time, which tells nothing of the scene; nor does that of a part. And it would not fit the
    # sidebar
    is_whole = summary.get("complete", True)
    time = "" if total is None or origin or not is_whole else f" in {_duration(total)}"
    return f"Baked {_frames_done(summary)} frame{'' if summary['frames'] == 1 else 's'}{origin}{time}"


def _frames_done(summary: Mapping[str, Any]) -> str:
    frames, wanted = _number(summary, "frames"), _frames_wanted(summary)
    return f"{frames:.0f} of {wanted}" if wanted and not summary.get("complete", True) else f"{frames:.0f}"


def _frames_wanted(summary: Mapping[str, Any]) -> int:
    """How many frames were asked for, 0 if that is unknown."""
    start, end, step = (_number(summary, name) for name in ("frame_start", "frame_end", "frame_step"))
    if start is None or end is None or not step or not all(map(math.isfinite, (start, end, step))):
        return 0
    return math.ceil((end - start) / step) + 1


def _number(values: Mapping[str, Any], name: str) -> float | None:
    value = values.get(name)
    return float(value) if isinstance(value, int | float) else None


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < _SHORT_SECONDS else time_text(seconds)


def _percent(share: float) -> str:
    percent = 100.0 * share
    return f"{percent:.1f} %" if percent < 100.0 else f"{percent:.0f} %"
