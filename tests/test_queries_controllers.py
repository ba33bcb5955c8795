"""What pendants show of robots: frames of REP-199, tools, user frames, joints that are coupled."""

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.controllers.controller import plain
from kinetree.controllers.text import parsed
from kinetree.model import edit
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Limit
from kinetree.spatial import se3
from support import shared

UR5E = {"d": (0.1625, 0, 0, 0.1333, 0.0997, 0.0996), "a": (0, -0.425, -0.3922, 0, 0, 0)}
"""Universal Robots, DH parameters for calculations of kinematics and dynamics (published on their support site), m."""
TURNS = (np.pi / 2, 0, 0, np.pi / 2, -np.pi / 2, 0)


def published_ur5e(q: np.ndarray) -> np.ndarray:
    """T_base_tool0 by the textbook's product of the published table."""
    T = np.eye(4)
    for angle, d, a, alpha in zip(q, UR5E["d"], UR5E["a"], TURNS, strict=True):
        c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
        T = T @ [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    return T


def table(robot_name: str = "ur5e") -> str:
    rows = "".join(
        f'  {{ joint = "joint_{i + 1}", a = {a}, alpha = {alpha!r}, d = {d}, theta = "-6.28 -> 6.28" }},\n'
        for i, (a, alpha, d) in enumerate(zip(UR5E["a"], TURNS, UR5E["d"], strict=True))
    )
    return f'name = "{robot_name}"\nconvention = "dh"\nunits = {{ length = "m", angle = "rad" }}\nrows = [\n{rows}]\n'


@pytest.fixture(scope="module")
def arm() -> kt.Robot:
    return built("ur5e")


def built(name: str) -> kt.Robot:
    """The published arm under a name, turned on a pedestal; base is its first frame, base_link stands below it."""
    robot = edit.rename(kt.load(table(name), format="dh"), {"base_link": "first"})
    first, last = robot.root, list(robot.frames)[-1]
    pedestal = kt.load(f'<robot name="{name}"><link name="pedestal"/></robot>', format="urdf")
    robot = edit.attach(pedestal, robot, "pedestal", se3.pose_from_xyz_rpy((0.3, 0.2, 0.8), (0, 0.1, 1)))
    robot = edit.add_frame(robot, "base", first)
    robot = edit.add_frame(robot, "base_link", first, se3.pose_from_xyz_rpy((0.1, 0, -0.2), (0, 0, np.pi)))
    robot = edit.add_frame(robot, "tool0", last)
    return edit.add_frame(robot, "flange", last, se3.pose_from_xyz_rpy((0, 0, 0), (0, -np.pi / 2, -np.pi / 2)))


def test_the_pendant_of_a_ur5e(arm):
    """The published kinematics, in the maker's numbers."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (200, 6))
    T = np.array([published_ur5e(x) for x in q])
    shown = kt.controllers.pose(arm, "ur", q)
    np.testing.assert_allclose(shown[:, :3], T[:, :3, 3], rtol=0, atol=1e-9)
    np.testing.assert_allclose(kt.controllers["ur"].to_pose(shown), T, rtol=0, atol=1e-9)
    zero = kt.controllers.pose(arm, "ur", np.zeros(6))
    assert zero[:3] == pytest.approx([-0.8172, -0.2329, 0.0628], abs=5e-5)


@pytest.mark.slow
def test_tools_and_user_frames(arm):
    q = np.array([0.3, -1.2, 1.1, -0.4, 0.8, 0.2])
    kuka = kt.controllers["kuka"]
    tool, user = [10.0, 0, 120, 0, 0, 45], [500.0, -200, 100, 30, 0, 0]
    plain = kt.fk(arm, "tool0", "base")(q)
    expected = np.linalg.inv(kuka.to_pose(user)) @ plain @ kuka.to_pose(tool)
    shown = kt.controllers.pose(arm, "kuka", q, tool=tool, user_frame=user)
    np.testing.assert_allclose(kuka.to_pose(shown), expected, atol=1e-12)
    with_poses = kt.controllers.pose(arm, "kuka", q, tool=kuka.to_pose(tool), user_frame=kuka.to_pose(user))
    np.testing.assert_allclose(with_poses, shown, atol=1e-9)
    gripper = edit.add_frame(arm, "tcp", "tool0", kuka.to_pose(tool))
    np.testing.assert_allclose(kt.controllers.pose(gripper, "kuka", q, tool="tcp", user_frame=user), shown, atol=1e-9)
    many = kt.controllers.pose(arm, "kuka", np.tile(q, (2, 3, 1)), tool=tool, user_frame=user)
    np.testing.assert_allclose(many, np.broadcast_to(shown, (2, 3, 6)), atol=1e-9)
    # and back, to any frame in any frame
    for frame, seen_from in (("flange", "base_link"), ("tool0", "base"), (list(arm.links)[-1], arm.root)):
        T = kt.controllers.to_pose(arm, "kuka", shown, frame, seen_from, tool=tool, user_frame=user)
        np.testing.assert_allclose(T, kt.fk(arm, frame, seen_from)(q), atol=1e-12)
    again = kt.controllers.to_pose(arm, "kuka", many, tool=tool, user_frame=user)
    assert again.shape == (2, 3, 4, 4)


def test_frames_that_are_missing_or_move(arm):
    bare = kt.load(table(), format="dh")
    with pytest.raises(kt.KinetreeError, match="no frame 'base', to be KUKA's \\$ROBROOT"):
        kt.controllers.pose(bare, "kuka", np.zeros(6))
    last = list(bare.frames)[-1]
    shown = kt.controllers.pose(bare, "kuka", np.zeros(6), base=bare.root, tool0=last)
    np.testing.assert_allclose(shown, kt.controllers.pose(arm, "kuka", np.zeros(6)), atol=1e-9)
    with pytest.raises(kt.KinetreeError, match="'base' moves as seen from 'tool0': joint_6, joint_5"):
        kt.controllers.to_pose(arm, "kuka", shown, "flange", "tool0")
    with pytest.raises(kt.KinetreeError, match="moves as seen from 'tool0'"):
        kt.controllers.pose(arm, "kuka", np.zeros(6), tool="base_link")
    with pytest.raises(kt.KinetreeError, match="numbers, where there are 6"):
        kt.controllers.pose(arm, "kuka", np.zeros(6), tool=[1, 2, 3])
    with pytest.raises(kt.KinetreeError, match="no controller"):
        kt.controllers.pose(arm, "acme", np.zeros(6))


def test_joints_that_a_controller_couples(arm):
    """FANUC's third joint is measured against the horizontal: pendant 30, -10 is 30, 20 in the model (M-10iA)."""
    q = kt.controllers.to_q(arm, "fanuc", [0, 30, -10, 0, 0, 0], "m10ia")
    assert np.rad2deg(q) == pytest.approx([0, 30, 20, 0, 0, 0])
    assert kt.controllers.joints(arm, "fanuc", q, "m10ia") == pytest.approx([0, 30, -10, 0, 0, 0])
    for maker, model, J3 in (
        ("fanuc", "fanuc_m430ia2f", -40),
        ("abb", "abb_irb4400l_30_243", -40),
        ("abb", "abb_irb120", -10),
        ("kuka", "kr150", -10),
    ):
        q = kt.controllers.to_q(arm, maker, [0, 30, -10, 0, 0, 0], model)
        assert np.rad2deg(q[2]) == pytest.approx(J3), (maker, model)
        assert kt.controllers.joints(arm, maker, q, model) == pytest.approx([0, 30, -10, 0, 0, 0])
    many = np.random.default_rng(0).uniform(-90, 90, (4, 5, 6))
    there = kt.controllers.to_q(arm, "fanuc", many, "m10ia")
    np.testing.assert_allclose(kt.controllers.joints(arm, "fanuc", there, "m10ia"), many, atol=1e-12)
    with pytest.raises(kt.KinetreeError, match=r"expected \(…, 6\) finite numbers"):
        kt.controllers.to_q(arm, "fanuc", [0, 1, 2], "m10ia")
    with pytest.raises(kt.KinetreeError, match="q has shape"):
        kt.controllers.joints(arm, "fanuc", [0, 1, 2], "m10ia")


def test_a_model_that_nobody_knows_is_refused(arm):
    """Where the coupling depends on it; the robot's own name may be any."""
    q, ends = np.zeros(6), np.full(6, 90.0)
    for call in (
        lambda who, model: kt.controllers.joints(arm, who, q, model),
        lambda who, model: kt.controllers.to_q(arm, who, q, model),
        lambda who, model: kt.controllers.limit_joints(arm, who, -ends, ends, model),
    ):
        for who, model, near, assumed in (
            ("fanuc", "M-430iB", "'m430ia'", "without it, joint 3 of the model = J3 + J2"),
            ("abb", "irb240", "'irb2400'", "without it, joint 3 of the model = J3"),
            ("abb", "irb660", "'irb6600'", "without it, joint 3 of the model = J3"),
            ("yaskawa", "mpl80", "'gp180'", "without it, joint 3 of the model = J3"),
            ("kuka", "kr120r3200pa", "'kr120r3100'", "without it, joint 3 of the model = J3"),
            ("ur", "ur6", "'ur16'", "without it, joint 3 of the model = J3"),
        ):
            with pytest.raises(kt.KinetreeError, match=f"no model '{model}' among those .* did you mean .*{near}") as e:
                call(who, model)
            assert assumed in str(e.value)
        with pytest.raises(kt.KinetreeError, match="no model 'C4' among those whose joints Epson is known") as e:
            call("epson", "C4")
        assert "without it, joints are not coupled" in str(e.value)
        call("kuka", "KR 150")
        for model in ("IRB 120", "ABB IRB-4400L/30"):
            call("abb", model)
    with pytest.raises(kt.KinetreeError, match=r"there are 'cr35ia', 'cr7ia', .* and 5 more"):
        kt.controllers.joints(arm, "fanuc", q, "?")


def test_the_coupling_of_every_model_whose_driver_is_known():
    """ROS-Industrial's launch files; of models with two values, and of IRB 1600, they were corrected to serial."""
    for repository, models in json.loads(shared("facts", "industrial", "j2_j3_coupling.json").read_text()).items():
        who = kt.controllers[repository.split("/")[1].split("_")[0]]
        for model, rows in models.items():
            words = {value for _, value in rows}
            if model == "robot_interface":
                continue
            assert not who.coupling_doubt(model, 6), model
            if who.key == "abb":
                coupled = words == {"true"} and "irb1600" not in model
                assert who.coupling(model)[2, 1] == (-1 if coupled else 0), model
            else:
                assert {float(word) for word in words} == {who.coupling(model)[2, 1]}, model
            who.check_model(model)
    for who in kt.controllers.values():
        pairs = {(row.joint, row.leader) for row in who.couplings}
        assert [(row.joint, row.leader) for row in who.couplings if row.assumed] == sorted(pairs)


def test_a_warning_is_at_the_line_of_the_caller(arm):
    """However deep in the package the numbers are made."""
    epson, q = kt.controllers["epson"], np.zeros(6)
    for call in (
        lambda: epson.from_pose(np.eye(4)),
        lambda: epson.to_pose(q),
        lambda: kt.controllers.pose(arm, "epson", q),
        lambda: kt.controllers.pose(arm, "epson", q, tool=q, user_frame=q),
        lambda: kt.controllers.to_pose(arm, epson, q),
    ):
        with pytest.warns(kt.errors.UnverifiedWarning, match="order of U, V, W") as caught:
            call()
        assert {(w.filename, w.lineno) for w in caught} == {(__file__, call.__code__.co_firstlineno)}


def test_limits_on_the_controllers_joints():
    """They become rows over the model's joints that are coupled, and hold exactly where the pendant's do."""
    lower, upper = np.array([-170.0, -60, -80, -180, -120, -180]), np.array([170.0, 90, 150, 180, 120, 180])
    arm = built("m10ia")
    limited = kt.controllers.limit_joints(arm, "fanuc", lower, upper)
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (2000, 6))
    shown = kt.controllers.joints(arm, "fanuc", q)
    legal = ((shown >= lower) & (shown <= upper)).all(axis=-1)
    assert 0.01 < legal.mean() < 0.9
    np.testing.assert_array_equal(limited.limits.contains(q), legal & arm.limits.contains(q))
    assert kt.ik(limited, "tool0", "base")(kt.fk(limited, "tool0", "base")(q[legal][:50])).success.all()
    # in radians, both ends in one limit that has the joint's name, and none where there is none
    assert [limit.name for limit in limited.coupled_limits] == ["fanuc joint_3"]
    at = kt.controllers.to_q(arm, "fanuc", [0, 30, 149.0, 0, 0, 0])
    margins = dict(zip(limited.limits.names, limited.limits.margin(at), strict=True))
    assert margins["fanuc joint_3 upper"] == pytest.approx(np.deg2rad(1.0))
    assert margins["joint_2 upper"] == pytest.approx(np.deg2rad(60.0))
    free = kt.controllers.limit_joints(arm, "fanuc", np.full(6, -np.inf), [np.inf, 90, 150, np.inf, np.inf, np.inf])
    assert free.limits.contains(kt.controllers.to_q(arm, "fanuc", [300.0, 0, 0, 0, 0, 300]))
    assert not free.limits.contains(kt.controllers.to_q(arm, "fanuc", [0, 0, 151.0, 0, 0, 0]))
    for low, high, said in ((upper, lower, "of J1 the lower limit"), (lower[:3], upper[:3], "have shapes")):
        with pytest.raises(kt.KinetreeError, match=said):
            kt.controllers.limit_joints(arm, "fanuc", low, high)


def test_ranges_that_the_model_cannot_fulfil_are_refused():
    """J3 = q3 - q2, which are both within 0.1 rad of zero here."""
    parts = parts_of(kt.chain("Rz(q1) Ry(q2) Ry(q3) Rx(q4) Ry(q5) Rx(q6)", name="m10ia"))
    small = (Limit(-0.1, 0.1),)
    parts.joints = [replace(one, limits=small) if one.name in ("q2", "q3") else one for one in parts.joints]
    arm, upper = build(parts), [180, 90, 150, 180, 120, 180]
    for least, empty in ((11.0, False), (12.0, True)):  # 0.2 rad are 11.46 degrees
        lower = [-180, -90, least, -180, -120, -180]
        with pytest.raises(kt.KinetreeError, match="no configuration of q2, q3") if empty else nullcontext():
            kt.controllers.limit_joints(arm, "fanuc", lower, upper, base="base_link", tool0="tip")


def test_limits_that_are_words_are_named_by_their_end():
    arm = kt.chain("Rz(q1) Ry(q2) Ry(q3) Rx(q4) Ry(q5) Rx(q6)", name="m10ia")
    given = {"lower": np.full(6, -90.0), "upper": np.full(6, 90.0)}
    for end in given:
        with pytest.raises(kt.KinetreeError, match=f"{end} is") as caught:
            kt.controllers.limit_joints(arm, "fanuc", **{**given, end: ["x"] * 6}, base="base_link", tool0="tip")
        assert caught.value.findings[0].code == end


@each("sliding", [(), (2,), (3,), (2, 3)])
def test_a_coupled_joint_may_slide(sliding):
    """Then numbers in mm and deg add up, and the limits hold where those of the pendant do all the same."""
    text = '<robot name="m10ia"><link name="l0"/>'
    for i in range(1, 7):
        kind, end = ("prismatic", 2.0) if i in sliding else ("revolute", 4.0)
        text += f"""<link name="l{i}"/><joint name="j{i}" type="{kind}"><parent link="l{i - 1}"/><child link="l{i}"/>
          <axis xyz="0 0 1"/><limit lower="-{end}" upper="{end}" velocity="1" effort="1"/></joint>"""
    robot = kt.load(text + "</robot>", format="urdf")
    names = {"base": "l0", "tool0": "l6"}
    ends = np.array([100.0, 90, 120, 100, 100, 100])
    limited = kt.controllers.limit_joints(robot, "fanuc", -ends, ends, **names)
    panel = np.random.default_rng(1).uniform(-1.3 * ends, 1.3 * ends, (500, 6))
    q = kt.controllers.to_q(robot, "fanuc", panel, **names)
    units = [1e-3 if i in sliding else np.pi / 180 for i in range(1, 7)]
    expected = panel.copy()
    expected[:, 2] += panel[:, 1]
    np.testing.assert_allclose(q, expected * units, atol=1e-12)
    np.testing.assert_allclose(kt.controllers.joints(robot, "fanuc", q, **names), panel, atol=1e-9)
    legal = (np.abs(panel) <= ends).all(axis=-1) & robot.limits.contains(q)
    assert 0.05 < legal.mean() < 0.95
    np.testing.assert_array_equal(limited.limits.contains(q), legal)


@pytest.mark.parametrize("missing", ["base", "tool0"])
def test_every_question_wants_its_frames(arm, missing):
    """And says which one is not there, and whose it is."""
    names, q = {"base": "base", "tool0": "tool0"} | {missing: "nowhere"}, np.zeros(6)
    whose = {"base": "KUKA's $ROBROOT", "tool0": "KUKA's $NULLFRAME"}[missing]
    for call in (
        lambda: kt.controllers.pose(arm, "kuka", q, **names),
        lambda: kt.controllers.to_pose(arm, "kuka", q, **names),
        lambda: kt.controllers.joints(arm, "kuka", q, **names),
        lambda: kt.controllers.to_q(arm, "kuka", q, **names),
        lambda: kt.controllers.limit_joints(arm, "kuka", q, q, **names),
    ):
        with pytest.raises(kt.KinetreeError) as error:
            call()
        (finding,) = error.value.findings
        assert finding.code == "controller-frame"
        assert finding.message == f"the robot has no frame 'nowhere', to be {whose} (REP-199, {missing})"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('<joint name="j2" type="revolute">', '<joint name="j2" type="planar">'),
        lambda text: text.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><mimic joint="j1"/>', 1),
    ],
)
def test_joints_without_a_number_of_their_own_have_none_on_a_pendant(change):
    text = """<robot name="r"><link name="base"/><link name="l1"/><link name="tool0"/>
      <joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
      <joint name="j2" type="revolute"><parent link="l1"/><child link="tool0"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
    whole, robot = (kt.load(x, format="urdf") for x in (text, change(text)))
    assert kt.controllers.joints(whole, "kuka", [0.1, 0.2]) == pytest.approx(np.rad2deg([0.1, 0.2]))
    with pytest.raises(kt.KinetreeError, match="joint 'j2': has not one coordinate of its own"):
        kt.controllers.joints(robot, "kuka", np.zeros(robot.nq))


def test_arms_of_five_joints_are_coupled_too():
    rows = table("m10ia").splitlines()
    five = kt.load("\n".join(rows[:8] + rows[9:]), format="dh")
    names = {"base": five.root, "tool0": list(five.frames)[-1]}
    q = kt.controllers.to_q(five, "fanuc", [0, 30, -10, 0, 0], **names)
    assert np.rad2deg(q[:3]) == pytest.approx([0, 30, 20])
    assert kt.controllers["fanuc"].coupling("fanuc_m430ia2f", 5)[2, 1] == -1
    assert (kt.controllers["fanuc"].coupling("scara", 4) == np.eye(4)).all()


def test_what_is_no_number_is_said(arm):
    for call, said in (
        (lambda: kt.controllers.pose(arm, "kuka", np.full(6, np.nan)), "q is not finite"),
        (lambda: kt.controllers.pose(arm, "kuka", "abc"), "q is no array of numbers"),
        (lambda: kt.controllers.pose(arm, "kuka", np.zeros(6), tool=["a"] * 6), "user frame is no array"),
        (lambda: kt.controllers.to_q(arm, "ur", ["a"] * 6), "joints is no array"),
        (lambda: kt.controllers.to_q(arm, "ur", [0, 0, np.nan, 0, 0, 0]), "6\\) finite numbers, deg and mm"),
        (lambda: kt.controllers.to_q(arm, "ur", [[0] * 6, [0, 0, 0, 0, 0, -np.inf]]), "6\\) finite numbers"),
        (lambda: kt.controllers.to_q(arm, "ur", [0] * 5), r"joints has shape \(5,\)"),
        (lambda: kt.controllers.limit_joints(arm, "ur", "a", "b"), "lower is no array"),
        (
            lambda: kt.controllers.pose(arm, "kuka", np.zeros(6), base="bse"),
            "base= takes a frame of the robot; did you mean 'base'",
        ),
    ):
        with pytest.raises(kt.KinetreeError, match=said):
            call()
    many = np.tile(np.eye(4), (3, 1, 1))
    assert kt.controllers.pose(arm, "kuka", np.zeros((3, 6)), tool=many).shape == (3, 6)


REPOSITORIES = {"universal_robots": "universal", "yaskawa": "motoman"}
"""What the folders of models of a maker have in their names."""


def has_the_frames_that_the_file_says(key: str, path: Path) -> tuple[bool, bool]:
    """Whether a model has base and base_link, and tool0 and flange; those it has are as the maker's file says."""
    try:
        robot, controller = kt.load(path), kt.controllers[key]
    except kt.KinetreeError:
        return False, False
    q = robot.limits.project(robot.q())
    ours = {"base", "base_link"} <= robot.frames.keys(), {"flange", "tool0"} <= robot.frames.keys()
    known = controller.base_in_base_link
    if ours[0]:
        T = kt.fk(robot, "base", "base_link").interpret(q)
        rpy = (0, 0, 0) if known == "height" else np.deg2rad(known)
        np.testing.assert_allclose(T[:3, :3], se3.pose_from_xyz_rpy((0, 0, 0), rpy)[:3, :3], atol=2e-3)
        np.testing.assert_allclose(T[: 2 if known == "height" else 3, 3], 0, atol=1e-9)
    if ours[1]:
        R = kt.fk(robot, "tool0", "flange").interpret(q)[:3, :3]
        odd = [rpy for name, rpy in controller.outliers.items() if name in plain(path.stem)]
        wanted = se3.pose_from_xyz_rpy((0, 0, 0), np.deg2rad([*odd, controller.tool0_in_flange][0]))[:3, :3]
        np.testing.assert_allclose(R, wanted, atol=2e-3, err_msg=str(path))
    return ours


@pytest.mark.parametrize("key", ["abb", "fanuc", "kuka", "staubli", "universal_robots", "yaskawa"])
@pytest.mark.slow
def test_real_models_have_the_frames_that_the_files_say(key):
    """base in base_link and tool0 in flange of models in the makers' and ROS-Industrial's repositories."""
    folder = REPOSITORIES.get(key, key)
    found = [path for path in sorted(shared("corpus").rglob("*.urdf")) if folder in str(path).lower()]
    base, tool0 = np.sum([has_the_frames_that_the_file_says(key, path) for path in found], axis=0)
    assert base > 2
    assert tool0 > 2 or key in ("universal_robots", "yaskawa")  # the flanges of theirs here are in xacro files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "at_least"),
    [("abb", 20), ("fanuc", 30), ("kuka", 13), ("staubli", 2), ("universal_robots", 9), ("yaskawa", 55)],
)
def test_real_models_in_xacro_have_them_too(key, at_least):
    folder = REPOSITORIES.get(key, key)
    found = [path for path in sorted(shared("corpus").rglob("*.xacro")) if folder in str(path).lower()]
    found = [path for path in found if "macro" not in path.stem and "common" not in path.stem]
    assert sum(has_the_frames_that_the_file_says(key, path)[1] for path in found) >= at_least


@pytest.mark.slow
@each(
    "key, name, model",
    [("fanuc", "m430ia", "m430ia2f"), ("fanuc", "m430ia", "m430ia2p"), ("yaskawa", "hc30pl", "hc30pl")],
)
def test_models_whose_tool0_is_otherwise(key, name, model):
    (path,) = shared("corpus").rglob(f"{model}.xacro")
    assert has_the_frames_that_the_file_says(key, path)[1]
    assert kt.controllers[key].outliers[name] != kt.controllers[key].tool0_in_flange


ZERO = {
    # stretched out forwards
    "kr6r900sixx": ("kuka", (980, 0, 435, 0, 90, 0), "-Z Y Y -X Y -X"),
    # straight up, from where axes 1 and 2 meet
    "tx2_60": ("staubli", (0, 20, 1045 - 375, 0, 0, 0), "Z Y Y Z Y Z"),
    # the upper arm up, the forearm forwards
    "m10ia": ("fanuc", (890, 0, 800, 0, -90, 180), "Z Y -Y -X -Y -X"),
    "gp12": ("yaskawa", (155 + 640 + 100, 0, 614 + 200, 0, -90, 180), "Z Y -Y -X -Y -X"),
    "irb2400": ("abb", (940, 0, 1455, 0.5**0.5, 0, 0.5**0.5, 0), "Z Y Y X Y X"),
    "universal_robots/ur_description/urdf/ur5e": (
        "universal_robots",
        (-0.8172, -0.2329, 0.0628, np.pi / 2, 0, 0),
        "Z Y Y Y -Z Y",
    ),
}
"""What pendants show with all joints at zero, as makers' documents say it of these models, and about which axes of
base_link the joints then turn."""


@pytest.mark.slow
@pytest.mark.parametrize("model", ZERO)
def test_real_models_at_zero(model):
    key, expected, axes = ZERO[model]
    files = [path for kind in ("urdf", "xacro") for path in sorted(shared("corpus").rglob(f"*.{kind}"))]
    found = [path for path in files if str(path.with_suffix("")).endswith(f"/{model}")]
    assert found
    unit = {sign + axis: s * e for axis, e in zip("XYZ", np.eye(3), strict=True) for sign, s in (("", 1), ("-", -1))}
    for path in found:
        robot = kt.load(path)
        q = np.zeros(robot.nq)
        shown = kt.controllers.pose(robot, key, q)
        controller = kt.controllers[key]
        np.testing.assert_allclose(controller.to_pose(shown), controller.to_pose(expected), atol=6e-5)
        turns = kt.jacobian(robot, "tool0", "base_link").interpret(q)[3:].T
        np.testing.assert_allclose(turns, [unit[axis] for axis in axes.split()], atol=2e-3)


@pytest.mark.slow
def test_texts_of_a_whole_chain(arm):
    """What a program says goes to joints and back."""
    q0 = np.array([0.3, -1.2, 1.1, -0.4, 0.8, 0.2])
    T = kt.controllers.to_pose(arm, "ur", parsed(kt.controllers["ur"], "p[-0.3, -0.2, 0.5, 1.2, -0.4, 0.3]").values)
    result = kt.ik(arm, "flange", "base_link")(T, q0=q0)
    assert result.success
    assert kt.controllers.pose(arm, "ur", result.q) == pytest.approx([-0.3, -0.2, 0.5, 1.2, -0.4, 0.3], abs=2e-6)
