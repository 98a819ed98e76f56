# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose a cache is: a file in its folder names the scene's id, and the .blend file and the scene that have it.

Copies of a file have the same id, for nobody tells them apart when the system copies one. So a cache belongs to an id
under the name of a file: who has both finds it, and who has the id alone takes it over where that file is no more.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ...jobs.cache_contents import entries
from ...jobs.files import inside, is_there, publish
from ...jobs.record import Record
from ...jobs.strict_json import dump_json, load_json
from ...scene.errors import XpbdError

OWNER_FILE = "owner.json"
_MAXIMUM_BYTES = 2**16
_KEYS = ("identity", "file", "scene", "is_saved")
_IDENTITY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Owner:
    """Whose a cache is.

    Attributes:
        identity: id of the scene; "" for none.
        file: name of the .blend file, which lies in the folder above all caches.
        scene: its name.
        is_saved: the .blend file on the disk has the id. Until then whoever has the names has the cache: it was baked
            by a run that did not save, or that crashed.
    """

    identity: str
    file: str
    scene: str
    is_saved: bool = False

    def has_names_of(self, other: Owner) -> bool:
        """Whether both are the same scene of the same file by name."""
        return (self.file, self.scene) == (other.file, other.scene)


def new_identity() -> str:
    """An id that nothing has."""
    return secrets.token_hex(8)


def is_identity(text: str) -> bool:
    """Whether a text, which may come from a stranger, is an id."""
    return bool(_IDENTITY.fullmatch(text))


def read_owner(cache: Path) -> Owner | None:
    """Whose a cache is; None where nobody says so, as in those of earlier versions.

    Raises:
        XpbdError: E_CACHE, naming the file, for whatever is not as ``write_owner`` leaves it; E_IO.
    """
    path = inside(cache, OWNER_FILE, code="E_CACHE")
    if not is_there(path):
        return None
    record = Record(load_json(path, _MAXIMUM_BYTES, "E_CACHE"), path, "E_CACHE", _KEYS)
    return Owner(record.text("identity"), record.text("file"), record.text("scene"), record.boolean("is_saved"))


def write_owner(cache: Path, owner: Owner) -> None:
    """Say whose a cache is; its folder exists.

    Raises:
        XpbdError: E_IO; E_CACHE, when a link stands in the way.
    """
    publish(inside(cache, OWNER_FILE, code="E_CACHE"), (dump_json(asdict(owner)),))


def own_cache(caches: Path, named: Path, me: Owner, scenes: Mapping[str, str]) -> Path:
    """The cache of a scene: the one that it owns, else one that nobody owns, by the names of file and scene.

    What the system does not let be read belongs to nobody: a bake is refused there with the reason.

    Args:
        caches: folder of the caches of all files beside each other; their .blend files lie above it.
        named: the cache that has the names, two levels below.
        me: the scene; ``is_saved`` does not count.
        scenes: ids of all scenes of its file, by name.
    """
    owned = _owned(caches) if me.identity else {}
    mine = [path for path, owner in owned.items() if owner.identity == me.identity]
    for path in mine:
        if owned[path].has_names_of(me):
            return path
    for path in mine:
        if _has_gone(owned[path], me, caches.parent, scenes, list(owned.values())):
            return path
    number, path = 1, named
    while not _is_free(path, me):
        number += 1
        path = named.with_name(f"{named.name}-{number}")
    return path


def caches_by_file(caches: Path) -> dict[str, list[Path]]:
    """The caches of the scenes of each .blend file, by its name."""
    found: dict[str, list[Path]] = {}
    for path, owner in _owned(caches).items():
        found.setdefault(owner.file, []).append(path)
    return found


def _is_free(cache: Path, me: Owner) -> bool:
    try:
        owner = read_owner(cache)
    except XpbdError as fault:
        # who has it is there, but not to be read
        return fault.code != "E_CACHE"
    return owner is None or (owner.has_names_of(me) and (not owner.is_saved or owner.identity == me.identity))


def _has_gone(owner: Owner, me: Owner, place: Path, scenes: Mapping[str, str], owners: list[Owner]) -> bool:
    """Whether what has the same id under another name is no more: it was renamed, not copied."""
    if _is_same_file(owner.file, me.file, place):
        return scenes.get(owner.scene) != owner.identity
    try:
        if not is_there(inside(place, owner.file, code="E_CACHE")):
            return True
    except XpbdError:
        return False
    # another file has its name since
    return any(other.is_saved and other.has_names_of(owner) and other.identity != owner.identity for other in owners)


def _is_same_file(one: str, other: str, place: Path) -> bool:
    """By name, or where the disk makes no difference between two names."""
    if one == other:
        return True
    try:
        return inside(place, one, code="E_CACHE").samefile(inside(place, other, code="E_CACHE"))
    except (XpbdError, OSError):
        return False


def _owned(caches: Path) -> dict[Path, Owner]:
    """The caches of all files that say whose they are; what cannot be read is left out."""
    found = {}
    for file in _folders(caches):
        for path in _folders(file):
            try:
                owner = read_owner(path)
            except XpbdError:
                continue
            if owner is not None:
                found[path] = owner
    return found


def _folders(place: Path) -> list[Path]:
    try:
        return sorted(place / name for name, is_folder in entries(place) if is_folder)
    except XpbdError:
        return []
