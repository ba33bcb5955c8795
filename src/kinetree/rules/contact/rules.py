"""Rules about links in contact: disabled pairs, postures, and the ends of ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from kinetree.errors import Source
from kinetree.model.edit.extensions import kept_elements
from kinetree.rules.contact.contacts import FEW, Contacts
from kinetree.rules.options import CheckOptions
from kinetree.rules.quality import Quality, unit
from kinetree.rules.rule import Array, Found, Robot, Rule, Threshold, fact, number
from kinetree.rules.srdf.contents import SRDF

URL = "https://wiki.ros.org/srdf"
QUATERNION = 4
"""Numbers of a quaternion."""
ROUNDED = 1e-3
"""How far outside of the limits a posture may be, rad or m."""
LITTLE = Threshold(0.01, "rad or m", "how far all joints are from the posture when links still touch")
SELDOM = Threshold(0.5, "", "largest share of configurations in which these links touch elsewhere")
INSIDE_RAD = Threshold(0.1, "rad", "how far inside of the end of its range a turning joint is when links still touch")
INSIDE_M = Threshold(0.005, "m", "how far inside of the end of its range a sliding joint is when links still touch")


class OfContact(Rule):
    """A rule about contact; it runs if contact is to be tested."""

    of_robot: ClassVar[bool] = True
    context: ClassVar[CheckOptions] = CheckOptions(contact=True)


class DisabledPairs(OfContact):
    """A disabled pair of links is not in contact, unless its reason says so.

    Planners ignore a contact of a disabled pair: the robot hits itself. MoveIt's assistant writes Never for a pair that
    did not touch in some thousand random configurations; such samples miss contacts.
    """

    code = "CON-001"
    url = URL
    base = SRDF
    base_format = "srdf"
    evidence = "heuristic"
    clause = "disable_collisions: pairs of links that need not be tested"
    good = """<disable_collisions link1="link_5" link2="link_6" reason="Adjacent"/>"""
    bad = """<disable_collisions link1="base_link" link2="link_5" reason="Never"/>"""

    def check(self, contacts: Contacts) -> Found:
        """A pair that is found in contact, in random configurations or by a search from the nearest of these, with
        another reason than Adjacent, Always and User, which allow contact. Not judged are neighbours, pairs that always
        touch, and pairs with the reason Default or none that touch in the neutral posture."""
        for pair, hit in contacts.hits.items():
            if hit.q is not None:
                one = contacts.disabled[pair]
                why = f"as {one.reason!r}" if one.reason else "without a reason"
                default = ", but not in the neutral posture" if one.reason.lower() == "default" else ""
                often = f"in about {number(100 * hit.share, 2)} % of random configurations" if hit.share else "rarely"
                at = contacts.words(hit.q, pair, contacts.columns[pair])
                message = f"the pair is disabled {why}, but touches {often}{default}; it does at {at}"
                fix = "remove the line; if the contact shall be ignored, give it the reason User"
                yield self.finding(message, f"links {contacts.named([pair])}", source=one.source, fix=fix)


class Posture(NamedTuple):
    """A configuration (nq,) that the model names, its element and place, and the columns of q that it sets."""

    q: Array
    element: str
    source: Source | None
    columns: set[int]


class FreePostures(Quality, OfContact):
    """No links touch in the neutral posture and in those that the model names.

    Planners refuse such a posture as a start and as a goal, and simulators throw the links apart.
    """

    code = "CON-002"
    url = URL
    thresholds = (LITTLE,)
    evidence = "heuristic"
    clause = "a configuration of the robot"
    good = '<origin xyz="0.55 0 0"/>'
    bad = '<origin xyz="-0.15 0 0"/>'

    def check(self, contacts: Contacts, postures: tuple[Posture, ...]) -> Found:
        """Pairs in contact in the neutral posture, a state of the SRDF or a keyframe of an MJCF; of a state those that
        its joints move. Not judged is contact that ends where all joints move a little, as of closed fingers, and
        pairs that are disabled, neighbours, or always in contact."""
        neutral = contacts.robot.q()
        for one in postures:
            moved = {i for i in one.columns if one.q[i] != neutral[i]}
            own = one.columns if one is postures[0] else moved
            pairs = [
                pair
                for pair in contacts.tested
                if not contacts.columns[pair].isdisjoint(own)
                and (pair not in contacts.neutral or contacts.columns[pair] <= one.columns)
            ]
            near = one.q + LITTLE * np.random.default_rng(0).choice((-1.0, 1.0), (FEW, len(one.q)))
            if touching := contacts.search.in_all(np.concatenate([one.q[None], near]), pairs):
                at = f", at {contacts.words(one.q, touching[0], moved)}" if moved else ""
                message = f"links touch in this posture: {contacts.named(touching)}{at}"
                yield self.finding(message, one.element, source=one.source)


class FreeEnds(Quality, OfContact):
    """At the end of the range of a joint, the links that it moves need not touch.

    If they always do, the robot cannot go there: the limit is too wide, or has another sign or unit.
    """

    code = "CON-003"
    url = "http://wiki.ros.org/urdf/XML/joint"
    thresholds = (INSIDE_RAD, INSIDE_M, SELDOM)
    evidence = "heuristic"
    clause = "the limits of a joint"
    good = '<limit lower="-1.5" upper="2.4" velocity="3" effort="100"/>'
    bad = '<limit lower="-1.5" upper="3.1" velocity="3" effort="100"/>'

    def check(self, robot: Robot, contacts: Contacts) -> Found:
        """A pair that touches wherever the other joints stand, at an end of the range and somewhat inside of it, where
        a finger or a stop that only touches does not. Not judged are pairs that are disabled, neighbours, or always in
        contact."""
        for name, where in robot.q_slices.items():
            joint, column = robot.joints[name], where.start
            if joint.kind.nv != 1 or not np.isfinite([joint.limit.lower, joint.limit.upper]).all():
                continue
            inside = float(INSIDE_RAD if joint.kind.angular[0] else INSIDE_M)
            pairs = [pair for pair in contacts.tested if column in contacts.columns[pair]]
            for end, to in ((joint.limit.lower, inside), (joint.limit.upper, -inside)):
                found = _stuck(contacts, pairs, column, (end, end + to))
                if found and joint.limit.upper - joint.limit.lower > 2 * inside:
                    at, before = f"{number(end)} {unit(joint)}", f"{number(inside)} {unit(joint)}"
                    message = f"at {at}, an end of its range, and {before} inside, {contacts.named(found)} always touch"
                    yield self.finding(message, joint, fix="narrow the range, or make the collision shapes smaller")


def _stuck(contacts: Contacts, pairs: list[int], column: int, values: Iterable[float]) -> list[int]:
    """Return the pairs that always touch where a coordinate has some values, and seldom elsewhere."""
    for value in values:
        q = contacts.q[:FEW].copy()
        q[:, column] = value
        pairs = contacts.search.in_all(q, pairs)
    share = contacts.search.where(contacts.q[:FEW], pairs).mean(axis=0) if pairs else ()
    return [pair for pair, often in zip(pairs, share, strict=True) if often < SELDOM]


@fact
def postures(robot: Robot) -> tuple[Posture, ...]:
    """Return the postures that the model names, inside of the limits, the neutral one first."""
    found = [Posture(robot.q(), f"robot {robot.name!r}", robot.source, {*range(robot.nq)})]
    sections = [*kept_elements(robot.extensions, "mjcf", "keyframe")]
    keys = {key.get("name") for _, root in sections for key in root.children}
    for state in robot.semantic.group_states if robot.semantic else ():
        if state.name in keys:  # of which it was made
            continue
        given = {one.name: one.value for one in state.joints}
        found += _posture(robot, given, f"group_state {state.name!r}", state.source)
    for one, root in sections:
        joints = [(own["joint"], int(own["nq"])) for e in root.children if "nq" in (own := e.attributes)]
        for key in root.find_all("key"):
            numbers, given = _numbers(key.get("qpos") or ""), {}
            for name, count in joints if len(numbers) == sum(count for _, count in joints) else ():
                given[name], numbers = numbers[:count], numbers[count:]
                if count >= QUATERNION:  # MuJoCo's begin with w
                    given[name] = (*given[name][:-4], *given[name][-3:], given[name][-4])
            found += _posture(robot, given, f"keyframe {key.get('name') or ''!r}", one.source)
    return tuple(found)


def _numbers(text: str) -> tuple[float, ...]:
    """Return the numbers in a text, none if something else is in it."""
    try:
        return tuple(map(float, text.split()))
    except ValueError:
        return ()


def _posture(robot: Robot, given: Mapping[str, tuple[float, ...]], name: str, source: Source | None) -> list[Posture]:
    """Return the posture with these values of joints, or none if it is outside of the limits."""
    q, columns = robot.q(), set()
    for joint, value in given.items():
        where = robot.q_slices.get(joint)
        if where and len(value) == len(q[where]):
            q[where] = value
            columns |= {*range(robot.nq)[where]}
    inside = np.isfinite(q).all() and (robot.limits.margin(q) >= -ROUNDED).all()
    return [Posture(q, name, source, columns)] if inside else []
