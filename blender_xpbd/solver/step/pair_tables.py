# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables of contact between bodies that a substep reads and writes, see ``packs.Pairs``."""

# of ``object_rows``: first particle and the one after the last; the island of the object in this window, −1 where no
# pair of it is listed; whether the island is looked at from its own mean motion, which it may keep
FIRST, LAST, ISLAND, HAS_FRAME = range(4)
OBJECT_ROW_WIDTH = 4
# of ``told``: after how many substeps of the launch the window has ended, and in which of them a particle left where
# the search has looked, so that it must be done again (0: none); whether something was clipped in this substep; and
# of how many sweeps in this substep the last one had to push
STOPPED, FAILED, IS_CLIPPED, BUSY_SWEEPS = range(4)
TOLD_WIDTH = 4
# of ``object_counts``: pairs of the object that pushed in this substep; of a frame, most of them in a substep, how
# often its particles were clipped, and how often a pair of it may have passed through itself
PUSHING, MOST_PUSHING, CLIPPED, TUNNELLED = range(4)
OBJECT_COUNT_WIDTH = 4
# of ``vertices``
COLLIDER, PARTICLE = range(2)
