# SPDX-License-Identifier: GPL-3.0-or-later
"""Job in, frames out: the process in which Taichi runs. ``python -m blender_xpbd.worker JOB`` needs no Blender."""
