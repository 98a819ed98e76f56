# SPDX-License-Identifier: GPL-3.0-or-later
"""What the buttons do; each operator gathers, calls and reports."""

from __future__ import annotations

import bpy

from ...data.classes import register_classes, unregister_classes
from ..cut_short import XPBD_OT_tell
from .bake import XPBD_OT_bake, XPBD_OT_cancel, XPBD_OT_loop
from .check import XPBD_OT_check
from .check_worker import XPBD_OT_check_worker
from .clear import XPBD_OT_clear
from .export import XPBD_OT_export
from .fill_with_grains import XPBD_OT_fill_with_grains
from .free_unused import XPBD_OT_free_unused
from .gallery import XPBD_OT_add_gallery_scene
from .install_taichi import XPBD_OT_cancel_install, XPBD_OT_install_taichi
from .make_tearable import XPBD_OT_make_tearable
from .mute_deformers import (
    XPBD_OT_follow_rig,
    XPBD_OT_mute_deformers,
    XPBD_OT_turn_simplify_off,
    XPBD_OT_turn_smoothing_off,
)
from .open_cache import XPBD_OT_open_cache
from .own_material import XPBD_OT_own_material
from .own_preset import XPBD_OT_apply_asset, XPBD_OT_apply_preset, XPBD_OT_save_asset, XPBD_OT_save_preset
from .pin_group import XPBD_OT_add_pin_group, XPBD_OT_paint_pins, XPBD_OT_remove_pins, XPBD_OT_select_pins
from .play import XPBD_OT_keep, XPBD_OT_play, XPBD_OT_play_control
from .pose_list import XPBD_OT_add_pose, XPBD_OT_remove_pose
from .region import XPBD_OT_rebake_region, XPBD_OT_take_back_region
from .remedies import (
    XPBD_OT_add_floor,
    XPBD_OT_allow_substeps,
    XPBD_OT_apply_subdivision,
    XPBD_OT_feel_like,
    XPBD_OT_fit_thickness,
    XPBD_OT_keep_inside,
    XPBD_OT_let_out,
    XPBD_OT_lift,
    XPBD_OT_make_hollow,
    XPBD_OT_make_local,
    XPBD_OT_make_room,
    XPBD_OT_make_single_user,
    XPBD_OT_merge_doubled,
    XPBD_OT_set_contact_distance,
    XPBD_OT_set_gravity,
    XPBD_OT_sew,
    XPBD_OT_subdivide,
    XPBD_OT_suit_mesh,
    XPBD_OT_suit_resolution,
)
from .rest_shape import XPBD_OT_clear_start, XPBD_OT_set_rest_shape
from .retime import XPBD_OT_retime
from .scene_range import XPBD_OT_use_scene_range
from .select_crossings import XPBD_OT_select_crossings
from .selected_objects import XPBD_OT_copy_settings, XPBD_OT_set_material
from .set_link import XPBD_OT_set_link
from .set_role import XPBD_OT_jiggle, XPBD_OT_set_role
from .strain import XPBD_OT_show_strain, XPBD_OT_show_stress

CLASSES = (
    XPBD_OT_set_role,
    XPBD_OT_jiggle,
    XPBD_OT_bake,
    XPBD_OT_loop,
    XPBD_OT_rebake_region,
    XPBD_OT_take_back_region,
    XPBD_OT_cancel,
    XPBD_OT_tell,
    XPBD_OT_play,
    XPBD_OT_keep,
    XPBD_OT_play_control,
    XPBD_OT_clear,
    XPBD_OT_export,
    XPBD_OT_retime,
    XPBD_OT_free_unused,
    XPBD_OT_open_cache,
    XPBD_OT_add_pin_group,
    XPBD_OT_remove_pins,
    XPBD_OT_select_pins,
    XPBD_OT_paint_pins,
    XPBD_OT_add_pose,
    XPBD_OT_remove_pose,
    XPBD_OT_set_material,
    XPBD_OT_copy_settings,
    XPBD_OT_fill_with_grains,
    XPBD_OT_set_link,
    XPBD_OT_make_tearable,
    XPBD_OT_own_material,
    XPBD_OT_save_preset,
    XPBD_OT_apply_preset,
    XPBD_OT_save_asset,
    XPBD_OT_apply_asset,
    XPBD_OT_use_scene_range,
    XPBD_OT_select_crossings,
    XPBD_OT_check_worker,
    XPBD_OT_install_taichi,
    XPBD_OT_cancel_install,
    XPBD_OT_check,
    XPBD_OT_lift,
    XPBD_OT_keep_inside,
    XPBD_OT_let_out,
    XPBD_OT_merge_doubled,
    XPBD_OT_add_floor,
    XPBD_OT_allow_substeps,
    XPBD_OT_apply_subdivision,
    XPBD_OT_feel_like,
    XPBD_OT_fit_thickness,
    XPBD_OT_set_gravity,
    XPBD_OT_set_contact_distance,
    XPBD_OT_make_hollow,
    XPBD_OT_make_local,
    XPBD_OT_make_room,
    XPBD_OT_sew,
    XPBD_OT_make_single_user,
    XPBD_OT_subdivide,
    XPBD_OT_suit_mesh,
    XPBD_OT_suit_resolution,
    XPBD_OT_mute_deformers,
    XPBD_OT_follow_rig,
    XPBD_OT_turn_smoothing_off,
    XPBD_OT_turn_simplify_off,
    XPBD_OT_set_rest_shape,
    XPBD_OT_clear_start,
    XPBD_OT_show_strain,
    XPBD_OT_show_stress,
    XPBD_OT_add_gallery_scene,
)


def register() -> None:
    """Add the operators."""
    register_classes(CLASSES)


def unregister() -> None:
    """Remove the operators, and what a bake that still runs has put into the window."""
    XPBD_OT_bake.give_back(bpy.context)
    XPBD_OT_play.give_back(bpy.context)
    unregister_classes(CLASSES)
