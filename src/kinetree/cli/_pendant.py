"""Joints as the pendant of --controller shows them: in --q and in motions, and beside those of the model in print."""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import click
import numpy as np

from kinetree.cli._controllers import keys_of, print_notes, who
from kinetree.cli._help import Function, option
from kinetree.cli._joints import whole_robot
from kinetree.cli._model import configuration as given_configuration, note_outside, values_of
from kinetree.cli._say import say
from kinetree.controllers import controllers
from kinetree.controllers.controller import Controller
from kinetree.display import number, some
from kinetree.errors import KinetreeError, UnverifiedWarning, fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.queries.configuration import configuration, has_configuration
from kinetree.queries.pendant import Pendant, joints_between, pendant
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.logs import Motion

Value = TypeVar("Value")
PENDANT, MODEL = "pendant:", "model:"
"""What tells a name of the pendant from the same name of the model."""
BASES, TOOLS = ("base", "base_link"), ("tool0", "flange")
"""Frames at the ends of an arm: the first that a robot has."""

robot_model = option("--robot-model NAME", "Product name of the arm, for coupled joints.  [default: as in MODEL]")


def with_arm(function: Function) -> Function:
    """Give a command --controller and --robot-model, as its argument `arm`: from base or base_link to tool0 or flange,
    or None."""

    @wraps(function)
    def command(*, robot: Robot, controller: str | None, robot_model: str | None, **others: Any) -> Any:
        base, tool0 = _ends(robot)
        if controller and not tool0:
            message = (
                f"the robot has no frame {' or '.join(TOOLS)}, the end of the arm (REP-199), or several arms have one"
            )
            raise fail("controller-frame", message)
        who = controllers[controller] if controller is not None else None
        return function(robot=robot, arm=command_arm(robot, who, robot_model, base, tool0), **others)

    help = "Read joints as on the pendant of this controller, such as fanuc: J1, … (deg, mm), or of MODEL."
    return option("--controller KEY", help)(robot_model(command))


@dataclass(frozen=True, eq=False)
class CommandArm:
    """An arm on a pendant. robot: that of the command; whole: the same robot with the joints that --joints leaves out,
    and q0 (nq,), where they stand. model, base, tool0: as `kinetree.controllers.configuration` takes them."""

    pendant: Pendant
    robot: Robot
    whole: Robot
    q0: Array
    model: str
    base: str
    tool0: str

    @property
    def no_configuration(self) -> str:
        """Say why the maker or the arm has no configurations, "" if it has."""
        try:
            self._asked(configuration, self.robot.q())
        except KinetreeError as error:
            return error.findings[0].message
        return ""

    def configuration_at(self, q: Array) -> str:
        """Return the configuration of q (nq,) of the command's robot, "" if the maker or the arm has none."""
        return "" if self.no_configuration else str(self._asked(configuration, q))

    def has(self, q: Array, wanted: str) -> Array:
        """Return which q (k, nq) of the command's robot have a configuration, (k,) of bool: exactly, or else nearly."""
        exact = np.array([self._asked(has_configuration, one, wanted, within=0.0) for one in q], bool)
        return exact if exact.any() else np.array([self._asked(has_configuration, one, wanted) for one in q], bool)

    def _asked(self, function: Callable[..., Any], q: Array, *wanted: str, **options: float) -> Any:
        with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):  # `usable` has it
            ends = {"base": self.base, "tool0": self.tool0}
            return function(self.whole, self.pendant.who, self._full(q), *wanted, self.model, **ends, **options)

    def configuration(self, values: Mapping[str, str], in_degrees: bool, what: str = "--q") -> Array:
        """Return q (nq,) of the command's robot for the values of an option, and print how each name was read."""
        arm, (own, given, kept) = self.pendant, self.split(values, what, "deg" if in_degrees else "rad")
        for name in own.keys() - self.whole.joints.keys():
            raise unknown_name("joint", name, [*arm.names, *self.whole.joint_names])
        shown = {i: values_of(arm.names[i], text) for i, text in given.items()}
        if many := [i for i, numbers in shown.items() if len(numbers) != 1]:
            raise fail("count", f"takes 1 number, got {len(shown[many[0]])}", element=f"{what} {arm.names[many[0]]}")
        q = given_configuration(self.whole, own, in_degrees, self.q0)
        placed, moved = arm.placed(q, {i: numbers[0] for i, numbers in shown.items()}, kept)
        joints = [arm.joints[i] for i in moved]
        note_outside(self.whole, placed, joints, in_degrees=True)
        if still := [name for name in joints if name not in self.robot.joint_names]:
            raise fail("joints", f"moves {some(still)}, which --joints leaves out", element=what)
        return np.concatenate([placed[self.whole.q_slices[name]] for name in self.robot.joint_names])

    def model_name(self, name: str) -> str:
        """Return the name in the model of a joint of --joints. Raises KinetreeError if a name is that of two joints."""
        arm, plain = self.pendant, name.removeprefix(MODEL)
        i = None if plain != name else _index(arm, name.removeprefix(PENDANT))
        if i is not None and name in self.whole.joints and arm.joints[i] != name:
            message = (
                f"is {arm.names[i]} of the pendant, joint {arm.joints[i]!r} of the model, and joint {name!r} of it"
            )
            raise fail("joints", f"{message}; expected {PENDANT}{name} or {MODEL}{name}", element=f"--joints {name}")
        if i is None and plain not in self.whole.joints:
            raise unknown_name("joint", plain, [*arm.names, *self.whole.joint_names])
        return plain if i is None else arm.joints[i]

    def split(
        self, named: Mapping[str, Value], what: str, unit: str
    ) -> tuple[dict[str, Value], dict[int, Value], set[int]]:
        """Return the values by names of the model, those of joints of the pendant by index, and the indices of joints
        that the former name; print how names were read. what: has the names. unit: of the model's angles.

        Raises KinetreeError for a joint that is given twice, and for a name of the pendant and of the model, if the two
        are different joints or the arm is coupled.
        """
        arm, own, given = self.pendant, dict[str, Value](), dict[int, Value]()
        for text, value in named.items():
            name = text.removeprefix(MODEL)
            i = None if name != text else _index(arm, text.removeprefix(PENDANT))
            if text in self.whole.joints and i is not None and (arm.coupled or arm.joints[i] != text):
                message = f"is {arm.names[i]} of the pendant and joint {text!r} of the model, which differ"
                raise fail("joints", f"{message}; expected {PENDANT}{text} or {MODEL}{text}", element=f"{what} {text}")
            if i is None or (text in self.whole.joints and text not in arm.names):
                own[name] = value
            elif i in given:
                raise fail("joints", f"{arm.names[i]} is given twice", element=f"{what} {text}")
            else:
                given[i] = value
        kept = {arm.joints.index(name) for name in own if name in arm.joints}
        for i in kept & given.keys():
            raise fail("joints", f"{arm.names[i]} and {arm.joints[i]} are one joint, given twice", element=what)
        parts = [f"{some(arm.names[i] for i in given)} as on the pendant (deg, mm)"] if given else []
        if models := [name for name in own if name in self.whole.joints]:
            other = ", not as on the pendant" if arm.coupled else ""
            parts.append(f"{some(models)} as in the model ({unit}, m){other}")
        print_notes([f"{what}: {'; '.join(parts)}"] if parts else [])
        return own, given, kept

    def data(self, q: Array) -> dict[str, dict[str, float] | str]:
        """Return what --json has of q (nq,) of the command's robot: q, rad and m, and the pendant's joints, deg, mm."""
        shown = zip(self.pendant.names, self.pendant.shown(self._full(q)).tolist(), strict=True)
        said = {"configuration": text} if (text := self.configuration_at(q)) else {}
        q_named = dict(zip(self.robot.coordinate_names, q.tolist(), strict=True))
        return {"q": q_named, "joints": dict(shown), **said}

    def print_joints(self, q: Array, in_degrees: bool, file: TextIO) -> None:
        """Print a row for each joint of q (nq,) of the command's robot, with its number on the pendant and in the
        model."""
        arm, whole = self.pendant, self._full(q)
        for i, value in enumerate(arm.shown(whole).tolist()):
            own, unit = whole[arm.columns[i]], "rad" if arm.turning[i] else "m"
            own, unit = (np.rad2deg(own), "deg") if arm.turning[i] and in_degrees else (own, unit)
            rest = "".join(f" {'-' if x < 0 else '+'} {arm.names[j]}" for j, x in enumerate(arm.C[i]) if x and j != i)
            shown = f"{arm.names[i]} {_rounded(value)} {'deg' if arm.turning[i] else 'mm'}"
            formula = f" = {arm.names[i]}{rest}" if rest else ""
            say(f"  {shown}, {arm.joints[i]} {_rounded(own)} {unit}{formula}", file=file)

    def _full(self, q: Array) -> Array:
        """Return q (nq,) of the whole robot for q of the command's robot."""
        whole = self.q0.copy()
        for name, where in self.robot.q_slices.items():
            whole[self.whole.q_slices[name]] = q[where]
        return whole

    def motion(self, file: Path, unit: Literal["rad", "deg"]) -> "Motion":
        """Return the motion in a CSV, in whose columns joints may be named as on the pendant, deg and mm."""
        from kinetree.logs.read import READERS, is_bag
        from kinetree.trajectories.motion import TIMES, motion_of

        if is_bag(file) or file.suffix.lower() not in READERS:
            raise click.UsageError("--controller is for a CSV; a bag of ROS 2 has the joints of the model")
        arm, columns = self.pendant, READERS[file.suffix.lower()](file, self.robot)
        if twice := [name for name in columns.names if columns.names.count(name) > 1]:
            raise columns.fault(None, f"column {twice[0]!r} occurs twice")
        table = dict(zip(columns.names, columns.values.T, strict=True))
        times = {name: table.pop(name) for name in TIMES if name in table and name not in self.whole.joints}
        own, given, kept = self.split(table, "columns", unit)
        for name in times:
            if (i := _index(arm, name)) is not None and i not in given and i not in kept:
                wanted = f"expected time, or {PENDANT}{arm.names[i]}"
                raise columns.fault(
                    None, f"column {name!r} may be the time, or {arm.names[i]} of the pendant; {wanted}"
                )
        scale = np.where(arm.turning, np.pi / 180 if unit == "deg" else 1.0, 1.0)  # of the model's columns
        q = np.tile(self.q0, (len(columns.values), 1))
        for i in kept:
            q[:, arm.columns[i]] = own[arm.joints[i]] * scale[i]
        placed, moved = arm.placed(q, given, kept)
        found = times | own | {arm.joints[i]: placed[:, arm.columns[i]] / scale[i] for i in moved}
        columns = columns._replace(names=tuple(found), values=np.column_stack(list(found.values())))
        return motion_of(self.robot, columns, unit)


def arm_of(robot: Robot, options: Mapping[str, Any]) -> CommandArm | None:
    """Return the arm whose names --joints and --at take, by the other options of a command; None without a maker.

    The command itself prints what is not known of it."""
    keys = keys_of(options["controller"]) if options.get("controller") else []
    base, tool0 = _ends(robot)
    base = options.get("base") or base
    frame = options.get("frame") or next(iter(options.get("frames") or ()), tool0)
    if who(keys) is None or base not in robot.frames:
        return None
    return command_arm(robot, who(keys), options.get("robot_model"), base, frame, prints=False)


def command_arm(
    robot: Robot, who: Controller | None, model: str | None, base: str, frame: str, *, prints: bool = True
) -> CommandArm | None:
    """Return the arm from base to tool0, or to a frame that is not on the way to it; print what is not known of it.

    None without a controller, and, with a note, if its joints are not those of a pendant.
    """
    if who is None:
        if model:
            raise click.UsageError("--robot-model is for --controller KEY, of one maker")
        return None
    whole, q0 = whole_robot(robot)
    if frame not in whole.frames:
        return None  # the command has an error about it
    try:
        end = next((base.removesuffix(name) for name in BASES if base.endswith(name)), "") + TOOLS[0]
        tips = [frame, end] if end in whole.frames else [frame]
        ways = [{*up, *down} for up, down in (joints_between(whole, base, tip) for tip in tips)]
        tip = tips[-1] if ways[0] <= ways[-1] else frame
        arm = pendant(whole, who, model or "", base, tip, warns=False)
    except KinetreeError as error:
        if error.findings[0].code != "controller-joints":
            raise
        because = str(error).partition("\n")[0]
        print_notes([f"joints are those of the model, because {because}"] if prints else [])
        return None
    if arm.findings and prints:
        from kinetree.cli._findings import print_findings  # imports the checker

        print_findings(arm.findings)
    return CommandArm(arm, robot, whole, q0, model or "", base, tip) if arm.joints else None


def _ends(robot: Robot) -> tuple[str, str]:
    """Return the ends of the arm of a robot, BASES or its root, and TOOLS or "". All names may have one prefix."""
    tips = [name for tool in TOOLS for name in robot.frames if name == tool or name.endswith(f"_{tool}")]
    prefixes = {tip.removesuffix(tool) for tip in tips for tool in TOOLS if tip.endswith(tool)}
    prefix = "" if "" in prefixes or len(prefixes) != 1 else prefixes.pop()
    base = next((prefix + name for name in BASES if prefix + name in robot.frames), robot.root)
    return base, next((prefix + name for name in TOOLS if prefix + name in robot.frames), "")


def _index(arm: Pendant, name: str) -> int | None:
    """Return the index of a name of the pendant, in any case; J1 and axis 1 are names of a numbered joint."""
    numbered = len(arm.names) not in arm.who.joint_names or len(arm.names) < 7  # the order of others is another
    for i, own in enumerate(arm.names):
        if _plain(name) in (_plain(own), *((f"j{i + 1}", f"axis{i + 1}") if numbered else ())):
            return i
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "", name).casefold()


def _rounded(value: float) -> str:
    """Return a number with six significant digits, at most six of them decimals."""
    return number(round(value, 6), 6)
