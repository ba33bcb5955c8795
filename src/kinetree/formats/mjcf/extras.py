"""Elements of an MJCF file about simulation and looks, kept so that they can be written back."""

from functools import partial

from kinetree.formats.fields import optional
from kinetree.formats.mjcf.compiler import SIMULATION, Compiler
from kinetree.formats.mjcf.context import FORMAT, Context
from kinetree.formats.mjcf.defaults import ATTACHED, RESOLVED
from kinetree.formats.mjcf.kept_keys import add_states
from kinetree.formats.mjcf.order import order_elements
from kinetree.formats.mjcf.pairs import add_pairs
from kinetree.model.references import kind_of
from kinetree.model.robot import Extension
from kinetree.syntax.xml.reader import Element
from kinetree.syntax.xml.writer import element_text

READ = ("compiler", "worldbody", "equality", "tendon", "sensor", "asset", "default", ATTACHED)
KEPT = ("option", "size", "visual", "statistic", "extension", "custom", "contact", "deformable", "actuator", "keyframe")
UNIQUE = ("actuator", "sensor", "tendon", "keyframe")  # sections in which each name may stand once


def check_names(context: Context, root: Element) -> None:
    """Report names that occur twice among the elements of a section, kept or read."""
    for tag in UNIQUE:
        first: dict[str, Element] = {}
        for element in (child for section in root.find_all(tag) for child in section.children):
            name = element.get("name")
            if name and name in first:
                message = f"there is already one of this name in <{tag}>, on line {first[name].source.line}"
                if tag == "tendon":  # a limit of joints, as far as it is linear
                    context.report.error("duplicate-name", message, element, attribute="name")
                else:
                    context.report.warning("left-out", f"{message}; MuJoCo refuses it", element, attribute="name")
            elif name:
                first[name] = element


def keep_sections(
    context: Context, root: Element, left: dict[str, list[Element]], controls: list[dict[str, str]]
) -> None:
    """Keep the sections that are not read, and the elements that are `left` of the others. controls: by `label`."""
    for section in root.children:
        if section.tag in KEPT:
            for element in section.walk():
                named = partial(context.classes.named, element, "class", "main")
                optional(context.report, element, element, named, "is kept unchanged")
            if section.tag == "keyframe":
                order = order_elements(section, context.parts.joints, controls)
                add_states(context.parts, section)
                section = _with(section, [*order, *section.children] if section.children else [], section.attributes)
            if section.tag == "contact":
                add_pairs(context.parts, section)
            _keep(context, section)
        elif section.tag not in READ:
            message = f"<{section.tag}> is not understood; it is kept unchanged"
            context.report.warning("not-understood", message, section)
            _keep(context, section)
    for section in root.find_all("compiler"):
        settings = {name: value for name, value in section.attributes.items() if name in SIMULATION}
        _keep(context, _with(section, section.children, settings))
    for section in root.find_all("default"):
        _keep(context, _simulation_defaults(section))
    for section in root.find_all(ATTACHED):
        own = _with(section, _simulation_defaults(section).children)
        own.tag = "default"
        around = _with(section, [own], {})
        around.tag = "default"
        _keep(context, around)
    for tag, elements in left.items():
        sections = root.find_all(tag)
        if elements:
            _keep(context, _with(sections[0], _in_folder(context.compiler, elements)))


def _keep(context: Context, element: Element) -> None:
    if element.children or element.attributes or element.text or element.tag not in (*READ, *KEPT):
        text = element_text(_renamed(context, element))
        context.parts.extensions.append(Extension(FORMAT, element.tag, text, element.source))


def _with(element: Element, children: list[Element], attributes: dict[str, str] | None = None) -> Element:
    attributes = dict(element.attributes) if attributes is None else attributes
    changed = Element(element.tag, attributes, element.document, element.start)
    changed.children, changed.text = children, element.text
    return changed


def _simulation_defaults(section: Element) -> Element:
    """Return the classes without the attributes that the reader merges into elements. Empty classes stay."""
    children = [
        _simulation_defaults(child) if child.tag == "default" else child
        for child in section.children
        if child.tag not in RESOLVED
    ]
    return _with(section, children)


def _in_folder(compiler: Compiler, elements: list[Element]) -> list[Element]:
    """Return textures, height fields and skins with the folders of the compiler before their files."""
    placed = []
    for element in elements:
        here = compiler.of(element)
        folder = {"texture": here.texturedir, "hfield": here.meshdir, "skin": here.meshdir}
        attributes = dict(element.attributes)
        for name, value in attributes.items():
            if element.tag in folder and name.startswith("file"):
                attributes[name] = here.path(value, folder[element.tag])
        placed.append(_with(element, element.children, attributes))
    return placed


def _renamed(context: Context, element: Element) -> Element:
    """Return the element with the names of the model for the sites and cameras that it refers to."""
    if not context.names.renamed:
        return element
    attributes = {
        name: context.names.here(kind_of(FORMAT, element.tag, name, element.attributes), value)
        for name, value in element.attributes.items()
    }
    return _with(element, [_renamed(context, child) for child in element.children], attributes)
