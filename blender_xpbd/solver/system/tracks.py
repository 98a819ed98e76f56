# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that change over the frames: what is built from them, and what follows them.

A body is built once, from one value of each parameter (``build_value``). What is decided once for all frames is decided
by that value: which constraints there are, coarse levels, damping, what counts as hard. Columns of
constraints and tables then follow the track: the value at a frame counts until the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ...constraints import CONSTRAINTS
from ...constraints.constraint import ConstraintBlock
from ...constraints.scaling import Scaling
from ...scene.body import Body
from ...scene.collider import Collider
from ...scene.force import Force
from ...scene.parameters.external_parameters import PUSH
from ...scene.scene import Scene
from ...scene.track import SCENE_TARGET, Track
from ..order.schedule import Schedule

Floats = npt.NDArray[np.float64]

GRAVITY = ("gravity_x", "gravity_y", "gravity_z")
# springs that push as they pull have no side that could follow, so they are built from less
_GREATEST_SHARE = 0.5
# a factor beyond is as good as rigid or limp, and its product with any column is still a number in single precision
_GREATEST_FACTOR = 1e20
_GREATEST_COLUMN = 1e30
# by which a body takes moving air, and all fields
_OF_AIR = frozenset({"air_drag", "air_lift"})
_OF_FIELDS = _OF_AIR | {"force_weight"}
# what is built in place of 0, of the greatest value
_HARDLY = 1e-9


def build_value(parameter: str, values: Floats) -> float:
    """The value of a track from which a body is built: by the rule of the parameter, or the greatest.

    Args:
        parameter: its name.
        values: at all frames, shape (frames,).
    """
    return _BUILT_FROM.get(parameter, _greatest)(values)


def _greatest(values: Floats) -> float:
    return float(values.max())


def _least(values: Floats) -> float:
    """The least above 0 of what changes: less of a compliance is stiffer, and none at all cannot be scaled."""
    return float(values.max() if (values == values[0]).all() else values[values > 0.0].min())


def _least_share(values: Floats) -> float:
    least = _least(values)
    return least if (values == values[0]).all() else min(least, _GREATEST_SHARE)


def _strongest(values: Floats) -> float:
    """That of the greatest size, for it may lead upwards."""
    return float(values[np.abs(values).argmax()])


def _weakest(values: Floats) -> float:
    """The least, or hardly anything for 0, which cannot be scaled."""
    return max(float(values.min()), _HARDLY * float(values.max()))


_BUILT_FROM: Mapping[str, Callable[[Floats], float]] = {
    "stretch_compliance": _least,
    "volume_compliance": _least,
    "bending_compliance": _least,
    "compression_share": _least_share,
    "gravity_factor": _strongest,
    **dict.fromkeys(PUSH, _strongest),
    # what hardly resists twist at any frame is solved as a strand that does not, see ``rods.chain_layout.is_chain``
    "twist_stiffness": _weakest,
}


def built_scene(scene: Scene) -> Scene:
    """The scene with the values from which it is built in place of those that tracks move."""
    if not scene.tracks:
        return scene
    values = {(track.target, track.parameter): build_value(track.parameter, track.values) for track in scene.tracks}

    def built(item: Body | Collider | Force, names: Iterable[str]) -> dict[str, float]:
        return {name: values[item.identifier, name] for name in names if (item.identifier, name) in values}

    bodies = tuple(
        replace(body, material=replace(body.material, **built(body, body.material.values()))) for body in scene.bodies
    )
    colliders = tuple(replace(collider, **built(collider, _OF_COLLIDERS)) for collider in scene.colliders)
    forces = tuple(replace(force, **built(force, force.values())) for force in scene.forces)
    everything = Tracks({(track.target, track.parameter): track.values for track in scene.tracks})
    gravities = everything.gravities(scene.gravity, range(scene.frames.count))
    strongest = gravities[int(np.linalg.norm(gravities, axis=1).argmax())]
    return replace(scene, bodies=bodies, colliders=colliders, forces=forces, gravity=strongest)


_OF_COLLIDERS = ("friction", "restitution")


@dataclass(frozen=True)
class Tracks:
    """Values at each frame, by the identifier of their target and the name of the parameter."""

    values: dict[tuple[str, str], Floats] = field(default_factory=dict)

    @staticmethod
    def of(scene: Scene) -> Tracks:
        """Those of a scene that change."""
        return Tracks({(track.target, track.parameter): track.values for track in scene.tracks if _moves(track)})

    def __bool__(self) -> bool:
        return bool(self.values)

    def at(self, target: str, parameter: str, built: float, frame_index: int) -> float:
        """The value at a frame, counted from the start; ``built`` where there is no track."""
        values = self.values.get((target, parameter))
        return built if values is None else float(values[min(frame_index, len(values) - 1)])

    def gravities(self, built: Floats, frames: Iterable[int]) -> Floats:
        """Gravity at some frames [m/s²], shape (frames, 3)."""
        axes = list(zip(GRAVITY, built.tolist(), strict=True))
        return np.array([[self.at(SCENE_TARGET, name, value, frame) for name, value in axes] for frame in frames])

    def law(self, target: str, scaling: Scaling, built: float) -> Law | None:
        """How a column follows this track; None where there is no such track."""
        values = self.values.get((target, scaling.value))
        return None if values is None else Law(scaling, built, values)


def _moves(track: Track) -> bool:
    return bool((track.values != track.values[0]).any())


@dataclass(frozen=True)
class Law:
    """A track that a column follows.

    Attributes:
        scaling: how.
        built: the value that the column was built from.
        values: at each frame.
    """

    scaling: Scaling
    built: float
    values: Floats

    def factor(self, frame_index: int) -> float:
        """By what the column changes at a frame."""
        factor = self.scaling.factor(self.built, self.values[min(frame_index, len(self.values) - 1)])
        return float(np.clip(factor, 1.0 / _GREATEST_FACTOR, _GREATEST_FACTOR))


@dataclass(frozen=True)
class FollowingColumn:
    """A parameter of some constraints that follows tracks.

    Attributes:
        places: in the flat parameters: a range where they lie evenly, or each.
        laws: whose factors are multiplied.
        owner: identifier of the body.
    """

    places: slice | npt.NDArray[np.int32]
    laws: tuple[Law, ...]
    owner: str

    def factor(self, frame_index: int) -> float:
        """By what the column changes at a frame."""
        return float(np.prod([law.factor(frame_index) for law in self.laws]))

    def write(self, parameters: npt.NDArray[np.floating], built: npt.NDArray[np.float32], factor: float) -> None:
        """Write the column into flat parameters.

        Args:
            parameters: written to.
            built: what was built.
            factor: on it.
        """
        column = np.multiply(built[self.places], factor, dtype=np.float64)
        parameters[self.places] = np.clip(column, -_GREATEST_COLUMN, _GREATEST_COLUMN)


def watched_blocks(blocks: Sequence[ConstraintBlock], owners: Sequence[Body], tracks: Tracks) -> tuple[int, ...]:
    """Numbers of the blocks of which some column follows a track.

    Args:
        blocks: constraints.
        owners: the body of each block.
        tracks: of the scene.
    """
    return tuple(
        number
        for number, (block, owner) in enumerate(zip(blocks, owners, strict=True))
        if any((owner.identifier, value) in tracks.values for value in block.follows)
    )


def following_columns(
    schedule: Schedule,
    blocks: Sequence[ConstraintBlock],
    owners: Sequence[Body],
    tracks: Tracks,
) -> tuple[FollowingColumn, ...]:
    """The columns that follow tracks, from the rows that the schedule has kept; arguments as for ``watched_blocks``."""
    columns = []
    for number, rows in schedule.rows.items():
        block, owner = blocks[number], owners[number]
        width = len(block.type.parameters)
        first = int(schedule.table[CONSTRAINTS.index(block.type), 2])
        by_column: dict[int, list[Law]] = {}
        for scaling in block.type.scales:
            built = getattr(owner.material, scaling.value)
            law = tracks.law(owner.identifier, scaling, built) if scaling.value in block.follows else None
            if law is not None:
                by_column.setdefault(scaling.column % width, []).append(law)
        columns += [
            FollowingColumn(_places(rows, first + column, width), tuple(laws), owner.identifier)
            for column, laws in by_column.items()
        ]
    return tuple(columns)


def unfollowed(scene: Scene, tracks: Tracks, columns: Sequence[FollowingColumn]) -> tuple[Track, ...]:
    """Tracks that change and that nothing follows: of values that no constraint is built from, or for lack of fields.

    Args:
        scene: with its tracks.
        tracks: of the scene.
        columns: that follow tracks.
    """
    scaled = {law.value for kind in CONSTRAINTS for law in kind.scales}
    followed = {(column.owner, law.scaling.value) for column in columns for law in column.laws}
    bodies = {body.identifier: body for body in scene.bodies}

    def is_idle(track: Track) -> bool:
        if track.parameter in _OF_FIELDS:
            return not _has_fields(bodies[track.target], scene, tracks, with_air=track.parameter in _OF_AIR)
        return track.parameter in scaled and (track.target, track.parameter) not in followed

    return tuple(track for track in scene.tracks if (track.target, track.parameter) in tracks.values and is_idle(track))


def moves_air(force: Force, tracks: Tracks) -> bool:
    """Whether something of a field is air, at some frame."""
    return force.wind_factor > 0.0 or (force.identifier, "wind_factor") in tracks.values


def _has_fields(body: Body, scene: Scene, tracks: Tracks, *, with_air: bool) -> bool:
    """Whether fields act on a body; ``with_air``: those that move air, of which there is some."""
    acting = [force for force in scene.forces if body.fields is None or force.identifier in body.fields]
    if with_air:
        return scene.air_density > 0.0 and any(moves_air(force, tracks) for force in acting)
    return bool(acting)


def _places(rows: npt.NDArray[np.int32], first: int, width: int) -> slice | npt.NDArray[np.int32]:
    """Where the entries of a column lie, of rows in ascending order."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return slice(first + int(rows[0]) * width, first + int(rows[-1]) * width + 1, width)
    return (first + rows.astype(np.int64) * width).astype(np.int32)
