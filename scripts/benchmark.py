# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast the solver and the whole bake are. Needs the environment that ``scripts/benchmark`` makes.

Every case runs in a process of its own. Times of one run belong together: machines differ, and neighbours are
noisy; so references run in the same minute, and the ratio is what to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# as in the worker: on a busy machine two threads of BLAS wait for each other at every small matrix, so that 40³ cells
# of jelly took 65 s to build instead of 2. NumPy reads it once
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarking.bake_cases import (  # noqa: E402
    GOOD_SUBSTEPS,
    bake_case,
    cage_case,
    make_cloth,
    make_suzanne,
    start_case,
)
from benchmarking.body_contact_cases import blender_cloth, draped_case, flap_case, free_case  # noqa: E402
from benchmarking.cloth_classes import CLASSES, EDGE  # noqa: E402
from benchmarking.constraint_bodies import BODIES  # noqa: E402
from benchmarking.constraint_cases import projection_case  # noqa: E402
from benchmarking.good_cases import good_case  # noqa: E402
from benchmarking.grain_cases import SCENES, grains_case  # noqa: E402
from benchmarking.memory_cases import memory_case  # noqa: E402
from benchmarking.peer_cases import native_node  # noqa: E402
from benchmarking.quality_cases import jelly_drop  # noqa: E402
from benchmarking.rows import Row, machine, markdown, run_in_own_process  # noqa: E402
from benchmarking.solver_cases import cloth_case, objects_case  # noqa: E402
from benchmarking.strand_cases import strands_case  # noqa: E402
from benchmarking.thread_cases import threads_case  # noqa: E402

PEERS = Path(os.environ.get("XPBD_PEERS", ROOT.parent / "shared" / "peers"))


@dataclass(frozen=True)
class Case:
    """A table of the report.

    Attributes:
        target: what it is held against.
        rows: one function of the device per row; each runs in a process of its own.
        is_slow: whether it takes minutes, and runs only when it is asked for by name or by ``--all``.
    """

    target: str
    rows: tuple[Callable[[str], Row], ...]
    is_slow: bool = False


def projection_row(kind: str, is_double: bool) -> Callable[[str], Row]:
    """A row of the projections of a kind, which are measured on the processor whatever the device."""
    return lambda device: projection_case(kind, is_double)


def grains_row(name: str) -> Callable[[str], Row]:
    """A row of grains."""
    return lambda device: grains_case(name, device)


CASES: dict[str, Case] = {
    "solver, cloth, distance bending": Case(
        "plain XPBD alone: at least 250 frames/s", (lambda device: cloth_case("DISTANCE", device),)
    ),
    "solver, cloth, dihedral bending": Case(
        "plain XPBD alone: at least 50 frames/s", (lambda device: cloth_case("DIHEDRAL", device),)
    ),
    "a projection of each kind": Case(
        "one thread: at least 0.9 times as fast as C",
        tuple(projection_row(kind, is_double) for is_double in (False, True) for kind in BODIES),
        is_slow=True,
    ),
    "cloth of all classes, at Normal": Case(
        "good: mean strain ≤ 1 %, 99th percentile ≤ 5 % or 1.5 times the converged one, motion within 3 % of it",
        (
            *(lambda device, name=name: good_case(name, EDGE, "COTTON", device) for name in CLASSES),
            *(lambda device, name=name: good_case(name, EDGE, "RIGID", device) for name in ("grid", "disc", "sleeve")),
        ),
        is_slow=True,
    ),
    "native node on the same cloth": Case(
        "ours at least 5 times as fast at 200²",
        (
            lambda device: native_node(50, PEERS),
            lambda device: native_node(100, PEERS),
            lambda device: native_node(200, PEERS),
        ),
        is_slow=True,
    ),
    "cost of contact of cloth with itself": Case(
        "nothing near: at most 1.1 times the cost without; where a fifth touches at most twice",
        (
            *(lambda device, side=side: free_case(side, device) for side in (50, 100)),
            *(lambda device, side=side: flap_case(side, device) for side in (50, 100)),
        ),
        is_slow=True,
    ),
    "cloth that meets itself": Case(
        "from 2,500 to 160,000 vertices the cost grows as n log n",
        (
            *(
                lambda device, side=side, meets=meets: draped_case(side, device, meets)
                for side in (50, 100, 200, 400)
                for meets in (False, True)
            ),
        ),
        is_slow=True,
    ),
    "Blender's Cloth over the same ball": Case(
        "ours at least 50 times as fast",
        (lambda device: draped_case(100, device, True), lambda device: blender_cloth(100, PEERS)),
        is_slow=True,
    ),
    "jelly cube, dropped": Case(
        "stable, squash and rebound within 10 %: 8 / 65 / 600 ms at 10³ / 20³ / 40³ and 1e5 Pa",
        (
            lambda device: jelly_drop(10, 1e5, device, 20),
            lambda device: jelly_drop(10, 1e5, device, 80),
            lambda device: jelly_drop(10, 1e6, device, 20),
            lambda device: jelly_drop(10, 1e6, device, 80),
            lambda device: jelly_drop(20, 1e5, device, 20),
            lambda device: jelly_drop(20, 1e6, device, 20),
            lambda device: jelly_drop(40, 1e5, device, 20),
            lambda device: jelly_drop(40, 1e6, device, 40),
        ),
        is_slow=True,
    ),
    "strands, 10,000 segments": Case(
        "at most 12 ms of CPU time per frame of 20 substeps",
        (
            lambda device: strands_case("THREAD", 100, 100, device),
            lambda device: strands_case("ROPE", 100, 100, device),
            lambda device: strands_case("STEEL_WIRE", 100, 100, device),
            lambda device: strands_case("HAIR_WAVY", 1000, 10, device),
        ),
    ),
    "grains, 20,000 in contact": Case(
        "at most 40 ms per frame of 10 substeps on two cores",
        tuple(grains_row(name) for name in SCENES),
    ),
    "threads": Case(
        "1.5 times on 2 cores; beside a busy program at most 20 % slower",
        (
            lambda device: threads_case("CLOTH", device, False),
            lambda device: threads_case("CLOTH", device, True),
            lambda device: threads_case("JELLY", device, False),
            lambda device: threads_case("JELLY", device, True),
        ),
        is_slow=True,
    ),
    "one object or many": Case(
        "about the same", (lambda device: objects_case(1, 316, device), lambda device: objects_case(100, 32, device))
    ),
    "memory": Case(
        "at most 300 bytes per tetrahedron and 150 per distance constraint",
        (
            lambda device: memory_case("CLOTH", device),
            lambda device: memory_case("JELLY", device),
            lambda device: memory_case("STIFF JELLY", device),
        ),
    ),
    "start, to the first frame": Case(
        "at most 6 s cold, 1.5 s warm",
        (
            lambda device: start_case(lambda bpy: make_cloth(bpy, "DISTANCE"), GOOD_SUBSTEPS, device),
            lambda device: start_case(lambda bpy: make_suzanne(bpy, 16), None, device),
        ),
    ),
    "bake, cloth, distance bending": Case(
        "at good quality: at most 5 s with saving, 1.5 s around the solver; memory under 1 GiB",
        (lambda device: bake_case(lambda bpy: make_cloth(bpy, "DISTANCE"), GOOD_SUBSTEPS, device),),
    ),
    "bake, cloth, dihedral bending": Case(
        "at most 1.5 s around the solver",
        (lambda device: bake_case(lambda bpy: make_cloth(bpy, "DIHEDRAL"), GOOD_SUBSTEPS, device),),
    ),
    "cages of resolution 16": Case("under 1 s each", (lambda device: cage_case(),)),
    "bake, Suzanne as jelly": Case(
        "whole bake: at most 8 s; at least 100 / 20 / 3 frames/s at cage resolution 16 / 32 / 64",
        (
            lambda device: bake_case(lambda bpy: make_suzanne(bpy, 16), None, device),
            lambda device: bake_case(lambda bpy: make_suzanne(bpy, 32), None, device),
            lambda device: bake_case(lambda bpy: make_suzanne(bpy, 64), None, device),
        ),
    ),
}


# cases that run other programs by the scripts in ``PEERS``
NEEDS_PEERS = ("native node on the same cloth", "Blender's Cloth over the same ball")


def run_case(name: str, device: str) -> list[Row]:
    """All rows of a case, those that cannot run here left out with a word."""
    found = []
    for number in range(len(CASES[name].rows)):
        if name in NEEDS_PEERS and not (PEERS / "bl.sh").is_file():
            print(f"No scripts of peers in {PEERS}; XPBD_PEERS names another folder.", flush=True)
            break
        found += run_in_own_process(["--case", name, "--row", str(number), "--device", device])
    return found


def main() -> int:
    """Run the cases and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="CPU", choices=["AUTO", "CPU", "CUDA", "VULKAN", "METAL"])
    parser.add_argument("--only", default="", help="run the cases whose name holds this text")
    parser.add_argument("--all", action="store_true", help="run the cases that take minutes, too")
    parser.add_argument("--case", choices=list(CASES), help="run one row of a case here and print it as JSON")
    parser.add_argument("--row", type=int, default=0, help="which row (default: %(default)s)")
    parser.add_argument("--markdown", type=Path, help="also write the tables into this file")
    options = parser.parse_args()
    if options.case:
        print(json.dumps([CASES[options.case].rows[options.row](options.device)]))
        return 0
    tables = [machine()]
    for name, case in CASES.items():
        if options.only not in name or (case.is_slow and not options.only and not options.all):
            continue
        rows = run_case(name, options.device)
        tables.append(markdown(name, case.target, rows))
        print(tables[-1], flush=True)
    if options.markdown:
        options.markdown.write_text("\n".join(tables), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
