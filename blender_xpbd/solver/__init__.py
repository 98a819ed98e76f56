# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD with small substeps: assembly of a scene into particles and constraints, the schedule, the loop."""
