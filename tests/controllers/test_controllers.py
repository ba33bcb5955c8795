"""Every maker's file: its numbers of one known pose, there and back, and what it refuses."""

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.controllers.text import configuration_in, parsed, point_list, written
from kinetree.spatial.handedness import mirrored_pose
from support import shared, soon

pytestmark = pytest.mark.filterwarnings("ignore::kinetree.errors.UnverifiedWarning")
EVERY = [*kt.controllers, *kt.controllers.forms]
every = pytest.mark.parametrize("key", EVERY)

POSE = np.eye(4)
POSE[:3, :3] = Rotation.from_quat([0.7809354128, -0.0079395347, 0.4864838862, 0.3916762353]).as_matrix()
POSE[:3, 3] = [0.6123, -0.2345, 0.7891]
ZYX, ZYZ, FIXED = (35.0, -50.0, 110.0), (-39.420606, 102.700006, 141.744372), (110.0, -50.0, 35.0)
TUPLES = {
    "abb": (612.3, -234.5, 789.1, 0.391676, 0.780935, -0.00794, 0.486484),
    "comau": (612.3, -234.5, 789.1, *ZYZ),
    "denso": (612.3, -234.5, 789.1, *FIXED),
    "epson": (612.3, -234.5, 789.1, *ZYX),
    "fanuc": (612.3, -234.5, 789.1, *FIXED),
    "kawasaki": (612.3, -234.5, 789.1, *ZYZ),
    "kuka": (612.3, -234.5, 789.1, *ZYX),
    "mitsubishi": (612.3, -234.5, 789.1, *FIXED),
    "staubli": (612.3, -234.5, 789.1, 109.539403, 48.903673, 36.771108),
    "universal_robots": (0.6123, -0.2345, 0.7891, 1.983258, -0.020163, 1.235471),
    "yaskawa": (612.3, -234.5, 789.1, *FIXED),
}
"""One pose in the numbers of all, computed with SciPy and, but for two makers, robodk."""
FORMS = {
    "abb_euler": (612.3, -234.5, 789.1, *ZYX),
    "universal_robots_screen": (612.3, -234.5, 789.1, 1.983258, -0.020163, 1.235471),
    "universal_robots_rpy": (612.3, -234.5, 789.1, *FIXED),
}
"""And as they are written elsewhere."""
ONE = TUPLES | FORMS


def singular() -> np.ndarray:
    """Rotations (n, 3, 3) in multiples of a quarter of a turn, alone and with one free angle, and nearly so."""
    quarters = np.array(np.meshgrid(*[np.arange(-2, 3) * np.pi / 2] * 3)).reshape(3, -1).T
    rng = np.random.default_rng(0)
    parts = []
    for order in ("ZYX", "XYZ", "ZYZ"):
        beside = quarters + 10.0 ** rng.uniform(-16, -3, quarters.shape)
        free = quarters + rng.uniform(-np.pi, np.pi, quarters.shape) * [1, 0, 1]
        parts += [Rotation.from_euler(order, a).as_matrix() for a in (quarters, beside, free)]
    return np.concatenate(parts)


def test_there_are_eleven_each_with_sources():
    assert list(kt.controllers) == sorted(TUPLES)
    assert sorted(kt.controllers.forms) == sorted(FORMS)
    for controller in map(kt.controllers.__getitem__, EVERY):
        assert sorted(re.findall(r"\w+(?=[,)])", controller.rotation.formula)) == sorted(controller.rotation.names)
        assert controller.sources
        assert {"base", "tool0", "tool"} <= controller.frames.keys()
        assert controller.confidence in ("high", "medium", "low")
        assert (controller.confidence == "high") == (not controller.unverified)
        assert controller.position in ("m", "mm")
    assert kt.controllers["UR"].key == "universal_robots"
    assert kt.controllers["ur-screen"] is kt.controllers["universal_robots_screen"]
    assert kt.controllers["ur_rpy"].frames is kt.controllers["ur"].frames
    assert kt.controllers["Stäubli"].key == "staubli"
    with pytest.raises(kt.KinetreeError, match="no controller 'kukka'; did you mean 'kuka'"):
        kt.controllers["kukka"]


@every
def test_the_known_pose(key):
    controller = kt.controllers[key]
    np.testing.assert_allclose(controller.from_pose(POSE), ONE[key], rtol=0, atol=1e-6)
    T = controller.to_pose(ONE[key])
    np.testing.assert_allclose(T, POSE, rtol=0, atol=2e-6)


def test_the_tuples_are_the_published_ones():
    facts = json.loads(shared("facts", "industrial", "vendors.json").read_text())["vendors"]
    assert facts.keys() <= TUPLES.keys()
    for key, known in facts.items():
        numbers, controller = TUPLES[key], kt.controllers[key]
        assert known["example"]["tuple"] == pytest.approx(numbers, abs=1e-12)
        assert known["position"].split()[0] == controller.position
        assert known["frames"]["rep_base"].split(" (")[0] == controller.frames["base"]
        assert known["handedness"].lower().startswith("right") == (controller.mirrored == "")
        assert controller.confidence in known["confidence"]
        measured = known["rosi_measured"]
        assert bool(controller.tool0_in_flange) == (isinstance(measured, dict) and "tool0_in_flange" in measured)


@pytest.mark.slow
@every
def test_every_pose_comes_back(key):
    controller = kt.controllers[key]
    R = np.concatenate([Rotation.random(2000, random_state=1).as_matrix(), singular()])
    T = np.tile(np.eye(4), (len(R), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = R, np.random.default_rng(2).uniform(-3, 3, (len(R), 3))
    numbers = controller.from_pose(T)
    np.testing.assert_allclose(controller.to_pose(numbers), T, rtol=0, atol=1e-12)
    again = controller.from_pose(controller.to_pose(numbers))
    np.testing.assert_allclose(controller.to_pose(again), T, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(controller.from_pose(T[7]), numbers[7])
    np.testing.assert_array_equal(controller.from_pose(T.reshape(-1, 1, 4, 4))[:, 0], numbers)
    assert controller.from_pose(T[:0]).shape == (0, len(controller.components))
    if controller.rotation.kind == "quaternion":
        assert (numbers[:, 3] >= 0).all()
    if controller.rotation.kind == "turns":
        assert np.abs(numbers[:, 3:]).max() <= 180


@every
def test_where_the_gimbal_is_locked_one_angle_is_zero(key):
    controller = kt.controllers[key]
    if controller.rotation.kind != "turns":
        pytest.skip("nothing locks")
    axes = [axis for axis, _ in controller.rotation.turns]
    middle = 0.0 if axes[0] == axes[2] else 90.0
    numbers = np.zeros(6)
    for (_, place), angle in zip(controller.rotation.turns, (20.0, middle, 30.0), strict=True):
        numbers[3 + place] = angle
    found = controller.from_pose(controller.to_pose(numbers))
    assert found[3 + controller.rotation.names.index(controller.rotation.zero)] == 0


@every
def test_what_it_refuses(key):
    controller = kt.controllers[key]
    good = np.array(ONE[key])
    legal = f"a pose of {controller.name} is X ("
    for bad, said in (
        (good[:-1], "numbers, where there are"),
        ([*good, 0], "numbers, where there are"),
        (good * np.nan, "not finite"),
        ("hello", "are no numbers"),
        (good * 1j, "are no numbers"),
        (5.0, "0 numbers"),
    ):
        with pytest.raises(kt.KinetreeError, match=said) as caught:
            controller.to_pose(bad)
        assert legal in str(caught.value)
    wide = good.copy()
    wide[-1] += 400
    with pytest.raises(kt.KinetreeError, match=r"beyond|length"):
        controller.to_pose(wide)
    for T in (np.eye(3), np.diag([1.0, 1, -1, 1]), np.diag([2.0, 2, 2, 1]), np.eye(4) * np.nan):
        with pytest.raises(kt.KinetreeError, match="pose"):
            controller.from_pose(T)


def test_a_quaternion_need_not_have_more_digits_than_a_pendant_shows():
    T = kt.controllers["abb"].to_pose([612.3, -234.5, 789.1, 0.39, 0.78, -0.008, 0.49])
    np.testing.assert_allclose(T, POSE, rtol=0, atol=1e-2)
    np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-15)
    with pytest.raises(kt.KinetreeError, match=r"length is 1\.414, not 1"):
        kt.controllers["abb"].to_pose([0, 0, 0, 1, 1, 0, 0])


def test_what_nobody_checked_is_said():
    for key in EVERY:
        controller = kt.controllers[key]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            controller.from_pose(POSE)
        assert bool(caught) == (controller.confidence != "high")
        assert all(key[:3] in str(w.message).lower() and w.category is kt.errors.UnverifiedWarning for w in caught)


def test_half_a_turn_is_plus_half_a_turn():
    """A tool that points down, the commonest pose of all."""
    for key in ("fanuc", "kuka", "denso", "epson", "mitsubishi", "yaskawa", "staubli", "comau", "kawasaki"):
        for R in (np.diag([1.0, -1, -1]), np.diag([-1.0, -1, 1]), np.diag([-1.0, 1, -1])):
            T = np.eye(4)
            T[:3, :3] = R
            assert kt.controllers[key].from_pose(T)[3:].min() > -180


def test_positions_in_another_unit_are_seen():
    with pytest.raises(kt.KinetreeError, match="beyond 100 m, so that its unit is another"):
        kt.controllers["ur"].to_pose([612.3, -234.5, 789.1, 0, 0, 0])
    millimetres = POSE.copy()
    millimetres[:3, 3] *= 1000
    for key in EVERY:
        with pytest.raises(kt.KinetreeError, match="beyond 100 m, so that its unit is another"):
            kt.controllers[key].from_pose(millimetres)
    with pytest.raises(kt.KinetreeError, match="mirrored is 'X'"):
        replace(kt.controllers["kuka"], mirrored="X")
    for bad in ("abc", [[1, 2], [3]]):
        with pytest.raises(kt.KinetreeError, match="no array of numbers"):
            kt.controllers["kuka"].from_pose(bad)


def test_a_left_handed_controller_is_mirrored_at_its_boundary():
    left = replace(kt.controllers["kuka"], mirrored="y")
    numbers = left.from_pose(POSE)
    np.testing.assert_allclose(numbers, kt.controllers["kuka"].from_pose(mirrored_pose(POSE, "y")))
    assert numbers[:3] == pytest.approx([612.3, 234.5, 789.1])
    np.testing.assert_allclose(left.to_pose(numbers), POSE, atol=1e-14)


@every
def test_texts_come_back_to_their_last_digit(key):
    controller = kt.controllers[key]
    numbers = controller.from_pose(POSE)
    said = written(controller, numbers)
    for text in (said, said.lower(), said.replace(", ", ","), f"  {said}\n", " ".join(map(str, numbers))):
        found = parsed(controller, text)
        digits = np.array([controller.digits[0]] * 3 + [controller.digits[1]] * (len(numbers) - 3))
        assert (np.abs(found.values - numbers) <= 0.51 * 10.0**-digits).all(), text
        assert not found.left_out


@each(
    "key, text, first, left_out",
    [
        ("abb", "[612.3,-234.5,789.1],[0.39,0.78,-0.008,0.49]", [612.3, -234.5, 789.1, 0.39], ()),
        ("abb", "[[1,2,3],[1,0,0,0],[0,0,0,0],[9E9,9E9]]", [1, 2, 3, 1], ("[0,0,0,0],[9E9,9E9]",)),
        ("universal_robots", "p[0.6123, -0.2345, .7891, 1.98, -0.02, 1.2e0]", [0.6123, -0.2345, 0.7891, 1.98], ()),
        ("kuka", "X 612.300 Y -234.5 Z 789.1 A 35 B -50 C 110", [612.3, -234.5, 789.1, 35], ()),
        ("kuka", "{POS: X 1, Y 2, Z 3, A 4, B 5, C 6, S 2, T 35}", [1, 2, 3, 4], ("POS", "S 2, T 35")),
        ("kuka", "{x 1,y 2,z 3,a 4,b 5,c 6}", [1, 2, 3, 4], ()),
        (
            "fanuc",
            "P[1]:UF:0, UT:1, CONFIG:'N U T, 0, 0, 0', "
            "X = 1.0 mm, Y = -2. mm, Z = 3 mm, W = 4 deg, P = 5 deg, R = 6 deg",
            [1, -2, 3, 4],
            ("P[1]:UF:0, UT:1, CONFIG:'N U T, 0, 0, 0'",),
        ),
        ("fanuc", "PR[3] X:1 Y:2 Z:3 W:4 P:5 R:6", [1, 2, 3, 4], ("3",)),
        (
            "fanuc",
            "P[1]{\n GP1:\n\tUF : 0, UT : 1,\t\tCONFIG : 'N U T, 0, 0, 0',\n\tX =   1.000  mm,\tY = 2.000 mm,"
            "\tZ = 3.000 mm,\n\tW = 4.000 deg,\tP = 5.000 deg,\tR = 6.000 deg\n};",
            [1, 2, 3, 4],
            ("P[1]{ GP1: UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, 0'", "}"),
        ),
        ("abb", "p10:=[[1,2,3],[1,0,0,0],[0,0,0,0],[9E9,9E9]];", [1, 2, 3, 1], ("p10", "[0,0,0,0],[9E9,9E9]")),
        ("kuka", "LIN {X 1,Y 2,Z 3,A 4,B 5,C 6}", [1, 2, 3, 4], ()),
        ("kuka", "XP1={X612.3,Y 2,Z 3,A 4,B 5,C 6,S 2,T 35,E1 0.0}", [612.3, 2, 3, 4], ("XP1", "S 2,T 35,E1 0.0")),
        ("kuka", "X 1, Y 2, Z 3, A 4, B 5, C 6", [1, 2, 3, 4], ()),
        ("universal_robots", "movel(p[1,2,3,0,0,1], a=1.2, v=0.25)", [1, 2, 3, 0], ("a=1.2, v=0.25",)),
        ("universal_robots", "Waypoint_1_p:=p[1,2,3,0,0,1]", [1, 2, 3, 0], ("Waypoint_1_p",)),
        ("yaskawa", "X: 1 Y: 2 Z: 3 Rx: 4 Ry: 5 Rz: 6", [1, 2, 3, 4], ()),
        ("epson", "P1 = XY(1, 2, 3, 4, 5, 6)", [1, 2, 3, 4], ("P1",)),
        ("comau", "p1 := POS(1, 2, 3, 4, 5, 6)", [1, 2, 3, 4], ("p1",)),
        ("staubli", "p = {{1, 2, 3, 4, 5, 6}, {sfree}}", [1, 2, 3, 4], ("p", "{sfree}")),
        (
            "yaskawa",
            "C00001=612.300,-234.500,789.100,110.0000,-50.0000,35.0000",
            [612.3, -234.5, 789.1, 110],
            ("00001",),
        ),
        ("mitsubishi", "P1=(1,2,3,4,5,6)(7,0)", [1, 2, 3, 4], ("1", "7,0")),
        ("universal_robots_screen", "X 1 mm Y 2 mm Z 3 mm RX 0.1 rad RY 0 rad RZ 0 rad", [1, 2, 3, 0.1], ()),
        ("universal_robots_rpy", "X 1.5 mm, Y 2 mm, Z 3 mm, RX 45.0°, RY 0°, RZ 0°", [1.5, 2, 3, 45], ()),
        ("abb_euler", "X 1 Y 2 Z 3 EZ 4 EY 5 EX 6", [1, 2, 3, 4], ()),
        ("kawasaki", "TRANS(1, 2, 3, 4, 5, 6)", [1, 2, 3, 4], ()),
        ("staubli", "{{1, 2, 3, 4, 5, 6}, {sfree}}", [1, 2, 3, 4], ("{sfree}",)),
        ("denso", "P(1, 2, 3, 4, 5, 6, 5)", [1, 2, 3, 4], ("5",)),
        ("epson", "XY(1, 2, 3, 4, 5, 6) /L", [1, 2, 3, 4], ("L",)),
        ("comau", "POS(1, 2, 3, 4, 5, 6, 'S')", [1, 2, 3, 4], ("'S'",)),
    ],
)
def test_how_programs_and_pendants_write_it(key, text, first, left_out):
    found = parsed(kt.controllers[key], text)
    assert found.values[:4] == pytest.approx(first)
    assert found.left_out == left_out


@each(
    "key, text, said",
    [
        ("kuka", "p[1,2,3,0,0,0]", "looks like Universal Robots's; expected {X <X>"),
        ("universal_robots", "{X 1, Y 2, Z 3, A 4, B 5, C 6}", "looks like KUKA's"),
        ("fanuc", "TRANS(1,2,3,4,5,6)", "looks like Kawasaki's"),
        ("abb", "X 1 Y 2 Z 3 EZ 4 EY 5 EX 6", "looks like ABB, Euler angles's"),
        ("universal_robots", "X 1 mm, Y 2 mm, Z 3 mm, RX 4 deg, RY 5 deg, RZ 6 deg", "screen with RPY's"),
        ("yaskawa", "///PULSE\nC00000=1234,5678,90,12,34,56", "pulses of motors are joints"),
        ("yaskawa", "C00000=1234,5678,-90,12,34,56", "pulses of motors are joints"),
        ("kuka", "{A1 0, A2 -90, A3 90, A4 0, A5 0, A6 0}", "are joints"),
        ("kuka", "{a1 5, a2 -90, a3 90, a4 0, a5 0, a6 0}", "are joints"),
        ("yaskawa", "C00000=5,-56,90,12,34,56", "pulses of motors are joints"),
        ("fanuc", "X:1 Y:2 Z:3 W:4 P:5 R:6,5", "not written like one"),
        ("kuka", "{X 1, Y 2, Z 3, A 4, B 5, C -6,5}", "not written like one"),
        ("fanuc", "X:1 Y:2 Z:3 W:4 P:5 R:6e", "not written like one"),
        (
            "fanuc",
            "X = 1 mm, Y = 2 mm, Z = 3 mm, W = 4 deg, P = 5 deg, R = 6 deg, "
            "X = 1 mm, Y = 2 mm, Z = 3 mm, W = 4 deg, P = 5 deg, R = 6 deg",
            "several positions",
        ),
        ("mitsubishi", "J1=(0,-30,90,0,60,0)", "no pose of Mitsubishi"),
        ("mitsubishi", "P1=(1,2,3,4,5,6)(7,0)+P2", "not written like one"),
        ("kawasaki", "-TRANS(1,2,3,4,5,6)", "not written like one"),
        ("kawasaki", "POINT b = a + TRANS(0,0,100,0,0,0)", "not written like one"),
        ("epson", "XY(1,2,3,4,5,6) +X(50)", "not written like one"),
        ("universal_robots", "pose_trans(p[1,2,3,0,0,0],p[1,2,3,0,0,0])", "not written like one"),
        ("kuka", "1,2,3,,4,5,6", "not written like one"),
        ("kuka", "1,234.5 2 3 4 5", "not written like one"),
        ("kuka", "١ 2 3 4 5 6", "not written like one"),
        ("abb", "hello", "not written like one"),
        ("abb", "", "not written like one"),
        ("kuka", "1 2 3 four 5 6", "not written like one"),
    ],
)
def test_texts_that_are_none(key, text, said):
    with pytest.raises(kt.KinetreeError, match=said) as caught:
        parsed(kt.controllers[key], text)
    assert f"a pose of {kt.controllers[key].name} is" in str(caught.value)


def test_a_long_text_takes_no_long_time():
    many = (
        "(" * 1900,
        "1 " * 900,
        "X 1 " * 450,
        "[[" + "1," * 900,
        "{A" * 900,
        "C1=1,2,3,4,5," * 140,
        "C" * 900 + "=" * 900,
    )

    def read_all():
        for text in many:
            for controller in kt.controllers.values():
                with pytest.raises(kt.KinetreeError):
                    controller.to_pose(parsed(controller, text).values)

    soon(5.0, read_all)
    with pytest.raises(kt.KinetreeError, match="of 50000 characters is no pose"):
        parsed(kt.controllers["kuka"], "{" * 50_000)


@pytest.mark.slow
@each("begin", ["A", "", "P=(1,2,3,4,5,6,", "C1=1"])
@each("fill", [" ", "\n", "\t \n", "1", ")(", " =P(1,2,3,4,5,6,", ":=POS(1,2,3,4,5,6,", "a "])
def test_a_hostile_text_takes_no_long_time(begin, fill):
    text = (begin + fill * 2000)[:1999] + "q"

    def read():
        for controller in kt.controllers.values():
            with pytest.raises(kt.KinetreeError):
                parsed(controller, text)

    soon(0.5, read)


def test_spaces_and_line_ends_do_not_matter():
    text = f"{{X 1,{' ' * 500}Y 2,\n\n\tZ 3, A 4,\r\n B 5, C 6}}"
    assert parsed(kt.controllers["kuka"], text).values.tolist() == [1, 2, 3, 4, 5, 6]


POINTS = {
    ("kuka", ".dat"): """DEFDAT pick
DECL POS P1={X 10.500,Y -20.000,Z 300.000,A 90.000,B 0.000,C 180.000,S 2, T 35}
DECL POS P2={X 10.500,Y -20.000,Z 300.000,A 90.000,B 0.000,C 180.000,S 2, T 35}
ENDDAT
""",
    ("abb", ".mod"): "MODULE pick\n"
    + "".join(
        f"  CONST robtarget p{i} := [[10.500, -20.000, 300.000], "
        "[0.000000000, 0.707106781, 0.707106781, 0.000000000], [0, -1, 0, 1], [9E9, 9E9, 9E9, 9E9, 9E9, 9E9]];\n"
        for i in (1, 2)
    )
    + "ENDMODULE\n",
    ("ur", ".script"): """# pick
p1 = p[0.010500, -0.020000, 0.300000, 2.221441, 2.221441, 0.000000]
p2 = p[0.010500, -0.020000, 0.300000, 2.221441, 2.221441, 0.000000]
""",
}
"""Twice the pose of a tool that points down, turned by 90 deg about z."""


@each("place", POINTS)
def test_lists_of_points(place):
    key, ending = place
    who, T = kt.controllers[key], np.array([[0, 1, 0, 0.0105], [1, 0, 0, -0.02], [0, 0, -1, 0.3], [0, 0, 0, 1.0]])
    configuration = {"kuka": "S 2, T 35", "abb": "[0, -1, 0, 1]", "ur": ""}[key]
    values = who.from_pose(np.stack([T, T]))
    made = point_list(who, values, [configuration] * 2, ending, "pick")
    assert made == POINTS[place]
    for text in (made.splitlines()[1], point_list(who, values, [configuration] * 2, ".txt").splitlines()[0]):
        said, found = configuration_in(who, parsed(who, text.strip()))
        np.testing.assert_allclose(who.to_pose(found.values), T, atol=2e-6)
        assert who.configuration.read(said) == who.configuration.read(configuration) if configuration else said == ""


def test_every_file_of_points_has_every_component():
    for who in map(kt.controllers.__getitem__, EVERY):
        for ending, form in who.points.items():
            assert ending[0] == "."
            assert {*form} == {"head", "point", "foot"}
            assert "<name>" in form["head"]
            assert {*re.findall(r"<(\w+)>", form["point"])} - {"configuration"} == {*who.components, "i"}
            assert ("<configuration>" in form["point"]) is bool(who.configuration.text)


def test_points_that_cannot_be_written():
    kuka, values = kt.controllers["kuka"], np.zeros((1, 6))
    for key, ending, name, configuration, error in (
        ("kuka", ".src", "a", "S 2, T 35", "write points of KUKA to a file .src; expected the ending .txt or .dat"),
        ("fanuc", ".ls", "a", "N U T", "to a file .ls; expected the ending .txt$"),
        ("kuka", ".dat", "1st", "S 2, T 35", "'1st' is no name of a file of KUKA; expected a letter"),
        ("kuka", ".dat", "a" * 25, "S 2, T 35", "at most 24 in all"),
        ("kuka", ".dat", "a", "", "in a file .dat need a configuration, and these have none"),
    ):
        with pytest.raises(kt.KinetreeError) as caught:
            point_list(kt.controllers[key], values, [configuration], ending, name)
        assert re.search(error, caught.value.findings[0].message)
    with pytest.raises(kt.KinetreeError, match="need a configuration"):
        point_list(kuka, np.zeros((2, 6)), ["S 2, T 35", ""], ".dat")
    assert point_list(kuka, values, [""], ".txt") == "{X 0.000, Y 0.000, Z 0.000, A 0.000, B 0.000, C 0.000}\n"


@each("value", [None, 5, b"1 2 3 4 5 6", [1, 2, 3, 4, 5, 6], "x".split])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(kt.KinetreeError, match="is no text"):
        parsed(kt.controllers["kuka"], value)


def test_templates_have_every_component():
    for controller in map(kt.controllers.__getitem__, EVERY):
        for template in controller.text:
            assert all(template.count(f"<{name}>") == 1 for name in controller.components), template


def test_the_page_has_every_form_and_every_frame():
    """The tables of docs/reference/controllers.md are those of the files."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "controllers.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    forms = {kt.controllers[row[0].split("`")[-2]].key: row for row in rows if len(row) == 4}
    assert sorted(forms) == sorted(EVERY)
    for key, row in forms.items():
        controller = kt.controllers[key]
        assert row[1] == controller.position
        assert controller.rotation.kind != "turns" or row[2].removesuffix(", deg") == controller.rotation.formula
        assert (row[3] == "well") == (controller.confidence == "high")
    roles = ("base", "flange", "tool0", "tool", "user")
    expected = [[f"`{c.key}`", *(c.frames.get(role, "") for role in roles)] for c in kt.controllers.values()]
    assert [row for row in rows if len(row) == 6] == expected
