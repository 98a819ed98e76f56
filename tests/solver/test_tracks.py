# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that change over the frames: as a job that has the value of each frame."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from blender_xpbd.constraints import CONSTRAINTS
from blender_xpbd.device import version
from blender_xpbd.scene.body import Body
from blender_xpbd.scene.parameters.external_parameters import EXTERNAL_PARAMETERS
from blender_xpbd.scene.parameters.material_parameters import COLLIDER, MATERIAL_PARAMETERS
from blender_xpbd.scene.scene import Scene, validate
from blender_xpbd.scene.settings import SCENE_PARAMETERS
from blender_xpbd.scene.track import SCENE_TARGET, Track
from blender_xpbd.solver.solver import Solver
from blender_xpbd.solver.step.plan import COLOURS, SERIAL
from blender_xpbd.solver.system.system import build_system
from blender_xpbd.solver.system.tracks import FollowingColumn
from blender_xpbd.solver.tearing import TearingSolver, make_solver
from tests.bodies.test_materials import balloon
from tests.solver.grain_scenes import block, grains
from tests.solver.scenes import cloth, jelly_cube, pins, plane, scene
from tests.solver.strands import helix, strand
from tests.solver.test_tearing import split

pytestmark = pytest.mark.usefixtures("taichi_cpu")

FRAMES = 7
CHANGE = 3
DIRECT = {
    "stiffness_input": "COMPLIANCE",
    "stretch_compliance": 1e-4,
    "volume_compliance": 1e-9,
    "bending_compliance": 2.0,
}


def hung(weight=1.0, **material):
    """A cloth that hangs on one side, over the slope, and swings."""
    body = cloth(6, **{"bending_stiffness": 0.01, "internal_damping": 0.5, **material})
    return replace(body, pins=pins(body.positions, range(6), weight))


def draped(**material):
    """A cloth that has fallen on a slope."""
    return replace(cloth(6, height=0.002, **material), velocity=np.array([1.0, 0.0, -1.0]))


def fallen(height=0.01, **material):
    """A jelly that hits a slope."""
    body = jelly_cube(0.5, height=height, resolution=2, **material)
    return replace(body, velocity=np.array([0.5, 0.0, -1.5]))


def drawn():
    """A cloth that is drawn to where it is at rest, and sinks."""
    body = cloth(6, height=0.5)
    return replace(body, goal=pins(body.positions, range(36)))


def curl(**material):
    """A curled strand that hangs by its upper end."""
    values = {"youngs_modulus": 1e6, "twist_stiffness": 4e5, "radius": 0.005, **material}
    points = np.add(helix(count=12, turns=1.5, radius=0.1, height=0.2), (0.0, 0.0, 1.0))
    return strand(points, pinned=[0, 1], **values)


def heap():
    """Grains in the air, near enough to draw each other."""
    return grains(block((2, 2, 2), 0.02, spacing=2.1, jitter=0.0, height=0.5), radius=0.02)


def tearable():
    """A split cloth that hangs on one side, and grows as it falls."""
    body = split(cloth(6, height=2.0, stretch_stiffness=3.0, internal_damping=0.5, bending_model="NONE"))
    top = np.flatnonzero(body.positions[:, 1] > body.positions[:, 1].max() - 1e-6)
    return replace(body, pins=pins(body.positions, top), velocity=np.array([0.0, -3.0, 0.0]))


@dataclass(frozen=True)
class Case:
    """A parameter, what shows it, and two of its values."""

    body: Body
    value: float
    other: float
    target: str = "b0"


# what the factor of a plate is computed from
IN_THE_FACTOR = ("bending_stiffness", "damping", "damping_time")
MEMBRANE = {"membrane_model": "ORTHOTROPIC"}
CASES = {
    ("youngs_modulus", "elements"): Case(fallen(), 2e4, 9e4),
    ("youngs_modulus", "springs"): Case(fallen(solid_model="SPRINGS"), 2e4, 9e4),
    ("stretch_stiffness", "springs"): Case(hung(), 20.0, 900.0),
    ("stretch_stiffness", "give way"): Case(hung(compression_share=0.3), 20.0, 900.0),
    ("stretch_stiffness", "isotropic"): Case(hung(membrane_model="ISOTROPIC", bending_model="ISOMETRIC"), 20.0, 900.0),
    ("warp_stiffness", ""): Case(hung(**MEMBRANE), 20.0, 900.0),
    ("weft_stiffness", ""): Case(hung(**MEMBRANE), 20.0, 900.0),
    ("shear_stiffness", ""): Case(hung(**MEMBRANE), 20.0, 900.0),
    ("compression_share", ""): Case(hung(stretch_stiffness=50.0), 0.1, 0.6),
    ("compression_share", "none"): Case(hung(), 0.0, 0.6),
    ("compression_share", "all"): Case(hung(stretch_stiffness=50.0), 1.0, 0.1),
    ("greatest_stretch", ""): Case(hung(stretch_stiffness=5.0), 2.0, 40.0),
    ("greatest_stretch", "free"): Case(hung(stretch_stiffness=5.0), 0.0, 2.0),
    ("bending_stiffness", ""): Case(hung(), 0.005, 0.5),
    ("bending_stiffness", "none"): Case(hung(), 0.0, 0.5),
    ("bending_stiffness", "distance"): Case(hung(bending_model="DISTANCE"), 0.005, 0.5),
    ("stretch_compliance", ""): Case(hung(**DIRECT), 1e-2, 1e-4),
    ("stretch_compliance", "rigid"): Case(hung(**DIRECT), 0.0, 1e-2),
    ("volume_compliance", ""): Case(fallen(**DIRECT), 1e-4, 1e-9),
    ("bending_compliance", ""): Case(hung(**DIRECT), 2.0, 50.0),
    ("tether_slack", ""): Case(hung(stretch_stiffness=5.0, use_tethers=True), 1.02, 1.5),
    ("pressure", ""): Case(balloon(pressure_model="GAS"), 500.0, 5000.0),
    ("volume_ratio", ""): Case(balloon(pressure_model="VOLUME"), 1.1, 2.0),
    ("shape_frequency", ""): Case(hung(shape_matching="WHOLE"), 2.0, 9.0),
    ("pin_frequency", ""): Case(hung(weight=0.5, height=0.5), 1.0, 9.0),
    ("damping", "plate"): Case(hung(), 2.0, 9.0),
    ("damping", ""): Case(hung(bending_model="DISTANCE"), 2.0, 9.0),
    ("damping", "none"): Case(hung(bending_model="DISTANCE"), 0.0, 9.0),
    ("internal_damping", ""): Case(fallen(), 0.0, 30.0),
    ("damping_time", "plate"): Case(hung(), 0.01, 0.2),
    ("damping_time", ""): Case(hung(bending_model="DISTANCE"), 0.01, 0.2),
    ("damping_time", "none"): Case(hung(bending_model="DISTANCE"), 0.0, 0.2),
    ("friction", ""): Case(draped(), 0.1, 0.8),
    ("friction", "jelly"): Case(fallen(), 0.0, 0.8),
    ("friction", COLLIDER): Case(draped(), 0.1, 0.8, "c0"),
    ("restitution", ""): Case(fallen(0.15, youngs_modulus=1e9), 0.1, 0.9),
    ("restitution", COLLIDER): Case(fallen(0.15, youngs_modulus=1e9), 0.1, 0.9, "c0"),
    ("goal_frequency", ""): Case(drawn(), 1.0, 9.0),
    ("youngs_modulus", "rod"): Case(curl(), 3e5, 3e6),
    ("bending_share", ""): Case(curl(), 0.2, 1.0),
    ("twist_stiffness", ""): Case(curl(), 1e5, 3e6),
    ("twist_stiffness", "from nothing"): Case(curl(), 0.0, 3e6),
    ("twist_stiffness", "to nothing"): Case(curl(), 3e6, 0.0),
    ("yield_strain", ""): Case(hung(stretch_stiffness=5.0), 1.0, 50.0),
    ("yield_curvature", ""): Case(hung(bending_stiffness=0.1), 0.5, 50.0),
    ("creep", ""): Case(hung(stretch_stiffness=5.0, yield_strain=1.0), 5.0, 200.0),
    ("tear_strain", ""): Case(tearable(), 60.0, 500.0),
    ("cohesion", ""): Case(heap(), 0.1, 9.0),
    ("gravity_x", ""): Case(hung(), 5.0, -5.0, SCENE_TARGET),
    ("gravity_y", ""): Case(hung(), 5.0, -5.0, SCENE_TARGET),
    ("gravity_z", ""): Case(hung(), -20.0, 0.0, SCENE_TARGET),
}
EVERY_CASE = pytest.mark.parametrize(("name", "case"), [(name, case) for (name, _), case in CASES.items()],
                                     ids=["-".join(filter(None, key)) for key in CASES])  # fmt: skip


def without_tracks(case: Case) -> Scene:
    return scene(
        case.body, colliders=[plane(angle=0.4, friction=0.3)], frames=(1, FRAMES), substeps=4, gravity=(0.3, 0.2, -9.81)
    )


def with_track(name: str, case: Case, values) -> Scene:
    whole = replace(without_tracks(case), tracks=(Track(case.target, name, np.array(values, np.float64)),))
    validate(whole)
    return whole


def with_value(name: str, case: Case, value: float) -> Scene:
    whole = without_tracks(case)
    if case.target == SCENE_TARGET:
        gravity = whole.gravity.copy()
        gravity["xyz".index(name[-1])] = value
        return replace(whole, gravity=gravity)
    if case.target == "b0":
        return replace(whole, bodies=(replace(case.body, material=replace(case.body.material, **{name: value})),))
    return replace(whole, colliders=(replace(whole.colliders[0], **{name: value}),))


def motion(whole: Scene, path=SERIAL):
    """Positions of all particles at each frame after the first, and what was warned of."""
    simulation = make_solver(build_system(whole), (path,))
    # what tears gets particles of its own
    tears, rows = isinstance(simulation, TearingSolver), []
    for _ in range(FRAMES - 1):
        simulation.advance()
        places = simulation.positions()
        rows.append(simulation.surface(places) if tears else places)
    assert not any(notice.code == "W_IGNORED" for notice in simulation.system.notices)
    return np.array(rows)


def until_the_last(case: Case, change=FRAMES - 1):
    """One value, and the other from a frame on; without it from the last, which moves nothing any more."""
    return [case.value] * change + [case.other] * (FRAMES - change)


def test_there_is_a_case_for_every_parameter():
    animatable = {
        (parameter.name, "") for parameter in (*MATERIAL_PARAMETERS, *SCENE_PARAMETERS) if parameter.animatable
    }
    # those go evenly through a frame, see test_external_forces.py
    animatable -= {(parameter.name, "") for parameter in EXTERNAL_PARAMETERS}
    on_colliders = {(p.name, COLLIDER) for p in MATERIAL_PARAMETERS if p.animatable and COLLIDER in p.roles}
    found = {(name, COLLIDER if case.target == "c0" else "") for (name, _), case in CASES.items()}
    assert found == animatable | on_colliders


@pytest.mark.slow
@EVERY_CASE
def test_a_value_of_all_frames_is_that_of_the_job(name, case):
    np.testing.assert_array_equal(
        motion(with_track(name, case, np.full(FRAMES, case.value))), motion(with_value(name, case, case.value))
    )


@pytest.mark.slow
@EVERY_CASE
def test_what_was_built_from_another_value_follows(name, case):
    expected = motion(with_value(name, case, case.value))
    found = motion(with_track(name, case, until_the_last(case)))
    size = float(np.ptp(case.body.positions, axis=0).max())
    other = motion(with_value(name, case, case.other))
    # of a plate only the force follows, not the factor (docs/architecture.md, Tracks)
    is_plate = case.body.material.bending_model == "DIHEDRAL" and name in IN_THE_FACTOR
    tolerance = 2e-2 if is_plate else 1e-5
    assert np.abs(found - expected).max() < tolerance * size
    assert np.abs(other - expected).max() > 1e-3 * size


@EVERY_CASE
def test_a_step_changes_what_comes_after_its_frame(name, case):
    before = motion(with_track(name, case, until_the_last(case)))
    after = motion(with_track(name, case, until_the_last(case, CHANGE)))
    np.testing.assert_array_equal(after[:CHANGE], before[:CHANGE])
    # damping of the internal motion comes at the end of a frame
    assert not np.array_equal(after[CHANGE : CHANGE + 2], before[CHANGE : CHANGE + 2])


@pytest.mark.parametrize("path", [SERIAL, COLOURS])
def test_a_bake_goes_on_from_any_frame_with_the_same_bytes(path):
    whole = eventful()
    straight = Solver(build_system(whole), (path,))
    kept = []
    for _ in range(FRAMES - 1):
        kept.append(straight.checkpoint())
        straight.advance()
    for frame_index, arrays in enumerate(kept):
        resumed = Solver(build_system(whole), (path,))
        resumed.restore(frame_index, arrays)
        while resumed.frame_index < FRAMES - 1:
            resumed.advance()
        for name, array in straight.checkpoint().items():
            np.testing.assert_array_equal(resumed.checkpoint()[name], array)


def eventful() -> Scene:
    """Bodies of which much changes in every frame."""
    names = {
        "b0": ("youngs_modulus", "damping_time", "friction"),
        "b1": ("stretch_stiffness", "bending_stiffness", "damping"),
    }
    ramp = np.linspace(1.0, 3.0, FRAMES)
    bodies = fallen(damping_time=0.01), replace(hung(), identifier="b1")
    tracks = tuple(
        Track(body.identifier, name, ramp * max(getattr(body.material, name), 0.1))
        for body in bodies
        for name in names[body.identifier]
    )
    whole = scene(*bodies, colliders=[plane()], frames=(1, FRAMES), substeps=4)
    whole = replace(whole, tracks=(*tracks, Track("c0", "friction", 0.1 * ramp), Track("scene", "gravity_x", ramp)))
    validate(whole)
    return whole


def test_all_paths_and_an_unknown_taichi_give_the_same_bytes(monkeypatch):
    expected = motion(eventful())
    np.testing.assert_array_equal(motion(eventful(), COLOURS), expected)
    # as from a graphics card, whose memory NumPy cannot reach
    monkeypatch.setattr(version, "KNOWN", (0,))
    np.testing.assert_array_equal(motion(eventful(), COLOURS), expected)


def test_nothing_is_copied_where_no_value_changes(monkeypatch):
    writes = []
    write = FollowingColumn.write

    def noted(column, *arguments):
        writes.append(column)
        write(column, *arguments)

    monkeypatch.setattr(FollowingColumn, "write", noted)
    case = CASES["youngs_modulus", "elements"]
    motion(with_track("youngs_modulus", case, until_the_last(case, CHANGE)))
    # at the first frame, for it was built from the greatest, and where the value changes
    assert len(writes) == 2
    writes.clear()
    motion(without_tracks(case))
    motion(with_track("youngs_modulus", case, np.full(FRAMES, case.value)))
    assert writes == []


def test_solvers_of_one_system_do_not_get_into_each_others_way():
    system = build_system(eventful())
    built = system.schedule.parameters.copy()
    one, other = Solver(system), Solver(system)
    for _ in range(FRAMES - 1):
        one.advance()
    other.advance()
    np.testing.assert_array_equal(system.schedule.parameters, built)
    np.testing.assert_array_equal(other.positions(), motion(eventful())[0])


def test_without_tracks_the_processor_reads_the_schedules_own_parameters():
    simulation = Solver(build_system(without_tracks(CASES["youngs_modulus", "elements"])))
    assert simulation.system.columns == ()
    assert simulation.system.schedule.rows == {}
    assert simulation._state.constraints.parameters is simulation.system.schedule.parameters


def test_coarse_levels_of_a_cloth_follow():
    body = cloth(24, pinned=range(24), stretch_stiffness=1e5, bending_model="NONE")
    still = scene(body, frames=(1, FRAMES), substeps=4)
    soft = 500.0
    track = Track("b0", "stretch_stiffness", np.array([soft] * (FRAMES - 1) + [1e5]))
    expected = replace(still, bodies=(replace(body, material=replace(body.material, stretch_stiffness=soft)),))
    found = motion(replace(still, tracks=(track,)))
    assert len(Solver(build_system(expected))._state.tables.levels) > 0
    assert np.abs(found - motion(expected)).max() < 1e-5
    assert np.abs(found - motion(still)).max() > 1e-3


@pytest.mark.parametrize("moves", [(True, True, True), (True, False, True)])
def test_the_rows_of_each_body_are_found_after_sorting(moves):
    bodies = [replace(hung(), identifier=f"b{n}") for n in range(3)]
    bodies = [
        body if is_movable else replace(body, pins=pins(body.positions, range(36)))
        for body, is_movable in zip(bodies, moves, strict=True)
    ]
    ramp = np.linspace(1.0, 2.0, FRAMES)
    tracks = (Track("b0", "stretch_stiffness", 100.0 * ramp), Track("b1", "stretch_stiffness", 100.0 * ramp))
    system = build_system(replace(scene(*bodies, frames=(1, FRAMES)), tracks=tracks))
    schedule = system.schedule
    owner, column = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for kind in ("diagonal", "distance"):
        count, first_index, first_parameter = schedule.table[[kind.name for kind in CONSTRAINTS].index(kind)].tolist()
        firsts = schedule.indices[first_index:][: 2 * count : 2]
        owner = np.append(owner, np.searchsorted(system.starts, firsts, side="right") - 1)
        column = np.append(column, first_parameter + 2 * np.arange(count) + 1)
    for number in (0, 1):
        mine = [column.places for column in system.columns if column.owner == f"b{number}"]
        # edges and diagonals are blocks of their own
        assert len(mine) == 2 * moves[number]
        places = [np.arange(len(schedule.parameters))[places] for places in mine]
        found = np.sort(np.concatenate([np.zeros(0, np.int64), *places]))
        np.testing.assert_array_equal(found, column[owner == number])
