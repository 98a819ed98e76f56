# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of surface elements within a substep: a vertex and a triangle, or two edges; of one object or of two.

``tables`` tells what packs hold. One task's pairs share no movable particle with those of others, so all of this may
run task by task. In the order of a substep, for pair ``k``:

| when | function |
|---|---|
| positions and velocities are those of the substep's start; all pairs | ``near.find_near`` |
| in each sweep, pairs that are near | ``touch.touch_pair`` |
| particle by particle | ``limit.begin_limit`` |
| pairs that are near | ``limit.limit_pair`` |
| particle by particle, then limit anew; once or twice | ``limit.slide`` |
| after the last push, pairs that are near; then one thread | ``anchors.note_slide``, ``anchors.keep_anchor`` |
| pairs that are near, where ``limit_pair`` left any in doubt | ``passing.may_pass`` |
| velocities are updated; pairs that are near | ``settle.settle_pair`` |

``find_near`` answers 1 where a pair is near: its sides may come to less than GAP if they come nearer by ``reach`` [m].
Others take no part in the substep. So no surface point may move by more than ``reach / 2`` in its island's frame.

What starts tangled has an ``untangle`` of its own, in NumPy, before and after a substep that begins so.
"""
