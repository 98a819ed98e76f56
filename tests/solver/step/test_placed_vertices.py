# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the vertices of colliders are while something is taken apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from blender_xpbd.geometry.collider.geodesic import geodesic_sphere
from blender_xpbd.scene.collider import Collider
from blender_xpbd.solver.tangles.tangles import Tangles
from tests.solver.scenes import cloth, touching

pytestmark = pytest.mark.usefixtures("taichi_cpu")

SUBSTEPS, WAY = 6, 0.06


def test_all_vertices_are_in_place_at_each_look_at_what_crosses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of which no pair is searched: crossings with them are found where they are, not where they were."""
    vertices, triangles = geodesic_sphere(30)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, 2, 3] = WAY
    ball = Collider("c0", "Ball", "MESH", poses, 0.2 * vertices[None], triangles)
    # two sheets through each other are taken apart over the ball
    sheets = [cloth(8, size=0.5, height=0.3), cloth(8, size=0.5, height=0.3, identifier="b1")]
    upright = sheets[1].positions[:, [2, 1, 0]] + np.array([-0.28, 0.03, 0.35])
    sheets[1] = replace(sheets[1], positions=upright)
    simulation = touching(*sheets, colliders=[ball], substeps=SUBSTEPS, frames=(1, 2))
    objects = simulation.system.objects
    assert objects is not None
    assert not objects.surfaces.takes_part[128:].all()
    starts = simulation.positions()[objects.vertex_particles]
    ways: list[npt.NDArray[np.floating]] = []
    begin = Tangles.begin

    def noted(self: Tangles) -> bool:
        ways.append(simulation.positions()[objects.vertex_particles] - starts)
        return begin(self)

    monkeypatch.setattr(Tangles, "begin", noted)
    simulation.advance()
    assert len(ways) >= 3
    for substep, way in enumerate(ways):
        np.testing.assert_allclose(way[:, 2], substep / SUBSTEPS * WAY, atol=1e-6)
