# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that is simulated: its rest shape, its material, its pins. World space, SI units, float64."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .body_contact import BodyContact
from .checks import require_finite, require_indices, require_transforms
from .errors import XpbdError
from .links import Links, validate_links
from .material import Material
from .pose import Pose
from .transforms import at_frame, transformed

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# what a vertex group can scale, vertex by vertex
VERTEX_FACTORS = ("stiffness", "bending", "density", "damping", "friction", "pressure", "push", "radius")
TETRAHEDRALIZERS = ("CAGE", "FILE", "FTETWILD", "TETGEN")
# of ``Tetrahedralization.resolution``: fewest and most
RESOLUTION_RANGE = (2, 128)


@dataclass(frozen=True)
class Pins:
    """Vertices that follow a given motion: that of an object, or places of their own.

    Attributes:
        vertices: indices, shape (pins,), each once.
        weights: 1 = fixed, between 0 and 1 = soft attachment; shape (pins,), float32.
        targets: world positions [m], shape (frames or 1, pins, 3), one row where nothing moves; shape (0, 0, 3) where
            the motion is given by ``matrices``.
        matrices: from the rest pose to each frame, in the world [m], shape (frames or 1, 4, 4), one where nothing
            moves; shape (0, 4, 4) where it is given by ``targets``.
    """

    vertices: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    weights: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    targets: Floats = field(default_factory=lambda: np.zeros((1, 0, 3)))
    matrices: Floats = field(default_factory=lambda: np.zeros((0, 4, 4)))

    @classmethod
    def following(cls, vertices: Ints, weights: npt.NDArray[np.float32], matrices: Floats) -> Pins:
        """Pins that follow an object; arguments as the attributes."""
        return cls(vertices, weights, np.zeros((0, 0, 3)), matrices)

    @property
    def follows_object(self) -> bool:
        """Whether the motion is given by matrices."""
        return len(self.matrices) > 0

    def places(self, rest: Floats, frame_index: int) -> Floats:
        """Where the vertices are at a frame [m], shape (pins, 3).

        Args:
            rest: of all vertices of the mesh [m], shape (vertices, 3).
            frame_index: counted from the start.
        """
        if self.follows_object:
            return transformed(at_frame(self.matrices, frame_index), rest[self.vertices])
        return at_frame(self.targets, frame_index)

    def ascending(self) -> Pins:
        """The same pins with their vertices in ascending order."""
        if (self.vertices[1:] > self.vertices[:-1]).all():
            return self
        order = np.argsort(self.vertices)
        targets = self.targets if self.follows_object else self.targets[:, order]
        return Pins(self.vertices[order], self.weights[order], targets, self.matrices)


@dataclass(frozen=True)
class Tetrahedralization:
    """How a jelly body gets its tetrahedra.

    Attributes:
        method: one of ``TETRAHEDRALIZERS``.
        resolution: lattice cells along the longest side (CAGE), or edges along it (FTETWILD, TETGEN).
        vertices, tetrahedra: the mesh read from a file (FILE), world space [m], shapes (n, 3) and (m, 4).
    """

    method: str = "CAGE"
    resolution: int = 16
    vertices: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    tetrahedra: Ints = field(default_factory=lambda: np.zeros((0, 4), np.int32))


@dataclass(frozen=True)
class Attachment:
    """Vertices that are held to the surface of another body.

    Attributes:
        target: identifier of that body.
        vertices: indices, shape (attached,).
        weights: 1 = welded, between 0 and 1 = held softly; shape (attached,), float32.
    """

    target: str
    vertices: Ints
    weights: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Body:
    """An object that is simulated.

    Attributes:
        identifier: stable and safe in file names; never the object's name.
        name: the object's name, for messages.
        role: the name of its kind, see ``body_kinds``.
        positions: rest positions of the mesh's vertices in the world [m], shape (vertices, 3).
        face_sizes: corners per polygon, shape (polygons,).
        corners: vertex of each corner, shape (sum of face_sizes,).
        material: SI parameters.
        pins: vertices that follow a motion.
        tetrahedralization: for jelly.
        velocity: initial velocity [m/s], shape (3,).
        vertex_factors: of what ``VERTEX_FACTORS`` names, a factor for each vertex, at least 0, shape (vertices,); 1
            where absent.
        uvs: of each corner, shape (corners, 2), or (0, 2): warp runs along U.
        loose_edges: edges that belong to no face, shape (edges, 2): all segments of a strand.
        attachment: what holds it to another body, or None.
        axes: the object's own axes in the world, as the columns of a rotation, shape (3, 3): what is laid over the
            body, as a cage is, turns with it.
        contact: what the body meets.
        fields: identifiers of the force fields that act on it, each once; None for all.
        goal: a motion that vertices are drawn to; weights scale the stiffness k = w m (2πf)², so 1 is not rigid.
        start: where the vertices are when the simulation begins, in the world [m], shape (vertices, 3); shape (0, 3)
            where that is their rest positions.
        links: between vertices, that the artist has made.
        seams: shape (vertices,), or (0,) for what was not cut. Of a sheet, equal where vertices were one before they
            were split for tearing, 0 for none; of a solid, the number of the closed piece that a vertex is of.
        torn: which seams hold no more, as ``geometry.surface.seams`` or ``geometry.cage.fragments`` finds them; shape
            (seams,), or (0,) for none.
        poses: shapes that it is to have at frames, in the order of these.
    """

    identifier: str
    name: str
    role: str
    positions: Floats
    face_sizes: Ints
    corners: Ints
    material: Material = field(default_factory=Material)
    pins: Pins = field(default_factory=Pins)
    tetrahedralization: Tetrahedralization = field(default_factory=Tetrahedralization)
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    vertex_factors: Mapping[str, npt.NDArray[np.float32]] = field(default_factory=dict)
    uvs: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    loose_edges: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    attachment: Attachment | None = None
    axes: Floats = field(default_factory=lambda: np.eye(3))
    contact: BodyContact = field(default_factory=BodyContact)
    fields: tuple[str, ...] | None = None
    goal: Pins = field(default_factory=Pins)
    start: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    links: Links = field(default_factory=Links)
    seams: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    torn: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    poses: tuple[Pose, ...] = ()

    @property
    def point_size(self) -> float:
        """How large each of its points is [m]: balls and rods are, so that a single grain has a size; 0 of surfaces."""
        return 0.0 if len(self.face_sizes) else 2.0 * self.material.radius

    @property
    def vertex_count(self) -> int:
        """Number of vertices of the mesh."""
        return len(self.positions)

    @property
    def can_tear(self) -> bool:
        """Whether something of it may tear."""
        return len(self.seams) > 0 and self.material.tear_strain > 0.0


def topology_hash(vertex_count: int, face_sizes: Ints, corners: Ints, edges: Ints | None = None) -> str:
    """A digest of a mesh's connectivity: equal meshes have equal ones, an edit that keeps the count has not.

    Args:
        vertex_count: of the mesh.
        face_sizes: as in ``Body``.
        corners: as in ``Body``.
        edges: of a mesh without faces, shape (edges, 2); where there are faces they do not count.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(np.int64(vertex_count).tobytes())
    digest.update(np.ascontiguousarray(face_sizes, np.int32).tobytes())
    digest.update(np.ascontiguousarray(corners, np.int32).tobytes())
    if edges is not None and len(face_sizes) == 0:
        digest.update(np.ascontiguousarray(edges, np.int32).tobytes())
    return digest.hexdigest()


def validate_body(body: Body, frame_count: int, others: Set[str]) -> None:
    """Check what bodies of all kinds have; see ``body_kinds.validate_kind`` for the rest.

    Args:
        body: to be checked.
        frame_count: frames of the scene.
        others: identifiers of the other bodies.

    Raises:
        XpbdError: E_PARAM, E_GEOM_EMPTY, E_GEOM_NONFINITE or E_TRANSFORM_SINGULAR.
    """
    require_finite(body.positions, body.name)
    if body.vertex_count == 0:
        raise XpbdError("E_GEOM_EMPTY", "The object has no vertices.", body.name)
    _validate_pins(body, body.pins, frame_count)
    _validate_pins(body, body.goal, frame_count)
    if body.start.shape not in {(0, 3), body.positions.shape}:
        raise XpbdError("E_PARAM", "The start must be given for each vertex.", body.name)
    require_finite(body.start, body.name)
    _validate_factors(body)
    validate_links(body.links, body.vertex_count, body.name)
    if body.seams.shape not in {(0,), (body.vertex_count,)} or (body.seams < 0).any():
        raise XpbdError("E_PARAM", "Seams must be a number of at least 0 for each vertex.", body.name)
    if body.velocity.shape != (3,) or not np.isfinite(body.velocity).all():
        raise XpbdError("E_PARAM", "The initial velocity must be three finite numbers.", body.name)
    if not _is_rotation(body.axes):
        raise XpbdError("E_PARAM", "The axes must be the columns of a rotation, shape (3, 3).", body.name)
    if body.attachment is not None:
        _validate_attachment(body, body.attachment, others)


def _is_rotation(matrix: Floats) -> bool:
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        return False
    return bool(np.allclose(matrix.T @ matrix, np.eye(3), atol=1e-6)) and float(np.linalg.det(matrix)) > 0.0


def _validate_pins(body: Body, pins: Pins, frame_count: int) -> None:
    require_indices(pins.vertices, body.vertex_count, body.name)
    if len(np.unique(pins.vertices)) != len(pins.vertices):
        raise XpbdError("E_PARAM", "A vertex is pinned twice.", body.name)
    if pins.weights.shape != pins.vertices.shape or not ((pins.weights > 0) & (pins.weights <= 1)).all():
        raise XpbdError("E_PARAM", "Pin weights must be above 0 and at most 1, one for each pin.", body.name)
    if pins.follows_object:
        if len(pins.targets):
            raise XpbdError("E_PARAM", "Pins must follow matrices or targets, not both.", body.name)
        require_transforms(pins.matrices, frame_count, body.name)
        return
    if pins.targets.shape[1:] != (len(pins.vertices), 3) or len(pins.targets) not in (1, frame_count):
        raise XpbdError("E_PARAM", "Pin targets must be given for one or all frames and for each pin.", body.name)
    require_finite(pins.targets, body.name)


def _validate_attachment(body: Body, attachment: Attachment, others: Set[str]) -> None:
    if attachment.target not in others:
        raise XpbdError("E_PARAM", f"There is no other body {attachment.target!r} to attach to.", body.name)
    vertices, weights = attachment.vertices, attachment.weights
    require_indices(vertices, body.vertex_count, body.name)
    if len(np.unique(vertices)) != len(vertices):
        raise XpbdError("E_PARAM", "A vertex is attached twice.", body.name)
    if weights.shape != vertices.shape or not ((weights > 0) & (weights <= 1)).all():
        raise XpbdError("E_PARAM", "Attachment weights must be above 0 and at most 1, one for each vertex.", body.name)


def _validate_factors(body: Body) -> None:
    for name, values in body.vertex_factors.items():
        if name not in VERTEX_FACTORS or values.shape != (body.vertex_count,):
            raise XpbdError("E_PARAM", f"The vertex factor {name!r} does not fit the mesh.", body.name)
        if not (np.isfinite(values).all() and (values >= 0.0).all()):
            raise XpbdError("E_PARAM", f"The vertex factor {name!r} must be finite and at least 0.", body.name)


def validate_faces(body: Body) -> None:
    """Check the polygons of a body, and what lies on them.

    Raises:
        XpbdError: E_PARAM or E_GEOM_EMPTY.
    """
    if len(body.face_sizes) == 0:
        raise XpbdError("E_GEOM_EMPTY", "The mesh has no faces.", body.name)
    if int(body.face_sizes.sum()) != len(body.corners) or (body.face_sizes < 3).any():
        raise XpbdError("E_PARAM", "Polygons and corners do not fit together.", body.name)
    require_indices(body.corners, body.vertex_count, body.name)
    _validate_edges(body)
    if body.uvs.shape not in {(0, 2), (len(body.corners), 2)} or not np.isfinite(body.uvs).all():
        raise XpbdError("E_PARAM", "The UV map does not fit the mesh.", body.name)


def validate_segments(body: Body) -> None:
    """Check the edges of a body that is made of them.

    Raises:
        XpbdError: E_PARAM or E_GEOM_EMPTY.
    """
    if len(body.loose_edges) == 0:
        advice = "The object has no edges: a strand is made of edges, as a line of vertices or a curve has them."
        raise XpbdError("E_GEOM_EMPTY", advice, body.name)
    if len(body.face_sizes) or len(body.corners):
        raise XpbdError("E_PARAM", "A strand has no faces: give the edges as loose ones.", body.name)
    _validate_edges(body)


def _validate_edges(body: Body) -> None:
    edges = body.loose_edges
    if edges.shape[1:] != (2,):
        raise XpbdError("E_PARAM", "Loose edges must be pairs of vertices.", body.name)
    require_indices(edges.ravel(), body.vertex_count, body.name)
    if (edges[:, 0] == edges[:, 1]).any():
        raise XpbdError("E_PARAM", "A loose edge joins a vertex to itself.", body.name)


def validate_tetrahedralization(body: Body) -> None:
    """Check how a body is to get its tetrahedra.

    Raises:
        XpbdError: E_PARAM or E_GEOM_NONFINITE.
    """
    tetrahedralization = body.tetrahedralization
    if tetrahedralization.method not in TETRAHEDRALIZERS:
        raise XpbdError("E_PARAM", f"Unknown tetrahedralizer {tetrahedralization.method!r}.", body.name)
    fewest, most = RESOLUTION_RANGE
    if not fewest <= tetrahedralization.resolution <= most:
        raise XpbdError("E_PARAM", f"The cage resolution must lie between {fewest} and {most}.", body.name)
    require_finite(tetrahedralization.vertices, body.name)
    require_indices(tetrahedralization.tetrahedra.ravel(), len(tetrahedralization.vertices), body.name)
