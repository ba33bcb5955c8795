"""Docstrings of functions begin with a verb in the imperative, and no docstring has words of a private language."""

import ast
import re
from pathlib import Path

import pytest

from kinetree.rules import profiles

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "kinetree"
ROOMS = (
    "_start.py",
    "algorithms",
    "arguments.py",
    "building.py",
    "caller.py",
    "checker",
    "cli",
    "codes",
    "compiler",
    "confine.py",
    "controllers",
    "dynamics.py",
    "errors.py",
    "files",
    "fixer",
    "formats",
    "icub.py",
    "isolated",
    "kinematics.py",
    "lab",
    "limits.py",
    "load.py",
    "lsp",
    "model",
    "pytest_plugin.py",
    "queries",
    "repairs",
    "robot_kinds",
    "robots",
    "rules",
    "saving.py",
    "serving",
    "shapes",
    "solvers",
    "spatial",
    "syntax",
    "trajectories",
    "viewing",
    "xacro_text",
)
"""Rooms that are done; others are added one by one."""
NO_VERB = re.compile(
    r"(A|All|An|And|Any|As|At|Both|By|Each|Every|For|From|He|How|If|In|Into|Its?|None?|Nothing|Of|On|One|Or|Others?|"
    r"Some|Such|That|The|Their|These|They|This|Those|To|Until|What|When|Where|Whether|Which|While|Whose?|Why|With|"
    r"Without|\w*[^s]s)\b"
)
"""Words that begin a fragment, and verbs in the third person."""
FAMILIES = {f"rules/{module}" for module, *_ in profiles.FAMILIES.values()}
NAMES = re.compile(r"`[^`]*`|\b\w+(?=:)")
"""Names of code and of parameters in a docstring."""
PRIVATE = re.compile(r"\b(asked|mend|mended|mends|nobody|said|somebody|told)\b", re.IGNORECASE)


def files(room: str) -> list[Path]:
    place = PACKAGE / room
    return [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))


def parsed(file: Path) -> ast.Module:
    """Return a file without its rules and the title of its family, whose docstrings `kinetree rule` prints."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not (isinstance(node, ast.ClassDef) and is_rule(node))]
    if file.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__") in FAMILIES:
        del tree.body[0]
    return tree


def is_rule(node: ast.ClassDef) -> bool:
    """Whether a class is a rule, or has the `check` of several; its docstring is on their pages."""
    has_code = any(isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "code" for part in node.body)
    return has_code or any(isinstance(part, ast.FunctionDef) and part.name == "check" for part in node.body)


def functions(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    """Return the public functions and methods; properties are left out, because they may be nouns."""
    public = [node for node in body if not getattr(node, "name", "_").startswith("_")]
    of_classes = [method for node in public if isinstance(node, ast.ClassDef) for method in functions(node.body)]
    found = [node for node in public if isinstance(node, ast.FunctionDef)]
    return [f for f in found if not any("property" in ast.unparse(d) for d in f.decorator_list)] + of_classes


@pytest.fixture(scope="module", params=ROOMS)
def trees(request) -> dict[Path, ast.Module]:
    """The files of a room."""
    found = {file: parsed(file) for file in files(request.param)}
    assert found
    return found


def test_first_lines_of_functions_begin_with_a_verb(trees):
    fragments = []
    for file, tree in trees.items():
        for function in functions(tree.body):
            docstring = ast.get_docstring(function)
            if docstring and (NO_VERB.match(docstring) or not re.match(r"[A-Z][a-z]+\b", docstring)):
                fragments.append(f"{file.relative_to(PACKAGE)}:{function.lineno}: {docstring.splitlines()[0]}")
    assert not fragments


def test_docstrings_have_no_private_words(trees):
    found = []
    for file, tree in trees.items():
        for node in ast.walk(tree):
            match node:
                case ast.Expr(value=ast.Constant(value=str() as text)):
                    words = PRIVATE.findall(NAMES.sub("", text))
                    found += [f"{file.relative_to(PACKAGE)}:{node.lineno}: {word}" for word in words]
    assert not found
