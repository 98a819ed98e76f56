# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a substep takes, by what there is to simulate; how fast a bake went, kept for what the next one is told."""

from __future__ import annotations

import hashlib
from dataclasses import fields

from ...scene.body import Body
from ...scene.body_kinds import body_kind
from ...scene.collider_shapes import collider_shape
from ...scene.scene import Scene
from ..process.compiling_ahead import known_kernels
from ..process.speeds import FAMILY_END, note_times, read_speeds
from .body_kinds import blender_kind
from .needs import tetrahedra
from .report import BakeSummary

# what a substep takes more where edges and faces meet others [s]: Suzanne on a ball of 1,280 triangles took 3.5 ms, a
# cloth of 2,601 vertices with Self on one of 960 took 2.5, on two cores
MEETING_SECONDS = 2.5e-3
# what it takes to compile kernels that are not there, and more where surfaces meet surfaces [s]; of five scenes,
# docs/performance.md. It goes by what it took here, as soon as there is a bake that compiled some
COMPILE_SECONDS, MEETING_COMPILE_SECONDS = 4.0, 15.0
# of fewer seconds nothing is told [s]
_LEAST_SECONDS = 0.2


def note_pace(scene: Scene, summary: BakeSummary) -> None:
    """Keep what a bake tells of this machine, if it has solved all of its scene's frames.

    Args:
        scene: that was baked.
        summary: of the bake.
    """
    if summary.from_cache or summary.resumed_after is not None or scene.region is not None:
        return
    kernels, solved = kernels_of(scene), summary.seconds.get("worker_solve", 0.0)
    frames = scene.frames.count - 1 + scene.settings.preroll
    expected = summary.substeps * frames * (meeting_seconds(scene) + sum(map(substep_seconds, scene.bodies)))
    # frames of few elements take what begins each of them, and tell nothing of elements
    is_telling = min(solved, expected) >= _LEAST_SECONDS
    compiled = summary.seconds.get("worker_compile", 0.0)
    preparing = compiled / compile_seconds(scene) if compiled > 0.0 and kernels not in known_kernels() else None
    note_times(kernels, solved / expected if is_telling else read_speeds().of(kernels), preparing)


def element_count(body: Body) -> float:
    """Tetrahedra of a jelly, segments of strands, else vertices."""
    if body_kind(body.role, body.name).is_solid:
        return tetrahedra(body)
    return float(len(body.loose_edges) if len(body.face_sizes) == 0 and len(body.loose_edges) else body.vertex_count)


def substep_seconds(body: Body) -> float:
    """What all elements of a body take in a substep, on the machine of docs/performance.md [s]."""
    return blender_kind(body.role).seconds * element_count(body)


def meeting_seconds(scene: Scene) -> float:
    """What a substep takes more where surfaces meet surfaces [s]."""
    return MEETING_SECONDS if meets(scene) else 0.0


def compile_seconds(scene: Scene) -> float:
    """What it takes to compile all kernels of a scene, on the machine of docs/performance.md [s]."""
    return COMPILE_SECONDS + (MEETING_COMPILE_SECONDS if meets(scene) else 0.0)


def meets(scene: Scene) -> bool:
    """Whether a body meets a mesh, another body or itself."""
    return any(meets_something(body, scene) for body in scene.bodies)


def meets_something(body: Body, scene: Scene) -> bool:
    """Whether one of the bodies of a scene meets a mesh, another body or itself."""
    contact = body.contact
    meshes = (one for one in scene.colliders if collider_shape(one.shape).needs_mesh)
    is_met = any(contact.sees is None or one.identifier in contact.sees for one in meshes)
    others = (one for one in scene.bodies if one.identifier != body.identifier)
    return (
        is_met or contact.self_collision or (contact.body_collision and any(o.contact.body_collision for o in others))
    )


def kernels_of(scene: Scene) -> str:
    """What decides which kernels a scene needs, as far as the add-on can tell: scenes of one kind.

    Its family, the roles of its bodies and whether they meet, and a digest of the rest.
    """
    settings = scene.settings
    told = {
        settings.solver_mode,
        settings.time_integration,
        settings.precision,
        settings.device,
        f"meets {meets(scene)}",
    }
    told |= {collider.shape for collider in scene.colliders} | {one.kind for one in scene.forces}
    for body in scene.bodies:
        choices = ((one.name, getattr(body.material, one.name)) for one in fields(body.material))
        told |= {f"{body.role} {name} {value}" for name, value in choices if isinstance(value, str | bool)}
        held = (len(body.pins.vertices), len(body.goal.vertices), len(body.links.pairs), body.attachment is not None)
        told.add(f"{body.role} {[bool(one) for one in held]}")
    family = "+".join(sorted({body.role for body in scene.bodies})) + ("*" if meets(scene) else "")
    return f"{family}{FAMILY_END}{hashlib.sha256(chr(10).join(sorted(told)).encode()).hexdigest()[:16]}"
