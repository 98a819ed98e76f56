# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/properties.md is made from the specs."""

from __future__ import annotations


def test_the_documentation_is_current(bpy):
    import property_docs

    assert property_docs.TARGET.read_text(encoding="utf-8") == property_docs.text(), "run scripts/property_docs.py"


def test_every_public_property_is_documented(bpy):
    import property_docs

    text = property_docs.text()
    for owner in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager):
        group = owner.bl_rna.properties["xpbd"].fixed_type
        for prop in group.properties:
            if not prop.is_hidden and prop.identifier not in {"rna_type", "name"}:
                assert f"`{prop.identifier}`" in text
