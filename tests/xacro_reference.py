"""The xacro package itself, without our protection, beside ours: for files that one trusts.

    python tests/xacro_reference.py FOLDER …

expands every xacro file of the folders both ways and lists where the texts differ.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kinetree.files.opener import Files
from kinetree.formats.xacro.engine import Engine


def xacro_files(folder: Path) -> Iterator[Path]:
    """All files of a folder that the xacro package would expand."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".xacro", ".urdf", ".xml", ".sdf", ".gazebo"):
            text = path.read_bytes()
            if b"xacro:" in text or b"xmlns:xacro" in text:
                yield path


def reference(path: Path, find: Callable[[str, str], Path], arguments: Mapping[str, str]) -> tuple[str | None, str]:
    """The text that the package makes, or None; and what it says."""
    xacro, substitution = _fresh("xacro"), _fresh("xacro.substitution_args")
    substitution._eval_find = substitution._eval_dict["find"] = lambda name: str(find(name, xacro.filestack[-1]))
    xacro.message = xacro.warning = xacro.error = xacro.print_location = lambda *_words, **_options: None

    def extension(text: str) -> str:
        context = xacro.substitution_args_context
        context["filename"] = xacro.filestack[-1]  # `$(dirname)`, as launch does
        try:
            return substitution.resolve_args(text, context=context)
        except Exception as error:
            raise xacro.XacroException(str(error), exc=error) from error

    xacro.eval_extension = extension
    try:
        xacro.init_stacks(str(path))
        document = xacro.parse(None, str(path))
        xacro.process_doc(document, mappings=dict(arguments), verbosity=0)
        return document.toprettyxml(indent="  "), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def ours(path: Path, files: Files, arguments: Mapping[str, str]) -> tuple[str | None, str]:
    """The text that Kinetree makes, or None; and what it says."""
    engine = Engine(str(path), files, arguments)
    made = engine.expand(path.read_bytes())
    errors = [finding.message for finding in engine.findings if finding.severity == "error"]
    return (made.text if made else None), "; ".join(errors)


def wanted_arguments(path: Path, files: Files) -> dict[str, str]:
    """A value for each argument that the file uses and has no default for."""
    engine = Engine(str(path), files, {})
    engine.expand(path.read_bytes())
    declared = engine.declared_arguments()
    return {name: "x" for name in engine.used_arguments() if not declared.get(name)}


def compare(path: Path) -> tuple[str, str]:
    """(verdict, details): "same", "both refuse", "differs", "only ours refuses" or "only the package refuses"."""
    files = Files({})
    for arguments in ({}, wanted_arguments(path, files)):
        theirs, their_words = reference(path, files.package, arguments)
        own, own_words = ours(path, files, arguments)
        if theirs is not None or own is not None:
            break
    if theirs is None or own is None:
        names = {
            (True, True): "both refuse",
            (False, True): "only ours refuses",
            (True, False): "only the package refuses",
        }
        return names[theirs is None, own is None], f"package: {their_words[:200]}; ours: {own_words[:200]}"
    return ("same", "") if theirs == own else ("differs", _first_difference(theirs, own))


def _first_difference(theirs: str, own: str) -> str:
    for number, (left, right) in enumerate(zip(theirs.splitlines(), own.splitlines(), strict=False), 1):
        if left != right:
            return f"line {number}: package {left.strip()[:150]!r}, ours {right.strip()[:150]!r}"
    return "one is longer"


def _fresh(name: str) -> Any:
    """A copy of a module as it is installed."""
    spec = importlib.util.find_spec(name)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folders: list[str]) -> None:
    """Print the verdicts, and each file on which the two do not agree."""
    for folder in folders:
        verdicts: Counter[str] = Counter()
        for path in xacro_files(Path(folder)):
            verdict, details = compare(path)
            verdicts[verdict] += 1
            if verdict not in ("same", "both refuse"):
                print(f"{path}: {verdict}: {details}")
        print(folder, dict(verdicts))


if __name__ == "__main__":
    main(sys.argv[1:])
