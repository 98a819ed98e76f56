# SPDX-License-Identifier: GPL-3.0-or-later
"""What a caller may ask of a bake beyond what the scene says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...scene.errors import XpbdError
from .rebake_settings import RegionWish


@dataclass(frozen=True)
class BakeOptions:
    """Wishes that go before the scene's own settings; nothing of them is stored in the scene.

    Attributes:
        objects: names of the bodies to bake; empty for all with a role. Colliders always take part.
        only: names of the bodies to bake again against the others as they are baked: those take part as colliders, and
            their keys stay as they are.
        from_frame: the first frame to simulate again; the frames before it are those of the bake before. None for all.
        loop: draw so many last frames of the bake that is there to where it begins; None for no loop.
        region: simulate this again, and hold all else as it is baked; None for no region.
        take_back_region: name of a body whose newest region goes back to what was baked before; "" for none.
        frame_start, frame_end, frame_step, quality, substeps, iterations, device: None for the scene's.
        subframes: states between frames for what is exported; None for the scene's.
        key_tolerance: how far vertices may be from where they are simulated, for fewer keys [mm]; None for the
            scene's.
        cache: folder for jobs; None for the scene's.
        make_single_user: copy meshes that several objects use, instead of refusing them.
        per_frame: keep the statistics of each frame in the summary.
        worker_python: an interpreter that has Taichi; "" to search.
    """

    objects: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    from_frame: int | None = None
    loop: int | None = None
    region: RegionWish | None = None
    take_back_region: str = ""
    frame_start: int | None = None
    frame_end: int | None = None
    frame_step: int | None = None
    quality: str | None = None
    substeps: int | None = None
    iterations: int | None = None
    device: str | None = None
    subframes: int | None = None
    key_tolerance: float | None = None
    cache: Path | None = None
    make_single_user: bool = False
    per_frame: bool = False
    worker_python: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it is a bake of all by the scene's own settings, with which a press of *Bake* goes on."""
        frames = self.frame_start, self.frame_end, self.frame_step
        effort = self.quality, self.substeps, self.iterations, self.device
        others = self.from_frame, self.loop, self.region, self.cache, *frames, *effort
        return not (self.only or self.take_back_region) and all(wish is None for wish in others)

    def check(self) -> None:
        """Refuse more than one way to go on from the bake before.

        Raises:
            XpbdError: E_PARAM.
        """
        ways = {
            "a first frame": self.from_frame is not None,
            "a loop": self.loop is not None,
            "a region": self.region is not None,
            "a region to take back": bool(self.take_back_region),
        }
        given = [way for way, is_given in ways.items() if is_given]
        if len(given) > 1:
            raise XpbdError("E_PARAM", f"A bake goes on from the one before in one way: choose {' or '.join(given)}.")
