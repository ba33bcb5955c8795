"""Limits: a box and coupled rows, as polytopes."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.limit_tables import read
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import assemble, parts_of
from kinetree.model.edit import add_limits, remove_limits
from kinetree.model.limits import LinearLimits, _product
from kinetree.model.robot import CoupledLimit
from kinetree.spatial import polytope
from kinetree.spatial.monte_carlo import Estimate

ARM = """<robot name="arm"><link name="base"/>{links}</robot>"""


def chain(n: int, types: str = "") -> kt.Robot:
    """n joints a, b, c … between -1 and 2."""
    links = ""
    for i in range(n):
        name, parent = "abcdefg"[i], "base" if i == 0 else f"l{i - 1}"
        kind = {"p": "prismatic", "c": "continuous"}.get(types[i : i + 1], "revolute")
        limit = "" if kind == "continuous" else '<limit lower="-1" upper="2" velocity="1" effort="1"/>'
        links += f'<link name="l{i}"/><joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/>'
        links += f'<axis xyz="0 0 1"/>{limit}</joint>'
    return kt.load(ARM.format(links=links), format="urdf")


SETS = """
[[limits]]
name = "triangle"
unit = "rad"
joints = ["a", "c"]
G = [[1, 1], [-1, -1]]
h = [1.5, 1]
rows = ["most", "least"]

[[limits]]
name = "pair"
unit = "deg"
joints = ["d", "e"]
A = [[1, -2]]
b = [90]
"""


@pytest.fixture(scope="module")
def robot() -> kt.Robot:
    sets, findings = read(SETS, "sets.toml")
    assert not findings
    return add_limits(chain(6), sets)


def test_rows_are_removed_by_name(robot):
    free = remove_limits(robot, ["triangle most", "not there"])
    assert free.limits.row_names == ("triangle least upper", "pair 1 lower")
    q = free.q({"a": 1.0, "c": 1.0})  # 1 + 1 is above 1.5
    assert free.limits.contains(q)
    assert not robot.limits.contains(q)
    assert not free.limits.contains(free.q({"a": -0.6, "c": -0.6}))
    assert remove_limits(robot, "pair 1").limits.row_names == ("triangle most upper", "triangle least upper")


def test_rows_are_in_radians_and_of_one_direction(robot):
    limits = robot.limits
    assert limits.row_names == ("triangle most upper", "triangle least upper", "pair 1 lower")
    assert limits.G.tolist() == [[1, 0, 1, 0, 0, 0], [-1, 0, -1, 0, 0, 0], [0, 0, 0, -1, 2, 0]]
    assert limits.h == pytest.approx([1.5, 1, np.pi / 2])  # A q + b > 0 is -A q <= b
    assert [block.columns.tolist() for block in limits.blocks] == [[0, 2], [3, 4]]


def test_margins_and_what_they_are_about(robot):
    limits = robot.limits
    q = np.array([[0.5, 0, 0.5, 0, 0, 0], [2.0, 0, 0, 0, 0, 0]])
    named = dict(zip(limits.names, limits.margin(q).T, strict=True))
    assert named["a lower"].tolist() == [1.5, 3.0]
    assert named["triangle most upper"].tolist() == [0.5, -0.5]
    assert limits.margin(q).min(axis=-1).tolist() == [0.5, -0.5]
    assert limits.contains(q).tolist() == [True, False]


def test_volume_is_the_product_of_blocks(robot):
    # of the square of side 3 the rows leave that between two diagonals
    square = 9.0 - 2.5**2 / 2 - 1.0**2 / 2
    whole = polytope.volume(*(getattr(robot.limits.blocks[0], x) for x in "Ab"))
    assert whole == pytest.approx(square)
    other = robot.limits.blocks[1]
    assert robot.limits.volume() == pytest.approx(square * polytope.volume(other.A, other.b) * 3.0 * 3.0)
    assert robot.limits.forbidden_share() == pytest.approx(1 - square / 9 * polytope.volume(other.A, other.b) / 9)


def test_samples_and_projections_are_inside(robot):
    limits = robot.limits
    inside = limits.sample(500, seed=1)
    assert limits.contains(inside).all()
    assert np.array_equal(limits.project(inside), inside)
    outside = np.random.default_rng(2).uniform(-4, 4, (50, 6))
    nearest = limits.project(outside)
    assert limits.contains(nearest).all()
    for point, there in zip(outside, nearest, strict=True):
        assert np.max((inside - there) @ (point - there)) < 1e-9
    assert limits.project(outside[0]) == pytest.approx(nearest[0])


def test_a_step_is_clipped_where_it_leaves(robot):
    limits = robot.limits
    rng = np.random.default_rng(3)
    q, dq = limits.sample(300, seed=4), rng.normal(0, 2, (300, 6))
    share = limits.clip_step(q, dq)
    assert limits.margin(q + share[:, None] * dq).min() > -1e-14
    stopped = share < 1
    assert stopped.any()
    beyond = q + (share[:, None] + 1e-6) * dq
    assert (limits.margin(beyond)[stopped].min(axis=-1) < 0).all()
    qd = limits.clip_velocity(q, dq, 0.5)
    assert np.abs(qd - limits.clip_step(q, 0.5 * dq)[:, None] * dq).max() == 0


def test_from_outside_a_step_may_only_come_nearer(robot):
    limits = robot.limits
    outside = robot.q(a=2, c=0)
    back, out = robot.q(a=-1, c=0), robot.q(a=0.5, c=-0.1)
    assert limits.clip_step(outside, back - 0) == 1
    assert limits.clip_step(outside, out) == 0
    assert limits.clip_step(outside, np.zeros(6)) == 1


def test_a_row_of_a_box_is_an_end_of_a_range():
    sets, _ = read(
        '[[limits]]\nname="n"\nbox=true\nunit="deg"\njoints=["a", "b"]\nG=[[2, 0], [0, -1]]\nh=[90, 0]', "n.toml"
    )
    narrowed = add_limits(chain(2, "rc"), sets)
    assert not narrowed.coupled_limits
    assert (narrowed.joints["a"].limit.lower, narrowed.joints["a"].limit.upper) == (-1, pytest.approx(np.pi / 4))
    assert (narrowed.joints["b"].limit.lower, narrowed.joints["b"].limit.upper) == (0, np.inf)


@each(
    "text, code, said",
    [
        ('name="n"\njoints=["a"]\nG=[[1]]\nh=[1]', "unit", "the unit is not declared"),
        ('name="n"\nunit="grad"\njoints=["a"]\nG=[[1]]\nh=[1]', "unit", "expected 'rad', 'deg', 'si'"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[1, 2]]\nh=[1]', "count", "2 columns for 1 joint: a"),
        ('name="n"\nunit="rad"\njoints=["a", "a"]\nG=[[1, 2]]\nh=[1]', "joints", "different names"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[1], [2]]\nh=[1]', "rows", "one for each row"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[nan]]\nh=[1]', "rows", "finite"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[1]]\nh=[inf]', "rows", "finite"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[true]]\nh=[1]', "rows", "numbers"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[["1"]]\nh=[1]', "rows", "numbers"),
        ('name="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 2], [1]]\nh=[1, 1]', "rows", "of one length"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[0]]\nh=[1]', "rows", "row 1 of G is zero"),
        ('name="n"\nunit="rad"\njoints=["a"]\nA=[[1]]\nh=[1]', "rows", "either A and b"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[1]]\nh=[1]\nrow=["x"]', "unknown-key", "'row'"),
        ('name="n"\nunit="rad"\njoints=["a"]\nG=[[1], [2]]\nh=[1, 2]\nrows=["x", "x"]', "rows", "different names"),
        ('name="n"\nunit="rad"\nbox=true\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]', "box", "every row is about one joint"),
        ("name=", "toml-syntax", "not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text, code, said):
    sets, findings = read("[[limits]]\n" + text, "wrong.toml")
    assert sets == ()
    finding = next(finding for finding in findings if finding.code == code)
    assert said in finding.message
    assert finding.source.line


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('unit="rad"\njoints=["a", "x"]\nG=[[1, 1]]\nh=[1]', "unknown-name", "no joint 'x'"),
        ('unit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]', "unit", "joint 'b' is prismatic"),
        ('unit="si"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[-9]', "empty", "no configuration of a, b fulfils"),
        ('unit="rad"\nbox=true\njoints=["a"]\nG=[[1]]\nh=[-9]', "empty", "nothing is left of its range"),
    ],
)
def test_what_does_not_fit_the_robot_is_refused(text, code, said, tmp_path):
    (tmp_path / "l.toml").write_text(f'[[limits]]\nname="n"\n{text}')
    arm = tmp_path / "arm.toml"
    kt.save(chain(2, "rp"), arm, without=("velocity_limit",))
    with pytest.raises(kt.KinetreeError, match=said) as error:
        kt.load(arm, limits=str(tmp_path / "l.toml"))
    assert error.value.findings[0].code == code


def test_unlimited_joints_and_rows_of_a_name_twice(tmp_path):
    sets, _ = read(SETS, "sets.toml")
    with pytest.raises(kt.KinetreeError, match="stands twice"):
        add_limits(chain(6), [*sets, *sets])
    with pytest.raises(kt.KinetreeError, match="dt is 0"):
        chain(2).limits.clip_velocity([0, 0], [1, 1], 0)
    with pytest.raises(kt.KinetreeError, match="dq has shape"):
        chain(2).limits.clip_step([0, 0], [1])


@pytest.mark.parametrize(
    ("format", "left_out"), [("urdf", ()), ("sdf", ()), ("toml", ("velocity_limit",)), ("xml", ())]
)
def test_they_go_through_every_format_that_can_say_them(format, left_out, robot, tmp_path):
    path = tmp_path / f"arm.{format}"
    kt.save(robot, path, without=tuple({*left_out, *(("velocity_limit",) if format == "xml" else ())}))
    again = kt.load(path)
    assert again.limits.row_names == robot.limits.row_names
    assert np.array_equal(again.limits.G, robot.limits.G)
    assert np.array_equal(again.limits.h, robot.limits.h)
    kt.save(robot, path, without=("coupled_limit", "velocity_limit"))
    assert not kt.load(path).coupled_limits


@each(
    "inside, said",
    [
        ("", "names no joint"),
        ('<joint name="a" coefficient="one"/>', "finite number"),
        ('<joint name="a" coefficient="1"/><joint name="a" coefficient="1"/>', "occurs twice"),
        ('<link name="a"/>', "expected <joint"),
        ('<joint name="z" coefficient="1"/>', "names 'z', which is not a joint"),
    ],
)
def test_what_is_wrong_with_such_an_element_is_said(inside, said):
    text = FORMATS["urdf"].write(chain(1), ())
    text = text.replace(
        "</robot>", f'<kinetree_coupled_limit name="n" upper="1">{inside}</kinetree_coupled_limit></robot>'
    )
    with pytest.raises(kt.KinetreeError, match=said) as error:
        kt.load(text, format="urdf")
    assert error.value.findings[0].source.line


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_does_not_move(robot, bad):
    limits, fine = robot.limits, np.zeros(6)
    for i in range(6):
        wrong = fine.copy()
        wrong[i] = bad
        assert limits.clip_step(wrong, fine + 0.1) == 0
        assert limits.clip_step(fine, wrong) == 0
        assert np.array_equal(limits.clip_velocity(fine, wrong, 0.1), fine)
        with pytest.raises(kt.KinetreeError, match="not finite"):
            limits.project(wrong)
    both = np.vstack([fine, wrong])
    assert limits.clip_step(fine, both).tolist() == [1.0, 0.0]


@each("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_does_not_move_a_joint_without_limits_either(bad):
    text = """<robot name="arm"><link name="base"/><link name="l"/><link name="m"/>
    <joint name="a" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/></joint>
    <joint name="b" type="revolute"><parent link="l"/><child link="m"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
    limits = kt.load(text, format="urdf").limits
    q = np.zeros((3, 2))
    steps = np.array([[bad, 0.5], [1e300, 0.5], [3.0, 0.5]])
    assert limits.clip_step(q, steps).tolist() == [0.0, 1.0, 1.0]
    assert limits.clip_step(steps, q).tolist() == [0.0, 1.0, 1.0]
    moved = limits.clip_velocity(q, steps, 4.0)
    assert moved[0].tolist() == [0.0, 0.0]
    assert moved[2] == pytest.approx([1.5, 0.25])


def test_rows_that_cancel_are_void_or_impossible():
    follower = """<robot name="arm"><link name="base"/><link name="l"/><link name="m"/>
    <joint name="a" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
    <joint name="b" type="revolute"><parent link="l"/><child link="m"/><axis xyz="0 0 1"/>
      <limit lower="-2" upper="2" velocity="1" effort="1"/><mimic joint="a"/></joint></robot>"""
    robot = kt.load(follower, format="urdf")
    rows = '[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, -1]]\nh=[{}]'
    void = add_limits(robot, read(rows.format(0.5), "n.toml")[0]).limits
    assert void.volume() == pytest.approx(2.0)
    assert void.project([3.0]).tolist() == pytest.approx([1.0])
    assert void.contains(void.project([3.0]))
    with pytest.raises(kt.KinetreeError, match="its coefficients cancel"):
        add_limits(robot, read(rows.format(-0.5), "n.toml")[0])


def test_a_share_wants_ranges():
    sets, _ = read('[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]', "n.toml")
    limits = add_limits(chain(2, "rc"), sets).limits
    with pytest.raises(kt.KinetreeError, match="without ranges; without one are b"):
        limits.forbidden_share()


def test_a_turn_is_the_range_of_a_continuous_joint():
    """Uniform over the turn; rows hold too, and a slide without ends is refused."""
    q = chain(3, "rcc").limits.sample(4000, seed=1)
    assert np.abs(q[:, 1:]).max() <= np.pi
    counts = np.histogram(q[:, 1], bins=8, range=(-np.pi, np.pi))[0]
    assert np.abs(counts - 500).max() < 5 * np.sqrt(500)
    sets, _ = read('[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]', "n.toml")
    limits = add_limits(chain(2, "rc"), sets).limits
    assert limits.turning == ("b",)
    q = limits.sample(500)
    assert limits.contains(q).all()
    assert np.abs(q[:, 1]).max() <= np.pi
    assert np.array_equal(q, limits.sample(500))
    arm = kt.chain("Rz(q1) tx(q2)")
    with pytest.raises(kt.KinetreeError, match="without ranges; without one are q2"):
        arm.limits.sample(3)
    assert kt.chain("Rz(q1) Ry(q2)").limits.sample(3).shape == (3, 2)
    options = {"type": "screw", "axes": [[0, 0, 1]], "pitch": 0.1, "joint_name": "screw"}
    screwed = kt.edit.attach(kt.chain("Rz(q1)"), kt.chain("Rz(q2)", name="b"), "tip", prefix="b_", **options)
    assert screwed.limits.turning == ("q1", "b_q2")
    with pytest.raises(kt.KinetreeError, match="without one are screw"):
        screwed.limits.sample(3)


def test_a_file_of_limits_is_a_path_or_what_looks_like_one(tmp_path):
    file, arm = tmp_path / "rows.limits", tmp_path / "arm.urdf"
    file.write_text('[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]')
    kt.save(chain(2), arm)
    for limits in (file, str(file)):
        assert kt.load(arm, limits=limits).limits.row_names == ("n 1 upper",)
    with pytest.raises(kt.KinetreeError, match=r"missing\.toml"):
        kt.load(arm, limits=tmp_path / "missing.toml")


def test_coupled_limits_have_names_of_their_own_and_joints():
    parts = parts_of(chain(2))
    parts.coupled_limits = [CoupledLimit("n", {"a": 1.0}, upper=1.0)] * 2 + [CoupledLimit("", {})]
    robot, findings = assemble(parts)
    assert robot is None
    assert [finding.code for finding in findings] == ["duplicate-name", "no-name", "coupled-limit"]


@pytest.mark.slow
def test_a_robot_with_a_block_of_seven():
    row = LinearLimits("sum", tuple("abcdefg"), np.ones((1, 7)), np.array([3.5]), ("sum 1",))
    limits = add_limits(chain(7), [row]).limits  # each from -1 to 2: the middle of the sum
    assert limits.volume() == pytest.approx(3.0**7 / 2, rel=0.02)
    assert limits.volume().error > 0
    share = limits.forbidden_share()
    assert abs(share - 0.5) < 4 * share.error
    inside = limits.sample(500, seed=0)
    assert limits.contains(inside).all()


def test_locked_joints_that_leave_the_others_nothing_are_noted(robot):
    assert not [n for n in kt.edit.lock(robot, {"a": 1.0}).notes if n.code in ("empty", "dropped")]
    locked = kt.edit.lock(robot, {"d": -1.0, "e": 1.9})  # q_d - 2 q_e + 90 degrees is below zero
    (note,) = [n for n in locked.notes if n.code == "dropped"]
    assert note.severity == "warning"
    assert note.message == f"names locked joints alone and has gone; they are outside of it, by {4.8 - np.pi / 2:.6g}"
    (note,) = [n for n in kt.edit.lock(robot, {"a": 2.6}).notes if n.code == "empty"]  # c would have to be below -1.1
    assert (note.severity, note.message) == (
        "warning",
        "no configuration of c fulfils all their limits, with these joints locked",
    )


@each(
    "n, seed, code, said",
    [
        (-1, 0, "sample", "n is -1; expected whole numbers from 0 to 2**40"),
        (2**40, 0, "sample", f"n is {2**40}; expected whole numbers from 0 to 2**40"),
        (1, "two", "seed", "seed is 'two'; expected whole numbers from 0, and NumPy's generators"),
        (1, -1, "seed", "seed is -1; expected whole numbers from 0"),
    ],
)
def test_samples_of_other_numbers_are_refused(robot, n, seed, code, said):
    with pytest.raises(kt.KinetreeError) as caught:
        robot.limits.sample(n, seed)
    assert (caught.value.findings[0].code, caught.value.findings[0].message[: len(said)]) == (code, said)
    assert robot.limits.sample(0, seed=2).shape == (0, 6)


def test_a_limit_that_nothing_fulfils_has_no_samples_and_no_nearest_point():
    limits = chain(1).limits
    crossed = replace(limits, lower=np.array([3.0]))
    for ask in (lambda: crossed.sample(3), lambda: crossed.project([0.0])):
        with pytest.raises(kt.KinetreeError, match="limit 'a lower': no configuration fulfils this limit") as caught:
            ask()
        assert caught.value.findings[0].code == "empty"


def test_nearest_points_are_inside_by_the_margins_too():
    """Margins sum over all coordinates, and so in another order than the rows of a block."""
    limits = add_limits(chain(6), [linear(["a", "b", "d"], [-2.01, 0.45, 1.71], 0.3)]).limits
    q = np.random.default_rng(0).uniform(-2, 3, (200, 6))
    nearest = limits.project(q)
    assert limits.contains(nearest).all()
    assert np.array_equal(nearest[:, [2, 4, 5]], np.clip(q[:, [2, 4, 5]], -1, 2))


@each("format", ["urdf", "sdf", "dh"])
def test_one_end_of_a_continuous_joint_makes_it_revolute(format):
    sets, _ = read('[[limits]]\nname="n"\nunit="rad"\nbox=true\njoints=["a"]\nG=[[1]]\nh=[1.5]', "n.toml")
    limited = add_limits(chain(1, "c"), sets)
    again = kt.load(FORMATS[format].write(limited, ()), format=format)
    assert again.joints["a"].type == "revolute"
    assert (again.limits.lower[0], again.limits.upper[0]) == (-np.inf, 1.5)


@pytest.mark.slow
def test_a_point_brought_inside_is_inside():
    """By the margins that users ask for, whose sums run over all coordinates."""
    limits = kt.load("icub").limits
    q = np.random.default_rng(0).uniform(limits.lower - 0.5, limits.upper + 0.5, (250, 35))
    assert limits.contains(limits.project(q)).all()


@pytest.mark.parametrize("size", [1e160, 1e-200])
def test_coefficients_that_squares_cannot_hold_are_refused(size):
    sets, _ = read(f'[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[{size}, {size}]]\nh=[{size}]', "n.toml")
    with pytest.raises(kt.KinetreeError, match="expected 0, and 1e-100 to 1e100 in size"):
        add_limits(chain(2), sets)


def test_an_empty_set_says_where_and_a_file_that_has_one_loads_with_a_note(tmp_path):
    sets, _ = read('[[limits]]\nname="n"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[-3]', "n.toml")
    with pytest.raises(kt.KinetreeError, match=r"n\.toml:1: error: limits: no configuration of a, b .*, with 'n'"):
        add_limits(chain(2), sets)
    text = FORMATS["urdf"].write(chain(2), ())
    limit = '<kinetree_coupled_limit name="n" lower="0.5" upper="-0.5"><joint name="a" coefficient="1"/>'
    robot = kt.load(text.replace("</robot>", f"{limit}</kinetree_coupled_limit></robot>"), format="urdf")
    (note,) = [note for note in robot.notes if note.code == "empty"]
    assert note.severity == "warning"
    assert robot.limits.volume() == 0


@pytest.mark.slow
def test_one_configuration_and_many_get_the_same_bits():
    limits = kt.load("icub").limits
    q = limits.project(np.random.default_rng(1).uniform(limits.lower - 1, limits.upper + 1, (300, 35)))
    margins = limits.margin(q)
    for i in range(300):
        assert np.array_equal(limits.margin(q[i]), margins[i])
    assert np.array_equal(limits.margin(np.asfortranarray(q)), margins)
    expected = np.concatenate([q - limits.lower, limits.upper - q, limits.h - q @ limits.G.T], axis=-1)
    assert np.abs(margins - expected).max() < 1e-14


def test_a_joint_that_can_only_be_at_one_place():
    """It takes part in the bounds of the others, and in no block."""
    text = FORMATS["urdf"].write(chain(3), ())
    head, tail = text.split('lower="-1" upper="2"', 1)
    still = kt.load(f'{head}lower="0.5" upper="0.5"{tail}', format="urdf")
    limits = add_limits(still, [linear(["a", "b", "c"], [1, 1, 1], 1.5), linear(["a"], [1], 1.0, "alone")]).limits
    assert limits.lower[0] == limits.upper[0] == 0.5
    (block,) = limits.blocks
    assert block.columns.tolist() == [1, 2]
    assert limits.forbidden_share() == pytest.approx(1 - (9 - 3.0**2 / 2) / 9)  # b + c <= 1 in a square of side 3
    assert limits.volume() == 0
    assert limits.contains(limits.sample(50)).all()
    nearest = limits.project([0.0, 1.0, 1.0])
    assert nearest == pytest.approx([0.5, 0.5, 0.5])
    with pytest.raises(kt.KinetreeError, match="can only be where they are"):
        add_limits(still, [linear(["a"], [1], 0.4)])


def linear(joints, row, bound, name="n") -> LinearLimits:
    return LinearLimits(name, tuple(joints), np.array([row], dtype=float), np.array([float(bound)]), (f"{name} 1",))


@each(
    "limits, said",
    [
        (LinearLimits("n", ("a", "b"), np.ones((1, 2)), np.ones(1), ("n 1",), box=True), "a box has one in each"),
        (LinearLimits("n", ("a", "b"), np.ones((1, 3)), np.ones(1), ("n 1",)), "do not fit"),
        (LinearLimits("n", ("a",), np.zeros((1, 1)), np.ones(1), ("n 1",)), "zero or not finite"),
        (LinearLimits("n", ("a",), np.ones((1, 1)), np.array([np.nan]), ("n 1",)), "zero or not finite"),
    ],
)
def test_sets_made_by_hand_are_looked_at(limits, said):
    with pytest.raises(kt.KinetreeError, match=said):
        add_limits(chain(3), [limits])


def test_names_and_errors_of_products():
    limits = add_limits(chain(2), [linear(["a", "b"], [1, 1], 1.0, "a")]).limits
    assert len(set(limits.names)) == len(limits.names)
    parts = parts_of(chain(2))
    parts.coupled_limits = [CoupledLimit("a", {"a": 1.0, "b": 1.0}, upper=1.0)]
    assert assemble(parts)[0].limits.names[-1] == "limit a upper"
    twice = _product(2.0, [Estimate(3.0, 0.3), Estimate(5.0, 0.0), Estimate(2.0, 0.4)])
    assert twice == pytest.approx(60.0)
    assert twice.error == pytest.approx(60.0 * np.hypot(0.1, 0.2))


QUATERNIONS = """<mujoco><worldbody><body name="b"><freejoint name="f"/><geom size="0.1"/>
  <body name="c"><joint name="j" range="-1 1"/><geom size="0.1"/>
    <body name="d"><joint name="k" type="ball"/><geom size="0.1"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("name", "first"), [("f", 3), ("k", 0)])
def test_a_quaternion_of_length_zero_is_outside(name, first):
    robot = kt.load(QUATERNIONS, format="mjcf")
    start = robot.q_slices[name].start + first
    q = np.array([robot.zero, robot.zero])
    q[1, start : start + 4] = 0.0
    assert robot.limits.contains(q).tolist() == [True, False]
    assert not robot.limits.contains(q[1])
    assert np.isnan(kt.fk(robot, "d")(q[1])).any()
    assert (np.flatnonzero(robot.limits.margin(q)[1] == -np.inf) == range(start, start + 4)).all()
    assert robot.limits.names[robot.limits.margin(q[1]).argmin()] == f"{robot.coordinate_names[start]} lower"
    with pytest.raises(kt.KinetreeError, match="quaternion of length zero"):
        robot.limits.project(q)
    assert robot.limits.project(q[0]).tolist() == q[0].tolist()
    q[1, start] = 1e-170
    assert robot.limits.contains(q).all()
    for single in (np.float32(robot.zero), robot.zero.tolist()):
        assert robot.limits.contains(single)


def test_steps_from_and_to_a_quaternion_of_length_zero():
    limits = kt.load(QUATERNIONS, format="mjcf").limits
    q = np.array([0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    assert limits.clip_step(q, np.full(12, 0.001)) == 1
    assert limits.clip_step(q, np.full(12, -0.001)) == 1
    assert limits.clip_step(q, -q) == 1
