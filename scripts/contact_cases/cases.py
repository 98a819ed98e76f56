# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, in the order in which they are run."""

from . import on_colliders, on_each_other, recovery
from .case import Case

CASES: tuple[Case, ...] = (*on_colliders.CASES, *on_each_other.CASES, *recovery.CASES)
