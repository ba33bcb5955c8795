"""Configurations of controllers: how makers write them, what they mean, and which of all solutions has one."""

import re
import warnings

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.controllers.posture import Configuration, configuration_of
from kinetree.controllers.text import configuration_in, parsed, written
from kinetree.errors import KinetreeError, UnverifiedWarning
from support import shared

pytestmark = pytest.mark.filterwarnings("ignore::kinetree.errors.UnverifiedWarning")
MAKERS = ("abb", "fanuc", "kuka", "mitsubishi", "staubli", "yaskawa")
ENDS = {"base": "base_link", "tool0": "tip"}


def arm(signs=(1, 1, 1, 1, 1, 1), offset=0.0, first=185):
    """An arm that lies stretched forward at zero, with wide ranges; signs of its axes, and an offset of its forearm."""
    axes = np.array(signs)[:, None] * [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    places = [(0, 0, 0.2), (0.1, 0, 0.2), (0.5, 0, 0), (0.4, 0, offset), (0, 0, 0), (0, 0, 0)]
    ends = np.radians([first, 170, 160, 350, 130, 350]).tolist()
    rows = [
        {"axis": axis.tolist(), "xyz": list(place), "qlim": [-end, end]}
        for axis, place, end in zip(axes, places, ends, strict=True)
    ]
    tip = np.eye(4)
    tip[0, 3] = 0.1
    return kt.chain(rows, name="kr10", tool=tip)


ARM = arm()


def said(maker, degrees, robot=ARM):
    return kt.controllers.configuration(robot, maker, np.radians(degrees), **ENDS)


# Of joints in degrees; q2 and q3 turn the arm forward and down, and are 0 where it is stretched forward.
FRONT = [10.0, -80.0, 90.0, 20.0, 30.0, -40.0]


@each(
    "maker, text",
    [
        ("kuka", "S 2, T 34"),
        ("abb", "[0, 0, -1, 0]"),
        ("fanuc", "F U T, 0, 0, 0"),
        ("yaskawa", "0,0,0,0,0,0,0,0"),
        ("mitsubishi", "7,0"),
        ("staubli", "lefty, epositive, wpositive"),
    ],
)
def test_an_arm_that_reaches_forward_with_its_elbow_up(maker, text):
    assert said(maker, FRONT) == text


@each(
    "change, texts",
    [
        # behind axis 1, and with the elbow on the same side of the upper arm
        ({1: -170.0}, ("S 3, T 34", "[0, 0, -1, 4]", "F U B, 0, 0, 0", "0,0,1,0,0,0,0,0", "3,0", "righty, epositive")),
        ({2: -90.0, 1: 30.0}, ("S 0, T 36", "[0, 0, -1, 2]", "F D T, 0, 0, 0", "0,1,0,0,0,0,0,0", "5,0", "enegative")),
        ({4: -30.0}, ("S 6, T 50", "[0, 0, -1, 1]", "N U T, 0, 0, 0", "0,0,0,0,0,0,0,0", "6,0", "wnegative")),
        ({3: 100.0}, ("S 2, T 34", "[0, 1, -1, 0]", "F U T, 0, 0, 0", "1,0,0,0,0,0,0,0", "7,0", "wpositive")),
        ({3: 200.0}, ("S 2, T 34", "[0, 2, -1, 0]", "F U T, 1, 0, 0", "1,0,0,1,0,0,0,0", "7,4096", "wpositive")),
        ({3: -200.0}, ("S 2, T 42", "[0, -3, -1, 0]", "F U T, -1, 0, 0", "1,0,0,1,0,0,0,0", "7,61440", "wpositive")),
        ({5: 271.0}, ("S 2, T 2", "[0, 0, 3, 0]", "F U T, 0, 0, 1", "0,0,0,0,1,0,0,0", "7,1048576", "wpositive")),
        ({0: 181.0}, ("S 2, T 34", "[2, 0, -1, 0]", "F U T, 0, 0, 0", "0,0,0,0,0,1,0,0", "7,1", "wpositive")),
        ({0: -1.0}, ("S 2, T 35", "[-1, 0, -1, 0]", "F U T, 0, 0, 0", "0,0,0,0,0,0,0,0", "7,0", "wpositive")),
        # the noise of a zero is no sign
        ({0: -1e-9}, ("S 2, T 34", "[0, 0, -1, 0]", "F U T, 0, 0, 0", "0,0,0,0,0,0,0,0", "7,0", "wpositive")),
    ],
)
def test_each_part_changes_where_the_maker_says(change, texts):
    degrees = [change.get(i, x) for i, x in enumerate(FRONT)]
    *whole, part = texts
    found = [said(maker, degrees) for maker in ("kuka", "abb", "fanuc", "yaskawa", "mitsubishi")]
    assert found == whole
    assert part in said("staubli", degrees)


def test_published_numbers():
    """Siemens' manual of robots with KUKA's kinematics has TU=19: A1, A2 and A5 are negative, the others not; a
    turn number of FANUC is 0 from -179 to 179 deg, 1 from 180 to 539, -1 from -539 to -180; RAPID's robtarget
    [[600, 500, 225.3], [1, 0, 0, 0], [1, 1, 0, 0], …] has axes 1 and 4 between 90 and 180 deg, axis 6 between 0 and 90;
    MELFA's flag 2 has a hexadecimal digit for each axis, 0 from -180 to 180 deg, 1 to 540, F from -540."""
    assert said("kuka", [-10, -80, 90, 20, -30, 40]).endswith("T 19")
    for angle, turn in ((-179, 0), (179, 0), (180, 1), (349, 1), (-180, -1), (-349, -1)):
        assert said("fanuc", [0, -80, 90, angle, -30, angle]) == f"N U T, {turn}, 0, {turn}"
    flips = {"0": (-89, 0, 90, 271, 360, -270, -360), "1": (91, 180, 270, -90, -180, -269)}  # NX100 manual, 3-76
    for flip, angles in flips.items():
        assert {said("yaskawa", [0, -80, 90, angle, -30, 0])[0] for angle in angles} == {flip}
    for angle, beyond in ((180, "0"), (181, "1"), (-179, "0"), (-180, "1")):  # R < 180 from -180 (without) to 180
        assert said("yaskawa", [0, -80, 90, 0, -30, angle]).split(",")[4] == beyond
    wanted = kt.controllers["abb"].configuration.read("[1, 1, 0, 0]")
    assert wanted == [1, 1, 0, 0, 0, 0]
    for q1, q4, q6, has in ((91, 91, 1, True), (179, 179, 89, True), (89, 91, 1, False), (91, 181, 1, False)):
        q = np.radians([q1, -80, 90, q4, 30, q6])
        assert kt.controllers.has_configuration(ARM, "abb", q, "[1, 1, 0, 0]", **ENDS) == has
    assert said("mitsubishi", [0, -80, 90, 0, 30, -190]) == f"7,{0xF00000}"


@each("maker", MAKERS)
def test_the_words_come_back(maker):
    form = kt.controllers[maker].configuration
    rng = np.random.default_rng(4)
    angles = rng.uniform(-350, 350, (60, 8)) * [0.2, 0.4, 0.5, 0.3, 0.4, 1, 0.3, 1]
    for row, values in zip(angles, form.values(angles), strict=True):
        assert form.read(form.written(values)) == values.tolist()
        assert form.matches(row, values.tolist(), 0.0)


@each("maker", MAKERS)
def test_poses_carry_it(maker):
    who = kt.controllers[maker]
    text = said(maker, FRONT)
    q = np.radians(FRONT)
    numbers = kt.controllers.pose(ARM, maker, q, **ENDS)
    shown = written(who, numbers, text)
    found, rest = configuration_in(who, parsed(who, shown))
    assert who.configuration.read(found) == who.configuration.read(text)
    assert not [part for part in rest.left_out if re.search(r"\d", part) and "9E9" not in part and part != "00000"]
    np.testing.assert_allclose(rest.values, numbers, rtol=0, atol=6e-3)
    assert configuration_in(who, parsed(who, written(who, numbers)))[0] == ""


@each(
    "maker, text, found, left_out",
    [
        ("kuka", "{X 1, Y 2, Z 3, A 4, B 5, C 6, S 'B110', T 35, E1 0.0}", "S 'B110', T 35", ("E1 0.0",)),
        ("kuka", "{X 1, Y 2, Z 3, A 4, B 5, C 6, E1 0.0}", "", ("E1 0.0",)),
        ("abb", "[[1, 2, 3], [1, 0, 0, 0], [0, -1, 1, 0], [9E+09, 9E+09]]", "[0, -1, 1, 0], [9E09, 9E09]", ()),
        ("abb", "[[1, 2, 3], [1, 0, 0, 0], [0, -1, 1, 0], [9e+09]]", "[0, -1, 1, 0], [9e09]", ()),
        (
            "fanuc",
            "UF : 0, UT : 1, CONFIG : 'N U T, 0, 0, -1', X = 1 mm, Y = 2 mm, Z = 3 mm, W = 4 deg, P = 5 deg, R = 6 deg",
            "N U T, 0, 0, -1",
            ("UF : 0, UT : 1",),
        ),
        ("mitsubishi", "P1 = (1, 2, 3, 4, 5, 6)(7,&H00100000)", "7,&H00100000", ("1",)),
        ("staubli", "{{1, 2, 3, 4, 5, 6}, {sfree, epositive, wnegative}}", "sfree, epositive, wnegative", ()),
        ("yaskawa", "///RCONF 1,0,0,0,0,0,0,0\nC00001 = 1.0, 2, 3, 4, 5, 6", "1,0,0,0,0,0,0,0", ("00001",)),
    ],
)
def test_poses_as_programs_have_them(maker, text, found, left_out):
    who = kt.controllers[maker]
    assert configuration_in(who, parsed(who, text))[0] == found
    assert configuration_in(who, parsed(who, text))[1].left_out == left_out


@each(
    "maker, text, values",
    [
        ("kuka", "S 22, T 26", [0, 1, 1, 0, 1, 0, 1, 1, 0]),  # bit 4 is of absolutely accurate robots
        ("kuka", "s 'H6'", [0, 1, 1, *[None] * 6]),
        ("fanuc", "nut", [0, 0, 0, None, None, None]),
        ("fanuc", "FDB 001", [1, 1, 1, 0, 0, 1]),
        ("mitsubishi", "&B101,&HF00002", [1, 0, 1, 2, 0, 0, 0, 0, -1]),
        ("staubli", "sfree, enegative, wsame", [None, 1, None]),
        ("yaskawa", "1,0,1,0,1,1", [1, 0, 1, 0, 1, 1]),
    ],
)
def test_other_spellings(maker, text, values):
    assert kt.controllers[maker].configuration.read(text) == values


def solved(robot, q, frame="tip", base="base_link", turns=True):
    """All solutions of each pose, whole turns included: q (k, 64, nq) and mask (k, 64)."""
    T = kt.fk(robot, frame, base)(q)
    return kt.ik(robot, frame, base).solutions(T, most=64, turns=turns)


def check_each_picks_itself(robot, maker, q, base, tool0, turns):
    """The configuration of each solution picks that solution, and no other but whole turns of FANUC's J1 to J3."""
    found = solved(robot, q, tool0, base, turns)
    count = 0
    for own, mask in zip(found.q, found.mask, strict=True):
        own = own[mask]
        texts = kt.controllers.configuration(robot, maker, own, base=base, tool0=tool0)
        for i, text in enumerate(texts):
            has = kt.controllers.has_configuration(robot, maker, own, text, within=0, base=base, tool0=tool0)
            off = own - own[i]
            if maker == "fanuc":  # it counts those of J4 to J6
                off[:, :3] -= 2 * np.pi * np.round(off[:, :3] / (2 * np.pi))
            np.testing.assert_array_equal(has, np.abs(off).max(axis=1) < 1e-9)
        count += len(own)
    return count


@pytest.mark.slow
@each("maker", MAKERS)
def test_flips_of_the_wrist_and_whole_turns_differ(maker):
    """(q4 + 180°, -q5, q6 + 180°) is the same pose, and so are whole turns of joints 1, 4 and 6."""
    turns = (0, 1) if maker in ("kuka", "abb", "fanuc", "mitsubishi") else (0,)  # others have none, or no direction
    first = (0,) if maker == "fanuc" else turns  # it counts none of J1
    for q in np.radians(
        [[-40, -80, 90, -170, 50, -40], [-179, -20, 40, -35, -70, -300], [-178, -150, 30, -10, 80, -1]]
    ):
        flipped = np.array([*q[:3], q[3] + np.pi, -q[4], q[5] + np.pi])
        flipped[[3, 5]] = flipped[[3, 5]] % (2 * np.pi) - 2 * np.pi
        twins = [
            one + 2 * np.pi * np.array([a, 0, 0, b, 0, c])
            for one in (q, flipped)
            for a in first
            for b in turns
            for c in turns
        ]
        T = kt.fk(ARM, "tip").interpret(np.array(twins))
        assert np.abs(T - T[0]).max() < 1e-12
        texts = kt.controllers.configuration(ARM, maker, twins, **ENDS)
        assert len(set(texts)) == len(twins)
        for i, text in enumerate(texts):
            assert np.flatnonzero(kt.controllers.has_configuration(ARM, maker, twins, text, **ENDS)).tolist() == [i]


@pytest.mark.slow
@each("maker", MAKERS)
@each("signs, offset", [((1,) * 6, 0.0), ((-1, 1, 1, -1, 1, -1), 0.1), ((1, 1, -1, -1, -1, -1), -0.05)])
@pytest.mark.nightly
def test_each_solution_has_a_configuration_of_its_own(signs, offset, maker):
    robot = arm(signs, offset, 175 if maker == "fanuc" else 185)  # FANUC counts no turns of J1
    q = robot.limits.sample(10, seed=5)
    turns = maker in ("kuka", "abb", "fanuc", "mitsubishi")
    assert check_each_picks_itself(robot, maker, q, "base_link", "tip", turns) >= 40


CORPUS = {
    "kuka": ("ros-industrial+kuka_experimental/kuka_kr16_support/urdf/kr16_2.xacro",),
    "abb": (
        "ros-industrial+abb_experimental/abb_irb1200_support/urdf/irb1200_5_90.xacro",
        "ros-industrial+abb/abb_irb2400_support/urdf/irb2400.xacro",
    ),
    "fanuc": (
        "ros-industrial+fanuc/fanuc_m10ia_support/urdf/m10ia.xacro",
        "ros-industrial+fanuc/fanuc_lrmate200id_support/urdf/lrmate200id.xacro",
    ),
    "yaskawa": ("ros-industrial+motoman/motoman_gp12_support/urdf/gp12.xacro",),
    "staubli": ("ros-industrial+staubli/staubli_rx160_support/urdf/rx160.xacro",),
    "mitsubishi": ("Mitsubishi-Electric-Asia+melfa_ros2_driver/melfa_description/urdf/rv2fr/rv2fr.urdf",),
}


@pytest.mark.slow
@each("maker, name", [(maker, name) for maker, names in CORPUS.items() for name in names])
def test_arms_of_the_makers(maker, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = kt.load(shared("corpus", name))
    base = "base" if "base" in robot.frames else robot.root
    tool0 = "tool0" if "tool0" in robot.frames else list(robot.frames)[-1]
    q = robot.limits.sample(100, seed=1)
    turns = maker not in ("staubli", "yaskawa")
    assert check_each_picks_itself(robot, maker, q, base, tool0, turns) > 200


def test_the_wrist_center_is_where_fk_has_it():
    """Signs of shoulder and elbow against poses of links, of an arm with an offset of the wrist."""
    robot = arm((-1, 1, -1, -1, 1, -1), offset=0.15)
    wrist, elbow = (kt.fk(robot, frame, "base_link") for frame in ("q5_link", "q3_link"))
    for q in robot.limits.sample(40, seed=8):
        turned = q.copy()
        turned[0] = 0.0
        p, e = wrist.interpret(turned)[:3, 3], elbow.interpret(turned)[:3, 3]
        shoulder = np.array([0.1, 0, 0.4])
        status = int(kt.controllers.configuration(robot, "kuka", q, **ENDS).split()[1].rstrip(","))
        assert status & 1 == (p[0] < 0)
        side = np.cross(e - shoulder, p - e)[1]
        assert status >> 1 & 1 == (side >= 0)


def test_near_a_change_both_count():
    for text, side in (("S 2, T 34", 1), ("S 2, T 35", -1)):  # A1 is 0 or more, or below
        for offset, has in ((0.02, True), (0.005, True), (-0.005, True), (-0.02, False)):
            q = np.radians([side * offset, -80, 90, 20, 30, -40])
            assert kt.controllers.has_configuration(ARM, "kuka", q, text, **ENDS) == has
            assert kt.controllers.has_configuration(ARM, "kuka", q, text, within=0, **ENDS) == (offset > 0)
            assert kt.controllers.has_configuration(ARM, "kuka", q, text, within=0.03, **ENDS)


def test_batches_and_nan():
    q = ARM.limits.sample(6, seed=2).reshape(2, 3, 6)
    texts = kt.controllers.configuration(ARM, "kuka", q, **ENDS)
    assert texts.shape == (2, 3)
    assert texts[1, 2] == kt.controllers.configuration(ARM, "kuka", q[1, 2], **ENDS)
    q[0, 1, 3] = np.nan
    mask = kt.controllers.has_configuration(ARM, "kuka", q, texts[0, 1], **ENDS)
    assert mask.shape == (2, 3)
    assert not mask[0, 1]
    zero = kt.controllers.configuration(ARM, "kuka", np.zeros(6), **ENDS)
    assert kt.controllers.has_configuration(ARM, "kuka", np.zeros(6), zero, **ENDS) is True
    assert kt.controllers.has_configuration(ARM, "kuka", np.full(6, np.nan), zero, **ENDS) is False
    with pytest.raises(KinetreeError, match="q is not finite"):
        kt.controllers.configuration(ARM, "kuka", q, **ENDS)


def test_what_it_refuses():
    q = np.zeros(6)
    for maker in set(kt.controllers) - set(MAKERS):
        form = kt.controllers[maker].configuration
        assert len(form.missing) > 20
        with pytest.raises(KinetreeError, match=f"configurations of {kt.controllers[maker].name} are not known here"):
            kt.controllers.configuration(ARM, maker, q, **ENDS)
    with pytest.raises(KinetreeError, match="'S two' is no configuration; expected S <S>, T <T>"):
        kt.controllers.has_configuration(ARM, "kuka", q, "S two", **ENDS)
    for text, beside in (
        ("S 6, T -1", "T-1"),
        ("S 6, T 18.7", ".7"),
        ("S 6.9", ".9"),
        ("S 6, S 2", "S2"),
        ("x S 6 y", "xy"),
    ):
        with pytest.raises(KinetreeError, match=f"is no configuration, for '{beside}' beside 'S 6"):
            kt.controllers.has_configuration(ARM, "kuka", q, text, **ENDS)
    with pytest.raises(KinetreeError, match="is no configuration, for '0' beside"):
        kt.controllers.has_configuration(ARM, "fanuc", q, "N U T, 0", **ENDS)
    with pytest.raises(KinetreeError, match="64 is no part of a configuration; expected at most 6 bits"):
        kt.controllers.has_configuration(ARM, "kuka", q, "S 64", **ENDS)
    assert kt.controllers.has_configuration(ARM, "kuka", q, " {S 2, T 0}; ", **ENDS) in (True, False)
    for within in (-1.0, np.nan, np.inf):
        with pytest.raises(KinetreeError, match="expected an angle from 0, deg"):
            kt.controllers.has_configuration(ARM, "kuka", q, "S 2", within=within, **ENDS)
    with pytest.raises(KinetreeError, match="3 is no configuration"):
        kt.controllers.has_configuration(ARM, "kuka", q, 3, **ENDS)
    parallel = kt.chain(
        "Rz(q1) tz(0.4) Ry(q2) tx(0.5) Ry(q3) tx(0.4) Ry(q4) ty(0.1) Rz(q5) tx(0.1) Rx(q6)", name="kr10"
    )
    with pytest.raises(KinetreeError, match="axes 4 to 6 meet in a point"):
        kt.controllers.configuration(parallel, "kuka", q, **ENDS)
    lying = kt.chain("Rx(q1) tx(0.4) Ry(q2) tz(0.5) Ry(q3) tz(0.4) Rz(q4) Ry(q5) Rz(q6)", name="kr10")
    with pytest.raises(KinetreeError, match="joint 1 does not turn about z of 'base_link'"):
        kt.controllers.configuration(lying, "kuka", q, **ENDS)
    with pytest.raises(KinetreeError, match="measures nothing"):
        configuration_of({"parts": {"a": {"number": "J1 sideways"}}})


def test_warnings():
    with pytest.warns(UnverifiedWarning, match="two post-processors"):
        said("staubli", FRONT)
    backwards = arm((1, -1, 1, 1, 1, 1))
    with pytest.warns(UnverifiedWarning, match="joint 2"):
        kt.controllers.configuration(backwards, "kuka", np.zeros(6), **ENDS)


def test_every_maker_says_where_from():
    for maker in kt.controllers:
        form = kt.controllers[maker].configuration
        assert isinstance(form, Configuration)
        assert bool(form.missing) == (maker not in MAKERS)
        assert bool(form.sources) == bool(form.text) == (maker in MAKERS)
        assert all(f"<{name}>" in form.text for name in form.parts)
