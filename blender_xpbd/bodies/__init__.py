# SPDX-License-Identifier: GPL-3.0-or-later
"""What kinds of bodies there are, and how each becomes particles and constraints."""
