# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the software, part of each job's digest: another version may compute other positions."""

from __future__ import annotations

VERSION = "0.1.0"
