"""Rooms of the house, the places of each in src/kinetree, and how many lines of Python each may have.

A line is a line of a file, blank or not. A room that is full is made simpler before it grows. `core` is everything that
no other room has.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOMS: dict[str, tuple[int, tuple[str, ...]]] = {
    "core": (59_440, ()),  # with what runs beside kinematics in Gazebo and MuJoCo, OpenUSD, and four arms
    "contact and motion": (6_830, ("contact", "trajectories", "cli/contact.py", "cli/srdf.py", "cli/_semantic.py")),
    "check": (
        20_700,
        (
            *("rules", "robot_kinds", "repairs", "xacro_text", "checker", "fixer", "isolated", "codes"),
            *("pytest_plugin.py", "cli/check.py", "cli/fix.py", "cli/rule.py"),
        ),
    ),
    "view": (5_613, ("viewing", "serving", "cli/show.py", "cli/serve.py")),
    "lsp": (2_440, ("lsp", "cli/lsp.py")),
    "icub": (2_420, ("robots/icub", "rules/icub", "icub.py")),
    "logs": (2_720, ("logs", "cli/tf.py")),
    "bridges": (2_080, ("bridges",)),
    "lab": (  # what `kinetree verify` says of a log, it writes into five formats; sensors; motions that show much
        7_455,
        (
            *("lab", "cli/calibrate.py", "cli/excite.py", "cli/reach.py", "cli/verify.py"),
            *("fixer/dh_edits.py", "fixer/number_edits.py", "fixer/pose_text.py", "fixer/rewritten.py"),
        ),
    ),
}
"""Rooms with their ceilings and places: folders and files of the package. Of two places the longer one counts."""
ALL = 109_585
"""Ceiling of all rooms together, which is below the sum of theirs."""


@cache
def lines_by_room(package: Path) -> dict[str, int]:
    """Return the number of lines of Python of each room. package: the folder src/kinetree."""
    found = dict.fromkeys(ROOMS, 0)
    for path in sorted(package.rglob("*.py")):
        found[room_of(path.relative_to(package))] += len(path.read_text(encoding="utf-8").splitlines())
    return found


def room_of(path: Path) -> str:
    """Return the room of a file of the package."""
    return max(_places(path), key=lambda place: len(place[0]), default=("", "core"))[1]


def _places(path: Path) -> Iterator[tuple[str, str]]:
    for room, (_, places) in ROOMS.items():
        yield from ((place, room) for place in places if Path(place) in (path, *path.parents))
