"""Which pairs are left out, and what is refused: palms without shapes, lifts, floating robots, MJCF."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact import ways
from kinetree.contact.make import coarse
from kinetree.contact.pairs import without_srdf
from kinetree.contact.ways import corners
from kinetree.model.assemble import Parts, build
from kinetree.model.robot import Geometry, Joint, Link, Shape

BOX = (
    "<link name='{0}'><collision><origin xyz='0 0 .25'/><geometry><box size='.1 .1 .5'/></geometry></collision></link>"
)
JOINT = (
    "<joint name='j{1}' type='{3}'><parent link='{0}'/><child link='{1}'/><origin xyz='{2}'/><axis xyz='1 0 0'/>"
    "<limit lower='-1.5' upper='1.5' effort='1' velocity='1'/></joint>"
)
FINGERS = (
    "<robot name='hand'>{palm}" + "".join(map(BOX.format, "lr")) + "{l}{r}</robot>"
).format  # of a palm that may have a shape


def mjcf(bodies, more=""):
    return kt.load(f"<mujoco><worldbody>{bodies}</worldbody>{more}</mujoco>", format="mjcf")


def reasons(contact):
    return {(one.link1, one.link2): one.reason for one in contact.left_out}


def hand(palm="<link name='palm'/>", apart=0.3):
    sides = (("l", 1), ("r", -1))
    left, right = (JOINT.format("palm", name, f"0 {side * apart} 0", "revolute") for name, side in sides)
    return kt.load(FINGERS(palm=palm, l=left, r=right), format="urdf")


@pytest.mark.slow
def test_fingers_on_a_palm_without_shape_are_tested_if_they_stand_apart():
    contact = kt.collisions(hand())
    assert contact.pairs == (("l", "r"),)
    assert contact([[1.5, -1.5], [0.0, 0.0]]).tolist() == [True, False]
    with pytest.raises(kt.KinetreeError, match="no two links are left to be tested; pairs that are left out: 1 neighb"):
        kt.collisions(hand(apart=0.05))


@pytest.mark.slow
def test_links_whose_shapes_are_left_out_still_stand_between_others():
    missing = "<link name='palm'><collision><geometry><mesh filename='no.stl'/></geometry></collision></link>"
    contact = kt.collisions(hand(missing, apart=0.06), without=("palm",))
    assert contact.pairs == (("l", "r"),)


@pytest.mark.slow
def test_a_lift_is_tested_against_the_floor():
    body = "<body name='b' pos='0 0 1'><joint name='z' type='slide' axis='0 0 1' range='-1 1'/>{}</body>"
    ball = "<geom type='sphere' size='.1'/>"
    contact = kt.collisions(mjcf("<geom type='plane' size='1 1 1'/>" + body.format(ball)))
    assert contact([[0.0], [-0.95]]).tolist() == [False, True]
    with pytest.raises(kt.KinetreeError, match="1 neighbours"):
        kt.collisions(mjcf("<geom type='plane' size='1 1 1' pos='0 0 .89'/>" + body.format(ball)))


CRANE = """<body name='base'>{}<geom type='box' size='.6 1.5 .05' pos='.4 0 0'/>
<body name='mid'><joint name='j1' {}/><geom type='sphere' size='.01' pos='0 0 1'/>
<body name='tip'><joint name='j2' axis='0 0 1' range='-.1 .1' limited='true'/>
<geom type='sphere' size='.05' pos='.5 0 0'/></body></body></body>"""


@pytest.mark.slow
@each("base", ["", "<freejoint/>"])
@each("joint", ["axis='0 0 1'", "type='slide' axis='0 1 0'"])
@pytest.mark.nightly
def test_what_a_joint_without_ends_moves_away_does_not_always_touch(base, joint):
    robot = mjcf(CRANE.format(base, joint))
    contact = kt.collisions(robot)
    assert ("base", "tip") in contact.pairs
    far = robot.q({"j1": 3.14 if joint[0] == "a" else 5.0})
    assert contact.where(np.stack([robot.q(), far]))[:, contact.pairs.index(("base", "tip"))].tolist() == [True, False]


def test_bodies_that_an_mjcf_excludes_are_left_out_and_listed():
    ball = "<body name='{}'><freejoint/><geom type='sphere' size='.1'/></body>"
    three = "".join(map(ball.format, ("a", "b&amp;", "c")))
    contact = kt.collisions(mjcf(three, """<contact><exclude name="x" body2='a' body1="b&amp;"/></contact>"""))
    assert contact.pairs == (("a", "c"), ("b&", "c"))
    assert reasons(contact) == {("a", "b&"): "MJCF: exclude"}
    both = kt.collisions(contact.robot, [("a", "b&")])
    assert both.pairs == (("a", "b&"),)  # named


@pytest.mark.slow
def test_planes_alone_have_no_distance_and_cannot_be_decided():
    slides = "<joint type='slide' axis='0 0 1' range='-1 1'/>"
    robot = mjcf(
        f"<geom type='plane' size='0 0 1'/><body name='b' pos='0 0 1'>{slides}<geom type='plane' size='0 0 1'/></body>"
    )
    contact = kt.collisions(robot, [("world", "b")])
    assert contact.notes[-1] == "planes without ends of links 'world' and 'b' are not tested against each other"
    assert kt.clearance(robot, [("world", "b")])([0.0]) == np.inf
    assert not contact([0.0])


@pytest.mark.slow
def test_an_empty_batch_has_empty_answers():
    contact = kt.collisions(hand())
    none = np.zeros((0, 2))
    assert contact(none).shape == contact.distance(none).shape == (0,)
    assert contact.where(none).shape == (0, 1)
    assert contact.witness(none).points.shape == (0, 2, 3)
    assert contact.sample(0).shape == (0, 2)


@each(
    "call, message",
    [
        (lambda c: c.sample(2.5), "n is 2.5; expected a whole number from 0"),
        (lambda c: c.sample(-1), "n is -1; expected"),
        (lambda c: c.sample(True), "n is True; expected"),
        (lambda c: c.sample(3, seed="x"), "seed is 'x'; expected"),
        (lambda c: kt.collisions(c.robot, margin=True), "margin is True; expected a distance"),
    ],
)
def test_what_is_no_number_is_refused(call, message):
    with pytest.raises(kt.KinetreeError, match=message):
        call(kt.collisions(hand()))


def test_names_of_pairs_are_plain_texts():
    assert [type(name) for name in kt.collisions(hand(), np.array([["l", "r"]])).pairs[0]] == [str, str]


@pytest.mark.slow
def test_poses_of_links_that_move_are_poses():
    contact = kt.collisions(hand(), moving=("r", "r"))
    assert contact.moving == ("r",)
    T = np.eye(4)[None]
    with pytest.raises(kt.KinetreeError, match="rotation"):
        contact([0.0, 0.0], T * [3, 3, 3, 1])
    assert contact(np.zeros((2, 2)), np.stack([T, T * np.nan])).tolist()[1]  # not a number counts as in contact


@pytest.mark.slow
def test_threads_do_not_meet(tmp_path):
    """Meshes are decided by objects that have places, and that cannot be pickled."""
    cube = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    (tmp_path / "c.obj").write_text("\n".join([f"v {x} {y} {z}" for x, y, z in cube] + [f"f {f}" for f in faces]))
    mesh = f"<link name='{{}}'><collision><geometry><mesh filename='{tmp_path}/c.obj'/></geometry></collision></link>"
    joint = JOINT.format("palm", "l", "0 0.3 0", "revolute") + JOINT.format("palm", "r", "0 -0.3 0", "prismatic")
    robot = kt.load(
        f"<robot name='h'><link name='palm'/>{mesh.format('l')}{mesh.format('r')}{joint}</robot>", format="urdf"
    )
    contact = kt.collisions(robot)
    q = robot.limits.sample(150, seed=1) * [1, 0.2]
    alone, before = contact.distance(q), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(contact.distance, [q] * 4))
    finally:
        sys.setswitchinterval(before)
    for found in [*together, pickle.loads(pickle.dumps(contact)).distance(q)]:
        np.testing.assert_allclose(found, alone, atol=1e-9)


@pytest.mark.slow
def test_what_leaves_contact_only_at_the_end_of_a_joint_is_tested():
    """c slides off a in the last 5 millionths of its way; b and d stay inside of a."""
    ball = "<link name='{}'><collision><geometry><sphere radius='{}'/></geometry></collision></link>"
    links = "".join(ball.format(*own) for own in (("a", 0.5), ("b", 0.1), ("d", 0.1), ("c", 0.499995)))
    ends = "<joint name='{1}' type='{2}'><parent link='{0}'/><child link='{1}'/><axis xyz='{3}'/>{4}</joint>"
    limit = "<limit lower='{}' upper='1' effort='1' velocity='1'/>"
    joints = [ends.format("a", "b", "revolute", "0 0 1", limit.format(-1))]
    joints += [ends.format("b", "d", "revolute", "0 0 1", limit.format(-1))]
    joints += [ends.format("b", "c", "prismatic", "1 0 0", limit.format(0))]
    robot = kt.load(f"<robot name='r'>{links}{''.join(joints)}</robot>", format="urdf")
    for contact in (kt.collisions(robot), coarse(robot)):
        assert ("a", "c") in contact.pairs
        assert ("a", "d", "always in contact") in contact.left_out


BALL = "<link name='{}'><collision><origin xyz='{} 0 0'/><geometry><sphere radius='.1'/></geometry></collision></link>"
IN_NEUTRAL = "SRDF: Default, in contact in the neutral configuration"


def sliding(srdf, end=1.5, **places):
    """Balls on slides of a base that stands far off."""
    text = "".join(BALL.format(*one) for one in {"base": 9, **places}.items())
    text += "".join(JOINT.format("base", name, "0 0 0", "prismatic") for name in places).replace("1.5", f"{end}")
    return kt.load(f"<robot name='r'>{text}</robot>", format="urdf", srdf=f"<robot name='r'>{srdf}</robot>")


@each(
    "reason, enabled, always, touching, expected",
    [
        (None, False, False, True, None),
        ("Never", False, False, True, None),
        ("", False, False, True, None),
        ("Default", False, False, True, IN_NEUTRAL),
        ("DEFAULT", False, False, True, IN_NEUTRAL),
        ("Default", False, False, False, None),
        ("Default", True, False, True, None),
        ("User", False, False, False, "SRDF: User"),
        ("user", False, False, True, "SRDF: User"),
        ("User", True, False, False, None),
        ("Adjacent", False, False, True, None),  # said of links that a joint moves
        (None, False, True, True, "always in contact"),
        ("User", False, True, True, "always in contact"),
        ("User", True, True, True, None),
    ],
)
def test_what_an_srdf_leaves_out(reason, enabled, always, touching, expected):
    srdf = f"<disable_collisions link1='b' link2='a' reason='{reason}'/>" * (reason is not None)
    robot = sliding(srdf + "<enable_collisions link1='a' link2='b'/>" * enabled, a=0, b=1)
    pairs = [("a", "b")]
    found = without_srdf(robot, pairs, pairs * always, pairs * touching)
    assert found == ((pairs, []) if expected is None else ([], [("a", "b", expected)]))


@pytest.mark.slow
def test_default_is_said_of_links_in_contact_in_the_neutral_configuration():
    said = "<disable_collisions link1='a' link2='{}' reason='Default'/>".format
    found = kt.collisions(sliding(said("b") + said("c"), a=0, b=0.15, c=-0.3))
    assert reasons(found)["a", "b"] == IN_NEUTRAL
    assert ("a", "c") in found.pairs


@pytest.mark.slow
def test_links_in_contact_in_the_neutral_configuration_alone_are_tested():
    robot = sliding("", end=0.2, a=0, b=0.15)  # and never a metre apart
    assert ("a", "b") in kt.collisions(robot).pairs


@pytest.mark.slow
def test_links_that_always_touch_are_left_out():
    text = "".join(BALL.format(name, 0) for name in "abc")
    text += "".join(JOINT.format(*ends, "0 0 .01", "revolute") for ends in ("ab", "bc"))
    with pytest.raises(kt.KinetreeError, match="left out: 2 neighbours, 1 always in contact"):
        kt.collisions(kt.load(f"<robot name='r'>{text}</robot>", format="urdf"))


def test_configurations_at_the_corners_of_the_ranges_between_two_links(monkeypatch):
    """Of joints with ends, all combinations; of too many, the neutral one alone."""
    ends = [{"a": 0.1, "qlim": [-1, 2]}, {"a": 0.1}, {"a": 0.1, "qlim": [-3, 1]}, {"a": 0.1, "qlim": [-1, 1]}]
    robot = kt.chain(ends, convention="dh")
    names = list(robot.links)
    found = corners(robot, names[0], names[3])
    assert sorted(found.tolist()) == [[low, 0.0, high, 0.0] for low in (-1, 2) for high in (-3, 1)]
    assert corners(robot, names[1], names[2]).tolist() == [[0.0] * 4]
    monkeypatch.setattr(ways, "MOST_CORNERS", 2)
    assert corners(robot, names[0], names[3]).shape == (4, 4)
    assert corners(robot, names[0], names[4]).tolist() == [[0.0] * 4]


def test_shapes_of_unknown_kinds_are_refused():
    box, ball = (Geometry(Shape(kind, sizes), np.eye(4)) for kind, sizes in (("blob", {}), ("sphere", {"radius": 0.1})))
    joint = Joint("j", "revolute", "a", "b", np.eye(4), np.array([[0.0, 0.0, 1.0]]), np.eye(4))
    robot = build(Parts("odd", [Link("a", collisions=(box,)), Link("b", collisions=(ball,))], [joint]))
    with pytest.raises(kt.KinetreeError, match="a shape of kind 'blob' has no known extent") as caught:
        kt.collisions(robot, [("a", "b")])
    assert caught.value.findings[0].code == "contact-shape"
