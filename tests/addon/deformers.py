# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways in which an object's mesh may change over the frames, from 1 to 20."""


def animate(data, path, values, index=-1):
    for frame, value in values.items():
        setattr(data, path, value) if index < 0 else getattr(data, path).__setitem__(index, value)
        data.keyframe_insert(path, frame=frame, index=index)


def deform_by_key(bpy, obj):
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Key")
    key.data[0].co.z += 1.0
    animate(key, "value", {1: 0.0, 20: 1.0})


def deform_there_and_back(bpy, obj):
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Key")
    key.data[0].co.z += 1.0
    animate(key, "value", {1: 0.0, 8: 1.0, 20: 0.0})


def deform_by_modifier(bpy, obj):
    modifier = obj.modifiers.new("Bend", "SIMPLE_DEFORM")
    animate(modifier, "angle", {1: 0.0, 20: 1.0})


def deform_by_still_modifier(bpy, obj):
    modifier = obj.modifiers.new("Solidify", "SOLIDIFY")
    animate(modifier, "thickness", {1: 0.0, 20: 1.0})


def deform_by_driver(bpy, obj):
    modifier = obj.modifiers.new("Bend", "SIMPLE_DEFORM")
    modifier.driver_add("angle").driver.expression = "frame / 20"


def deform_by_count(bpy, obj):
    animate(obj.modifiers.new("Array", "ARRAY"), "count", {1: 1, 20: 3})


def deform_by_hook(bpy, obj):
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object = handle
    hook.vertex_indices_set([0, 1, 2])
    animate(handle, "location", {1: (0, 0, 0), 20: (0, 1, 0)})


def armature(bpy):
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def deform_by_armature(bpy, obj):
    rig = armature(bpy)
    obj.vertex_groups.new(name="Bone").add(range(10), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    pose = rig.pose.bones["Bone"]
    animate(pose, "location", {1: (0, 0, 0), 20: (0, 1, 0)})


def deform_by_parent(bpy, obj):
    rig = armature(bpy)
    obj.vertex_groups.new(name="Bone").add(range(10), 1.0, "REPLACE")
    obj.parent, obj.parent_type = rig, "ARMATURE"
    animate(rig.pose.bones["Bone"], "location", {1: (0, 0, 0), 20: (0, 1, 0)})


DEFORMERS = [
    deform_by_key,
    deform_there_and_back,
    deform_by_modifier,
    deform_by_still_modifier,
    deform_by_driver,
    deform_by_count,
    deform_by_hook,
    deform_by_armature,
    deform_by_parent,
]


def rest_in_armature(bpy, obj):
    rig = armature(bpy)
    rig.location = (1.0, 2.0, 3.0)
    obj.vertex_groups.new(name="Bone").add(range(10), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig


def subdivide(bpy, obj):
    obj.modifiers.new("Subdivision", "SUBSURF")
