# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings of what crosses at the first frame, and of what has passed through."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..geometry.surface.topology import triangulate
from ..scene.errors import Notice
from ..scene.scene import Scene
from ..scene.starts import cores, enclosed_notice, in_one_place, takes_no_part
from ..solver.system.contact_objects import seen_colliders
from ..solver.system.contact_statistics import Crossings


def contact_objects(scene: Scene) -> tuple[str, ...]:
    """Names of what may be met: bodies, then mesh colliders that one sees; as ``Crossings.counts`` numbers them."""
    meshes = (scene.colliders[number].name for number in seen_colliders(scene))
    return (*(body.name for body in scene.bodies), *meshes)


def tangled_notices(crossings: Crossings | None, scene: Scene) -> tuple[Notice, ...]:
    """A warning for each body that crosses something at the first frame: how often, and what."""
    if crossings is None:
        return ()
    names, frame = contact_objects(scene), scene.frames.start
    notices = []
    for index, body in enumerate(scene.bodies):
        row = crossings.counts[index]
        if not row.any():
            continue
        against = [f"itself ({row[index]})"] if row[index] else []
        against += [f'"{names[other]}" ({row[other]})' for other in np.flatnonzero(row) if other != index]
        text = (
            f"Crosses {', '.join(against)} at frame {frame}: edges that pass through faces, in brackets. What crosses "
            "does not hold until it has come apart: part it by hand where it stays (Collision › Select What Crosses)."
        )
        notices.append(Notice("W_TANGLED", text, body.name))
    return tuple(notices)


def enclosed_notices(crossings: Crossings | None, scene: Scene) -> tuple[Notice, ...]:
    """A warning for each body that starts wholly inside a jelly, or in another's place."""
    if crossings is None:
        return ()
    bodies = [(scene.bodies[inner], scene.bodies[outer]) for inner, outer in crossings.enclosed]
    within = (enclosed_notice(body, outer.name) for body, outer in bodies if not takes_no_part(body))
    return (*within, *in_one_place(scene.bodies))


def core_notices(scene: Scene) -> tuple[Notice, ...]:
    """A warning for each jelly in which colliders start wholly."""
    return tuple(cores(scene, triangulate))


def tunnelled_notice(count: float, name: str, frame: int, others: Sequence[Notice]) -> Notice | None:
    """A warning for the first frame in which something of a body may have passed through; None for none.

    Args:
        count: how often, of an earlier run's frame any number.
        name: of the body.
        frame: the frame.
        others: warnings that there are already.
    """
    if not 0 < count < np.inf or any(notice.code == "W_TUNNELLED" and notice.object_name == name for notice in others):
        return None
    is_tangled = any(notice.code == "W_TANGLED" and notice.object_name == name for notice in others)
    cause = "what crosses from the start (W_TANGLED) may be it, else " if is_tangled else ""
    text = (
        f"Something may have passed through at frame {frame}, {int(count)} times: {cause}it is too fast, or pressed "
        "too hard. Use more substeps, slower motion or a greater thickness."
    )
    return Notice("W_TUNNELLED", text, name)
