# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages: tetrahedra of a lattice around a surface, piece by piece."""
