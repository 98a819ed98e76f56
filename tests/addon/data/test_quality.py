# SPDX-License-Identifier: GPL-3.0-or-later
"""Which quality a bake goes by."""

from __future__ import annotations

import pytest


@pytest.fixture
def settings(bpy):
    return bpy.context.scene.xpbd


@pytest.fixture
def quality_of(bpy):
    from blender_xpbd.addon.data.quality import quality_of

    return quality_of


def test_a_new_scene_goes_by_its_materials(settings, quality_of):
    assert quality_of(settings) == settings.quality == "MATERIAL"


@pytest.mark.parametrize("name", ["substeps", "iterations"])
def test_a_typed_number_stays(settings, quality_of, name):
    setattr(settings, name, 7)
    assert quality_of(settings) == settings.quality == "FIXED"
    settings.quality = "MATERIAL"
    assert quality_of(settings) == "MATERIAL", "what is chosen afterwards counts"


def test_a_file_from_before_there_was_a_choice_keeps_its_number(settings, quality_of):
    settings.substeps = 40
    settings.property_unset("quality")
    assert settings.quality == "MATERIAL"
    assert quality_of(settings) == "FIXED"


@pytest.mark.parametrize("quality", ["DRAFT", "MATERIAL", "FINAL"])
def test_what_a_button_chooses_counts_over_a_number_typed_before(settings, quality_of, quality):
    settings.substeps = 40
    settings.quality = quality
    assert quality_of(settings) == quality
    settings.substeps = 30
    assert quality_of(settings) == "FIXED"
