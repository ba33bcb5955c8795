"""Files that include an edited file, and that no model of the run reads."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from kinetree.checker.report._paths import as_shown
from kinetree.conventions.xacro.names import INCLUDED, MOST, package_of
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.opener import read_file

ENDINGS = ("xacro", "urdf", "xml")


def outside(changed: Collection[Path], read: Collection[Path]) -> Iterator[Finding]:
    """Yield a warning for each edited file that other files of its package include, directly or through others.

    changed: the edited files. read: all files that the models of the run read; those are checked. Files are compared by
    their names, so a file of the same name in another folder counts too.
    """
    for package in sorted({package for path in changed if (package := package_of(path))}):
        files = [file for ending in ENDINGS for file in islice(package.rglob(f"*.{ending}"), MOST)]
        included = {file.resolve(): names for file in files if (names := _included(file))}
        for path in sorted(path for path in changed if package in path.parents):
            users, names = set[Path](), {path.name}
            while more := {file for file, inner in included.items() if inner & names} - users:
                users |= more
                names |= {file.name for file in more}
            if left := sorted(file for file in users - {*read}):
                shown = ", ".join(file.name for file in left[:3]) + (f" and {len(left) - 3} more" if left[3:] else "")
                message = f"this file is also part of models that were not read: it is included by {shown}"
                fix = "check these, or name them in the same run, which then keeps all of them right"
                yield Finding("shared", "warning", message, Source(as_shown(path)), fix=fix)


def _included(file: Path) -> set[str]:
    """Return the names of the files that a file includes, without their folders."""
    try:
        return {Path(name).name for name in INCLUDED.findall(read_file(file).decode(errors="replace"))}
    except KinetreeError:
        return set()
