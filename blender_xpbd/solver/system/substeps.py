# SPDX-License-Identifier: GPL-3.0-or-later
"""How many substeps suit the materials of a scene, told from its bodies without a trial.

What a substep cannot carry through a jelly shows as softness: what elasticity asks of one projection per what inertia
does is its *hardness* (``WarmStart``), and it goes with the square of the substep. Along the shape it tells of bending
and of hits. Along the volume it tells how far a body yields that is pressed, for a sweep lets pressure out through the
sides, and also of bending where the material hardly changes its volume, for tetrahedra that bend do. What is faster
than its own waves is crushed where it hits, however soft it is, and rebounds too low: a substep carries a push about
one edge far. So does what waves cross often while it touches, for the step damps them: what lies flat, as a ring.

Cloth is stretched by its weight, since one sweep over its springs carries a pull one edge far. How much goes with
h √(g/L) for edges of the length L, whatever the size and the mesh of the cloth, and whether pins hold it or what it
lies on. Tubes that have to fall into creases are stretched at least twice as much: few springs carry all of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...bodies.body_model import BodyModel, is_direct
from ...bodies.own_settings import is_pbd
from ...bodies.tubes import collapses
from ...geometry.edges import edge_lengths
from ...scene.body import Body
from ...scene.falls.fall import fall_onto_colliders
from ...scene.scene import Scene
from ...scene.settings import EFFORTS, SOLVER_PARAMETERS
from ..order.compact_pieces import is_hard
from .body_gravity import pull_of, strongest_pull
from .mode import hardness, starts_warm
from .system import System

Floats = npt.NDArray[np.float64]

MOST_SUBSTEPS = int(next(parameter.maximum for parameter in SOLVER_PARAMETERS if parameter.name == "substeps"))
FEWEST_SUBSTEPS = int(next(parameter.default for parameter in SOLVER_PARAMETERS if parameter.name == "substeps"))
# hardness along the shape up to which the volume of a ball that falls 1 m keeps within three points of the converged
# one, along the volume up to which bars bend within a tenth of it, and along the volume up to which a cube that is
# pressed to half its height keeps it: docs/experiments.md, Crushed jelly, and Substeps of rubber and of hits
SHAPE_ENOUGH = 0.25
VOLUME_ENOUGH = 4.0
PRESSED_VOLUME_ENOUGH = 0.5
# h √(g/L) up to which cotton of irregular triangles, garments and cloth without pins have a 99th percentile of strain
# of 5 %, weighted by area: it is 3.2 times as large. docs/experiments.md, Substeps of cloth
CLOTH_ENOUGH = 0.05 / 3.2
# how many times as many substeps tubes take that fall into creases, so that their strain is at most 5 %, or 1.5 times
# that of the converged run, within a tenth: docs/experiments.md, Sleeves that are held level
CREASED = 2.7
# share of its mean edge by which a jelly that hits moves in a substep, up to which balls of 1 m rebound within a tenth
# of the converged run: docs/experiments.md, Substeps of rubber and of hits
HIT_SHARE = 0.12
# 2 c T/(L n): how far waves come in a substep, there and back, per height of a jelly, up to which a ring and a slab
# that fall flat rebound within a tenth of runs with many substeps. L is at least so many mean edges, and falls of less
# than this share of L are not asked; both chosen by hand. docs/experiments.md, What lies flat rebounds too low, and
# Forces that velocities feel later
WAVE_SHARE = 0.05
# likewise where velocities do not lag behind forces, so that the step damps waves more
DAMPED_WAVE_SHARE = 0.035
WAVE_EDGES = 2.5
WAVE_FALL = 0.1
# share of their radius by which gravity moves grains in a substep, up to which piles of 25 layers hold their grains
# apart by 0.98 of touching: docs/method.md, Grains
PILE_SHARE = 0.0008
# share of its mean edge by which gravity moves a jelly on a floor in a substep: cubes of 0.1 mm to 1 m, of the default
# material, kept their shape at the first one, and were crushed from the second on. These runs are not in a script;
# between the two, no cause is named
KEPT_SHARE = 0.007
CRUSHED_SHARE = 0.03


def substeps_for_stiffness(system: System) -> int:
    """From how many substeps on jelly is as stiff as its material: hardness goes with 1/substeps²."""
    shape, volume = hardness(system)
    enough = PRESSED_VOLUME_ENOUGH if _presses(system.scene) else VOLUME_ENOUGH
    excess = max(shape / SHAPE_ENOUGH, volume / enough)
    return math.ceil(system.scene.settings.substeps * math.sqrt(excess))


def substeps_for_hits(system: System) -> int:
    """From how many substeps on a jelly moves by no more than a share of its mean edge where it first hits."""
    edges = [(_mean_edge(model), index) for index, model in enumerate(system.models) if len(model.tetrahedra)]
    travel = system.scene.frames.frame_duration / HIT_SHARE
    return math.ceil(max((travel * hit_speed(system, index) / edge for edge, index in edges if edge > 0.0), default=0))


def substeps_for_waves(system: System) -> int:
    """From how many substeps on waves that cross a jelly as it hits are not damped away, so that it rebounds.

    They cross it at c = √(E/ρ), over its height against gravity as it starts. Jelly that starts warm damps them less.
    What pins hold, or a goal within less than its height, does not fall and rebound: where its forces lag, it jiggles
    with fewer.
    """
    scene = system.scene
    settings, wanted = scene.settings, [0.0]
    # where the number is chosen, iterations that were typed before do not count
    own = settings if settings.quality == "FIXED" else replace(settings, iterations=1)
    for index, model in enumerate(system.models):
        body = model.body
        gravity = pull_of(scene, body)
        if not len(model.tetrahedra) or is_direct(body, settings) or is_hard(body, settings) or not gravity:
            continue
        height = max(float(np.ptp(_heights(scene, _start(body)))), WAVE_EDGES * _mean_edge(model))
        is_fixed = model.pin_weights.max(initial=0.0) >= 1.0 or scene.goal_reach(body, gravity) < height
        lags = starts_warm([model], own)
        if is_fixed and lags and model.held[model.tetrahedra].all():
            continue
        speed = hit_speed(system, index, full_on=True)
        if height > 0.0 and speed**2 > 2.0 * gravity * WAVE_FALL * height:
            waves = math.sqrt(body.material.youngs_modulus / body.material.density)
            crossings = 2.0 * waves * scene.frames.frame_duration / height
            wanted.append(crossings / (WAVE_SHARE if lags else DAMPED_WAVE_SHARE))
    return math.ceil(max(wanted))


def substeps_for_piles(system: System) -> int:
    """From how many substeps on grains bear each other without sinking into each other."""
    if len(system.grains) == 0:
        return 0
    gravity = strongest_pull(system.scene)
    return math.ceil(system.scene.frames.frame_duration * math.sqrt(gravity / (PILE_SHARE * system.grains.radii.min())))


def substeps_for_cloth(system: System) -> int:
    """From how many substeps on the weight of cloth does not stretch it, beyond its material, more than shows.

    It is the nearest multiple of the default.
    """
    return _substeps_for_edges(system.scene, _sheets(system))


def substeps_for_tubes(system: System) -> int:
    """Likewise for tubes of cloth that fall into creases; 0 where there are none.

    Nothing is told where they get fewer: the default *At Most* was enough for all that were measured.
    """
    scene = system.scene
    tubes = [model for model in _sheets(system) if collapses(model, model.body.material.gravity_factor * scene.gravity)]
    return _substeps_for_edges(scene, tubes, CREASED)


def _sheets(system: System) -> list[BodyModel]:
    """Cloth that is simulated by its material."""
    sheets = [model for model in system.models if len(model.body.face_sizes) and not len(model.tetrahedra)]
    return [model for model in sheets if not is_pbd(model.body, system.scene.settings)]


def _substeps_for_edges(scene: Scene, sheets: Sequence[BodyModel], factor: float = 1.0) -> int:
    """So many times what the edges of some cloth ask for, as the nearest multiple of the default."""
    travel = factor * scene.frames.frame_duration / CLOTH_ENOUGH
    efforts = [
        travel * math.sqrt(pull_of(scene, model.body) / edge) for model in sheets if (edge := _mean_edge(model)) > 0.0
    ]
    return FEWEST_SUBSTEPS * round(max(efforts, default=0.0) / FEWEST_SUBSTEPS)


def substeps_needed(system: System) -> int:
    """From how many substeps on jelly yields and bends as its material does, and grains bear each other."""
    of_jelly = max(substeps_for_stiffness(system), substeps_for_hits(system), substeps_for_waves(system))
    return max(of_jelly, substeps_for_piles(system))


def substeps_for_weight(system: System, model: BodyModel, share: float = KEPT_SHARE) -> int:
    """From how many substeps on gravity moves a body by no more than a share of its mean edge in a substep."""
    mean = _mean_edge(model)
    if mean == 0.0:
        return 0
    gravity = pull_of(system.scene, model.body)
    return math.ceil(system.scene.frames.frame_duration * math.sqrt(gravity / (share * mean)))


def substeps_for_material(system: System) -> int:
    """The substeps that the scene gets where its materials choose them.

    As many as stiffness, hits and cloth ask for, at least the default ones and at most ``maximum_substeps``. That limit
    does not hold for those that keep weight from crushing small cells, for without them a bake fails. Qualities that
    go by the materials multiply that by their effort, but never below those of the weight.
    """
    settings = system.scene.settings
    heavy = max((substeps_for_weight(system, model) for model in system.models if len(model.tetrahedra)), default=0)
    cloth = max(substeps_for_cloth(system), substeps_for_tubes(system))
    needed = min(max(substeps_needed(system), cloth), max(heavy, settings.maximum_substeps))
    normal = max(needed, min(FEWEST_SUBSTEPS, settings.maximum_substeps))
    chosen = max(math.ceil(EFFORTS.get(settings.quality, 1.0) * normal), min(heavy, normal))
    return min(max(chosen, wanted_substeps(system.scene)), MOST_SUBSTEPS)


def wanted_substeps(scene: Scene) -> int:
    """The most of what objects ask for: all of them share the substeps."""
    return max((body.material.minimum_substeps for body in scene.bodies), default=0)


def hit_speed(system: System, index: int, *, full_on: bool = False) -> float:
    """How fast a body may be at most when it hits something [m/s]; 0 where it can meet nothing.

    It is as fast as its start, its fall and what meets it make it. It comes down no farther than to the lowest point of
    other bodies and as ``fall_onto_colliders`` says, nor longer than the scene lasts, nor than what draws all of it to
    a goal lets it. Where it begins away from its goal, it swings to it.

    Args:
        system: what is simulated.
        index: of the body.
        full_on: of its fall onto colliders only what is not along them.
    """
    scene, body = system.scene, system.models[index].body
    onto = fall_onto_colliders(scene, body)
    falls = [] if onto is None else [onto.hit if full_on else onto.way]
    if system.objects is not None:
        own = float(_heights(scene, _start(body)).min())
        falls += [own - float(_heights(scene, other.positions).min()) for other in scene.bodies if other is not body]
    if not falls:
        return 0.0
    gravity = pull_of(scene, body)
    duration = scene.frames.frame_duration * (scene.frames.count - 1)
    drawn, reach = _goal_speed(scene, body), scene.goal_reach(body, gravity) + _distance_to_goal(body)
    fall = min(max(*falls, 0.0), 0.5 * gravity * duration**2, reach)
    met = max((_speed(collider.transforms, scene) for collider in scene.colliders), default=0.0)
    return math.sqrt(float(body.velocity @ body.velocity) + 2.0 * gravity * fall) + drawn + met


def _goal_speed(scene: Scene, body: Body) -> float:
    """How fast a body goes at most that is drawn to a goal as a whole [m/s]; of others it is not asked.

    It is as fast as the fastest vertex of the goal, and as what swings to it from where the body begins.
    """
    if math.isinf(scene.goal_reach(body, 1.0)):
        return 0.0
    frames = range(max(len(body.goal.matrices), len(body.goal.targets)))
    places = (body.goal.places(body.positions, frame) for frame in frames)
    step = max((_greatest_distance(*pair) for pair in itertools.pairwise(places)), default=0.0)
    rate = 2.0 * math.pi * body.material.goal_frequency * math.sqrt(float(body.goal.weights.max()))
    return step / scene.frames.frame_duration + rate * _distance_to_goal(body)


def _distance_to_goal(body: Body) -> float:
    """How far a vertex is at most from its goal when the simulation begins [m]."""
    if not len(body.goal.vertices):
        return 0.0
    return _greatest_distance(_start(body)[body.goal.vertices], body.goal.places(body.positions, 0))


def _start(body: Body) -> Floats:
    """Where the vertices are when the simulation begins [m], shape (vertices, 3)."""
    return body.start if len(body.start) else body.positions


def _greatest_distance(first: Floats, second: Floats) -> float:
    return float(np.linalg.norm(second - first, axis=1).max(initial=0.0))


def _heights(scene: Scene, points: Floats) -> Floats:
    """How high points are against gravity [m]."""
    length = float(np.linalg.norm(scene.gravity))
    heights: Floats = points @ (-scene.gravity / length if length > 0.0 else np.zeros(3))
    return heights


def _speed(transforms: Floats, scene: Scene) -> float:
    """How fast the origin of a collider is at most [m/s]."""
    steps = np.linalg.norm(np.diff(transforms[:, :3, 3], axis=0), axis=1)
    return float(steps.max(initial=0.0)) / scene.frames.frame_duration


def _mean_edge(model: BodyModel) -> float:
    lengths = edge_lengths(model.positions, model.edges)
    return float(lengths.mean()) if len(lengths) else 0.0


def _presses(scene: Scene) -> bool:
    """Whether something moves that may press a body: a collider, or pins against one."""
    moves = any(len(collider.transforms) > 1 or len(collider.positions) > 1 for collider in scene.colliders)
    pulls = any(max(len(body.pins.matrices), len(body.pins.targets)) > 1 for body in scene.bodies)
    return moves or (pulls and len(scene.colliders) > 0)
