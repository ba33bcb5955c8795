"""One error of each kind that the reader of URDF reports, planted in the text of a real robot."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator

Plant = Callable[[ET.Element], "str | None"]
"""Change a document in place and return the element that the error is about, or None without a place for it."""


def _joints(root: ET.Element) -> list[ET.Element]:
    return root.findall("joint")


def _with(root: ET.Element, tag: str, attribute: str) -> Iterator[tuple[ET.Element, ET.Element]]:
    """The joints, or links, that have an element with an attribute, somewhere in the middle of the robot first."""
    owners = [*root.findall("joint"), *root.findall("link")]
    middle = len(owners) // 3
    for owner in (*owners[middle:], *owners[:middle]):
        for found in owner.iter(tag):
            if attribute in found.attrib:
                yield owner, found


def label(element: ET.Element) -> str:
    return f"{element.tag} {element.get('name')!r}"


def said(tag: str, attribute: str, value: str | None, owner: str = "joint", inside: str = "") -> Plant:
    """Another value of an attribute, or none."""

    def plant(root: ET.Element) -> str | None:
        for thing, found in _with(root, tag, attribute):
            held = thing.find(inside) if inside else thing
            if thing.tag != owner or held is None or found not in [*held]:
                continue
            found.attrib.pop(attribute)
            if value is not None:
                found.set(attribute, value)
            return label(thing)
        return None

    return plant


def of_joint(attribute: str, value: str | None) -> Plant:
    """Another attribute of a joint in the middle."""

    def plant(root: ET.Element) -> str | None:
        joint = _joints(root)[len(_joints(root)) // 2]
        before = label(joint)
        joint.attrib.pop(attribute)
        if value is not None:
            joint.set(attribute, value)
        return before

    return plant


def added(make: Callable[[ET.Element], tuple[str, str | None]]) -> Plant:
    """More elements at the end."""

    def plant(root: ET.Element) -> str | None:
        text, about = make(root)
        root.append(ET.fromstring(text))
        return about

    return plant


def _ends(joint: ET.Element) -> tuple[str, str]:
    return joint.find("parent").get("link"), joint.find("child").get("link")  # type: ignore[union-attr, return-value]


def _leaf(root: ET.Element) -> str:
    parents = {_ends(joint)[0] for joint in _joints(root)}
    return next(_ends(joint)[1] for joint in _joints(root) if _ends(joint)[1] not in parents)


def _joint(name: str, parent: str, child: str, more: str = "") -> str:
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def gone(tag: str) -> Plant:
    """A joint in the middle without its parent or child."""

    def plant(root: ET.Element) -> str | None:
        joint = _joints(root)[len(_joints(root)) // 2]
        joint.remove(joint.find(tag))  # type: ignore[arg-type]
        return label(joint)

    return plant


def link_named(name: str | None) -> Plant:
    """A link in the middle with another name."""

    def plant(root: ET.Element) -> str | None:
        link = root.findall("link")[len(root.findall("link")) // 2]
        before = label(link)
        link.attrib.pop("name", None)
        if name is not None:
            link.set("name", name)
        return before

    return plant


def follower(leader: str | None) -> Plant:
    """A joint that follows another, or itself."""

    def plant(root: ET.Element) -> str | None:
        for joint in _joints(root):
            if joint.get("type") == "revolute" and joint.find("mimic") is None:
                joint.append(ET.Element("mimic", {"joint": leader or joint.get("name") or ""}))
                return label(joint)
        return None

    return plant


def circle(root: ET.Element) -> str | None:
    """The first joint hangs on a link far below it."""
    joint = _joints(root)[0]
    at, below = _ends(joint)[1], None
    for other in _joints(root):
        if _ends(other)[0] == at:
            at = below = _ends(other)[1]
    if below is None:
        return None
    joint.find("parent").set("link", below)  # type: ignore[union-attr]
    return label(joint)


PLANTS: dict[str, tuple[str, Plant]] = {
    "a mass that is no number": ("number", said("mass", "value", "heavy", "link", "inertial")),
    "a moment that is no number": ("number", said("inertia", "ixx", "1,0", "link", "inertial")),
    "a centre of mass of two numbers": ("number", said("origin", "xyz", "0 0", "link", "inertial")),
    "a mass that is too large": ("too-large", said("mass", "value", "1e200", "link", "inertial")),
    "an origin of two numbers": ("number", said("origin", "xyz", "0 0.1")),
    "an angle that is no number": ("number", said("origin", "rpy", "0 pi 0")),
    "an origin that is too large": ("too-large", said("origin", "xyz", "1e99 0 0")),
    "an axis of zero": ("zero-axis", said("axis", "xyz", "0 0 0")),
    "an axis of words": ("number", said("axis", "xyz", "z")),
    "an axis with nothing": ("missing-attribute", said("axis", "xyz", None)),
    "a limit that is no number": ("number", said("limit", "upper", "90deg")),
    "an effort that xacro should make": ("left-over-xacro", said("limit", "effort", "${effort}")),
    "an unknown type": ("joint-type", of_joint("type", "hinge")),
    "no type": ("missing-attribute", of_joint("type", None)),
    "a joint without a name": ("missing-attribute", of_joint("name", None)),
    "no parent": ("missing-element", gone("parent")),
    "no child": ("missing-element", gone("child")),
    "an unknown parent": ("unknown-parent", said("parent", "link", "nothing_of_the_kind")),
    "an unknown child": ("unknown-child", said("child", "link", "nothing_of_the_kind")),
    "a link without a name": ("missing-attribute", link_named(None)),
    "a link that is called otherwise": ("unknown-child", link_named("called_otherwise")),
    "two links of one name": (
        "duplicate-name",
        added(lambda root: (f'<link name="{_leaf(root)}"/>', f"link {_leaf(root)!r}")),
    ),
    "two joints of one name": (
        "duplicate-name",
        added(lambda root: (ET.tostring(_joints(root)[-1], "unicode"), label(_joints(root)[-1]))),
    ),
    "two parents": (
        "two-parents",
        added(lambda root: (_joint("second", _ends(_joints(root)[0])[0], _leaf(root)), "joint 'second'")),
    ),
    "a second root": ("several-roots", added(lambda root: ('<link name="loose"/>', "link 'loose'"))),
    "a circle": ("cycle", circle),
    "a leader that does not exist": ("mimic", follower("nobody")),
    "a follower of itself": ("mimic", follower(None)),
}
"""What the error is in words, to its code and how it is planted."""


def harmed(text: str, plant: Plant) -> tuple[str, str] | None:
    """Return the text with an error and the element that it is about, or None without a place for it."""
    root = ET.fromstring(text)
    about = plant(root)
    return None if about is None else (ET.tostring(root, "unicode"), about)


def unharmed(text: str) -> str:
    """Return the text as `harmed` writes it."""
    return ET.tostring(ET.fromstring(text), "unicode")


# SDF and MJCF


def _middle(found: list[ET.Element]) -> ET.Element | None:
    return found[len(found) // 2] if found else None


def text_at(owner: str, path: str, text: str) -> Plant:
    """Another text in an element of one in the middle of the robot."""

    def plant(root: ET.Element) -> str | None:
        model = _model(root)
        thing = _middle([e for e in model.findall(owner) if e.find(path) is not None])
        if thing is None:
            return None
        thing.find(path).text = text  # type: ignore[union-attr]
        return label(thing)

    return plant


def attribute_of(owner: str, path: str, attribute: str, value: str | None) -> Plant:
    """Another attribute of an element in the middle of the robot, or of one in it, or none."""

    def plant(root: ET.Element) -> str | None:
        things = [e for e in _model(root).iter(owner) if e.get("name")]
        thing = _middle([e for e in things if e.find(path) is not None])
        if thing is None:
            return None
        before, element = label(thing), thing.find(path)
        assert element is not None
        element.attrib.pop(attribute, None)
        if value is not None:
            element.set(attribute, value)
        return before.replace("body ", "link ")

    return plant


def twice(owner: str) -> Plant:
    """An element that stands twice."""

    def plant(root: ET.Element) -> str | None:
        model = _model(root)
        thing = _middle(model.findall(owner))
        if thing is None:
            return None
        model.append(thing)
        return label(thing)

    return plant


def _model(root: ET.Element) -> ET.Element:
    model = root.find("model") if root.tag == "sdf" else root.find("worldbody")
    assert model is not None
    return model


SDF_PLANTS: dict[str, tuple[str, Plant]] = {
    "a pose of words": ("number", text_at("link", "pose", "0 0 up 0 0 0")),
    "a mass of words": ("number", text_at("link", "inertial/mass", "heavy")),
    "a moment of words": ("number", text_at("link", "inertial/inertia/ixx", "1,0")),
    "an axis of zero": ("zero-axis", text_at("joint", "axis/xyz", "0 0 0")),
    "an axis of words": ("number", text_at("joint", "axis/xyz", "z")),
    "a limit of words": ("number", text_at("joint", "axis/limit/upper", "90deg")),
    "an effort of words": ("number", text_at("joint", "axis/limit/effort", "much")),
    "a damping of words": ("number", text_at("joint", "axis/dynamics/damping", "much")),
    "a pose of a joint of words": ("number", text_at("joint", "pose", "a b c d e f")),
    "an unknown type": ("joint-type", attribute_of("joint", ".", "type", "gearbox")),
    "an unknown parent": ("unknown-parent", text_at("joint", "parent", "nothing_of_the_kind")),
    "an unknown child": ("unknown-child", text_at("joint", "child", "nothing_of_the_kind")),
    "two links of one name": ("duplicate-name", twice("link")),
    "two joints of one name": ("duplicate-name", twice("joint")),
    "a link without a name": ("missing-attribute", attribute_of("link", ".", "name", None)),
}
MJCF_PLANTS: dict[str, tuple[str, Plant]] = {
    "a body at words": ("number", attribute_of("body", ".", "pos", "0 0 up")),
    "a mass of words": ("number", attribute_of("body", "inertial", "mass", "heavy")),
    "an axis of zero": ("zero-axis", attribute_of("joint", ".", "axis", "0 0 0")),
    "an axis of two numbers": ("number", attribute_of("joint", ".", "axis", "0 1")),
    "a range of words": ("number", attribute_of("joint", ".", "range", "a b")),
    "an armature of words": ("number", attribute_of("joint", ".", "armature", "much")),
    "an unknown type": ("keyword", attribute_of("joint", ".", "type", "gearbox")),
}
