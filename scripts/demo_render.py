# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a baked scene: a movie, a contact sheet, single stills."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

MOVIE_SIZE = (768, 432)
TILE_SIZE = (400, 225)
STILL_SIZE = (880, 495)

GPU_PROBE = """
import bpy
bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
bpy.context.scene.render.resolution_x = bpy.context.scene.render.resolution_y = 16
bpy.ops.render.render()
"""


def render_movie(scene: bpy.types.Scene, folder: Path, name: str) -> Path:
    """Render the scene's frames as an MP4, or as PNG files where this Blender was built without FFmpeg.

    Args:
        scene: what to render, over its own frame range.
        folder: where to put the result.
        name: the result's name, without a suffix.

    Returns:
        The movie's path, or the folder of the pictures.
    """
    render = scene.render
    settings = render.image_settings
    if _has_graphics():
        _use_workbench(scene, MOVIE_SIZE)
    else:
        # no OpenGL here: the ray tracer needs none, but has to be coarse to be done in time
        _use_cycles(scene, (320, 180), samples=4)
    if bpy.app.ffmpeg.supported:
        target = folder / f"{name}.mp4"
        target.unlink(missing_ok=True)
        if hasattr(settings, "media_type"):  # from Blender 5.0 on, and to be set first
            settings.media_type = "VIDEO"
        settings.file_format = "FFMPEG"
        render.ffmpeg.format = "MPEG4"
        render.ffmpeg.codec = "H264"
        render.ffmpeg.constant_rate_factor = "HIGH"
        render.use_file_extension = False
        render.filepath = str(target)
    else:
        target = folder / name
        target.mkdir(exist_ok=True)
        _use_png(scene)
        render.filepath = str(target / "####")
    bpy.ops.render.render(animation=True, scene=scene.name)
    return target


def render_contact_sheet(scene: bpy.types.Scene, frames: Sequence[int], columns: int, path: Path) -> None:
    """Render some frames and put them on one sheet, row by row, each with its frame number.

    Args:
        scene: what to render.
        frames: the moments; a multiple of columns.
        columns: how many stand beside each other.
        path: a .png or .jpg file.
    """
    _use_cycles(scene, TILE_SIZE, samples=10)
    scene.render.use_stamp = True
    with tempfile.TemporaryDirectory() as folder:
        tiles = [_pixels(_render_still(scene, frame, Path(folder) / f"{frame}.png")) for frame in frames]
    scene.render.use_stamp = False
    rows = [np.concatenate(tiles[start : start + columns], axis=1) for start in range(0, len(tiles), columns)]
    # Blender's images begin at the bottom
    _save(np.concatenate(rows[::-1], axis=0), path)


def render_picture(scene: bpy.types.Scene, frame: int, path: Path, size: tuple[int, int] = STILL_SIZE) -> None:
    """Render one frame with care to a .png or .jpg file."""
    _use_cycles(scene, size, samples=32)
    with tempfile.TemporaryDirectory() as folder:
        _save(_pixels(_render_still(scene, frame, Path(folder) / "still.png")), path)


def _has_graphics() -> bool:
    """Whether this machine can render with OpenGL; asked in another process, which may die of it."""
    probe = subprocess.run([sys.executable, "-P", "-c", GPU_PROBE], capture_output=True, check=False)
    return probe.returncode == 0


def _use_workbench(scene: bpy.types.Scene, size: tuple[int, int]) -> None:
    _set_size(scene, size)
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.render_aa = "FXAA"
    shading = scene.display.shading
    shading.light = "STUDIO"
    shading.color_type = "MATERIAL"
    shading.show_shadows = True
    shading.shadow_intensity = 0.4
    shading.show_cavity = True
    shading.cavity_type = "BOTH"
    shading.show_specular_highlight = True
    scene.display.light_direction = (-0.45, 0.75, 0.5)
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = 0.8  # as bright as the ray tracer's lights make it


def _use_cycles(scene: bpy.types.Scene, size: tuple[int, int], samples: int) -> None:
    _set_size(scene, size)
    scene.render.engine = "CYCLES"
    scene.render.use_persistent_data = True
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = True
    scene.cycles.denoising_prefilter = "FAST"
    scene.cycles.max_bounces = 3
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = 0.0


def _set_size(scene: bpy.types.Scene, size: tuple[int, int]) -> None:
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    for attribute in dir(scene.render):
        if attribute.startswith("use_stamp_") and not scene.render.is_property_readonly(attribute):
            setattr(scene.render, attribute, attribute == "use_stamp_frame")
    scene.render.stamp_font_size = 14


def _use_png(scene: bpy.types.Scene) -> None:
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"
    settings.color_mode = "RGB"


def _render_still(scene: bpy.types.Scene, frame: int, path: Path) -> Path:
    _use_png(scene)
    scene.frame_set(frame)
    scene.render.use_file_extension = True
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True, scene=scene.name)
    return path


def _pixels(path: Path) -> np.ndarray:
    """An image file's colours as stored, shape (height, width, 4), float32 between 0 and 1, the bottom row first."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)


def _save(pixels: np.ndarray, path: Path) -> None:
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(path.stem, width, height)
    image.pixels.foreach_set(np.ascontiguousarray(pixels).ravel())
    image.file_format = "JPEG" if path.suffix == ".jpg" else "PNG"
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(filepath=str(path), quality=88)
    bpy.data.images.remove(image)
