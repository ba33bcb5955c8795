"""Joint states of a bag as columns of joint values."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.display import number as as_text, some
from kinetree.errors import Finding, KinetreeError, Severity, fail
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.cdr import MOST_ENTRIES, decoded
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import FOLLOWS, Columns

JOINT_STATE = "sensor_msgs/JointState"
USUAL = "/joint_states"
BACK = 10**9
"""Largest time in ns by which the stamp of a message may be before that of an earlier one; then they are sorted."""


class JointStates(NamedTuple):
    """Joint values of a topic. columns: one row for each stamp. stamps (n,): ns. messages (n,): the number of the
    message that made each row."""

    columns: Columns
    stamps: NDArray[np.int64]
    messages: NDArray[np.int64]


def chosen_topic(
    topics: Mapping[str, Topic], types: tuple[str, ...], asked: str | None, usual: str, option: str
) -> Topic:
    """Return the topic of one of these types that is meant: by name, else the usual one, else the only one. Raises
    KinetreeError that lists the topics otherwise."""
    fitting = {name: topic for name, topic in topics.items() if topic.type in types and topic.count}
    if (topic := fitting.get(asked or usual)) or (
        not asked and len(fitting) == 1 and (topic := next(iter(fitting.values())))
    ):
        return topic
    what = " and ".join(types)
    if not fitting:
        there = some(f"{name} ({topic.type})" for name, topic in topics.items()) or "no topics"
        raise fail("topic", f"there are no messages of type {what}; the bag has {there}")
    problem = f"no topic {asked} of type {what}" if asked else f"{len(fitting)} topics of type {what}"
    raise fail("topic", f"there {'is' if asked else 'are'} {problem}; legal for {option} are {some(fitting)}")


def joint_states(robot: Robot, topic: Topic) -> JointStates:
    """Return the joint values that a topic of joint states has.

    A joint that a message does not name, or with a position that is no number (NaN), keeps its value; the rows begin
    where all joints that ever have a position have one.
    Joints that the robot does not have, and followers, are left out, and notes say so. Raises KinetreeError, with the
    byte, for messages that are damaged or do not have a position for each name, and for stamps that go back.
    """
    places = {name: i for i, name in enumerate(n for n, j in robot.joints.items() if j.kind.single)}
    values = np.zeros((len(topic.data), len(places)))
    given = np.zeros(values.shape, dtype=bool)
    stamps = np.zeros(len(topic.data), dtype=np.int64)
    unknown, bad = Counter[str](), Counter[str]()
    empty = 0
    for rows, message, data in decoded(JOINT_STATE, topic.data, topic.fault):
        stamps[rows] = stamps_of(message["header"], data)
        names, position = message["name"], message["position"]
        if not position.size:
            empty += len(rows) if names else 0
            continue
        _check(topic, int(rows[0]), names, position)
        own = np.array([i for i, name in enumerate(names) if name in places], dtype=np.int64)
        columns = np.array([places[names[i]] for i in own], dtype=np.int64)
        found = position.of(data)[:, own]
        values[np.ix_(rows, columns)], given[np.ix_(rows, columns)] = found, ~np.isnan(found)
        bad.update({names[i]: n for i, n in zip(own, np.isnan(found).sum(axis=0).tolist(), strict=True) if n})
        unknown.update({name: len(rows) for name in names if name not in places})
        if len(unknown) > MOST_ENTRIES:
            raise topic.fault(int(rows[0]), 0, f"there are more than {MOST_ENTRIES:,} joints, which are not read")
    if not stamps.any():
        stamps = np.array(topic.log_times, dtype=np.int64)
    notes = (
        [note(topic, f"not joints of the robot that turn or slide: {some(_counted(unknown, topic))}")]
        if unknown
        else []
    )
    notes += [note(topic, f"{empty} messages have no positions, and are left out")] if empty else []
    notes += [note(topic, f"positions that are no numbers are left out: {some(_counted(bad, topic))}")] if bad else []
    if not given.any():
        there = f"; it has {some(unknown)}" if unknown else ""
        raise fail("joints", f"topic {topic.name} has no positions of joints of the robot {robot.name!r}{there}")
    return _rows(robot, topic, list(places), values, given, stamps, notes)


def stamps_of(header: Any, data: Any) -> NDArray[np.int64]:
    """Return the stamps (n,) in ns of the headers of messages (n, length)."""
    seconds, rest = (header["stamp"][part].of(data).astype(np.int64) for part in ("sec", "nanosec"))
    return np.asarray(seconds * 10**9 + rest)


def _check(topic: Topic, number: int, names: list[str], position: Any) -> None:
    if position.size != len(names):
        message = f"has {position.size} positions for {len(names)} names; expected one for each"
        raise topic.fault(number, position.offset, message)
    if len(set(names)) < len(names):
        ((twice, _),) = Counter(names).most_common(1)
        raise topic.fault(number, 0, f"names joint {twice!r} twice")


def _rows(
    robot: Robot, topic: Topic, names: list[str], values: Array, given: Any, stamps: Any, notes: list[Finding]
) -> JointStates:
    """Return the rows of values (n, k), sorted, with values that are not given taken from the row before."""
    back = np.maximum.accumulate(stamps) - stamps
    if len(back) and back.max() > BACK:
        worst = int(np.argmax(back > BACK))
        message = f"the stamp is {back[worst] / 1e9:g} s before an earlier one; expected one recording"
        raise topic.fault(worst, 0, message)
    order = np.argsort(stamps, kind="stable")
    order = order[given[order].any(axis=1)]
    values, given, stamps = values[order], given[order], stamps[order]
    ever = np.flatnonzero(given.any(axis=0))
    last = np.maximum.accumulate(np.where(given[:, ever], np.arange(len(order))[:, None], -1), axis=0)
    whole = (last >= 0).all(axis=1) & np.r_[stamps[1:] > stamps[:-1], np.ones(len(order[-1:]), dtype=bool)]
    if begins := int(np.argmax(whole)):
        notes.append(note(topic, f"the first {begins} rows are left out, before all joints have a position"))
    values = values[last, ever][whole]
    kept = [k for k, i in enumerate(ever) if not robot.joints[names[i]].mimic]
    notes += _followers(robot, topic, [names[i] for i in ever], values)
    messages = order[whole]

    def fault(sample: int | None, message: str) -> KinetreeError:
        return topic.fault(0 if sample is None else int(messages[sample]), 0, message)

    times = (stamps[whole] - stamps[whole][0]) / 1e9
    columns = Columns(tuple(names[ever[k]] for k in kept), values[:, kept], fault, times, tuple(notes))
    return JointStates(columns, stamps[whole], messages)


def _followers(robot: Robot, topic: Topic, names: list[str], values: Array) -> list[Finding]:
    """Return notes about followers whose values are not those by their leaders."""
    notes = []
    for k, name in enumerate(names):
        leader, multiplier, offset = resolve_mimic(robot, name)
        if leader == name:
            continue
        if leader not in names:
            notes.append(note(topic, f"joint {name!r} is left out, because {leader!r}, its leader, has no positions"))
            continue
        off = np.abs(multiplier * values[:, names.index(leader)] + offset - values[:, k]).max()
        if off > FOLLOWS:
            notes.append(note(topic, f"joint {name!r} is up to {as_text(off)} off {leader!r}, which it follows"))
    return notes


def _counted(unknown: Counter[str], topic: Topic) -> list[str]:
    return [f"{name} ({count:,} of {topic.count:,} messages)" for name, count in unknown.most_common()]


def note(topic: Topic, message: str, severity: Severity = "warning") -> Finding:
    """Return a note about a topic."""
    return Finding("motion", severity, message, element=f"topic {topic.name}")
