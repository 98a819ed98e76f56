# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, in the report's order."""

from __future__ import annotations

from . import (
    bounces,
    chains,
    cloths,
    contact,
    determinism,
    drape,
    grains,
    identities,
    integration,
    limits,
    moments,
    resolution,
    rods,
    solids,
    winds,
)
from .case import Case
from .meeting import flight, friction, rest
from .product import bars, damping, drag_and_spin, fabrics, hinges, jellies
from .product import drape as product_drape

CASES: tuple[Case, ...] = (
    *identities.CASES,
    *integration.CASES,
    *chains.CASES,
    *contact.CASES,
    *bounces.CASES,
    *flight.CASES,
    *friction.CASES,
    *rest.CASES,
    *winds.CASES,
    *rods.CASES,
    *grains.CASES,
    *cloths.CASES,
    *moments.CASES,
    *limits.CASES,
    *solids.CASES,
    *drape.CASES,
    *resolution.CASES,
    *jellies.CASES,
    *bars.CASES,
    *hinges.CASES,
    *fabrics.CASES,
    *product_drape.CASES,
    *drag_and_spin.CASES,
    *damping.CASES,
    *determinism.CASES,
)
