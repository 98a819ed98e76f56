# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of bodies: what each needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.scene import body_kinds
from blender_xpbd.scene.body import VERTEX_FACTORS, Body, Tetrahedralization
from blender_xpbd.scene.body_kinds import (
    BODY_KINDS,
    COMMON_FACTORS,
    BodyKind,
    body_kind,
    body_labels,
    body_roles,
    validate_kind,
)
from blender_xpbd.scene.errors import XpbdError

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([3, 3, 3, 3], np.int32), np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], np.int32)


def body(role: str) -> Body:
    return Body("b0", "Thing", role, POINTS, *FACES)


def strand(edges: list[list[int]]) -> Body:
    none = np.zeros(0, np.int32)
    return Body("b0", "Thing", "STRAND", POINTS, none, none, loose_edges=np.array(edges, np.int32))


def test_kinds_are_found_by_their_role() -> None:
    assert [body_kind(role).name for role in body_roles()] == list(body_roles())
    assert body_labels() == "Jelly, Cloth, Strand or Grains"
    with pytest.raises(XpbdError, match=r"E_PARAM.*Thing.*GAS"):
        body_kind("GAS", "Thing")
    with pytest.raises(XpbdError, match=r"E_PARAM.*Thing.*GAS"):
        validate_kind(body("GAS"))


def test_a_strand_needs_edges_and_no_faces() -> None:
    validate_kind(strand([[0, 1], [1, 2], [1, 3]]))
    with pytest.raises(XpbdError, match=r"E_GEOM_EMPTY.*Thing.*edges"):
        validate_kind(replace(strand([[0, 1]]), loose_edges=np.zeros((0, 2), np.int32)))
    with pytest.raises(XpbdError, match=r"E_PARAM.*faces"):
        validate_kind(replace(strand([[0, 1]]), face_sizes=FACES[0], corners=FACES[1]))
    for edges in ([[0, 4]], [[-1, 0]], [[2, 2]], [[0, 1, 2]]):
        with pytest.raises(XpbdError, match="E_PARAM"):
            validate_kind(strand(edges))


@pytest.mark.parametrize("role", ["JELLY", "CLOTH"])
def test_a_body_needs_faces(role: str) -> None:
    validate_kind(body(role))
    with pytest.raises(XpbdError, match="E_GEOM_EMPTY"):
        validate_kind(replace(body(role), face_sizes=FACES[0][:0], corners=FACES[1][:0]))
    with pytest.raises(XpbdError, match="E_PARAM"):
        validate_kind(replace(body(role), corners=FACES[1] + 1))


def test_only_jelly_needs_tetrahedra() -> None:
    magic = Tetrahedralization("MAGIC", 8)
    validate_kind(replace(body("CLOTH"), tetrahedralization=magic))
    with pytest.raises(XpbdError, match="E_PARAM"):
        validate_kind(replace(body("JELLY"), tetrahedralization=magic))


def test_factors_of_a_kind_are_known_and_common_ones_are_in_all() -> None:
    for kind in BODY_KINDS:
        assert set(COMMON_FACTORS) <= set(kind.vertex_factors) <= set(VERTEX_FACTORS)


def test_a_kind_without_faces_checks_none(monkeypatch: pytest.MonkeyPatch) -> None:
    points = BodyKind("POINTS", "Points", "Loose points")
    monkeypatch.setattr(body_kinds, "BODY_KINDS", (*BODY_KINDS, points))
    validate_kind(replace(body("POINTS"), face_sizes=FACES[0][:0], corners=FACES[1][:0]))
    assert body_labels() == "Jelly, Cloth, Strand, Grains or Points"
