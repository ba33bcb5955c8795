"""A rule about paths that exist on one computer only."""

import re

from kinetree.errors import Source
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Found, Robot, others

ALONE = re.compile(
    r"""["'>]\s*((?:file://)?(?:/(?:home|Users|root|media|mnt)/|/?(?:[A-Za-z]:\\|[CDcd]:/)|\$\(cwd\))[^"'<>]*[\w.])"""
)
"""A path in the folder of a user, on a drive, or where a program was started, that begins a text."""
_MARKS = r"/home/ /Users/ /root/ /media/ /mnt/ C:/ D:/ c:/ d:/ $(cwd) :\ "  # are found quickly
MARKS = tuple(_MARKS.split())
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Portable(Quality):
    """Paths lead to the same file on every computer.

    The folder of a user exists on one computer only, and $(cwd) is wherever xacro was started.
    """

    code = "MSH-009"
    clause = "package://name/path"
    url = "http://wiki.ros.org/urdf/XML/link"
    base = with_blocks('  <gazebo><plugin filename="libdrive.so" name="drive"/></gazebo>')
    good = "libdrive.so"
    bad = "/home/user/lib/libdrive.so"

    def check(self, robot: Robot) -> Found:
        """A path in a home folder, on a drive or below $(cwd), as it is written, in any element but comments; one
        finding for each file."""
        files = robot.text.files or {robot.source.file: robot.text.text} if robot.text and robot.source else {}
        for file, text in ((file, text) for file, text in files.items() if any(mark in text for mark in MARKS)):
            shown = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
            for first, *rest in filter(None, [list(ALONE.finditer(shown))]):
                before, name = shown[: first.start(1)], first[1]
                why = "depends on where xacro is started" if "$(cwd)" in name else "exists on one computer only"
                message = f"the path {name!r} {why}{others(sorted({one[1] for one in rest} - {name}))}"
                place = Source(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
                yield self.finding(message, "file", source=place, fix="write package://name/path or $(find name)/path")
