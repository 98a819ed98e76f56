# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of grains for tests."""

import numpy as np

from blender_xpbd.scene.body import Body
from blender_xpbd.scene.material import Material
from tests.solver.scenes import pins, plane, scene

NOTHING = np.zeros(0, np.int32)


def grains(positions, identifier="b0", velocity=(0.0, 0.0, 0.0), pinned=(), **values):
    positions = np.asarray(positions, np.float64)
    material = Material.from_values(values)
    return Body(
        identifier,
        "Grains",
        "GRAINS",
        positions,
        NOTHING,
        NOTHING,
        material,
        pins(positions, pinned),
        velocity=np.array(velocity, np.float64),
    )


def block(counts, radius, spacing=2.2, jitter=0.1, height=0.1, seed=1):
    """Rows of grains, in layers that are turned against each other, so that no column stands."""
    random = np.random.default_rng(seed)
    rows = np.stack(np.meshgrid(*(np.arange(count) for count in counts[:2]), indexing="ij"), axis=-1).reshape(-1, 2)
    rows = (rows - rows.mean(axis=0)) * spacing * radius
    layers = []
    for number in range(counts[2]):
        angle = random.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        layers.append(np.column_stack([rows @ turn, np.full(len(rows), height + number * spacing * radius)]))
    points = np.concatenate(layers)
    return points + random.uniform(-jitter, jitter, points.shape) * radius


def bin_of_planes(half, friction=0.5):
    """A floor and four walls around the origin, which lean outwards hardly at all."""
    colliders = [plane(friction=friction)]
    for number in range(4):
        inwards = np.array([np.cos(number * np.pi / 2), np.sin(number * np.pi / 2), 0.0])
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([np.cross([0.0, 0.0, 1.0], inwards), [0.0, 0.0, 1.0], inwards])
        matrix[:3, 3] = -half * inwards
        colliders.append(plane(friction=friction, transforms=matrix[None]))
    return [type(c)(**{**vars(c), "identifier": f"c{number}"}) for number, c in enumerate(colliders)]


def grain_scene(*bodies, colliders=(), **keywords):
    return scene(*bodies, colliders=colliders, meet=True, **keywords)


def closest(positions):
    """The least distance of two points."""
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    return (apart + np.diag(np.full(len(positions), np.inf))).min()
