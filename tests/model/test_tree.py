"""The robot as computed: order of the joints, followers, frames, inertias; and the names that lead to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.dynamics.inverse import rnea
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import KinetreeError, UnknownNameError
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.mimic import leader_ranges, resolve_mimic
from kinetree.model.robot import Inertial, Joint, Limit, Link, Mimic, Robot
from kinetree.model.tree import build_tree, with_standing
from kinetree.spatial import plucker, se3
from physics import bodies, everything, kinetic_energy, random_pose, total_inertia
from support import all_frames, icub_urdfs, random_q

Z = se3.frozen([[0.0, 0.0, 1.0]])


def hinge(name: str, parent: str, child: str, **more) -> Joint:
    return Joint(name, "revolute", parent, child, axes=Z, **more)


def links(*names: str) -> list[Link]:
    return [Link(name) for name in names]


@pytest.fixture(scope="module", params=["everything", "icub"])
def robot(request) -> Robot:
    return everything() if request.param == "everything" else kt.load(icub_urdfs()[0])


class TestOrder:
    def test_repeatedly_the_first_joint_in_the_file_whose_parent_is_placed(self):
        joints = [
            hinge("tip", "b", "c"),
            hinge("left", "root", "a"),
            hinge("fixed", "a", "d"),
            hinge("right", "root", "b"),
            hinge("late", "d", "e"),
        ]
        joints[2] = Joint("fixed", "fixed", "a", "d")
        robot = build(Parts("r", links("e", "d", "c", "b", "a", "root"), joints))
        assert robot.placed == ("left", "fixed", "right", "tip", "late")
        assert robot.joint_names == ("left", "right", "tip", "late")

    def test_it_is_the_rule_as_written(self, robot):
        """The rule, carried out word for word."""
        placed, order = {robot.root}, []
        while len(order) < len(robot.joints):
            joint = next(j for j in robot.joints.values() if j.parent in placed and j.name not in order)
            order.append(joint.name)
            placed.add(joint.child)
        assert robot.placed == tuple(order)
        moving = [n for n in order if robot.joints[n].type != "fixed" and not robot.joints[n].mimic]
        assert robot.joint_names == tuple(moving)

    def test_the_parent_of_a_body_carries_it_and_has_a_smaller_number(self, robot):
        """Featherstone's function of parents, -1 for the base: as the robot's own joints say."""
        tree = build_tree(robot)
        body = {robot.root: -1}
        for name in robot.placed:
            joint = robot.joints[name]
            body[joint.child] = tree.joints.index(name) if name in tree.joints else body[joint.parent]
        for i, name in enumerate(tree.joints):
            assert tree.parent[i] == body[robot.joints[name].parent] < i

    def test_order_by_the_caller(self, robot):
        names = tuple(reversed(robot.joint_names))
        other = robot.order(names)
        assert other.joint_names == names
        q = random_q(robot, np.random.default_rng(0))
        values = {name: q[where] for name, where in robot.q_slices.items()}
        mine, theirs = all_frames(robot, q), all_frames(other, other.q(values))
        for name in robot.frames:
            np.testing.assert_allclose(theirs[name], mine[name], rtol=0, atol=1e-14)

    def test_order_refusals(self):
        robot = everything()
        with pytest.raises(KinetreeError, match="missing: \\['screw_3'\\]"):
            robot.order(n for n in robot.joint_names if n != "screw_3")
        with pytest.raises(KinetreeError, match="named twice: \\['screw_3'\\]"):
            robot.order([*robot.joint_names, "screw_3"])
        with pytest.raises(KinetreeError, match="follows 'thumb'"):
            robot.order([*robot.joint_names, "finger"])
        with pytest.raises(UnknownNameError, match="screw_3"):
            robot.order([*robot.joint_names, "screw_33"])


class TestCoordinates:
    def test_q_by_name(self):
        robot = everything()
        q = robot.q({"planar_b0": [0.1, 0.2, 0.3]}, screw_3=0.5)
        assert dict(zip(robot.coordinate_names, q, strict=True)) == {
            **dict.fromkeys(robot.coordinate_names, 0.0),
            "ball_b3.qw": 1.0,
            "floating_b4.qw": 1.0,
            "planar_b0.x": 0.1,
            "planar_b0.y": 0.2,
            "planar_b0.angle": 0.3,
            "screw_3": 0.5,
        }

    def test_degrees_are_for_angles_alone(self):
        robot = everything()
        q = robot.q({"planar_b0": [0.1, 0.2, 90], "prismatic_2": 3, "screw_3": 180}, unit="deg")
        assert np.array_equal(q[robot.q_slices["planar_b0"]], [0.1, 0.2, np.pi / 2])
        assert q[robot.q_slices["prismatic_2"]] == 3
        assert q[robot.q_slices["screw_3"]] == np.pi

    @each(
        "values, unit, message",
        [
            ({"screw3": 1}, "rad", "did you mean 'screw_3'"),
            ({"fixed_1": 1}, "rad", "is fixed"),
            ({"finger": 1}, "rad", "follows 'thumb'"),
            ({"screw_3": [1, 2]}, "rad", "takes 1 number,"),
            ({"screw_3": np.inf}, "rad", "not finite"),
            ({"screw_3": 1}, "grad", "expected 'rad' or 'deg'"),
        ],
    )
    def test_refusals(self, values, unit, message):
        with pytest.raises(KinetreeError, match=message):
            everything().q(values, unit=unit)


class TestNames:
    @each(
        "kind, wrong, near",
        [
            ("links", "trunk55", "trunk5"),
            ("joints", "thum", "thumb"),
            ("frames", "on_bas", "on_base"),
            ("sensors", "im", "imu"),
        ],
    )
    def test_a_key_error_lists_the_nearest(self, kind, wrong, near):
        with pytest.raises(KeyError, match=f"no {kind[:-1]} '{wrong}'; did you mean .*'{near}'") as caught:
            getattr(everything(), kind)[wrong]
        assert isinstance(caught.value, KinetreeError)

    def test_of_a_frame_in_the_tree(self):
        with pytest.raises(KeyError, match="'on_base'"):
            build_tree(everything()).frame("on_bas")

    def test_few_names_are_all_listed(self):
        robot = build(Parts("r", links("a", "b"), [hinge("j", "a", "b")]))
        with pytest.raises(KeyError, match="there are 'a', 'b'"):
            robot.links["zzz"]
        with pytest.raises(KeyError, match="there are none"):
            robot.sensors["zzz"]

    def test_get_and_in(self):
        robot = everything()
        assert robot.links.get("nobody") is None
        assert robot.links.get("base") is robot.links["base"]
        assert "base" in robot.frames
        assert "nobody" not in robot.frames


class TestMimic:
    @staticmethod
    def tree(mimic):
        joints = [hinge("j1", "a", "b"), hinge("j2", "b", "c", mimic=mimic)]
        return build_tree(build(Parts("r", links("a", "b", "c"), joints)))

    def test_a_chain_of_followers_is_affine(self):
        chain = [
            hinge("a", "l0", "l1", limits=(Limit(-1, 1),)),
            hinge("b", "l1", "l2", mimic=Mimic("a", 2.0, 0.1)),
            hinge("c", "l2", "l3", mimic=Mimic("b", -3.0, 0.2)),
            hinge("d", "l3", "l4", mimic=Mimic("c", 0.5, -0.3), limits=(Limit(-2, 5),)),
        ]
        robot = build(Parts("r", links("l0", "l1", "l2", "l3", "l4"), chain))
        assert robot.joint_names == ("a",)
        leader, multiplier, offset = resolve_mimic(robot, "d")
        assert leader == "a"
        assert multiplier == pytest.approx(0.5 * -3 * 2, abs=1e-15)
        assert offset == pytest.approx(0.5 * (-3 * 0.1 + 0.2) - 0.3, abs=1e-15)
        for a in (-1.0, 0.0, 0.7):
            b = 2 * a + 0.1
            c = -3 * b + 0.2
            d = 0.5 * c - 0.3
            T = all_frames(robot, np.array([a]))["l4"]
            np.testing.assert_allclose(T, se3.turn((0.0, 0.0, 1.0), a + b + c + d), rtol=0, atol=1e-14)
            slack = min(1 - a, a + 1, 5 - d, d + 2)
            assert robot.limits.margin([a]).min() == pytest.approx(slack, abs=1e-14)
        assert robot.limits.row_names == ("d upper", "d lower")

    def test_rate_and_bend_are_the_derivatives_of_what_follows_by_a_polynomial(self):
        tree = self.tree(Mimic("j1", 2.0, 0.5, (-3.0, 0.25, 2.0)))
        i, h = tree.joints.index("j2"), 1e-4
        number = lambda x: tree.coordinates(i, np.array([x]))[0]  # noqa: E731
        for x in (0.0, 0.7, -1.1):
            q = np.array([x])
            assert number(x) == pytest.approx(0.5 + 2 * x - 3 * x**2 + 0.25 * x**3 + 2 * x**4, rel=1e-14)
            assert tree.rate(i, q) == pytest.approx(2 - 6 * x + 0.75 * x**2 + 8 * x**3, rel=1e-14)
            assert tree.bend(i, q) == pytest.approx(-6 + 1.5 * x + 24 * x**2, rel=1e-14)
            assert tree.bend(i, q) == pytest.approx((number(x + h) - 2 * number(x) + number(x - h)) / h**2, abs=1e-5)
        leader = tree.joints.index("j1")
        assert (tree.rate(leader, q), tree.bend(leader, q)) == (1.0, 0.0)
        line = self.tree(Mimic("j1", 2.0, 0.5))
        assert (line.rate(i, q), line.bend(i, q)) == (2.0, 0.0)

    @pytest.mark.parametrize(
        ("coefficients", "own", "leads", "ranges"),
        [
            ((0.0, 0.0, 1.0), (0.25, 1), (-5, 5), [(-1, -0.5), (0.5, 1)]),
            ((0.0, 0.0, 1.0), (4, np.inf), (-5, 5), [(-np.inf, -2), (2, np.inf)]),
            ((0.0, 0.0, 1.0), (4, np.inf), (1, 5), [(2, np.inf)]),
            ((0.0, 0.0, 1.0), (4, np.inf), (-5, 1.5), [(-np.inf, -2)]),
            ((0.0, 0.0, 1.0), (-np.inf, 4), (-5, 5), [(-2, 2)]),
            ((0.0, 0.0, 1.0), (0, 4), (-5, 5), [(-2, 2)]),
            ((1.0, 0.0, 1.0), (0, np.inf), (-5, 5), [(-np.inf, np.inf)]),
            ((1.0, 0.0, 1.0), (-3, 0), (-5, 5), []),
            ((0.0, -4.0, 0.0, 1.0), (0, 15), (-5, 5), [(-2, 0), (2, 3)]),
            ((0.0, -4.0, 0.0, 1.0), (0, 15), (0.5, 5), [(2, 3)]),
            ((0.0, -4.0, 0.0, 1.0), (0, 15), (1.9, 5), [(2, 3)]),
        ],
    )
    def test_ranges_of_a_leader_whose_follower_is_inside_its_limits(self, coefficients, own, leads, ranges):
        offset, multiplier, *higher = coefficients
        leader = hinge("j1", "a", "b", limits=(Limit(*leads),))
        follower = hinge("j2", "b", "c", mimic=Mimic("j1", multiplier, offset, tuple(higher)), limits=(Limit(*own),))
        robot = build(Parts("r", links("a", "b", "c"), [leader, follower]))
        name, found = leader_ranges(robot, robot.joints["j2"])
        assert (name, len(found)) == ("j1", len(ranges))
        for one, expected in zip(found, ranges, strict=True):
            assert one == pytest.approx(expected, abs=1e-9)

    def test_a_follower_may_stand_before_its_leader(self):
        parts = Parts("r", links("a", "b", "c"), [hinge("f", "a", "b", mimic=Mimic("g")), hinge("g", "a", "c")])
        T = all_frames(build(parts), np.array([0.4]))
        assert np.array_equal(T["b"], T["c"])

    def test_a_follower_of_a_slide_takes_its_metres_as_radians(self):
        slide = Joint("s", "prismatic", "a", "b", axes=Z)
        robot = build(Parts("r", links("a", "b", "c"), [slide, hinge("f", "a", "c", mimic=Mimic("s", 10.0))]))
        np.testing.assert_allclose(all_frames(robot, np.array([0.02]))["c"], se3.turn((0.0, 0.0, 1.0), 0.2), atol=1e-15)


class TestFrames:
    def test_a_frame_against_itself_is_exactly_the_identity(self, robot):
        tree, q = build_tree(robot), random_q(robot, np.random.default_rng(0))
        for name in robot.frames:
            (T,) = forward_kinematics(tree, q, [name], base=name)
            assert np.array_equal(T, np.eye(4))

    @pytest.mark.slow
    def test_any_frame_against_any_base(self, robot):
        tree, rng = build_tree(robot), np.random.default_rng(2)
        q = random_q(robot, rng)
        T_root = all_frames(robot, q)
        names = list(robot.frames)
        for base in rng.choice(names, 12):
            for name, T in zip(names, forward_kinematics(tree, q, names, base=base), strict=True):
                np.testing.assert_allclose(T, se3.inverse(T_root[base]) @ T_root[name], rtol=0, atol=1e-12)

    def test_poses_are_products_along_the_chain(self, robot):
        """The definition, joint by joint: origin @ motion @ child_origin."""
        q = random_q(robot, np.random.default_rng(3))
        T = {robot.root: np.eye(4)}
        for name in robot.placed:
            joint = robot.joints[name]
            leader, multiplier, offset = resolve_mimic(robot, name)
            numbers = np.zeros(0) if leader not in robot.q_slices else multiplier * q[robot.q_slices[leader]] + offset
            XJ = joint.kind.transform(joint.axes, joint.pitch, numbers)
            T[joint.child] = T[joint.parent] @ joint.origin @ XJ @ joint.child_origin
        for name, pose in all_frames(robot, q).items():
            frame = robot.frames[name]
            np.testing.assert_allclose(pose, T[frame.link] @ frame.origin, rtol=0, atol=1e-12)

    def test_unknown_frames(self, robot):
        with pytest.raises(UnknownNameError):
            forward_kinematics(build_tree(robot), robot.q(), ["nobody"])
        with pytest.raises(UnknownNameError):
            forward_kinematics(build_tree(robot), robot.q(), [robot.root], base="nobody")


class TestBodies:
    def test_fixed_joints_make_no_bodies(self, robot):
        tree = build_tree(robot)
        assert tree.joints == tuple(n for n in robot.placed if robot.joints[n].type != "fixed")
        assert all(parent < i for i, parent in enumerate(tree.parent))
        assert (tree.nq, tree.nv) == (robot.nq, robot.nv)

    def test_X_tree_has_the_inverse_sense_of_the_pose(self, robot):
        """Featherstone's XT maps the parent's coordinates to those of the joint; T_tree maps the other way."""
        tree, rng = build_tree(robot), np.random.default_rng(4)
        for X, T in zip((plucker.motion_transform(se3.inverse(T)) for T in tree.T_tree), tree.T_tree, strict=True):
            w, v = rng.normal(size=(2, 3))
            R, p = T[:3, :3], T[:3, 3]
            # the same motion, seen at the joint's origin and in its axes
            expected = np.concatenate([R.T @ w, R.T @ (v + np.cross(w, p))])
            np.testing.assert_allclose(X @ np.concatenate([w, v]), expected, rtol=0, atol=1e-14)

    def test_inertia_is_that_of_the_points_of_the_body(self):
        """Six points of mass m/6 at ±d on the principal axes: the spatial inertia is the sum over points, computed
        directly from the kinetic energy ½ Σ m |v + ω × p|²."""
        rng = np.random.default_rng(6)
        mass, d = 3.0, np.array([0.1, 0.2, 0.3])
        inertia = np.diag([sum(d**2) - d[i] ** 2 for i in range(3)]) * mass / 3
        T_link_com, T_joint = random_pose(rng), random_pose(rng)
        weld = random_pose(rng)
        robot = build(
            Parts(
                "r",
                [Link("a"), Link("b"), Link("c", Inertial(mass, inertia, T_link_com))],
                [hinge("j", "a", "b", origin=T_joint), Joint("w", "fixed", "b", "c", weld)],
            )
        )
        (I,) = build_tree(robot).inertia
        T = weld @ T_link_com
        points = [T[:3, :3] @ (s * d[i] * np.eye(3)[i]) + T[:3, 3] for i in range(3) for s in (1, -1)]
        for _ in range(5):
            w, v = rng.normal(size=(2, 3))
            energy = sum(0.5 * mass / 6 * float(np.sum((v + np.cross(w, p)) ** 2)) for p in points)
            twist = np.concatenate([w, v])
            assert 0.5 * twist @ I @ twist == pytest.approx(energy, rel=1e-13)

    def test_masses_add_up(self, robot):
        total = sum(link.inertial.mass for link in robot.links.values() if link.inertial)
        tree = build_tree(robot)
        assert sum(I[5, 5] for I in (*tree.inertia, tree.base_inertia)) == pytest.approx(total, rel=1e-14)

    def test_kinetic_energy_is_that_of_moving_masses(self, robot):
        """Finite differences of where every link's mass is, against the tree's spatial inertias and subspaces."""
        rng = np.random.default_rng(8)
        movable = robot
        q, h = random_q(movable, rng), 1e-6
        qd = rng.normal(size=movable.nv)
        single = [n for n in movable.joint_names if movable.joints[n].kind.nq == movable.joints[n].kind.nv]
        tree = build_tree(movable)
        dq = np.zeros(movable.nq)
        keep = np.zeros(movable.nv)
        for i, name in enumerate(tree.joints):
            if name in single:
                dq[tree.q_slice[i]], keep[tree.v_slice[i]] = qd[tree.v_slice[i]], 1.0
        before, after, now = (all_frames(movable, q + s * dq) for s in (-h, h, 0.0))
        energy = 0.0
        for link in movable.links.values():
            if link.inertial is None:
                continue
            T_dot = (after[link.name] - before[link.name]) / (2 * h) @ link.inertial.origin
            R = (now[link.name] @ link.inertial.origin)[:3, :3]
            W = R.T @ T_dot[:3, :3]
            w = np.array([W[2, 1], W[0, 2], W[1, 0]])
            energy += 0.5 * link.inertial.mass * float(T_dot[:3, 3] @ T_dot[:3, 3]) + 0.5 * float(
                w @ link.inertial.inertia @ w
            )
        assert kinetic_energy(movable, q, qd * keep) == pytest.approx(energy, rel=1e-7)

    def test_total_inertia_at_the_root(self, robot):
        """Against point by point: mass and first moment from the links' own poses."""
        q = random_q(robot, np.random.default_rng(9))
        poses = all_frames(robot, q)
        moment = sum(
            (
                link.inertial.mass * (poses[link.name] @ link.inertial.origin)[:3, 3]
                for link in robot.links.values()
                if link.inertial
            ),
            np.zeros(3),
        )
        I = total_inertia(robot, q, robot.root)
        np.testing.assert_allclose(I[:3, 3:], plucker.skew(moment), rtol=0, atol=1e-12 * max(1, np.abs(moment).max()))
        assert len(bodies(robot, q)) == len(build_tree(robot).joints) + 1


def test_a_robot_of_one_link():
    robot = build(Parts("r", [Link("only")]))
    assert robot.nq == 0
    assert np.array_equal(all_frames(robot, robot.q())["only"], np.eye(4))


def test_parts_and_back_is_the_same_robot():
    robot = everything()
    again = build(parts_of(robot))
    assert again.joint_names == robot.joint_names
    assert again.placed == robot.placed
    assert list(again.frames) == list(robot.frames)
    assert replace(again, name="x").name == "x"


def test_standing_joints_have_places_and_no_velocities():
    """Forces are those of the whole robot whose last joints stand; every type of joint stands in its turn."""
    robot = everything()
    whole, q = build_tree(robot), random_q(robot, np.random.default_rng(0))
    rng, gravity = np.random.default_rng(1), np.array([1.0, 2.0, -9.81])
    for last in range(0, len(robot.joint_names) + 1, 3):
        names = robot.joint_names[:last]
        tree = with_standing(whole, max((robot.q_slices[name].stop for name in names), default=0))
        assert tree.nv == sum(robot.joints[name].kind.nv for name in names)
        qd, qdd = rng.normal(size=(2, tree.nv))
        rest = np.zeros(whole.nv - tree.nv)
        expected = rnea(whole, q, np.concatenate([qd, rest]), np.concatenate([qdd, rest]), gravity, {})
        found = np.array(rnea(tree, q, qd, qdd, gravity, {}), dtype=float)
        np.testing.assert_allclose(found, expected[: tree.nv].astype(float), atol=1e-9)
