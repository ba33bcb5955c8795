"""Arguments of commands that are models, and the options for reading them."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from kinetree.cli._help import LENGTH, READING, Decorator, Function, argument, decorated, option, titled
from kinetree.cli._output import without_option
from kinetree.cli._say import remark
from kinetree.display import counted, number as as_text
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.formats.registry import EXPANDERS, FORMATS, NO_EFFECT, ReadOptions, without_effect
from kinetree.load import format_of, load
from kinetree.model.coordinates import SLACK, large_angles, not_a_coordinate, q_of
from kinetree.model.edit import floating
from kinetree.model.robot import Robot, slices
from kinetree.robot_kinds import KINDS
from kinetree.robots.installed import PACKAGES, located
from kinetree.robots.packaged import names
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import DEFAULT, PROFILES
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import number

Options = TypeVar("Options", ReadOptions, CheckOptions)
OPEN = 1e-5
"""How far a loop is open because of rounding, m or rad."""


def by_name(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the values of several `name=value`. Raises an error if a name is given twice."""
    values: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign):
            form = param.metavar if "=" in (param.metavar or "") else "JOINT=NUMBER"
            raise click.BadParameter(f"{text!r} is not of the form {form}", ctx, param)
        if name in values:
            raise click.BadParameter(f"{name!r} is given twice", ctx, param)
        values[name] = value
    return values


def assignments(flag: str, name: str, metavar: str, help: str, *, hidden: bool = False) -> Decorator:
    """Return a repeatable option `--flag name=value`, which becomes a dictionary."""
    help = f"{help} Repeatable."
    return click.option(flag, name, metavar=metavar, multiple=True, callback=by_name, help=help, hidden=hidden)


def _wants_json(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    ctx.meta["kinetree.json"] = value  # errors are printed in the same form
    return value


json_option = option("--json", "Print JSON, with SI units and radians.", "as_json", callback=_wants_json, is_eager=True)


def joint_values(name: str = "values", others: str = "Other joints stay neutral.") -> Decorator:
    """Return the option --q. others: what it does not set."""
    help = f"Position of a joint (m, rad), such as elbow=0.5; of several coordinates, all: drive=1,2,0.5. {others}"
    return assignments("--q", name, "JOINT=VALUE", help)


close_option = option(
    "--loops",
    "Ignore closed loops, or close them: joints of --q are given, the others in loops follow.",
    type=["ignore", "closed"],
    default="ignore",
)
loops_option = option("--loops", "Stop at closed loops, or ignore them.", type=["refuse", "ignore"], default="refuse")
geometry_option = option(
    "--geometry", "Take meshes as they are, or their convex hulls.", type=["mesh", "hull"], default="mesh"
)
clearance_option = option(
    "--clearance LENGTH", "Count only positions with all links farther apart, m, or such as 5mm.", type=LENGTH
)
_FORMAT = "Read the model in this format{also}.  [default: by its ending and root element]"
_OPTIONS = (
    option("--format", _FORMAT.format(also=""), type=[*FORMATS]),
    assignments("--arg", "args", "NAME=VALUE", "Set an argument of xacro, as prefix=left_, or a variant of USD."),
    assignments("--package", "packages", "NAME=FOLDER", "Find a ROS package here, such as my_arm=../my_arm."),
    option("--model NAME", "Read the model of this name in an SDF file that has several."),
    option("--expand", "Let MuJoCo expand MJCF elements that make bodies.", type=click.Choice(EXPANDERS)),
)
_OF_ONE = (
    option("--version M.N", "Version of a built-in robot: icub --version 2.5 is icub:2.5."),
    option("--srdf FILE", "Add the groups of joints of a semantic description (SRDF)."),
    option("--limits LIMITS", "Add limits over several joints: a TOML file, or a set, such as tendons."),
    option("--inertias NAME", "Give an iCub the masses of iCubGazeboV2_5 or another icub-model."),
)
_ARGS = {
    m: assignments(f"--arg-{m}", f"args_{m}", "NAME=VALUE", f"Set an argument of the xacro file {m.upper()} alone.")
    for m in "ab"
}
_CONFINED = option("--confined", "Read only the model's workspace and packages, as `kinetree check` does.")
_FLOATING = option("--floating", "Let the root link float in a world, by a joint floating_base.")
_ALL = (*_OPTIONS, *_OF_ONE)
_MODEL = "A robot: a file, or a name such as icub or example-robot-data:panda."
_PATHS = "Files, or folders with models.  [default: those of the settings, or this folder]"
paths_argument = argument("paths", _PATHS, metavar="[PATH]...", nargs=-1)


def robot_argument(function: Function) -> Function:
    """Give a command MODEL, a path or the name of a robot of Kinetree or of a package, as argument `robot`."""
    return _reading(function, {"robot": "MODEL"}, (*_ALL, _FLOATING, _CONFINED))


def robot_or_printed(*printed: str) -> Decorator:
    """Return `robot_argument` for a command whose --format also takes formats to print, as its argument `printed`."""

    def chosen(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        ctx.params["printed"] = value if value in printed else None
        return None if value in printed else value

    legal = click.Choice([*FORMATS, *printed])
    help = _FORMAT.format(also=f"; print {', '.join(printed)}")
    of_both = option("--format", help, type=legal, callback=chosen)
    return lambda function: _reading(function, {"robot": "MODEL"}, (of_both, *_ALL[1:]))


def two_robot_arguments(function: Function) -> Function:
    """Give a command the models A and B, read with the same options but --arg-a, --arg-b, as arguments `a`, `b`."""
    help = "Set an argument of xacro, as prefix=left_, or a variant of USD, in A and B."
    args = assignments("--arg", "args", "NAME=VALUE", help), *_ARGS.values()
    return _reading(function, {"a": "A", "b": "B"}, (_OPTIONS[0], *args, *_OPTIONS[2:], _CONFINED))


def robot_paths(function: Function) -> Function:
    """Give a command PATH..., files or folders or names, as argument `paths`, and the options of reading. The models of
    packages become their files, and their arguments of xacro those of the command."""

    @wraps(function)
    def command(*, paths: Sequence[str], version: str | None, args: dict[str, str], **others: Any) -> Any:
        named = [_versioned(path, version) for path in paths]
        found = [(_file(name), None) if others["format"] else located(name, None, None) for name in named]
        own = [args for _, args in found if args]
        if any(args != own[0] for args in own):
            raise click.UsageError("these models of packages have different arguments of xacro; name one at a time")
        return function(paths=[str(path) for path, _ in found], args={**(own[0] if own else {}), **args}, **others)

    return decorated(command, [paths_argument, *titled(READING, _ALL)])


def reading_texts(function: Function) -> Function:
    """Give a command the options of reading that texts of URDF and xacro have."""
    formats = option("--format", _FORMAT.format(also=""), type=click.Choice(("urdf", "xacro")))
    return decorated(function, titled(READING, (formats, *_OPTIONS[1:3])))


contact_option = option("--contact", "Test links for contact too (rules CON); takes up to a second a robot.")


def check_options(select: str, ignore: str, contact: bool = False) -> Decorator:
    """Return a decorator that adds the options of a check, with those of reading, as one argument `options`. select,
    ignore: their help. contact: whether there is --contact."""
    options = (
        option("--profile", f"Conventions to check.  [default: {DEFAULT}]", type=[*PROFILES]),
        option("--select CODE", f"{select} Repeatable."),
        option("--ignore CODE", f"{ignore} Repeatable."),
        *([contact_option] if contact else []),
        option("--kind", "Kind of the robot.  [default: by its structure]", type=[*KINDS]),
        option("--controller KEY", "Controller of the robot, such as kuka.  [default: by names in the model]"),
    )

    def decorator(function: Function) -> Function:
        @wraps(function)
        def command(**others: Any) -> Any:
            read = _taken(ReadOptions, others)
            return function(options=replace(_taken(CheckOptions, others), read=read), **others)

        return decorated(command, titled("Conventions", options))

    return decorator


def _taken(kind: type[Options], arguments: dict[str, Any]) -> Options:
    """Return a record of options, removed from the arguments of a command."""
    return kind(**{name: arguments.pop(name) for name in vars(kind()) if name in arguments})


def _load(sources: Sequence[str], options: ReadOptions, own: Sequence[dict[str, str]]) -> list[Robot]:
    """Load robots, each with its options. Raises KinetreeError for an option without effect on any of them."""
    files = [_file(source) if options.format else source for source in sources]  # a str would be the text itself
    if not any(getattr(options, name) for name in NO_EFFECT) and not any(own):
        return [load(file, **vars(options)) for file in files]
    rows = [format_of(file, options.format) for file in files]
    rows[0].check_options(options.with_defaults(NO_EFFECT.keys() - without_effect(options, rows)))
    for row, args in zip(rows, own, strict=True):
        row.check_options(ReadOptions(args=args or None))
    each = [
        row.meant(replace(options, args={**(options.args or {}), **args} or None))
        for row, args in zip(rows, own, strict=True)
    ]
    return [load(file, **vars(one)) for file, one in zip(files, each, strict=True)]


def _file(source: str) -> Path:
    """Return the path of what is read with --format. Raises KinetreeError for the name of a model."""
    if source.partition(":")[0] in (*PACKAGES, *names()) and not os.path.exists(source):
        message = f"there is no file {source!r}, and with --format a model is a file, not a name"
        raise fail("format", message, fix="leave out --format; the format of a named model is known")
    return Path(source)


def _versioned(source: str, version: str | None) -> str:
    if version is None:
        return source
    if source not in names():
        raise click.UsageError(f"--version goes with the bare name of a robot of the package: {', '.join(names())}")
    return f"{source}:{version}"


def _reading(function: Function, models: dict[str, str], options: Iterable[Decorator]) -> Function:
    """Return the command with these models {argument: metavar} loaded before it runs.

    A command that writes has its own option --without: what it names is left out of the models if they have errors.
    """
    writes = any(param.name == "without" for param in getattr(function, "__click_params__", ()))

    @wraps(function)
    def command(**others: Any) -> Any:
        version, floats = others.pop("version", None), others.pop("floating", False)
        sources = [_versioned(others.pop(argument), version) for argument in models]
        own = [others.pop(f"args_{argument}", {}) for argument in models]
        options = _taken(ReadOptions, others)
        click.get_current_context().meta["kinetree.read"] = options  # for commands that read the file again
        if writes:
            others["without"] = options.without
        try:
            robots = _load(sources, replace(options, without=()) if writes else options, own)
        except KinetreeError as error:
            if "b" in models and options.args:
                error = KinetreeError([_of_both(finding) for finding in error.findings])
            if not (writes and options.without):
                raise error from None
            robots = _load(sources, options, own)
        robots = [floating(robot) if floats else robot for robot in robots]
        return function(**dict(zip(models, robots, strict=True)), **others)

    of_reading: tuple[Decorator, ...] = tuple(options) if writes else (*options, without_option)
    named = [argument(name, _MODEL, metavar=models[name]) for name in models]
    return decorated(command, [*named, *titled(READING, of_reading)])


def _of_both(finding: Finding) -> Finding:
    """Return a finding about an argument of xacro of two models, with the options for one of them."""
    fix = "; ".join(filter(None, (finding.fix, "--arg sets it in A and B; to set it in one, use --arg-a or --arg-b")))
    return replace(finding, fix=fix) if finding.code == "xacro-argument" else finding


def configuration(robot: Robot, values: dict[str, str], in_degrees: bool, at: Array | None = None) -> Array:
    """Return q (nq,) of the values of `--q`, several for a joint of several coordinates; other joints are neutral, or
    as in `at`."""
    numbers = {name: values_of(name, text) for name, text in values.items()}
    q = q_of(robot, numbers, {}, "deg" if in_degrees else "rad", at, warns=False)
    _check_quaternions(robot, q)
    note_outside(robot, q, values, in_degrees)
    return q


def note_outside(robot: Robot, q: Array, names: Iterable[str], in_degrees: bool) -> None:
    """Print a note about the first number outside its limits, or an angle in rad beyond a turn, as degrees would be."""
    found = [] if in_degrees else large_angles(robot, q, names)
    hint = "; angles of --q are in rad, with --deg in degrees" if found else ""
    for name in names:
        for i, turns in enumerate(robot.joints[name].kind.angular, robot.q_slices[name].start):
            ends = [q[i], robot.limits.lower[i], robot.limits.upper[i]]
            if (in_degrees or not turns) and not ends[1] - SLACK <= q[i] <= ends[2] + SLACK:
                value, lower, upper = [as_text(np.rad2deg(x) if turns else x) for x in ends]
                unit = "deg" if turns else "m"
                found.append(f"{name} = {value} {unit}, outside its limits, {lower} to {upper} {unit}")
    if found:
        others = f" (and {len(found) - 1} more)" if found[1:] else ""
        remark(f"note: {found[0]}{others}{hint}")


def note_open_loops(robot: Robot, q: Array, fix: str = "") -> None:
    """Print a note if a loop is open at q (nq,), where the real robot cannot be. fix: what to do."""
    if not robot.loops:
        return
    from kinetree.queries.margin import loop_error

    gaps = zip(robot.loops, loop_error(robot).interpret(q).tolist(), strict=True)
    found = {name: gap for name, gap in gaps if not max(gap) <= OPEN}
    if found:
        name, (metres, radians) = max(found.items(), key=lambda item: max(item[1]))
        by = f"{as_text(1e3 * metres)} mm" + (f" and {as_text(np.rad2deg(radians))} deg" if radians > OPEN else "")
        others = f" (and {len(found) - 1} more)" if found.keys() - {name} else ""
        remark(f"note: loop {name!r} is open by {by}{others}; the real robot cannot be there{fix}")


def with_loops(robot: Robot, names: Collection[str], q: Array, loops: str, in_degrees: bool) -> Array:
    """Return q (nq,), with a note on open loops; or if `loops` is "closed" q with closed loops, the joints of these
    names where they are, and a note on where the others then are."""
    if loops != "closed":
        note_open_loops(robot, q, "; --loops closed closes it" if names else "")
        return q
    from kinetree.queries.closing import close

    driven = [name for name in robot.joint_names if name in {*names}]
    if not driven:
        raise fail("driven", "--loops closed needs the joints whose positions are given, as --q JOINT=VALUE")
    closer = close(robot, driven)
    found = closer(np.concatenate([q[robot.q_slices[name]] for name in driven]))
    if not found.success:
        name, (metres, _) = max(zip(robot.loops, found.gap.tolist(), strict=True), key=lambda one: max(one[1]))
        raise fail("loops", f"{found.why}; loop {name!r} is open by {as_text(1e3 * metres)} mm", element="--q")
    rates, parts = slices(robot, "nv"), []
    following = [name for name in robot.joint_names if {*range(robot.nv)[rates[name]]} & {*closer.roles.following}]
    for name in following:
        turns = robot.joints[name].kind.angular[0] and in_degrees
        values = found.q[robot.q_slices[name]]
        parts.append(f"{name} = {' '.join(as_text(x) for x in (np.rad2deg(values) if turns else values))}")
    more = f" (and {len(parts) - 8} more)" if parts[8:] else ""
    remark(f"note: loops closed: {', '.join(parts[:8])}{more}{', in deg' if in_degrees else ''}")
    if found.why:
        remark(f"note: {found.why}")
    note_outside(robot, found.q, following, in_degrees)
    return found.q


def rates(robot: Robot, flag: str, values: dict[str, str], in_degrees: bool) -> Array:
    """Return numbers (nv,) of joints, as those of `--qd` or `--tau`, whose names and values are as those of `--q`;
    other joints have zeros."""
    found: list[float] = []
    numbers = {name: values_of(name, text, flag) for name, text in values.items()}
    for name in numbers:
        if name not in robot.joint_names:
            raise not_a_coordinate(robot, name)
    for name in robot.joint_names:
        kind = robot.joints[name].kind
        own = numbers.get(name, [0.0] * kind.nv)
        if len(own) != kind.nv:
            raise fail("count", f"takes {counted(kind.nv, 'number')}, got {len(own)}", element=f"{flag} {name}")
        found += np.where(kind.velocity_angular, np.deg2rad(own), own).tolist() if in_degrees else own
    return np.array(found)


def values_of(name: str, text: str, flag: str = "--q") -> list[float]:
    """Return the numbers of a joint. Raises KinetreeError for what is none."""
    values = [number(part) for part in text.split(",")]
    if any(value is None for value in values):
        message = f"{text!r} is not a finite number, such as 0.5 or 1e-3, nor several separated by commas"
        raise fail("number", message, element=f"{flag} {name}")
    return [value for value in values if value is not None]


def _check_quaternions(robot: Robot, q: Array) -> None:
    for name, where in robot.q_slices.items():
        quaternion = robot.joints[name].kind.quaternion
        if quaternion and not q[where][quaternion].any():
            message = "the quaternion has no direction; expected any but zero"
            raise fail("zero-quaternion", message, element=f"--q {name}")
