"""`kinetree convert`: conversion of a robot to another format."""

import sys
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from kinetree.cli._help import LENGTH, argument, kinetree_command, option
from kinetree.cli._model import robot_argument
from kinetree.cli._output import assets_option, check_new, force_option, without_option
from kinetree.cli._say import remark, say_text
from kinetree.display import listed, number
from kinetree.errors import Finding, KinetreeError, equal, fail, others_like
from kinetree.formats.mjcf.gains import NATURAL_FREQUENCY, changed_drives, loads, with_actuators
from kinetree.formats.mjcf.keyframes import HOME, postures
from kinetree.formats.registry import SEMANTIC, WRITTEN, format_by_ending
from kinetree.model.actuator import KINDS, Kind
from kinetree.model.edit.spheres import as_spheres
from kinetree.model.robot import Robot
from kinetree.saving import save
from kinetree.shapes.lowest import with_heights

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

WRITABLE = list(WRITTEN)


@kinetree_command("Convert and write", "kinetree convert arm.urdf arm.sdf")
@robot_argument
@argument("out", "File to write, or - for the standard output.")
@option("--to", "Format of OUT.  [default: by its ending]", type=click.Choice(WRITABLE))
@option("--slack LENGTH", "Write spheres around collision shapes; they may reach so far, such as 5mm.", type=LENGTH)
@option("--exclude", "Exclude pairs of links that touch by how the robot is built (MJCF).", is_flag=True)
@option("--actuators", "Drive the joints by targets of position or velocity, or by torques (MJCF).", type=[*KINDS])
@without_option
@assets_option
@force_option
@click.pass_context
def command(
    ctx: click.Context,
    robot: Robot,
    out: str,
    to: str | None,
    slack: float | None,
    exclude: bool,
    actuators: Kind | None,
    without: tuple[str, ...],
    assets: Literal["bring", "keep"],
    force: bool,
) -> None:
    """Write a model in another format.

    Actuators are those of transmissions and ros2_control; --actuators gives every joint one, and prints its gains.
    Parts that the format lacks are kept in elements that only Kinetree reads. If other programs would see another robot
    without them, or if a mesh or texture is missing, the command lists them and writes nothing; --without leaves a part
    out. On the standard output, references to meshes stay as they are.

    XRDF (.xrdf) and the YAML of cuRobo (--to curobo) describe a robot for planners, with spheres that contain its
    collision shapes, and pairs of links that are not tested."""
    ctx.meta["kinetree.all"] = True
    if out != "-":
        check_new(Path(out), force)
    format = to or str(getattr(format_by_ending(out, WRITTEN), "name", ""))
    robot = _prepared(robot, format, slack, exclude)
    if actuators is not None:
        if format != "mjcf":
            raise fail("option", "--actuators means nothing to this format; only MJCF has actuators")
        _print_notes(changed_drives(robot, actuators))
        robot = with_actuators(robot, actuators)
    if out == "-":
        _print(robot, to, without)
        return
    notes = save(robot, Path(out), format=to, without=without, assets=assets)
    remark(f"wrote {out}: {robot}")
    _print_notes(notes)
    if actuators is not None:
        remark(*_gains(robot), *([] if exclude else _touching(robot)))
    if robot.notes:
        remark(f"notes on what was read: {len(robot.notes)}; kinetree inspect shows them")


def _gains(robot: Robot) -> list[str]:
    """Return a table of the actuators: gains, range of the force, and how far gravity moves the joint at home."""
    rows, known = (
        [["actuator", "kind", "kp", "kv", "force", "sag at home"]],
        loads(robot, postures(robot, home=True).get(HOME)),
    )
    for one in robot.actuators.values():
        force = "no limit" if one.force is None or one.force[1] == inf else f"±{number(one.force[1])}"
        gains = ["" if value is None else number(value) for value in (one.kp, one.kv)]
        pull = abs(known[one.joint].gravity / one.gear)
        sag = number(pull / abs(one.gear * one.kp)) if one.kp else ""
        sag = sag if one.force is None or pull <= one.force[1] else "too weak to hold"
        rows.append([one.name, one.kind, *gains, force, sag])
    width = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(wide) for cell, wide in zip(row, width, strict=True)).rstrip() for row in rows]
    units = "in SI units, of the actuator: gains for the inertia in the neutral posture"
    return [f"{lines[0]}  ({units}, {NATURAL_FREQUENCY:g} Hz, critically damped)", *lines[1:]]


def _touching(robot: Robot) -> list[str]:
    """Return a note on the links that touch by how the robot is built, which push each other away in MuJoCo."""
    if not any(link.collisions for link in robot.links.values()):
        return []
    try:
        found = _contact(robot, "hull").touching().semantic
    except KinetreeError:  # such as a mesh that is missing, which has a note of its own
        return []
    known = {pair.links for pair in robot.semantic.disabled_collisions} if robot.semantic else set()
    pairs = [one for one in found.disabled_collisions if one.reason != "Adjacent"] if found else []
    names = [f"{one.link1} and {one.link2}" for one in pairs if one.links not in known]
    note = "note: links touch at home and push each other away in MuJoCo; --exclude excludes them: "
    return [note + listed(names, 4)] if names else []


def _prepared(robot: Robot, to: str, slack: float | None, exclude: bool) -> Robot:
    """Return the robot with the spheres or pairs that its file shall have."""
    semantic, has_shapes = robot.semantic, any(link.collisions for link in robot.links.values())
    needs = to in ("xrdf", "curobo") and has_shapes and not (semantic and semantic.sphere_approximations)
    if exclude and to != "mjcf":
        raise fail("option", "--exclude means nothing to this format; only MJCF has pairs that are excluded")
    if not (exclude or needs or slack is not None):
        return robot
    from kinetree.contact.covers import SLACK

    if exclude and has_shapes:
        robot = _contact(robot, "hull").touching()
    elif exclude:
        remark("note: no link has a collision shape, so that no pairs are excluded")
    if needs or slack is not None:
        robot = _contact(robot, "mesh").spheres(SLACK if slack is None else slack)
        remark(*(robot.semantic.evidence.splitlines() if robot.semantic else ()))
        _print_notes(note for note in robot.notes if note.code == "spheres")
    return robot if to in SEMANTIC or slack is None else as_spheres(robot)


def _contact(robot: Robot, geometry: Literal["mesh", "hull"]) -> "Collisions":
    """Return what `kt.collisions` does, also of a robot that moves though no pair is tested."""
    from kinetree.contact.make import coarse, collisions  # few conversions need it

    try:
        return collisions(robot, geometry=geometry)
    except KinetreeError as error:
        if error.findings[0].code != "contact-pairs" or not robot.nq:
            raise
        return coarse(robot)


def _print(robot: Robot, to: str | None, without: tuple[str, ...]) -> None:
    if to is None:
        raise fail("format", "the standard output has no ending that says its format", fix="pass --to FORMAT")
    notes: list[Finding] = []
    text = WRITTEN[to].write(with_heights(robot) if to == "mjcf" else robot, without, notes)
    if sys.stdout.isatty():
        say_text(text)
    else:
        sys.stdout.buffer.write(text.encode())
    _print_notes(notes)


def _print_notes(notes: Iterable[Finding]) -> None:
    for group in equal(notes):
        note = group[0]
        about = f"{note.element}: " if note.element and not note.element.startswith("robot ") else ""
        remark(f"note: {about}{note.message}", *([f"    {others_like(group)}"] if group[1:] else []))
