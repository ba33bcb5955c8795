"""Rules about the states and the disabled pairs of an SRDF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING

from kinetree.display import listed
from kinetree.model.mimic import mimic_polynomial
from kinetree.rules.blocks.gazebo import repeated
from kinetree.rules.joints.values import FOLLOWS, ROUNDED, TURN, value_fault
from kinetree.rules.rule import Found, Robot, Threshold
from kinetree.rules.srdf.contents import OfSrdf

if TYPE_CHECKING:
    from kinetree.model.semantic import CollisionPair, GroupState, JointValue, Semantic

MOST = 5
"""Most names in a message."""
SHARE = Threshold(0.7, "", "smallest part of the adjacent pairs that a list has if it is meant to have all")


class StatesInLimits(OfSrdf):
    """The joints of a state are within their limits, and where the joints that they follow put them.

    Planners refuse a state outside of the limits as start and as goal, and move a follower to where its leader puts it.
    """

    code = "SRD-007"
    thresholds = (ROUNDED, TURN, FOLLOWS)
    clause = "a group state gives the value of each joint"
    good = """<joint name="joint_3" value="0.9"/>"""
    bad = """<joint name="joint_3" value="90"/>"""

    def check(self, robot: Robot, semantic: Semantic) -> Found:
        """A value outside of the limits, or a mimic away from its leader, by more than rounding. Joints of several
        coordinates are not judged."""
        for state in semantic.group_states:
            values = {one.name: one.value[0] for one in state.joints if len(one.value) == 1}
            for one in state.joints:
                if one.name in values and (fault := value_fault(robot, one.name, values)):
                    yield self.finding(fault, semantic.label(state, "group_states"), source=one.source)


class StatesOfTheGroup(OfSrdf):
    """The joints of a state belong to its group, and move.

    MoveIt ignores the value of another joint, and of one that is fixed.
    """

    code = "SRD-008"
    clause = "the joints of a group state are those of its group"
    good = """<joint name="joint_6" value="0"/>"""
    bad = """<joint name="joint_6" value="0"/> <joint name="finger_joint" value="0.02"/>"""

    def check(self, robot: Robot, semantic: Semantic, whole_groups: Mapping[str, tuple[str, ...]]) -> Found:
        """Joints of other groups, a fixed joint, and another count of values than the joint has."""
        for state in semantic.group_states:
            about, foreign = semantic.label(state, "group_states"), list(_foreign(state, robot, whole_groups))
            if foreign:
                do = "does" if len(foreign) == 1 else "do"
                names = _listed([one.name for one in foreign])
                message = f"{names} {do} not belong to the group {state.group!r}, so MoveIt ignores the value"
                yield self.finding(message, about, source=foreign[0].source)
            for one in state.joints:
                joint = robot.joints.get(one.name)
                if joint is None or one in foreign:
                    continue
                if not joint.kind.nq:
                    yield self.finding(f"the joint {one.name!r} is fixed, so it has no value", about, source=one.source)
                elif len(one.value) != joint.kind.nq:
                    message = f"the joint {one.name!r} has {len(one.value)} values; expected {joint.kind.nq}"
                    yield self.finding(message, about, source=one.source)


def _foreign(state: GroupState, robot: Robot, groups: Mapping[str, tuple[str, ...]]) -> Iterator[JointValue]:
    """Yield the values of joints that are not in the group of a state, nor follow one that is."""
    own = set(groups.get(state.group, ()))
    for one in state.joints if own else ():
        if one.name in robot.joints and not {one.name, mimic_polynomial(robot, one.name)[0]} & own:
            yield one


class StatesAreWhole(OfSrdf):
    """A state has every joint of its group that moves by itself.

    MoveIt puts the others at zero, or in the middle of their range.
    """

    code = "SRD-009"
    clause = "a group state gives the value of each joint"
    good = """<joint name="joint_6" value="0"/>"""
    bad = ""

    def check(self, robot: Robot, semantic: Semantic, whole_groups: Mapping[str, tuple[str, ...]]) -> Found:
        """Joints of the group without a value; passive and virtual joints need none."""
        passive = {joint.name for joint in semantic.passive_joints}
        for state in semantic.group_states:
            given = {joint.name for joint in state.joints} | passive
            wanted = [name for name in whole_groups.get(state.group, ()) if name in robot.joint_names]
            if missing := [name for name in wanted if name not in given]:
                message = f"the state has no value for {_listed(missing)}, of the group {state.group!r}"
                yield self.finding(message, semantic.label(state, "group_states"), source=state.source)


class StatesOnce(OfSrdf):
    """A state has a name of its own in its group, and gives each joint one value.

    Of two states of one name MoveIt keeps the last.
    """

    code = "SRD-013"
    clause = "the name of the state"
    good = """<group_state name="home" """
    bad = """<group_state name="home" group="manipulator"><joint name="joint_1" value="1"/></group_state>
  <group_state name="home" """

    def check(self, semantic: Semantic) -> Found:
        """Two states, end effectors or virtual joints of one name, and two values of a joint in a state."""
        named = {"group_states": ("name", "group"), "virtual_joints": ("name",), "end_effectors": ("name",)}
        for field, key in named.items():
            for first, later in repeated(getattr(semantic, field), attrgetter(*key)):
                message = f"the name is already used on line {first.source.line}; give each a name of its own"
                yield self.finding(message, semantic.label(later, field), source=later.source)
        for state in semantic.group_states:
            for _, later in repeated(state.joints, lambda joint: joint.name):
                message = f"the state gives the joint {later.name!r} two values; expected one"
                yield self.finding(message, semantic.label(state, "group_states"), source=later.source)


class PairsOnce(OfSrdf):
    """A pair of links is disabled once, and has two links.

    A pair that stands twice, or names one link twice, is often a copy in which a name was not changed.
    """

    code = "SRD-010"
    clause = "disable_collisions names two links"
    good = """link1="link_5" link2="link_6\""""
    bad = """link1="link_5" link2="link_5\""""

    def check(self, semantic: Semantic) -> Found:
        """A pair of one link, and one finding for all pairs that stand twice."""
        first: dict[frozenset[str], CollisionPair] = {}
        twice: list[CollisionPair] = []
        about = "<disable_collisions>"
        for pair in semantic.disabled_collisions:
            if pair.link1 == pair.link2:
                message = f"link1 and link2 are both {pair.link1!r}; expected two links"
                yield self.finding(message, about, source=pair.source)
            elif first.setdefault(pair.links, pair) is not pair:
                twice.append(pair)
        if twice:
            again = [first[pair.links] for pair in twice]
            pairs = list(dict.fromkeys(f"{pair.link1!r} and {pair.link2!r}" for pair in again))
            said = "this pair is" if len(pairs) == 1 else f"{len(pairs)} pairs are"
            yield self.finding(f"{said} disabled twice: {_listed(pairs)}", about, source=twice[0].source)


class AdjacentPairs(OfSrdf):
    """Adjacent links are disabled, if the other adjacent ones are.

    Links that a joint connects touch at the joint, so MoveIt reports a collision in every state. Links that are in no
    disabled pair are not judged: the SRDF may be of a part of the robot.
    """

    code = "SRD-011"
    thresholds = (SHARE,)
    evidence = "heuristic"
    clause = "links that are always in collision, such as adjacent ones, are disabled"
    good = """<disable_collisions link1="link_5" link2="link_6" reason="Adjacent"/>"""
    bad = """<disable_collisions link1="link_4" link2="link_6" reason="Never"/>"""

    def check(self, robot: Robot, semantic: Semantic, missing_pairs: tuple[tuple[str, str], ...]) -> Found:
        """One finding for all missing pairs, if most of the adjacent pairs are disabled. Links on fixed joints are
        judged by themselves. If contact is tested, one more for those that are found in contact in all of 30 random
        configurations and at the limits of the joints between them, adjacent or not, however many are disabled."""
        if missing_pairs:
            names = [f"{a!r} and {b!r}" for a, b in missing_pairs]
            yield self.finding(
                f"these always touch, and are not disabled: {_listed(names)}",
                "<disable_collisions>",
                source=semantic.source,
            )
        by_reason = [pair for pair in semantic.disabled_collisions if pair.reason.lower() == "adjacent"]
        if not by_reason:
            return
        unchecked = {one.link for one in semantic.unchecked_links}
        written = {pair.links for pair in (*semantic.disabled_collisions, *semantic.enabled_collisions)}
        listed = {name for pair in semantic.disabled_collisions for name in (pair.link1, pair.link2)}
        felt = {link.name for link in robot.links.values() if link.collisions and link.name in listed} - unchecked
        known = written | set(map(frozenset, missing_pairs))
        joints = [joint for joint in robot.joints.values() if {joint.parent, joint.child} <= felt]
        names = []
        for fixed in (False, True):
            alike = [joint for joint in joints if (joint.type == "fixed") is fixed]
            missing = [joint for joint in alike if frozenset((joint.parent, joint.child)) not in known]
            if len(missing) <= (1 - SHARE) * len(alike):
                names += [f"{joint.parent!r} and {joint.child!r} (joint {joint.name!r})" for joint in missing]
        if names:
            message = f"most adjacent links are disabled; add {_listed(names)}"
            yield self.finding(message, "<disable_collisions>", source=by_reason[-1].source)


def _listed(names: list[str]) -> str:
    """Return names with commas between them, quoted unless they are words already."""
    return listed((name if name.startswith("'") else repr(name) for name in names), MOST)
