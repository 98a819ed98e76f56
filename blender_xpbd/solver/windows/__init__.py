# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact between bodies: windows and lists of pairs, islands, and what of pairs outlives a list."""
