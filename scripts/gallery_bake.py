# SPDX-License-Identifier: GPL-3.0-or-later
"""Make scenes of the gallery, bake them, save each as a file of its own, and render it. Run by scripts/gallery."""

from __future__ import annotations

import scene_bake

from blender_xpbd.addon.gallery.gallery import GALLERY

if __name__ == "__main__":
    scene_bake.run(GALLERY, "gallery", str(__doc__), (480, 320))
