# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the scenes of docs/first-hour.md, bake them, save each as a file, and render it. Run by scripts/tutorials."""

from __future__ import annotations

import scene_bake
from tutorial_scenes import TUTORIALS

if __name__ == "__main__":
    scene_bake.run(TUTORIALS, "tutorials", str(__doc__), (600, 400))
