# SPDX-License-Identifier: GPL-3.0-or-later
"""What the search for pairs of surface elements builds once: surfaces, trees over them, and where these are flat."""
