# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars of jelly that were cut into closed pieces, as Make Tearable leaves them."""

from dataclasses import replace

import numpy as np

from blender_xpbd.scene.body import Body, Tetrahedralization
from blender_xpbd.scene.material import Material

WIDTH = 0.1


def cut_bar(count=5, length=0.5, slant=0.3, resolution=16, **material):
    """A bar along X of ``count`` pieces that aslant planes part; its ends are upright."""
    square = WIDTH * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    quads = [[0, 3, 2, 1], [4, 5, 6, 7], *([i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i] for i in range(4))]
    places, corners = [], []
    for number in range(count):
        for plane in (number, number + 1):
            lean = slant if 0 < plane < count else 0.0
            along = length * plane / count + lean * (square[:, 1] - WIDTH / 2.0)
            places.append(np.column_stack([along, square]))
        corners.append(np.array(quads) + 8 * number)
    return Body(
        "b0",
        "Bar",
        "JELLY",
        np.concatenate(places),
        np.full(6 * count, 4, np.int32),
        np.concatenate(corners).ravel().astype(np.int32),
        Material.from_values(material),
        tetrahedralization=Tetrahedralization("CAGE", resolution),
        seams=np.repeat(np.arange(1, count + 1), 8).astype(np.int32),
    )


def whole_bar(**material):
    """The same bar in one piece: without the faces between the pieces."""
    body = cut_bar(**material)
    quads, along = body.corners.reshape(-1, 4), body.positions[:, 0]
    kinds = np.arange(len(quads)) % 6
    outer = (kinds > 1) | (along[quads] < 1e-6).all(axis=1) | (along[quads] > along.max() - 1e-6).all(axis=1)
    return replace(
        body,
        face_sizes=body.face_sizes[outer],
        corners=quads[outer].ravel(),
        seams=np.zeros(0, np.int32),
    )
