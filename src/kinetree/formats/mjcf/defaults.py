"""Classes of <default>: attributes that elements inherit."""

from kinetree.errors import nearest_names
from kinetree.syntax.xml.reader import Element, Report

Attributes = dict[str, str]

ATTACHED = "attached"
"""Tag of the classes of a model that is attached, which inherit nothing from those of this one."""
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")  # an element has at most one
PADDED = (  # vectors that may be given in part; the class gives the rest
    *("size", "friction", "stiffness", "damping", "surfacevel", "fluidcoef", "solref", "solimp"),
    *("solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
)
RESOLVED = ("joint", "geom", "site", "camera", "light", "mesh", "material", "tendon", "equality")
"""Tags of <default> whose attributes are merged into the elements by the reader. The other elements, all of the
simulation, keep their class."""

MAX_INHERITED = 1_000_000
"""Most inherited attributes of all elements together."""


class Classes:
    """Classes of a file: the attributes of every class and tag, with those of its parents."""

    def __init__(self, report: Report, root: Element) -> None:
        self.report = report
        self.inherited = 0
        self.classes: dict[str, dict[str, Attributes]] = {"main": {}}
        for section in root.find_all("default"):
            if section.get("class", "main") not in ("main", ""):
                message = "the outermost <default> is the class 'main' and cannot have another name"
                report.error("default-class", message, section, attribute="class")
            self._fill("main", section)
        for section in root.find_all(ATTACHED):
            self.classes[section.attributes["class"]] = {}
            self._fill(section.attributes["class"], section)

    def _fill(self, name: str, section: Element) -> None:
        own = self.classes[name]
        for element in section.children:
            if element.tag != "default":
                own[element.tag] = overlay(own.get(element.tag, {}), element.attributes)
        for nested in section.find_all("default"):
            child = nested.get("class")
            if not child:
                self.report.error("default-class", "a nested <default> needs class=…", nested)
            elif child in self.classes:
                self.report.error("duplicate-name", f"there is already a class {child!r}", nested, attribute="class")
            else:
                self.classes[child] = {tag: dict(attributes) for tag, attributes in own.items()}
                self._fill(child, nested)

    def named(self, element: Element, attribute: str, inherited: str) -> str:
        """Return the class in an attribute (class or childclass), or `inherited` if it is missing or unknown."""
        name = element.get(attribute)
        if name is None:
            return inherited
        if name not in self.classes:
            message = f"{attribute}={name!r} names no class; {nearest_names(name, list(self.classes))}"
            self.report.error("unknown-class", message, element, attribute=attribute)
            return inherited
        return name

    def resolved(self, element: Element, inherited: str = "main", tag: str | None = None) -> Element:
        """Return the element with the attributes of its class added, without a class, at the same place."""
        name = self.named(element, "class", inherited)
        of_class = self.classes[name].get(tag or element.tag, {})
        self.inherited += len(of_class)
        if self.inherited > MAX_INHERITED:
            if self.inherited - len(of_class) <= MAX_INHERITED:
                message = f"the elements have more than {MAX_INHERITED} attributes of classes, the most that are read"
                self.report.error("xml-size", message, element)
            of_class = {}
        attributes = overlay(of_class, element.attributes)
        attributes.pop("class", None)
        full = Element(element.tag, attributes, element.document, element.start)
        full.children, full.end, full.text = element.children, element.end, element.text
        return full


def overlay(base: Attributes, own: Attributes) -> Attributes:
    """Return the attributes of an element over those of its class."""
    merged = dict(base)
    if any(name in own for name in ORIENTATIONS):
        for name in ORIENTATIONS:
            merged.pop(name, None)
    for name, value in own.items():
        if name in PADDED and name in merged:
            words = value.split()
            value = " ".join([*words, *merged[name].split()[len(words) :]])
        merged[name] = value
    return merged
