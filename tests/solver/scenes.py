# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes for tests of the solver."""

from dataclasses import replace

import numpy as np

from blender_xpbd.bodies.body_model import BodyModel
from blender_xpbd.constraints.distance import build_distance
from blender_xpbd.scene.body import Body, Pins, Tetrahedralization
from blender_xpbd.scene.body_contact import BodyContact
from blender_xpbd.scene.collider import Collider
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.system.system import assemble, build_system
from tests.geometry.surfaces import cube

GRAVITY = 9.81
APART = BodyContact(self_collision=False, body_collision=False)


def grid(count, size=1.0, height=0.0):
    """Positions, face sizes and corners of a square of quads in the XY plane."""
    line = np.linspace(-size / 2, size / 2, count)
    x, y = np.meshgrid(line, line, indexing="ij")
    positions = np.stack([x.ravel(), y.ravel(), np.full(x.size, height)], axis=1)
    index = np.arange(count * count).reshape(count, count)
    corners = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    return positions, np.full(len(corners), 4, np.int32), corners.ravel().astype(np.int32)


def pins(positions, vertices, weights=1.0, targets=None):
    vertices = np.asarray(vertices, np.int32)
    weights = np.broadcast_to(np.float32(weights), vertices.shape)
    return Pins(vertices, weights, positions[None, vertices] if targets is None else targets)


def cloth(count=10, size=1.0, height=0.0, pinned=(), identifier="b0", **values):
    positions, sizes, corners = grid(count, size, height)
    material = Material.from_values({"internal_damping": 0.0, **values})
    return Body(identifier, "Cloth", "CLOTH", positions, sizes, corners, material, pins(positions, pinned))


def creased(body):
    """The positions of a level sheet with waves and one fold, of 112°: it bends by its hinges, and not as a plate."""
    x, y = body.positions[:, 0], body.positions[:, 1]
    ridge = np.unique(y.round(9))[1]
    return body.positions + np.outer(0.05 * np.sin(4.0 * x) + 1.5 * np.abs(y - ridge), [0.0, 0.0, 1.0])


def jelly_of(surface, material):
    """A jelly in a cage of eight cells, from positions [m] and triangles."""
    positions, triangles = surface
    return Body(
        "b0",
        "Jelly",
        "JELLY",
        positions,
        np.full(len(triangles), 3, np.int32),
        triangles.ravel().astype(np.int32),
        material,
        tetrahedralization=Tetrahedralization("CAGE", 8),
    )


def jelly_cube(size, height=0.1, resolution=8, **material):
    """A cube of jelly, ``height`` times its size over the floor."""
    corners, triangles = cube()
    positions = size * (0.5 * corners + [0.0, 0.0, 0.5 + height])
    sizes = np.full(len(triangles), 3, np.int32)
    return Body(
        "b0",
        "Cube",
        "JELLY",
        positions,
        sizes,
        triangles.ravel().astype(np.int32),
        Material.from_values(material),
        tetrahedralization=Tetrahedralization("CAGE", resolution),
    )


def scene(
    *bodies,
    colliders=(),
    forces=(),
    frames=(1, 50),
    duration=1 / 24,
    gravity=(0.0, 0.0, -GRAVITY),
    meet=False,
    **settings,
):
    """A scene, in which bodies pass through each other and themselves unless they are to meet."""
    frame_range = FrameRange(frames[0], frames[1], 1, duration)
    if not meet:
        bodies = tuple(replace(body, contact=APART) for body in bodies)
    return Scene(bodies, tuple(colliders), frame_range, SolverSettings(**settings), np.array(gravity), tuple(forces))


def solver(*bodies, path="SERIAL", **keywords):
    """A solver in which mesh colliders are met by points alone, as on graphics cards; contact has its own tests."""
    system = build_system(scene(*bodies, **keywords))
    if system.objects is not None and len(system.objects.vertices):
        names = ("positions", "velocities", "inverse_masses", "damping_times")
        first = int(system.objects.vertices[:, 1].min())
        system = replace(system, **{name: getattr(system, name)[:first] for name in names})
    return Solver(replace(system, objects=None), (path,))


def touching(*bodies, path="SERIAL", **keywords):
    """A solver in which surfaces touch each other and themselves."""
    meeting = [replace(body, contact=replace(body.contact, self_collision=True)) for body in bodies]
    return Solver(build_system(scene(*meeting, meet=True, **keywords)), (path,))


def particles(positions, masses, pairs, compliance, damping=0.0, **keywords):
    """A solver of bare particles, fixed where the mass is 0, held by distance constraints."""
    positions = np.asarray(positions, np.float64)
    body = Body("b0", "Particles", "CLOTH", positions, np.zeros(0, np.int32), np.zeros(0, np.int32),
                Material(internal_damping=0.0, damping=damping))  # fmt: skip
    own = np.arange(len(positions), dtype=np.int32)
    blocks = (build_distance(positions, np.asarray(pairs, np.int32).reshape(-1, 2), compliance),) if len(pairs) else ()
    model = BodyModel(
        body=body,
        positions=positions,
        masses=np.asarray(masses, np.float64),
        blocks=blocks,
        elements=np.repeat(own[:, None], 4, axis=1),
        weights=np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1)),
        pin_weights=np.zeros(len(positions)),
        edges=np.zeros((0, 2), np.int32),
    )
    return Solver(assemble(scene(body, **keywords), (model,)))


def plane(height=0.0, angle=0.0, friction=0.5, restitution=0.0, transforms=None):
    """A plane, tilted about the Y axis so that it falls towards +X."""
    matrix = np.eye(4)
    matrix[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    matrix[2, 3] = height
    return Collider(
        "c0", "Plane", "PLANE", matrix[None] if transforms is None else transforms, friction=friction,
        restitution=restitution,
    )  # fmt: skip


def mesh_box(half, transforms=None, friction=0.5):
    """A closed box of the given half edge."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)], np.int32)
    transforms = np.eye(4)[None] if transforms is None else transforms
    return Collider("c0", "Box", "MESH", transforms, (signs * half)[None], triangles, friction=friction)


def run(simulation, frames):
    """World positions of all particles after a number of frames."""
    for _ in range(frames):
        simulation.advance()
    return simulation.positions() + simulation.system.origin
