"""<actuator>: motors and servos of joints.

A <motor>, <position> or <velocity> of a joint, or a <general> that equals one, is an actuator of the robot. The others
are kept, and with them a short element for each Actuator, for the order of the controls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite

from kinetree.formats.actuators import is_gear
from kinetree.formats.mjcf.context import OPEN, Context, free
from kinetree.model.actuator import Actuator, Kind, Range
from kinetree.model.robot import Joint
from kinetree.syntax.numbers import format_number, numbers
from kinetree.syntax.xml.reader import Element

TAG = "actuator"
TAGS: Mapping[str, Kind] = {"motor": "motor", "position": "position", "velocity": "velocity"}
OTHERS = ("intvelocity", "damper", "cylinder", "muscle", "adhesion", "plugin", "dcmotor")
"""Elements of other actuators, whose settings in <default> count for all."""
KEPT = ("group", "user", "nsample", "interp", "delay")
"""Attributes that change nothing of the equation of an actuator."""
RANGES = {"control": ("ctrlrange", "ctrllimited"), "force": ("forcerange", "forcelimited")}
READ = ("name", "joint", "gear", "kp", "kv", "inheritrange", *(name for pair in RANGES.values() for name in pair))
GENERAL = {"dyntype": "none", "gaintype": "fixed", "biastype": "none", "gainprm": "1", "biasprm": "0"}
"""What a <general> is without these attributes."""
Attributes = dict[str, str]


def read_actuators(context: Context, root: Element) -> list[Attributes]:
    """Add the actuators of joints to the parts, and leave of their elements the name and what else is KEPT, in place.
    Return for each element, in the order of the controls, what `label` does."""
    elements = [element for section in root.find_all(TAG) for element in section.children]
    taken = {element.get("name") or "" for element in elements}
    joints, found = {joint.name: joint for joint in context.parts.joints}, dict[str, Actuator]()
    order: list[Attributes] = []
    for section in root.find_all(TAG):
        children, is_plain = list[Element](), True
        for element in section.children:
            said = _resolved(context, element)
            made = _actuator(element, said, joints)
            if said is None or made is None or made.name in found:
                children.append(element)
                is_plain = False
                order.append(label(None, element))
                continue
            made = made if made.name else replace(made, name=free(made.joint, taken))
            found[made.name] = made
            order.append(label(made, None))
            more = {name: value for name, value in said.items() if name in KEPT}
            is_plain = is_plain and not more
            children.append(Element(made.kind, {"name": made.name, **more}, element.document, element.start))
        section.children = [] if is_plain else children
    context.parts.actuators = [*found.values()]
    return order


def label(one: Actuator | None, element: Element | None) -> Attributes:
    """Return what tells an actuator from others, and shows whether its control has another meaning than before."""
    if one is not None:
        return {"actuator": one.name, "kind": one.kind, "gear": format_number(one.gear)}
    return {"actuator": (element.get("name") or "") if element is not None else "", "kind": "other"}


def _resolved(context: Context, element: Element) -> Attributes | None:
    """Return the attributes with those of the class; None if its <default> has them in elements of several kinds."""
    own = context.classes.classes.get(element.get("class") or "main")
    if own is None:
        return None
    sets = [own[tag].attributes for tag in ("general", element.tag) if tag in own][: 1 + (element.tag != "general")]
    others = [own[tag].attributes for tag in (*TAGS, *OTHERS) if tag in own and tag != element.tag]
    if any(others) or (len(sets) > 1 and not sets[0].keys().isdisjoint(sets[1])):
        return None
    return {name: value for one in (*sets, element.attributes) for name, value in one.items() if name != "class"}


def _actuator(element: Element, said: Attributes | None, joints: Mapping[str, Joint]) -> Actuator | None:
    """Return the actuator that an element is, or None for another one. said: its attributes with those of its class."""
    legal = {*READ, *KEPT, *(GENERAL if element.tag == "general" else ())}
    joint = joints.get((said or {}).get("joint") or "")
    if not said or joint is None or not joint.kind.single or joint.kind.has_pitch or said.keys() - legal:
        return None
    gear = numbers(said.get("gear", "1"))
    law = _general(said) if element.tag == "general" else _law(element.tag, said)
    if law is None or not gear or any(gear[1:]) or not is_gear(gear[0]):
        return None
    ranges = {field: _range(said, *names) for field, names in RANGES.items()}
    if "inheritrange" in said:
        ranges["control"] = _inherited(joint, numbers(said["inheritrange"])) if "ctrlrange" not in said else None
    if None in ranges.values():
        return None
    kind, kp, kv = law
    return Actuator(said.get("name", ""), joint.name, kind, gear[0], **ranges, kp=kp, kv=kv, source=element.source)


def _law(tag: str, said: Attributes) -> tuple[Kind, float | None, float | None] | None:
    """Return the kind and gains of a shortcut; those that are missing are MuJoCo's."""
    gains = {name: numbers(said.get(name, default)) for name, default in (("kp", "1"), ("kv", ""))}
    default = {"position": 0.0, "velocity": 1.0}.get(tag)
    kp, kv = (value[0] if value else None for value in gains.values())
    if tag not in TAGS or (kp is None) or ("kv" in said and kv is None) or not isfinite(kp + (kv or 0.0)):
        return None
    kv = default if kv is None else kv
    return TAGS[tag], kp if tag == "position" else None, kv if tag != "motor" else None


def _general(said: Attributes) -> tuple[Kind, float | None, float | None] | None:
    """Return the kind and gains of a <general>: its force is g control + b0 + b1 length + b2 velocity."""
    words = {name: said.get(name, word) for name, word in GENERAL.items()}
    gain, bias = numbers(words.pop("gainprm")), numbers(words.pop("biasprm"))
    if not gain or not bias or any(gain[1:]) or any(bias[3:]) or words["dyntype"] != "none":
        return None
    b0, b1, b2 = [*bias, 0.0, 0.0, 0.0][:3] if words["biastype"] == "affine" else (0.0, 0.0, 0.0)
    if words["gaintype"] != "fixed" or words["biastype"] not in ("none", "affine") or b0 or gain[0] <= 0:
        return None
    if words["biastype"] == "none":
        return ("motor", None, None) if gain[0] == 1 else None
    if b1 == -gain[0] and b2 <= 0:
        return "position", gain[0], abs(b2)
    return ("velocity", None, gain[0]) if b1 == 0 and b2 == -gain[0] else None


def _range(said: Attributes, attribute: str, switch: str) -> Range | None:
    """Return a range, without limits if it is not active; None for one that MuJoCo refuses or turns off with a word."""
    ends, limited = numbers(said.get(attribute, "0 0")), said.get(switch, "auto")
    if limited == "false" or (limited == "auto" and ends == [0.0, 0.0]):
        return -inf, inf
    lower, upper = ends if ends and len(ends) == 2 else (0.0, 0.0)
    opened = (lower if lower > -OPEN else -inf, upper if upper < OPEN else inf)
    return opened if lower < upper else None


def _inherited(joint: Joint, share: Sequence[float] | None) -> Range | None:
    """Return the range of a joint, made larger or smaller about its middle."""
    lower, upper = joint.limit.lower, joint.limit.upper
    if not share or not -inf < lower < upper < inf:
        return None
    middle, half = (lower + upper) / 2, (upper - lower) / 2 * share[0]
    return (middle - half, middle + half) if half > 0 else None
