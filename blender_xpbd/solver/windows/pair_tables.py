# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of the tables of contact between bodies that a substep reads and writes, see ``packs.Pairs``."""

# of ``object_rows``: first particle and the one after the last; the island of the object, and that of the next substep;
# whether nothing fixed is in it; whether in this substep a collider touches it; whether in this substep moves of it
# were cut; whether it fills the space inside its surface
FIRST, LAST, ISLAND, NEXT_ISLAND, IS_FREE, IS_HELD, IS_CUT, IS_SOLID = range(8)
OBJECT_ROW_WIDTH = 8
# of ``told``: the substep, counted from 1, in which a particle was pushed out of where the search has looked, so that
# another look is due, or 0, and whether one may be asked for; of how many sweeps in this substep the last one had to
# change velocities; and for even and for odd sweeps over pairs, the last one, as ``sweep_code`` tells it
MUST_SEARCH, MAY_SEARCH, SETTLING_SWEEPS, SWEPT = range(4)
# ... and how many searches a substep that pushes may ask for; the substep for which the list of pairs does not hold,
# counted from 1, or 0; from which substep on it holds, for how many at most, 0 where there is none; for how many the
# one after none is to hold; for how many the boxes were laid out last; and whether all vertices of colliders are placed
# in each substep, for a look at what crosses
MOST_SEARCHES, IS_OVER, LIST_FIRST, LIST_SPAN, NEXT_SPAN, LAID_SPAN, PLACES_ALL = range(5, 12)
# ... and whether the truncation of this substep left any pair in doubt
IS_IN_DOUBT = 12
TOLD_WIDTH = 13
# of ``object_counts``: pairs of the object that pushed in this substep; of a frame, most of them in a substep, how
# often its particles were clipped, how often a pair of it may have passed through itself, and how often the truncation
# did not know
PUSHING, MOST_PUSHING, CLIPPED, TUNNELLED, DOUBTED = range(5)
OBJECT_COUNT_WIDTH = 5
# of ``watch_limits``: the greatest of ``reaches`` and of ``strays`` in this substep [m]; the greatest sum of the sizes
# of a point's weights; then for each task up to what clearance its pairs are watched [m]
GREATEST_REACH, GREATEST_STRAY, WATCH_SPREAD, WATCH_LIMITS = range(4)
# of ``vertices``
COLLIDER, PARTICLE = range(2)
