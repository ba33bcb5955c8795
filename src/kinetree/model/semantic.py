"""The semantic description of a robot as written: groups, states, end effectors, pairs that may touch. All frozen.

The fields of each item have the names of SRDF's attributes. `Semantic.renamed` and `Semantic.without` keep the
items true to a robot whose parts get other names, or go.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

from kinetree.display import Brief
from kinetree.errors import Source
from kinetree.model.references import kind_of
from kinetree.model.text import Extension


@dataclass(frozen=True, slots=True, repr=False)
class Member(Brief):
    """A member of a group: the joint, link or group `name`, or the chain from the link `name` to `tip_link`."""

    kind: Literal["joint", "link", "chain", "group"]
    name: str
    tip_link: str = ""
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class Group(Brief):
    """A group of joints and links."""

    name: str
    members: tuple[Member, ...] = ()
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class JointValue(Brief):
    """Values of a joint in a state, rad or m; several for a joint of several coordinates."""

    name: str
    value: tuple[float, ...]
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class GroupState(Brief):
    """A named state of the joints of a group."""

    name: str
    group: str = ""
    joints: tuple[JointValue, ...] = ()
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class EndEffector(Brief):
    """A group that is attached to a link, which belongs to another group."""

    name: str
    parent_link: str
    group: str
    parent_group: str = ""
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class VirtualJoint(Brief):
    """A joint of type "fixed", "planar" or "floating" between a frame outside of the robot and a link of it."""

    name: str
    type: str
    parent_frame: str
    child_link: str
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class PassiveJoint(Brief):
    """A joint without a motor."""

    name: str
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class CollisionPair(Brief):
    """Two links whose collisions are not looked for, or are after all. evidence: what shows the reason, written as a
    comment."""

    link1: str
    link2: str
    reason: str = ""
    evidence: str = field(default="", compare=False)
    source: Source | None = field(default=None, compare=False)

    @property
    def links(self) -> frozenset[str]:
        """The two links in any order."""
        return frozenset((self.link1, self.link2))


@dataclass(frozen=True, slots=True, repr=False)
class UncheckedLink(Brief):
    """A link whose collisions with any other are not looked for, except with those that are enabled."""

    link: str
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class Sphere(Brief):
    """A sphere in the frame of a link, m."""

    center: tuple[float, ...]
    radius: float
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class SphereApproximation(Brief):
    """Spheres that stand for the shape of a link. buffer, self_buffer: by how much planners make them larger, m,
    against the surroundings and against other links; SRDF has neither. evidence: how near they are to the shape."""

    link: str
    spheres: tuple[Sphere, ...] = ()
    buffer: float = 0.0
    self_buffer: float = 0.0
    evidence: str = field(default="", compare=False)
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class JointProperty(Brief):
    """A value that planners read, such as the weight of the rotation of a floating joint."""

    joint_name: str
    property_name: str
    value: str
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class Semantic(Brief):
    """The semantic description of a robot; extensions are elements of other tools, kept as they stand. evidence: what
    is known of the spheres and pairs, a line each."""

    name: str = ""
    groups: tuple[Group, ...] = ()
    group_states: tuple[GroupState, ...] = ()
    end_effectors: tuple[EndEffector, ...] = ()
    virtual_joints: tuple[VirtualJoint, ...] = ()
    passive_joints: tuple[PassiveJoint, ...] = ()
    joint_properties: tuple[JointProperty, ...] = ()
    unchecked_links: tuple[UncheckedLink, ...] = ()
    enabled_collisions: tuple[CollisionPair, ...] = ()
    disabled_collisions: tuple[CollisionPair, ...] = ()
    sphere_approximations: tuple[SphereApproximation, ...] = ()
    extensions: tuple[Extension, ...] = ()
    evidence: str = field(default="", compare=False)
    source: Source | None = field(default=None, compare=False)

    def pairs_disabled(self, links: Collection[str]) -> list[CollisionPair]:
        """Return the pairs whose collisions are not looked for, each once. links: those that an unchecked link could
        collide with."""
        unchecked = {one.link for one in self.unchecked_links}
        more = (CollisionPair(*pair) for pair in combinations(links, 2) if not unchecked.isdisjoint(pair))
        found = {one.links: one for one in (*more, *self.disabled_collisions[::-1])}
        enabled = {one.links for one in self.enabled_collisions}
        return [one for pair, one in reversed(found.items()) if pair not in enabled and len(pair) == 2]

    @property
    def is_of_simulation(self) -> bool:
        """Return whether it only has states, and says for which pairs of links collisions are looked for."""
        own = ("group_states", "unchecked_links", "enabled_collisions", "disabled_collisions")
        return not any(getattr(self, of) for of in (*TAGS, "extensions") if of not in own)

    def references(self) -> "Iterator[Reference]":
        """Yield every name of a link, a joint or a group that an item uses, without those that it defines."""
        for of in TAGS:
            for item in getattr(self, of):
                for kind, name, attribute, inner in _names(item):
                    if name and not (attribute == "name" and isinstance(inner, Group | VirtualJoint)):
                        yield Reference(kind, name, item, of, inner.source)

    def renamed(self, new: Callable[[str, str], str]) -> "Semantic":
        """Return a description with other names. new: (kind, name) to the name that it gets, which may be the same."""

        def changed(item: Any) -> Any:
            news: dict[str, Any] = {at: new(k, name) for k, name, at, inner in _names(item) if inner is item and name}
            news |= {at: tuple(map(changed, getattr(item, at))) for at in CHILDREN if hasattr(item, at)}
            return replace(item, **news)

        items: dict[str, Any] = {of: tuple(map(changed, getattr(self, of))) for of in TAGS}
        return replace(self, **items)

    def without(
        self, gone: Collection[tuple[str, str]], groups: Mapping[str, tuple[str, ...]] | None = None
    ) -> "Semantic":
        """Return a description without what names parts that have gone, given as (kind, name).

        A group goes if that leaves it without members, and with it what names it; a state likewise. groups: joints of
        the groups, which a group with a lost chain has instead of it.
        """
        gone, semantic = set(gone), self
        for i, group in enumerate(self.groups):
            links = [name for m in group.members if m.kind == "chain" for name in (m.name, m.tip_link)]
            if any(("link", name) in gone for name in links) and (joints := (groups or {}).get(group.name)):
                others = (*semantic.groups[:i], joint_members(group.name, joints), *semantic.groups[i + 1 :])
                semantic = replace(semantic, groups=others)
        while True:
            kept: dict[str, Any] = {
                of: tuple(_kept(one, gone) for one in getattr(semantic, of) if _stays(one, gone)) for of in TAGS
            }
            made = replace(semantic, **kept)
            was = {group.name: group for group in semantic.groups}
            lost = {("group", g.name) for g in made.groups if not g.members and was[g.name].members}
            lost |= {("joint", one.name) for one in semantic.virtual_joints if one not in made.virtual_joints}
            if made == semantic and not lost - gone:
                return made
            gone |= lost
            semantic = made

    def without_virtual(self) -> "Semantic":
        """Return a description without virtual joints, for a robot whose root is attached to another one."""
        return self.without({("joint", joint.name) for joint in self.virtual_joints})

    def joined(self, other: "Semantic") -> "Semantic":
        """Return the descriptions of two robots that become one, under the name of the first."""
        both: dict[str, Any] = {of: getattr(self, of) + getattr(other, of) for of in (*TAGS, "extensions")}
        return replace(self, **both)

    @staticmethod
    def label(item: Any, of: str) -> str:
        """Return the name of an item in messages: `end_effector 'hand'`, or `<passive_joint>` without a name.

        of: the field of the description that has the item.
        """
        tag = TAGS[of][0]
        return f"{tag} {item.name!r}" if getattr(item, "name", "") else f"<{tag}>"


TAGS: Mapping[str, tuple[str, type[Any]]] = {
    "groups": ("group", Group),
    "group_states": ("group_state", GroupState),
    "end_effectors": ("end_effector", EndEffector),
    "virtual_joints": ("virtual_joint", VirtualJoint),
    "passive_joints": ("passive_joint", PassiveJoint),
    "joint_properties": ("joint_property", JointProperty),
    "unchecked_links": ("disable_default_collisions", UncheckedLink),
    "enabled_collisions": ("enable_collisions", CollisionPair),
    "disabled_collisions": ("disable_collisions", CollisionPair),
    "sphere_approximations": ("link_sphere_approximation", SphereApproximation),
}
"""Fields of a semantic description to their elements in SRDF."""
CHILDREN = ("members", "joints", "spheres")
"""Fields of items that hold items."""
NO_ATTRIBUTES = ("source", "evidence", "buffer", "self_buffer", *CHILDREN)
"""Fields of items that are no attributes in SRDF."""
_TAG_OF: Mapping[type[Any], str] = {kind: tag for tag, kind in TAGS.values()} | {JointValue: "joint"}


class Reference(NamedTuple):
    """A name of a part in an item: the kind of the part, its name, and the item of the whole description."""

    kind: str
    name: str
    item: Any
    field: str
    source: Source | None


def _names(item: Any) -> Iterator[tuple[str, str, str, Any]]:
    """Yield (kind, name, field, the item itself or one inside) for each name of a part."""
    for one in fields(item):
        value = getattr(item, one.name)
        if one.name in CHILDREN:
            for inner in value:
                yield from _names(inner)
        elif kind := _kind(item, one.name):
            yield kind, value, one.name, item


def _kind(item: Any, attribute: str) -> str:
    """Return the kind of the part that an attribute of an item names: "link", "joint", "group" or ""."""
    if isinstance(item, Member):
        return ("link" if item.kind == "chain" else item.kind) if attribute in ("name", "tip_link") else ""
    if attribute in ("group", "parent_group") or (attribute == "name" and isinstance(item, Group)):
        return "group"
    if attribute == "name" and isinstance(item, VirtualJoint):
        return "joint"
    kind = kind_of("srdf", _TAG_OF.get(type(item), ""), attribute)
    return kind if kind in ("link", "joint") else ""


def _stays(item: Any, gone: Collection[tuple[str, str]]) -> bool:
    own = [(kind, name) for kind, name, at, inner in _names(item) if inner is item and at != "parent_group"]
    lost = gone.__contains__
    return not any(map(lost, own)) and not (
        isinstance(item, GroupState) and item.joints and all(lost(("joint", joint.name)) for joint in item.joints)
    )


def _kept(item: Any, gone: Collection[tuple[str, str]]) -> Any:
    inner: dict[str, Any] = {
        at: tuple(one for one in getattr(item, at) if _stays(one, gone)) for at in CHILDREN if hasattr(item, at)
    }
    if isinstance(item, EndEffector) and ("group", item.parent_group) in gone:
        inner["parent_group"] = ""
    return replace(item, **inner) if inner else item


def joint_members(name: str, joints: tuple[str, ...]) -> Group:
    """Return a group of joints."""
    return Group(name, tuple(Member("joint", joint) for joint in joints))
