# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that meet each other, against what is known of such contact."""
