# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse levels of a cloth, and distances along it."""
