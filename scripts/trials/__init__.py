# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials that a bake must outlast: kills, full disks, odd meshes, users; ``scripts/reliability`` runs them."""
