"""`kinetree attach A B`: one robot made of two."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._help import kinetree_command, option
from kinetree.cli._model import two_robot_arguments
from kinetree.cli._output import assets_option, check_new, check_no_input, force_option, without_option
from kinetree.cli._say import remark
from kinetree.confine import confinement_of
from kinetree.errors import KinetreeError, fail
from kinetree.files.opener import snapshot
from kinetree.files.output import write_whole
from kinetree.load import load
from kinetree.model import edit
from kinetree.model.edit.own_files import seen_from
from kinetree.model.robot import Joint, Robot
from kinetree.saving import save
from kinetree.spatial import se3
from kinetree.syntax.numbers import format_numbers, numbers
from kinetree.syntax.xml.writer import XmlWriter

PREFIXES = ("prefix", "tf_prefix", "name_prefix")
"""Arguments of xacro files that put a text before all names."""


def _three(ctx: click.Context, param: click.Parameter, text: str) -> list[float]:
    values = numbers(text.replace(",", " "))
    if values is None or len(values) != 3:
        raise click.BadParameter(f"{text!r} is not three numbers, such as '0 0 0.1'", ctx, param)
    return values


@kinetree_command("Convert and write", "kinetree attach arm.urdf gripper.urdf --at tool0 -o cell.urdf")
@two_robot_arguments
@option("--at FRAME", "Frame of A to which the root of B is fixed.", "frame", required=True)
@option("--xyz", "Position of B in FRAME, m.", callback=_three, default="0 0 0")
@option("--rpy", "Roll, pitch, yaw of B in FRAME, rad.", callback=_three, default="0 0 0")
@option("--prefix", "Text to put before all names of B, such as left_.", default="")
@option("--joint NAME", "Name of the new joint.  [default: ROOT_attachment, with the root of B]")
@option("-o, --output OUT", "File to write; its ending is the format.", "out", required=True)
@without_option
@assets_option
@force_option
def command(
    a: Robot,
    b: Robot,
    frame: str,
    xyz: list[float],
    rpy: list[float],
    prefix: str,
    joint: str | None,
    out: str,
    without: tuple[str, ...],
    assets: Literal["bring", "keep"],
    force: bool,
) -> None:
    """Fix a robot B to a frame of a robot A, and write one robot.

    The ending of OUT is its format. A .xacro file includes the files of A and B, which stay as they are, and sets
    their arguments; both get one that both have. Then --prefix needs a xacro file B whose names begin with an argument
    `prefix` or `tf_prefix` that A does not have."""
    path = Path(out)
    check_new(path, force)
    check_no_input(out, [robot.source.file for robot in (a, b) if robot.source])
    origin = se3.pose_from_xyz_rpy(xyz, rpy)
    both = edit.attach(a, b, frame, origin, prefix=prefix, joint_name=joint)
    if path.suffix == ".xacro":
        if without or assets != "bring":
            raise fail(
                "option", "--without and --assets mean nothing to a xacro file, which includes the files of A and B"
            )
        (new,) = (both.joints[name] for name in both.joints if both.joints[name].child == f"{prefix}{b.root}")
        files = _file_of(a), _file_of(b)
        given = click.get_current_context().params
        args = {**given["args"], **given["args_a"], **given["args_b"]}
        write_whole(path, _wrapper(path, both, files, new, prefix, args).encode())
        remark(f"wrote {out}: {both}")
        _note_outside(path, files)
    else:
        notes = save(both, path, without=without, assets=assets)
        remark(f"wrote {out}: {both}")
        print_findings(notes)


def _note_outside(path: Path, files: Iterable[Path]) -> None:
    """Print the setting with which `kinetree check` reads included files from outside of the workspace of a file."""
    workspace = confinement_of(path, True)
    outside = [seen_from(path.parent, file.parent) for file in files if workspace and not workspace.holds(file)]
    if outside:
        folders = ", ".join(f'"{folder}"' for folder in dict.fromkeys(outside))
        remark(f"note: kinetree check needs folders = [{folders}] in kinetree.toml to read these files")


def _wrapper(
    path: Path, both: Robot, files: tuple[Path, Path], new: Joint, prefix: str, args: Mapping[str, str]
) -> str:
    """Return a xacro text that includes two files and the new joint. Raises KinetreeError if it is another robot."""
    from kinetree.solvers.compare.comparison import compare

    known = files[1].read_text(encoding="utf-8", errors="replace")
    reason = f"{files[1]} has no argument for prefixes; expected one of {', '.join(PREFIXES)}"
    for argument in [name for name in PREFIXES if name in known] if prefix else [""]:
        own = {argument: prefix + args.get(argument, "")} if argument else {}
        text = _text(path, both.name, files, new, {**args, **own})
        try:
            with snapshot({path.resolve(): text.encode()}):
                made = load(path, format="xacro")
        except KinetreeError as error:
            reason = error.findings[0].message
            continue
        if set(made.links) == set(both.links) and compare(both, made).same:
            return text
        reason = f"with {argument or 'the files as they are'} it is another robot"
    message = f"a xacro file that includes both does not make this robot: {reason}"
    raise fail("attach", message, fix="write a .urdf, which has the robot itself")


def _text(path: Path, name: str, files: tuple[Path, Path], new: Joint, args: Mapping[str, str]) -> str:
    xyz, rpy = new.origin[:3, 3], se3.rpy_from_rotation(new.origin[:3, :3])
    relative = [seen_from(path.parent, file) for file in files]
    writer = XmlWriter()
    with writer.open("robot", name=name, **{"xmlns:xacro": "http://www.ros.org/wiki/xacro"}):
        for argument, value in args.items():
            writer.leaf("xacro:arg", name=argument, default=value)
        for file in relative:
            writer.leaf("xacro:include", filename=file)
        with writer.open("joint", name=new.name, type="fixed"):
            writer.leaf("origin", xyz=format_numbers(xyz), rpy=format_numbers(rpy))
            writer.leaf("parent", link=new.parent)
            writer.leaf("child", link=new.child)
    return writer.text()


def _file_of(robot: Robot) -> Path:
    if robot.source is None or robot.text is None or robot.text.format not in ("urdf", "xacro"):
        raise fail("attach", f"robot {robot.name!r} is no URDF or xacro file, which a xacro file could include")
    return Path(robot.source.file)
