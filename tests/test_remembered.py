"""Kernels are remembered for each robot: another argument is another kernel, also after the first was made."""

from dataclasses import replace
from inspect import signature

import pytest

import kinetree as kt
from each import each
from kinetree.cli._queries import QUERIES, parameters

INERTIAL = """<inertial><origin xyz="0.1 0.02 0"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>"""
ARM = f"""<robot name="arm"><link name="base"/>
  {"".join(f'<link name="{name}">{INERTIAL}</link>' for name in ("one", "two", "hand"))}
  <joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics friction="0.5"/></joint>
  <joint name="b" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics friction="0.25"/></joint>
  <joint name="c" type="fixed"><parent link="two"/><child link="hand"/><origin xyz="0.25 0 0.1" rpy="0.3 0 0"/></joint>
  <kinetree_coupled_limit name="both" lower="-1.5" upper="1.5"><joint name="a" coefficient="1"/>
    <joint name="b" coefficient="1"/></kinetree_coupled_limit>
  <sensor name="wrist" type="force_torque"><parent joint="c"/><force_torque/></sensor>
</robot>"""
SUBJECTS = {
    "frame": ["hand"],
    "sensor": ["wrist"],
    "dt": [0.01],
    "group": [],
    "sensors frames": [["wrist"], ["hand"]],
    "": [],
}
"""First arguments of a query, by the kind of its subject."""
CHANGED = {
    "frames": "two",
    "frame": "two",
    "base": "one",
    "expressed_in": "frame",
    "goal": "position",
    "tolerance": (1e-3, 1e-6),
    "nearest": False,
    "wrenches": ["two"],
    "friction": True,
    "gravity": (0.0, -9.81, 0.0),
    "parameters": True,
    "origins": True,
    "packed": True,
    "measures": "child_on_parent",
    "at_rest": True,
    "dt": 0.02,
    "joints": ["b", "a"],
    "keep": 0.01,
    "warn": 0.2,
    "speed": 0.2,
    "acceleration": 5.0,
    "sweeps": 8,
}
"""Another value of each argument."""
SPARED = {"loops", "sensor", "sensors", ("external_wrench", "frame")}
"""Arguments without another value here: the arm has no loop, and one sensor."""
WHOLE = {"integrate", "difference", "guard"}
"""Queries of all joints, or that choose theirs otherwise."""
SEARCHED = ("ik", "guard")
"""Queries whose programs take longer to make."""
SOLVERS = {
    "base": "one",
    "goal": "position",
    "weights": (1, 1, 1, 1, 1, 0),
    "expressed_in": "frame",
    "axis": (1.0, 0.0, 0.0),
    "tolerance": (1e-6, 1e-3),
    "descents": 7,
    "closed_form": False,
    "joints": ["b"],
    "at": [0.5, 0.25],
}
"""Another value of each argument of `kt.ik`."""


def loaded() -> kt.Robot:
    return kt.load(ARM, format="urdf")


def asked(robot: kt.Robot, name: str, **change) -> tuple:
    """What a query computes, and from which inputs."""
    row = QUERIES[name]
    given = {**dict(zip(parameters(name), SUBJECTS[row.of], strict=False)), **change}
    if row.of in ("sensor", "sensors frames"):
        given.setdefault("measures", "parent_on_child")
    kernel = row.ask(robot, **given)
    return kernel.inputs, kernel.outputs, kernel.program


def check_changes(name: str) -> None:
    robot = loaded()
    first = asked(robot, name)
    changes = [{key: CHANGED[key]} for key in parameters(name) if (name, key) not in SPARED and key not in SPARED]
    if "base" in parameters(name) and name in ("imu_reading", "external_wrench"):
        changes[changes.index({"base": CHANGED["base"]})] = {"base": "acceleration"}
    for change in [*changes, *([{"joints": ["b"], "at": [0.25, 0.5]}] if name not in WHOLE else [])]:
        assert asked(robot, name, **change) != first, f"{name} with {change} gives the first answer again"
    assert asked(robot, name) == first


@pytest.mark.parametrize("part", range(4))  # each is quick
def test_each_argument_changed_alone_is_another_kernel(part):
    for name in [name for name in QUERIES if name not in SEARCHED][part::4]:
        check_changes(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHED)
def test_each_argument_changed_alone_is_another_step_or_guard(name):
    check_changes(name)


@pytest.mark.slow
def test_each_argument_changed_alone_is_another_solver():
    robot = loaded()
    first = kt.ik(robot, "hand")
    others = {
        "robot",
        "frame",
        "limits",
        "loops",
        "driven",
        "clearance",
        "geometry",
    }  # for robots with loops and shapes
    assert set(SOLVERS) == set(signature(kt.ik).parameters) - others
    for key, value in SOLVERS.items():
        given = {key: value, **({"joints": ["b"]} if key == "at" else {})}
        assert kt.ik(robot, "hand", **given) is not first, f"{given}: the first solver again"


@pytest.mark.slow
def test_a_solver_of_other_limits_or_another_frame_solves_for_these():
    robot = loaded()
    T = kt.fk(robot, "hand")([0.1, 0.2])
    first = kt.ik(robot, "hand")
    assert kt.ik(robot, "two")(kt.fk(robot, "two")([0.1, 0.2])).success
    assert first(T).success
    narrow = replace(robot.limits, h=robot.limits.h * 0.05)
    assert not kt.ik(robot, "hand", limits=narrow)(T).success


@pytest.mark.slow
@each("change", [{"frame": "e_link"}, {"base": "a_link"}, {"method": "condition"}, {"rows": "linear"}])
@each("method", ["yoshikawa", "minimum_singular_value"])
def test_each_argument_changed_alone_is_another_measure(method, change):
    robot = kt.chain("Rz(a) tx(0.5) Ry(b) tx(0.5) Ry(c) Rx(d) tz(0.2) Ry(e) tx(0.1) Rx(f) ty(0.1)")
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    given = {"frame": "tip", "method": method}
    changed = {**given, **change}
    first = kt.manipulability(robot, **given)(q)
    assert kt.manipulability(robot, **changed)(q) != first
    assert kt.manipulability(robot, **given)(q) == first
