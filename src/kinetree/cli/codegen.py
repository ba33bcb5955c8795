"""`kinetree codegen`: queries of a robot as C or JavaScript."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import click

from kinetree import __version__
from kinetree.cli._calls import SEVERAL, Call, calls
from kinetree.cli._help import Command, Row, kinetree_command, option
from kinetree.cli._joints import with_joints
from kinetree.cli._model import assignments, json_option, robot_argument
from kinetree.cli._output import check_new, force_option, print_json
from kinetree.cli._queries import ARGUMENTS, QUERIES, bound, old_calls, parameters, signature, subject, with_old_options
from kinetree.cli._say import remark
from kinetree.compiler.c import write_c
from kinetree.compiler.c_names import LONGEST_FUNCTION, Constant
from kinetree.compiler.js import write_js
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.together import together
from kinetree.errors import KinetreeError, fail, unknown_name
from kinetree.files.output import write_all
from kinetree.model.robot import Robot

REMOVED = "0.4"
"""Version without the options before --write."""


@dataclass(frozen=True, slots=True)
class _Function:
    """A function to write. subject: its frame, sensor, time step, group, or sensors and frames; () for the robot."""

    name: str
    call: Call
    subject: tuple[Any, ...]
    kernel: Kernel


class _Codegen(Command):
    """Command `codegen`, whose help lists the functions and their arguments."""

    def more(self) -> dict[str, list[Row]]:
        """Return the functions of --write, and their optional arguments."""
        functions = [(signature(name), row.gives) for name, row in QUERIES.items()]
        return {"Functions of --write": functions, "Arguments of these functions": [*ARGUMENTS.items()]}


@kinetree_command("Convert and write", 'kinetree codegen arm.urdf --write "pose = fk(tool0)" -o arm.c', cls=_Codegen)
@robot_argument
@option(
    "--write CALL",
    'Write this function, called as in Python: "fk(tool0)", or "hand = jacobian(tool0, base=chest)" to name it '
    'hand; "state = fk(tool0), mass_matrix()" is one function of both. Repeatable.',
)
@with_joints(as_input=True)
@option("--float", "Write single precision: float instead of double.", "single")
@option("--language", "Language to write.  [default: by the ending of FILE]", type=["c", "js"])
@option("-o, --output FILE", "Write FILE.c, with FILE.h beside it, or FILE.js.", "out", required=True)
@force_option
@json_option
@with_old_options
@assignments("--name", "names", "NAME=OTHER", "Call the function OTHER that would be called NAME.", hidden=True)
def command(
    robot: Robot,
    write: tuple[str, ...],
    names: dict[str, str],
    single: bool,
    language: str | None,
    out: str,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Write functions in C or JavaScript that compute for a model.

    FILE.c is C99, with a header FILE.h beside it; FILE.js is an ES module of JavaScript.
    The code allocates no memory; C needs only math.h. A function that you do not name is called
    ROBOT_FUNCTION_FRAME, such as arm_fk_tool0. Names in a call need quotes only if they have spaces or other signs:
    "fk('tool 0')"."""
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
    old, flags = old_calls(robot, options)
    asked = [*old, *(call for text in write for call in calls(text, {name: parameters(name) for name in QUERIES}))]
    functions = _named([_function(robot, call, dtype) for call in asked], names)
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
    else:
        for function in functions:
            ports = function.kernel.outputs
            about = ports[0].about if len(ports) == 1 else ", ".join(f"{port.name} ({port.about})" for port in ports)
            remark(f"{function.name}: {about}")
        remark(f"wrote {' and '.join(map(str, reversed(texts)))}")
    _note_old([*flags, *["--name"] * bool(names)], (f.call for f in functions))


def _function(robot: Robot, call: Call, dtype: str) -> _Function:
    """Return the function of a call, under its default name."""
    if call.function == SEVERAL:
        parts = [_function(robot, part, dtype) for part in call.positional]
        ports = [(port.name, part) for part in parts for port in part.kernel.outputs]
        plain = Counter(name for name, _ in ports)
        names = [name if plain[name] == 1 else _name(name, "", part.subject) for name, part in ports]
        unique = [name if names.count(name) == 1 else f"{name}_{i}" for i, name in enumerate(names, 1)]
        return _Function(str(call.name), call, (), together(str(call.name), [one.kernel for one in parts], unique))
    try:
        given = bound(call)
        kernel = QUERIES[call.function].ask(robot, **given, **({"dtype": dtype} if call.function == "guard" else {}))
    except KinetreeError as error:
        places = [replace(f, element=f"--write {call}{f': {f.element}' if f.element else ''}") for f in error.findings]
        raise KinetreeError(places) from None
    about, kind = subject(call.function, given), parameters(call.function).get("base")
    base = given.get("base") if kind and kind.kind is not kind.KEYWORD_ONLY else None
    return _Function(_name(robot.name, call.function, about, base, given.get("expressed_in", "")), call, about, kernel)


def _note_old(flags: Sequence[str], calls: Iterable[Call]) -> None:
    """Print which options are deprecated, and the same functions with --write."""
    if flags:
        quoted = [f'"{text}"' if not set(text) & set('"\\$`!') else shlex.quote(text) for text in map(str, calls)]
        write = " ".join(f"--write {text}" for text in quoted)
        remark(f"note: {', '.join(flags)}: deprecated, removed in {REMOVED}; use {write}")


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
    """Return the functions under the names of their calls, those in `names`, or unique ones."""
    found: dict[str, _Function] = {}
    for function in functions:
        call = function.call
        if any(call[:3] == other.call[:3] for other in found.values()):
            raise fail("option", f"--write {call} is given twice")
        unique, n = function.name, 1
        while unique in found:
            unique, n = f"{function.name}_{n + 1}", n + 1
        name = call.name or names.get(unique)
        found[unique] = replace(function, name=name or unique, call=call._replace(name=name))
    if not found:
        raise fail("option", 'there is nothing to write; expected --write CALL, such as --write "fk(tool0)"')
    for name in names:
        if name not in found:
            raise unknown_name("function", name, list(found))
    return list(found.values())


def _name(robot: str, query: str, subject: Sequence[Any], base: str | None = None, axes: str = "") -> str:
    """Return a legal name in C: characters other than ASCII letters and digits become one underscore."""
    where = [
        *(["in", base] if base is not None else []),
        *({"frame": ["own_axes"], "base": [], "": []}.get(axes, ["axes", axes])),
    ]
    text = "_".join([robot, query, *map(str, subject), *where])
    legal = re.sub("[^A-Za-z0-9]+", "_", text).strip("_")
    return (legal if legal[0].isalpha() else f"robot_{legal}")[:LONGEST_FUNCTION].rstrip("_")


def _described(function: _Function) -> dict[str, Any]:
    kernel, query = function.kernel, function.call.function
    several = query == SEVERAL
    about = {} if several else dict(zip(QUERIES[query].of.split(), function.subject, strict=False))
    return {
        "name": function.name,
        "query": str(function.call).partition(" = ")[2] if several else query,
        **about,
        "inputs": [_port(port) for port in kernel.inputs],
        **({"outputs": [_port(port) for port in kernel.outputs]} if several else {}),
        "output": _port(kernel.output),
        "operations": kernel.operations,
    }


def _port(port: Port) -> dict[str, Any]:
    shown = {name: getattr(port, name) for name in ("name", "shape", "labels", "rows", "about")}
    return {**shown, **({"codes": dict(port.codes)} if port.codes else {})}
