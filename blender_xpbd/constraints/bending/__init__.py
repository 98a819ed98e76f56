# SPDX-License-Identifier: GPL-3.0-or-later
"""What resists bending: hinges of triangles, flat cloth and whole plates."""
