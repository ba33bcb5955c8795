"""Joints as the pendant of --controller shows them: in --q and in motions, and beside those of the model in print."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from kinetree.cli._controllers import ALL, ROS, print_notes
from kinetree.cli._findings import print_findings
from kinetree.cli._help import option
from kinetree.cli._joints import whole_robot
from kinetree.cli._model import configuration, note_outside, values_of
from kinetree.controllers import controllers
from kinetree.display import number, some
from kinetree.errors import KinetreeError, fail, unknown_name
from kinetree.logs.read import READERS, is_bag, read_motion
from kinetree.model.robot import Robot
from kinetree.queries.pendant import Pendant, joints_between, pendant
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import TIMES, Columns, Motion, motion_of

PENDANT, MODEL = "pendant:", "model:"
"""What tells a name of the pendant from the same name of the model."""
BASES, TOOLS = ("base", "base_link"), ("tool0", "flange")
"""Frames at the ends of an arm: the first that a robot has."""

robot_model = option("--robot-model NAME", "Product name of the arm, for coupled joints.  [default: as in MODEL]")


def pendant_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --controller and --robot-model, for `motion_arm`."""
    help = "Read joints as on the pendant of this controller, such as fanuc: J1, … (deg, mm), or of MODEL."
    return option("--controller KEY", help)(robot_model(function))


@dataclass(frozen=True, eq=False)
class CommandArm:
    """An arm on a pendant. robot: that of the command; whole: the same robot with the joints that --joints leaves out,
    and q0 (nq,), where they stand."""

    pendant: Pendant
    robot: Robot
    whole: Robot
    q0: Array

    def configuration(self, values: Mapping[str, str], in_degrees: bool) -> Array:
        """Return q (nq,) of the command's robot for the values of --q, and print how each name was read."""
        arm, own, given = self.pendant, dict[str, str](), dict[int, float]()
        for text, value in values.items():
            name, i = named(arm, self.whole, text, f"--q {text}")
            if i is None:
                own[name] = value
            elif i in given:
                raise fail("joints", f"{arm.names[i]} is given twice", element=f"--q {text}")
            else:
                given[i] = one_value(text, value)
        q = configuration(self.whole, own, in_degrees, self.q0)
        kept = {arm.joints.index(name) for name in own if name in arm.joints}
        _check_once(arm, given, kept, "--q")
        placed, moved = arm.placed(q, given, kept)
        note_outside(self.whole, placed, [arm.joints[i] for i in moved], in_degrees=True)
        still = [arm.joints[i] for i in moved if arm.joints[i] not in self.robot.joint_names]
        if still:
            raise fail("joints", f"moves {some(still)}, which --joints leaves out", element="--q")
        _note_taken("--q", arm, given, own, "deg" if in_degrees else "rad")
        return np.concatenate([placed[self.whole.q_slices[name]] for name in self.robot.joint_names])

    def full(self, q: Array) -> Array:
        """Return q (nq,) of the whole robot for q of the command's robot."""
        whole = self.q0.copy()
        for name, where in self.robot.q_slices.items():
            whole[self.whole.q_slices[name]] = q[where]
        return whole

    def values(self, q: Array) -> dict[str, float]:
        """Return the pendant's numbers by name, deg and mm, for q (nq,) of the command's robot."""
        return dict(zip(self.pendant.names, self.pendant.shown(self.full(q)).tolist(), strict=True))

    def data(self, q: Array) -> dict[str, dict[str, float]]:
        """Return what --json has of q (nq,) of the command's robot: q, rad and m, and the pendant's joints."""
        own = zip(self.robot.coordinate_names, q.tolist(), strict=True)
        return {"q": dict(own), "joints": self.values(q)}

    def rows(self, q: Array, in_degrees: bool) -> list[str]:
        """Return a row for each joint with its number on the pendant and in the model."""
        arm, whole, rows = self.pendant, self.full(q), []
        for i, (name, value) in enumerate(self.values(q).items()):
            joint, turns = arm.joints[i], self.whole.joints[arm.joints[i]].kind.angular[0]
            own = float(whole[arm.columns[i]])
            unit = "m" if not turns else "deg" if in_degrees else "rad"
            own = np.rad2deg(own) if unit == "deg" else own
            shown = f"{name} {rounded(value)} {'deg' if turns else 'mm'}"
            rows.append(f"{shown}, {joint} {rounded(own)} {unit}{_formula(arm, i)}")
        return rows

    def print_joints(self, q: Array, in_degrees: bool) -> None:
        """Print the joints of q (nq,) to the error stream."""
        print("joints on the pendant, and of the model:", file=sys.stderr)
        for row in self.rows(q, in_degrees):
            print(f"  {row}", file=sys.stderr)


def command_arm(
    robot: Robot, key: str | None, model: str | None, base: str, frames: Iterable[str]
) -> CommandArm | None:
    """Return the arm from base to tool0, or to the first of `frames` if tool0 is no end of its arm; print doubts.

    None without a single controller, and, with a note, if its joints are not those of a pendant.
    """
    if key is None or key.lower() in (ALL, ROS):
        if model:
            raise click.UsageError("--robot-model is for --controller KEY, of one maker")
        return None
    whole, q0 = whole_robot(robot)
    try:
        tip = next(iter(frames))
        if TOOLS[0] in whole.frames and _way(whole, base, tip) <= _way(whole, base, TOOLS[0]):
            tip = TOOLS[0]  # all of the arm
        arm = pendant(whole, controllers[key], model or "", base, tip, warns=False)
    except KinetreeError as error:
        if error.findings[0].code != "controller-joints":
            raise
        print_notes([f"joints are those of the model, because {error}"])
        return None
    print_findings(arm.findings)
    return CommandArm(arm, robot, whole, q0) if arm.joints else None


def _way(robot: Robot, base: str, frame: str) -> set[str]:
    up, down = joints_between(robot, base, frame)
    return {*up, *down}


def motion_arm(robot: Robot, key: str | None, model: str | None) -> CommandArm | None:
    """Return the arm of a robot from base or base_link to tool0 or flange; None without a controller."""
    if key is None:
        return command_arm(robot, key, model, "", ())
    if key.lower() in (ALL, ROS):
        raise fail("controller", f"{key!r} has no pendant; expected one of {', '.join(controllers)}")
    base = next((name for name in BASES if name in robot.frames), robot.root)
    tool0 = next((name for name in TOOLS if name in robot.frames), None)
    if tool0 is None:
        raise fail("controller-frame", f"the robot has no frame {' or '.join(TOOLS)}, the end of the arm (REP-199)")
    return command_arm(robot, key, model, base, [tool0])


def named(arm: Pendant, robot: Robot, text: str, element: str) -> tuple[str, int | None]:
    """Return the name of a joint of the model and None, or of the pendant and its index.

    Raises KinetreeError for an unknown name, and one that is both if the two joints differ.
    """
    own, name = text in robot.joints, text
    if not own and text.startswith((PENDANT, MODEL)):
        name = text.removeprefix(PENDANT).removeprefix(MODEL)
        own = text.startswith(MODEL)
        i = None if own else _index(arm, name)
    else:
        i = _index(arm, text)
        if own and i is not None and (arm.coupled or arm.joints[i] != text):
            message = f"is {arm.names[i]} of the pendant and joint {text!r} of the model, which differ"
            raise fail("joints", f"{message}; expected {PENDANT}{text} or {MODEL}{text}", element=element)
        if own and text not in arm.names:
            i = None
    if i is None and not own:
        raise unknown_name("joint", name, [*arm.names, *robot.joint_names])
    return (name, None) if i is None else (arm.names[i], i)


def _index(arm: Pendant, name: str) -> int | None:
    """Return the index of a name of the pendant, in any case; J1 and axis 1 are names of a numbered joint."""
    plain = _plain(name)
    for i, own in enumerate(arm.names):
        numbered = len(arm.names) not in arm.who.joint_names or len(arm.names) < 7  # the order of others is another
        if plain == _plain(own) or (numbered and plain in (f"j{i + 1}", f"axis{i + 1}")):
            return i
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "", name).casefold()


def one_value(name: str, text: str) -> float:
    """Return the number of a joint of the pendant. Raises KinetreeError for several."""
    values = values_of(name, text)
    if len(values) != 1:
        raise fail("count", f"takes 1 number, got {len(values)}", element=f"--q {name}")
    return values[0]


def rounded(value: float) -> str:
    """Return a number with six significant digits, at most six of them decimals."""
    return number(round(value, 6), 6)


def _formula(arm: Pendant, i: int) -> str:
    """Return how a coupled joint of the model follows from the pendant, "" for others."""
    terms = [f"{'-' if x < 0 else '+'} {name}" for x, name in zip(arm.C[i], arm.names, strict=True) if x]
    order = sorted(terms, key=lambda term: term.split(" ", 1)[1] != arm.names[i])
    return f" = {' '.join(order).removeprefix('+ ')}" if len(terms) > 1 else ""


def _check_once(arm: Pendant, given: Iterable[int], kept: Iterable[int], element: str) -> None:
    """Raise KinetreeError if a joint is given under both its names."""
    if both := {*given} & {*kept}:
        i = min(both)
        raise fail("joints", f"{arm.names[i]} and {arm.joints[i]} are one joint, given twice", element=element)


def _note_taken(what: str, arm: Pendant, given: Iterable[int], own: Iterable[str], unit: str) -> None:
    """Print which names were read as those of the pendant, and which as those of the model."""
    pendants, models = [arm.names[i] for i in given], list(own)
    parts = [f"{some(pendants)} as on the pendant (deg, mm)"] if pendants else []
    other = ", not as on the pendant" if arm.coupled else ""
    parts += [f"{some(models)} as in the model ({unit}, m){other}"] if models else []
    if parts:
        print_notes([f"{what}: {'; '.join(parts)}"])


def arm_motion(robot: Robot, file: Path, unit: Literal["rad", "deg"], arm: CommandArm | None) -> Motion:
    """Return the motion in a file, in whose columns joints may be named as on the pendant, deg and mm."""
    if arm is None:
        return read_motion(robot, file, unit=unit)
    if is_bag(file):
        raise click.UsageError("--controller is for a CSV; a bag of ROS 2 has the joints of the model")
    if (read := READERS.get(file.suffix.lower())) is None:
        return read_motion(robot, file, unit=unit)  # which says what is wrong
    columns = read(file, robot)
    return motion_of(robot, _in_model(arm, columns, unit), unit)


def _in_model(arm: CommandArm, columns: Columns, unit: str) -> Columns:
    """Return columns of the model's joints, angles in `unit`, for those of the pendant, deg and mm."""
    shown, found = arm.pendant, dict[str, Array]()
    given: dict[int, Array] = {}
    for text, values in zip(columns.names, columns.values.T, strict=True):
        joint = text not in TIMES and _index(shown, text.removeprefix(PENDANT).removeprefix(MODEL)) is not None
        name, i = named(shown, arm.whole, text, f"column {text}") if joint else (text.removeprefix(MODEL), None)
        if name in found or i in given:
            raise columns.fault(None, f"column {text!r} occurs twice")
        if i is None:
            found[name] = values
        else:
            given[i] = values
    kept = {i for i, joint in enumerate(shown.joints) if joint in found}
    _check_once(shown, given, kept, "columns")
    scale = np.where(shown.unit == np.pi / 180, np.pi / 180 if unit == "deg" else 1.0, 1.0)  # to rad and m
    q = np.tile(arm.q0, (len(columns.values), 1))
    for i in kept:
        q[:, shown.columns[i]] = found[shown.joints[i]] * scale[i]
    placed, moved = shown.placed(q, given, kept)
    _note_taken("columns", shown, given, [shown.joints[i] for i in sorted(kept)], unit)
    found |= {shown.joints[i]: placed[:, shown.columns[i]] / scale[i] for i in moved}
    return columns._replace(names=tuple(found), values=np.column_stack(list(found.values())))
