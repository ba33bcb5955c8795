"""Trees of links that stand in a world: the joints by which they hang on the link `world`."""

from kinetree.errors import Doubt, Finding
from kinetree.formats.fields import check_leaf
from kinetree.formats.sdf.choose import Choice
from kinetree.formats.sdf.context import Context
from kinetree.formats.sdf.frames import MODEL, WORLD, static_scopes
from kinetree.model.assemble import Parts
from kinetree.model.complete import HIDDEN
from kinetree.model.loops import take_loops
from kinetree.model.reshape import free_name
from kinetree.model.robot import Joint, Link
from kinetree.spatial.se3 import IDENTITY
from kinetree.syntax.xml.reader import Element

FREE = "kinetree:free"
"""Element with the name of the floating joint of a link, <… joint link/>: SDF has no such joint to write."""


def hang(context: Context, choice: Choice, parts: Parts, named: list[Element]) -> set[str]:
    """Take out the joints that close loops, and hang the links without a parent joint on the link `world`.

    Links of a static model hang by fixed joints, others by floating joints; the origin is the place in the world. A
    single root of a model outside of a world stays the root. named: elements FREE. Return the names of the joints that
    are reversed, because the world holds a link below them.
    """
    return _Forest(context, choice, parts, named).hang()


class _Forest:
    def __init__(self, context: Context, choice: Choice, parts: Parts, named: list[Element]) -> None:
        self.context, self.choice, self.parts = context, choice, parts
        self.models = [e for e in choice.frames.entries if e.kind == "model" and e.name.startswith(choice.prefix)]
        self.static = static_scopes(choice.frames)
        self.held: dict[str, None] = {}  # static links with a joint from a link that is not static
        self.named = {element.get("link") or "": element for element in named if _is_whole(context, element)}

    def hang(self) -> set[str]:
        parts = self.parts
        self.held |= {j.child: None for j in parts.joints if self.is_static(j.child) > self.is_static(j.parent)}
        parts.joints = [*self.made([*self.held]), *parts.joints]  # before the joints from links that are not static
        notes, turned = take_loops(parts, self.is_static)
        self.context.report.place(notes, self.choice.top.element.document)
        children = {joint.child for joint in parts.joints}
        roots = [link.name for link in parts.links if link.name not in children]
        for name in {*self.named} - {*roots}:
            message = f"it names link {name!r}, which does not exist or has a parent joint; it is left out"
            self.context.report.warning("carried", message, self.named.pop(name), attribute="link")
        if lost := [joint for joint in parts.joints if not joint.child]:
            unsure = self.unsure(roots, lost)
            parts.doubts = [Doubt("joint", f"{HIDDEN} {link}") for link in unsure]  # of none in the file
            roots = [link for link in roots if link not in unsure]
        on_world = any(joint.parent == WORLD for joint in (*parts.joints, *parts.loops))
        if self.choice.prefix and len(roots) == 1 and not on_world and not self.named:
            self.note_place()
            return turned
        parts.links.insert(0, Link(WORLD, source=self.choice.top.element.source))
        made = self.made(roots)
        place = {entry.name: i for i, entry in enumerate(self.choice.frames.entries)}
        at = [(place.get(self.choice.prefix + joint.name, len(place)), joint) for joint in parts.joints]
        at += [(place.get(self.choice.prefix + joint.child, 0), joint) for joint in made]
        parts.joints = [joint for _, joint in sorted(at, key=lambda pair: pair[0])]
        if not self.context.report.failed:
            self.note_roots([joint for joint in made if joint.type == "floating"])
        return turned

    def is_static(self, link: str) -> bool:
        """Return whether a link is the world or belongs to a static model."""
        return link == WORLD or (self.choice.prefix + link).startswith(self.static)

    def unsure(self, roots: list[str], lost: list[Joint]) -> list[str]:
        """Return the roots that may be the children of joints whose children errors leave unknown."""
        root_of = self.roots()
        above = {root_of.get(joint.parent) if joint.parent else None for joint in lost}
        sure = above if len(above) == 1 else set()  # a joint moves nothing that carries it
        scopes = tuple("".join(joint.name.rpartition("::")[:2]) for joint in lost)
        return [link for link in roots if link.startswith(scopes) and not (link in sure or self.is_static(link))]

    def made(self, roots: list[str]) -> list[Joint]:
        """Return the joints from the world to these links."""
        names = self.names(roots) if roots else {}
        world, frames = self.choice.frames.entries[0], self.choice.frames
        joints = []
        for root in roots:
            entry = frames.get(self.choice.prefix + root)
            T = frames.between(world, entry) if entry else None
            kind = "fixed" if self.is_static(root) else "floating"
            source = entry.element.source if entry else None
            joints.append(Joint(names[root], kind, WORLD, root, IDENTITY if T is None else T, source=source))
        return joints

    def names(self, roots: list[str]) -> dict[str, str]:
        """Return the name of the joint of each root: that of its model, or for others of the model LINK_joint."""
        taken = {joint.name for joint in (*self.parts.joints, *self.parts.loops)}
        found = {link: element.get("joint") or "" for link, element in self.named.items()}
        root_of = self.roots()
        for model in self.models:
            link = self.context.link_of(model)
            name = self.context.local(model.name).removesuffix(MODEL).removesuffix("::")
            root = root_of.get(self.context.local(link.name), "") if link else ""
            if name and root.startswith(f"{name}::") and name not in taken:
                found.setdefault(root, name)
        for root in roots:
            found[root] = free_name(found.get(root, f"{root}_joint"), taken)
        return found

    def roots(self) -> dict[str, str]:
        """Return the root of the tree of each link."""
        children: dict[str, list[str]] = {}
        for joint in self.parts.joints:
            if joint.child not in self.held:
                children.setdefault(joint.parent, []).append(joint.child)
        moved = {child for several in children.values() for child in several}
        root_of = {link.name: link.name for link in self.parts.links if link.name not in moved}
        stack = [*root_of]
        while stack:
            link = stack.pop()
            for child in children.get(link, ()):
                if child not in root_of:  # loops may not have been taken out yet
                    root_of[child] = root_of[link]
                    stack.append(child)
        return root_of

    def note_place(self) -> None:
        """Note where the only root stands in the world, if that is left out."""
        model, frames = self.choice.top, self.choice.frames
        T = frames.between(frames.entries[0], model)
        if T is not None and (T != IDENTITY).any():
            message = "no joint attaches the model to the world, so its place there is left out"
            element = model.pose_element or model.element
            self.context.report.add("info", "model-pose", message, element, owner=model.element)

    def note_roots(self, floating: list[Joint]) -> None:
        """Warn of models with several links that hang on nothing."""
        by_model: dict[str, list[Joint]] = {}
        for joint in floating:
            by_model.setdefault(joint.child.partition("::")[0] if "::" in joint.child else "", []).append(joint)
        for model, joints in by_model.items():
            if len(joints) > 1:
                links = ", ".join(repr(joint.child) for joint in joints[:8]) + (" …" if len(joints) > 8 else "")
                message = f"no joint connects its links {links}; each of them floats in the world"
                label = f"model {model or self.choice.name!r}"
                note = Finding("several-roots", "warning", message, joints[1].source, label)
                self.context.report.place([note], self.choice.top.element.document)


def _is_whole(context: Context, element: Element) -> bool:
    """Return whether an element FREE has both names, with a warning if not."""
    check_leaf(context.report, element, ("joint", "link"))
    missing = [name for name in ("joint", "link") if not element.get(name)]
    if missing:
        message = f"it needs {' and '.join(f'{name}=…' for name in missing)}; it is left out"
        context.report.warning("carried", message, element)
    return not missing
