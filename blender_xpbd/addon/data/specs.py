# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``Object.xpbd`` and ``Scene.xpbd`` hold: parameters, and how Blender shows them.

Lengths and velocities are in Blender units, as Blender's own properties: its panels show them in metres (or what the
scene's units say), and who reads them multiplies by the scene's unit scale. Everything else is in SI units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...scene.body import RESOLUTION_RANGE
from ...scene.body_contact import CONTACT_PARAMETERS
from ...scene.body_kinds import BODY_KINDS, body_roles
from ...scene.collider_shapes import COLLIDER_SHAPES
from ...scene.force import AIR_DENSITY, ATTRACTION, ATTRACTION_SOFTENING
from ...scene.parameter import Choice, Parameter
from ...scene.parameters.material_parameters import CLOTH, COLLIDER, JELLY, MATERIAL_PARAMETERS, STRAND
from ...scene.presets import DEFAULT_PRESETS, PRESET_CHOICES
from ...scene.settings import MAXIMUM_SUBFRAMES, SOLVER_PARAMETERS
from .feel_settings import FEEL_PARAMETERS
from .goal_settings import GOAL_PARAMETERS
from .group_settings import GROUP_PARAMETERS, group_property
from .overlay_settings import OVERLAY_PARAMETERS
from .pose_settings import POSE_FRAME, POSE_INDEX, POSE_KEY, POSE_LEAD, POSE_OBJECT, POSE_TOLERANCE
from .rebake_settings import FIRST_FRAME, LAST_FRAME, REBAKE_PARAMETERS, REGION_GROUP

ROLES = (
    Choice("NONE", "None", "Takes no part in the simulation"),
    *(Choice(kind.name, kind.label, kind.description) for kind in BODY_KINDS),
    Choice(COLLIDER, "Collider", "Obstacle that others bump into; it may be animated, nothing moves it"),
)
TETRAHEDRALIZERS = (
    Choice("CAGE", "Cage", "Even lattice around the mesh, which it carries along. Works with every mesh"),
    Choice("FILE", "File", "Tetrahedral mesh from the .node and .ele files that TetGen and others write"),
    Choice("FTETWILD", "fTetWild", "Tetrahedra that follow the surface. Needs the Python package pytetwild"),
    Choice("TETGEN", "TetGen", "Tetrahedra that follow a closed, clean surface. Needs the Python package tetgen"),
)
KEY_STYLES = (
    Choice("AUTO", "Automatic", "Absolute keys, or relative ones where the mesh has shape keys of its own"),
    Choice("ABSOLUTE", "Absolute", "One curve plays all keys: fast, and retimed by that curve"),
    Choice("RELATIVE", "Relative", "One curve for each key: plays along with the shape keys that the mesh has"),
)
PINNED_ENDS = (
    Choice("AUTO", "Automatic", "The roots of hair; of a curve the start where it is attached to something, else none"),
    Choice("NONE", "None", "No end is held"),
    Choice("START", "Start", "The first point of each curve"),
    Choice("END", "End", "The last point of each curve"),
    Choice("BOTH", "Both", "Both ends of each curve"),
)


@dataclass(frozen=True)
class Setting:
    """A parameter as a property of Blender.

    Attributes:
        parameter: name, unit, default, range, meaning.
        size: how many numbers it holds.
        subtype: Blender's subtype, where the unit does not give it; "OBJECT" for a pointer to a body and
            "COLLECTION" for one to a collection, whose default "" stands for None.
        hidden: kept in the file, never shown: internal.
        follows_keys: it can be animated, and a bake reads it at every frame; the others are read once.
    """

    parameter: Parameter
    size: int = 1
    subtype: str = "NONE"
    hidden: bool = False
    follows_keys: bool = False

    @property
    def name(self) -> str:
        """The attribute in ``Object.xpbd`` or ``Scene.xpbd``."""
        return self.parameter.name


_MATERIAL_SETTINGS = tuple(
    # the preset tells how stiffness is given: the experts' own or not
    Setting(parameter, follows_keys=parameter.animatable)
    for parameter in MATERIAL_PARAMETERS
    if parameter.name != "stiffness_input"
)

# the push group stands beside the push
GROUP_PROPERTIES = tuple(parameter.name for parameter in GROUP_PARAMETERS if parameter.name != group_property("push"))

VERSION = Setting(
    Parameter("version", "Version", "Of these settings, see migration; 0 is from before they had one", 0, minimum=0),
    hidden=True,
)

OBJECT_SETTINGS: tuple[Setting, ...] = (
    Setting(Parameter("role", "Role", "What the object is in the simulation", "NONE", choices=ROLES)),
    Setting(
        Parameter(
            "preset",
            "Material",
            "What the object is made of",
            DEFAULT_PRESETS[JELLY],
            choices=PRESET_CHOICES,
            roles=body_roles(),
        )
    ),
    *_MATERIAL_SETTINGS,
    *map(Setting, FEEL_PARAMETERS),
    Setting(
        Parameter(
            "pin_group",
            "Pin Group",
            "Vertex group that holds vertices in place: weight 1 is fixed, less is held softly. Pins follow the "
            "animation of the object",
            "",
            roles=body_roles(),
        )
    ),
    Setting(
        Parameter(
            "attach_object",
            "Attach to",
            "Object that holds the vertices of the group below, where they are at the first frame. One that is "
            "simulated is pulled in turn; on any other, as an empty, a bone or a character's skin, they ride",
            "",
            roles=body_roles(),
        ),
        subtype="OBJECT",
    ),
    Setting(
        Parameter(
            "attach_bone",
            "Bone",
            "Bone of the armature that holds the vertices. Empty: the armature object",
            "",
            roles=body_roles(),
        )
    ),
    Setting(
        Parameter(
            "attach_group",
            "Attach Group",
            "Vertex group that is held by the other object: weight 1 is welded to it, less is held softly",
            "",
            roles=body_roles(),
        )
    ),
    *map(Setting, GOAL_PARAMETERS),
    Setting(
        Parameter(
            "pinned_ends",
            "Ends",
            "Which ends of curves and hair are held: by the object attached to, hair by the surface that it hangs on, "
            "else by the object itself. Closed curves have no ends",
            "AUTO",
            choices=PINNED_ENDS,
            roles=(STRAND,),
        )
    ),
    Setting(
        Parameter(
            "hold_direction",
            "Hold Direction",
            "The ends are held with their direction, as if clamped; else they turn as on a hinge",
            True,
            roles=(STRAND,),
        )
    ),
    *map(Setting, GROUP_PARAMETERS),
    Setting(REGION_GROUP),
    Setting(
        Parameter(
            "force_collection",
            "Fields",
            "Collection of the force fields that act on the object. Empty: all of the scene",
            "",
            roles=body_roles(),
        ),
        subtype="COLLECTION",
    ),
    *(Setting(parameter) for parameter in CONTACT_PARAMETERS),
    Setting(
        Parameter(
            "collision_collection",
            "Meets",
            "Collection of the bodies and colliders that this one meets; it passes through all others, but for the "
            "floor. Two bodies meet where each is in the other's. Empty: all objects",
            "",
            roles=body_roles(),
        ),
        subtype="COLLECTION",
    ),
    Setting(
        Parameter(
            "no_contact_group",
            "Leave Out",
            "Vertex group of what takes no part in contact of the object with itself and with others: weights "
            "above 0.5 are left out",
            "",
            roles=body_roles(),
        )
    ),
    Setting(
        Parameter(
            "uv_map",
            "UV Map",
            "UV map that tells how the cloth is woven: the warp runs along U. Empty: the active one",
            "",
            roles=(CLOTH,),
        )
    ),
    Setting(
        Parameter(
            "tetrahedralizer",
            "Tetrahedra from",
            "How the inside is filled with tetrahedra",
            "CAGE",
            choices=TETRAHEDRALIZERS,
            roles=(JELLY,),
        )
    ),
    Setting(
        Parameter(
            "cage_resolution",
            "Resolution",
            "Cells along the longest side of the mesh: more show finer motion and take longer to simulate",
            16,
            minimum=RESOLUTION_RANGE[0],
            maximum=RESOLUTION_RANGE[1],
            soft_minimum=4,
            soft_maximum=64,
            roles=(JELLY,),
        )
    ),
    Setting(
        Parameter(
            "tetrahedra_file",
            "File",
            "The .node or .ele file of a tetrahedral mesh that fills this mesh, in the coordinates of the object",
            "",
            roles=(JELLY,),
        ),
        subtype="FILE_PATH",
    ),
    Setting(
        Parameter(
            "collider_shape",
            "Shape",
            "What the others bump into",
            COLLIDER_SHAPES[0].name,
            choices=tuple(Choice(shape.name, shape.label, shape.description) for shape in COLLIDER_SHAPES),
            roles=(COLLIDER,),
        )
    ),
    Setting(
        Parameter(
            "initial_velocity",
            "Initial Velocity",
            "How fast the object moves at the first frame, along the axes of the world",
            0.0,
            "m/s",
            minimum=-1e6,
            maximum=1e6,
            soft_minimum=-100.0,
            soft_maximum=100.0,
            roles=body_roles(),
        ),
        size=3,
    ),
    Setting(
        Parameter(
            "key_style",
            "Keys",
            "How the shape keys of a bake are played",
            "AUTO",
            choices=KEY_STYLES,
            roles=body_roles(),
        )
    ),
    Setting(
        Parameter("cache_modifier", "Cache Modifier", "The modifier that plays an exported file in place of keys", ""),
        hidden=True,
    ),
    Setting(POSE_INDEX, hidden=True),
    Setting(
        Parameter("start_topology", "Start", "Of which mesh the pose is in which the object begins", ""),
        hidden=True,
    ),
    Setting(
        Parameter("play_record", "Play Record", "How this object was before Play showed it otherwise", ""),
        hidden=True,
    ),
    Setting(
        Parameter("bake_record", "Bake Record", "What a bake has added to this object, so that it can be cleared", ""),
        hidden=True,
    ),
    Setting(
        Parameter("shown_preset", "Shown Material", "The preset whose values were last copied to the object", ""),
        hidden=True,
    ),
    Setting(
        Parameter("fits_size", "Fits Size", "Feels Like was not typed, and goes with the size and the material", False),
        hidden=True,
    ),
    Setting(
        Parameter("let_out", "Let Out", "What a check found it to start inside, and an artist said is fine", ""),
        hidden=True,
    ),
    Setting(
        Parameter(
            "normal_resolution",
            "Normal Resolution",
            "The resolution of Normal, which was chosen from the mesh and goes with the quality; 0: it was typed",
            0,
            minimum=0,
            maximum=RESOLUTION_RANGE[1],
        ),
        hidden=True,
    ),
    VERSION,
)

# of each pose in Object.xpbd.poses
POSE_SETTINGS: tuple[Setting, ...] = (
    Setting(POSE_KEY),
    Setting(POSE_OBJECT, subtype="OBJECT"),
    Setting(POSE_FRAME),
    Setting(POSE_LEAD),
    Setting(POSE_TOLERANCE),
)

KEY_TOLERANCE = Parameter(
    "key_tolerance",
    "Key Tolerance",
    "Fewer shape keys, which reproduce every simulated frame with no vertex farther off than this: chosen frames, or "
    "shapes that are blended, whichever make a smaller file. 0 writes a key for every frame",
    0.0,
    "mm",
    minimum=0.0,
    maximum=1e6,
    soft_maximum=10.0,
)

SUBFRAMES = Parameter(
    "subframes",
    "Subframes",
    "Simulated states between two frames that the cache keeps too, for exported files: renderers blur fast motion "
    "along its curve. Shape keys stay at whole frames. Substeps are raised to the next multiple of this number and one",
    0,
    minimum=0,
    maximum=MAXIMUM_SUBFRAMES,
    soft_maximum=7,
)

# a job without a quality is fixed, as jobs always were; an artist's scene goes by its materials until a number is typed
NEW_QUALITY = "MATERIAL"
_SOLVER_SETTINGS = tuple(
    Setting(replace(parameter, default=NEW_QUALITY) if parameter.name == "quality" else parameter)
    for parameter in SOLVER_PARAMETERS
)

SCENE_SETTINGS: tuple[Setting, ...] = (
    Setting(
        Parameter(
            "use_scene_range",
            "Scene Frame Range",
            "Simulate the frames that the timeline plays. Typing others turns it off",
            True,
        )
    ),
    Setting(
        Parameter(
            "frame_start",
            "Start",
            "First frame of the simulation: there the objects have the shape that they are modelled in",
            1,
            minimum=FIRST_FRAME,
            maximum=LAST_FRAME,
        )
    ),
    Setting(
        Parameter("frame_end", "End", "Last frame of the simulation", 250, minimum=FIRST_FRAME, maximum=LAST_FRAME)
    ),
    Setting(
        Parameter(
            "frame_step",
            "Step",
            "A shape key at every so many frames from the first, and at the last; every frame is simulated. "
            "1 plays the motion exactly",
            1,
            minimum=1,
            maximum=LAST_FRAME,
            soft_maximum=10,
        )
    ),
    *_SOLVER_SETTINGS,
    Setting(
        Parameter(
            "retry_diverged",
            "Retry Where It Blows Up",
            "When the simulation blows up, bake again with twice the substeps, up to three times",
            False,
        )
    ),
    Setting(Parameter("use_floor", "Floor", "Level floor under everything, without end", False)),
    Setting(
        Parameter(
            "floor_height",
            "Height",
            "Height of the floor along the Z axis of the world; it may be animated, and moves what lies on it",
            0.0,
            "m",
            minimum=-1e6,
            maximum=1e6,
            soft_minimum=-1000.0,
            soft_maximum=1000.0,
        ),
        follows_keys=True,
    ),
    Setting(
        Parameter(
            "floor_friction",
            "Friction",
            "Coulomb friction coefficient of the floor: 0 is ice, 1 is rubber on asphalt",
            0.5,
            minimum=0.0,
            maximum=10.0,
            soft_maximum=1.0,
        )
    ),
    Setting(
        Parameter(
            "floor_restitution",
            "Restitution",
            "Bounce of the floor: speed after a hit per speed before it",
            0.0,
            minimum=0.0,
            maximum=1.0,
        )
    ),
    Setting(KEY_TOLERANCE),
    Setting(SUBFRAMES),
    *map(Setting, REBAKE_PARAMETERS),
    Setting(
        Parameter(
            "use_force_fields",
            "Force Fields",
            "Blender's force fields act: Force, Wind, Vortex, Magnetic, Harmonic, Charge, Turbulence and Drag",
            True,
        )
    ),
    Setting(AIR_DENSITY),
    Setting(ATTRACTION),
    Setting(ATTRACTION_SOFTENING),
    Setting(
        Parameter(
            "cache_directory",
            "Cache",
            "Folder for the frames of a bake. Empty: a folder beside the .blend file",
            "",
        ),
        subtype="DIR_PATH",
    ),
    *(Setting(parameter) for parameter in OVERLAY_PARAMETERS),
    Setting(Parameter("report", "Report", "What the last bake did", ""), hidden=True),
    Setting(Parameter("findings", "Findings", "What the last check found", ""), hidden=True),
    Setting(Parameter("expense", "Expense", "How much the last check found to simulate", ""), hidden=True),
    Setting(Parameter("cache_id", "Cache ID", "By which the scene finds its cache again", ""), hidden=True),
    VERSION,
)

STATUS_SETTINGS: tuple[Setting, ...] = (
    Setting(Parameter("is_baking", "Baking", "A bake is running", False)),
    Setting(Parameter("is_waiting", "Waiting", "The bake waits for an object to leave Edit or Sculpt Mode", False)),
    Setting(Parameter("is_playing", "Playing", "A run is played", False)),
    Setting(Parameter("progress", "Progress", "Share of the bake that is done", 0.0, minimum=0.0, maximum=1.0)),
    Setting(Parameter("status", "Status", "What the bake does at present", "")),
    Setting(Parameter("frames_per_second", "Frames per Second", "Simulated frames per second", 0.0, "1/s", 0.0)),
    Setting(Parameter("seconds_left", "Time Left", "Seconds until the bake is done, -1 if unknown", -1.0, "s", -1.0)),
    Setting(Parameter("newest_frame", "Newest Frame", "Last frame that is finished", 0)),
    Setting(Parameter("message", "Message", "Why the last bake stopped, empty if it did not", "")),
)

FOLLOWED_OF_SCENE = frozenset(setting.name for setting in SCENE_SETTINGS if setting.follows_keys)
