"""Facts about a robot, computed when a rule first needs them.

A rule's `check` names its inputs: `robot`, one of the options below, or any fact below, in ELSEWHERE or in a family of
rules. A fact is a function that names its own inputs likewise. None means unknown, and rules that need it do not run.

Options: controller: a key of kinetree.controllers, or None. strict: whether a missing frame is as grave as a wrong one.
kind, frames, also: those of `CheckOptions`. contact: whether links are tested for contact.
packages: folders of ROS packages by name. confined: a `Confinement` outside of which no file is read, or False.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Robot
from kinetree.rules.options import CheckOptions
from kinetree.spatial.se3 import IDENTITY, Array
from kinetree.syntax.xml.reader import DerivedText, Element, parsed

if TYPE_CHECKING:
    from kinetree.robot_kinds.kinds import Kinds

F = TypeVar("F", bound=Callable[..., Any])
Poses = Mapping[str, Array]
"""The fact `poses`."""
Bodies = Mapping[str, str]
"""The fact `bodies`."""

FACTS: dict[str, Callable[..., Any]] = {}
ELSEWHERE = {
    "named_chains": "robot_kinds.arms",
    "serial_chains": "robot_kinds.arms",
    "kinds": "robot_kinds.kinds",
    "xacro_roots": "xacro_text.calls",
    "program": "xacro_text.calls",
    "attached_at": "xacro_text.calls",
    "elements": "repairs.fixes",
    "missing_pairs": "rules.contact.contacts",
}
"""Functions of other packages or families that are facts, to their modules, which are imported when a rule first needs
them."""


def fact(function: F) -> F:
    """Make a function of other facts a fact, by its name."""
    assert function.__name__ not in FACTS, "two facts of one name"
    FACTS[function.__name__] = function
    return function


class Subject:
    """A robot and its known facts. unknown: the names of those that are None."""

    def __init__(self, robot: Robot, context: CheckOptions = CheckOptions()) -> None:
        self._known: dict[str, Any] = {
            "robot": robot,
            "controller": context.controller,
            "strict": context.strict,
            "kind": context.kind,
            "frames": context.frames,
            "also": context.also,
            "contact": context.tests_contact,
            "packages": context.read.packages or {},
            "confined": context.read.confined,
        }
        self.unknown = {name for name, value in self._known.items() if value is None}

    def facts(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the inputs of a function by name."""
        known, names = self._known, _inputs(function)
        for name in names:
            if name not in known:
                self._fact(name)
        return {name: known[name] for name in names}

    def _fact(self, name: str) -> None:
        function = _function(name)
        self._known[name] = function(**self.facts(function))
        self.unknown |= {name} if self._known[name] is None else set()


def kinds_of(robot: Robot) -> "Kinds":
    """Return the kinds of a robot and of its chains."""
    found: Kinds = Subject(robot).facts(lambda kinds: None)["kinds"]
    return found


@cache
def _inputs(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return tuple(name for name in code.co_varnames[: code.co_argcount] if name != "self")


def _function(name: str) -> Callable[..., Any]:
    """Return the function of a fact."""
    found: Callable[..., Any] = FACTS.get(name) or getattr(import_module(f"kinetree.{ELSEWHERE[name]}"), name)
    return found


@cache
def needs(function: Callable[..., Any]) -> frozenset[str]:
    """Return the inputs of a function, and all facts of which these are made."""
    names = frozenset(_inputs(function))
    return names.union(*(needs(_function(name)) for name in names if name in FACTS or name in ELSEWHERE))


@fact
def poses(robot: Robot) -> dict[str, Array]:
    """Return T_root_frame (4, 4) of every frame, all coordinates at zero (quaternions at identity)."""
    T = {robot.root: IDENTITY}  # of the links; a product is quicker than a tree here
    for name in robot.placed:
        joint = robot.joints[name]
        T_joint = T[joint.parent] @ joint.origin
        if joint.mimic and (offset := mimic_polynomial(robot, name)[1][0]):
            T_joint = T_joint @ joint.kind.transform(joint.axes, joint.pitch, (offset,))
        T[joint.child] = T_joint if joint.child_origin is IDENTITY else T_joint @ joint.child_origin
    return {name: T[name] if name in T else T[frame.link] @ frame.origin for name, frame in robot.frames.items()}


@fact
def bodies(robot: Robot) -> Bodies:
    """Return, by frame, the top link of its rigid body: the child of a joint that moves, or the root."""
    found = {robot.root: robot.root}
    for name in robot.placed:  # parents before children
        joint = robot.joints[name]
        found[joint.child] = joint.child if joint.kind.nv else found[joint.parent]
    return {name: found[frame.link] for name, frame in robot.frames.items()}


@fact
def document(robot: Robot) -> Element | None:
    """Return the root element of the URDF text from which the robot was read, expanded by xacro or not."""
    if robot.text is None or robot.text.format != "urdf" or robot.source is None:
        return None
    file = (robot.source.made or robot.source).file
    return parsed(DerivedText(robot.text.text, robot.text.origins), file)


@fact
def sdf_document(robot: Robot) -> Element | None:
    """Return the root element of the SDF file from which the robot was read, if it has only this model."""
    if robot.text is None or robot.text.format != "sdf" or robot.source is None:
        return None
    return parsed(DerivedText(robot.text.text, robot.text.origins), robot.source.file)
