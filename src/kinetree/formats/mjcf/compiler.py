"""Settings of <compiler>, which change the meaning of the numbers of an MJCF file."""

from dataclasses import dataclass, field, replace
from math import radians
from pathlib import PurePosixPath
from typing import Any

from kinetree.formats.defaults import DEFAULTS
from kinetree.formats.fields import choice_of, float_of
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Document, Element, Report

TRUTH = {"false": False, "true": True}
AUTO = ("false", "true", "auto")


@dataclass(frozen=True, slots=True)
class Compiler:
    """Settings that change the model. Of several <compiler> elements the later wins, setting by setting."""

    degree: bool = DEFAULTS["mjcf"].angle == "deg"
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[float, float] = (0, 5)
    settotalmass: float = -1.0
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    fitaabb: bool = False
    strippath: bool = False
    assetdir: str = ""
    meshdir: str | None = None
    texturedir: str | None = None
    attached: dict[Document, "Compiler"] = field(default_factory=dict)  # of models that are attached, by document

    def of(self, element: Element) -> "Compiler":
        """Return the settings of the model that an element comes from, if that is attached."""
        return self.attached.get(element.document, self)

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return radians(value) if self.degree else value

    def path(self, file: str, folder: str | None) -> str:
        """Return a mesh's or texture's file name with the folder of the settings before it."""
        name = PurePosixPath(file.replace("\\", "/"))
        name = PurePosixPath(name.name) if self.strippath else name
        return str(PurePosixPath(self.assetdir if folder is None else folder) / name)


SIMULATION = (
    *("discardvisual", "usethread", "fusestatic", "saveinertial", "conflict", "passthrough", "savecanonical"),
    "savecompiled",
)
UNUSED = {
    "alignfree": "MuJoCo may move the frames of free bodies to their centre of mass; they are kept here as written",
}
STANDS_IN = {"boundmass": "1e-06", "boundinertia": "1e-09", "angle": "radian", "autolimits": "true"}
STANDS_IN |= {"inertiafromgeom": "false"}
"""Settings with bounds that only stand in for masses that a robot does not have: older versions wrote them."""


def read_compiler(report: Report, root: Element) -> Compiler:
    """Return the settings of all <compiler> elements together."""
    compiler = Compiler()
    for element in root.find_all("compiler"):
        compiler = replace(compiler, **_settings(report, element))
        for attribute, effect in UNUSED.items():
            if element.get(attribute, "false") != "false":
                report.warning("compiler-setting", f"{attribute}: {effect}", element, attribute=attribute)
    return compiler


def _settings(report: Report, element: Element) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("autolimits", "strippath", "balanceinertia", "fitaabb"):
        if (truth := keyword(report, element, name, TRUTH)) is not None:
            found[name] = TRUTH[truth]
    if angle := keyword(report, element, "angle", ("radian", "degree")):
        found["degree"] = angle == "degree"
    if choice := keyword(report, element, "inertiafromgeom", AUTO):
        found["inertiafromgeom"] = choice
    if element.get("coordinate", "local") != "local":
        message = "coordinate='global' is not supported, nor by MuJoCo since 2.3.4; expected 'local'"
        fix = "load and save the file with MuJoCo 2.3.3 or older"
        report.error("coordinate", message, element, attribute="coordinate", fix=fix)
    if "eulerseq" in element.attributes:
        found["eulerseq"] = _eulerseq(report, element)
    if "inertiagrouprange" in element.attributes:
        span = numbers(element.attributes["inertiagrouprange"])
        if span is None or len(span) != 2:
            report.error(
                "number",
                f"inertiagrouprange={element.attributes['inertiagrouprange']!r}; expected two whole numbers",
                element,
                attribute="inertiagrouprange",
            )
        else:
            found["inertiagrouprange"] = (span[0], span[1])
    for name in ("settotalmass", "boundmass", "boundinertia"):
        if name in element.attributes:
            found[name] = float_of(report, element, name)
    if STANDS_IN.items() <= element.attributes.items():
        found |= {"boundmass": 0.0, "boundinertia": 0.0}
    found |= {name: element.attributes[name] for name in ("assetdir", "meshdir", "texturedir") if element.get(name)}
    return found


def _eulerseq(report: Report, element: Element) -> str:
    sequence = element.attributes["eulerseq"]
    if len(sequence) == 3 and set(sequence) <= set("xyzXYZ"):
        return sequence
    message = f"eulerseq={sequence!r}; expected three letters of x, y, z (turning axes) and X, Y, Z (fixed axes)"
    report.error("eulerseq", message, element, attribute="eulerseq")
    return "xyz"


def keyword(report: Report, element: Element, attribute: str, legal: Any) -> str | None:
    """Return the value of an attribute if it is one of `legal`; else None, with an error if it is not missing."""
    text = element.get(attribute)
    if text is None or not choice_of(report, element, attribute, text, list(legal), "keyword"):
        return None
    return text
