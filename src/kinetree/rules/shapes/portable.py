"""A rule about paths that exist on one computer only."""

import re

from kinetree.errors import Source
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Found, Robot, others

ALONE = re.compile(
    r"""["'>]\s*((?:file://)?(?:/(?:home|Users|root|media|mnt)/|/?(?:[A-Za-z]:\\|[CDcd]:/)|\$\(cwd\))[^"'<>]*[\w.])"""
)
"""A path in the folder of a user, on a drive, or where a program was started, that begins a text."""
MARKS = ("/home/", "/Users/", "/root/", "/media/", "/mnt/", "$(cwd)", ":\\")  # are found quickly
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
        for file, text in files.items():
            shown = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text) if _is_marked(text) else ""
            for first, *rest in filter(None, [list(ALONE.finditer(shown)) if _is_marked(shown) else []]):
                before, name = shown[: first.start(1)], first[1]
                why = "depends on where xacro is started" if "$(cwd)" in name else "exists on one computer only"
                message = f"the path {name!r} {why}{others(sorted({one[1] for one in rest} - {name}))}"
                place = Source(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
                yield self.finding(message, "file", source=place, fix="write package://name/path or $(find name)/path")


def _is_marked(text: str) -> bool:
    """Return whether there may be such a path in a text: it has one of MARKS, or :/ on a drive and not in a URI."""
    return text.count(":/") > text.count("://") or any(mark in text for mark in MARKS)
