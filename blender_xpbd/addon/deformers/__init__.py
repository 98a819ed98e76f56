# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig does to the meshes of bodies, and how it is taken back out of their results."""
