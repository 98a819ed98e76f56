# SPDX-License-Identifier: GPL-3.0-or-later
"""How the solver runs, over which frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from .errors import XpbdError
from .parameter import Choice, Parameter, Value, by_name

SOLVER_MODES = (
    Choice("XPBD", "XPBD", "Stiffness in physical units, independent of substeps and iterations"),
    Choice("PBD", "PBD", "Stiffness from 0 to 1 per substep, without units"),
)
TIME_INTEGRATIONS = (
    Choice("SYMPLECTIC_EULER", "Symplectic Euler", "First order: robust, and calms fast wobbling by itself"),
    Choice("BDF2", "BDF2", "Second order: keeps wobbling and bouncing alive longer"),
)
QUALITIES = (
    Choice("DRAFT", "Draft", "Half the substeps of Normal: for timing and trying out. Jelly and cloth are softer"),
    Choice(
        "MATERIAL",
        "Normal",
        "As many substeps as the stiffness of the materials, the size of cells and faces and moving colliders ask for; "
        "the bake tells how many. To set substeps or iterations chooses Fixed",
    ),
    Choice(
        "FINAL", "Final", "Four times the substeps of Normal: for what must be right. A bake takes that much longer"
    ),
    Choice(
        "AUTOMATIC",
        "By Trial",
        "As many substeps as the tolerance asks for, found by trials of the whole scene: a bake takes three times as "
        "long, or more",
    ),
    Choice("FIXED", "Fixed", "The substeps and iterations below"),
)
# the qualities that go by the materials: substeps per those of Normal
EFFORTS: Mapping[str, float] = {"DRAFT": 0.5, "MATERIAL": 1.0, "FINAL": 4.0}
PRECISIONS = (
    Choice("AUTO", "Automatic", "Double for jelly and where there are several iterations, single for cloth"),
    Choice("SINGLE", "Single", "32 bits: faster; motion finer than a ten-millionth of the scene is lost"),
    Choice("DOUBLE", "Double", "64 bits, on the processor only: cloth takes a quarter longer, jelly a tenth"),
)
ACCELERATIONS = (
    Choice(
        "HIERARCHY",
        "Far Pulls First",
        "Carry the pull of pins over the cloth on coarser and coarser meshes: stiff cloth of many vertices stretches "
        "no more than its material at a fraction of the substeps. Only cloths that gain from it take part",
    ),
    Choice("NONE", "None", "Plain XPBD: stiff cloth needs more substeps the finer its mesh is"),
)
DEVICES = (
    Choice("AUTO", "Automatic", "The fastest device for the size of the scene; the bake tells which"),
    Choice("CPU", "CPU", "The processor"),
    Choice("CUDA", "CUDA", "NVIDIA graphics card"),
    Choice("VULKAN", "Vulkan", "Graphics card by Vulkan"),
    Choice("METAL", "Metal", "Apple graphics card"),
)

SOLVER_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("quality", "Quality", "How substeps and iterations are chosen", "FIXED", choices=QUALITIES),
    Parameter(
        "tolerance",
        "Tolerance",
        "How far off any vertex may be at any frame, from where it would be with substeps without end",
        1.0,
        "mm",
        0.0,
        1e9,
        0.01,
        100.0,
        exclusive_minimum=True,
    ),
    Parameter(
        "maximum_substeps",
        "At Most",
        "Substeps that Normal and By Trial do not go beyond; the bake tells when the scene needs more. Only where the "
        "weight of very small cells asks for more, Normal takes them. Draft has half of this limit, Final four times",
        160,
        minimum=1,
        maximum=10000,
        soft_maximum=640,
    ),
    Parameter(
        "substeps",
        "Substeps",
        "Solver steps per frame: more are stiffer and more exact, in proportion slower",
        20,
        minimum=1,
        maximum=10000,
        soft_maximum=100,
    ),
    Parameter(
        "iterations",
        "Iterations",
        "Passes over all constraints per substep. More substeps help more than more iterations",
        1,
        minimum=1,
        maximum=10000,
        soft_maximum=50,
    ),
    Parameter(
        "acceleration",
        "Stiff Cloth",
        "Acceleration by coarse levels: how pinned cloth becomes stiff with few substeps. Choose None to compare, or "
        "for a mesh that is modelled with folds only a few edges wide",
        "HIERARCHY",
        choices=ACCELERATIONS,
    ),
    Parameter("solver_mode", "Mode", "How stiffness is given", "XPBD", choices=SOLVER_MODES),
    Parameter(
        "time_integration",
        "Integration",
        "How motion goes on from substep to substep",
        "SYMPLECTIC_EULER",
        choices=TIME_INTEGRATIONS,
    ),
    Parameter(
        "measure_residual",
        "Measure What Is Left",
        "Measure in each frame how far one more iteration would still move a vertex; costs some time",
        False,
    ),
    Parameter(
        "preroll",
        "Start Frames",
        "Frames that are simulated before the first one and not kept, so that what falls has settled by then. What is "
        "animated stands as it does at the first frame",
        0,
        minimum=0,
        maximum=10000,
        soft_maximum=100,
    ),
    Parameter(
        "sewing_frames",
        "Sewing Frames",
        "So many simulated frames, Start Frames among them, begin without gravity: seams close before the cloth drapes",
        0,
        minimum=0,
        maximum=10000,
        soft_maximum=100,
    ),
    Parameter("precision", "Precision", "How finely positions are kept", "AUTO", choices=PRECISIONS),
    Parameter("device", "Device", "What the solver runs on", "AUTO", choices=DEVICES),
)

# what jobs give where a bake is to go on as another one was simulated; no property, and absent where it is the default
SPRING_SWEEPS = Parameter(
    "spring_sweeps",
    "Sweeps over Springs",
    "How often springs are swept in each substep, where the number of substeps is given",
    1,
    minimum=1,
    maximum=1000,
)

# what tracks can move of the scene itself; the rest pose has ``Scene.gravity``
SCENE_PARAMETERS: tuple[Parameter, ...] = tuple(
    Parameter(
        f"gravity_{axis}",
        f"Gravity {axis.upper()}",
        f"Acceleration of free fall along the world's {axis.upper()} axis",
        default,
        "m/s²",
        -1e9,
        1e9,
        animatable=True,
    )
    for axis, default in (("x", 0.0), ("y", 0.0), ("z", -9.81))
)

_SPECS = by_name((*SOLVER_PARAMETERS, SPRING_SWEEPS))


@dataclass(frozen=True)
class SolverSettings:
    """Solver settings; ranges and meaning in ``SOLVER_PARAMETERS`` and ``SPRING_SWEEPS``."""

    substeps: int = 20
    iterations: int = 1
    solver_mode: str = "XPBD"
    device: str = "AUTO"
    time_integration: str = "SYMPLECTIC_EULER"
    quality: str = "FIXED"
    tolerance: float = 1.0
    maximum_substeps: int = 160
    measure_residual: bool = False
    precision: str = "AUTO"
    acceleration: str = "HIERARCHY"
    preroll: int = 0
    sewing_frames: int = 0
    spring_sweeps: int = 1

    @classmethod
    def from_values(cls, values: Mapping[str, Value]) -> SolverSettings:
        """Build from a mapping of parameter names; absent ones keep their defaults.

        Raises:
            XpbdError: E_PARAM for an unknown name, a wrong type or a value out of range.
        """
        unknown = set(values) - set(_SPECS)
        if unknown:
            raise XpbdError("E_PARAM", f"Unknown solver setting: {', '.join(sorted(unknown))}.")
        checked: dict[str, Value] = {name: _SPECS[name].check(value) for name, value in values.items()}
        return cls(**checked)  # type: ignore[arg-type]

    def values(self) -> dict[str, Value]:
        """The settings as a plain mapping."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.spring_sweeps == SPRING_SWEEPS.default:
            del values[SPRING_SWEEPS.name]
        return values


MAXIMUM_FRAMES = 1_000_000
# chosen by hand: more than the samples that renderers take of a shutter
MAXIMUM_SUBFRAMES = 63


@dataclass(frozen=True)
class FrameRange:
    """The frames of a bake.

    Attributes:
        start: the frame of the rest pose.
        end: the last frame, inclusive.
        step: a result is kept at every step-th frame from the start, and at the end.
        frame_duration: seconds per frame (fps_base / fps).
        hidden: frames from the start that are simulated and not kept.
        subframes: states that are kept between two frames, at even times; each is that after a whole substep.
    """

    start: int
    end: int
    step: int = 1
    frame_duration: float = 1.0 / 24.0
    hidden: int = 0
    subframes: int = 0

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise XpbdError("E_FRAME_RANGE", f"The end frame {self.end} is before the start frame {self.start}.")
        if self.step < 1:
            raise XpbdError("E_FRAME_RANGE", f"The frame step is {self.step}; use at least 1.")
        if self.end - self.start >= MAXIMUM_FRAMES:
            raise XpbdError("E_FRAME_RANGE", f"More than {MAXIMUM_FRAMES} frames; use a shorter range.")
        if not 1e-6 <= self.frame_duration <= 1e3:
            raise XpbdError("E_FRAME_RANGE", f"A frame lasts {self.frame_duration} s; check fps and its base.")
        if not 0 <= self.subframes <= MAXIMUM_SUBFRAMES:
            text = f"{self.subframes} subframes are asked for; choose 0 to {MAXIMUM_SUBFRAMES}."
            raise XpbdError("E_PARAM", text)

    @property
    def count(self) -> int:
        """Number of simulated frames, the rest pose included."""
        return self.end - self.start + 1

    def kept(self) -> list[int]:
        """The frames of which a result is kept, ascending."""
        frames = list(range(self.start + self.hidden, self.end + 1, self.step))
        return frames if frames[-1] == self.end else [*frames, self.end]

    def between(self, last: int) -> list[int]:
        """The states up to a frame that are kept beside whole frames, by their numbers, ascending.

        State n is that of n / (subframes + 1) frames after the first kept one. Frames that a step leaves out are such
        states too; without subframes there are none.
        """
        count = (self.subframes + 1) * (last - self.start - self.hidden) if self.subframes else 0
        return [number for number in range(count + 1) if self.is_between(number)]

    def is_between(self, number: int) -> bool:
        """Whether the state of this number is kept beside whole frames, see ``between``."""
        frames, part = divmod(number, self.subframes + 1)
        is_last = self.start + self.hidden + frames == self.end
        return self.subframes > 0 and number > 0 and (part > 0 or not (is_last or frames % self.step == 0))
