"""How large the house is, and how far one walks in it: numbers about the source, and about three journeys through it.

    python benchmarks/house.py [SRC ...] [--quick]

SRC: the folder `src` of a checkout, by default this one's; several are shown side by side. Lines, modules, files and
functions come from the syntax trees. Journeys run in a process of their own, where a profiler counts the modules of
Kinetree whose functions run (not those that are only imported), how deep their calls nest, and how often a model is
loaded and checked.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from machine import describe

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from rooms import ALL, ROOMS, lines_by_room

HERE = Path(__file__).resolve().parents[1] / "src"
LOADS, CHECKS = {"examine"}, {"asked", "findings_by_rule"}
"""The functions that read a model once, and that ask all rules once; by the names that they have had."""

HANDS = {("cli", "check.py"), ("cli", "fix.py"), ("rules", "options.py")}
"""Modules that hand options on to the rules, besides what runs them; rules and facts are the end of the way."""

REFERENCES = "jointinparent|jointName|component_group|objname"
"""Attributes and elements of several dialects that name a part of a robot: who lists one has a table of such."""
UNKNOWN_KEY = r"(?s)\A(?!.*import json).*f['\"]the key .*is unknown"
"""What a reader of TOML says of a key that it does not know; what reads JSON says it likewise."""

AXIS = """<?xml version="1.0"?>
<robot name="r">
  <link name="base_link"/>
  <link name="arm"/>
  <joint name="j" type="continuous">
    <parent link="base_link"/>
    <child link="arm"/>
    <axis xyz="0 0 2"/>
  </joint>
</robot>
"""

EXAMPLES = r'(?s)\n\n +Examples:\n.*?(?=\n +""")'
"""The examples at the end of a docstring. They are documentation, so the median of files is without them."""

PROFILER = """
import json, os, sys, threading
touched, depth, deepest, calls = set(), 0, 0, {}
def profile(frame, event, arg):
    global depth, deepest
    module = frame.f_globals.get("__name__", "")
    if not module.startswith("kinetree") or frame.f_code.co_name == "<module>":
        return
    if event == "call":
        depth += 1
        deepest = max(deepest, depth)
        touched.add(module)
        calls[frame.f_code.co_name] = calls.get(frame.f_code.co_name, 0) + 1
    elif event == "return":
        depth -= 1
def go(function):
    sys.setprofile(profile)
    try:
        function()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    sys.__stdout__.write("\\n" + json.dumps({"modules": len(touched), "depth": deepest, "calls": calls}) + "\\n")
"""

JOURNEYS = {
    "q through fk, first call": """
robot = kt.load("icub")
go(lambda: kt.fk(robot, "l_hand")(robot.q()))""",
    "q through fk, later calls": """
robot = kt.load("icub")
fk, q = kt.fk(robot, "l_hand"), robot.q()
fk(q)
go(lambda: fk(q))""",
    "an axis to its finding": """
from kinetree.cli import group
go(lambda: group.main(["check", "r.urdf"]))""",
    "an axis to its repair": """
from kinetree.cli import group
go(lambda: group.main(["fix", "--diff", "r.urdf"]))""",
    "a tendon row to its limit": """
go(lambda: kt.load("icub:2.5").limits)""",
    "a tendon row to inverse kinematics": """
robot = kt.load("icub:2.5")
go(lambda: kt.ik(robot, "l_hand"))""",
}

IMPORTS = """
import sys
import kinetree as kt
kt.ik
print(sum(name.startswith("kinetree") for name in sys.modules))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", type=Path, default=[HERE], metavar="SRC")
    parser.add_argument("--quick", action="store_true", help="the same; nothing here takes long")
    sources = parser.parse_args().sources
    print(describe("kinetree"), end="\n\n")
    columns = [dict(numbers(source.resolve())) for source in sources]
    names = list(dict.fromkeys(name for column in columns for name in column))
    width = max(map(len, names))
    for name in names:
        print(name.ljust(width), *(str(column.get(name, "-")).rjust(12) for column in columns))


def numbers(source: Path) -> Iterator[tuple[str, object]]:
    """Yield (name, number) of all that is measured."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(source.rglob("*.py"))}
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in trees}
    sizes = [size(path) for path in trees]
    bodies = {f"{path.stem}.{f.name}": length(f) for path, tree in trees.items() for f in functions(tree)}
    for room, count in lines_by_room(source / "kinetree").items():
        yield f"lines, {room} (at most {ROOMS[room][0]:,})", count
    yield f"lines (at most {ALL:,})", sum(lines.values())
    yield "modules", len(trees)
    yield "file, median", int(statistics.median(sizes))
    yield "file, longest", max(lines.values())
    yield "function, median", int(statistics.median(bodies.values()))
    yield "function, longest", max(bodies.values())
    yield "packages and modules at the top", len({p.relative_to(source / "kinetree").parts[0] for p in trees})
    yield "hands of controller", len(hands(trees, "controller"))
    yield "tables of references", len(modules_with(trees, REFERENCES))
    yield "readers of TOML tables", len(modules_with(trees, UNKNOWN_KEY))
    yield "public names", public_names(source)
    yield "modules that kt.ik imports", int(python(IMPORTS, source))
    for name, script in JOURNEYS.items():
        found = journey(script, source)
        yield f"{name}: modules", found["modules"]
        yield f"{name}: depth", found["depth"]
        if "repair" in name:
            yield f"{name}: loads", sum(found["calls"].get(name, 0) for name in LOADS)
            yield f"{name}: checks", sum(found["calls"].get(name, 0) for name in CHECKS)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield all functions of a module, those too that stand in others."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def size(path: Path) -> int:
    """Return the lines of a file without the examples in its docstrings."""
    return len(re.sub(EXAMPLES, "", path.read_text(encoding="utf-8")).splitlines())


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return function.end_lineno - body[0].lineno + 1 if body and function.end_lineno else 0


def hands(trees: dict[Path, ast.AST], option: str) -> list[str]:
    """Return the functions and records through which an option goes from the command line to the rules: those that
    have it as a parameter or a field."""
    found = []
    for path, tree in trees.items():
        if not of_checks(path):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            elif isinstance(node, ast.ClassDef):
                names = [
                    n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
                ]
            else:
                continue
            found += [f"{path.stem}.{node.name}"] * (option in names)
    return found


def of_checks(path: Path) -> bool:
    """Return whether a module hands options on to rules: commands, and what runs rules and repairs."""
    room, name = path.parts[-2:]
    return room in ("checker", "fixer") or (room, name) in HANDS


def modules_with(trees: dict[Path, ast.AST], pattern: str) -> list[str]:
    """Return the modules whose code, without comments, has a pattern."""
    return [str(path) for path, tree in trees.items() if re.search(pattern, ast.unparse(tree))]


def public_names(source: Path) -> int:
    """Return how many names `dir(kinetree)` has that begin without an underscore."""
    script = "import kinetree as kt; print(sum(not name.startswith('_') for name in dir(kt)))"
    return int(python(script, source))


def journey(script: str, source: Path) -> dict[str, Any]:
    """Return what the profiler has counted while a script ran, beside a model with an axis of length two."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "r.urdf").write_text(AXIS)
        output = python(f"{PROFILER}\nimport kinetree as kt\n{script}", source, folder)
    found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return found


def python(script: str, source: Path, folder: str | None = None) -> str:
    """Return what a script prints that imports Kinetree from a folder."""
    environment = {**os.environ, "PYTHONPATH": str(source), "KINETREE_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
