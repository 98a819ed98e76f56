# SPDX-License-Identifier: GPL-3.0-or-later
"""NPZ: the frames of objects as NumPy reads them, in the world and in metres, without pickle."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt

from ...jobs.arrays import npy_header
from ..reading.points import NO_FACES, read_polygons, read_segments
from .local_motion import LocalMotion


def write_npz(context: bpy.types.Context, path: Path, motions: Sequence[LocalMotion]) -> None:
    """Write the kept frames of objects, one after the other.

    Each object has, under its name: ``/frames``, shape (frames,), with parts of frames where there are subframes;
    ``/positions`` in the world [m] and ``/velocities`` [m/s], shape (frames, vertices, 3), float32; and its polygons as
    ``/face_sizes`` (polygons,) and ``/corners``. What has no polygons has ``/edges``, shape (edges, 2).
    ``fps`` is the scene's.

    Args:
        context: its scene has the objects; its frame may change.
        path: of the file.
        motions: of the objects.
    """
    render = context.scene.render
    with zipfile.ZipFile(path, "w") as archive:
        _write_arrays(archive, {"fps": np.array(render.fps / render.fps_base)})
        for motion in motions:
            baked = motion.baked
            placed = motion.placed(context)
            times = placed.times()
            frames = np.array(times, np.int32 if motion.samples_per_frame == 1 else np.float64)
            name, data = baked.obj.name, baked.obj.data
            face_sizes, corners = read_polygons(data) if baked.obj.type == "MESH" else (NO_FACES, NO_FACES)
            arrays = {"frames": frames, "face_sizes": face_sizes, "corners": corners}
            if len(face_sizes) == 0:
                arrays["edges"] = read_segments(data)
            _write_arrays(archive, {f"{name}/{kind}": values for kind, values in arrays.items()})
            shape = (len(frames), baked.body.vertex_count, 3)
            for kind, values_at in (("positions", placed.positions), ("velocities", placed.velocities)):
                with archive.open(f"{name}/{kind}.npy", "w", force_zip64=True) as file:
                    file.write(npy_header("<f4", shape))
                    for time in times:
                        file.write(values_at(time).astype("<f4").tobytes())


def _write_arrays(archive: zipfile.ZipFile, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
    for name, array in arrays.items():
        with archive.open(f"{name}.npy", "w") as file:
            file.write(npy_header(array.dtype.str, array.shape))
            file.write(array.tobytes())
