"""Contact, distances and bounds of links whose distances are known, and what is left out. Lengths are in dm: covers of
small shapes take little time."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact import collisions

LIMIT = "<limit lower='-3' upper='3' effort='1' velocity='1'/>"


def scaled(text):
    """Numbers in dm as numbers in m; the name of a file as it is."""
    return text if str(text).endswith(".stl") else " ".join(str(float(x) / 10) for x in str(text).split())


def shape(kind, at=(0, 0, 0), rpy=(0, 0, 0), **sizes):
    """A collision shape of URDF."""
    given = " ".join(f"{key}='{scaled(value)}'" for key, value in sizes.items())
    pose = f"<origin xyz='{scaled(' '.join(map(str, at)))}' rpy='{rpy[0]} {rpy[1]} {rpy[2]}'/>"
    return f"<collision>{pose}<geometry><{kind} {given}/></geometry></collision>"


NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"
BALL = shape("sphere", radius=0.1)


def free(*shapes):
    """A robot of links, each with a shape, that slide along x, y and z, and turn about z, from the world."""
    links, joints = ["<link name='world'/>"], []
    for i, own in enumerate(shapes):
        parent = "world"
        for kind, axis in (
            ("prismatic", "1 0 0"),
            ("prismatic", "0 1 0"),
            ("prismatic", "0 0 1"),
            ("revolute", "0 0 1"),
        ):
            name = f"{NAMES[i]}{len(joints) % 4}" if len(joints) % 4 < 3 else NAMES[i]
            links.append(f"<link name='{name}'>{own if len(name) == 1 else ''}</link>")
            ends = f"<parent link='{parent}'/><child link='{name}'/><axis xyz='{axis}'/>"
            joints.append(f"<joint name='j{name}' type='{kind}'>{ends}{LIMIT}</joint>")
            parent = name
    return kt.load(f"<robot name='free'>{''.join(links + joints)}</robot>", format="urdf")


def between(one, other, *args, **options):
    """Contact of two links that move freely: the robot's, which has them as its only pair."""
    return kt.collisions(free(one, other), [("a", "b")], *args, **options)


def at(x=0.0, y=0.0, z=0.0, turn=0.0):
    """q of `free` with the second link there."""
    return [0, 0, 0, 0, x / 10, y / 10, z / 10, turn]


KNOWN = {  # both shapes, where the second is, and their distance
    "spheres": (BALL, shape("sphere", radius=0.2), at(1.0), 0.7),
    "boxes, faces": (shape("box", size="0.2 0.4 0.6"), shape("box", size="0.2 0.2 0.2"), at(0.5, 0.1), 0.3),
    "boxes, edges": (shape("box", size="1 1 1"), shape("box", size="1 1 1"), at(1.3, 1.4), 0.5),
    "boxes, corner": (shape("box", size="1 1 1"), shape("box", size="1 1 1"), at(1.1, 1.2, 1.2), 0.3),
    "a turned box": (shape("box", size="1 1 1"), shape("box", size="1 1 1"), at(2, turn=np.pi / 4), 1.5 - np.sqrt(0.5)),
    "cylinder and sphere": (shape("cylinder", radius=0.3, length=1), BALL, at(0.7, 0, 0.2), 0.3),
    "cylinder's end": (shape("cylinder", radius=0.3, length=1), BALL, at(0.1, 0, 0.9), 0.3),
    "capsules that cross": (
        shape("capsule", radius=0.1, length=1),
        shape("capsule", rpy=(np.pi / 2, 0, 0), radius=0.2, length=1),
        at(1.0),
        0.7,
    ),
    "capsules in a row": (
        shape("capsule", radius=0.1, length=1),
        shape("capsule", radius=0.1, length=1),
        at(0, 0, 2.0),
        0.8,
    ),
    "a shape away from its link": (shape("sphere", at=(0.5, 0, 0), radius=0.1), BALL, at(1.0), 0.3),
    "sphere inside box": (shape("box", size="1 1 1"), BALL, at(0.1), 0.0),
    "box in the same place": (shape("box", size="1 1 1"), shape("box", size="1 1 1"), at(), 0.0),
    "needles": (shape("box", size="1 1e-6 1e-6"), shape("box", size="1e-6 1 1e-6"), at(0, 0, 0.2), 0.2 - 1e-6),
    "large": (shape("sphere", radius=50), shape("box", size="100 1 1"), at(2.5, 2.5, 2.0), 0.0),
}


@pytest.fixture(scope="module")
def all_known():
    """A robot with the links of all known distances, two for each."""
    return free(*(one for case in KNOWN.values() for one in case[:2]))


@pytest.mark.slow
@each("case", list(KNOWN))
@pytest.mark.nightly
def test_known_distances(all_known, case):
    _, _, place, distance = KNOWN[case]
    distance /= 10
    names = [name for name in all_known.links if len(name) == 1]
    i = 2 * list(KNOWN).index(case)
    q = np.zeros(all_known.nq)
    q[4 * i : 4 * i + 8] = place
    contact = kt.collisions(all_known, [tuple(names[i : i + 2])])
    assert contact.distance(q) == pytest.approx(distance, abs=2e-8)
    assert contact(q) == contact.where(q)[0] == (distance == 0)
    lower, upper = contact.bounds(q)
    assert lower <= distance + 1e-12
    assert upper >= distance - 2e-8
    assert kt.clearance(all_known, contact.pairs)(q) <= distance
    found = contact.witness(q)
    if distance:
        assert np.linalg.norm(found.points[0] - found.points[1]) == pytest.approx(distance, abs=2e-8)
    else:
        assert np.isnan(found.points).all()


@pytest.mark.slow
def test_a_capsule_in_parts_is_one():
    parts = shape("cylinder", rpy=(1, 0, 0), radius=1, length=4)
    s, c = 2 * np.sin(1), 2 * np.cos(1)
    parts += shape("sphere", at=(0, -s, c), radius=1) + shape("sphere", at=(0, s, -c), radius=1)
    ball = shape("sphere", radius=0.5)
    one, two = between(parts, ball), between(shape("capsule", rpy=(1, 0, 0), radius=1, length=4), ball)
    q = one.robot.limits.sample(200, seed=1) * 0.15
    assert np.abs(one.distance(q) - two.distance(q)).max() < 2e-8
    assert (one(q) == two(q)).all()
    assert 0 < one(q).mean() < 1


@pytest.mark.slow
def test_touching_from_both_sides():
    contact = between(shape("box", size="1 1 1"), BALL)
    assert contact([at(0.6 + d) for d in (-1e-4, -2e-5, 2e-5, 1e-4)]).tolist() == [True, True, False, False]


@pytest.mark.slow
def test_turns_and_shifts_of_the_root_do_not_matter():
    rng = np.random.default_rng(3)
    contact = between(shape("box", size="0.3 0.2 0.1"), shape("cylinder", radius=0.1, length=0.3))
    apart = rng.uniform(-0.06, 0.06, (40, 4)) * [1, 1, 1, 50]
    still = np.column_stack([np.zeros((40, 4)), apart])
    turn, shift = rng.uniform(-3, 3, 40), rng.uniform(-1, 1, (40, 3))
    c, s = np.cos(turn), np.sin(turn)
    x, y = c * apart[:, 0] - s * apart[:, 1], s * apart[:, 0] + c * apart[:, 1]
    moved = np.column_stack([shift, turn, np.array([x, y, apart[:, 2]]).T + shift, apart[:, 3] + turn])
    assert np.abs(contact.distance(still) - contact.distance(moved)).max() < 2e-8
    assert (contact(still) == contact(moved)).all()
    assert 0 < contact(still).mean() < 1


def test_answers_agree_with_each_other():
    shapes = [shape("box", size="0.3 0.2 0.4"), BALL, shape("capsule", radius=0.1, length=0.4)]
    contact = kt.collisions(free(*shapes))
    assert contact.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    q = contact.robot.limits.sample(500, seed=1) * 0.02
    where, found = contact.where(q), contact.witness(q)
    assert (where.any(axis=1) == contact(q)).all()
    assert (contact(q) == (found.distance == 0)).all()
    assert where.any(axis=0).all()
    assert not contact(q).all()
    assert where[contact(q), found.pair[contact(q)]].all()  # the pair that is named is in contact
    alone = [kt.collisions(contact.robot, [pair]) for pair in contact.pairs]
    each_distance = np.array([one.distance(q) for one in alone])
    assert np.abs(each_distance.min(axis=0) - found.distance).max() < 2e-8
    lower, upper = contact.bounds(q)
    assert (lower <= found.distance + 1e-9).all()
    assert (found.distance <= upper + 1e-9).all()
    each_bound = kt.clearance(contact.robot, each=True)(q)
    assert (each_bound <= each_distance.T + 1e-9).all()
    np.testing.assert_allclose(each_bound.min(axis=1), kt.clearance(contact.robot)(q), atol=1e-12)
    assert contact(q.reshape(20, 25, -1)).shape == (20, 25)
    assert contact.where(q[0]).shape == (3,)
    assert contact.witness(q.reshape(20, 25, -1)).points.shape == (20, 25, 2, 3)


@pytest.mark.slow
@each(
    "other, x, far",
    [
        (shape("cylinder", radius=0.1, length=0.3), 0.5, np.hypot(0.05, 0.02) - 0.02),
        (shape("box", size="3 1 1"), 2.0, 0.04),  # so large that it is compared as a box
    ],
)
def test_the_gradient_is_that_of_the_bound(other, x, far):
    robot = free(other, BALL)
    clearance, q = kt.clearance(robot), np.array(at(x, 0.2, 0.1, 0.3))
    assert 0.0 <= far - clearance(q) < 0.02
    steps = 1e-6 * np.eye(8)
    numeric = (clearance(q + steps) - clearance(q - steps)) / 2e-6
    np.testing.assert_allclose(kt.vjp(clearance)(q, 1.0), numeric, atol=1e-7)
    np.testing.assert_allclose(clearance.interpret(q), clearance(q), atol=1e-12)


@pytest.mark.slow
def test_margin():
    contact = between(BALL, BALL, margin=0.005)
    assert contact([at(0.2499), at(0.2501)]).tolist() == [True, False]
    assert contact.margin == 0.005
    assert contact.distance(at(0.24)) == pytest.approx(0.004, abs=1e-9)


@pytest.mark.slow
def test_a_bad_configuration_fails_alone():
    contact = between(BALL, BALL)
    q = np.array([at(1.0), at(np.nan), at(1.0), at(np.inf), at(0.1)])
    with np.errstate(invalid="ignore"):
        assert contact(q).tolist() == [False, True, False, True, True]
        assert np.isnan(contact.distance(q)).tolist() == [False, True, False, True, False]
        assert np.isnan(kt.clearance(contact.robot)(q)).tolist() == [False, True, False, True, False]


@pytest.mark.slow
def test_shapes_of_one_size_in_other_places_have_kernels_of_their_own():
    """Robots that differ only in where their shapes are do not share code in the cache."""
    contacts = [between(BALL, shape("sphere", at=(0, y, 0), radius=0.1)) for y in (0.0, 0.7)]
    assert [contact(at(0.0, -0.7)) for contact in contacts] == [False, True]
    clearances = [kt.clearance(contact.robot)(at(0.0)) for contact in contacts]
    assert clearances == pytest.approx([-0.02, 0.05], abs=1e-8)
    boxes = [between(BALL, shape("box", at=(0, y, 0), size="3 3 3")) for y in (0.0, 0.7)]
    assert [contact(at(0.0, -2.2)) for contact in boxes] == [False, True]


@pytest.mark.slow
def test_moving_links_have_poses_of_their_own():
    robot = free(BALL, shape("box", size="0.2 0.2 0.2"))
    contact = kt.collisions(robot, moving=("b",))
    T = np.tile(np.eye(4), (3, 1, 1, 1))
    T[:, 0, 0, 3] = 0.01, 0.05, 0.015
    q = np.zeros(8)
    assert contact.moving == ("b",)
    assert contact(q, T).tolist() == [True, False, True]
    assert contact.distance(q, T[1]) == pytest.approx(0.03, abs=1e-9)
    with pytest.raises(kt.KinetreeError, match="poses of b are missing"):
        contact(q)
    with pytest.raises(kt.KinetreeError, match="no links were named as moving"):
        kt.collisions(robot)(q, T)


def test_all_links_may_move_by_themselves():
    contact = kt.collisions(free(BALL, BALL), [("a", "b")], moving=("a", "b"))
    T = np.tile(np.eye(4), (2, 2, 1, 1))
    T[:, :, 0, 3] = [[0.5, 0.515], [0.5, 0.53]]
    assert contact(np.zeros(8), T).tolist() == [True, False]
    assert contact.distance(np.zeros(8), T) == pytest.approx([0.0, 0.01], abs=1e-9)
    with pytest.raises(kt.KinetreeError, match="the poses of a, b are missing; expected a second argument"):
        contact(np.zeros(8))
    with pytest.raises(kt.KinetreeError, match=r"moving has the shape \(1, 4, 4\); expected \(…, 2, 4, 4\)"):
        contact(np.zeros(8), T[0, :1])
    with pytest.raises(kt.KinetreeError, match=r"the batches of q and moving are \(3,\) and \(2,\), which do not go"):
        contact(np.zeros((3, 8)), T)
    with pytest.raises(kt.KinetreeError, match="no links were named as moving; expected q alone"):
        kt.collisions(contact.robot, [("a", "b")])(np.zeros(8), T)
    turned = T[0] * np.array([1, 1, 1, 1 + 1e-12])[:, None]
    assert contact(np.zeros(8), turned)
    assert contact(np.zeros(8), T[1] * np.nan)  # what is no number counts as in contact


def test_samples_that_are_hardly_ever_apart_are_given_up(monkeypatch):
    monkeypatch.setattr(collisions, "MOST_DRAWN", 10)
    contact = between(shape("sphere", radius=200), BALL)
    for n, drawn in ((1, 100), (100, 1000)):
        with pytest.raises(kt.KinetreeError, match=f"of {drawn} configurations 0 were apart; {n} were asked for"):
            contact.sample(n)
    assert contact.sample(0).shape == (0, 8)


CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
FACES = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]


@pytest.mark.slow
@each("kind, sizes", [("sphere", {"radius": 1}), ("capsule", {"radius": 1, "length": 4})])
def test_balls_and_capsules_are_round_against_meshes_too(kind, sizes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"v {x / 10} {y / 10} {z / 10}" for x, y, z in CUBE] + [f"f {face}" for face in FACES]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    cube = f"<collision><geometry><mesh filename='{tmp_path / 'cube.obj'}'/></geometry></collision>"
    contact = between(cube, shape(kind, **sizes))
    q = [at(2 + d, 0.1, 0.2, turn) for d in (1e-3, -1e-3, -1.5) for turn in (0.0, 0.1, 1.0)]
    assert contact.distance(q) == pytest.approx([1e-4] * 3 + [0.0] * 6, abs=1e-8)
    assert contact(q).tolist() == [False] * 3 + [True] * 6
    points = contact.witness(q[0]).points
    assert points[:, 0] == pytest.approx([0.1, 0.1001], abs=1e-8)


@pytest.mark.slow
def test_samples_are_apart_inside_of_the_limits_and_the_same_again():
    contact = between(shape("sphere", radius=10), shape("sphere", radius=15))
    q = contact.sample(50, seed=4)
    assert q.shape == (50, 8)
    assert not contact(q).any()
    assert np.abs(q).max() <= 3
    np.testing.assert_array_equal(q, contact.sample(50, seed=4))
    assert (q != contact.sample(50, seed=5)).any()
    with pytest.raises(kt.KinetreeError, match=r"of \d+ configurations 0 were apart"):
        between(shape("sphere", radius=200), BALL).sample(1)


def arm(*shapes, joint="revolute", semantic=""):
    """A chain of links 0.3 m apart, each with a shape or "", whose joints turn about z."""
    links = "".join(f"<link name='{NAMES[i]}'>{own}</link>" for i, own in enumerate(shapes))
    joints = [
        f"<joint name='{b}' type='{joint}'><parent link='{a}'/><child link='{b}'/><origin xyz='0.03 0 0'/>"
        f"<axis xyz='0 0 1'/>{LIMIT}</joint>"
        for a, b in zip("abcde", "bcdef"[: len(shapes) - 1], strict=False)
    ]
    return kt.load(f"<robot name='arm'>{links}{''.join(joints)}</robot>", format="urdf")


def reasons(contact):
    return {(one.link1, one.link2): one.reason for one in contact.left_out}


@pytest.mark.slow
def test_neighbours_are_left_out_through_links_without_shapes_too():
    contact = kt.collisions(arm(BALL, BALL, "", BALL))
    assert contact.pairs == (("a", "d"),)
    assert reasons(contact) == {("a", "b"): "neighbours", ("b", "d"): "neighbours"}
    assert kt.collisions(arm(BALL, BALL, BALL, joint="fixed").__class__ and arm(BALL, BALL, BALL)).pairs == (
        ("a", "c"),
    )


@pytest.mark.slow
def test_a_wall_on_the_base_is_no_neighbour_of_the_first_link():
    """It has no joint with this link, and the base is between them, with a shape or without."""
    wall = f"<link name='wall'>{shape('box', at=(0, 1, 0), size='1 0.1 1')}</link>"
    joint = "<joint name='w' type='fixed'><parent link='base'/><child link='wall'/></joint>"
    turning = "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>" + LIMIT
    reach = shape("box", at=(0.5, 0, 0), size="1.2 0.1 0.1")
    links = f"<link name='base'>BASE</link><link name='arm'>{reach}</link>{wall}"
    text = f"<robot name='r'>{links}{joint}{turning}</joint></robot>"
    contact = kt.collisions(kt.load(text.replace("BASE", BALL), format="urdf"))
    assert contact.pairs == (("arm", "wall"),)
    assert reasons(contact) == {("base", "arm"): "neighbours"}
    assert contact([[0.0], [np.pi / 2]]).tolist() == [False, True]
    assert kt.collisions(kt.load(text.replace("BASE", ""), format="urdf")).pairs == (("arm", "wall"),)


@pytest.mark.slow
def test_pairs_that_always_touch_are_left_out_and_only_these():
    large = shape("sphere", radius=0.35)
    contact = kt.collisions(arm(large, BALL, large, BALL))
    assert reasons(contact)["a", "c"] == "always in contact"
    assert contact.pairs == (("a", "d"), ("b", "d"))
    almost = shape("sphere", radius=0.2995)  # apart only where the joint is near 0, which few samples are
    assert ("a", "c") in kt.collisions(arm(almost, BALL, almost)).pairs


@pytest.mark.slow
def test_pairs_that_are_always_within_the_margin_count_only_in_contact():
    """Of four discs of 1 cm in a row, 3 cm apart, every second is 4 cm away at most, the ends 7 cm."""
    robot = arm(*[shape("cylinder", radius=0.1, length=0.1)] * 4)
    contact, q = kt.collisions(robot, margin=0.05), robot.limits.sample(200, seed=1)
    q[:3] = [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.5, 0.5, 0.5]
    place = kt.fk(robot, list("abcd"))(q)[..., :3, 3]
    far = {(a, b): np.linalg.norm(place[:, i] - place[:, j], axis=1) - 0.02 for a, b, i, j in
           (("a", "c", 0, 2), ("a", "d", 0, 3), ("b", "d", 1, 3))}  # fmt: skip
    expected = np.column_stack([far[pair] <= (0.05 if pair == ("a", "d") else 0.0) for pair in contact.pairs])
    (note,) = contact.notes
    assert note == "2 pairs always within 0.05 m, of which only contact counts: 'a' and 'c'; 'b' and 'd'"
    assert contact.always_near == 2
    assert kt.collisions(robot, [("a", "c")], margin=0.05)(q).all()  # as the caller wants it
    assert kt.collisions(robot).notes == kt.collisions(robot, [("a", "c")], margin=0.05).notes == ()
    np.testing.assert_array_equal(contact.where(q), expected)
    np.testing.assert_array_equal(contact(q), expected.any(axis=1))
    assert [contact(one) for one in q[:20]] == expected[:20].any(axis=1).tolist()
    assert expected.any(axis=0).all()
    assert not expected.any(axis=1).all()


@pytest.mark.slow
def test_pairs_that_are_apart_at_their_limits_alone_are_tested():
    """b and d touch in all samples, and are 2e-6 m apart at the limits of the joint of d; a and c always touch."""
    radius = (0.4 * np.sin(0.5) - 2e-6) * 10 / 2
    shapes = [shape("sphere", radius=1), shape("sphere", radius=radius), shape("sphere", radius=1)]
    shapes.append(shape("sphere", at=(-2, 0, 0), radius=radius))
    links = "".join(f"<link name='{name}'>{own}</link>" for name, own in zip("abcd", shapes, strict=True))
    joints = "".join(
        f"<joint name='{b}' type='revolute'><parent link='{a}'/><child link='{b}'/><origin xyz='{x} 0 0'/>"
        f"<axis xyz='0 0 1'/><limit lower='-{end}' upper='{end}' effort='1' velocity='1'/></joint>"
        for a, b, x, end in (("a", "b", 0.01, 1), ("b", "c", 0.01, 1e-9), ("c", "d", 0.19, 1))
    )
    contact = kt.collisions(kt.load(f"<robot name='r'>{links}{joints}</robot>", format="urdf"))
    assert reasons(contact)["a", "c"] == "always in contact"
    assert ("b", "d") in contact.pairs


def test_links_that_may_touch_are_left_out():
    contact = kt.collisions(arm(BALL, BALL, BALL, BALL), touch=("a", "c"))
    assert reasons(contact)["a", "c"] == "may touch"
    assert ("a", "d") in contact.pairs


@pytest.mark.slow
def test_what_is_known_of_the_shapes_is_noted():
    heavy = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    robot = arm(BALL, heavy, BALL, BALL)
    assert kt.collisions(robot).notes == ("link 'b' has a mass and no collision shape",)
    assert kt.collisions(robot, without=("b",)).notes == ()


@each(
    "options, message",
    [
        ({"pairs": [("a", "x")]}, "x"),
        ({"pairs": [("a", "a")]}, "expected two links"),
        ({"pairs": [("a", "")]}, "no link ''"),
        ({"pairs": ["ac"]}, "expected pairs of names"),
        ({"geometry": "box"}, "geometry"),
        ({"margin": -1.0}, "margin is -1.0"),
        ({"margin": np.nan}, "margin is nan"),
        ({"touch": "a"}, r"touch is 'a'; expected several names of links, as in \('a',\)"),
        ({"moving": "a"}, "moving is 'a'; expected several names"),
        ({"without": "a"}, "without is 'a'; expected several names"),
        ({"touch": ("x",)}, "x"),
        ({"without": ("x",)}, "x"),
        ({"moving": ("x",)}, "x"),
        ({"touch": ("a", "b", "c")}, "no two links are left"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(kt.KinetreeError, match=message):
        kt.collisions(arm(BALL, BALL, BALL), **options)


def test_what_it_is_called():
    contact = kt.collisions(arm(BALL, BALL, "", BALL))
    assert repr(contact) == "<Collisions of 1 pair of links of 'arm', 2 left out>"
    assert repr(kt.collisions(contact.robot, [("a", "d"), ("b", "d")])) == "<Collisions of 2 pairs of links of 'arm'>"
    with pytest.raises(kt.KinetreeError, match="link 'c' has no collision shape"):
        kt.collisions(contact.robot, [("a", "c")])
    (each_pair,) = kt.clearance(contact.robot, each=True).outputs
    assert (each_pair.name, each_pair.shape, each_pair.labels) == ("clearance", (1,), ("a d",))
    (least,) = kt.clearance(contact.robot).outputs
    assert (least.name, least.shape) == ("clearance", ())
    keys = {kt.collisions(contact.robot, [("a", "d")], margin=margin).key for margin in (0.0, 0.0, 0.1)}
    keys |= {kt.collisions(arm(BALL, other), [("a", "b")]).key for other in (BALL, shape("sphere", radius=0.2))}
    assert len(keys) == 4


def test_each_is_a_logical_value():
    for each_pair in (2, None, "yes", np.ones(2)):
        with pytest.raises(kt.KinetreeError, match="each"):
            kt.clearance(arm(BALL, BALL, BALL), each=each_pair)


def test_wrong_arrays():
    contact = kt.collisions(arm(BALL, BALL, BALL))
    moving = kt.collisions(arm(BALL, BALL, BALL), moving=("c",))
    for call, message in (
        (lambda: contact([0.0, 0.0, 0.0]), r"q .*\(3,\)"),
        (lambda: contact("x"), "q is no array of numbers: 'x'"),
        (lambda: contact(None), "q is no array of numbers"),
        (lambda: moving([0.0, 0.0], "x"), "moving is no array of numbers"),
        (lambda: moving([0.0, 0.0], np.eye(4)), r"moving has the shape \(4, 4\); expected \(…, 1, 4, 4\)"),
        (lambda: moving(np.zeros((2, 2)), np.zeros((3, 1, 4, 4))), r"\(2,\) and \(3,\), which do not go together"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            call()


@pytest.mark.slow
def test_a_link_that_floats_has_no_neighbours():
    for kind, pairs in (("floating", (("a", "b"),)), ("planar", (("a", "b"),)), ("revolute", None)):
        robot = kt.load(
            f"<robot name='r'><link name='a'>{BALL}</link><link name='b'>{BALL}</link><joint name='j' type='{kind}'>"
            f"<parent link='a'/><child link='b'/>{LIMIT}</joint></robot>",
            format="urdf",
        )
        if pairs:
            assert kt.collisions(robot).pairs == pairs
        else:
            with pytest.raises(kt.KinetreeError, match="no two links are left"):
                kt.collisions(robot)


@pytest.mark.slow
def test_robots_without_shapes_and_with_missing_meshes():
    with pytest.raises(kt.KinetreeError, match="no link has a collision shape"):
        kt.collisions(arm("", ""))
    missing = shape("mesh", filename="nowhere.stl")
    robot = arm(BALL, missing, BALL, BALL)
    with pytest.raises(kt.KinetreeError, match=r"nowhere\.stl") as raised:
        kt.clearance(robot)
    assert "link 'b'" in str(raised.value)
    assert "without=" in raised.value.findings[0].fix
    contact = kt.collisions(robot, without=("b",))
    assert contact.pairs == (("a", "c"), ("a", "d"))  # b still stands between a and c
    assert contact.distance([0.0, 0.0, 0.0]) == pytest.approx(0.04, abs=1e-6)


def test_shapes_that_no_joint_moves():
    """On the axes of all joints: distances are constants."""
    links = "".join(f"<link name='{name}'>{BALL}</link>" for name in "abc")
    joint = (
        "<joint name='{1}' type='continuous'><parent link='{0}'/><child link='{1}'/><origin xyz='0.03 0 0'/></joint>"
    )
    text = f"<robot name='arm'>{links}{joint.format('a', 'b')}{joint.format('b', 'c')}</robot>"
    robot = kt.load(text, format="urdf")
    contact, q = kt.collisions(robot), np.array([[0.0, 0.0], [0.5, 1.0]])
    assert contact(q).tolist() == [False, False]
    assert contact.distance(q) == pytest.approx([0.04, 0.04], abs=1e-9)
    for each_pair in (False, True):
        clearance = kt.clearance(robot, each=each_pair)
        assert clearance(q).ravel() == pytest.approx([0.04, 0.04], abs=1e-8)
        assert clearance.interpret(q).ravel() == pytest.approx([0.04, 0.04], abs=1e-8)
        assert not np.asarray(kt.vjp(clearance)(q[0], np.ones(clearance.output.shape))).any()
