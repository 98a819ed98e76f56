# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/gallery.md, the scenes of the gallery with their pictures and numbers.

python scripts/gallery_docs.py            needs pip's bpy, because the scenes are the add-on's
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "gallery.md"

_INTRODUCTION = """# Gallery

Made by `scripts/gallery_docs.py`; a test keeps it current.

Classic scenes of position-based dynamics, ready to be baked. In Blender: *Add › XPBD*. Each is added as a scene of its
own, and nothing else in the file changes. Without a window:

```
scripts/gallery                         # all scenes, into out/gallery
scripts/gallery two-pins beam --render  # some, with a picture of each
```

Each bakes in less than 30 s on two cores, once the kernels of its kinds of bodies and contact are compiled: the first
bake of a kind compiles them for up to a minute and a half, and keeps them. Each scene is one file in
`blender_xpbd/addon/gallery/`, and has a test of the same name in `tests/addon/gallery/` that bakes it and holds the
numbers below. A scene that needs a file which does not come with the add-on asks for it; `scripts/gallery --files
FOLDER` tells where it lies.
"""


def main() -> int:
    """Write the file."""
    sys.path.insert(0, str(ROOT))
    TARGET.write_text(text(), encoding="utf-8")
    print(TARGET)
    return 0


def text() -> str:
    """The whole file."""
    from blender_xpbd.addon.gallery.gallery import GALLERY

    parts = [_INTRODUCTION]
    for entry in GALLERY:
        parts += [f"## {entry.label}", "", f"![{entry.label}](pictures/gallery/{entry.name}.png)", ""]
        words = [f"`{entry.name}`. {entry.description}."]
        words += [f"Its test holds: {entry.numbers}."] if entry.numbers else []
        words += [f"It needs `{entry.needs_file}`."] if entry.needs_file else []
        parts += [textwrap.fill(" ".join(words), 118, break_long_words=False, break_on_hyphens=False), ""]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
