# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded, and when it may be recorded anew."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

RECORD = Path(__file__).resolve().parent / "record.json"


@dataclass(frozen=True)
class Golden:
    """Digests of one version.

    Attributes:
        solver_version: ``SOLVER_VERSION`` of what is recorded.
        sources: of ``sources.sources_digest``.
        results: digest of each scene, by the processor that computed it.
    """

    solver_version: int
    sources: str
    results: dict[str, dict[str, str]]


class RefusedError(Exception):
    """The bytes have changed and the version has not, or nobody can tell."""


def read_record(path: Path = RECORD) -> Golden | None:
    """What is recorded; None where nothing is."""
    if not path.exists():
        return None
    return Golden(**json.loads(path.read_text(encoding="utf-8")))


def write_record(golden: Golden, path: Path = RECORD) -> None:
    """Keep a record."""
    path.write_text(json.dumps(asdict(golden), indent=2, sort_keys=True) + "\n", encoding="utf-8")


def renewed(recorded: Golden | None, found: Golden) -> Golden:
    """The record that includes what was found on one processor.

    Args:
        recorded: what is known.
        found: of the sources as they are, with the results of one processor.

    Raises:
        RefusedError: results of one version differ, or there are none of this processor to compare with.
    """
    if recorded is None or found.solver_version > recorded.solver_version:
        return found
    if found.solver_version < recorded.solver_version:
        raise RefusedError(f"SOLVER_VERSION is {found.solver_version}, but {recorded.solver_version} is recorded.")
    ((processor, digests),) = found.results.items()
    known = recorded.results.get(processor)
    if known is None and found.sources != recorded.sources:
        raise RefusedError(
            "This processor has no results to compare with. Run scripts/golden on the commit that recorded last, "
            "bring its record.json here and run it again; or raise SOLVER_VERSION."
        )
    changed = [name for name in digests if known is not None and known.get(name) != digests[name]]
    if changed:
        raise RefusedError(
            f"The results of {', '.join(changed)} have changed: raise SOLVER_VERSION in blender_xpbd/jobs/version.py, "
            "or caches go on with frames of another solver."
        )
    return Golden(found.solver_version, found.sources, {**recorded.results, processor: digests})
