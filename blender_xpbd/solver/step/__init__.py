# SPDX-License-Identifier: GPL-3.0-or-later
"""A substep on the device: its arrays, its functions, and the two paths that walk the stages."""
