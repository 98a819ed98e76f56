# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order a substep does what: tasks, colours, stages, tables of coarse levels and contact points."""
