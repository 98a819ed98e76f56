# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface meshes: topology, checks, volume, nearest points."""
