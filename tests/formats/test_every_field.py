"""Every field of the model comes back from a file of every format, or the writer reports that it is lost.

A new field is tested on arrival. If its type has no value in tests/every_field.py, the test asks for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache

import pytest

import kinetree as kt
from carried_robots import RECORD
from each import each
from every_field import all_paths, equal, plain, planted, value_at, values
from kinetree.errors import Finding
from kinetree.formats.registry import WRITTEN, Format
from kinetree.model.assemble import build
from kinetree.model.robot import Limit, Robot
from whole import one_line

PATHS = {".".join(path): (path, values(path, kind)) for path, kind in all_paths()}
ROBOTS = [row.name for row in WRITTEN.values() if not row.beside]
"""Formats of whole robots."""
READ = (*ROBOTS, "srdf", "xrdf")
"""Formats that are read, too."""
WITHOUT = {"dh-csv": ("frame",)}
"""Parts that are left out, so that the arm can be written; a table in CSV has no names of links."""
MASSLESS = {"sdf": ["massless"], "mjcf": ["bounds"], "usd": ["massless"]}
"""What is said of the arm, which has no masses: SDF, MuJoCo and USD need some."""
LEFT_OUT = {("dh-csv", "links.name"), ("dh-csv", "joints.child"), ("dh-csv", "joints.parent")}
LEFT_OUT |= {("dh-csv", name) for name in PATHS if name.startswith("frames.")}
COMMENTS = ("enabled_collisions.evidence", "disabled_collisions.evidence", "sphere_approximations.evidence", "evidence")
LEFT_OUT |= {(format, f"semantic.{name}") for name in COMMENTS for format in ("srdf", "xrdf")}
LEFT_OUT |= {(format, name) for name in PATHS if ".visuals.surface." in name for format in WRITTEN}  # nobody feels them
LEFT_OUT |= {("xrdf", "semantic.disabled_collisions.reason")}  # which is a comment there, too
LEFT_OUT |= {("usd", name) for name in ("materials.name", "materials.rgba")}  # of a material that nothing has
LEFT_OUT |= {("usd", f"{joint}.dynamics.reference") for joint in ("joints", "loops")}  # without a spring
NAMES_OF_LOOKS = ("visuals.name", "collisions.name", "material.name", "materials.name")
"""Names that other programs use for nothing, so that no remark is made if only Kinetree reads them."""


def part_of(name: str) -> str:
    """Return the first two words of a path."""
    return "_".join(name.split(".")[:2])


def load(text: str, format: str) -> Robot:
    if WRITTEN[format].beside:
        return kt.load(kt.text(build(plain()), "urdf"), format="urdf", srdf=text)
    return kt.load(text, format=format)


@cache
def usual(format: str) -> frozenset[str]:
    """Return what is said of the arm itself."""
    notes: list[Finding] = []
    WRITTEN[format].write(build(plain()), WITHOUT.get(format, ()), notes)
    return frozenset(note.message for note in notes)


def reported(error: kt.KinetreeError) -> bool:
    return all(finding.code.startswith("cannot-say-") for finding in error.findings)


def losses(robot: Robot, row: Format, name: str, said: list[str]) -> Iterator[str]:
    """Yield what is lost of a field of a robot without a report; add all that is reported to `said`."""
    path, notes = PATHS[name][0], list[Finding]()
    before = value_at(robot, path)
    try:
        text = row.write(robot, WITHOUT.get(row.name, ()), notes)
    except kt.KinetreeError as error:
        said += (f"{row.name}: {replace(one, fix=None, excerpt=None)}" for one in error.findings)
        if not reported(error):
            yield f"{row.name}: {error}"
        return
    notes = [note for note in notes if note.message not in usual(row.name)] if row.beside else notes
    said += (f"{row.name}: {replace(note, fix=None)}" for note in notes if note.code not in ("bounds", "massless"))
    if any(note.code == "single-joints" for note in notes):  # which names them
        return
    after = value_at(load(text, row.name), path)
    if not equal(before, after) and (row.carries or all(note.code == "massless" for note in notes)):
        yield f"{row.name}: {before} was written, {after} came back"
    bare = RECORD[row.name].sub("", text) if row.carries else text
    if any(note.code == "carried" for note in notes) or bare == text or name.endswith(NAMES_OF_LOOKS):
        return
    after = value_at(load(bare, row.name), path)
    if not equal(before, after):
        yield f"{row.name}: other programs read {after} instead of {before}, and no remark says so"


@each("format", ROBOTS)
def test_the_arm_can_be_written_without_remarks(format):
    notes: list[Finding] = []
    again = load(WRITTEN[format].write(build(plain()), WITHOUT.get(format, ()), notes), format)
    assert again.joint_names == build(plain()).joint_names
    assert [note.code for note in notes] == MASSLESS.get(format, [])


@pytest.mark.parametrize("part", sorted({part_of(name) for name in PATHS}))
def test_a_field_comes_back_or_its_loss_is_reported(part, golden):
    """And all that is said of it, in each format. Read the difference before you update the files."""
    said, lost = list[str](), list[str]()
    for name, (path, given) in PATHS.items():
        rows = [row for row in WRITTEN.values() if row.beside == (path[0] == "semantic") and row.name in READ]
        for value in given if part_of(name) == part else ():
            robot = planted(path, value)
            assert not equal(value_at(robot, path), value_at(build(plain()), path)), f"{name}: it is that of the arm"
            said.append(f"# {name}: {one_line(value_at(robot, path))}")
            left = (row for row in rows if (row.name, name) not in LEFT_OUT)
            lost += [f"{name} {line}" for row in left for line in losses(robot, row, name, said)]
    assert not lost, "\n".join(lost)
    golden(f"fields/{part}.txt", "\n".join(said) + "\n")


@pytest.mark.parametrize("format", ROBOTS)
def test_a_semantic_description_is_left_to_srdf_with_a_remark(format, tmp_path):
    robot = planted(("semantic", "passive_joints", "name"), {"name": "bend"})
    notes = kt.save(robot, tmp_path / "arm", format=format, without=WITHOUT.get(format, ()))
    assert [note.code for note in notes if note.code not in MASSLESS.get(format, [])] == ["semantic"]


@each("name", [one.name for one in fields(Limit)])
def test_two_robots_with_other_limits_differ(name):
    one, other = (planted(("joints", "limits", name), {name: value}) for value in (0.5, 0.75))
    assert kt.compare(one, other).differences, f"add {name} to KINDS in solvers/compare/contents.py"


def test_a_loop_that_follows_a_joint_is_no_equality_of_mujoco():
    with pytest.raises(kt.KinetreeError) as error:
        kt.text(planted(("loops", "mimic", "joint"), {"joint": "turn"}), "mjcf")
    (finding,) = error.value.findings
    assert (finding.code, finding.element) == ("cannot-say-mimic", "loop 'closing'")


def test_frames_without_a_known_place_are_named(tmp_path):
    robot = planted(("frames", "unplaced"), {"unplaced": "nobody knows"})
    (note,) = kt.save(robot, tmp_path / "arm.ets")
    assert (note.code, note.severity) == ("unplaced", "warning")
    assert note.message.startswith("no place is known for the frames eye; ")
    assert "tip = eye" in kt.text(robot, "ets")
    carried, again = kt.save(robot, tmp_path / "arm.urdf")
    assert carried.message == "ROS will not see: 1 frame without a place"
    assert again == note


def test_dynamics_of_zeros_are_none():
    still = planted(("joints", "dynamics", "damping"), {"damping": 0.0})
    assert still.joints["swing"].dynamics
    assert kt.text(still, "ets") == kt.text(build(plain()), "ets")
