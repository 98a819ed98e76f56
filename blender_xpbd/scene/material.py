# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body is made of: its parameters, in SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from .errors import XpbdError
from .parameter import Value, by_name
from .parameters.material_parameters import MATERIAL_PARAMETERS

_SPECS = by_name(MATERIAL_PARAMETERS)


@dataclass(frozen=True)
class Material:
    """The parameters of one body; units, ranges and meaning in ``MATERIAL_PARAMETERS``."""

    density: float = 1000.0
    area_density: float = 0.15
    stiffness_input: str = "MATERIAL"
    solid_model: str = "NEO_HOOKEAN"
    youngs_modulus: float = 60e3
    poissons_ratio: float = 0.45
    membrane_model: str = "SPRINGS"
    stretch_stiffness: float = 1000.0
    warp_stiffness: float = 1000.0
    weft_stiffness: float = 1000.0
    shear_stiffness: float = 300.0
    compression_share: float = 1.0
    greatest_stretch: float = 0.0
    bending_stiffness: float = 1e-5
    stretch_compliance: float = 0.0
    volume_compliance: float = 0.0
    bending_compliance: float = 1.0
    bending_model: str = "DIHEDRAL"
    rest_angle: str = "MESH"
    use_tethers: bool = False
    tether_slack: float = 1.02
    pressure_model: str = "NONE"
    pressure: float = 1000.0
    volume_ratio: float = 1.0
    use_stitches: bool = False
    shape_matching: str = "NONE"
    shape_frequency: float = 5.0
    pbd_stretch_stiffness: float = 1.0
    pbd_volume_stiffness: float = 1.0
    pbd_bending_stiffness: float = 0.1
    damping: float = 0.0
    internal_damping: float = 0.5
    damping_time: float = 0.0
    friction: float = 0.5
    restitution: float = 0.0
    contact_offset: float = 0.005
    pin_frequency: float = 4.0
    radius: float = 0.002
    twist_stiffness: float = 1e8
    bending_share: float = 1.0
    goal_frequency: float = 3.0
    gravity_factor: float = 1.0
    force_weight: float = 1.0
    air_drag: float = 1.2
    air_lift: float = 0.3
    push_x: float = 0.0
    push_y: float = 0.0
    push_z: float = 0.0
    cohesion: float = 0.0
    attraction_weight: float = 1.0
    solver_mode: str = "SCENE"
    pbd_per_iteration: bool = False
    pbd_drag: float = 0.0
    yield_strain: float = 0.0
    yield_curvature: float = 0.0
    creep: float = 50.0
    tear_strain: float = 0.0
    minimum_substeps: int = 0

    @classmethod
    def from_values(cls, values: Mapping[str, Value], object_name: str = "") -> Material:
        """Build from a mapping of parameter names; absent ones keep their defaults.

        Raises:
            XpbdError: E_PARAM for an unknown name, a wrong type or a value out of range.
        """
        unknown = set(values) - set(_SPECS)
        if unknown:
            raise XpbdError("E_PARAM", f"Unknown material parameter: {', '.join(sorted(unknown))}.", object_name)
        checked: dict[str, Value] = {name: _SPECS[name].check(value, object_name) for name, value in values.items()}
        return cls(**checked)  # type: ignore[arg-type]

    def values(self) -> dict[str, Value]:
        """The parameters as a plain mapping."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
