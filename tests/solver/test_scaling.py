# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that are built anew from another material value have the columns that the laws of their type say."""

from dataclasses import replace

import numpy as np
import pytest

from blender_xpbd.bodies.body_attachments import Weight, build_body_attachments, find_welds
from blender_xpbd.bodies.kinds import build_body
from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.scene.body import Attachment
from blender_xpbd.scene.parameters.external_parameters import EXTERNAL_PARAMETERS
from blender_xpbd.scene.parameters.material_parameters import MATERIAL_PARAMETERS
from blender_xpbd.scene.settings import SolverSettings
from tests.bodies.test_materials import balloon, jelly
from tests.solver.scenes import cloth, creased, pins

DIRECT = {
    "stiffness_input": "COMPLIANCE",
    "stretch_compliance": 1e-4,
    "volume_compliance": 1e-9,
    "bending_compliance": 2.0,
}
# read for particles, contacts or the whole body at each step, not from the columns of constraints
READ_AT_EACH_STEP = {"damping", "internal_damping", "damping_time", "friction", "restitution", "cohesion"}
# read once in each frame, when rest shapes change and seams tear
READ_AT_EACH_FRAME = {"yield_strain", "yield_curvature", "creep", "tear_strain"}
# these constraints are made when bodies are put together: test_tracks.py has a case for each
MADE_LATER = {
    ("attachment", "pin_frequency"),
    ("attachment", "goal_frequency"),
    ("patch_attachment", "pin_frequency"),
    ("plate_bending", "bending_stiffness"),
    ("rod", "youngs_modulus"),
    ("rod", "bending_share"),
    ("rod", "twist_stiffness"),
    ("rod_chains", "youngs_modulus"),
    ("rod_chains", "bending_share"),
    ("rod_chains", "twist_stiffness"),
}


def sheet(**values):
    body = cloth(4, **values)
    triangles = np.array([[0, 4, 5], [0, 5, 1], [1, 5, 6], [1, 6, 2]], np.int32)
    body = replace(body, pins=pins(body.positions, [0]))
    if values.get("membrane_model") == "ISOTROPIC":
        return replace(body, face_sizes=np.full(4, 3, np.int32), corners=triangles.ravel())
    return body


def folded(body):
    """A sheet that bends by its hinges."""
    return replace(body, positions=creased(body))


def with_follower(body):
    """With a vertex whose only face has no area."""
    positions = np.concatenate([body.positions, body.positions[:1] + np.array([0.0, 0.0, 0.1])])
    corners = np.concatenate([body.corners, [0, len(body.positions), 0]]).astype(np.int32)
    sizes = np.append(body.face_sizes, 3).astype(np.int32)
    return replace(body, positions=positions, corners=corners, face_sizes=sizes)


BODIES = {
    "with a follower": with_follower(sheet()),
    "direct, with a follower": with_follower(sheet(**DIRECT)),
    "springs": folded(sheet()),
    "springs that give way": sheet(compression_share=0.3, greatest_stretch=5.0, use_tethers=True),
    "isotropic": folded(sheet(membrane_model="ISOTROPIC", bending_model="ISOMETRIC", shape_matching="WHOLE")),
    "woven": sheet(membrane_model="ORTHOTROPIC", bending_model="DISTANCE", shape_matching="CLUSTERS"),
    "direct": sheet(**DIRECT),
    "direct, gives way": sheet(**DIRECT, compression_share=0.3, bending_model="ISOMETRIC"),
    "direct, distance": sheet(**DIRECT, bending_model="DISTANCE"),
    "balloon": balloon(pressure_model="VOLUME"),
    "gas": balloon(pressure_model="GAS"),
    "neo-Hookean": jelly(resolution=2),
    "co-rotated": jelly(resolution=2, solid_model="COROTATED"),
    "jelly of springs": jelly(resolution=2, solid_model="SPRINGS"),
    "direct jelly": jelly(resolution=2, **DIRECT),
}
EVERY_BODY = pytest.mark.parametrize("name", BODIES)
SCALED = sorted({law.value for kind in CONSTRAINTS for law in kind.scales})
MODES = pytest.mark.parametrize("mode", ["XPBD", "PBD"])


def blocks_of(body, mode="XPBD"):
    """Those of a body, and of what attaches it to another."""
    settings = SolverSettings(solver_mode=mode)
    attachment = Attachment("other", np.array([1, 2], np.int32), np.array([0.5, 0.9], np.float32))
    other = replace(sheet(), identifier="other")
    models = [build_body(replace(body, attachment=attachment), settings), build_body(other, settings)]
    starts = np.array([0, len(models[0].positions)], np.int32)
    welds = find_welds(models, settings, Weight(9.81, 1e-3))
    return [*models[0].blocks, *(block for _, block in build_body_attachments(models, welds, starts, settings))]


def with_value(body, value, amount):
    return replace(body, material=replace(body.material, **{value: amount}))


@EVERY_BODY
@MODES
def test_columns_follow_their_laws_and_nothing_else(name, mode):
    body = BODIES[name]
    before = blocks_of(body, mode)
    for value in SCALED:
        built = getattr(body.material, value)
        if built == 0.0 or (value == "compression_share" and built == 1.0):
            # no constraints that could follow
            continue
        now = (0.6 if value == "compression_share" else 1.7) * built
        after = blocks_of(with_value(body, value, now), mode)
        for old, new in zip(before, after, strict=True):
            if mode == "PBD" and value not in old.follows:
                # the share of one projection is no power of anything, so a gas keeps what it was built with
                continue
            expected = old.parameters.copy()
            for law in old.type.scales:
                if law.value == value and value in old.follows:
                    expected[:, law.column] *= law.factor(built, now)
            np.testing.assert_allclose(new.parameters, expected, rtol=1e-9, err_msg=f"{old.type.name}: {value}")
            if value in old.follows:
                assert not np.array_equal(new.parameters, old.parameters)


@EVERY_BODY
@MODES
def test_blocks_follow_what_their_type_declares(name, mode):
    blocks = blocks_of(BODIES[name], mode)
    for block in blocks:
        assert set(block.follows) <= {law.value for law in block.type.scales}
    kinds = {(block.type.name, block.layer): block.follows for block in blocks}
    assert all(block.follows == kinds[block.type.name, block.layer] for block in blocks)


def test_every_declared_law_is_followed_by_some_body():
    declared = {(kind.name, law.value) for kind in CONSTRAINTS for law in kind.scales}
    followed = {
        (block.type.name, value) for body in BODIES.values() for block in blocks_of(body) for value in block.follows
    }
    assert declared - followed == MADE_LATER


def test_animatable_values_are_those_with_laws_and_those_of_each_step():
    animatable = {parameter.name for parameter in MATERIAL_PARAMETERS if parameter.animatable}
    # how strongly a body attracts does not change
    external = {parameter.name for parameter in EXTERNAL_PARAMETERS}
    assert animatable == set(SCALED) | READ_AT_EACH_STEP | READ_AT_EACH_FRAME | external - {"attraction_weight"}


def test_a_factor_takes_many_values():
    law = next(law for kind in CONSTRAINTS for law in kind.scales if law.value == "greatest_stretch")
    np.testing.assert_allclose(law.factor(10.0, [10.0, 21.0, 65.0]), [1.0, 1.1, 1.5])
