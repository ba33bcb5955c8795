"""Text of a robot in a format, with records of what the format lacks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from kinetree.display import listed
from kinetree.errors import Finding, KinetreeError
from kinetree.formats.losses.sidecar.differences import Record, differences
from kinetree.formats.losses.sidecar.unseen import unseen
from kinetree.model.assemble import Reading, build, parts_of
from kinetree.model.edit.naming import Names, renamed_parts
from kinetree.model.robot import Robot
from kinetree.syntax.xml.reader import MAX_TAG

MAX_TEXT = MAX_TAG // 8
"""Most characters of a record: XML takes up to six for one, and a reader refuses longer tags."""


@dataclass
class LegalNames:
    """A robot under names that are legal in a format; own: its own names by (kind, name in the file)."""

    robot: Robot
    own: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, robot: Robot, names: dict[tuple[str, str], str], format: str) -> "LegalNames":
        """Return a robot under other names, {(kind, own name): name in the file}; kind "robot" is that of the robot."""
        if not names:
            return cls(robot)
        to = Names()
        for (kind, old), new in names.items():
            if kind != "robot":
                to.of(kind)[old] = new
        parts = renamed_parts(parts_of(robot), to, format)
        parts.name = names.get(("robot", robot.name), robot.name)
        own = {(kind, "" if kind == "robot" else new): old for (kind, old), new in names.items()}
        return cls(build(parts), own)


def written(
    renamed: LegalNames,
    format: str,
    render: Callable[[Robot, Sequence[Record]], str],
    read: Callable[[str, str], Reading],
    notes: list[Finding] | None = None,
    known: Sequence[Record] = (),
) -> str:
    """Return the text of a robot, with records of what the reader of the format does not find in it otherwise.

    notes: a list that gets a remark on what other programs do not see. known: records of what the writer has changed.
    Raises KinetreeError if the text cannot be read again, and for a record that is too long.
    """
    robot = renamed.robot
    text = render(robot, ())
    back, findings = read(text, f"robot.{format}")
    if back is None:
        raise KinetreeError([finding for finding in findings if finding.severity == "error"])
    records = differences(robot, back, format, renamed.own, known)
    if notes is not None:
        notes += _notes(records, renamed, {one.name for one in known}, format)
        notes += [*other_order(robot, back.joint_names, format), *guessed_places(robot)]
    for record in records:
        if len(record.text) > MAX_TEXT:
            message = f"what is to be carried of it has {len(record.text)} characters; at most {MAX_TEXT} are written"
            label = f"{record.kind} {record.name or robot.name!r}"
            raise KinetreeError(Finding("cannot-say-extension", "error", message, element=label, fix=EXTENSION_FIX))
    return render(robot, records) if records else text


EXTENSION_FIX = "pass without=('extension',), or --without extension, to leave such parts out"


def _notes(records: Sequence[Record], renamed: LegalNames, known: set[str], format: str) -> list[Finding]:
    """Return remarks on what other programs do not see, on inertias that are changed, and on names that differ."""
    found = []
    if text := unseen(records, format, renamed.robot):
        found.append(Finding("carried", "info", text))
    changed = [one for one in records if "inertial.inertia" in one.data and "inertial.mass" not in one.data]
    if bodies := [one.name for one in changed if one.name not in known]:
        message = (
            f"no body can have the inertia of {listed(bodies, 8)}; other programs see the nearest that a body can have"
        )
        found.append(Finding("carried", "info", message))
    shown = {key: own for key, own in renamed.own.items() if key[0] != "sensor" or not own.endswith(f"::{key[1]}")}
    if shown:
        names = [f"{kind} {own!r} as {name!r}" for (kind, name), own in shown.items()]
        message = f"other programs see other names, which do not clash: {listed(names, 8)}"
        found.append(Finding("carried", "info", message))
    return found


def other_order(robot: Robot, theirs: Sequence[str], format: str) -> list[Finding]:
    """Return a remark if programs that read a file of a robot have q in another order. theirs: names of its joints;
    format: that of the file, or "pinocchio"."""
    if tuple(theirs) == robot.joint_names or not theirs:
        return []
    who = {"mjcf": "MuJoCo has", "pinocchio": "Pinocchio has"}.get(format, "other programs have")
    same = next(i for i, pair in enumerate(zip_longest(theirs, robot.joint_names)) if len({*pair}) > 1)
    own = listed(robot.joint_names[same:], 8)
    message = f"{who} q in another order, from joint {same + 1} on: {listed(theirs[same:], 8)}; here it is {own}"
    return [Finding("other-order", "info", message, robot.source, fix="set the numbers of q by the names of joints")]


def guessed_places(robot: Robot) -> list[Finding]:
    """Return a warning if frames have no known place: a file has them where they are guessed."""
    if not (names := [frame.name for frame in robot.frames.values() if frame.unplaced]):
        return []
    message = f"no place is known for the frames {listed(names, 8)}; other programs see them where they are guessed"
    return [Finding("unplaced", "warning", message, robot.source, fix="give them a place with kt.edit.move_frame")]
