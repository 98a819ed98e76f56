# SPDX-License-Identifier: GPL-3.0-or-later
"""About how many substeps a body asks for, before it is built.

The bounds are those of ``solver/system/substeps.py``, which knows the tetrahedra; here edges are told from cells and
faces. What it adds for tubes, goals that move or from which a body begins away, moving colliders and what presses is
left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice
from ...scene.falls.fall import fall_onto_colliders
from ...scene.material import Material
from ...scene.parameters.mode_parameters import takes_shares
from ...scene.scene import Scene
from ...scene.settings import EFFORTS, SOLVER_PARAMETERS
from ..measures.solid_measures import mean_edge

_MOST_SUBSTEPS = next(parameter.maximum for parameter in SOLVER_PARAMETERS if parameter.name == "maximum_substeps")
# mean edge of a cage per cell: of a cube, 0.918
_EDGE_PER_CELL = 0.918
# bounds of the solver: waves in jelly, the least edges of its height, the least fall per height, where it is hard [Pa]
_WAVE, _DAMPED_WAVE, _WAVE_EDGES, _WAVE_FALL, _HARD = 0.05, 0.035, 2.5, 0.1, 1e8
# shape and volume of jelly, hits, weight, cloth, piles
_SHAPE, _VOLUME, _HIT, _KEPT, _CLOTH, _PILE = 0.25, 4.0, 0.12, 0.007, 0.05 / 3.2, 0.0008
# what the hardness of a cage is, per modulus · h² / (ρ · edge²): of the shear modulus, and of Lamé's first parameter;
# measured on a cube of 6 cells
_PER_SHEAR, _PER_LAME = 1.05, 1.70


def substep_bound(scene: Scene, body: Body, cell: float) -> float:
    """Substeps of a frame that its material asks for at quality Normal, without the least and the most.

    Args:
        scene: that the body is in.
        body: which one.
        cell: edge of a cell of its cage, or mean edge of its faces [m]; 0 for neither.
    """
    dt = scene.frames.frame_duration
    gravity = float(np.linalg.norm(scene.gravity)) * abs(body.material.gravity_factor)
    kind = body_kind(body.role, body.name)
    if kind.is_solid and cell > 0.0:
        return _of_jelly(scene, body, _EDGE_PER_CELL * cell, gravity)
    if kind.is_sheet and cell > 0.0:
        # the nearest multiple of the default
        return 20.0 * round(dt / _CLOTH * math.sqrt(gravity / cell) / 20.0)
    if not len(body.loose_edges) and body.material.radius > 0.0:
        return dt * math.sqrt(gravity / (_PILE * body.material.radius))
    return 0.0


def cloth_bound(scene: Scene, body: Body) -> int:
    """Substeps of a frame from which on its weight does not stretch a body of cloth; 0 for what is none."""
    is_pbd = takes_shares(body.material.solver_mode, scene.settings.solver_mode)
    if is_pbd or not body_kind(body.role, body.name).is_sheet:
        return 0
    return int(substep_bound(scene, body, mean_edge(body.positions, body.face_sizes, body.corners)))


def stretched(scene: Scene) -> Iterator[Notice]:
    """Cloth of so short edges that the limit of substeps lets its weight stretch it, whatever its material."""
    settings = scene.settings
    if settings.quality not in EFFORTS:
        return
    most = settings.maximum_substeps
    wanted = max((body.material.minimum_substeps for body in scene.bodies), default=0)
    given = max(math.ceil(EFFORTS[settings.quality] * most), wanted)
    for body in scene.bodies:
        needed = cloth_bound(scene, body)
        if needed > max(most, given):
            shown = f"about {needed} show" if needed <= _MOST_SUBSTEPS else "no number that can be set shows"
            text = (
                f"Its edges are so short that its weight stretches it with {given} substeps of a frame; "
                f"{shown} it as its material is. Larger faces, or a larger object, need fewer."
            )
            yield Notice("W_QUALITY", text, body.name)


def _of_jelly(scene: Scene, body: Body, edge: float, gravity: float) -> float:
    material, dt = body.material, scene.frames.frame_duration
    ratio = min(material.poissons_ratio, 0.499)
    shear = 0.5 * material.youngs_modulus / (1.0 + ratio)
    lame = 2.0 * shear * ratio / (1.0 - 2.0 * ratio)
    excess = max(_PER_SHEAR * shear / _SHAPE, _PER_LAME * lame / _VOLUME)
    stiff = dt / edge * math.sqrt(excess / material.density)
    speed, full_on = _hit_speeds(scene, body, gravity)
    others = max(stiff, dt / (_HIT * edge) * speed, dt * math.sqrt(gravity / (_KEPT * edge)))
    height, waves = max(float(np.ptp(body.positions[:, 2])), _WAVE_EDGES * edge), 0.0
    is_fixed = (body.pins.weights >= 1.0).any() or scene.goal_reach(body, gravity) < height
    starts_warm = _starts_warm(scene, material)
    rebounds = not (is_fixed and starts_warm)
    rebounds = rebounds and full_on**2 > 2.0 * gravity * _WAVE_FALL * height
    if gravity > 0.0 and material.youngs_modulus < _HARD and rebounds:
        crossings = 2.0 * math.sqrt(material.youngs_modulus / material.density) * dt / height
        waves = crossings / (_WAVE if starts_warm else _DAMPED_WAVE)
    return max(waves, others)


def _starts_warm(scene: Scene, material: Material) -> bool:
    """Whether it is a jelly that starts warm, and damps waves less."""
    settings = scene.settings
    is_single = settings.iterations == 1 or settings.quality != "FIXED"
    is_single = is_single and not settings.measure_residual and settings.time_integration != "BDF2"
    return is_single and material.solid_model == "NEO_HOOKEAN"


def _hit_speeds(scene: Scene, body: Body, gravity: float) -> tuple[float, float]:
    """How fast it may be when it hits what is lower, within the frames, and how fast full on [m/s]; 0 for nothing."""
    own = float(body.positions[:, 2].min())
    others = [
        own - float(other.positions[:, 2].min())
        for other in scene.bodies
        if other is not body and other.contact.body_collision and body.contact.body_collision
    ]
    onto = fall_onto_colliders(scene, body)
    if onto is None and not others:
        return 0.0, 0.0
    duration = scene.frames.frame_duration * (scene.frames.count - 1)
    most = min(0.5 * gravity * duration**2, scene.goal_reach(body, gravity))
    start = float(np.linalg.norm(body.velocity))
    falls = [max(*others, fall, 0.0) for fall in onto or (0.0, 0.0)]
    way, hit = (start + math.sqrt(2.0 * gravity * min(fall, most)) for fall in falls)
    return way, hit
