# SPDX-License-Identifier: GPL-3.0-or-later
"""The headless bake, and the check before one: arguments, progress bar, exit status. Three doors lead here.

- ``blender -b scene.blend --command xpbd bake ARGS`` (the add-on is enabled), or ``check`` for ``bake``,
- ``blender -b scene.blend --python scripts/bake.py -- ARGS``,
- ``python scripts/bake.py scene.blend ARGS``, with pip's bpy.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import bpy

from ..scene.body_kinds import body_labels
from ..scene.errors import ExitCode, XpbdError
from ..scene.settings import DEVICES, EFFORTS, QUALITIES
from .baking.bake import run_bake
from .baking.loop import check_count
from .baking.progress_bar import ProgressBar
from .baking.report import error_values
from .baking.scene_reader import frame_range
from .checking.check_scene import examine, objects_let_out, scene_expense
from .checking.finding import finding_values
from .checking.letting_out import quietened
from .data.bake_options import BakeOptions
from .data.named_path import absolute_path
from .data.property_text import set_property
from .data.rebake_settings import RegionWish
from .export.export import ENDINGS, check_ending, export
from .reading.mesh_reader import has_group

COMMAND = "xpbd"

# the qualities that the panel has as buttons, by their labels
CHIPS = {quality.label.lower(): quality.identifier for quality in QUALITIES if quality.identifier in EFFORTS}

_command_handle: Any = None


def register() -> None:
    """Make ``blender --command xpbd`` known."""
    global _command_handle  # noqa: PLW0603 - Blender hands out a token that unregistering needs
    register_command: Any = bpy.utils.register_cli_command
    _command_handle = register_command(COMMAND, _run_command)


def unregister() -> None:
    """Take ``blender --command xpbd`` back."""
    global _command_handle  # noqa: PLW0603
    if _command_handle is not None:
        bpy.utils.unregister_cli_command(_command_handle)
        _command_handle = None


def _run_command(arguments: list[str]) -> int:
    return run_command(arguments)


def run_command(arguments: Sequence[str]) -> int:
    """``xpbd SUBCOMMAND ARGS``: the exit status."""
    if not arguments or arguments[0] not in {"bake", "check"}:
        known = arguments and arguments[0] in {"-h", "--help"}
        usage = f"usage: blender -b FILE.blend --command {COMMAND} bake|check [ARGS]; bake --help tells more"
        print(usage, file=sys.stderr)
        return int(ExitCode.COMPLETE if known else ExitCode.REFUSED)
    asked = ["--check"] if arguments[0] == "check" else []
    return main([*asked, *arguments[1:]], prog=f"blender -b FILE.blend --command {COMMAND} {arguments[0]}")


def argument_parser(prog: str, *, with_file: bool = False) -> argparse.ArgumentParser:
    """The arguments of a headless bake.

    Args:
        prog: how it was called.
        with_file: the .blend file is an argument too.
    """
    parser = argparse.ArgumentParser(
        prog=prog,
        description=f"Bake all {body_labels().lower()} objects of a scene into shape keys.",
        epilog="Exit status: 0 complete, 2 refused, 3 interrupted (bake again to go on), 4 diverged, 5 input or "
        "output, 6 worker crashed, 7 locked by another bake.",
    )
    if with_file:
        parser.add_argument("file", type=Path, metavar="FILE.blend", help="the scene")
    parser.add_argument("--object", action="append", default=[], metavar="NAME", help="body to bake (repeatable; all)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="OBJECT", help="bake it against the others as they are baked"
    )
    parser.add_argument("--from-frame", type=int, metavar="N", help="keep the frames before it as they are baked")
    parser.add_argument("--loop", type=int, metavar="N", help="lead the last N frames into the first one")
    parser.add_argument(
        "--region", metavar="OBJECT:GROUP:A-B", help="bake a vertex group again over these frames; all else is held"
    )
    parser.add_argument("--take-back-region", default="", metavar="OBJECT", help="show it as before its newest region")
    parser.add_argument("--frames", nargs=2, type=int, metavar=("START", "END"), help="first and last frame")
    parser.add_argument("--step", type=int, metavar="N", help="frames from one shape key to the next; the last has one")
    parser.add_argument(
        "--quality", type=str.lower, choices=list(CHIPS), help="substeps by the materials; normal is the default"
    )
    parser.add_argument("--substeps", type=int, metavar="N", help="solver steps per frame")
    parser.add_argument("--iterations", type=int, metavar="N", help="passes over all constraints per substep")
    parser.add_argument("--device", type=str.upper, choices=[device.identifier for device in DEVICES], help="where")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OBJECT.PROPERTY=VALUE",
        help="property of the XPBD tab; without an object, of the scene (repeatable)",
    )
    parser.add_argument("--subframes", type=int, metavar="N", help="simulated states between frames, for --output")
    parser.add_argument("--key-tolerance", type=float, metavar="MM", help="fewer keys, with at most this error; 0: all")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where jobs and frames are kept")
    parser.add_argument("--save", type=Path, metavar="FILE.blend", help="save the result, also if it is incomplete")
    parser.add_argument(
        "--output",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help=f"write the motion too: {', '.join(ENDINGS)} (repeatable)",
    )
    parser.add_argument("--make-single-user", action="store_true", help="copy meshes that several objects share")
    parser.add_argument("--worker-python", default="", metavar="PATH", help="a Python that has Taichi")
    parser.add_argument("--per-frame", action="store_true", help="the summary tells strain and more of each frame")
    parser.add_argument("--check", action="store_true", help="tell what would go wrong, a line each, and bake nothing")
    parser.add_argument("--json", action="store_true", help="the last line of standard output is a summary in JSON")
    return parser


def main(arguments: Sequence[str], *, prog: str = "bake.py", with_file: bool = False) -> int:
    """Bake, and return the exit status.

    Args:
        arguments: of the command line.
        prog: how it was called.
        with_file: the first argument is the .blend file, to be opened.
    """
    try:
        options = argument_parser(prog, with_file=with_file).parse_args(arguments)
    except SystemExit as end:
        # argparse has said why; a host that runs Python may not take an exit
        return int(end.code) if isinstance(end.code, int) else int(ExitCode.REFUSED)
    if options.check:
        return _check(options)
    error: XpbdError | None = None
    was_tried = is_baked = False
    notices: list[str] = []
    outputs: list[Path] = []
    allowed: frozenset[str] = frozenset()
    with _stop_wish() as should_stop, ProgressBar(sys.stderr) as bar:
        try:
            wishes = _prepare(options)
            allowed = objects_let_out(bpy.context, wishes)
            was_tried = True
            run_bake(bpy.context, wishes, bar.show, should_stop)
            is_baked = True
            if options.loop is not None:
                notices = json.loads(bpy.context.scene.xpbd.report)["warnings"]
                again = replace(wishes, from_frame=None, region=None, take_back_region="", loop=options.loop)
                run_bake(bpy.context, again, bar.show, should_stop)
            _export(options, bpy.context.scene, outputs)
        except XpbdError as fault:
            error = fault
        if options.save is not None and (is_baked or error is None or error.exit_code != ExitCode.REFUSED):
            error = _save(options.save) or error
    report = report_let_out(bpy.context.scene.xpbd.report, notices, allowed) if was_tried else ""
    _report(report, outputs, error, as_json=options.json)
    return int(error.exit_code if error else ExitCode.COMPLETE)


def _check(options: argparse.Namespace) -> int:
    """Print what a check finds; the exit status tells only whether it could be asked."""
    try:
        wishes = _prepare(options)
        findings, costs = examine(bpy.context, wishes)
    except XpbdError as fault:
        print(fault, file=sys.stderr)
        return int(fault.exit_code)
    if options.json:
        _flush_blender()
        print(json.dumps([finding_values(finding) for finding in findings]), flush=True)
    else:
        for finding in findings:
            print(finding, flush=True)
    # what a bake costs is no finding: who counts findings shall not count it
    if (told := scene_expense(bpy.context.scene, costs, wishes)) is not None:
        values = {"message": f"{told}.", **told.values()}
        print(json.dumps(values) if options.json else values["message"], file=sys.stderr, flush=True)
    return int(ExitCode.COMPLETE)


def _has_group(name: str, group: str) -> bool:
    obj = bpy.context.scene.objects.get(name)
    return obj is not None and has_group(obj, group)


def _prepare(options: argparse.Namespace) -> BakeOptions:
    """Open the file and set the properties; the bake's own options remain."""
    for output in options.output:
        check_ending(output)
    if getattr(options, "file", None) is not None:
        _open(options.file)
    for assignment in options.set:
        set_property(bpy.context.scene, assignment)
    start, end = options.frames or (None, None)
    wishes = BakeOptions(
        objects=tuple(options.object),
        only=tuple(options.only),
        from_frame=options.from_frame,
        region=None if options.region is None else RegionWish.parsed(options.region, _has_group),
        take_back_region=options.take_back_region,
        frame_start=start,
        frame_end=end,
        frame_step=options.step,
        quality=None if options.quality is None else CHIPS[options.quality],
        substeps=options.substeps,
        iterations=options.iterations,
        device=options.device,
        subframes=options.subframes,
        key_tolerance=options.key_tolerance,
        cache=options.cache,
        make_single_user=options.make_single_user,
        per_frame=options.per_frame,
        worker_python=options.worker_python,
    )
    wishes.check()
    if options.loop is not None:
        # before the first bake, which may take hours
        check_count(options.loop, frame_range(bpy.context.scene, wishes))
    return wishes


def _open(path: Path) -> None:
    if not path.is_file():
        raise XpbdError("E_IO", f"There is no file {path}.")
    try:
        # Scripts in a file from a stranger stay off
        bpy.ops.wm.open_mainfile(filepath=str(path.absolute()), use_scripts=False)
    except RuntimeError as fault:
        raise XpbdError("E_IO", f"Blender cannot open {path}: {fault}") from fault


def _save(path: Path) -> XpbdError | None:
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(absolute_path(path)), copy=True)
    except RuntimeError as fault:
        return XpbdError("E_IO", f"Cannot save {path}: {fault}")
    return None


def _export(options: argparse.Namespace, scene: bpy.types.Scene, written: list[Path]) -> None:
    """Write the files that were asked for, from what was baked; ``written`` gets their paths one by one."""
    if not options.output:
        return
    baked = set(json.loads(scene.xpbd.report)["objects"])
    objects = [obj for obj in scene.objects if obj.name in baked]
    for output in options.output:
        export(
            bpy.context,
            output,
            objects,
            cache=options.cache,
            key_tolerance=options.key_tolerance,
            written=written,
            warn=lambda notice: print(notice, file=sys.stderr),
        )


def report_let_out(report: str, notices: Sequence[str], allowed: Collection[str]) -> str:
    """The summary of the last bake, with the warnings of the one before that was made a loop.

    Args:
        report: of the last bake, "" for none.
        notices: warnings of the one before.
        allowed: names of objects of which an artist has said that they may start inside something.
    """
    if not report:
        return ""
    summary = json.loads(report)
    warnings = dict.fromkeys([*notices, *summary["warnings"]])
    return json.dumps({**summary, "warnings": [quietened(warning, allowed) for warning in warnings]})


def _report(report: str, outputs: Sequence[Path], error: XpbdError | None, *, as_json: bool) -> None:
    """Print a summary."""
    summary = json.loads(report) | {"outputs": [str(path) for path in outputs]} if report else {}
    for warning in summary.get("warnings", []):
        print(warning, file=sys.stderr)
    if error is not None:
        print(error, file=sys.stderr)
        summary |= {"error": str(error), "errors": error_values(error)}
    sys.stderr.flush()
    if as_json:
        _flush_blender()
        print(json.dumps(summary), flush=True)


def _flush_blender() -> None:
    """Let go what Blender itself has printed: it would follow our last line when Blender ends."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    library.fflush(None)


@contextmanager
def _stop_wish() -> Iterator[Callable[[], bool]]:
    """Ctrl+C and a termination become a wish that the bake asks for."""
    wishes: list[int] = []

    def wish(number: int, _frame: FrameType | None) -> None:
        wishes.append(number)

    before = {number: signal.signal(number, wish) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(wishes)
    finally:
        for number, handler in before.items():
            # A handler that was not set by Python reads None, and cannot be put back
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
