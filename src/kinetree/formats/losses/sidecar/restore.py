"""What a file carries for Kinetree, put back into the parts that its reader has read."""

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeVar

from kinetree.errors import Doubt, KinetreeError, nearest_names, shortened
from kinetree.formats.losses.sidecar.differences import CLASSES, FIELDS, Record, things_in
from kinetree.formats.losses.sidecar.merge_fixed_link import merge_fixed_link, with_frame
from kinetree.formats.losses.sidecar.values import Changes, changed, decoded, leaves
from kinetree.model.assemble import Parts, assemble
from kinetree.model.edit.naming import Names, renamed_parts
from kinetree.model.robot import UNLIMITED, Extension, Joint, Link
from kinetree.spatial.se3 import IDENTITY, Array, frozen, inverse
from kinetree.syntax.plain_words import plain_words
from kinetree.syntax.xml.reader import Element, Report

MOTION_ALIKE = ({"revolute", "continuous"},)
"""Types of joints that move alike and differ in their limits."""
T = TypeVar("T", Link, Joint)
Carried = tuple[Element, str, str, str, str]
"""An element of Kinetree in a file: itself, the kind and name of what it is about, its data as JSON, and the beginning
of all names in the model that has it, such as "arm::"."""
KINDS = (*CLASSES, "group", "robot")
GRAIN = 1e-9
"""Largest mass, kg, that a format may need where a robot has none."""
Pair = tuple[Element, Record]
LISTS = ("links", "joints", "loops", "frames", "sensors", "materials", "coupled_limits", "actuators", "extensions")


def restore(report: Report, parts: Parts, carried: Iterable[Carried], format: str) -> Parts:
    """Return the parts with what the elements of Kinetree in a file say; the parts stay as they are.

    Records that are broken, or that do not fit what the file says itself, are left out with a warning each.
    """
    records = [(element, record) for element, *said in carried if (record := _record(report, element, *said))]
    if report.failed:  # then the masses that records replace are unknown
        heavy = [r for _, r in records if r.kind == "link" and any(path.startswith("inertial") for path in r.data)]
        return replace(parts, doubts=[*parts.doubts, *(Doubt("link", r.name) for r in heavy)])
    if not records:
        return parts
    known = {fault.message for fault in assemble(parts)[1]}
    fits: list[int] = []
    made = parts
    broken: dict[int, str] = {}
    stack = [[*range(len(records))]]
    while stack:  # after a fault, each half alone: one wrong record among n takes about log n attempts
        more = stack.pop()
        tried, faults, fault = _applied(parts, {i: records[i] for i in sorted([*fits, *more])}, format, known)
        if not fault:
            fits += more
            made, broken = tried, {i: why for i, why in broken.items() if i not in fits} | faults
        elif len(more) == 1:
            broken[more[0]] = fault
        else:
            plain = [
                i for i in more if "name" not in records[i][1].data
            ]  # names may be exchanged, so they stay together
            first = plain if 0 < len(plain) < len(more) else more[: len(more) // 2]
            stack += [[i for i in more if i not in first], first]
    for i in sorted(broken):
        _warn(report, records[i], broken[i])
    return made


def _applied(
    parts: Parts, records: Mapping[int, Pair], format: str, known: Collection[str]
) -> tuple[Parts, dict[int, str], str]:
    """Return the parts with the records, why some do not fit, and a fault of the structure that is not known, or ""."""
    lists: dict[str, Any] = {name: [*getattr(parts, name)] for name in LISTS}
    made = replace(parts, **lists)
    own = Names()
    broken: dict[int, str] = {}
    renamed = {"joint": ("joint", "loop")}  # by one record
    names = cache(lambda kind: {thing.name for one in renamed.get(kind, (kind,)) for thing in things_in(made, one)})
    for step in (_take_out, _hang, _make_link, _change, _add, _of_robot, partial(_name, names)):
        for i, (_, record) in records.items():
            try:
                if i not in broken:
                    step(made, record, own)
            except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
                broken[i] = plain_words(error)
    try:
        made = renamed_parts(made, own, format) if own != Names() else made
        faults = (fault.message for fault in assemble(made)[1] if fault.message not in known)
    except KinetreeError as error:
        faults = (fault.message for fault in error.findings)
    return made, broken, next(faults, "")


def _record(report: Report, element: Element, kind: str, name: str, text: str, scope: str) -> Record | None:
    """Return the record in an element, or None with a warning."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict) and isinstance(data.get("file", {}), dict) and kind in KINDS:
        return _scoped(Record(kind, name, data), scope) if scope else Record(kind, name, data)
    wrong = "its data are not understood; expected a JSON object"
    if kind not in KINDS:
        wrong = f"the kind {kind!r} is not known; {nearest_names(kind, KINDS)}" if kind else "it does not say of what"
    about = f" about {kind.replace('_', ' ')}{f' {name!r}' if name else ''}" if kind else ""
    report.warning("carried", f"what it carries{about} has no effect: {wrong}", element)
    return None


def _scoped(record: Record, scope: str) -> Record:
    """Return a record of a model inside another, where the names of its parts begin with `scope`."""

    def outside(data: Any) -> Any:
        if isinstance(data, str):
            return scope + data
        if isinstance(data, list):
            return [outside(name) for name in data]
        return {outside(name): value for name, value in data.items()} if isinstance(data, dict) else data

    def renamed(data: dict[str, Any]) -> dict[str, Any]:
        return {path: outside(value) if path in NAMES else value for path, value in data.items()}

    if record.kind == "robot":  # which has a name and an order of its own
        extensions = {path: value for path, value in record.data.items() if path.startswith("extensions.")}
        return Record("robot", "", extensions)
    data = renamed(record.data) | ({"file": renamed(record.data["file"])} if "file" in record.data else {})
    return Record(record.kind, record.name if record.kind == "material" else scope + record.name, data)


ENDS = ("at", "parent", "child", "on")
"""Place among its kind of a link that is a frame in the file, and of the joint that holds it; links at the ends of
joints, and of frames on them."""
NAMES = (*ENDS[1:], "name", "frame", "link", "joint", "joints", "coefficients")
"""Fields that name other elements."""


def _warn(report: Report, pair: Pair, why: str) -> None:
    element, record = pair
    label = "the robot" if record.kind == "robot" else f"{record.kind.replace('_', ' ')} {record.name!r}"
    message = f"what it carries about {label} is left out: {shortened(why, 200)}"
    report.warning("carried", message, element)


def _at(parts: Parts, record: Record) -> tuple[list[Any], int]:
    """Return the list that contains the element of a record, and its index. Raises ValueError if there is none."""
    things = things_in(parts, record.kind) if record.kind in CLASSES else []
    for i, thing in enumerate(things):
        if thing.name == record.name:
            return things, i
    raise _unknown(record)


def _unknown(record: Record) -> ValueError:
    return ValueError(f"there is no {record.kind.replace('_', ' ')} {record.name!r}")


def _check_file(thing: Any, record: Record, paths: Iterable[str]) -> None:
    """Raise ValueError if a file says something else at the paths than when it was written."""
    now, then = leaves(thing, FIELDS[record.kind]), record.data.get("file", {})
    if isinstance(thing, Link) and thing.inertial:
        now["inertial.mass"] = thing.inertial.mass
    for path in paths:
        if not path.rpartition(".")[0].endswith("extensions") and now.get(path) != then.get(path):
            raise ValueError(f"{path} is {now.get(path, 'not given')!r} in the file, which has been changed since")


def _take_out(parts: Parts, record: Record, own: Names) -> None:
    if not record.data.get("gone"):
        return
    if record.kind == "link":
        merge_fixed_link(parts, record.name)
        return
    things, i = _at(parts, record)
    _check_file(things[i], record, {*record.data.get("file", {})})
    del things[i]


def _change(parts: Parts, record: Record, own: Names) -> None:
    values = _values(record)
    if record.kind in ("robot", "group") or not values or {"gone", "new"} & {*values}:
        return
    if record.kind == "frame" and {*values} != {"unplaced"}:
        raise ValueError("a frame is only where the file has it")
    things, i = _at(parts, record)
    thing = things[i]
    _check_file(thing, record, {**values, **record.data.get("file", {})})
    has_mass = isinstance(thing, Link) and thing.inertial and thing.inertial.mass > GRAIN
    if has_mass and not {"inertial", "inertial.mass"}.isdisjoint(values):
        raise ValueError("the file has a mass, which is not in place of none")
    made = _changed(type(thing), thing, _checked(record, values))
    if isinstance(made, Joint):
        if made.type != thing.type and not any({made.type, thing.type} <= alike for alike in MOTION_ALIKE):
            raise ValueError(f"a {thing.type} joint is not of type {made.type!r}")
        lacking = made.kind.nv - len(made.limits) if made.limits else 0
        made = replace(made, limits=(*made.limits, *[UNLIMITED] * lacking))
        if made.child_origin is not thing.child_origin:
            made = with_frame(replace(made, child_origin=thing.child_origin), made.child_origin)
    _check_ends(parts, record, made)
    things[i] = made


def _values(record: Record) -> dict[str, Any]:
    return {path: value for path, value in record.data.items() if path not in ("file", "name", *ENDS)}


def _hang(parts: Parts, record: Record, own: Names) -> None:
    """Give a joint or a frame the links of which the file has made frames, where they are."""
    data, is_new = record.data, record.kind == "joint" and record.data.get("new")
    if record.kind not in ("joint", "frame") or {*ENDS}.isdisjoint(data):
        return
    if is_new:
        (link, T), (other, T_child) = (_place(parts, data.get(end)) for end in ENDS[1:3])
        joint = _made(record, Joint(record.name, "fixed", data["parent"], data["child"]))
        if link != other or any(joint.name == thing.name for thing in parts.joints):
            raise ValueError("the file has been changed since")
        joint = replace(joint, origin=frozen(inverse(T) @ T_child @ inverse(joint.child_origin)))
        parts.joints.insert(_index(data), joint)
        return
    things, i = _at(parts, record)
    for end, field in {"parent": "parent", "child": "child", "on": "link"}.items():
        if end in data:
            link, T = _place(parts, data[end])
            if link != getattr(things[i], field):
                raise ValueError("the file has been changed since")
            thing, name = things[i], "child_origin" if end == "child" else "origin"
            origin = thing.child_origin @ T if end == "child" else inverse(T) @ thing.origin
            things[i] = replace(thing, **{field: data[end], name: frozen(origin)})


def _make_link(parts: Parts, record: Record, own: Names) -> None:
    """Make a link of a frame."""
    if record.kind == "link" and record.data.get("new"):
        frame = next((frame for frame in parts.frames if frame.name == record.name), None)
        if frame is None:
            raise ValueError(f"there is no frame {record.name!r}")
        parts.links.insert(_index(record.data), _made(record, Link(record.name, source=frame.source)))
        parts.frames.remove(frame)


def _made(record: Record, bare: T) -> T:
    """Return a link or joint with what the record says of it."""
    values = {path: value for path, value in _values(record).items() if path not in ("new", "type")}
    made: T = _changed(type(bare), bare, _checked(record, values)) if values else bare
    return made


def _place(parts: Parts, name: Any) -> tuple[str, Array]:
    """Return the link that a link or frame is fixed to, and its pose (4, 4) there."""
    frame = next((frame for frame in parts.frames if frame.name == name), None)
    if frame is None and all(link.name != name for link in parts.links):
        raise ValueError(f"there is no link or frame {name!r}")
    return (frame.link, frame.origin) if frame else (str(name), IDENTITY)


def _index(data: Mapping[str, Any]) -> int:
    at = data.get("at")
    return at if isinstance(at, int) and at >= 0 else sys.maxsize


def _checked(record: Record, values: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    """Return the values by split path. Raises ValueError for a field that is not carried."""
    for path in values:
        if path.partition(".")[0] not in FIELDS[record.kind]:
            raise ValueError(f"there is no field {path!r}")
    if values.get("inertial.mass", 0) != 0:
        raise ValueError("a mass is only where the file has it")
    return {tuple(path.split(".")): value for path, value in values.items()}


def _check_ends(parts: Parts, record: Record, thing: Any) -> None:
    frames = {link.name for link in parts.links} | {frame.name for frame in parts.frames}
    if record.kind == "sensor" and thing.frame not in frames:
        raise ValueError(f"there is no frame {thing.frame!r}")
    if record.kind == "frame" and all(thing.link != link.name for link in parts.links):
        raise ValueError(f"there is no link {thing.link!r}")
    joints = {joint.name for joint in parts.joints}
    if record.kind in ("sensor", "actuator") and thing.joint is not None and thing.joint not in joints:
        raise ValueError(f"there is no joint {thing.joint!r}")
    if record.kind == "coupled_limit" and (unknown := {*thing.coefficients} - joints):
        raise ValueError(f"there is no joint {min(unknown)!r}")
    if record.kind == "coupled_limit" and not any(thing.coefficients.values()):
        raise ValueError("it needs a coefficient that is not 0")


def _add(parts: Parts, record: Record, own: Names) -> None:
    if not record.data.get("new"):
        return
    if record.kind in ("link", "joint"):
        return
    if record.kind not in ("frame", "sensor", "material", "coupled_limit", "actuator"):
        raise ValueError(f"no {record.kind} can be carried")
    links = parts.links if record.kind == "frame" else []
    if any(thing.name == record.name for thing in [*things_in(parts, record.kind), *links]):
        raise ValueError("the file has an element of this name")
    values = _values(record)
    del values["new"]
    kind = CLASSES[record.kind]
    thing = _changed(kind, None, {("name",): record.name, **_checked(record, values)})
    _check_ends(parts, record, thing)
    things_in(parts, record.kind).append(thing)


def _of_robot(parts: Parts, record: Record, own: Names) -> None:
    if record.kind not in ("group", "robot"):
        return
    joints = {joint.name for joint in parts.joints}
    if record.kind == "group":
        parts.groups = {**parts.groups, record.name: _names(record.data.get("joints"), joints)}
    else:
        data = dict(record.data)
        if "joint_order" in data:
            parts.joint_order = _names(data.pop("joint_order"), joints)
        place = {name: i for i, name in enumerate(data.pop("actuators", ()))}
        parts.actuators.sort(key=lambda one: place.get(one.name, len(place)))
        if name := data.pop("name", None):
            parts.name = str(name)
        spaces = decoded(dict[str, str], data.pop("header", {}))
        if not all(re.fullmatch(r"xmlns:[A-Za-z_][\w.-]*", name) for name in spaces):
            raise ValueError("its header has more than declarations of name spaces")
        parts.header = spaces | dict(parts.header)
        changes = {tuple(path.split(".")): value for path, value in data.items() if path.startswith("extensions.")}
        if len(changes) != len(data):
            raise ValueError("a robot has other fields")
        at = {path[1:]: value for path, value in changes.items()}
        parts.extensions = [*changed(tuple[Extension, ...], tuple(parts.extensions), at)]


def _names(data: Any, known: set[str]) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(name, str) for name in data) or len({*data}) != len(data):
        raise ValueError("it needs a list of different names of joints")
    if unknown := {*data} - known:
        raise ValueError(f"there is no joint {min(unknown)!r}")
    return tuple(data)


def _name(names: Callable[[str], set[str]], parts: Parts, record: Record, own: Names) -> None:
    """Note the own name of an element that has another name in the file. names: those in the file, by kind."""
    name = record.data.get("name")
    if name is None or record.kind == "robot":
        return
    if record.kind not in CLASSES or record.name not in names(record.kind):
        raise _unknown(record)
    if not isinstance(name, str) or not name:
        raise ValueError("a name is a text that is not empty")
    own.of(record.kind)[record.name] = name


def _changed(kind: Any, thing: Any, values: Changes) -> Any:
    """Return an element with changes. Raises ValueError if they leave out what it needs."""
    if (made := changed(kind, thing, values)) is None:
        raise ValueError("what it needs is left out")
    return made
