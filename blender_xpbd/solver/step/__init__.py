# SPDX-License-Identifier: GPL-3.0-or-later
"""A substep on the device: its arrays, its kernels, and the two paths that walk the stages."""
