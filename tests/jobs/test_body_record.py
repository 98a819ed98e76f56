# SPDX-License-Identifier: GPL-3.0-or-later
"""A body comes back from a job folder to the last byte, whatever it has."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blender_xpbd.jobs.body_record import BODY_ARRAYS, BODY_KEYS, body_arrays, describe_body, read_body
from blender_xpbd.scene.body import VERTEX_FACTORS, Attachment, Body, Pins, Tetrahedralization
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from tests.jobs.recorded import assert_same, edited, names, recorded

FRAMES = 4


def random_body(seed: int, has: set[str]) -> Body:
    """A body of triangles with what is asked for."""
    random = np.random.default_rng(seed)
    count, faces = 6, 5
    corners = random.integers(0, count, 3 * faces).astype(np.int32)
    body = Body(
        f"b{seed}",
        f"Body {seed}",
        "JELLY" if "tetrahedra" in has else "CLOTH",
        random.normal(size=(count, 3)),
        np.full(faces, 3, np.int32),
        corners,
        Material(friction=float(random.random())),
        velocity=random.normal(size=3),
    )
    held = np.array([1, 4], np.int32), random.random(2).astype(np.float32)
    parts: dict[str, dict[str, Any]] = {
        "targets": {"pins": Pins(*held, random.normal(size=(FRAMES, 2, 3)))},
        "matrices": {"pins": Pins.following(*held, random.normal(size=(FRAMES, 4, 4)))},
        "tetrahedra": {
            "tetrahedralization": Tetrahedralization(
                "FILE", 9, random.normal(size=(5, 3)), np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32)
            )
        },
        "factors": {"vertex_factors": {name: random.random(count).astype(np.float32) for name in VERTEX_FACTORS[::2]}},
        "uvs": {"uvs": random.random((3 * faces, 2)).astype(np.float32)},
        "edges": {"loose_edges": np.array([[0, 5]], np.int32)},
        "attachment": {"attachment": Attachment("b9", *held)},
        "contact": {"contact": BodyContact(False, True, float(random.random()), ("b7", "c1"), held[0], seed % 9)},
    }
    for name, values in parts.items():
        if name in has:
            body = replace(body, **values)
    return body


features = st.sets(
    st.sampled_from(["targets", "matrices", "tetrahedra", "factors", "uvs", "edges", "attachment", "contact"]),
    max_size=7,
)


@given(st.integers(0, 10_000), features)
def test_any_body_comes_back_as_it_was(seed: int, has: set[str]) -> None:
    body = random_body(seed, has)
    with tempfile.TemporaryDirectory() as folder:
        described = describe_body(body)
        assert set(described) == set(BODY_KEYS)
        record = recorded(Path(folder), body.identifier, described, body_arrays(body))
        assert_same(read_body(Path(folder), record, names(**{body.identifier: body.name}), FRAMES), body)


def test_a_body_without_a_name_is_called_by_its_identifier(tmp_path: Path) -> None:
    body = random_body(3, set())
    record = recorded(tmp_path, "b3", describe_body(body), body_arrays(body))
    assert read_body(tmp_path, record, names(), FRAMES).name == "b3"


def test_every_array_has_a_place_for_the_body(scene: Scene) -> None:
    assert set(body_arrays(scene.bodies[0])) == set(BODY_ARRAYS)
    for name, array in body_arrays(scene.bodies[0]).items():
        assert array.dtype.str == BODY_ARRAYS[name][0]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda value: value.update(identifier="../b3"), "E_JOB"),
        (lambda value: value.update(velocity=[0, 0]), "E_JOB"),
        (lambda value: value.update(resolution="9"), "E_JOB"),
        (lambda value: value["material"].update(density=-1.0), "E_PARAM"),
        (lambda value: value["material"].update(unknown=1.0), "E_PARAM"),
        (lambda value: value["arrays"]["pin_weights"].update(shape=[3]), "E_JOB"),
        (lambda value: value["arrays"]["pin_targets"].update(shape=[FRAMES + 1, 2, 3]), "E_JOB"),
        (lambda value: value["arrays"].pop("axes"), "E_JOB"),
        (lambda value: value["contact"].pop("sees"), "E_JOB"),
    ],
)
def test_a_forged_body_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object], code: str) -> None:
    body = random_body(3, {"targets", "factors"})
    described = describe_body(body)
    recorded(tmp_path, "b3", described, body_arrays(body))
    with pytest.raises(XpbdError) as caught:
        read_body(tmp_path, edited(described, change), names(), FRAMES)
    assert caught.value.code == code
