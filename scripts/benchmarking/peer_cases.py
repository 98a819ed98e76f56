# SPDX-License-Identifier: GPL-3.0-or-later
"""Other solvers on the same cloth, where the scripts that drive them and the programs are at hand."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .rows import Row

# substeps of Blender's native node (one iteration each) at which its cloth is good, from the peers' own tables
NATIVE_SUBSTEPS = {50: 40, 100: 80, 200: 240}


def blender_record(scripts: Path, *arguments: str) -> dict[str, Any]:
    """What one run of a peer in Blender records.

    Args:
        scripts: folder with ``bl.sh``; the environment names the application as its README says.
        arguments: of that script.

    Raises:
        OSError: the scripts are not there, or the application did not start.
        subprocess.CalledProcessError: they failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        environment = {**os.environ, "PEERS_RESULTS": str(results)}
        command = [str(scripts / "bl.sh"), *arguments]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        if not results.exists():
            raise OSError(f"{command[0]} recorded nothing: PEERS_BLENDER must name a Blender that starts")
        record: dict[str, Any] = json.loads(results.read_text().splitlines()[-1])
    return record


def native_node(side: int, scripts: Path) -> Row:
    """The XPBD node of Blender 5.2 on the rigid cloth.

    Args:
        side: vertices a side.
        scripts: folder with ``bl.sh``; the environment names the application as its README says.

    Raises:
        OSError: the scripts are not there.
        subprocess.CalledProcessError: they failed.
    """
    record = blender_record(
        scripts, "kind=native", f"n={side}", f"substeps={NATIVE_SUBSTEPS[side]}", "steps=1", "damping=0"
    )
    row: Row = {
        "vertices": side**2,
        "method": f"native node, Blender {record['version']}",
        "substeps": NATIVE_SUBSTEPS[side],
        "ms/frame": record["ms"],
    }
    for frame in (24, 60):
        found = record.get(f"q{frame}", {})
        row |= {f"mean % f{frame}": found.get("mean", ""), f"p99 % f{frame}": found.get("p99", "")}
    return row
