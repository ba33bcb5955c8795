"""A rule about paths that exist on one computer only."""

import re
from collections.abc import Iterator

from kinetree.errors import Finding, Source
from kinetree.model.robot import Robot
from kinetree.rules.quality import others
from kinetree.rules.shapes.meshes import MeshRule

ALONE = re.compile(
    r"""["'>]\s*((?:file://)?(?:/(?:home|Users|root|media|mnt)/|/?[A-Za-z]:[\\/]|\$\(cwd\))[^"'<>]*[\w.])"""
)
"""A path in the folder of a user, on a drive, or where a program was started, that begins a text."""
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Portable(MeshRule):
    """Paths lead to the same file on every computer.

    The folder of a user exists on one computer only, and $(cwd) is wherever xacro was started.
    """

    code = "MSH-009"
    clause = "package://name/path"
    good = "package://arm/meshes/link_4.stl"
    bad = "file:///home/user/arm/meshes/link_4.stl"

    def check(self, robot: Robot) -> Iterator[Finding]:
        """A path in a home folder, on a drive or below $(cwd), as it is written, in any element; one finding for each
        file. Comments, and paths that xacro makes by $(find), are not judged."""
        if robot.text is None or robot.source is None:
            return
        for file, text in (robot.text.files or {robot.source.file: robot.text.text}).items():
            shown = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
            if found := list(ALONE.finditer(shown)):
                at = found[0].start(1)
                line, column = shown.count("\n", 0, at) + 1, at - shown.rfind("\n", 0, at)
                names = list(dict.fromkeys(match[1] for match in found))
                where = "depends on where xacro is started" if "$(cwd)" in names[0] else "exists on one computer only"
                message = f"the path {names[0]!r} {where}{others(names[1:])}"
                fix = "write package://name/path, $(find name)/path, or a path from this file"
                yield self.finding(message, "file", source=Source(file, line, column), fix=fix)
