# SPDX-License-Identifier: GPL-3.0-or-later
"""What all operators have."""

from __future__ import annotations


def test_every_operator_explains_itself(bpy):
    from blender_xpbd.addon.ui.operators import CLASSES

    for cls in CLASSES:
        module, _, function = cls.bl_idname.partition(".")
        definition = getattr(getattr(bpy.ops, module), function).get_rna_type()
        assert definition.description == cls.__doc__.removesuffix(".") or definition.description == cls.__doc__
        for prop in definition.properties:
            assert prop.identifier == "rna_type" or prop.description
