"""Reading and writing of poses as programs and pendants write them.

In a controller's template <X> is a number, and <...> is text that is not part of the pose, such as a name or the
configuration of the arm, but not a sum or product; <word...> begins with a letter, so that it cannot continue a number.
Spaces do not matter, and next to a space a comma may be missing.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from kinetree.controllers import controllers
from kinetree.controllers.controller import Controller
from kinetree.errors import fail, shortened
from kinetree.spatial.se3 import Array

NUMBER = r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?(?![\w.])"
LONGEST = 2000
"""Longest text, in characters, that is read as a pose."""
TEXT = ".txt"
"""Ending of a file with a pose a line, as all controllers have it."""


class PoseText(NamedTuple):
    """A parsed pose: numbers (6,) or (7,) in the controller's order, and the parts of the text that were left out."""

    values: Array
    left_out: tuple[str, ...]


def parsed(controller: Controller, text: str) -> PoseText:
    """Return the pose in a text, written in one of the controller's ways or as plain numbers. Raises KinetreeError,
    with the legal formats, for any other text, including a pose of another controller."""
    if not isinstance(text, str):
        raise controller.wrong("pose-text", f"{shortened(repr(text), 100)} is no text, as a pose to read is")
    text = text.strip().removesuffix(";").rstrip()
    if len(text) > LONGEST:
        raise controller.wrong("pose-text", f"a text of {len(text)} characters is no pose")
    said, lines = text, (" ".join(line.split()) for line in text.splitlines())
    text = "\n".join(filter(None, lines))  # runs of spaces take patterns a long time
    for pattern, reason in controller.refused.items():
        if re.search(pattern, text, re.IGNORECASE | re.MULTILINE):
            raise controller.wrong("no-pose", f"{said!r} is no pose: {reason}")
    text = re.sub(r"(?<=[0-9]E)\+(?=[0-9])", "", text.replace("\n", " "), flags=re.IGNORECASE)  # 9E+09
    for template in controller.text:
        match = _pattern(template).fullmatch(text)
        if match:
            given = match.groupdict()
            rest = (part.strip(" ,;:") for name, part in given.items() if name.startswith("rest") and part)
            if any(re.search(rf"\b{controller.components[0]}\s*[=:]\s*{NUMBER}", x or "") for x in given.values()):
                raise controller.wrong("pose-text", f"{said!r} has several positions")
            values = [float(given[f"n_{name}"]) for name in controller.components]
            return PoseText(np.array(values), tuple(part for part in rest if part))
    if any(re.fullmatch(rf"{NUMBER}(?:{between}{NUMBER})*", text) for between in (r"\s+", r"\s*,\s*", r"\s*;\s*")):
        return PoseText(np.array([float(number) for number in re.findall(NUMBER, text)]), ())
    known = [controllers[key] for key in (*controllers, *controllers.forms)]
    others = [c for c in known if c.key != controller.key and any(_pattern(form).fullmatch(text) for form in c.text)]
    whose = f"it looks like {', '.join(c.name for c in others)}'s" if others else "it is not written like one"
    legal = f"expected {controller.text[0]} and the numbers alone"
    raise controller.wrong("pose-text", f"{said!r} is no pose of {controller.name}, {whose}; {legal}")


def configuration_in(controller: Controller, found: PoseText) -> tuple[str, PoseText]:
    """Return the configuration among the parts that a pose left out, as written, or ""; and the pose without it."""
    for i, part in enumerate(found.left_out):
        if match := controller.configuration.found(part):
            rest = (part[: match.start()].replace("CONFIG", ""), part[match.end() :])
            others = tuple(piece.strip(" ,;:'") for piece in rest if re.search(r"\w", piece))
            return match[0], found._replace(left_out=(*found.left_out[:i], *others, *found.left_out[i + 1 :]))
    return "", found


def written(controller: Controller, values: Array, configuration: str = "") -> str:
    """Return a pose (6,) or (7,) as the controller's programs write it, with a configuration if one is given."""
    text = controller.text[0]
    if configuration and all(f"<{name}>" in controller.configuration.pose for name in controller.components):
        text = controller.configuration.pose.replace("<configuration>", configuration)
    return _filled(controller, text, values)


def _filled(controller: Controller, text: str, values: Array) -> str:
    for i, (name, value) in enumerate(zip(controller.components, values, strict=True)):
        digits = controller.digits[0 if i < 3 else 1]
        text = text.replace(f"<{name}>", f"{round(float(value), digits) + 0.0:.{digits}f}")
    return text


def point_list(
    controller: Controller, values: Array, configurations: Sequence[str], ending: str, name: str = "points"
) -> str:
    """Return poses (n, 6 or 7) as the text of a file, with their configurations (n,), "" where there are none.

    ending: ".txt" for a pose a line, or one of `controller.points`, a file of constants. name: of the file in itself.
    Raises KinetreeError for other endings and names, and if such a file needs configurations that are missing.
    """
    if ending == TEXT:
        return "".join(f"{written(controller, *one)}\n" for one in zip(values, configurations, strict=True))
    if (form := controller.points.get(ending)) is None:
        legal = " or ".join([TEXT, *controller.points])
        raise fail(
            "format", f"cannot write points of {controller.name} to a file {ending}; expected the ending {legal}"
        )
    if not re.fullmatch(r"[A-Za-z]\w{0,23}", name, re.ASCII):
        legal = "a letter, then letters, digits and _, at most 24 in all"
        raise fail("format", f"{name[:100]!r} is no name of a file of {controller.name}; expected {legal}")
    if "<configuration>" in form["point"] and not all(configurations):
        message = f"points of {controller.name} in a file {ending} need a configuration, and these have none"
        raise fail("configuration", message, fix=f"write a file {TEXT}")
    points = [
        _filled(controller, form["point"].replace("<i>", str(i)).replace("<configuration>", text), one)
        for i, (one, text) in enumerate(zip(values, configurations, strict=True), 1)
    ]
    lines = filter(None, [form["head"], *points, form["foot"]])
    return "".join(f"{line}\n" for line in lines).replace("<name>", name)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    pieces = re.split(r"(<[^>]+>)", template)
    parts = []
    for i, piece in enumerate(pieces):
        if piece in ("<...>", "<word...>"):
            end = "".join(re.findall("^[):=]", pieces[i + 1].lstrip()))  # ends a rest where it first stands
            parts.append(rf"(?P<rest{i}>{'[A-Z]' if piece == '<word...>' else ''}[^+*{end}]*?)")
        elif piece.startswith("<"):
            parts.append(rf"(?P<n_{piece[1:-1]}>{NUMBER})")
        else:
            parts.append(_literal(piece))
    return re.compile(r"\s*".join(parts), re.IGNORECASE | re.DOTALL)


def _literal(piece: str) -> str:
    """Return a pattern for the text between numbers; next to a space a comma may be missing."""
    tokens = re.findall(r"\w+|[^\w\s]", piece)
    return r"\s*".join(r"(?:,|\s)" if token == "," else re.escape(token) for token in tokens)
