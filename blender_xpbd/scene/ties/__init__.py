# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that cross themselves at vertices alone, and the lines in which surfaces cross."""
