"""Files that include an edited file, and that no model of the run reads."""

from collections.abc import Collection, Iterator
from pathlib import Path

from kinetree.checker.report._paths import as_shown
from kinetree.errors import Finding, Source
from kinetree.xacro_text.package import package_of


def outside(changed: Collection[Path], read: Collection[Path]) -> Iterator[Finding]:
    """Yield a warning for each edited file that other files of its package include, directly or through others.

    changed: the edited files. read: all files that the models of the run read; those are checked. Files are compared by
    their names, so a file of the same name in another folder counts too.
    """
    packages = {package.folder: package for path in changed if (package := package_of(path))}
    for folder, package in sorted(packages.items()):
        included = [(file.resolve(), Path(name).name) for file, name in package.includes]
        for path in sorted(path for path in changed if folder in path.parents):
            users, names = set[Path](), {path.name}
            while more := {file for file, name in included if name in names} - users:
                users |= more
                names |= {file.name for file in more}
            if left := sorted(file for file in users - {*read}):
                shown = ", ".join(file.name for file in left[:3]) + (f" and {len(left) - 3} more" if left[3:] else "")
                message = f"this file is also part of models that were not read: it is included by {shown}"
                fix = "check these, or name them in the same run, which then keeps all of them right"
                yield Finding("shared", "warning", message, Source(as_shown(path)), fix=fix)
