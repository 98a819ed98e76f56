# SPDX-License-Identifier: GPL-3.0-or-later
"""The device that computes: all that goes through the insides of Taichi, with ``version`` as its one guard.

Taichi's insides save most of what a launch, a copy of an array and an import cost. A Taichi of another version is used
by its public functions alone: slower, with the same bytes.
"""
