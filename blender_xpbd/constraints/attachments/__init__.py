# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a body to a point, to another body, or in a hand; links of elements."""
