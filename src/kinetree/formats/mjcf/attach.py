"""<attach>: a body, a frame or the whole world of another model, or of the same one, with a prefix before its names."""

import os.path
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from kinetree.errors import nearest_names
from kinetree.files.opener import Opener
from kinetree.formats.fields import name_of
from kinetree.formats.mjcf.attached_options import merge_options
from kinetree.formats.mjcf.compiler import Compiler, read_compiler
from kinetree.formats.mjcf.copies import ASSETS, SECTIONS, Users, named, references, renamed
from kinetree.formats.mjcf.defaults import ATTACHED
from kinetree.formats.mjcf.include import expand
from kinetree.formats.mjcf.known import check_known
from kinetree.formats.mjcf.replicate import expand_replicates
from kinetree.formats.mjcf.unknown_names import unknown_names
from kinetree.model.reshape import free_name
from kinetree.syntax.xml.reader import MAX_PARTS, Element, Report, parse

MERGED = ("asset", *SECTIONS)
"""Sections of an attached model that are added to those of the model."""
MOST_NESTED = 30
IGNORED = ("compiler", "default", "worldbody", "option", "size", "visual", "statistic", *MERGED)
"""Other sections that have no effect on the bodies."""


def expand_attachments(
    report: Report, root: Element, compiler: Compiler, opener: Opener, files: tuple[str, ...]
) -> None:
    """Replace every <attach> by a frame with what it attaches, in place, and add what refers to it to the sections.

    files: the file, and those of the models that attach it.
    """
    worlds = root.find_all("worldbody")
    if any(element.tag == "attach" for world in worlds for element in world.walk()):
        attacher = _Attacher(report, root, compiler, opener, files)
        for world in worlds:
            attacher.inside(world)
    for section in root.find_all("asset"):
        section.children = [e for e in section.children if e.tag != "model"]


class _Attacher:
    def __init__(
        self, report: Report, root: Element, compiler: Compiler, opener: Opener, files: tuple[str, ...]
    ) -> None:
        self.report, self.root, self.compiler, self.opener, self.files = report, root, compiler, opener, files
        self.asked: set[str] = set()  # names of models whose options are merged
        self.models: dict[str, str] = {}  # file of each model, by name
        self.classes = {e.get("class") or "main" for s in root.find_all("default") for e in s.walk()} | {"main"}

    def inside(self, parent: Element) -> None:
        children: list[Element] = []
        for child in parent.children:
            if child.tag == "attach":
                made = self.attached(child)
                children += [made] if made else []
            else:
                children.append(child)
                self.inside(child)
        parent.children = children

    def attached(self, element: Element) -> Element | None:
        """Return the frame that stands for an <attach>, or None with an error."""
        if self.report.parts > MAX_PARTS:
            return None
        wanted = [(kind, name) for kind in ("body", "frame") if (name := element.get(kind))]
        model = element.get("model")
        self.as_body = model is not None and wanted == [("body", "world")]  # MuJoCo makes a body of the world
        fault = self.fault(element, wanted)
        child = self.root if model is None else None if fault else self.model(element, model)
        if fault or child is None:
            self.report.error("attach", fault, element) if fault else None
            return None
        wanted = [] if self.as_body else wanted
        whole = [e for w in child.find_all("worldbody") for e in w.children]
        found = self.chosen(child, *wanted[0]) if wanted else (whole, "")
        if found is None:
            names = sorted(name for kind, name in named([*child.walk()]) if kind == wanted[0][0])
            message = f"{wanted[0][0]} {wanted[0][1]!r} does not exist in the model"
            self.report.error("attach", f"{message}; {nearest_names(wanted[0][1], names)}", element)
            return None
        chosen, inherited = found
        self.report.parts += sum(1 + len(e.attributes) for one in chosen for e in one.walk())
        if self.report.parts > MAX_PARTS:
            message = f"more than {MAX_PARTS} elements and attributes are attached"
            self.report.error("xml-size", message, element)
            return None
        frame = Element("frame", {}, element.document, element.start)
        prefix = element.attributes["prefix"]
        if model is None:
            inside = named([e for one in chosen for e in one.walk()])
            for section, one in Users(self.root).of(inside):
                section.children.append(renamed(one, inside, prefix, kind=section.tag))
            frame.children = [renamed(one, inside, prefix) for one in chosen]
            frame.attributes |= {"childclass": inherited} if inherited else {}
            return frame
        if model not in self.asked:
            self.asked.add(model)
            merge_options(self.report, self.root, child, element)
        if wanted:
            _keep_alone(child, chosen)
        main = self.merge(child, prefix)
        frame.children = [self.in_namespace(one, prefix) for one in chosen]
        frame.attributes["childclass"] = self.named.get(inherited, main)
        if self.as_body:
            body = Element("body", {"name": f"{prefix}world"}, element.document, element.start)
            body.children, frame.children = frame.children, [body]
        return frame

    def fault(self, element: Element, wanted: list[tuple[str, str]]) -> str:
        """Return what is wrong with an <attach>. wanted: the kind and name of what it names."""
        if "prefix" not in element.attributes:
            return 'prefix=… is missing; expected the beginning of all names that are attached, or prefix=""'
        if len(wanted) > 1 or ("model" not in element.attributes and not wanted):
            return "expected body=… or frame=…, or model=… alone for its whole world"
        if self.as_body and not element.attributes["prefix"]:
            return "the world becomes a body, and there is a body 'world' already; expected a prefix=… for its name"
        return ""

    def model(self, element: Element, name: str) -> Element | None:
        """Return the root of another model, with what it includes, attaches and replicates; None with an error."""
        for asset in (e for section in self.root.find_all("asset") for e in section.find_all("model")):
            if asset.get("name") == name or (
                not asset.get("name") and self.models.get(asset.get("file") or "", name) == name
            ):
                child = self.opened(asset)
                if child is None or asset.get("name") == name or child.get("model") == name:
                    return child
                self.models[asset.get("file") or ""] = child.get("model") or ""
        known = (e for section in self.root.find_all("asset") for e in section.find_all("model"))
        names = sorted(e.get("name") or self.models.get(e.get("file") or "", "") for e in known)
        self.report.error("attach", f"model {name!r} is not in <asset>; {nearest_names(name, names)}", element)
        return None

    def opened(self, asset: Element) -> Element | None:
        report, file = self.report, name_of(self.report, asset, "file")
        found = self.opener(file, self.files[0]) if file else None
        if found is None or found[1] in self.files or len(self.files) > MOST_NESTED:
            why = "cannot be found" if not found else "attaches itself, or models are nested too deep"
            report.error(
                "attach" if found else "include-not-found", f"the model {file!r} {why}", asset, attribute="file"
            )
            return None
        root = parse(found[0], found[1], report)
        if root is None or root.tag != "mujoco":
            report.error("attach", f"the file {file!r} is not a model: its root element is not <mujoco>", asset)
            return None
        expand(report, root, self.opener)
        check_known(report, root)
        compiler = read_compiler(report, root)
        documents = {e.document for e in root.walk()}
        expand_attachments(report, root, compiler, self.opener, (found[1], *self.files))
        folder = os.path.relpath(os.path.dirname(found[1]) or ".", os.path.dirname(self.files[-1]) or ".")
        places: dict[str, Any] = {
            k: str(PurePosixPath(folder.replace(os.sep, "/")) / (getattr(compiler, k) or "")) for k in FOLDERS
        }
        expand_replicates(report, root, compiler)
        self.compiler.attached.update(compiler.attached)
        self.compiler.attached.update(dict.fromkeys(documents, replace(compiler, attached={}, **places)))
        left = ", ".join(f"<{e.tag}>" for e in root.children if e.tag not in (*IGNORED, ATTACHED))
        if left:
            report.add("info", "left-out", f"sections of the attached model are left out: {left}", asset)
        return root

    def chosen(self, child: Element, tag: str, name: str) -> tuple[list[Element], str] | None:
        """Return a body or frame of a model, and the class that it inherits."""
        stack = [(e, "") for world in child.find_all("worldbody") for e in world.children]
        for element, inherited in stack:
            if (element.tag, element.get("name")) == (tag, name):
                return [element], inherited
            stack += [(e, element.get("childclass") or inherited) for e in element.children]
        return None

    def merge(self, child: Element, prefix: str) -> str:
        """Add the sections of another model to those of this one; return its class of all elements without one."""
        sections = child.find_all("default") + child.find_all(ATTACHED)
        own = [e.get("class") or "main" for s in sections for e in s.walk() if e.tag in ("default", ATTACHED)]
        self.named = {name: free_name(prefix + name, self.classes) for name in dict.fromkeys(["main", *own])}
        main = Element(ATTACHED, {"class": self.named["main"]}, child.document, child.start)
        for section in sections:
            twin = self.in_namespace(section, prefix)
            if section.tag == ATTACHED:
                self.root.children.append(twin)
            else:
                main.children += twin.children
        self.root.children.append(main)
        for section in (s for s in child.children if s.tag in MERGED):
            into = self.root.find(section.tag) or Element(section.tag, {}, section.document, section.start)
            if into not in self.root.children:
                self.root.children.append(into)
            for one in (e for e in section.children if e.tag != "model"):
                twin = self.in_namespace(one, prefix, section.tag)
                if twin.tag in ASSETS and not twin.get("name"):
                    stem = PurePosixPath((one.get("file") or "").replace("\\", "/")).stem
                    twin.attributes |= {"name": prefix + stem} if stem else {}
                if section.tag != "sensor" and twin.tag not in ("texture", "hfield", "exclude", "skin"):
                    twin.attributes.setdefault("class", self.named["main"])
                into.children.append(twin)
        return self.named["main"]

    def in_namespace(self, element: Element, prefix: str, section: str = "") -> Element:
        """Return a copy of an element with the prefix before its names, and the new names of its classes."""
        twin = renamed(element, None, prefix, kind=section if section != "asset" else "")
        for e in twin.walk():
            if self.as_body and section != "equality":
                worlds = (attribute for attribute, *of in references(e) if of == ["body", "world"])
                e.attributes |= dict.fromkeys([*worlds], f"{prefix}world")
            for attribute in ("class", "childclass"):
                if attribute in e.attributes:
                    e.attributes[attribute] = self.named.get(e.attributes[attribute], e.attributes[attribute])
        return twin


FOLDERS = ("assetdir", "meshdir", "texturedir")


def _keep_alone(child: Element, chosen: list[Element]) -> None:
    """Leave only some elements in a model, and what refers to nothing else, in place."""
    worlds = child.find_all("worldbody")
    for world in worlds:
        world.children = chosen if world is worlds[0] else []
    while gone := {id(element) for element, *_ in unknown_names(child)}:
        for section in (section for section in child.children if section.tag in SECTIONS):
            section.children = [e for e in section.children if gone.isdisjoint(map(id, e.walk()))]
        if gone == {id(element) for element, *_ in unknown_names(child)}:  # in the bodies, which say so
            return
