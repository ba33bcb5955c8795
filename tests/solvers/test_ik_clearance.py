"""Inverse kinematics with clearance: answers are apart, and failures say which links are in contact."""

import gc
import weakref

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.solvers.ik.step import Stepper

LIMIT = "<limit lower='{}' upper='{}' effort='1' velocity='1'/>"


def joint(parent, child, at, kind="revolute", axis="0 0 1", ends=(-3, 3)):
    return (
        f"<joint name='{child}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='{at}'/>"
        f"<axis xyz='{axis}'/>{LIMIT.format(*ends)}</joint>"
    )


def link(name, geometry="", at="0 0 0"):
    shape = f"<collision><origin xyz='{at}'/><geometry><{geometry}/></geometry></collision>" if geometry else ""
    return f"<link name='{name}'>{shape}</link>"


BAR, BALL = "box size='0.03 0.005 0.005'", "sphere radius='0.005'"


def planar(post="0.035 0.03 0", more="", ball=BALL, ends=(-3, 3)):
    """An arm of three bars in a plane, 4 cm each, with a post beside it. Small shapes have quick covers."""
    links = [link("base"), *(link(name, BAR, "0.02 0 0") for name in "abc"), link("tip"), link("post", ball)]
    joints = [joint("base", "a", "0 0 0", ends=ends), joint("a", "b", "0.04 0 0"), joint("b", "c", "0.04 0 0")]
    joints += [joint("c", "tip", "0.04 0 0", "fixed"), joint("base", "post", post, "fixed")]
    return kt.load(f"<robot name='planar'>{''.join(links + joints)}{more}</robot>", format="urdf")


@pytest.fixture(scope="module")
def robot():
    return planar()


@pytest.fixture(scope="module")
def solve(robot):
    return kt.ik(robot, "tip", goal="position", clearance=0.002)


@pytest.fixture(scope="module")
def targets(robot):
    """Positions that configurations reach that are apart."""
    contact = kt.collisions(robot, margin=0.002)
    return kt.fk(robot, "tip")(contact.sample(300, seed=1))[:, :3, 3]


BLOCKED, FAR = np.array([0.035, 0.03, 0.0]), np.array([0.3, 0.0, 0.0])


@pytest.mark.slow
def test_every_answer_is_farther_apart_than_the_clearance(robot, solve, targets):
    contact = kt.collisions(robot)
    plain, found = kt.ik(robot, "tip", goal="position")(targets), solve(targets)
    assert (contact.distance(plain.q) <= 0.002).mean() > 0.05
    assert found.success.all()
    assert not found.touching.any()
    assert contact.distance(found.q).min() > 0.002
    assert robot.limits.contains(found.q).all()
    assert np.abs(kt.fk(robot, "tip")(found.q)[:, :3, 3] - targets).max() < 1e-6
    kept = contact.distance(plain.q) > 0.002
    np.testing.assert_array_equal(found.q[kept], plain.q[kept])  # what was apart before is the same
    alone = np.array([solve(target).q for target in targets[:40]])
    assert contact.distance(alone).min() > 0.002
    np.testing.assert_allclose(alone, found.q[:40], atol=1e-9)


@pytest.mark.slow
def test_what_kt_collisions_returns_gives_the_same(robot, solve, targets):
    given = kt.ik(robot, "tip", goal="position", clearance=kt.collisions(robot, margin=0.002))
    np.testing.assert_array_equal(given(targets).q, solve(targets).q)
    free = kt.ik(robot, "tip", goal="position", clearance=kt.collisions(robot, touch=("b", "c", "post")))
    assert free(BLOCKED).success


@pytest.mark.slow
def test_a_target_that_no_posture_reaches_apart_says_so(solve):
    found = solve(BLOCKED)
    assert (found.success, found.touching) == (False, True)
    assert found.residual.max() < 1e-6
    assert found.why == "c touches post"
    assert repr(found).startswith("IKResult: reached, but c touches post, ")
    near = kt.ik(planar("0.12 0 0.006"), "tip", goal="position", clearance=0.009)([0.12, 0.0, 0.0])
    assert near.why == "c is within 0.009 m of post"
    far = solve(FAR)
    assert (far.success, far.touching, far.why) == (False, False, "")
    assert "not reached" in repr(far)
    assert "touches post" in repr(solve(BLOCKED.astype(np.float32)))
    both = solve([BLOCKED, FAR, [0.05, -0.06, 0.0], [np.nan, 0.0, 0.0]])
    assert both.success.tolist() == [False, False, True, False]
    assert both.touching.tolist() == [True, False, False, False]
    assert (both.why, "1 reached, 1 in contact" in repr(both)) == ("", True)
    assert solve.reachable([BLOCKED, FAR, [0.05, -0.06, 0.0]]).tolist() == [False, False, True]
    assert not solve.reachable(BLOCKED)
    assert not solve.solutions(BLOCKED).mask.any()


@pytest.mark.slow
def test_other_pairs_that_touch_are_counted():
    """A second post in the place of the first, and a third one."""
    posts = "".join(link(name, BALL) + joint("base", name, "0.035 0.03 0", "fixed") for name in ("second", "third"))
    solve = kt.ik(planar(more=posts), "tip", goal="position", clearance=0.002)
    assert solve(BLOCKED).why == "c touches post, and 2 other pairs likewise"
    posts = link("second", BALL) + joint("base", "second", "0.035 0.03 0", "fixed")
    solve = kt.ik(planar(more=posts), "tip", goal="position", clearance=0.002)
    assert solve(BLOCKED).why == "c touches post, and 1 other pair likewise"


@pytest.mark.slow
def test_without_the_word_nothing_touches(robot):
    found = kt.ik(robot, "tip", goal="position")(np.array([BLOCKED, FAR]))
    assert (found.success.tolist(), found.touching.tolist(), found.why) == ([True, False], [False, False], "")
    plain = kt.ik(robot, "tip", goal="position")
    assert plain.contact is None
    assert plain.solutions(BLOCKED).mask.sum() > 1
    near, posture = plain([0.05, -0.06, 0.0], prefer=[3, 3, 3]).q, np.full(3, 3.0)
    assert np.linalg.norm(near - posture) < np.linalg.norm(plain([0.05, -0.06, 0.0]).q - posture)


def test_several_solutions_are_all_apart(robot, solve, targets):
    found, plain = solve.solutions(targets[:40]), kt.ik(robot, "tip", goal="position").solutions(targets[:40])
    contact = kt.collisions(robot, margin=0.002)
    assert contact(plain.q[plain.mask]).any()
    assert found.mask[:, 0].all()
    assert not contact(found.q[found.mask]).any()
    assert np.isnan(found.q[~found.mask]).all()


def test_prefer_and_q0_keep_apart(robot, solve, targets):
    contact, q0 = kt.collisions(robot, margin=0.002), robot.limits.sample(300, seed=3)
    for options in ({"prefer": q0}, {"q0": q0}, {"q0": q0, "prefer": "middle"}, {"threads": 2}):
        found = solve(targets, **options)
        assert found.success.mean() > 0.99
        assert not contact(found.q[found.success]).any()
    near = solve(targets, prefer=q0)
    assert np.linalg.norm(near.q - q0, axis=1).mean() < np.linalg.norm(solve(targets).q - q0, axis=1).mean()


@pytest.mark.slow
def test_steps_end_apart(robot, solve, targets):
    contact, q = kt.collisions(robot, margin=0.002), kt.collisions(robot, margin=0.002).sample(40, seed=5)
    plain, bare, touched = kt.ik(robot, "tip", goal="position"), q, False
    for _ in range(60):
        step = solve.step(q, targets[:40], dt=0.1)
        bare = plain.step(bare, targets[:40], dt=0.1).q
        q, touched = step.q, touched | contact(bare)
        assert not contact(q).any()
    assert touched.any()
    assert (step.success | step.stuck)[touched].all()
    assert 0.3 < step.success.mean() < 1
    alone = solve.step(q[0], targets[0], dt=0.1)
    assert isinstance(alone.success, bool)
    assert isinstance(alone.stuck, bool)
    again = solve.step(q, targets[:40], dt=0.1, restart=robot.limits.sample(40, seed=6))
    assert not contact(again.q).any()


def test_steps_of_a_batch_are_those_of_each(robot, solve):
    """Also where they are shortened, for they would end in contact; of one, `success` and `stuck` are plain."""
    contact = solve.contact
    q, goals = contact.sample(500, seed=5), kt.fk(robot, "tip")(contact.sample(500, seed=11))[:, :3, 3]
    bare = contact(kt.ik(robot, "tip", goal="position").step(q, goals, dt=0.5).q)
    some = np.concatenate([np.flatnonzero(bare)[:3], np.flatnonzero(~bare)[:2]])
    assert len(some) == 5
    batch = solve.step(q[some], goals[some], dt=0.5)
    assert not contact(batch.q).any()
    for i, number in enumerate(some):
        one = solve.step(q[number], goals[number], dt=0.5)
        np.testing.assert_array_equal(one.q, batch.q[i])
        assert (one.success, one.stuck) == (batch.success[i], batch.stuck[i])
        assert type(one.success) is type(one.stuck) is bool


@pytest.mark.slow
def test_steps_go_along_what_is_in_the_way(robot, solve, monkeypatch):
    contact = kt.collisions(robot, margin=0.002)
    start, goals = contact.sample(200, seed=5), kt.fk(robot, "tip")(contact.sample(200, seed=11))[:, :3, 3]

    def reached():
        q = start
        for _ in range(60):
            step = solve.step(q, goals, dt=0.1)
            q = step.q
            assert not contact(q).any()
        return step.success

    along = reached()
    monkeypatch.setattr(Stepper, "_along", lambda self, contact, before, after: after)
    shortened = reached()
    assert along.sum() >= shortened.sum() + 5


def test_a_step_may_leave_contact(robot, solve):
    contact = kt.collisions(robot)
    q = robot.limits.sample(2000, seed=8)
    q = q[contact(q)][:50]
    goal = kt.fk(robot, "tip")(contact.sample(50, seed=9))[:, :3, 3]
    assert (solve.step(q, goal, dt=0.1).q != q).any(axis=1).all()


@pytest.mark.slow
def test_pairs_that_the_solver_does_not_move_are_left_out():
    two = planar(
        more=link("d", BALL) + link("e", BALL) + joint("post", "d", "0 -0.1 0") + joint("base", "e", "0 -0.07 0")
    )
    solve = kt.ik(two, "tip", goal="position", clearance=0.0)
    reasons = {(one.link1, one.link2): one.reason for one in solve.contact.left_out}
    assert reasons["d", "e"] == "not moved by inverse kinematics"
    assert solve([0.05, 0.06, 0.0]).success
    alone = kt.ik(two, "d", base="post", goal="orientation", clearance=0.0)
    assert ("d", "e") in alone.contact.pairs


@pytest.mark.slow
def test_a_floating_base():
    ends = "<parent link='world'/><child link='base'/></joint>"
    robot = planar(more=f"<link name='world'/><joint name='free' type='floating'>{ends}")
    solve, rng = kt.ik(robot, "tip", base="base", goal="position", clearance=0.002), np.random.default_rng(1)
    both = kt.ik(robot, ["tip", "post"], goal=["position", "pose"], clearance=0.002)
    targets = rng.uniform(-0.08, 0.08, (50, 3)) * [1, 1, 0]
    found = solve(targets)
    T = np.tile(np.eye(4), (50, 1, 1))
    T[:, :3, 3] = 0.3
    free = both(targets + 0.3 - np.array([0.035, 0.03, 0.0]), T)
    for one in (found, free):
        assert one.success.mean() > 0.7
        assert not solve.contact(one.q[one.success]).any()
    step = both.step(free.q, targets[::-1], T, dt=0.1)
    assert not solve.contact(step.q[free.success]).any()


def test_robots_that_are_made_of_one(robot, solve, targets):
    contact = kt.collisions(robot, margin=0.002)
    turned = kt.ik(robot.order(["c", "a", "b"]), "tip", goal="position", clearance=contact)
    found = turned(targets)
    assert found.success.all()
    assert not contact(found.q[:, [1, 2, 0]]).any()


@pytest.mark.slow
def test_joints_that_stand(robot):
    """The pairs of a given contact are those of the whole robot."""
    contact = kt.collisions(robot, margin=0.002)
    arm = kt.ik(robot, "tip", goal="position", joints=["a", "b"], at=[0, 0, 0.5], clearance=contact)
    T = kt.fk(robot, "tip", joints=["a", "b"], at=[0, 0, 0.5])(robot.limits.sample(60, seed=2)[:, :2])
    found = arm(T[:, :3, 3])
    whole = np.column_stack([found.q, np.full(60, 0.5)])
    assert found.success.any()
    assert found.touching.any()
    assert (contact(whole) == found.touching).all()


@pytest.mark.slow
def test_pairs_that_are_always_close_count_only_in_contact():
    """Tube c turns 4.5 mm above the ball of the base; d can come near to both."""
    tube = "cylinder radius='0.005' length='0.01'"
    links = [
        link("base", BALL),
        link("b", BALL, "0.05 0 0"),
        link("d", BALL, "0.01 0 0"),
        link("c", tube, "0 0 0.0145"),
    ]
    joints = [joint("base", "b", "0 0 0"), joint("b", "c", "0 0 0"), joint("b", "d", "0.02 0 0.009")]
    text = "".join(links + joints) + link("tip") + joint("d", "tip", "0.01 0 0", "fixed")
    robot = kt.load(f"<robot name='close'>{text}</robot>", format="urdf")
    contact = kt.collisions(robot, margin=0.01)
    assert contact.notes == ("1 pair always within 0.01 m, of which only contact counts: 'base' and 'c'",)
    q = robot.limits.sample(300, seed=1)
    assert (contact.distance(q[~contact(q)]) <= 0.01).all()
    others = kt.collisions(robot, [pair for pair in contact.pairs if pair != ("base", "c")], margin=0.01)
    assert (contact(q) == others(q)).all()
    assert 0 < contact(q).mean() < 1
    assert (contact(q) == [contact(one) for one in q]).all()
    assert contact.where(q)[:, contact.pairs.index(("base", "c"))].sum() == 0
    assert kt.collisions(robot, [("base", "c")], margin=0.01)(q).all()  # as the caller wants it
    solve = kt.ik(robot, "tip", goal="position", clearance=0.01)
    assert solve([0.025, 0.0, 0.009]).success
    turn = kt.ik(robot, "c", base="b", goal="orientation", clearance=0.01)
    assert turn.contact.pairs == (("base", "c"), ("d", "c"))
    assert turn(np.eye(3)).success
    assert kt.clearance(robot, [("base", "c")])(robot.q()) < 0  # so that the exact answer is needed


def six_axes():
    """An arm of the proportions of a UR5, with balls at its joints, on a floor."""
    ends = {"ends": (-6.3, 6.3)}
    joints = [
        joint("base", "a", "0 0 0.009", **ends),
        joint("a", "b", "0 0.0136 0", axis="0 1 0", **ends),
        joint("b", "c", "0 -0.012 0.0425", axis="0 1 0", **ends),
        joint("c", "d", "0 0 0.0392", axis="0 1 0", **ends),
        joint("d", "e", "0 0.0093 0", **ends),
        joint("e", "f", "0 0 0.0095", axis="0 1 0", **ends),
        joint("base", "floor", "0 0 -0.0045", "fixed"),
    ]
    links = [link(name, BALL) for name in ("base", *"abcdef")] + [link("floor", "box size='0.3 0.3 0.001'")]
    return kt.load(f"<robot name='six'>{''.join(links + joints)}</robot>", format="urdf")


@pytest.mark.slow
def test_closed_forms_are_all_tried():
    robot = six_axes()
    plain, solve = kt.ik(robot, "f"), kt.ik(robot, "f", clearance=0.001)
    assert solve._forms
    T = kt.fk(robot, "f")(robot.limits.sample(300, seed=1))
    known, contact = plain.solutions(T), solve.contact
    is_apart = known.mask & ~contact(np.where(known.mask[..., None], known.q, 0.0))
    found, several = solve(T), solve.solutions(T)
    some, none = is_apart.any(axis=1), ~is_apart.any(axis=1)
    assert 20 < some.sum() < 280
    assert (found.success == some).all()
    assert (found.touching == none).all()
    assert (solve.reachable(T) == some).all()
    assert (several.mask.sum(axis=1) == is_apart.sum(axis=1)).all()
    np.testing.assert_allclose(several.q[several.mask], known.q[is_apart], atol=1e-9)  # in the same order
    assert not contact(found.q[some]).any()
    for i in (*np.flatnonzero(some)[:3], *np.flatnonzero(none)[:3]):
        assert (solve(T[i]).success, solve(T[i]).touching, solve.reachable(T[i])) == (some[i], none[i], some[i])
        one = solve.solutions(T[i])
        assert one.mask.sum() == is_apart[i].sum()
        np.testing.assert_allclose(one.q[one.mask], known.q[i, is_apart[i]], atol=1e-9)


@each(
    "options, message",
    [
        ({"clearance": -0.1}, "clearance is -0.1; expected a distance from 0"),
        ({"clearance": np.nan}, "clearance is nan"),
        ({"clearance": np.inf}, "clearance is inf"),
        ({"clearance": True}, "clearance is True"),
        ({"clearance": "near"}, "clearance is 'near'"),
        ({"clearance": [0.1]}, r"clearance is \[0.1\]"),
        ({"clearance": 0.1, "geometry": "box"}, "geometry is 'box'"),
        ({"geometry": "box"}, "geometry is 'box'"),
    ],
)
def test_wrong_arguments(robot, options, message):
    with pytest.raises(kt.KinetreeError, match=message):
        kt.ik(robot, "tip", goal="position", **options)


def test_contact_that_does_not_fit(robot):
    moving = kt.collisions(robot, moving=("post",))
    with pytest.raises(kt.KinetreeError, match="links that move by themselves, post"):
        kt.ik(robot, "tip", clearance=moving)
    with pytest.raises(kt.KinetreeError, match="link 'a' of 'planar' is not the one whose contact is given"):
        kt.ik(robot, "tip", goal="position", clearance=kt.collisions(planar("9 9 9")))
    with pytest.raises(kt.KinetreeError, match="no link has a collision shape"):
        kt.ik(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), "tip", goal="position", clearance=0.0)
    with pytest.raises(kt.KinetreeError, match=r"no two links .* move against each other"):
        kt.ik(robot, "a", goal="orientation", clearance=kt.collisions(robot, [("b", "c")]))


@pytest.mark.slow
def test_reach_maps():
    robot = planar(ball="sphere radius='0.02'", ends=(-7, 7))
    solve = kt.ik(robot, "tip", goal="position", clearance=0.002)
    plain = kt.reach_map(robot, "tip", directions=0, voxel=0.005)
    clear = kt.reach_map(robot, "tip", directions=0, voxel=0.005, clearance=0.002)
    assert clear.volume < plain.volume
    assert plain.grid.axis is not None
    assert clear.grid.axis is None  # the post is on one side
    centers = clear.grid.centers.reshape(-1, 3)
    assert (solve.reachable(centers) == (clear.reached.reshape(-1) > 0)).all()


def test_another_clearance_or_geometry_is_another_solver(robot):
    words = [{}, {"clearance": 0.0}, {"clearance": 0.002}, {"clearance": 0.002, "geometry": "hull"}]
    solvers = [kt.ik(robot, "tip", goal="position", **own) for own in words]
    assert len({*map(id, solvers)}) == 4
    assert [solver.contact and solver.contact.margin for solver in solvers] == [None, 0.0, 0.002, 0.002]


@pytest.mark.slow
@pytest.mark.parametrize("make", [kt.collisions, kt.clearance, lambda one: kt.ik(one, "tip", clearance=0.0)])
def test_what_is_kept_for_a_robot_does_not_keep_it(make):
    one = planar()
    known = weakref.ref(one)
    make(one)
    del one
    gc.collect()
    assert known() is None
