# SPDX-License-Identifier: GPL-3.0-or-later
"""What every array of a scene has to be: finite, in range, one row per frame or a single one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .errors import XpbdError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# below this determinant a transform has no inverse
_SMALLEST_DETERMINANT = 1e-30


def require_finite(points: Floats, name: str) -> None:
    """Refuse points, shape (…, points, 3), of which one is at no finite place.

    Raises:
        XpbdError: E_GEOM_NONFINITE, with the number of the point.
    """
    bad = np.argwhere(~np.isfinite(points).all(axis=-1))
    if len(bad):
        raise XpbdError("E_GEOM_NONFINITE", f"Vertex {int(bad[0, -1])} is at no finite place; move or delete it.", name)


def require_indices(indices: Ints, count: int, name: str) -> None:
    """Refuse indices that are not those of ``count`` things.

    Raises:
        XpbdError: E_PARAM.
    """
    if len(indices) and (indices.min() < 0 or indices.max() >= count):
        raise XpbdError("E_PARAM", "An index points outside the mesh.", name)


def require_transforms(transforms: Floats, frame_count: int, name: str, *, may_be_flat: bool = False) -> None:
    """Refuse what is not one invertible affine transform for all frames, shape (1, 4, 4), or one for each.

    Args:
        transforms: to be checked.
        frame_count: frames of the scene.
        name: of the object.
        may_be_flat: whether they need no inverse.

    Raises:
        XpbdError: E_PARAM, E_TRANSFORM_SINGULAR.
    """
    if transforms.shape[1:] != (4, 4) or len(transforms) not in (1, frame_count):
        raise XpbdError("E_PARAM", "Transforms must be given for one or all frames.", name)
    linear = transforms[:, :3, :3]
    if not np.isfinite(transforms).all():
        raise XpbdError("E_TRANSFORM_SINGULAR", "The object's transform is not finite.", name)
    if not may_be_flat and (np.abs(np.linalg.det(linear)) < _SMALLEST_DETERMINANT).any():
        raise XpbdError("E_TRANSFORM_SINGULAR", "The object is scaled to zero: give it a size.", name)
    if (transforms[:, 3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise XpbdError("E_PARAM", "The last row of a transform must be 0, 0, 0, 1.", name)
