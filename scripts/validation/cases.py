# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, in the report's order."""

from __future__ import annotations

from . import chains, cloths, contact, determinism, drape, identities, resolution, solids
from .case import Case

CASES: tuple[Case, ...] = (
    *identities.CASES,
    *chains.CASES,
    *contact.CASES,
    *cloths.CASES,
    *solids.CASES,
    *drape.CASES,
    *resolution.CASES,
    *determinism.CASES,
)
