"""DH chains as MATLAB: the text is run by its grammar and compared with `kt.fk`."""

from itertools import product

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.dh import extract_dh
from kinetree.algorithms.serial import serial_chain
from kinetree.formats.dh.matlab import function_name, matlab_text
from kinetree.formats.dh.write import Spelling
from kinetree.model.dh import DHChain, DHRow
from matlab import Function, MatlabError
from support import example_robot_urdfs

pytestmark = pytest.mark.slow

PER_METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0}
ARMS = [("icub", None, "imu_frame"), ("icub:3", "l_foot", "r_hand_dh_frame"), ("icub:2.10", "l_hand", "l_eye")]
UNITS = [("m", "rad"), ("mm", "deg"), ("cm", "rad")]


def matlab(robot, base, tip, convention, length="mm", angle="deg"):
    chain = serial_chain(robot, base, tip)
    found = extract_dh(chain, convention).chain
    return Function(matlab_text(found, "arm", "", Spelling(length, angle))), chain


def poses(robot, base, tip, function, chain, length, angle, seed=0):
    """Pairs of T by MATLAB, in metres, and by `kt.fk`, at random configurations."""
    rng = np.random.default_rng(seed)
    fk = kt.fk(robot, tip, base=base)
    for _ in range(5):
        q = rng.uniform(-2, 2, robot.nq)
        values = dict(zip(robot.joint_names, q, strict=True))
        own = [joint.joint for joint in chain.joints]
        given = [
            values[joint.name]
            * (PER_METRE[length] if joint.type == "prismatic" else np.rad2deg(1) if angle == "deg" else 1)
            for joint in own
        ]
        T = np.array(function(given)[0])
        T[:3, 3] /= PER_METRE[length]
        yield T, fk(q)


@pytest.mark.parametrize(("arm", "convention", "units"), list(product(ARMS, ["dh", "mdh"], UNITS)))
def test_T_of_the_icub(arm, convention, units):
    name, base, tip = arm
    robot = kt.load(name)
    function, chain = matlab(robot, base, tip, convention, *units)
    for ours, fk in poses(robot, base, tip, function, chain, *units):
        assert np.allclose(ours, fk, rtol=0, atol=1e-12)


def test_the_page_of_the_inertial_sensor(run):
    """Without joints moved the sensor is at (13, 6.6, 375.6) mm, with the root's axes."""
    text = run("dh", "icub", "--tip", "imu_frame", "--format", "matlab").stdout
    function = Function(text)
    assert function.name == "icub_imu_frame"
    T, chain = function()
    expected = np.eye(4)
    expected[:3, 3] = 13, 6.6, 375.6
    assert np.allclose(T, expected, rtol=0, atol=1e-9)
    assert chain["joints"] == ["torso_pitch", "torso_roll", "torso_yaw", "neck_pitch", "neck_roll", "neck_yaw"]
    limits = [[-22, 84], [-39, 39], [-59, 59], [-40, 30], [-70, 60], [-55, 55]]
    assert np.array_equal(chain["limits"], limits)
    assert chain["table"].shape == (6, 6)
    with pytest.raises(MatlabError, match="icub_imu_frame: q needs 6 numbers"):
        function([0.0])
    assert max(map(len, text.splitlines())) <= 120


def test_joints_that_slide_fixed_rows_and_no_joints(mixed_arm):
    function, chain = matlab(mixed_arm, None, "tip", "mdh", "mm", "deg")
    for ours, fk in poses(mixed_arm, None, "tip", function, chain, "mm", "deg"):
        assert np.allclose(ours, fk, rtol=0, atol=1e-12)
    assert np.array_equal(function()[1]["limits"], [[-np.inf, np.inf], [-100, 250], [-np.inf, np.inf]])
    icub = kt.load("icub")
    function, _ = matlab(icub, "head", "imu_frame", "dh", "m", "rad")
    T, table = function()
    assert np.allclose(T, kt.fk(icub, "imu_frame", base="head")(icub.zero), rtol=0, atol=1e-15)
    assert table["joints"] == []


@pytest.fixture
def mixed_arm():
    """A table with a joint that slides, one whose limits are infinite and one that is nearly parallel to the next."""
    return kt.load(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="tip"/>'
        '<joint name="turn" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 2 0"/></joint>'
        '<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 1"/>'
        '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>'
        '<limit lower="-0.1" upper="0.25" effort="1" velocity="1"/></joint>'
        '<joint name="twist" type="continuous"><parent link="c"/><child link="tip"/><axis xyz="0 1 1.00001"/>'
        '<origin xyz="0 1 0"/></joint></robot>',
        format="urdf",
    )


def test_a_row_that_counts_backwards():
    rows = (DHRow(0.1, 0.2, 0.3, 0.4, flip=True, joint="a"), DHRow(0.1, 0.2, 0.3, 0.4, "prismatic", "b", flip=True))
    for convention in ("dh", "mdh"):
        chain = DHChain("", convention, rows)
        T, _ = Function(matlab_text(chain, "back", "", Spelling()))([0.5, 0.6])
        assert np.allclose(T, chain.transform([0.5, 0.6]), rtol=0, atol=1e-15)


@pytest.mark.slow
def test_arms_of_others():
    compared = 0
    for path in example_robot_urdfs():
        if path.stem in ("ur5_robot", "panda", "kinova", "iiwa14"):
            robot = kt.load(path)
            tip = next(name for name in reversed([*robot.frames]) if robot.parent_joint(robot.frames[name].link))
            function, chain = matlab(robot, None, tip, "dh")
            if any(joint.joint.mimic for joint in chain.joints):
                continue
            for ours, fk in poses(robot, None, tip, function, chain, "mm", "deg"):
                assert np.allclose(ours, fk, rtol=0, atol=1e-11), path
            compared += 1
    assert compared


def test_names_from_a_file_are_never_code():
    evil = "it's\n error('x'); %{ "
    chain = DHChain("", "dh", (DHRow(joint=evil),))
    function = Function(matlab_text(chain, "f", evil, Spelling()))
    assert function()[1]["joints"] == [evil]
    assert function_name("7 robots", "tool0") == "chain_7_robots_tool0"
    for name in ("end", "7a", "a-b", "", "a" * 64):
        with pytest.raises(kt.KinetreeError, match="MATLAB function cannot be called"):
            matlab_text(chain, name, "", Spelling())


def test_a_file_has_the_name_of_its_function(run, tmp_path):
    target = tmp_path / "left_hand.m"
    arguments = ["dh", "icub", "--tip", "l_hand", "--convention", "mdh", "--units", "m,rad", "-o", target]
    assert run(*arguments).exit_code == 0
    icub = kt.load("icub")
    T, chain = Function(target.read_text())()
    assert Function(target.read_text()).name == "left_hand"
    assert np.allclose(T, kt.fk(icub, "l_hand")(icub.zero), rtol=0, atol=1e-12)
    assert len(chain["joints"]) == 10
    assert "exists already" in run(*arguments).stderr
    assert "cannot be called 'left-hand'" in run(*arguments[:-1], tmp_path / "left-hand.m").stderr
    assert run("dh", "icub", "--tip", "l_hand", "--format", "matlab", "--json").exit_code == 2
    assert run("dh", "icub", "--tip", "l_hand", "--format", "urdf").exit_code != 0  # it still says what is read
