"""The Python reference: pages that ask for the docstrings of all public functions and classes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from docstrings import with_lists

import kinetree as kt

FOLDER = "reference/api"
BRIDGES = Path(kt.__file__).parent / "bridges"
SPATIAL = ("se3", "euler", "exponential", "plucker", "dh")
"""Modules of `kinetree.spatial` that are for users too."""
OPTIONS = "    options:\n      heading: {heading}\n      toc_label: {label}\n      heading_level: {level}\n"


def pages() -> dict[str, str]:
    """Return the pages, file on the site to Markdown."""
    made = {"kinetree": _flat(), "controllers": _controllers(), "bridges": _bridges(), "spatial": _spatial()}
    for name in ("kinematics", "dynamics", "goal", "limits", "motion", "edit", "icub"):
        module = getattr(kt, name)
        made[name] = _page(
            f"kinetree.{name}", with_lists(inspect.getdoc(module) or ""), _members(module), f"kt.{name}."
        )
    return {f"{FOLDER}/{name}.md": text for name, text in made.items()}


def _flat() -> str:
    """Return the page of the flat names, in the groups of the package's docstring."""
    lines = ["# kinetree\n", "`import kinetree as kt` gives these names; nothing is imported before it is used.\n"]
    for title, rows in re.findall(r"^(\w[^\n]*)\n((?:    \w[^\n]*\n)+)", f"{kt.__doc__}\n", re.MULTILINE):
        lines.append(f"## {title}\n")
        entries = [line.split(maxsplit=1) for line in rows.splitlines()]
        for name, about in entries:
            if about.startswith("module: "):
                lines.append(f"[`kt.{name}`]({name}.md): {about.removeprefix('module: ')}.\n")
            elif name == "controllers":
                lines.append(f"[`kt.{name}`]({name}.md): {about}.\n")
            else:
                lines.append(_entry(getattr(kt, name), f"kt.{name}", 3))
    return "\n".join(lines)


def _controllers() -> str:
    names = ("pose", "to_pose", "joints", "to_q", "limit_joints", "configuration", "has_configuration")
    functions = {name: getattr(kt.controllers, name) for name in names}
    about = (
        '`kt.controllers["fanuc"]` is what is known of a controller; the functions take its name.\n'
        "[Controllers](../controllers.md) lists all of them."
    )
    return _page("kinetree.controllers", about, functions, "kt.controllers.")


def _bridges() -> str:
    lines = ["# kinetree.bridges\n", "[Other libraries](../../how-to/bridges.md) has an example of each.\n"]
    for path in bridge_functions():
        module, _, name = path.rpartition(".")
        lines += [f"## {module}\n", f"::: {path}\n{OPTIONS.format(heading=path, label=name, level=3)}"]
    return "\n".join(lines)


def bridge_functions() -> list[str]:
    """Return the paths of the public functions of bridges, one a module, without importing them and their libraries."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(BRIDGES.glob("*.py"))}
    found = [(name, re.search(r"^def (export|wrap)\(", text, re.MULTILINE)) for name, text in texts.items()]
    return [f"kinetree.bridges.{name}.{match[1]}" for name, match in found if match]


def _spatial() -> str:
    lines = ["# kinetree.spatial\n", f"{with_lists(inspect.getdoc(import_module('kinetree.spatial')) or '')}\n"]
    for name in SPATIAL:
        module = import_module(f"kinetree.spatial.{name}")
        lines += [f"## kinetree.spatial.{name}\n", f"{with_lists(inspect.getdoc(module) or '')}\n"]
        lines += [_entry(thing, f"{name}.{key}", 3) for key, thing in own_functions(module).items()]
    return "\n".join(lines)


def own_functions(module: object) -> dict[str, object]:
    """Return the public functions that a module defines itself."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if not name.startswith("_") and inspect.isfunction(thing) and thing.__module__ == module.__name__  # type: ignore[attr-defined]
    }


def _members(module: object) -> dict[str, object]:
    names: Iterable[str] = getattr(module, "__all__", None) or [name for name in dir(module) if name[0] not in "_@"]
    return {name: getattr(module, name) for name in names}


def _page(title: str, about: str, members: dict[str, object], prefix: str) -> str:
    entries = [_entry(thing, prefix + name, 2) for name, thing in members.items()]
    return "\n".join([f"# {title}\n", f"{about}\n", *entries])


def _entry(thing: object, heading: str, level: int) -> str:
    """Return what makes mkdocstrings insert the documentation of a function or class."""
    path = f"{thing.__module__}.{thing.__qualname__}"  # type: ignore[attr-defined]
    return f"::: {path}\n{OPTIONS.format(heading=heading, label=heading.rpartition('.')[2], level=level)}"
