# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blender_xpbd.jobs import job as job_module
from blender_xpbd.jobs.frames import FrameCache
from blender_xpbd.jobs.job import job_digest, read_job, write_job
from blender_xpbd.scene.body import Attachment, Body, Pins
from blender_xpbd.scene.errors import XpbdError
from blender_xpbd.scene.material import Material
from blender_xpbd.scene.scene import Scene
from blender_xpbd.scene.settings import FrameRange, SolverSettings
from tests.jobs.recorded import assert_same

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def edit(folder: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> None:
    """Change ``job.json`` as a forger would, with a digest that fits unless ``sign`` is off."""
    path = folder / "job.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    if sign and isinstance(value.get("scene"), dict):
        versions = value.get("software", ""), value.get("solver_version", 0)
        value["digest"] = job_module._digest(value["scene"], *versions)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_round_trip_keeps_every_field(job: Path, scene: Scene) -> None:
    assert_same(read_job(job), scene)
    assert job_digest(read_job(job)) == job_digest(scene)
    assert job.name == job_digest(scene)[:24]


def test_writing_a_job_does_not_wait_for_the_disk(
    tmp_path: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many bodies are many files, and Bake has been pressed."""
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    write_job(tmp_path / "other", scene)
    assert not flushed


def test_files_are_named_by_identifier_and_field(job: Path) -> None:
    names = {path.name for path in (job / "arrays").iterdir()}
    assert {
        "con_positions.npy",
        "con_pin_targets.npy",
        "c1_transforms.npy",
        "c3_triangles.npy",
        "scene_track_gravity_z.npy",
    } <= names
    assert {path.name for path in job.iterdir()} == {"job.json", "arrays"}
    assert "rfel" not in " ".join(names)


def test_job_tells_units_names_and_version(job: Path) -> None:
    value = json.loads((job / "job.json").read_text(encoding="utf-8"))
    assert value["schema_version"] == 5
    assert value["units"]["youngs_modulus"] == "Pa"
    assert value["names"]["con"] == "Würfel/../\n"
    assert value["software"]


def replace_body(scene: Scene, **changes: Any) -> Scene:
    return dataclasses.replace(scene, bodies=(dataclasses.replace(scene.bodies[0], **changes), *scene.bodies[1:]))


def moved(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array = array.copy()
    array.flat[-1] = np.nextafter(array.flat[-1], np.inf, dtype=array.dtype)
    return array


def shifted(pins: Pins) -> Pins:
    matrices = pins.matrices.copy()
    matrices[-1, 0, 3] += 0.1
    return dataclasses.replace(pins, matrices=matrices)


INFLUENCES: dict[str, Callable[[Scene], Scene]] = {
    "positions": lambda s: replace_body(s, positions=moved(s.bodies[0].positions)),
    "corners": lambda s: replace_body(s, corners=s.bodies[0].corners[::-1].copy()),
    "role": lambda s: replace_body(s, role="CLOTH"),
    "material": lambda s: replace_body(s, material=dataclasses.replace(s.bodies[0].material, friction=0.50001)),
    "velocity": lambda s: replace_body(s, velocity=moved(s.bodies[0].velocity)),
    "vertex_factors": lambda s: replace_body(s, vertex_factors={"damping": s.bodies[0].vertex_factors["stiffness"]}),
    "axes": lambda s: replace_body(s, axes=s.bodies[0].axes[[1, 2, 0]]),
    "loose_edges": lambda s: replace_body(s, loose_edges=s.bodies[0].loose_edges[:0]),
    "uvs": lambda s: replace_body(s, uvs=s.bodies[0].uvs + np.float32(1)),
    "pin weight": lambda s: replace_body(
        s, pins=dataclasses.replace(s.bodies[0].pins, weights=moved(s.bodies[0].pins.weights))
    ),
    "pin target": lambda s: replace_body(
        s, pins=dataclasses.replace(s.bodies[0].pins, targets=moved(s.bodies[0].pins.targets))
    ),
    "pin matrix": lambda s: dataclasses.replace(
        s, bodies=(s.bodies[0], dataclasses.replace(s.bodies[1], pins=shifted(s.bodies[1].pins)))
    ),
    "force": lambda s: dataclasses.replace(s, forces=s.forces[:1]),
    "air density": lambda s: dataclasses.replace(s, air_density=1.3),
    "fields": lambda s: replace_body(s, fields=("f1",)),
    "no fields": lambda s: replace_body(s, fields=()),
    "force strength": lambda s: dataclasses.replace(
        s, forces=(dataclasses.replace(s.forces[0], strength=3.6), *s.forces[1:])
    ),
    "track": lambda s: dataclasses.replace(s, tracks=s.tracks[1:]),
    "track value": lambda s: dataclasses.replace(
        s, tracks=(dataclasses.replace(s.tracks[0], values=moved(s.tracks[0].values)), *s.tracks[1:])
    ),
    **{
        f"contact {name}": lambda s, name=name, value=value: replace_body(  # type: ignore[misc]
            s, contact=dataclasses.replace(s.bodies[0].contact, **{name: value})
        )
        for name, value in {
            "self_collision": True,
            "body_collision": True,
            "thickness": 0.0041,
            "sees": None,
            "left_out": np.array([2], np.int32),
            "layer": 4,
        }.items()
    },
    "nothing seen": lambda s: replace_body(s, contact=dataclasses.replace(s.bodies[0].contact, sees=())),
    "no attachment": lambda s: replace_body(s, attachment=None),
    "attachment weight": lambda s: replace_body(
        s, attachment=Attachment("b2", np.array([0, 2], np.int32), np.array([1.0, 0.6], np.float32))
    ),
    "attachment vertex": lambda s: replace_body(
        s, attachment=Attachment("b2", np.array([0, 3], np.int32), np.array([1.0, 0.7], np.float32))
    ),
    "resolution": lambda s: replace_body(
        s, tetrahedralization=dataclasses.replace(s.bodies[0].tetrahedralization, resolution=8)
    ),
    "tetrahedra": lambda s: replace_body(
        s,
        tetrahedralization=dataclasses.replace(
            s.bodies[0].tetrahedralization, tetrahedra=np.array([[1, 0, 2, 3]], np.int32)
        ),
    ),
    "order of bodies": lambda s: dataclasses.replace(s, bodies=s.bodies[::-1]),
    "gravity": lambda s: dataclasses.replace(s, gravity=moved(s.gravity)),
    "frame start": lambda s: dataclasses.replace(s, frames=dataclasses.replace(s.frames, start=-2, end=1)),
    "frame step": lambda s: dataclasses.replace(s, frames=dataclasses.replace(s.frames, step=2)),
    "fps": lambda s: dataclasses.replace(s, frames=dataclasses.replace(s.frames, frame_duration=1 / 24)),
    "substeps": lambda s: dataclasses.replace(s, settings=dataclasses.replace(s.settings, substeps=8)),
    "device": lambda s: dataclasses.replace(s, settings=dataclasses.replace(s.settings, device="AUTO")),
    "no collider": lambda s: dataclasses.replace(s, colliders=s.colliders[1:]),
    "collider": lambda s: dataclasses.replace(
        s, colliders=(dataclasses.replace(s.colliders[0], friction=0.1), *s.colliders[1:])
    ),
}


@pytest.mark.parametrize("what", INFLUENCES)
def test_digest_covers_what_influences_the_result(scene: Scene, what: str) -> None:
    assert job_digest(INFLUENCES[what](scene)) != job_digest(scene)


@pytest.mark.parametrize(("name", "other"), [("VERSION", "0.0.0"), ("SOLVER_VERSION", 999)])
def test_digest_covers_the_versions(scene: Scene, monkeypatch: pytest.MonkeyPatch, name: str, other: str | int) -> None:
    before = job_digest(scene)
    monkeypatch.setattr(job_module, name, other)
    assert job_digest(scene) != before


def test_digest_ignores_names_types_and_memory_order(scene: Scene) -> None:
    body = scene.bodies[0]
    same = replace_body(
        scene,
        name="other",
        positions=np.asfortranarray(body.positions),
        corners=body.corners.astype(np.int64),
        material=dataclasses.replace(body.material, friction=0.5, damping=0),
        contact=dataclasses.replace(
            body.contact,
            self_collision=np.bool_(False),
            thickness=np.float64(0.004),
            left_out=body.contact.left_out.astype(np.int64),
        ),
    )
    assert job_digest(same) == job_digest(scene)


def test_the_same_job_is_kept_with_its_frames(tmp_path: Path, job: Path, scene: Scene) -> None:
    FrameCache(job, 8, 2, 1).publish(1, np.zeros((8, 3), np.float32), np.zeros((2, 1)))
    before = {path: path.stat().st_mtime_ns for path in job.rglob("*")}
    assert write_job(tmp_path / "cache", scene) == job
    assert {path: path.stat().st_mtime_ns for path in job.rglob("*")} == before


def test_a_renamed_object_keeps_its_frames(tmp_path: Path, job: Path, scene: Scene) -> None:
    cache = FrameCache(job, 8, 2, 1)
    cache.publish(1, np.zeros((8, 3), np.float32), np.zeros((2, 1)))
    assert write_job(tmp_path / "cache", replace_body(scene, name="Renamed")) == job
    assert read_job(job).bodies[0].name == "Renamed"
    assert cache.available() == [1]


@pytest.mark.parametrize(
    "damage",
    [
        lambda f: (f / "job.json").write_bytes(b"{"),
        lambda f: (f / "job.json").unlink(),
        lambda f: (f / "job.json").write_bytes(b" " * 100_000),
        lambda f: (f / "arrays" / "con_positions.npy").write_bytes(b""),
        lambda f: (f / "arrays" / "con_positions.npy").unlink(),
        lambda f: (f / "arrays" / "c2_transforms.npy").write_bytes(b"\x00" * 1000),
    ],
)
def test_a_damaged_job_is_named_and_written_again(
    tmp_path: Path, job: Path, scene: Scene, damage: Callable[[Path], object]
) -> None:
    cache = FrameCache(job, 8, 2, 1)
    cache.publish(1, np.zeros((8, 3), np.float32), np.zeros((2, 1)))
    damage(job)
    with pytest.raises(XpbdError, match="E_JOB") as caught:
        read_job(job)
    assert str(job) in caught.value.message
    assert write_job(tmp_path / "cache", scene) == job
    assert_same(read_job(job), scene)
    assert cache.verify(1)


def test_every_array_is_needed_and_checked(job: Path) -> None:
    for path in sorted((job / "arrays").iterdir()):
        content = path.read_bytes()
        for bad in (content[:-1], content + b"\0", bytes([content[0] ^ 1]) + content[1:]):
            path.write_bytes(bad)
            with pytest.raises(XpbdError, match="E_JOB") as caught:
                read_job(job)
            assert str(path) in caught.value.message
        path.write_bytes(content)
    read_job(job)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4, 6, "5", None])
def test_another_version_is_named(job: Path, version: object) -> None:
    edit(job, lambda value: value.update(schema_version=version))
    with pytest.raises(XpbdError, match=r"E_JOB.*schema version") as caught:
        read_job(job)
    assert repr(version) in caught.value.message


@pytest.mark.parametrize(("name", "other"), [("VERSION", "9.9.9"), ("SOLVER_VERSION", 999)])
def test_a_job_of_another_software_version_is_still_read(
    tmp_path: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch, name: str, other: str | int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(job_module, name, other)
        folder = write_job(tmp_path, scene)
    assert_same(read_job(folder), scene)
    assert write_job(tmp_path, scene) != folder


def test_a_change_without_a_new_digest_is_found(job: Path) -> None:
    edit(job, lambda value: value["scene"]["bodies"][0]["material"].update(friction=0.9), sign=False)
    with pytest.raises(XpbdError, match=r"E_JOB.*changed"):
        read_job(job)


def at(*keys: Any, value: object) -> Callable[[dict[str, Any]], None]:
    """A change of one value in ``job.json``."""

    def change(job: dict[str, Any]) -> None:
        place: Any = job["scene"]
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


BODY = ("bodies", 0)
POSITIONS = (*BODY, "arrays", "positions")
CONTACT = (*BODY, "contact")
HOSTILE = [
    at("gravity", value=[0, 0]),
    at("gravity", value=[0, 0, "9.81"]),
    at("frames", value=[]),
    at("frames", "start", value=1.5),
    at("frames", "end", value=-5),
    at("frames", "end", value=10**9),
    at("frames", "step", value=0),
    at("frames", "frame_duration", value=0),
    at("settings", value=None),
    at("settings", "substeps", value=0),
    at("settings", "substeps", value=[]),
    at("settings", "substeps", value=10**400),
    at("settings", "device", value=[]),
    at("settings", "unknown", value=1),
    at("bodies", value=[]),
    at("bodies", value=[None]),
    at("bodies", value="abc"),
    at(*BODY, "identifier", value="../../evil"),
    at(*BODY, "identifier", value="b2"),
    at(*BODY, "identifier", value="a" * 300),
    at(*BODY, "role", value="GAS"),
    at(*BODY, "role", value=None),
    at(*BODY, "material", value=[1]),
    at(*BODY, "material", "density", value=-1),
    at(*BODY, "material", "density", value=None),
    at(*BODY, "material", "bending_model", value={}),
    at(*BODY, "material", "unknown", value=1),
    at(*BODY, "velocity", value=[1, 2, [3]]),
    at(*BODY, "tetrahedralizer", value="MAGIC"),
    at(*BODY, "resolution", value=10**6),
    at(*BODY, "attach_target", value="c1"),
    at(*BODY, "attach_target", value="con"),
    at(*BODY, "attach_target", value=None),
    at(*CONTACT, value=None),
    at(*CONTACT, value={}),
    at(*CONTACT, "self_collision", value=1),
    at(*CONTACT, "body_collision", value="yes"),
    at(*CONTACT, "thickness", value=-0.001),
    at(*CONTACT, "thickness", value=None),
    at(*CONTACT, "thickness", value=10**400),
    at(*CONTACT, "sees", value="b2"),
    at(*CONTACT, "sees", value=["nobody"]),
    at(*CONTACT, "sees", value=["con"]),
    at(*CONTACT, "sees", value=["f1"]),
    at(*CONTACT, "sees", value=["b2", "b2"]),
    at(*CONTACT, "sees", value=[None]),
    at(*CONTACT, "layer", value=-1),
    at(*CONTACT, "layer", value=101),
    at(*CONTACT, "layer", value=1.5),
    at(*CONTACT, "more", value=1),
    at(*BODY, "arrays", "contact_left_out", "shape", value=[5]),
    at(*BODY, "arrays", value={}),
    at(*BODY, "more", value=1),
    at(*POSITIONS, value={}),
    at(*POSITIONS, "dtype", value="|O8"),
    at(*POSITIONS, "dtype", value="<f4"),
    at(*POSITIONS, "shape", value=[4, 4]),
    at(*POSITIONS, "shape", value=[12]),
    at(*POSITIONS, "shape", value=[-4, 3]),
    at(*POSITIONS, "shape", value=[4.0, 3]),
    at(*POSITIONS, "shape", value=[2**53, 3]),
    at(*POSITIONS, "shape", value=[True, 3]),
    at(*POSITIONS, "digest", value="0" * 32),
    at(*POSITIONS, "digest", value=None),
    at("colliders", 0, "shape", value="TORUS"),
    at("colliders", 0, "friction", value=-1),
    at("colliders", 1, "radius", value=0),
    at("colliders", 1, "radius", value=True),
    at("forces", value=None),
    at("forces", 0, "identifier", value="con"),
    at("forces", 0, "identifier", value="scene"),
    at("forces", 0, "kind", value="MAGIC"),
    at("forces", 0, "parameters", value={}),
    at("forces", 0, "parameters", "seed", value=1.5),
    at("forces", 0, "parameters", "size", value=-1),
    at("forces", 0, "parameters", "more", value=1),
    at("tracks", value={}),
    at("tracks", 0, "target", value="../x"),
    at("tracks", 0, "target", value="nobody"),
    at("tracks", 0, "parameter", value="../x"),
    at("tracks", 0, "parameter", value="density"),
    at("tracks", 0, "parameter", value=[]),
    at("tracks", 0, "arrays", value={}),
    lambda job: job.update(names=[]),
    lambda job: job["names"].update(con=None),
    lambda job: job.update(scene=None),
    lambda job: job.update(software=3),
    lambda job: job.update(solver_version="3"),
    lambda job: job.update(more=1),
    lambda job: job.pop("units"),
]


@pytest.mark.parametrize("change", HOSTILE)
def test_hostile_jobs_are_refused_by_a_code(job: Path, change: Callable[[dict[str, Any]], object]) -> None:
    edit(job, change)
    with pytest.raises(XpbdError) as caught:
        read_job(job)
    # The ranges of values and the scene's own rules answer by their own codes
    assert caught.value.code in {"E_JOB", "E_PARAM", "E_FRAME_RANGE", "E_NOTHING"}
    if caught.value.code == "E_JOB":
        assert str(job) in caught.value.message


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_refused_or_harmless(job: Path, scene: Scene, data: st.DataObject) -> None:
    path = job / "job.json"
    content = path.read_bytes()
    damaged = bytearray(content)
    damaged[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(damaged)
    fault: XpbdError | None = None
    try:
        # Names and units are outside the digest; nothing else may change
        assert job_digest(read_job(job)) == job_digest(scene)
    except XpbdError as caught:
        fault = caught
    finally:
        path.write_bytes(content)
    assert fault is None or (fault.code == "E_JOB" and str(path) in fault.message)


def test_truncation_is_found(job: Path) -> None:
    path = job / "job.json"
    content = path.read_bytes()
    for length in range(0, len(content) - 1, 37):
        path.write_bytes(content[:length])
        with pytest.raises(XpbdError, match="E_JOB"):
            read_job(job)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
def test_links_are_refused(tmp_path: Path, job: Path, scene: Scene) -> None:
    for name in ("job.json", "arrays/con_positions.npy", "arrays"):
        path = job / name
        real = tmp_path / "real"
        path.rename(real)
        path.symlink_to(real)
        with pytest.raises(XpbdError, match=r"E_JOB.*symbolic link"):
            read_job(job)
        with pytest.raises(XpbdError, match=r"E_JOB.*symbolic link"):
            write_job(tmp_path / "cache", scene)
        path.unlink()
        real.rename(path)
    job.rename(tmp_path / "elsewhere")
    job.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(XpbdError, match=r"E_JOB.*symbolic link"):
        write_job(tmp_path / "cache", scene)


def test_what_would_be_refused_is_not_written(tmp_path: Path, scene: Scene) -> None:
    with pytest.raises(XpbdError, match="E_NOTHING"):
        write_job(tmp_path, dataclasses.replace(scene, bodies=()))
    with pytest.raises(XpbdError, match="E_PARAM"):
        write_job(tmp_path, replace_body(scene, material=Material(density=-1.0)))
    with pytest.raises(XpbdError, match="E_PARAM"):
        write_job(tmp_path, dataclasses.replace(scene, settings=SolverSettings(substeps=0)))
    assert list(tmp_path.iterdir()) == []


def test_a_cache_folder_that_cannot_be_made_is_an_io_error(tmp_path: Path, scene: Scene) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(XpbdError, match="E_IO") as caught:
        write_job(tmp_path / "file", scene)
    assert str(tmp_path / "file") in caught.value.message


def test_a_broken_name_does_not_break_the_job(tmp_path: Path, scene: Scene) -> None:
    name = b"Cube\xff".decode("utf-8", "surrogateescape")
    assert read_job(write_job(tmp_path, replace_body(scene, name=name))).bodies[0].name == "Cube\\udcff"


@given(
    points=st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 3), min_size=3, max_size=8),
    start=st.integers(-1000, 1000),
    step=st.integers(1, 5),
)
@same_folder
def test_any_cloth_round_trips(tmp_path: Path, points: list[tuple[float, float, float]], start: int, step: int) -> None:
    positions = np.array(points, np.float64)
    faces = np.array([len(points)], np.int32)
    body = Body("a", "A", "CLOTH", positions, faces, np.arange(len(points), dtype=np.int32))
    scene = Scene((body,), (), FrameRange(start, start + 7, step))
    assert_same(read_job(write_job(tmp_path, scene)), scene)
