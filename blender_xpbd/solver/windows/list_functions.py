# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long a list of pairs holds: boxes that travel through several substeps, with some slack.

A list holds for a substep where the boxes of all particles lie in those for which it was searched. The search knows
where each particle would come in one substep. A list for several assumes that all go on like that. Nothing depends on
whether they do: where one leaves its travelling box, pairs are searched anew. ``pairs`` is the pack ``packs.Pairs``.
"""

import taichi as ti

from ...contacts.pairs.tables import OBJECT_HALF_THICKNESS, OBJECT_SLACK
from ...contacts.search.boxes import WIDE_AT_BOTH
from ...device.apart import apart
from .pair_tables import FIRST, IS_OVER, LAID_SPAN, LAST, LIST_FIRST, LIST_SPAN, NEXT_SPAN
from .window_functions import MARGIN, margin_share


@apart
def check_list_share(starts: ti.template(), pairs: ti.template(), turn, turns, substep):
    """Tell where one of ``turns`` equal shares of the particles is not in the boxes of the list in this substep."""
    age, span = substep - pairs.told[LIST_FIRST], pairs.told[LIST_SPAN]
    rows = ti.static(pairs.object_rows)
    is_over = age >= span
    before, after = ti.cast(age, float) / ti.max(span, 1), ti.cast(age + 1, float) / ti.max(span, 1)
    count = pairs.candidates.shape[0]
    begin, end_of = count * turn // turns, count * (turn + 1) // turns
    # what no pair asks for has no box
    for o in range(0 if is_over else rows.shape[0]):
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end_of)):
            first, end, stay = pairs.list_starts[i], pairs.list_ends[i].xyz, pairs.list_stays[i].xyz
            way, half = 0.5 * (end + stay) - first.xyz, 0.5 * ti.abs(end - stay)
            come, left, margin = pairs.window_ends[i].xyz, pairs.window_stays[i].xyz, pairs.window_starts[i][3]
            out = ti.abs(0.5 * (come + left) - first.xyz - after * way) + 0.5 * ti.abs(come - left) + margin
            out = ti.max(out, ti.abs(starts[i].xyz - first.xyz - before * way)) - half
            is_over = is_over or not (out.max() <= first[3])
    if is_over:
        pairs.told[IS_OVER] = substep + 1


@ti.func
def next_span(pairs: ti.template(), of):
    """For how many substeps of ``of`` the next list is to hold, by how long this one did."""
    told = ti.static(pairs.told)
    substep, span, result = told[IS_OVER] - 1, told[LIST_SPAN], told[NEXT_SPAN]
    if span > 0:
        age = substep - told[LIST_FIRST]
        result = age
        # where pushes end it in its first substep, that tells nothing; after a list for one substep come others like it
        if age == 0 or span == 1:
            result = span
        elif age >= span:
            result = 2 * span
    return ti.max(ti.min(result, of - substep), 1)


@apart
def open_list_share(starts: ti.template(), pairs: ti.template(), turn, turns, of, h):
    """Lay out the boxes of the next list for one of ``turns`` equal shares of the particles, where one is due.

    For one substep they are the boxes of that substep. For several, the box of a particle goes on from substep to
    substep as in this one. In each it holds where the particle would come and where it would stay.
    """
    rows = ti.static(pairs.object_rows)
    span = next_span(pairs, of)
    if turn == 0:
        pairs.told[LAID_SPAN] = span
        for o in range(rows.shape[0] if pairs.told[IS_OVER] > 0 else 0):
            pairs.drifts[o] = ti.Vector([0.0, 0.0, 0.0, 0.0])
    count = pairs.candidates.shape[0]
    begin, end = count * turn // turns, count * (turn + 1) // turns
    for o in range(rows.shape[0] if pairs.told[IS_OVER] > 0 else 0):
        # short substeps leave of the margin for pushes what lists may use
        slack = ti.cast(pairs.objects[o, OBJECT_SLACK], float)
        slack += (MARGIN - margin_share(h)) * 2.0 * ti.cast(pairs.objects[o, OBJECT_HALF_THICKNESS], float)
        for i in range(ti.max(rows[o, FIRST], begin), ti.min(rows[o, LAST], end)):
            pairs.list_places[i], pairs.strays[i] = starts[i], 0.0
            own, come, stay = pairs.window_starts[i], pairs.window_ends[i], pairs.window_stays[i]
            pairs.list_starts[i], pairs.list_ends[i] = own, come
            pairs.list_stays[i] = ti.Vector([stay[0], stay[1], stay[2], 0.0])
            if span > 1:
                half = 0.5 * (come - stay).xyz
                first, last = starts[i].xyz - half, starts[i].xyz + ti.cast(span, float) * (come - starts[i]).xyz
                pairs.list_starts[i] = ti.Vector([first[0], first[1], first[2], own[3] + slack])
                pairs.list_ends[i] = ti.Vector([last[0], last[1], last[2], 0.0])
                last -= 2.0 * half
                pairs.list_stays[i] = ti.Vector([last[0], last[1], last[2], WIDE_AT_BOTH])
