# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a bake is to be simulated again: a loop's end, or a region, which a command line may name too."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...scene.body_kinds import body_roles
from ...scene.errors import XpbdError
from ...scene.parameter import Parameter

# Blender's own limits of frame numbers
FIRST_FRAME, LAST_FRAME = -1048574, 1048574
_TEXT = re.compile(r"(?P<names>.+):(?P<first>-?\d+)-(?P<last>-?\d+)", re.DOTALL)

REGION_GROUP = Parameter(
    "region_group",
    "Region",
    "Vertex group that is simulated again, while all else is held as it is baked. A weight below 1 draws a vertex to "
    "where it is baked",
    "",
    roles=body_roles(),
)
REBAKE_PARAMETERS = (
    Parameter(
        "loop_frames",
        "Loop",
        "So many last frames lead into the first one when a loop is made of the bake. More of them look softer",
        24,
        minimum=1,
        maximum=LAST_FRAME,
        soft_maximum=120,
    ),
    Parameter(
        "region_start",
        "Region Start",
        "First frame that is simulated again",
        1,
        minimum=FIRST_FRAME,
        maximum=LAST_FRAME,
    ),
    Parameter(
        "region_end",
        "End",
        "Last frame that is simulated again",
        24,
        minimum=FIRST_FRAME,
        maximum=LAST_FRAME,
    ),
    Parameter(
        "region_border",
        "Border",
        "Over so many rings of vertices, from its border inwards, a region becomes free of what is baked around it",
        2,
        minimum=0,
        maximum=100,
        soft_maximum=10,
    ),
    Parameter(
        "region_blend",
        "Return",
        "Over so many frames, up to its last one, a region is led back to where it is baked. 0: it jumps back after "
        "its last frame",
        6,
        minimum=0,
        maximum=LAST_FRAME,
        soft_maximum=50,
    ),
)


@dataclass(frozen=True)
class RegionWish:
    """A vertex group over some frames, to be simulated again.

    Attributes:
        object_name: of the body.
        group: its vertex group.
        first, last: frames.
    """

    object_name: str
    group: str
    first: int
    last: int

    @classmethod
    def parsed(cls, text: str, has_group: Callable[[str, str], bool] = lambda _name, _group: False) -> RegionWish:
        """From OBJECT:GROUP:A-B.

        Args:
            text: as on a command line.
            has_group: whether there is an object with a vertex group, by their names, which may have colons too; where
                there is none, the name of the object ends at the first colon.

        Raises:
            XpbdError: E_PARAM.
        """
        found = _TEXT.fullmatch(text)
        parts = found["names"].split(":") if found is not None else []
        pairs = [(":".join(parts[:place]), ":".join(parts[place:])) for place in range(1, len(parts))]
        pairs = [pair for pair in pairs if all(pair)]
        if found is None or not pairs:
            raise XpbdError("E_PARAM", f"A region is OBJECT:GROUP:A-B, as Shirt:Sleeve:40-60, not {text!r}.")
        name, group = next((pair for pair in pairs if has_group(*pair)), pairs[0])
        return cls(name, group, int(found["first"]), int(found["last"]))
