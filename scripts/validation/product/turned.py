# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the direction of a body in its lattice matters: the same body, held at one end, as it is and turned."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from contact_cases import shapes

from .bars import DRAG, FRAMES, GRAVITY
from .meshes import values
from .probe import Measure, Probe, product_case
from .shot import Baked, Shot, Thing

KINDS = ("L", "tapered tube", "bent tube")
# about Z, so that gravity pulls alike [degrees]
ANGLES = (30.0, 45.0)
AS_IT_IS, TURNED = "As it is", "Turned"
RADIUS = 0.12


def body(kind: str) -> tuple[shapes.Mesh, npt.NDArray[np.bool_]]:
    """A body of about 1 m of one of ``KINDS``, and which vertices are held: those of a flat end, shape (vertices,)."""
    if kind == "L":
        mesh = shapes.joined(
            shapes.box((1.0, 0.3, 0.25), (10, 3, 3)),
            shapes.moved(shapes.box((0.3, 1.0, 0.25), (3, 10, 3)), 0.35, 0.35, 0.0),
        )
        return mesh, mesh[0][:, 0] < -0.5 + 1e-6
    if kind == "tapered tube":
        curve, radii = np.linspace([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 13), np.linspace(RADIUS, 0.75 * RADIUS, 13)
    else:
        angle = np.linspace(0.0, 0.75 * np.pi, 19)
        curve = np.stack([0.5 * np.cos(angle), 0.5 * np.sin(angle), 0.15 * angle], axis=1)
        radii = np.full(19, RADIUS)
    mesh = shapes.tube(curve, radii, 16)
    return mesh, np.linalg.norm(mesh[0] - curve[0], axis=1) < 1.01 * radii[0]


def both(kind: str, angle: float) -> Shot:
    """A body as it is and turned, each held at its end and let go under a little weight."""
    mesh, is_held = body(kind)
    held = np.flatnonzero(is_held).astype(np.int32)
    meshes = ((AS_IT_IS, mesh, -1.5), (TURNED, shapes.turned(mesh, 2, float(np.radians(angle))), 1.5))
    settings = values("JELLY", damping=DRAG)
    things = (Thing(name, *shapes.moved(one, 0.0, place, 0.0), settings, pinned=held) for name, one, place in meshes)
    return Shot(tuple(things), FRAMES, gravity=GRAVITY)


def per_other(baked: Baked) -> float:
    """Sag of the turned body per that of the other, where the latter sags most."""
    first, second = ((motion[0] - motion[-1])[:, 2] for motion in (baked.motions[AS_IT_IS], baked.motions[TURNED]))
    lowest = np.argsort(first)[-9:]
    return float(second[lowest].mean() / first[lowest].mean())


SPREAD = Measure("sag per that of the body as it is", per_other, 1.0, 0.03)

CASES = (
    product_case(
        "product_turned",
        "bodies that are turned in their lattice",
        "Bodies of 1 m are held at a flat end, as they are and turned about the vertical. Gravity is weak, and nothing "
        "but the lattice of the cage tells one direction from another.",
        [Probe(f"{kind}, turned by {angle:g}°", both(kind, angle), (SPREAD,)) for kind in KINDS for angle in ANGLES],
    ),
)
