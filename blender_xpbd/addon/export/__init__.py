# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked motion as files for elsewhere: from the frames of the cache, not from the shape keys."""
