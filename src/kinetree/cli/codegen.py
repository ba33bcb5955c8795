"""`kinetree codegen`: queries of a robot as C."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import click

from kinetree import __version__
from kinetree.cli._joints import joints_of, with_joints
from kinetree.cli._json import print_json
from kinetree.cli._model import assignments, json_option, robot_argument
from kinetree.cli._output import check_new, force_option
from kinetree.cli._queries import QUERIES, arguments, flag, form, kernel, subjects, with_options, with_queries
from kinetree.compiler.c import write_c
from kinetree.compiler.c_names import LONGEST_FUNCTION, Constant
from kinetree.compiler.js import write_js
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail, unknown_name
from kinetree.files.output import write_all
from kinetree.model.robot import Robot
from kinetree.solvers.guard.make import guard


@dataclass(frozen=True, slots=True)
class _Function:
    """A function to write. subject: its frame, sensor, time step, group of joints, or sensors and frames, as `kind`
    names them; nothing for the whole robot."""

    name: str
    query: str
    kind: str
    subject: tuple[Any, ...]
    kernel: Kernel


@click.command()
@robot_argument
@with_joints(as_input=True)
@with_queries
@click.option(
    "--guard", metavar="GROUP", multiple=True, help="A function that keeps a group, or A,B,…, inside. Repeatable."
)
@click.option("--keep", type=float, metavar="RAD", help="How far a guard stays from every limit; 0 by default.")
@click.option("--warn", type=float, metavar="RAD", help="Below which distance a guard calls a limit near; 5 degrees.")
@click.option("--speed", type=float, metavar="RAD/S", help="How fast a guard brings joints back inside; 0.1.")
@click.option(
    "--braking",
    type=float,
    metavar="RAD/S2",
    help="Make a guard brake with this acceleration: what it lets through can be stopped inside.",
)
@with_options
@click.option("--float", "single", is_flag=True, help="Single precision: float instead of double.")
@assignments("--name", "names", "NAME=OTHER", "Call the function OTHER that would be called NAME.")
@click.option("--language", type=click.Choice(["c", "js"]), help="C or JavaScript; by default the ending of FILE says.")
@click.option("-o", "--output", "out", metavar="FILE", required=True, help="The source; of C the header is beside it.")
@force_option
@json_option
def command(
    robot: Robot,
    names: dict[str, str],
    single: bool,
    language: str | None,
    out: str,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Write functions that answer queries about MODEL: C99 into FILE.c, with the header FILE.h that declares them, or
    an ES module of JavaScript into FILE.js.

    They need no library but math.h (Math), no memory but the stack, and are called NAME = robot_query_frame.
    """
    source = Path(out)
    language = language or ("c" if source.suffix == ".c" else "js")
    if source.suffix not in (".c", ".js", ".mjs") or language not in source.suffix:
        message = (
            f"cannot write {out!r}; expected a file that ends in .c, beside which its header is written, or in .js"
        )
        raise fail("c-file", message)
    if language == "js" and single:
        raise fail("option", "--float means nothing to JavaScript, whose numbers are double")
    dtype = "float32" if single else "float64"
    functions = _named([*_questions(robot, options), *_guards(robot, options, dtype)], names)
    origin = _about(robot)
    kernels = [(f.name, f.kernel) for f in functions]
    if language == "js":
        texts = {source: write_js(kernels, about=origin)}
    else:
        header = source.with_suffix(".h")
        ends = {f.name: _ends(robot, f.kernel) for f in functions}
        text = write_c(kernels, header.name, about=origin, dtype=dtype, constants=ends)
        texts = {header: text.header, source: text.source}
    for path in texts:
        check_new(path, force)
    write_all(texts)
    if as_json:
        files = {"source": str(source), **({"header": str(header)} if language == "c" else {})}
        numbers = "float" if single else "double"
        print_json({**files, "numbers": numbers, "functions": [_described(function) for function in functions]})
        return
    for function in functions:
        ports = function.kernel.outputs
        about = ports[0].about if len(ports) == 1 else ", ".join(f"{port.name} ({port.about})" for port in ports)
        print(f"{function.name}: {about}", file=sys.stderr)
    print(f"wrote {' and '.join(map(str, reversed(texts)))}", file=sys.stderr)


def _questions(robot: Robot, given: Mapping[str, Any]) -> list[_Function]:
    """Return the functions of queries, under their default names."""
    options, functions = arguments(given), []
    for query, row in QUERIES.items():
        axes = options.get("expressed_in", "") if "expressed_in" in row.options else ""
        base = options.get("base") if "base" in row.options else None
        for subject in subjects(given, query):
            name = _name(robot.name, query, subject, base, axes)
            functions.append(_Function(name, query, row.of, subject, kernel(robot, query, subject, options)))
    return functions


def _guards(robot: Robot, options: Mapping[str, Any], dtype: str) -> list[_Function]:
    said = {key: options[key] for key in ("keep", "warn", "speed", "braking") if options[key] is not None}
    if said and not options["guard"]:
        raise fail("option", f"--{next(iter(said))} means nothing without --guard GROUP")
    if "braking" in said:
        said["acceleration"] = said.pop("braking")
    kernels = {group: guard(robot, joints_of(robot, group), **said, dtype=dtype).kernel for group in options["guard"]}
    if len(kernels) < len(options["guard"]):
        raise fail("option", "a group of --guard is given twice")
    return [_Function(_name(robot.name, "guard", (g,)), "guard", "group", (g,), k) for g, k in kernels.items()]


def _about(robot: Robot) -> list[str]:
    """Return lines about the origin of the functions, and where joints stand that do not move."""
    origin = Path(robot.source.file).name if robot.source else "memory"
    lines = [f"Robot {robot.name}, from {origin}; by Kinetree {__version__}."]
    given = click.get_current_context().params
    if given["joints"]:
        at = {None: "neutral, inside the limits", "input": "the input 'at'"}.get(given["at"], given["at"])
        lines.append(f"Joints that move: {', '.join(robot.joint_names)}. All others stand at {at}.")
    return lines


def _ends(robot: Robot, kernel: Kernel) -> list[Constant]:
    """Return the finite ends of the ranges of a function's q."""
    limits = robot.limits
    sides = {"lower": limits.lower, "upper": limits.upper}
    ranges = dict(zip(limits.coordinate_names, zip(*sides.values(), strict=True), strict=True))
    return [
        Constant(("q", label, side), float(end))
        for port in kernel.inputs
        if port.name == "q"
        for label in port.labels
        for side, end in zip(sides, ranges[label], strict=True)
        if isfinite(end)
    ]


def _named(functions: Sequence[_Function], names: Mapping[str, str]) -> list[_Function]:
    """Return the functions under unique names, or those in `names`."""
    found: dict[str, _Function] = {}
    for function in functions:
        if any((f.query, f.subject) == (function.query, function.subject) for f in found.values()):
            raise fail("option", f"{flag(function.query)} {' '.join(map(str, function.subject))} is given twice")
        unique, n = function.name, 1
        while unique in found:
            unique, n = f"{function.name}_{n + 1}", n + 1
        found[unique] = replace(function, name=names.get(unique, unique))
    if not found:
        legal = ", ".join(map(form, QUERIES))
        raise fail("option", f"there is nothing to write; expected {legal}, --guard GROUP")
    for name in names:
        if name not in found:
            raise unknown_name("function", name, list(found))
    return list(found.values())


def _name(robot: str, query: str, subject: Sequence[Any], base: str | None = None, axes: str = "") -> str:
    """Return a legal name in C: characters other than ASCII letters and digits become one underscore."""
    where = [*(["in", base] if base is not None else []), *(["own_axes"] if axes == "frame" else [])]
    text = "_".join([robot, query, *map(str, subject), *where])
    legal = re.sub("[^A-Za-z0-9]+", "_", text).strip("_")
    return (legal if legal[0].isalpha() else f"robot_{legal}")[:LONGEST_FUNCTION].rstrip("_")


def _described(function: _Function) -> dict[str, Any]:
    kernel = function.kernel
    return {
        "name": function.name,
        "query": function.query,
        **dict(zip(function.kind.split(), function.subject, strict=True)),
        "inputs": [_port(port) for port in kernel.inputs],
        "output": _port(kernel.output),
        "operations": kernel.operations,
    }


def _port(port: Port) -> dict[str, Any]:
    shown = {name: getattr(port, name) for name in ("name", "shape", "labels", "rows", "about")}
    return {**shown, **({"codes": dict(port.codes)} if port.codes else {})}
