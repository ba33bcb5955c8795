"""Classes of <default>: attributes that elements inherit."""

from kinetree.errors import Source, nearest_names
from kinetree.syntax.xml.reader import Element, Report, attribute_spans

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


class Resolved(Element):
    """An element with the attributes of its class, also one of <default> with those of the classes around it.

    inherited, places: attribute to the element of <default> that has it, and to the place of its value. Elements that
    have all of them from a class share its mappings, since there may be a thousand attributes and elements.
    """

    __slots__ = ("inherited", "places")
    inherited: dict[str, Element]
    places: dict[str, Source]

    def __init__(self, base: "Resolved | None", own: Element) -> None:
        attributes = overlay(base.attributes, own.attributes) if base else {**own.attributes}
        super().__init__(own.tag, attributes, own.document, own.start)
        self.children, self.end, self.text = own.children, own.end, own.text
        self.inherited, self.places = (base.inherited, base.places) if base else ({}, {})
        if not own.attributes.keys().isdisjoint(self.inherited):
            self.inherited = {name: one for name, one in self.inherited.items() if name not in own.attributes}
            self.places = {name: self.places[name] for name in self.inherited}

    def holder(self, attribute: str) -> Element:
        return self.inherited.get(attribute, self)

    @property
    def source(self) -> Source:
        here = super().source
        return Source(here.file, here.line, here.column, here.made, self.places) if self.places else here


class Classes:
    """Classes of a file: the attributes of every class and tag, with those of its parents."""

    def __init__(self, report: Report, root: Element) -> None:
        self.report = report
        self.inherited = 0
        self.classes: dict[str, dict[str, Resolved]] = {"main": {}}
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
                full = own[element.tag] = Resolved(own.get(element.tag), element)
                spans, place = attribute_spans(element), element.document.source
                full.inherited = {**full.inherited, **dict.fromkeys(spans, element)}
                full.places = {**full.places, **{name: place(at[1]) for name, at in spans.items()}}
        for nested in section.find_all("default"):
            child = nested.get("class")
            if not child:
                self.report.error("default-class", "a nested <default> needs class=…", nested)
            elif child in self.classes:
                self.report.error("duplicate-name", f"there is already a class {child!r}", nested, attribute="class")
            else:
                self.classes[child] = {**own}
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
        base = self.classes[name].get(tag or element.tag)
        count = len(base.attributes) if base else 0
        self.inherited += count
        if self.inherited > MAX_INHERITED:
            if self.inherited - count <= MAX_INHERITED:
                message = f"the elements have more than {MAX_INHERITED} attributes of classes, the most that are read"
                self.report.error("xml-size", message, element)
            base = None
        full = Resolved(base, element)
        full.attributes.pop("class", None)
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
