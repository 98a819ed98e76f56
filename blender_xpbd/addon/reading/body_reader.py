# SPDX-License-Identifier: GPL-3.0-or-later
"""An object of a body in its own coordinates; ``scene_reader`` brings it into the world."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...scene.body import Attachment, Body, Pins, Tetrahedralization
from ...scene.body_contact import BodyContact
from ...scene.body_kinds import body_kind
from ...scene.errors import Notice, XpbdError
from ...scene.links import Links
from ...scene.material import Material
from ...scene.tetgen_files import read_node_ele
from ...scene.transforms import transformed
from ..data.group_settings import group_property
from ..data.properties import material_values
from .attachment_reader import LocalAttachment, read_attachment
from .body_motion import BodyMotion
from .contact_reader import LocalContact, read_contact
from .deformed_motion import DeformedMotion
from .feel import felt, felt_length, length_of
from .force_reader import chosen_fields
from .goal_reader import read_goal
from .grain_radius import fitting_radius
from .link_reader import read_links
from .mesh_reader import group_weights, has_group, pinned_key, read_mixed_shape, read_rest_shape, read_uvs
from .motion import rotation_of
from .points import NO_FACES, link_kinds, read_loose_edges, read_polygons, shown_faces, topology_of
from .pose_reader import LocalPose, read_poses
from .ride_reader import joined
from .seam_reader import read_edges, read_pieces
from .start_reader import NO_START, read_start

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

NO_UVS = np.zeros((0, 2), np.float32)
# float32 has 24 bits: at more sizes of the body than this from the origin, it visibly moves in steps
_FAR_IN_SIZES = 1e4


@dataclass(frozen=True)
class LocalBody:
    """A body before it is placed in the world.

    Attributes:
        object_uid: ``session_uid`` of the object.
        name: of the object.
        role: the name of its kind.
        rest_shape: local coordinates of what is simulated, shape (vertices, 3).
        mixed_shape: the same without a pinned shape key, which a bake takes away.
        face_sizes, corners: polygons, as in ``scene.Body``.
        material: SI values.
        pin_vertices, pin_weights: of the pins, shape (pins,).
        velocity: initial, in Blender units per second, shape (3,).
        vertex_factors: as in ``scene.Body``.
        attachment: to another object, or None.
        contact: what it meets.
        chosen_fields: ``session_uid`` of the objects whose force fields may act on it; None for all.
        key_style: the artist's wish.
        topology: digest of what is joined to what, in Blender's data.
        notices: warnings.
        tetrahedralization: with local coordinates of the vertices.
        uvs, loose_edges, links, seams: as in ``scene.Body``.
        goal_weights: of each vertex, above 0 where it has a goal, shape (vertices,); shape (0,) for no goal.
        riding: pins on objects that are not simulated.
        start: local coordinates in which it begins, shape (vertices, 3); shape (0, 3) for as its deformers show it.
        deformed: the mesh as its deformers show it, where pins and goal follow that; None where they follow the object.
        data_type: Blender's type of the object.
        poses: the shapes that it is to have at some frames, in their order.
        feels_like: as ``Object.xpbd`` has it, in metres, or 0.
    """

    object_uid: int
    name: str
    role: str
    rest_shape: Floats
    mixed_shape: Floats
    face_sizes: Ints
    corners: Ints
    material: Material
    pin_vertices: Ints
    pin_weights: npt.NDArray[np.float32]
    velocity: Floats
    vertex_factors: dict[str, npt.NDArray[np.float32]]
    attachment: LocalAttachment | None
    contact: LocalContact
    key_style: str
    topology: str
    chosen_fields: frozenset[int] | None = None
    notices: tuple[Notice, ...] = ()
    tetrahedralization: Tetrahedralization = field(default_factory=Tetrahedralization)
    uvs: npt.NDArray[np.float32] = field(default_factory=lambda: NO_UVS)
    loose_edges: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    goal_weights: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    deformed: DeformedMotion | None = None
    data_type: str = "MESH"
    links: Links = field(default_factory=Links)
    seams: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    riding: Pins = field(default_factory=Pins)
    start: Floats = field(default_factory=lambda: NO_START)
    poses: tuple[LocalPose, ...] = ()
    feels_like: float = 0.0

    def placed(
        self,
        identifier: str,
        matrices: Floats,
        unit_scale: float,
        attachment: Attachment | None,
        contact: BodyContact,
    ) -> Body:
        """The body in the world.

        Args:
            identifier: in the job.
            matrices: local to world in Blender units, shape (frames or 1, 4, 4).
            unit_scale: metres per Blender unit.
            attachment: to another body of the job.
            contact: with bodies and colliders of the job.
        """
        motion = BodyMotion(self.rest_shape, matrices, unit_scale, self.deformed)
        drawn = np.flatnonzero(self.goal_weights > 0.0).astype(np.int32)
        tetrahedra = self.tetrahedralization
        positions = transformed(matrices[0], self.rest_shape) * unit_scale
        axes = rotation_of(matrices[0][:3, :3])
        held = motion.pins(self.pin_vertices, self.pin_weights)
        frame_count = max(len(self.riding.targets), len(matrices), len(held.targets))
        return Body(
            identifier=identifier,
            name=self.name,
            role=self.role,
            positions=positions,
            face_sizes=self.face_sizes,
            corners=self.corners,
            material=felt(self.material, length_of(positions, axes), self.feels_like),
            pins=joined(held, self.riding, positions, frame_count),
            tetrahedralization=Tetrahedralization(
                tetrahedra.method,
                tetrahedra.resolution,
                transformed(matrices[0], tetrahedra.vertices) * unit_scale,
                tetrahedra.tetrahedra,
            ),
            velocity=self.velocity * unit_scale,
            vertex_factors=self.vertex_factors,
            uvs=self.uvs,
            loose_edges=self.loose_edges,
            links=self.links,
            seams=self.seams,
            attachment=attachment,
            axes=axes,
            contact=contact,
            goal=motion.pins(drawn, self.goal_weights[drawn]),
            start=transformed(matrices[0], self.start) * unit_scale if len(self.start) else motion.start(),
        )


def read_jelly(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """Read a jelly object, as ``BlenderKind.read``."""
    body, inside = _read_surface(obj, unit_scale), _read_tetrahedralization(obj)
    seams, notices = read_pieces(obj, body.face_sizes, body.corners)
    feels_like = felt_length(obj.xpbd, unit_scale)
    every = (*body.notices, *notices)
    return replace(body, tetrahedralization=inside, feels_like=feels_like, seams=seams, notices=every)


def read_cloth(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """Read a cloth object, as ``BlenderKind.read``."""
    is_woven = obj.xpbd.membrane_model == "ORTHOTROPIC"
    uvs = read_uvs(obj.data, obj.xpbd.uv_map) if is_woven else NO_UVS
    body = _read_surface(obj, unit_scale)
    seams, notices = read_edges(obj, body.face_sizes, body.corners)
    loose_edges = read_loose_edges(obj.data)
    return replace(body, uvs=uvs, loose_edges=loose_edges, seams=seams, notices=(*body.notices, *notices))


def read_grains(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """Read an object of grains, one at each vertex, as ``BlenderKind.read``."""
    body = _read_mesh(obj, unit_scale)
    radius = None if obj.xpbd.is_property_set("radius") else fitting_radius(obj)
    if radius is not None:
        body = replace(body, material=replace(body.material, radius=radius * unit_scale))
    if link_kinds(obj.data).all():
        return body
    advice = (
        "The edges and faces of the mesh do nothing but where edges are links: each vertex is a grain. To fill the "
        "inside of a mesh, use Fill with Grains."
    )
    return replace(body, notices=(*body.notices, Notice("W_IGNORED", advice, obj.name)))


def _read_surface(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """What bodies with faces have in common.

    Raises:
        XpbdError: E_GEOM_EMPTY, and as ``read_common``.
    """
    if len(obj.data.polygons) == 0:
        advice = "The mesh has no faces; the simulation needs a surface. What has edges alone can be a Strand."
        raise XpbdError("E_GEOM_EMPTY", advice, obj.name)
    return _read_mesh(obj, unit_scale)


def _read_mesh(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """What meshes have in common, with their faces if they have any."""
    body = read_common(obj, unit_scale)
    face_sizes, corners = shown_faces(body.rest_shape, *read_polygons(obj.data))
    return replace(body, face_sizes=face_sizes, corners=corners)


def read_common(obj: bpy.types.Object, unit_scale: float) -> LocalBody:
    """What bodies of all kinds have in common, as the object stands in the present frame; without what joins points.

    Raises:
        XpbdError: E_GEOM_EMPTY, E_GEOM_NONFINITE or E_PARAM.
    """
    settings = obj.xpbd
    rest_shape = read_rest_shape(obj)
    pin_vertices, pin_weights, notices = read_pins(obj)
    vertex_factors, group_notices = _read_vertex_factors(obj)
    attachment, attachment_notices = read_attachment(obj)
    contact, contact_notices = read_contact(obj, unit_scale)
    goal_weights, goal_notices = read_goal(obj)
    links, link_notices = read_links(obj, unit_scale)
    start, start_notices = read_start(obj)
    return LocalBody(
        object_uid=obj.session_uid,
        name=obj.name,
        role=settings.role,
        rest_shape=rest_shape,
        mixed_shape=rest_shape if pinned_key(obj) is None else read_mixed_shape(obj),
        face_sizes=NO_FACES,
        corners=NO_FACES,
        material=Material.from_values(material_values(settings, unit_scale), obj.name),
        pin_vertices=pin_vertices,
        pin_weights=pin_weights,
        velocity=np.array(settings.initial_velocity, np.float64),
        vertex_factors=vertex_factors,
        attachment=attachment,
        contact=contact,
        key_style=settings.key_style,
        topology=topology_of(obj.data),
        chosen_fields=chosen_fields(obj),
        notices=(
            *(*notices, *group_notices, *attachment_notices, *contact_notices),
            *(*goal_notices, *link_notices, *start_notices),
        ),
        goal_weights=goal_weights,
        data_type=obj.type,
        links=links,
        start=start,
    )


def with_poses(
    body: LocalBody, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, enabled: frozenset[int]
) -> LocalBody:
    """A body with the shapes that it is to have at some frames; arguments and errors as of ``read_poses``."""
    poses, notices = read_poses(obj, depsgraph, enabled)
    return replace(body, poses=poses, notices=(*body.notices, *notices))


def precision_notice(body: Body) -> Notice | None:
    """A warning for a body so far from the world's origin that Blender's own numbers are too coarse for it."""
    size = float(np.ptp(body.positions, axis=0).max()) + body.point_size
    distance = float(np.abs(body.positions).max())
    # what has no size is refused
    if size == 0.0 or distance <= _FAR_IN_SIZES * size:
        return None
    return Notice(
        "W_PRECISION",
        f"The object is {distance:.4g} m from the world's origin, {distance / size:.3g} times its size: "
        "Blender shows its motion in coarse steps. Move the scene closer to the origin.",
        body.name,
    )


def read_pins(obj: bpy.types.Object) -> tuple[Ints, npt.NDArray[np.float32], tuple[Notice, ...]]:
    """Pinned vertices and their weights, and a warning where that is none or all."""
    nothing = (np.zeros(0, np.int32), np.zeros(0, np.float32))
    name = obj.xpbd.pin_group
    if not name:
        return *nothing, ()
    if not has_group(obj, name):
        advice = f'There is no vertex group "{name}": nothing is pinned. Choose another pin group.'
        return *nothing, (Notice("W_PIN_GROUP", advice, obj.name),)
    weights = group_weights(obj, name)
    vertices = np.flatnonzero(weights > 0.0).astype(np.int32)
    notices: tuple[Notice, ...] = ()
    if len(vertices) == 0:
        notices = (Notice("W_PIN_GROUP", f'No vertex of "{name}" has a weight above 0: nothing is pinned.', obj.name),)
    elif (weights >= 1.0).all():
        notices = (Notice("W_ALL_PINNED", "Every vertex is pinned with weight 1: nothing will move.", obj.name),)
    return vertices, np.minimum(weights[vertices], np.float32(1.0)), notices


def _read_vertex_factors(obj: bpy.types.Object) -> tuple[dict[str, npt.NDArray[np.float32]], tuple[Notice, ...]]:
    """Weights of the vertex groups that scale the material, and a warning for each that is missing."""
    vertex_factors, notices = {}, []
    for factor in body_kind(obj.xpbd.role, obj.name).vertex_factors:
        name = getattr(obj.xpbd, group_property(factor))
        if not name:
            continue
        if not has_group(obj, name):
            notices.append(Notice("W_GROUP", f'There is no vertex group "{name}": it scales nothing.', obj.name))
        else:
            vertex_factors[factor] = group_weights(obj, name)
    return vertex_factors, tuple(notices)


def _read_tetrahedralization(obj: bpy.types.Object) -> Tetrahedralization:
    settings = obj.xpbd
    if settings.tetrahedralizer != "FILE":
        return Tetrahedralization(settings.tetrahedralizer, settings.cage_resolution)
    path = Path(bpy.path.abspath(settings.tetrahedra_file))
    vertices, tetrahedra = read_node_ele(path, obj.name)
    return Tetrahedralization("FILE", settings.cage_resolution, vertices, tetrahedra)
