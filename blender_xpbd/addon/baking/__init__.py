# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake from its start to its end: what takes part, the frames as they come, what is reported."""
