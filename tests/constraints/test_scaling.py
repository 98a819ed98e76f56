# SPDX-License-Identifier: GPL-3.0-or-later
"""How columns of parameters follow a material value, by the laws themselves; in the solver see tests/solver."""

import numpy as np
import pytest

from blender_xpbd.constraints.scaling import FREE_FACTOR, Scaling, compliances


@pytest.mark.parametrize(
    ("scaling", "built", "now", "expected"),
    [
        (Scaling("youngs_modulus", -1, -1.0), 1e4, 4e4, 0.25),
        (Scaling("stretch_compliance", -1, 1.0), 2e-3, 5e-3, 2.5),
        # 1 + 10 % is the length that 1 + 21 % is a tenth more of
        (Scaling("greatest_stretch", 0, 1.0, offset=100.0), 10.0, 21.0, 1.1),
        (Scaling("thickness", 0, 3.0), 2.0, 1.0, 0.125),
        (Scaling("greatest_stretch", 0, 1.0, offset=100.0, free_at=0.0), 10.0, 0.0, FREE_FACTOR),
    ],
)
def test_a_column_goes_with_a_power_of_its_value(scaling, built, now, expected):
    assert float(scaling.factor(built, now)) == pytest.approx(expected, rel=1e-12)


def test_several_frames_at_once():
    factors = Scaling("youngs_modulus", -1, -1.0).factor(2.0, [1.0, 2.0, 4.0])
    np.testing.assert_allclose(factors, [2.0, 1.0, 0.5])


def test_no_stiffness_is_an_infinite_compliance_without_a_warning():
    with np.errstate(all="raise"):
        assert Scaling("youngs_modulus", -1, -1.0).factor(2.0, 0.0) == np.inf


def test_compliances_are_laws_of_the_last_column():
    laws = compliances(-1.0, "warp_stiffness", "weft_stiffness")
    assert laws == (Scaling("warp_stiffness", -1, -1.0), Scaling("weft_stiffness", -1, -1.0))
