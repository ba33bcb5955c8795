"""Names of the frames and of the ends of a chain, for formats that have kinematics alone, such as DH tables and ETS."""

import json
from collections.abc import Callable

from kinetree.algorithms.serial import SerialChain
from kinetree.formats.losses.capabilities import Case, where
from kinetree.formats.losses.losses import Losses
from kinetree.model.robot import Robot


def frames_but(*kept: str) -> Case:
    """Return the case of frames for a format that keeps only the given ones."""
    return where(lambda frame: frame.name not in kept, "any frames but those at its joints and its end")


def ends(
    robot: Robot, chain: SerialChain, losses: Losses, made: Callable[[str], bool]
) -> tuple[str | None, str | None]:
    """Return (root, tip) as the file names them.

    None stands for a name that the reader gives to something else, which is lost, and for a tip that is the root. made:
    whether the reader creates a name itself.
    """
    names: list[str | None] = []
    for kind, name in (("link", chain.base), ("frame", chain.tip)):
        if made(name):
            what = f"an end called {name!r}, as it calls the frame of a joint or row"
            losses.note_loss("frame", f"{kind} {name!r}", what, robot.frames[name].source)
        names.append(None if made(name) else name)
    root, tip = names
    return root, None if chain.tip == chain.base else tip


def quoted(name: str) -> str:
    """Return a name between double quotes, on one line."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def unquoted(text: str) -> str | None:
    """Return the name in a text that may stand between double quotes; None if it is not a legal string."""
    if not text.startswith('"'):
        return text
    try:
        name = json.loads(text)
    except ValueError:
        return None
    return name if isinstance(name, str) else None
