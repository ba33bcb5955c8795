"""What the YAML files of MoveIt and of controllers say about a robot; which is which is decided by their content."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.files.opener import read_file
from kinetree.model.references import REFERENCES
from kinetree.rules.rule import Robot, fact
from kinetree.syntax.yaml import Yaml, read_yaml_values

JOINT_KEYS = tuple(sorted(key for key, _ in REFERENCES["controllers"]))
"""Parameters of controllers whose values are names of joints."""
_read = lru_cache(256)(read_yaml_values)  # a file is checked with several robots


@dataclass(frozen=True, slots=True)
class Controller:
    """A controller or another node with parameters.

    type: its class, "" if no file says it. parameters: None if no file has any. others: whether it is of another name
    space than the robot's. managed: whether it is in the list of ROS 2's controller manager.
    """

    name: str
    type: str
    source: Source
    parameters: Yaml | None = None
    others: bool = False
    managed: bool = False

    def names(self, key: str) -> tuple[Yaml, ...]:
        """Return the names in a parameter; none for interfaces of other controllers and for names yet to be made."""
        if key == "joint" and not any(word in self.type for word in ("ripper", "Joint")):
            return ()  # a virtual one, such as the tool of a controller of twists
        found = self.parameters.get(key) if self.parameters else None
        return tuple(one for one in (found.texts if found else ()) if is_plain(one.text))


@dataclass(frozen=True, slots=True)
class RosFiles:
    """The YAML files that belong to a robot.

    documents: their contents. faults: why others cannot be read. limits: limits by joint. kinematics: settings by
    group. controllers: those of ros2_control and of ROS 1. moveit: those that MoveIt sends to; listed: their names in
    controller_names. positions: initial positions by joint. managers: parameters of controller managers.
    """

    documents: tuple[Yaml, ...] = ()
    faults: tuple[Finding, ...] = ()
    limits: tuple[tuple[str, Yaml], ...] = ()
    kinematics: tuple[tuple[str, Yaml], ...] = ()
    controllers: tuple[Controller, ...] = ()
    moveit: tuple[Controller, ...] = ()
    listed: tuple[Yaml, ...] = ()
    positions: tuple[tuple[str, Yaml], ...] = ()
    managers: tuple[Yaml, ...] = ()


def named_joints(files: RosFiles) -> set[str]:
    """Return the joints that limits, positions and controllers name."""
    some = (one for one in (*files.controllers, *files.moveit) if not one.others)
    inside = (one.text for controller in some for key in JOINT_KEYS for one in controller.names(key))
    return {*inside, *(name for name, _ in (*files.limits, *files.positions))}


def is_plain(name: str) -> bool:
    """Return whether a name is that of a joint, and neither an interface of another controller nor a pattern."""
    return bool(name) and not any(character in name for character in "/${}*")


@fact
def ros_files(also: tuple[str, ...]) -> RosFiles | None:
    """Return what the YAML files beside a robot say, None if there are none."""
    documents: list[Yaml] = []
    faults: list[Finding] = []
    for file in also:
        try:
            content = read_file(Path(file))
            if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
                documents += _read(content, file)
        except KinetreeError as error:
            faults += error.findings
    if not documents and not faults:
        return None
    parts = [part for document in documents for part in document.walk() if part.items]
    pairs = [pair for part in parts for pair in part.items]
    moveit, listed = _moveit(parts)
    limits = (limit for key, value in pairs if key == "joint_limits" for limit in value.items)
    return RosFiles(
        tuple(documents),
        tuple(faults),
        tuple(one for one in limits if any(key.startswith(("has_", "max_", "min_")) for key, _ in one[1].items)),
        tuple(pair for pair in pairs if any(key.startswith("kinematics_solver") for key, _ in pair[1].items)),
        _controllers(documents, parts),
        moveit,
        listed,
        tuple(position for document in documents for position in _positions(document)),
        tuple(p for document in documents for _, name, p in _sections(document, "") if name == "controller_manager"),
    )


@fact
def groups(robot: Robot) -> Mapping[str, tuple[str, ...]]:
    """Return the joints of each planning group that have a motor."""
    passive = {joint.name for joint in robot.semantic.passive_joints} if robot.semantic else set()
    return {name: tuple(joint for joint in joints if joint not in passive) for name, joints in robot.groups.items()}


def _moveit(parts: Iterable[Yaml]) -> tuple[tuple[Controller, ...], tuple[Yaml, ...]]:
    """Return the controllers that MoveIt sends to, and the names that are listed in controller_names."""
    found: list[Controller] = []
    listed: list[Yaml] = []
    for part in parts:
        blocks = [(key, value) for key, value in part.items if value.get("type") and value.get("joints")]
        names = part.get("controller_names")
        if names and blocks:
            listed += names.texts
            found += [Controller(key, _text(value, "type"), value.source, value) for key, value in blocks]
        for one in (part.get("controller_list") or part).values:
            if one.get("joints"):
                found.append(Controller(_text(one, "name"), _text(one, "type"), one.source, one))
    return tuple(found), tuple(listed)


def _controllers(documents: Iterable[Yaml], parts: Iterable[Yaml]) -> tuple[Controller, ...]:
    """Return the controllers of ros2_control, with the types that the controller manager has, and those of ROS 1."""
    sections = [section for document in documents for section in _sections(document, "")]
    types = {
        (space, name.removesuffix(".type")): value
        for space, manager, parameters in sections
        if manager == "controller_manager"
        for name, value in parameters.items
        if value.get("type") or (value.text and name.endswith(".type"))
    }
    made: dict[tuple[str, str], Controller] = {}
    for space, name, parameters in sections:
        if name != "controller_manager":
            declared = types.get((space, name))
            kind = declared.text if declared and declared.text else _text(declared or parameters, "type")
            made[space, name] = Controller(
                name, kind, parameters.source, parameters, _is_of_others(space), declared is not None
            )
    alone = {
        key: Controller(key[1], value.text or _text(value, "type"), value.source, None, _is_of_others(key[0]), True)
        for key, value in types.items()
        if key not in made
    }
    inside = {id(part) for _, _, parameters in sections for part in parameters.walk()}
    old = [
        Controller(key, _text(value, "type"), value.source, value)
        for part in parts
        for key, value in part.items
        if id(value) not in inside and "ontroller" in _text(value, "type") and "/" in _text(value, "type")
    ]
    return (*made.values(), *alone.values(), *old)


def _is_of_others(space: str) -> bool:
    """Return whether a name space is written out; one that a launch file fills in is the robot's."""
    return bool(space) and not space.startswith(("$(", "<"))


def _sections(value: Yaml, space: str, depth: int = 0) -> Iterator[tuple[str, str, Yaml]]:
    """Yield name space, name and parameters of each node in a file of ROS 2 parameters."""
    for key, child in value.items:
        path = f"{space}/{key}".replace("/**", "").replace("/*", "").strip("/")
        if parameters := child.get("ros__parameters"):
            yield path.rpartition("/")[0], path.rpartition("/")[2], parameters
        elif child.items and depth < 3:
            yield from _sections(child, path, depth + 1)


def _positions(document: Yaml) -> Iterator[tuple[str, Yaml]]:
    """Yield initial positions: those below initial_positions, or numbers by joint in a file of positions."""
    for part in document.walk():
        if found := part.get("initial_positions"):
            yield from ((name, value) for name, value in found.items if value.number is not None)
    numbers = [pair for pair in document.items if pair[1].number is not None]
    if "position" in Path(document.source.file).name:
        yield from numbers


def _text(value: Yaml, key: str) -> str:
    found = value.get(key)
    return found.text if found else ""
