# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from blender_xpbd.scene.body import Attachment, Body, Pins, Tetrahedralization, topology_hash
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.scene import Scene, validate
from blender_xpbd.scene.settings import FrameRange

POINTS = np.array([[0.0, 0.0, 1.0], [0.1, 0.0, 1.0], [0.0, 0.1, 1.0], [0.0, 0.0, 1.1]])
SIZES = np.array([3, 3], np.int32)
CORNERS = np.array([0, 1, 2, 0, 2, 3], np.int32)
FRAMES = FrameRange(1, 3)
BODY = Body("a", "Cube", "CLOTH", POINTS, SIZES, CORNERS)
PLANE = Collider("c", "Floor", "PLANE", np.eye(4)[None])


def ints(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(values, np.int32)


def with_value(array: np.ndarray[Any, Any], index: tuple[int, ...], value: float) -> np.ndarray[Any, Any]:
    array = array.copy()
    array[index] = value
    return array


def scene_of(body: Body = BODY, *colliders: Collider) -> Scene:
    return Scene((body,), colliders, FRAMES)


def pins(count: int = 2, frames: int = 1, weight: float = 1.0) -> Pins:
    return Pins(np.arange(count, dtype=np.int32), np.full(count, weight, np.float32), np.zeros((frames, count, 3)))


def from_file(points: np.ndarray[Any, Any], corners: np.ndarray[Any, Any]) -> Tetrahedralization:
    return Tetrahedralization("FILE", 2, points, corners[None])


def test_plain_scenes_are_valid() -> None:
    validate(scene_of())
    validate(scene_of(BODY, PLANE))
    validate(scene_of(dataclasses.replace(BODY, pins=pins(2, 3, 0.5))))
    validate(scene_of(BODY, Collider("c", "Ball", "SPHERE", np.tile(np.eye(4), (3, 1, 1)), radius=1.0)))
    validate(
        scene_of(BODY, Collider("c", "Rock", "MESH", np.eye(4)[None], POINTS[None], np.array([[0, 1, 2]], np.int32)))
    )
    tetrahedra = Tetrahedralization("FILE", 2, POINTS, np.array([[0, 1, 2, 3]], np.int32))
    validate(scene_of(dataclasses.replace(BODY, role="JELLY", tetrahedralization=tetrahedra)))


def test_loose_vertices_are_valid() -> None:
    loose = np.concatenate([POINTS, [[5.0, 5.0, 5.0]]])
    validate(scene_of(dataclasses.replace(BODY, positions=loose)))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"role": "GAS"}, "E_PARAM"),
        ({"positions": with_value(POINTS, (2, 1), np.nan)}, "E_GEOM_NONFINITE"),
        ({"positions": with_value(POINTS, (2, 1), np.inf)}, "E_GEOM_NONFINITE"),
        ({"face_sizes": ints(), "corners": ints()}, "E_GEOM_EMPTY"),
        ({"face_sizes": ints(3, 4)}, "E_PARAM"),
        ({"face_sizes": ints(2, 4)}, "E_PARAM"),
        ({"face_sizes": ints(7, -1)}, "E_PARAM"),
        ({"corners": ints(0, 1, 2, 0, 2, 4)}, "E_PARAM"),
        ({"corners": ints(0, 1, 2, 0, 2, -1)}, "E_PARAM"),
        ({"vertex_factors": {"colour": np.ones(len(POINTS), np.float32)}}, "E_PARAM"),
        ({"vertex_factors": {"density": np.ones(2, np.float32)}}, "E_PARAM"),
        ({"vertex_factors": {"density": np.full(len(POINTS), -1, np.float32)}}, "E_PARAM"),
        ({"vertex_factors": {"density": np.full(len(POINTS), np.nan, np.float32)}}, "E_PARAM"),
        ({"uvs": np.zeros((1, 2), np.float32)}, "E_PARAM"),
        ({"velocity": np.zeros(2)}, "E_PARAM"),
        ({"axes": np.eye(4)}, "E_PARAM"),
        ({"axes": 2.0 * np.eye(3)}, "E_PARAM"),
        ({"axes": np.diag([1.0, 1.0, -1.0])}, "E_PARAM"),
        ({"axes": np.full((3, 3), np.nan)}, "E_PARAM"),
        ({"velocity": np.array([0.0, np.nan, 0.0])}, "E_PARAM"),
        ({"role": "JELLY", "tetrahedralization": Tetrahedralization("MAGIC")}, "E_PARAM"),
        ({"role": "JELLY", "tetrahedralization": Tetrahedralization("CAGE", 1)}, "E_PARAM"),
        ({"role": "JELLY", "tetrahedralization": Tetrahedralization("CAGE", 129)}, "E_PARAM"),
        (
            {"role": "JELLY", "tetrahedralization": Tetrahedralization("FILE", 2, POINTS, ints(0, 1, 2, 4)[None])},
            "E_PARAM",
        ),
        (
            {
                "role": "JELLY",
                "tetrahedralization": Tetrahedralization("FILE", 2, POINTS * np.nan, ints(0, 1, 2, 3)[None]),
            },
            "E_GEOM_NONFINITE",
        ),
        ({"pins": Pins(ints(1, 1), np.ones(2, np.float32), np.zeros((1, 2, 3)))}, "E_PARAM"),
        ({"pins": Pins(ints(4), np.ones(1, np.float32), np.zeros((1, 1, 3)))}, "E_PARAM"),
        ({"pins": Pins(ints(1), np.ones(2, np.float32), np.zeros((1, 1, 3)))}, "E_PARAM"),
        ({"pins": pins(weight=0.0)}, "E_PARAM"),
        ({"pins": pins(weight=1.1)}, "E_PARAM"),
        ({"pins": pins(weight=float("nan"))}, "E_PARAM"),
        ({"pins": pins(frames=2)}, "E_PARAM"),
        ({"pins": pins(frames=0)}, "E_PARAM"),
        ({"pins": Pins(ints(1), np.ones(1, np.float32), np.full((1, 1, 3), np.nan))}, "E_GEOM_NONFINITE"),
    ],
)
def test_bodies_that_make_no_sense_are_refused_by_name(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(XpbdError) as caught:
        validate(scene_of(dataclasses.replace(BODY, **changes)))
    assert caught.value.code == code
    assert caught.value.object_name == "Cube"


@pytest.mark.parametrize(
    ("target", "vertices", "weights"),
    [
        ("a", ints(0), [1.0]),
        ("c", ints(0), [1.0]),
        ("nobody", ints(0), [1.0]),
        ("b", ints(4), [1.0]),
        ("b", ints(-1), [1.0]),
        ("b", ints(1, 1), [1.0, 1.0]),
        ("b", ints(0), [1.0, 1.0]),
        ("b", ints(0), [0.0]),
        ("b", ints(0), [1.1]),
        ("b", ints(0), [np.nan]),
    ],
)
def test_attachments_that_make_no_sense_are_refused_by_name(target: str, vertices: Any, weights: list[float]) -> None:
    other = dataclasses.replace(BODY, identifier="b", name="Other")

    def attached(attachment: Attachment) -> Scene:
        return Scene((dataclasses.replace(BODY, attachment=attachment), other), (PLANE,), FRAMES)

    validate(attached(Attachment("b", ints(0, 3), np.array([1.0, 0.5], np.float32))))
    with pytest.raises(XpbdError, match="E_PARAM") as caught:
        validate(attached(Attachment(target, vertices, np.array(weights, np.float32))))
    assert caught.value.object_name == "Cube"


def test_the_vertex_that_is_not_finite_is_told() -> None:
    with pytest.raises(XpbdError, match="Vertex 2 "):
        validate(scene_of(dataclasses.replace(BODY, positions=with_value(POINTS, (2, 1), np.nan))))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"shape": "TORUS"}, "E_PARAM"),
        ({"transforms": np.eye(4)}, "E_PARAM"),
        ({"transforms": np.tile(np.eye(4), (2, 1, 1))}, "E_PARAM"),
        ({"transforms": np.zeros((1, 4, 4))}, "E_TRANSFORM_SINGULAR"),
        ({"transforms": np.full((1, 4, 4), np.nan)}, "E_TRANSFORM_SINGULAR"),
        ({"shape": "MESH"}, "E_GEOM_EMPTY"),
        ({"shape": "MESH", "positions": POINTS[None], "triangles": np.array([[0, 1, 4]], np.int32)}, "E_PARAM"),
        ({"shape": "SPHERE"}, "E_PARAM"),
        ({"shape": "SPHERE", "radius": np.inf}, "E_PARAM"),
        ({"shape": "SPHERE", "radius": np.nan}, "E_PARAM"),
        ({"friction": -0.1}, "E_PARAM"),
        ({"friction": np.nan}, "E_PARAM"),
        ({"restitution": 1.1}, "E_PARAM"),
    ],
)
def test_colliders_that_make_no_sense_are_refused_by_name(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(XpbdError) as caught:
        validate(scene_of(BODY, dataclasses.replace(PLANE, **changes)))
    assert caught.value.code == code
    assert caught.value.object_name == "Floor"


@pytest.mark.parametrize("identifier", ["", "A", "1a", "a/b", "..", "a.b", "a\n", "ä", "a" * 33, "c"])
def test_identifiers_must_be_file_names_and_unique(identifier: str) -> None:
    with pytest.raises(XpbdError, match="E_PARAM"):
        validate(scene_of(dataclasses.replace(BODY, identifier=identifier), PLANE))


def test_scenes_without_bodies_or_with_odd_gravity_are_refused() -> None:
    with pytest.raises(XpbdError, match="E_NOTHING"):
        validate(Scene((), (PLANE,), FRAMES))
    for gravity in (np.zeros(2), np.array([0.0, 0.0, np.nan])):
        with pytest.raises(XpbdError, match="E_PARAM"):
            validate(dataclasses.replace(scene_of(), gravity=gravity))


def test_topology_hash_changes_with_connectivity_only() -> None:
    value = topology_hash(4, SIZES, CORNERS)
    assert value == topology_hash(4, SIZES.astype(np.int64), CORNERS.astype(np.int64))
    changed = [
        topology_hash(5, SIZES, CORNERS),
        topology_hash(4, ints(4, 2), CORNERS),
        topology_hash(4, SIZES, ints(0, 1, 2, 0, 3, 2)),
    ]
    assert len({value, *changed}) == 4


@pytest.mark.parametrize(("resolution", "is_taken"), [(1, False), (2, True), (128, True), (129, False)])
def test_what_validation_takes_for_a_resolution_the_cage_takes(resolution: int, is_taken: bool) -> None:
    body = dataclasses.replace(BODY, role="JELLY", tetrahedralization=Tetrahedralization(resolution=resolution))
    if is_taken:
        validate(scene_of(body))
    else:
        with pytest.raises(XpbdError, match="between 2 and 128"):
            validate(scene_of(body))


def test_pins_are_put_in_order_with_all_that_is_theirs() -> None:
    pinned = Pins(ints(7, 1, 4), np.float32([0.7, 0.1, 0.4]), np.arange(18.0).reshape(2, 3, 3))
    ordered = pinned.ascending()
    np.testing.assert_array_equal(ordered.vertices, [1, 4, 7])
    np.testing.assert_array_equal(ordered.weights, np.float32([0.1, 0.4, 0.7]))
    np.testing.assert_array_equal(ordered.targets, pinned.targets[:, [1, 2, 0]])
    assert ordered.ascending() is ordered
