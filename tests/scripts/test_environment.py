# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment's set-up: once, whole, and with a message where it cannot be."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import environment
import pytest


def make_wheel(folder: Path, name: str) -> str:
    """Write the smallest wheel there is, and answer the requirement that installs it without a registry."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return str(path)


def has_module(folder: Path, name: str) -> bool:
    command = [str(folder / "bin" / "python"), "-c", f"import {name}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_installs_once_and_again_after_an_interruption(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder, base = tmp_path / "environment", Path(sys.executable).resolve()
    run = {"run": [make_wheel(tmp_path, "xpbd_first")]}
    both = {**run, "test": [make_wheel(tmp_path, "xpbd_second")]}

    environment._install(folder, base, run)
    assert has_module(folder, "xpbd_first")
    assert not has_module(folder, "xpbd_second")
    witness = folder / "witness"
    witness.touch()

    # what is there is kept when tests are added, and installed once
    environment._install(folder, base, both)
    assert witness.exists()
    assert has_module(folder, "xpbd_second")
    capfd.readouterr()
    environment._install(folder, base, both)
    environment._install(folder, base, run)
    assert capfd.readouterr().out == ""

    # another list of requirements leaves nothing of the old one
    environment._install(folder, base, {**run, "test": run["run"]})
    assert not witness.exists()
    assert not has_module(folder, "xpbd_second")

    # an installation that was cut short leaves its mark, and is made anew
    witness.touch()
    (folder / ".unfinished").touch()
    environment._install(folder, base, both)
    assert not witness.exists()
    assert has_module(folder, "xpbd_second")


def test_failed_installation_is_a_message_and_is_tried_again(tmp_path: Path) -> None:
    folder, base = tmp_path / "environment", Path(sys.executable).resolve()
    with pytest.raises(environment.SetupError, match="could not install"):
        environment._install(folder, base, {"run": [str(tmp_path / "absent-1.0-py3-none-any.whl")]})
    assert (folder / ".unfinished").exists()
    assert not (folder / ".installed-run").exists()


def test_named_python_must_be_3_11(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XPBD_PYTHON", str(tmp_path / "no-python"))
    with pytest.raises(environment.SetupError, match=r"Python 3\.11 is needed"):
        environment.find_python()
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho 3.12\n")
    other.chmod(0o755)
    monkeypatch.setenv("XPBD_PYTHON", str(other))
    with pytest.raises(environment.SetupError, match=r"Python 3\.11 is needed"):
        environment.find_python()
    monkeypatch.setenv("XPBD_PYTHON", sys.executable)
    assert environment.find_python() == Path(sys.executable)


def test_missing_system_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "lib" / "python3.11" / "site-packages" / "bpy" / "__init__.so"
    module.parent.mkdir(parents=True)
    module.touch()
    ldd = tmp_path / "ldd"
    ldd.write_text("#!/bin/sh\necho '	libSM.so.6 => not found'\necho '	libc.so.6 => /lib/libc.so.6 (0x1)'\n")
    ldd.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert environment.missing_libraries(tmp_path) == ["libSM.so.6"]
    assert environment.DEBIAN_PACKAGES["libSM.so.6"] == "libsm6"


def test_every_library_of_bpy_has_a_debian_package() -> None:
    """What ldd can find missing must have a package's name, or the message would not help."""
    module = next((Path(sys.prefix) / "lib").glob("python3*/site-packages/bpy/__init__.so"), None)
    if module is None:
        pytest.skip("bpy is not installed")
    listing = subprocess.run(["readelf", "-d", str(module)], capture_output=True, text=True, check=False).stdout
    needed = {line.partition("[")[2].partition("]")[0] for line in listing.splitlines() if "(NEEDED)" in line}
    if not needed:
        pytest.skip("readelf is not installed")
    brought = {path.name for path in module.parent.glob("lib/*.so*")}
    base_system = {
        name for name in needed if name.startswith(("libc.", "libm.", "libdl.", "librt.", "libutil.", "ld-"))
    }
    base_system |= {name for name in needed if name.startswith(("libpthread.", "libstdc++.", "libgcc_s."))}
    assert needed - brought - base_system <= set(environment.DEBIAN_PACKAGES)
