# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands as elastic rods: the constraint, its joints, and how a strand is laid out for it."""
