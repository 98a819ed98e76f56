# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may do during a bake in the window of a real Blender application.

``XPBD_BLENDER_APP`` and ``XPBD_BLENDER_ROOTS`` name the applications, as tests/application/conftest.py tells.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from .bakes import ROOT
from .part import Outcome

ACTS = 25
_SCRIPT = Path(__file__).resolve().parent / "inside" / "act_in_window.py"
_SECONDS = 300.0
# small, for a virtual screen draws in software
_SIZE = "400x300"


def missing_application() -> str:
    """Why no window can be opened, "" where one can."""
    if not os.environ.get("XPBD_BLENDER_APP"):
        return "XPBD_BLENDER_APP names no Blender"
    return "" if _roots() else "XPBD_BLENDER_ROOTS names no Blender that opens a window on a virtual screen"


def act_in_a_window(number: int, folder: Path) -> Outcome:
    """Bake by the button in one of the applications, and do random things meanwhile; every second one quits amid it."""
    roots = _roots()
    root = roots[number % len(roots)]
    report_file = folder / "report.json"
    (folder / "resources").mkdir()
    arguments = (str(number // len(roots)), str(ACTS), str(folder), str(report_file))
    status, output = _run(root, folder / "resources", *arguments)
    report = json.loads(report_file.read_text(encoding="utf-8")) if report_file.exists() else {}
    faults = list(report.get("faults", ["there is no report"]))
    if status != 0 or not report.get("done"):
        faults.append(f"ended with status {status}: {output[-500:]}" if status is not None else "hangs")
    if "Traceback" in output:
        faults.append(output[output.index("Traceback") :][:800])
    if left := _started_for(folder):
        faults.append(f"processes are left: {len(left)}")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    names = ", ".join(report.get("acts", []))
    counts = {"acts": len(report.get("acts", [])), "acts in a bake": report.get("in_a_bake", 0)}
    counts["quit in a bake"] = int(report.get("quits_while_baking", False))
    return Outcome(Path(root).name, tuple(f"{fault} (after {names})" for fault in faults), counts=counts)


def _roots() -> list[str]:
    return [root for root in os.environ.get("XPBD_BLENDER_ROOTS", "").split(":") if root]


def _run(root: str, resources: Path, *arguments: str) -> tuple[int | None, str]:
    """Exit status, None where it hangs, and what was printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TI_"))}
    environment |= {
        "BLENDER_USER_RESOURCES": str(resources),
        "BLENDER_APP_ROOT": root,
        "BLENDER_APP_WINDOW": _SIZE,
    }
    command = [os.environ["XPBD_BLENDER_APP"], "--factory-startup", "--enable-event-simulate"]
    command += ["--python-exit-code", "1", "--python", str(_SCRIPT), "--", *arguments]
    with (resources / "output").open("w+b") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        output.seek(0)
        return status, output.read().decode(errors="replace")


def _started_for(folder: Path) -> list[int]:
    """Processes whose command names something in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
