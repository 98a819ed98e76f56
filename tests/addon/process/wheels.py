# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up wheels, so that an installation needs no network."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

VERSIONS = {"numpy": "2.2.6", "taichi": "1.7.4"}


def make_wheel(folder: Path, name: str, source: str = "") -> str:
    """Write a wheel of one module; its line in a file of requirements.

    Args:
        folder: where to.
        name: of the module, a key of ``VERSIONS``.
        source: of the module.
    """
    folder.mkdir(parents=True, exist_ok=True)
    version = VERSIONS[name]
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/__init__.py", source)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def make_requirements(path: Path, lines: list[str]) -> Path:
    """Write a file of requirements."""
    path.write_text("\n".join([*lines, ""]))
    return path
