"""Joints of --controller: in and out as on the pendant, beside those of the model."""

import json
import re

import click
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.cli import group
from kinetree.cli._pendant import arm_of
from kinetree.controllers import controllers
from kinetree.controllers.text import parsed
from kinetree.logs import read_motion
from pendants import LINKS, urdf
from support import shared

COUPLED = {"fanuc": ("m10ia", 1), "abb": ("irb2400", -1)}
SERIAL = {"yaskawa": "gp12", "kawasaki": "rs007l", "kuka": "kr6r900", "universal_robots": "ur5e", "staubli": "rx160"}
SHOWN = np.array([10.0, 30, -10, 20, 40, -50])
"""What the pendant shows, deg."""
NAMES = {
    "fanuc": ["J1", "J2", "J3", "J4", "J5", "J6"],
    "abb": ["axis 1", "axis 2", "axis 3", "axis 4", "axis 5", "axis 6"],
    "yaskawa": ["S", "L", "U", "R", "B", "T"],
    "kawasaki": ["JT1", "JT2", "JT3", "JT4", "JT5", "JT6"],
    "kuka": ["A1", "A2", "A3", "A4", "A5", "A6"],
    "universal_robots": ["Base", "Shoulder", "Elbow", "Wrist 1", "Wrist 2", "Wrist 3"],
    "staubli": ["J1", "J2", "J3", "J4", "J5", "J6"],
}


def joints_of_the_model(key):
    """By hand, deg: FANUC's third joint is measured from the horizontal, ABB's parallelogram carries it."""
    q = SHOWN.copy()
    q[2] += COUPLED.get(key, ("", 0))[1] * q[1]
    return q


def T_base_tool0(degrees):
    """By products of matrices."""
    T = np.linalg.inv(_T("0.01 0.02 0.45", [0, 0, np.pi / 2]))
    for (xyz, axis), angle in zip(LINKS, np.radians(degrees), strict=True):
        T = T @ _T(xyz, np.array(axis.split(), dtype=float) * angle)
    return T @ _T("0.01 0 0", [0, np.pi / 2, 0])


def _T(xyz, vector):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec(vector).as_matrix(), np.array(xyz.split(), dtype=float)
    return T


@pytest.fixture
def file(tmp_path):
    def file(key, **changes):
        text = urdf(name=COUPLED[key][0] if key in COUPLED else SERIAL[key])
        for old, new in changes.items():
            text = text.replace(f'name="{old}"', f'name="{new}"')
        path = tmp_path / f"{key}.urdf"
        path.write_text(text)
        return path

    return file


def given(names, values):
    return [f"--q={name}={value!r}" for name, value in zip(names, values, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("key", [*COUPLED, *SERIAL])
def test_joints_go_in_and_out_as_on_the_pendant(run, file, key):
    arm, q = file(key), joints_of_the_model(key)
    result = run("fk", arm, "--controller", key, *given(NAMES[key], SHOWN.tolist()))
    assert result.exit_code == 0
    assert "coupling not known" not in result.stderr
    T = controllers[key].to_pose(parsed(controllers[key], result.stdout.strip()).values)
    np.testing.assert_allclose(T, T_base_tool0(q), rtol=0, atol=2e-5)
    for i, name in enumerate(NAMES[key]):
        row = f"  {name} {SHOWN[i]:g} deg, joint_{i + 1} {np.radians(q[i]):.6g} rad"
        assert re.search(re.escape(row) + "( = .*)?$", result.stderr, re.MULTILINE), row
    data = json.loads(run("fk", arm, "--controller", key, *given(NAMES[key], SHOWN.tolist()), "--json").stdout)
    np.testing.assert_allclose(list(data["joints"].values()), SHOWN, atol=1e-12)
    np.testing.assert_allclose(np.degrees(list(data["q"].values())), q, atol=1e-12)
    assert list(data["joints"]) == NAMES[key]

    ask = ("ik", arm, "--controller", key, "--pose", result.stdout.strip())
    back = run(*ask, "--deg", *given(NAMES[key], (SHOWN + 1).tolist()))
    assert back.exit_code == 0
    rows = re.findall(r"^  (.+?) (-?[\d.]+) deg, (\w+) (-?[\d.]+) deg", back.stdout, re.MULTILINE)
    formula = {"fanuc": " = J3 + J2\n", "abb": " = axis 3 - axis 2\n"}.get(key, "")
    assert formula in back.stdout
    assert back.stdout.count(" = ") == bool(formula)
    assert [(name, joint) for name, _, joint, _ in rows] == [(n, f"joint_{i + 1}") for i, n in enumerate(NAMES[key])]
    np.testing.assert_allclose([float(x) for _, x, _, _ in rows], SHOWN, atol=2e-3)
    np.testing.assert_allclose([float(x) for *_, x in rows], q, atol=2e-3)
    data = json.loads(run(*ask, "--json", *given(NAMES[key], SHOWN.tolist())).stdout)
    np.testing.assert_allclose(list(data["joints"].values()), SHOWN, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("key", COUPLED)
def test_names_of_both_kinds_say_which_they_are(run, file, key):
    """A name of the model is its joint; numbers of the pendant that are not given stay."""
    arm, sign = file(key), COUPLED[key][1]
    names = NAMES[key]

    def q(*words):
        result = run("fk", arm, "--controller", key, "--deg", "--json", *(f"--q={word}" for word in words))
        assert result.exit_code == 0, result.stderr
        return np.degrees(list(json.loads(result.stdout)["q"].values()))[1:3], result.stderr

    said = "joint_2, joint_3 as in the model (deg, m), not as on the pendant"
    both, note = q("joint_2=30", "joint_3=-10")
    np.testing.assert_allclose(both, [30, -10])
    assert f"note: --q: {said}" in note
    np.testing.assert_allclose(q(f"{names[1]}=30", f"{names[2]}=-10")[0], [30, -10 + 30 * sign])
    np.testing.assert_allclose(q(f"{names[1]}=30")[0], [30, 30 * sign])  # the pendant's third stays 0
    np.testing.assert_allclose(q(f"{names[1]}=30", f"{names[4]}=20")[0], [30, 30 * sign])
    np.testing.assert_allclose(q("joint_2=30")[0], [30, 0])
    mixed, note = q(f"{names[1]}=30", "joint_3=-10")
    np.testing.assert_allclose(mixed, [30, -10])
    assert f"{names[1]} as on the pendant (deg, mm); joint_3 as in the model" in note
    np.testing.assert_allclose(q("joint_2=30", f"{names[2]}=-10")[0], [30, -10 + 30 * sign])
    np.testing.assert_allclose(q("j2=30", "AXIS 3=-10")[0], [30, -10 + 30 * sign])
    np.testing.assert_allclose(q("pendant:J2=30", "model:joint_3=-10")[0], [30, -10])
    for words, wrong in (
        (("J3=1", "joint_3=2"), "are one joint, given twice"),
        (("J3=1", "axis_3=2"), "is given twice"),
        (("J7=1",), "no joint 'J7'"),
        (("pendant:joint_3=1",), "no joint 'pendant:joint_3'"),
        (("J3=1,2",), "takes 1 number, got 2"),
        (("J3=x",), "not a finite number"),
    ):
        result = run("fk", arm, "--controller", key, *(f"--q={word}" for word in words))
        assert (result.exit_code, wrong in result.stderr) == (2, True), result.stderr


def test_a_name_of_both_is_refused_if_they_differ(run, file):
    names = {f"joint_{i}": f"J{i}" for i in range(1, 7)}
    fanuc, ur = file("fanuc", **names), file("universal_robots", **names)
    for command in (("fk",), ("ik", "--pose", "X 900 Y 0 Z 300 W 180 P 0 R 0")):
        result = run(command[0], fanuc, *command[1:], "--controller", "fanuc", "--q", "J3=10")
        assert result.exit_code == 2
        assert "--q J3: is J3 of the pendant and joint 'J3' of the model, which differ" in result.stderr
        assert "expected pendant:J3 or model:J3" in result.stderr
    for word, degrees in (("pendant:J3=10", 10), ("model:J3=0.1", np.degrees(0.1))):
        data = json.loads(run("fk", fanuc, "--controller", "fanuc", "--q", word, "--json").stdout)
        np.testing.assert_allclose(np.degrees(data["q"]["J3"]), degrees)
    # without coupling it is one joint, whose number is the pendant's
    result = run("fk", ur, "--controller", "staubli", "--robot-model", "rx160", "--q", "J3=10", "--json")
    np.testing.assert_allclose(np.degrees(json.loads(result.stdout)["q"]["J3"]), 10)
    assert "J3 as on the pendant (deg, mm)" in result.stderr
    shifted = file("kuka", **{f"joint_{i}": f"A{i - 1}" for i in range(1, 7)})
    result = run("fk", shifted, "--controller", "kuka", "--q", "A3=10")
    assert "A3: is A3 of the pendant and joint 'A3' of the model, which differ" in result.stderr


def test_joints_of_a_part_of_an_arm(run, file):
    """The coupling is that of the whole arm, for the pose of a link and for some of the joints."""
    arm = file("fanuc")
    at = ("--controller", "fanuc", "--base", "base_link", "--q=J2=30", "--q=J3=-10", "--json")
    data = json.loads(run("fk", arm, "link_3", *at).stdout)
    np.testing.assert_allclose(np.degrees(list(data["q"].values()))[:3], [0, 30, 20], atol=1e-9)
    three = ("--joints", "joint_2,joint_3,joint_5")
    data = json.loads(run("fk", arm, *three, "--at", "0 0 0 0.5 0 0", *at).stdout)
    np.testing.assert_allclose(np.degrees(list(data["q"].values())), [30, 20, 0], atol=1e-9)
    np.testing.assert_allclose(list(data["joints"].values()), [0, 30, -10, np.degrees(0.5), 0, 0], atol=1e-9)
    third = ("--joints", "joint_3", "--at", "0 0.5 0 0 0 0", "--controller", "fanuc", "--q=J3=-10", "--json")
    data = json.loads(run("fk", arm, *third).stdout)
    np.testing.assert_allclose(data["q"]["joint_3"], 0.5 - np.radians(10))
    prefixed = kt.edit.prefix(kt.load(arm), "left_")
    kt.save(prefixed, arm.with_name("prefixed.urdf"))
    ends = ("--base", "left_base_link", *at[:2], *at[4:])
    data = json.loads(run("fk", arm.with_name("prefixed.urdf"), "left_link_3", *ends, "--robot-model", "m10ia").stdout)
    np.testing.assert_allclose(np.degrees(list(data["q"].values()))[:3], [0, 30, 20], atol=1e-9)
    result = run("fk", arm, "--joints", "joint_2", *at)
    assert (result.exit_code, "moves joint_3, which --joints leaves out" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *((name, "abb") for name in ("irb8700", "irb1410", "irb660", "abb_irb460")),
        *((name, "kuka") for name in ("kr120r3200pa", "kr40pa")),
        *((name, "kawasaki") for name in ("cp180l", "bx300l")),
        ("mpl80", "yaskawa"),
        ("m410ib", "fanuc"),
        ("my_cell", "denso"),
    ],
)
def test_a_coupling_that_nobody_knows_is_a_finding(run, tmp_path, name, key):
    path, csv = tmp_path / "arm.urdf", tmp_path / "motion.csv"
    path.write_text(urdf(name=name))
    csv.write_text("time,J1,J2\n0,1,2\n1,3,4\n")
    said = f"coupling not known for '{name}', which is in no list of {controllers[key].name}; joint 3 of the model = J3"
    robot = kt.load(path)
    for call in (
        lambda: kt.controllers.joints(robot, key, np.zeros(6)),
        lambda: kt.controllers.to_q(robot, key, np.zeros(6)),
        lambda: kt.controllers.limit_joints(robot, key, -(SHOWN**2), SHOWN**2),
    ):
        with pytest.warns(kt.errors.UnverifiedWarning, match=re.escape(said)):
            call()
    if name not in ("irb660", "mpl80", "my_cell"):  # the commands call the same
        return
    pose = run("fk", path, "--controller", key).stdout.strip()
    commands = [
        ("fk", path),
        ("limits", "check", path, csv, "--unit", "deg"),
        ("ik", path, "--pose", pose),
        ("show", path, "-o", tmp_path / "a.svg", "--force"),
        ("tf", path, csv, "-o", tmp_path / "a.mcap", "--force"),
    ]
    for words in commands if name == "irb660" else commands[:2]:
        result = run(*words, "--controller", key)
        assert result.exit_code in (0, 1), result.stderr
        assert said in result.stderr
    for words in (("fk", path), ("limits", "check", path, csv, "--unit", "deg")):
        refused = run(*words, "--controller", key, "--robot-model", name)
        assert (refused.exit_code, f"no model '{name}' among those" in refused.stderr) == (2, True)


def test_a_doubt_about_arms_of_another_size():
    """Where a maker couples joints, and of four joints that turn."""
    doubt = {key: who.coupling_doubt for key, who in controllers.items()}
    assert "coupling not known for the 3 joints of 'm10ia'" in doubt["fanuc"]("m10ia", 3)
    assert "coupling not known for the 7 joints of 'm10ia'" in doubt["fanuc"]("m10ia", 7)
    assert doubt["fanuc"]("m10ia", 2) == doubt["fanuc"]("m10ia", 5) == doubt["abb"]("irb120", 4) == ""
    assert doubt["abb"]("irb660", 4)
    assert not doubt["kuka"]("anything", 7)
    assert not doubt["kuka"]("anything", 3)
    assert doubt["kuka"]("anything", 5)
    assert not doubt["universal_robots"]("anything", 6)
    assert doubt["abb"]("irb660", 6)
    assert not doubt["abb"]("irb6600", 6)
    assert not doubt["abb"]("abb_irb4600_60_205", 6)
    assert doubt["abb"]("abb_irb460", 6)


def test_a_scara_is_no_palletizer():
    """Its third joint slides, so that no parallelogram couples it."""
    palletizer = kt.chain("Rz(a) tx(0.2) Ry(b) tx(0.2) Ry(c) tx(0.2) Rz(d)", name="irb660")
    scara = kt.chain("Rz(a) tx(0.2) Rz(b) tx(0.2) tz(c) Rz(d)", name="irb910")
    frames = {"base": "base_link", "tool0": "tip"}
    with pytest.warns(kt.errors.UnverifiedWarning, match="not known for the 4 joints of 'irb660'"):
        kt.controllers.joints(palletizer, "abb", np.zeros(4), **frames)
    assert kt.controllers.joints(scara, "abb", [0, 0, 0.1, 0], **frames)[2] == pytest.approx(100)


def test_motions_in_joints_of_the_pendant(run, file, tmp_path):
    arm, csv = file("fanuc"), tmp_path / "motion.csv"
    csv.write_text("time,J2,J3,joint_5\n0,0,0,0\n1,30,-10,0.5\n2,100,80,0\n")
    result = run("limits", "check", arm, csv, "--unit", "rad", "--controller", "fanuc", "--json")
    (violation,) = json.loads(result.stdout)["violations"]
    assert violation["limit"] == "joint_3 upper"
    assert violation["depth"] == pytest.approx(np.radians(180) - 3)
    assert "columns: J2, J3 as on the pendant (deg, mm); joint_5 as in the model (rad, m), not as" in result.stderr
    assert run("tf", arm, csv, "-o", tmp_path / "a.mcap", "--controller", "fanuc").exit_code == 0
    motion = read_motion(kt.load(arm), tmp_path / "a.mcap")
    np.testing.assert_allclose(np.degrees(motion.q[1, [1, 2]]), [30, 20])
    np.testing.assert_allclose(motion.q[1, 4], 0.5)
    assert run("show", arm, "--motion", csv, "-o", tmp_path / "a.html", "--controller", "fanuc").exit_code == 0
    for head, said in (
        ("time,J2,j 2", "columns j 2: J2 is given twice"),
        ("time,J2,joint_2", "J2 and joint_2 are one joint, given twice"),
        ("time,J2,J2", "column 'J2' occurs twice"),
        ("time,J2,nowhere", "column 'nowhere' is not a joint that moves"),
    ):
        csv.write_text(f"{head}\n0,0,0\n1,1,1\n")
        result = run("limits", "check", arm, csv, "--unit", "deg", "--controller", "fanuc")
        assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
    assert (
        "--controller is for a CSV"
        in run("limits", "check", arm, tmp_path / "a.mcap", "--unit", "rad", "--controller", "fanuc").stderr
    )
    csv.write_text("time,J2,J3,joint_5\n0,0,0,0\n1,30,-10,20\n")
    assert run("tf", arm, csv, "-o", tmp_path / "b.mcap", "--controller", "fanuc", "--deg").exit_code == 0
    motion = read_motion(kt.load(arm), tmp_path / "b.mcap")
    np.testing.assert_allclose(np.degrees(motion.q[1, [1, 2, 4]]), [30, 20, 20])
    yaskawa = file("yaskawa")
    csv.write_text("t,S,T\n0,0,0\n1,10,20\n")
    result = run("limits", "check", yaskawa, csv, "--unit", "rad", "--controller", "yaskawa", "--json")
    assert (result.exit_code, json.loads(result.stdout)["times"]) == (0, [0, 1])
    assert "columns: S, T as on the pendant" in result.stderr
    csv.write_text("s,l,u,r,b,t\n0,0,0,0,0,0\n1,1,1,1,1,90\n")
    result = run("limits", "check", yaskawa, csv, "--unit", "deg", "--controller", "yaskawa")
    assert result.exit_code == 2
    assert "column 't' may be the time, or T of the pendant; expected time, or pendant:T" in result.stderr
    csv.write_text("s,pendant:T\n0,0\n1,20000\n")
    result = run("limits", "check", yaskawa, csv, "--unit", "deg", "--controller", "yaskawa")
    assert (result.exit_code, "joint_6 upper" in result.stdout) == (1, True)


def test_commands_without_a_frame_find_an_arm_whose_names_have_a_prefix(run, file, tmp_path):
    arm, left, both = file("fanuc"), tmp_path / "left.urdf", tmp_path / "both.urdf"
    csv = tmp_path / "motion.csv"
    csv.write_text("J2,J3\n0,0\n100,80\n")
    made = kt.edit.prefix(kt.load(arm), "left_")
    kt.save(made, left)
    end = next(iter(made.links))
    kt.save(kt.edit.attach(made, kt.edit.prefix(kt.load(arm), "right_"), end), both)
    check = ("limits", "check", left, csv, "--unit", "rad", "--controller", "fanuc", "--robot-model", "m10ia")
    (violation,) = json.loads(run(*check, "--json").stdout)["violations"]
    assert violation["limit"] == "left_joint_3 upper"
    assert violation["depth"] == pytest.approx(np.radians(180) - 3)
    result = run("limits", "check", both, *check[3:])
    assert (result.exit_code, "or several arms have one" in result.stderr) == (2, True)


def test_where_the_option_has_no_arm(run, file, tmp_path):
    arm = file("kuka")
    for words in (("--robot-model", "kr6"), ("--robot-model", "kr6", "--controller", "all")):
        result = run("fk", arm, "tool0", *words)
        assert (result.exit_code, "for --controller KEY" in result.stderr) == (2, True), words
    assert "no controller 'all'" in run("show", arm, "-o", tmp_path / "a.svg", "--controller", "all").stderr
    csv = tmp_path / "m.csv"
    csv.write_text("time,A1\n0,0\n1,1\n")
    result = run("tf", arm, csv, "--check", "--controller", "kuka")
    assert (result.exit_code, "--controller goes with -o" in result.stderr) == (2, True)
    bare = tmp_path / "bare.urdf"
    bare.write_text('<robot name="r"><link name="a"/></robot>')
    assert (
        "no frame tool0 or flange" in run("limits", "check", bare, csv, "--unit", "deg", "--controller", "kuka").stderr
    )
    follower = tmp_path / "follower.urdf"
    follower.write_text(urdf(name="kr6").replace("</joint>", '<mimic joint="joint_2"/></joint>', 1))
    result = run("fk", follower, "--controller", "kuka", "--q", "joint_3=0.5")
    assert result.exit_code == 0
    assert "note: joints are those of the model, because error: joint 'joint_1'" in result.stderr


@pytest.mark.slow
@pytest.mark.crosscheck
def test_published_arms_against_pinocchio(run, tmp_path):
    """M-10iA's pendant J2=30, J3=-10 is joint_2=30, joint_3=20 of ROS-Industrial's model (vendors.json)."""
    pin = pytest.importorskip("pinocchio")
    for repository, name, key, sign in (
        ("ros-industrial+fanuc/fanuc_m10ia_support", "m10ia", "fanuc", 1),
        ("ros-industrial+fanuc/fanuc_m430ia_support", "m430ia2f", "fanuc", -1),
        ("ros-industrial+abb/abb_irb2400_support", "irb2400", "abb", -1),
        ("ros-industrial+motoman/motoman_gp12_support", "gp12", "yaskawa", 0),
        ("ros-industrial+kuka_experimental/kuka_kr6_support", "kr6r900sixx", "kuka", 0),
    ):
        path = shared("corpus", *repository.split("/"), "urdf", f"{name}.xacro")
        robot = kt.load(path)
        model = pin.buildModelFromXML(kt.text(robot, "urdf"))
        data = model.createData()
        n = robot.nq
        shown = SHOWN[:n]
        degrees = shown.copy()
        degrees[2] += sign * degrees[1]
        q = np.zeros(n)
        for joint, angle in zip(robot.joint_names, np.radians(degrees), strict=True):
            q[model.joints[model.getJointId(joint)].idx_q] = angle
        pin.framesForwardKinematics(model, data, q)
        T = data.oMf[model.getFrameId("base")].actInv(data.oMf[model.getFrameId("tool0")]).homogeneous
        names = controllers[key].names_of_joints(n)
        result = run("fk", path, "--controller", key, *given(names, shown.tolist()))
        assert result.exit_code == 0, result.stderr
        assert "coupling not known" not in result.stderr
        mine = controllers[key].to_pose(parsed(controllers[key], result.stdout.strip()).values)
        np.testing.assert_allclose(mine, T, rtol=0, atol=2e-5)


COMMANDS = {
    "fk": ("tool0",),
    "ik": ("--frame", "tool0"),
    "limits check": ("--unit", "deg"),
}
"""Commands with --controller and --joints, and what else they need."""


def commands_with(*options):
    """Return the names of commands that have all of some options."""
    stack, found = [("", group)], set()
    while stack:
        path, command = stack.pop()
        context = click.Context(command)
        if isinstance(command, click.Group):
            stack += [(f"{path} {n}".strip(), command.get_command(context, n)) for n in command.list_commands(context)]
        elif {*options} <= {flag for parameter in command.params for flag in parameter.opts}:
            found.add(path)
    return found


def test_the_arm_whose_joints_are_named_is_that_of_the_frame():
    """By --frame, the first of --frames, or tool0; a frame on the way to tool0 has all joints of the arm."""
    other = "".join(
        f'<link name="hand_{i}"/><joint name="other_{i}" type="revolute"><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
        f'<parent link="{f"hand_{i - 1}" if i else "base_link"}"/><child link="hand_{i}"/>'
        '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
        for i, (xyz, axis) in enumerate(LINKS)
    )
    robot = kt.load(urdf(more=other), format="urdf")
    mine, others = tuple(f"joint_{i}" for i in range(1, 7)), tuple(f"other_{i}" for i in range(6))
    for options, joints in (
        ({}, mine),
        ({"base": "base_link"}, mine),
        ({"frame": "tool0"}, mine),
        ({"frame": "link_3"}, mine),
        ({"frame": "hand_5"}, others),
        ({"frames": ["hand_5", "tool0"]}, others),
        ({"frames": ["tool0", "hand_5"]}, mine),
        ({"frame": "hand_5", "frames": ["tool0"]}, others),
        ({"base": "nowhere"}, None),
        ({"frame": "nowhere"}, None),
        ({"controller": "all"}, None),
        ({"controller": None}, None),
    ):
        with click.Context(group):
            arm = arm_of(robot, {"controller": "universal_robots", **options})
        assert (tuple(arm.pendant.joints) if arm else None) == joints, options


def test_all_commands_with_both_options_are_tested():
    assert (
        commands_with("--controller", "--joints") == commands_with("--controller", "--at") - {"attach"} == {*COMMANDS}
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_joints_and_at_take_the_names_of_the_pendant(run, file, tmp_path, name):
    """J3 of a FANUC is joint_3 less joint_2: with J2 at 30 degrees, J3 at 20 is joint_3 at 50."""
    arm = file("fanuc")
    (tmp_path / "m.csv").write_text("J5\n0\n10\n")
    pose = run(
        "fk", arm, "tool0", "--controller", "fanuc", *given(NAMES["fanuc"], [0, 30, 20, 0, 45, 0])
    ).stdout.strip()
    more = {"limits check": (tmp_path / "m.csv",), "ik": ("--pose", pose, "--q=J5=40")}.get(name, ("--q=J5=45",))
    ask = (*name.split(), arm, *COMMANDS[name], *more, "--controller", "fanuc", "--json")
    own, at = ("--joints", "joint_5,joint_6"), json.dumps({"joint_2": np.radians(30), "joint_3": np.radians(50)})
    in_degrees = () if name == "limits check" else ("--deg",)
    expected = run(*ask, *own, "--at", at)
    assert expected.exit_code == 0
    for joints in ("J5,J6", "j5,axis 6", "joint_5,J6", "pendant:J5,model:joint_6"):
        for where in ({"J2": 30, "J3": 20}, {"axis 2": 30, "pendant:J3": [20]}):
            result = run(*ask, "--joints", joints, "--at", json.dumps(where), *in_degrees)
            assert result.exit_code == 0
            assert "--at: J2, J3 as on the pendant (deg, mm)" in result.stderr
            ours, theirs = json.loads(result.stdout), json.loads(expected.stdout)
            if name != "limits check":
                assert list(ours["q"]) == ["joint_5", "joint_6"]
                np.testing.assert_allclose(list(ours["joints"].values()), [0, 30, 20, 0, 45, 0], atol=2e-3)
                np.testing.assert_allclose(list(ours["q"].values()), list(theirs["q"].values()), atol=1e-5)
            else:
                assert ours == theirs
    for joints, where, message in (
        ("J5,J9", "{}", "'J9'"),
        ("J5,J6", '{"J9": 1}', "no joint 'J9'"),
        ("J5,J6", '{"J3": [1, 2]}', "takes 1 number, got 2"),
        ("J5,J6", '{"J3": 1, "joint_3": 1}', "given twice"),
    ):
        result = run(*ask, "--joints", joints, "--at", where)
        assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    without = run(*[x for x in ask if x not in ("--controller", "fanuc")], "--joints", "J5")
    assert without.exit_code == 2
    swapped = file("fanuc", joint_5="J6", joint_6="J5")
    if name == "fk":
        result = run("fk", swapped, "tool0", "--controller", "fanuc", "--joints", "J5")
        assert (result.exit_code, "expected pendant:J5 or model:J5" in result.stderr) == (2, True)
        assert "--joints J5" in result.stderr
        for prefix, joint in (("pendant:", "J6"), ("model:", "J5")):  # J6 of the model is the fifth joint
            one = run("fk", swapped, "tool0", "--controller", "fanuc", "--json", "--joints", f"{prefix}J5")
            assert list(json.loads(one.stdout)["q"]) == [joint]
