# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of seams that have torn."""

from __future__ import annotations

from ..scene.errors import Notice
from ..solver.solver import Solver
from ..solver.tearing import TearingSolver


def torn_notices(solver: Solver) -> list[Notice]:
    """How many seams of each body have torn until now; none where none has."""
    if not isinstance(solver, TearingSolver):
        return []
    notices = []
    for number in solver.torn:
        torn, count = solver.counts(number)
        if torn:
            text = f"{torn} of {count} seams {'has' if torn == 1 else 'have'} torn."
            notices.append(Notice("W_TORN", text, solver.system.models[number].body.name))
    return notices
