# SPDX-License-Identifier: GPL-3.0-or-later
"""All parts; each is imported when it is run, for one needs Blender and another Taichi."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from .part import LeastShare, Outcome, Part


def _later(module: str, name: str) -> Callable[[int, Path], Outcome]:
    def run(number: int, folder: Path) -> Outcome:
        outcome: Outcome = getattr(import_module(f"trials.{module}"), name)(number, folder)
        return outcome

    return run


PARTS: tuple[Part, ...] = (
    Part(
        "kills",
        "worker, Blender or both killed in a living bake, baked again: no torn frame, frames and keys as undisturbed",
        200,
        _later("kills", "kill_a_bake"),
    ),
    Part(
        "regions",
        "worker, Blender or both killed while a region is baked again or taken back, done again from the saved file: "
        "the region as undisturbed, no frame of the bake before lost or changed",
        60,
        _later("regions", "kill_a_region"),
    ),
    Part(
        "damages",
        "51 damages of a region's record, of its job and of the bake before, then a region again or taken back: right, "
        "or refused with a code",
        102,
        _later("spoilt_regions", "damage_a_region"),
    ),
    Part(
        "exports",
        "exports to six formats killed, to a full disk, to links, pipes and folders: the file from before or a whole "
        "one, nothing else changed, a code where there is none",
        72,
        _later("exports", "spoil_an_export"),
    ),
    Part(
        "disks",
        "a disk that fills or is read-only, a limit of size: `E_IO`, frames valid, gone on with to the same bytes",
        50,
        _later("disks", "spoil_a_disk"),
    ),
    Part(
        "meshes",
        "odd meshes as jelly and cloth: baked or refused with a code, no crash, no NaN, none over 30 s of CPU time",
        10_000,
        _later("meshes", "bake_odd_mesh"),
        share=LeastShare("valid ones that were baked", "valid, baked", "valid", 0.95),
    ),
    Part(
        "actions",
        "ten random acts of a user between the ticks of a running bake: no exception, no process or bake left",
        100,
        _later("actions", "act_during_a_bake"),
    ),
    Part(
        "rebakes",
        "a region, a loop, from a frame on, one of two, or taken back, of a finished bake, and ten acts meanwhile, "
        "also poses, presets of strangers, exports, scenes of the gallery: as above",
        100,
        _later("rebakes", "act_during_a_rebake"),
    ),
    Part(
        "presets",
        "files of own presets, hostile or with bytes changed, put in and cut out: applied or refused whole, nothing "
        "executed, no number that is none",
        200,
        _later("presets", "apply_hostile_preset"),
    ),
    Part(
        "windows",
        "25 of these acts, every second time a quit, in the window of a real Blender: no timer left either",
        40,
        _later("windows", "act_in_a_window"),
        missing=lambda: str(import_module("trials.windows").missing_application()),
    ),
    Part(
        "hair",
        "hair and curves undone in mid-bake: as above",
        50,
        _later("actions", "undo_hair"),
    ),
    Part(
        "rounds",
        "20 states of a mesh baked and cleared by turns: everything restored exactly",
        200,
        _later("rounds", "bake_and_clear"),
    ),
    Part(
        "hostile",
        "hostile job folders before a real worker: no crash, nothing written outside, memory under 500 MB more",
        100,
        _later("hostile", "open_hostile_folder"),
    ),
    Part(
        "memory",
        "5,000 frames in one worker: memory grows by less than 5 % after the first tenth",
        1,
        _later("memory", "run_long"),
        limit=3600.0,
    ),
)


def part_by_name(name: str) -> Part:
    """The part of a name that the command line has."""
    return next(part for part in PARTS if part.name == name)
