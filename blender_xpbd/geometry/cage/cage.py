# SPDX-License-Identifier: GPL-3.0-or-later
"""A cage of tetrahedra around a surface mesh, and the mesh embedded in it.

Any mesh with a volume gets one: open, self-intersecting or of several parts. The tetrahedra are those of a
body-centred cubic lattice that hold a piece of the surface or of its inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...scene.body import RESOLUTION_RANGE
from ...scene.errors import Notice, XpbdError
from ..solid.embedding import barycentric_weights, nearest_points
from ..solid.masses import tetrahedron_masses
from ..surface.orientation import disagreeing_triangles
from ..surface.surface_volume import SurfaceReport, examine_surface
from .balance import balance_factors
from .filling import inside_shares
from .inside import Grid, Insideness, cross_rays, vote
from .lattice import TETRAHEDRA_PER_CELL, TETRAHEDRON_VOLUME, Lattice
from .mending import mend
from .pieces import Pieces, PieceTable, find_pieces, sample_tetrahedra_table
from .sampling import sample_surface
from .stiffness import stiffness_shares
from .thinness import thin_tetrahedra, thinness_notices

# Samples per lattice cell along each axis; their offsets leave no tetrahedron without samples. Chosen by
# hand: they find pieces; the fill of closed meshes comes from rays.
SAMPLE_RATE = 4
SAMPLE_OFFSETS = ((0.51063946, 0.51063946), (0.90541733, 0.90541733), (0.17974365, 0.17974365))
# Surface samples per lattice cell along a line. Chosen by hand: fewer miss cells that the surface grazes.
SURFACE_RATE = 4
# A tetrahedron that holds surface but no inside sample counts as this full before the total is set right.
# Chosen by hand: it must not be 0, and hardly weigh.
LEAST_FILL = 0.01
# Share of a solid that its surface may wind around twice, for the solid to be what the surface encloses. Chosen
# by hand.
LEAST_OVERLAP = 0.001
# Loose vertices × others compared at most: beyond, only some of the others are. Chosen by hand, against long searches.
PAIRS_LIMIT = 200_000_000
# A body flatter than this share of a cube of its longest side has no volume.
LEAST_VOLUME = 1e-7


@dataclass(frozen=True)
class Cage:
    """A cage and the embedding of a mesh in it.

    Attributes:
        vertices: positions [m], shape (cage vertices, 3), float64.
        tetrahedra: shape (tetrahedra, 4), int32, each of positive volume.
        fill: share of each tetrahedron inside the mesh, shape (tetrahedra,), float64, above 0 and at most 1. Σ fill ·
            volume is the mesh's volume.
        stiffness: share of the material's stiffness of each tetrahedron, shape (tetrahedra,), float32, positive.
        mass_factors: what to multiply masses of the vertices by, after they are lumped, shape (cage vertices,),
            float64, positive: then each connected part has the mass and the centre of mass of what its surface
            encloses. 1 where that is not known, as for open surfaces.
        embedding_tetrahedra: the tetrahedron of each of the mesh's vertices, shape (mesh vertices,), int32.
        embedding_weights: its barycentric coordinates there, shape (mesh vertices, 4), float64.
        surface_tetrahedra: the tetrahedron of a point on the surface, one for each tetrahedron that holds a piece of
            the surface but no vertex of the mesh, shape (points,), int32: with the vertices they cover the surface.
        surface_weights: their barycentric coordinates there, shape (points, 4), float64.
        volume: of the solid [m³].
        notices: ``W_TET_REPAIRED`` if the surface is open, not a manifold or cuts itself; ``W_THIN`` if much of the
            mesh is thinner than two cells.
    """

    vertices: np.ndarray
    tetrahedra: np.ndarray
    fill: np.ndarray
    stiffness: np.ndarray
    mass_factors: np.ndarray
    embedding_tetrahedra: np.ndarray
    embedding_weights: np.ndarray
    surface_tetrahedra: np.ndarray
    surface_weights: np.ndarray
    volume: float
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Frame:
    """Lattice coordinates: lattice = (world − origin) · scale + shift."""

    origin: np.ndarray
    scale: float
    shift: np.ndarray
    cells: tuple[int, int, int]

    def to_lattice(self, positions: np.ndarray) -> np.ndarray:
        """World positions [m] in lattice units."""
        return (positions - self.origin) * self.scale + self.shift

    def to_world(self, points: np.ndarray) -> np.ndarray:
        """Lattice points as world positions [m]."""
        return (points - self.shift) / self.scale + self.origin


def build_cage(
    positions: np.ndarray,
    triangles: np.ndarray,
    resolution: int,
    object_name: str = "",
    weld: bool = False,
    frame: Frame | None = None,
) -> Cage:
    """Build a cage around a mesh.

    Parts of the mesh that share a lattice cell and do not hang together there each get their own copy of its
    tetrahedra, so that they can part. Vertices in the same place count as one.

    Args:
        positions: vertices [m], shape (vertices, 3), finite. Loose ones are bound to the nearest tetrahedron.
        triangles: the mesh's usable triangles, shape (triangles, 3).
        resolution: lattice cells along the longest side of the mesh's box.
        object_name: named in errors and notices.
        weld: never duplicate tetrahedra: whatever passes through one is stuck together.
        frame: of the lattice, around more than this mesh; None for its own.

    Returns:
        The cage.

    Raises:
        XpbdError: ``E_PARAM`` for a resolution out of range, ``E_GEOM_EMPTY`` without triangles, ``E_GEOM_NONFINITE``,
            ``E_TET_VOLUME`` for a mesh that encloses nothing, as a plane.
    """
    positions = np.asarray(positions, dtype=np.float64)
    triangles = np.asarray(triangles, dtype=np.int64)
    _check_input(positions, triangles, resolution, object_name)
    frame = frame or make_frame(positions, triangles, resolution)
    points = frame.to_lattice(positions)
    welded = _weld_vertices(points, triangles)
    report = examine_surface(points, welded)
    solid = report
    if report.turned_edges:
        turned = disagreeing_triangles(points, welded)[:, None]
        triangles, welded = np.where(turned, triangles[:, ::-1], triangles), np.where(turned, welded[:, ::-1], welded)
        solid = examine_surface(points, welded)
    x, y, z = frame.cells
    lattice = Lattice(frame.cells)
    grid = Grid((x * SAMPLE_RATE, y * SAMPLE_RATE, z * SAMPLE_RATE), SAMPLE_RATE, SAMPLE_OFFSETS)
    crossings = [cross_rays(points, welded, grid, axis) for axis in range(3)]
    inside = vote(grid, crossings)
    volume = _solid_volume(solid, inside)
    wound = abs(int(inside.depth.sum(dtype=np.int64)))
    # closed, and nowhere around a place twice: the divergence theorem holds
    is_plain = solid.is_closed and abs(wound - np.count_nonzero(inside.depth)) <= LEAST_OVERLAP * wound
    if volume < LEAST_VOLUME * resolution**3:
        message = "the mesh encloses no volume; thicken or close it, or make it cloth"
        raise XpbdError("E_TET_VOLUME", message, object_name)
    samples = sample_surface(points, welded, 1.0 / SURFACE_RATE)
    found = find_pieces(lattice, grid, inside.depth, crossings, samples, weld)
    del crossings
    pieces, vertices, tetrahedra = mend(lattice, found)
    elements = _bind_vertices(lattice, points, triangles, pieces, pieces.of_sample[samples.corner_samples])
    between = _samples_between(pieces.of_sample, elements)
    surface = pieces.of_sample[between]
    shares = _inside_shares(lattice, grid, pieces, (points, welded) if solid.is_closed else None)
    fill = _fill(pieces, shares, volume)
    factors = np.ones(len(vertices))
    if is_plain:
        masses = tetrahedron_masses(vertices, tetrahedra, 1.0, fill)
        factors = balance_factors(vertices, tetrahedra, masses, points, triangles, elements)
    is_thin = thin_tetrahedra(tetrahedra, pieces.is_whole)
    filled = fill * TETRAHEDRON_VOLUME
    thin = thinness_notices(is_thin, filled, points, triangles, elements, resolution, object_name)
    return Cage(
        vertices=frame.to_world(vertices),
        tetrahedra=tetrahedra,
        fill=fill,
        stiffness=stiffness_shares(tetrahedra, fill),
        mass_factors=factors,
        embedding_tetrahedra=elements.astype(np.int32),
        embedding_weights=barycentric_weights(points, vertices[tetrahedra[elements]]),
        surface_tetrahedra=surface.astype(np.int32),
        surface_weights=barycentric_weights(samples.points[between], vertices[tetrahedra[surface]]),
        volume=volume / frame.scale**3,
        notices=(*_notices(report, inside, object_name), *thin),
    )


def _check_input(positions: np.ndarray, triangles: np.ndarray, resolution: int, object_name: str) -> None:
    """Refuse what no cage can be built from."""
    low, high = RESOLUTION_RANGE
    if not low <= resolution <= high:
        raise XpbdError("E_PARAM", f"the cage's resolution is {resolution}; choose {low} to {high}", object_name)
    if len(triangles) == 0:
        raise XpbdError("E_GEOM_EMPTY", "the mesh has no usable faces; give it faces with an area", object_name)
    finite = np.isfinite(positions).all(axis=1)
    if not finite.all():
        message = f"vertex {int(np.argmin(finite))} has a coordinate that is not finite; move or delete it"
        raise XpbdError("E_GEOM_NONFINITE", message, object_name)
    if np.ptp(positions[triangles.reshape(-1)], axis=0).max() == 0.0:
        raise XpbdError("E_TET_VOLUME", "all faces of the mesh lie in one point; scale it up", object_name)


def make_frame(positions: np.ndarray, triangles: np.ndarray, resolution: int) -> Frame:
    """Lattice coordinates with the mesh in the middle and an empty cell all around it.

    Args:
        positions: vertices [m], shape (vertices, 3).
        triangles: shape (triangles, 3).
        resolution: lattice cells along the longest side of the mesh's box.
    """
    used = positions[np.unique(triangles)]
    low, extent = used.min(axis=0), np.ptp(used, axis=0)
    scale = resolution / float(extent.max())
    cells = np.maximum(np.ceil(extent * scale - 1e-9), 1.0)
    shift = 1.0 + 0.5 * (cells - extent * scale)
    x, y, z = (int(count) + 2 for count in cells)
    return Frame(low, scale, shift, (x, y, z))


def _weld_vertices(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The triangles with one vertex number for all vertices at one place."""
    order = np.lexsort(points.T)
    ordered = points[order]
    is_new = np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)]
    leader = np.empty(len(points), dtype=np.int64)
    leader[order] = order[np.maximum.accumulate(np.where(is_new, np.arange(len(points)), 0))]
    return leader[triangles]


def _solid_volume(report: SurfaceReport, inside: Insideness) -> float:
    """Volume in lattice units: exact for a closed surface, else from the samples.

    Where a closed surface winds around a place more than once, its signed volume counts that place as often; the
    samples tell by how much.
    """
    cell = 1.0 / SAMPLE_RATE**3
    counted = float(np.count_nonzero(inside.depth)) * cell
    if not report.is_closed:
        return counted
    wound = float(inside.depth.sum(dtype=np.int64)) * cell
    if counted == 0.0 or wound == 0.0:
        return abs(report.signed_volume)
    estimate = abs(report.signed_volume) * counted / abs(wound)
    # Parts that are inside out cancel in the signed volume; then the samples are all there is.
    return estimate if np.sign(wound) * report.signed_volume > 0.0 and abs(wound) >= counted * 0.999 else counted


def _bind_vertices(
    lattice: Lattice, points: np.ndarray, triangles: np.ndarray, pieces: Pieces, of_corner: np.ndarray
) -> np.ndarray:
    """Each mesh vertex's piece: the one around it, or for a loose vertex outside that of the nearest other vertex."""
    elements = np.full(len(points), -1, dtype=np.int64)
    elements[triangles] = of_corner
    used = np.flatnonzero(elements >= 0)
    loose = np.flatnonzero(elements < 0)
    within = loose[((points[loose] > 0.5) & (points[loose] < np.array(lattice.shape) - 0.5)).all(axis=1)]
    asked, found = PieceTable(pieces).find(lattice.locate(points[within]))
    elements[within[asked]] = found
    loose = np.flatnonzero(elements < 0)
    if len(loose):
        used = used[:: 1 + len(loose) * len(used) // PAIRS_LIMIT]
        elements[loose] = elements[used[nearest_points(points[loose], points[used])]]
    return elements


def _samples_between(of_sample: np.ndarray, elements: np.ndarray) -> np.ndarray:
    """One surface sample of each piece that holds no mesh vertex: the middle one in the order of the samples."""
    order = np.argsort(of_sample, kind="stable")
    owners, begins, counts = np.unique(of_sample[order], return_index=True, return_counts=True)
    free = (owners >= 0) & ~np.isin(owners, elements)
    return order[(begins + counts // 2)[free]]


def _inside_shares(
    lattice: Lattice, grid: Grid, pieces: Pieces, closed: tuple[np.ndarray, np.ndarray] | None
) -> np.ndarray:
    """The share of each piece's tetrahedron that is this piece's, shape (pieces,).

    Args:
        lattice: the lattice.
        grid: sample points.
        pieces: the pieces.
        closed: points and triangles of a closed surface, else None: then samples are all there is.
    """
    if closed is None:
        _, counts = sample_tetrahedra_table(lattice, grid)
        return pieces.inside_samples / counts[pieces.tetrahedron % TETRAHEDRA_PER_CELL]
    asked = np.zeros(lattice.tetrahedron_count, dtype=bool)
    asked[pieces.tetrahedron[~pieces.is_whole]] = True
    shares = np.where(pieces.is_whole, 1.0, inside_shares(lattice, *closed, asked)[pieces.tetrahedron])
    # Pieces of one tetrahedron share by samples; one sample more for each, so that there are any.
    samples = pieces.inside_samples + 1.0
    _, of_tetrahedron = np.unique(pieces.tetrahedron, return_inverse=True)
    return shares * samples / np.bincount(of_tetrahedron, samples)[of_tetrahedron]


def _fill(pieces: Pieces, fill: np.ndarray, volume: float) -> np.ndarray:
    """The share of each tetrahedron that is inside, so that the shares sum to the volume (in lattice units)."""
    partial = ~pieces.is_whole
    fill[partial] = np.clip(fill[partial], LEAST_FILL, 1.0)
    target = volume / TETRAHEDRON_VOLUME
    # Scaling may push some above 1, which are cut; a few rounds spread the rest over the others.
    for _ in range(8):
        room = partial & (fill < 1.0)
        rest = target - fill[~room].sum()
        if not room.any() or rest <= 0.0:
            break
        fill[room] = np.minimum(fill[room] * (rest / fill[room].sum()), 1.0)
    return fill * min(target / fill.sum(), 1.0)


def _notices(report: SurfaceReport, inside: Insideness, object_name: str) -> tuple[Notice, ...]:
    """What is wrong with the surface, and how sure its volume is."""
    samples = max(int(np.count_nonzero(inside.depth)), 1)
    faults = list(report.faults())
    overlap = int((np.abs(inside.depth) > 1).sum()) / samples
    if overlap > 0.002:
        faults.append(f"parts overlap in {overlap:.1%} of the volume")
    if not faults:
        return ()
    unsure = min(inside.disagreement / samples, 1.0)
    message = f"the surface was repaired ({', '.join(faults)}); its volume is uncertain by about {unsure:.1%}"
    return (Notice("W_TET_REPAIRED", message, object_name),)
