# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's force fields do to a particle of 1 kg, point by point in NumPy, without noise."""

import numpy as np


def falloff(force, along, across, distance, from_origin):
    """The share of a field that is left."""
    if (force.side == "POSITIVE" and along < 0.0) or (force.side == "NEGATIVE" and along > 0.0):
        return 0.0
    first = _faded(
        distance if force.falloff_kind == "SPHERE" else abs(along),
        force.minimum_distance,
        force.maximum_distance,
        force.falloff,
    )
    if force.falloff_kind == "SPHERE":
        return first
    radius = across if force.falloff_kind == "TUBE" else np.degrees(np.arccos(along / np.linalg.norm(from_origin)))
    return first * _faded(radius, force.minimum_radius, force.maximum_radius, force.radial_falloff)


def _faded(distance, least, greatest, power):
    if greatest and distance > greatest:
        return 0.0
    return 1.0 if distance < least else (1.0 + distance - least) ** -power


def acceleration(force, x, v, weight=1.0):
    """[m/s²] at a place [m] and a velocity [m/s], flow included; of wind as if it pushed the point.

    The weight is that of all fields for a body, which Blender makes a part of the falloff.
    """
    unit = force.length_unit
    matrix = force.transforms[0]
    axis = matrix[:3, 2] / max(np.linalg.norm(matrix[:3, 2]), 1e-30)
    from_origin, v = (np.asarray(x, float) - matrix[:3, 3]) / unit, np.asarray(v, float) / unit
    along = from_origin @ axis
    radial = from_origin - along * axis
    shape = "LINE" if force.kind == "VORTEX" and force.shape != "POINT" else force.shape
    to_point = {"POINT": from_origin, "LINE": radial, "PLANE": along * axis}[shape]
    distance = np.linalg.norm(to_point)
    share = weight * falloff(force, along, np.linalg.norm(radial), distance, from_origin)
    if share == 0.0:
        return np.zeros(3)
    s = force.strength
    if force.kind == "WIND":
        found = s * share * axis
    elif force.kind == "FORCE":
        found = s * share * to_point / max(distance, 1e-30) / (distance**2 if force.inverse_square else 1.0)
    elif force.kind == "VORTEX" and shape == "POINT":
        whirl = np.cross(axis, to_point)
        found = s * share * distance * whirl / np.linalg.norm(whirl)
    elif force.kind == "VORTEX":
        whirl = s * share * np.cross(axis, from_origin)
        found = s * share * np.cross(axis, whirl) + whirl - v
    elif force.kind == "MAGNET":
        around = axis if shape == "PLANE" else np.cross(axis, to_point)
        found = np.cross(v, s * share * around / np.linalg.norm(around))
    elif force.kind == "HARMONIC":
        pulled = to_point * (1.0 - force.rest_length / distance)
        found = -s * share * pulled - force.damping * 2.0 * np.sqrt(abs(s)) * v
    elif force.kind == "CHARGE":
        found = s * share * to_point
    else:
        assert force.kind == "DRAG"
        found = -share * (min(s, 2.0) * np.linalg.norm(v) + min(force.damping, 2.0)) * v
    if force.kind not in {"HARMONIC", "DRAG"}:
        found = found - force.flow * share * v
    return unit * found
