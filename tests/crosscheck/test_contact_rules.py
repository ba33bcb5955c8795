"""Faults of contact planted in real robots: each is named, by the rule that is about it."""

from __future__ import annotations

import re
import sysconfig
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.contact.make import coarse
from kinetree.contact.pairs import moving_pairs
from kinetree.contact.ways import columns_between, samples
from kinetree.model.robot import Geometry, Robot, Shape
from support import sample

pytestmark = [pytest.mark.crosscheck, pytest.mark.slow]

MODELS = """
a1_description/urdf/a1 alex_description/urdf/alex_nub_hands allegro_hand_description/urdf/allegro_left_hand
anymal_b_simple_description/robots/anymal b1_description/urdf/b1 baxter_description/urdf/baxter
bolt_description/robots/bolt centauro_description/urdf/centauro finger_edu_description/robots/finger_edu
go1_description/urdf/go1 go2_description/urdf/go2 hyq_description/robots/hyq_no_sensors
kinova_description/robots/kinova laikago_description/urdf/laikago panda_description/urdf/panda
pr2_description/urdf/pr2 so_arm_description/urdf/so100 solo_description/robots/solo12
ur_description/urdf/ur5_robot xarm_description/urdf/xarm7 z1_description/urdf/z1
"""


ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"


@cache
def loaded(name: str) -> Robot:
    if not ROBOTS.is_dir():
        pytest.skip("example-robot-data is not installed")
    return kt.load(ROBOTS / f"{name}.urdf")


def found(robot: Robot, code: str, srdf: str = "") -> list[kt.Finding]:
    """What a rule finds, with an SRDF of these elements."""
    if srdf:
        robot = kt.load(robot.source.file, srdf=f'<robot name="{robot.name}">{srdf}</robot>')
    return [one for one in kt.check(robot, contact=True) if one.code == code]


def dot(geometry: Geometry) -> bool:
    """Whether a collision shape only stands for one, as the sphere of 1 mm of Baxter's head."""
    return geometry.shape.kind == "sphere" and geometry.shape.parameters["radius"] < 0.01


@cache
def known(name: str):
    """The contact of a robot, samples, and which pairs touch in these; and the pairs of neighbours."""
    robot = loaded(name)
    contact = coarse(robot, without=[*robot.links], every=True)
    q = samples(robot)[1000:1150]  # not those of the rules
    near = {frozenset(pair) for some in moving_pairs(robot, contact.links())[1:] for pair in some}
    return contact, q, contact.where(q), near


@pytest.mark.parametrize("name", sample(MODELS.split(), 3, ("panda",)), ids=lambda name: name.rpartition("/")[2])
class TestPlanted:
    @pytest.mark.sampled(1)
    def test_a_disabled_pair_that_collides(self, name):
        contact, _, where, near = known(name)
        share = where.mean(axis=0)
        seldom = [i for i, pair in enumerate(contact.pairs) if frozenset(pair) not in near and 0.006 < share[i] < 0.6]
        if not seldom:
            pytest.skip("no two links touch")
        for i in (seldom[0], seldom[-1]):
            a, b = contact.pairs[i]
            said = found(loaded(name), "CON-001", f'<disable_collisions link1="{a}" link2="{b}" reason="Never"/>')
            assert [one.element for one in said] == [f"links {a!r} and {b!r}"]
            q = spelled(loaded(name), said[0].message)
            assert contact.where(q)[i], said[0].message
            if about := re.search(r"about (\S+) %", said[0].message):
                assert abs(float(about[1]) / 100 - share[i]) < 0.2, (said[0].message, share[i])

    @pytest.mark.sampled(1)
    def test_a_state_in_contact(self, name):
        robot, (contact, q, where, neighbours) = loaded(name), known(name)
        apart = ~contact.where(robot.q())
        near = q + 0.011 * np.random.default_rng(1).choice((-1, 1), (8, *q.shape))
        deep = where & contact.where(near).all(axis=0) & (robot.limits.margin(q) >= 0).all(axis=1)[:, None]
        known_pairs = [i for i, pair in enumerate(contact.pairs) if apart[i] and frozenset(pair) not in neighbours]
        rows = [(int(deep[:, i].argmax()), i) for i in known_pairs if deep[:, i].any()]
        if not rows:
            pytest.skip("no two links touch that are apart in the neutral posture")
        row, i = rows[0]
        joints = "".join(
            f'<joint name="{joint}" value="{" ".join(map(repr, q[row][own].tolist()))}"/>'
            for joint, own in robot.q_slices.items()
        )
        group = "".join(f'<joint name="{joint}"/>' for joint in robot.q_slices)
        srdf = f'<group name="all">{group}</group><group_state name="bad" group="all">{joints}</group_state>'
        said = [one for one in found(robot, "CON-002", srdf) if one.element == "group_state 'bad'"]
        names = "{!r} and {!r}".format(*contact.pairs[i])
        assert said
        assert names in said[0].message or "more pairs" in said[0].message

    def test_a_neighbour_that_is_not_disabled(self, name):
        contact, _, where, near = known(name)
        always = [pair for pair, all_ in zip(contact.pairs, where.all(axis=0), strict=True) if all_]
        own = [pair for pair in always if frozenset(pair) in near and columns_between(loaded(name), *pair)]
        if not own:
            pytest.skip("no neighbours always touch")
        rest = "".join(
            f'<disable_collisions link1="{a}" link2="{b}" reason="Adjacent"/>' for a, b in always if (a, b) != own[0]
        )
        said = " ".join(one.message for one in found(loaded(name), "SRD-011", rest or "<group name='g'/>"))
        assert "{!r} and {!r}".format(*own[0]) in said

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("fault", ["large", "small", "moved"])
    def test_a_visual_elsewhere(self, name, fault):
        robot = loaded(name)
        moving = {joint.child for joint in robot.joints.values() if joint.kind.nv}
        both = [
            link
            for link in robot.links.values()
            if link.name in moving and len(link.visuals) == 1 and any(not dot(s) for s in link.collisions)
        ]
        if not both:
            pytest.skip("no link has one visual")
        clean = {one.element for one in kt.check(robot, select=["GEO-005", "GEO-006", "MSH-006"], contact=True)}
        tried = 0
        for link in (both[0], both[len(both) // 2], both[-1]):
            if f"link {link.name!r}" in clean or not all(s.shape.kind == "mesh" for s in link.visuals):
                continue
            tried += 1
            links = {**robot.links, link.name: replace(link, visuals=tuple(planted(s, fault) for s in link.visuals))}
            said = kt.check(replace(robot, links=links), select=["GEO-005", "GEO-006", "MSH-006"], contact=True)
            assert f"link {link.name!r}" in {one.element for one in said} - clean, link.name
        if not tried:
            pytest.skip("no visuals are meshes")

    @pytest.mark.sampled(1)
    def test_a_limit_widened_into_contact(self, name):
        robot, (contact, q, _, near) = loaded(name), known(name)
        clean = {one.element for one in found(robot, "CON-003")}
        for joint, own in robot.q_slices.items():
            limits = robot.joints[joint].limits
            if robot.joints[joint].kind.angular != (True,) or not limits or f"joint {joint!r}" in clean:
                continue
            if not np.isfinite([limits[0].lower, limits[0].upper]).all() or robot.limits.blocks:
                continue
            some = [
                i
                for i, p in enumerate(contact.pairs)
                if frozenset(p) not in near and own.start in columns_between(robot, *p)
            ]
            for end in np.arange(limits[0].upper + 0.2, limits[0].upper + 3.0, 0.2):
                where = []
                for value in (end, end - 0.1):
                    there = q[:60].copy()
                    there[:, own] = value
                    where.append(contact.where(there)[:, some].all(axis=0))
                elsewhere = contact.where(q[:60])[:, some].mean(axis=0) < 0.3
                if (where[0] & where[1] & elsewhere).any():
                    wide = replace(robot.joints[joint], limits=(replace(limits[0], upper=float(end)),))
                    other = replace(robot, joints={**robot.joints, joint: wide})
                    assert f"joint {joint!r}" in {one.element for one in found(other, "CON-003")}
                    return
        pytest.skip("no joint comes into contact with one pair wherever the others stand")


def planted(shape, fault: str):
    """A visual in another scale, or elsewhere."""
    if fault == "moved":
        T = shape.origin.copy()
        T[:3, 3] += [0.0, 2.0, 0.5]
        return replace(shape, origin=T)
    scale = np.array(shape.shape.parameters.get("scale", (1.0, 1.0, 1.0))) * (1000 if fault == "large" else 0.001)
    return replace(shape, shape=Shape("mesh", {**shape.shape.parameters, "scale": tuple(scale.tolist())}))


def spelled(robot: Robot, message: str) -> np.ndarray:
    """The configuration that a message has for `kinetree show`."""
    assert "--deg" in message
    given = {name: [float(x) for x in text.split(",")] for name, text in re.findall(r"--q (\S+)=(\S+)", message)}
    q = robot.q()
    for name, value in given.items():
        turns = robot.joints[name].kind.angular
        q[robot.q_slices[name]] = [np.deg2rad(x) if turn else x for x, turn in zip(value, turns, strict=True)]
    return q
