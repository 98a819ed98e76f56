# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of the software and of what its solver computes, both part of each job's digest."""

from __future__ import annotations

VERSION = "0.1.0"
# Raised by one whenever any frame of any scene may have other bytes than before, so that no cache goes on with frames
# of another solver. scripts/golden refuses to record other bytes under the same number
SOLVER_VERSION = 30
