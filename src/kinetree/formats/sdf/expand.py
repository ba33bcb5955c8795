"""Models of an SDF file, with everything that they include, as named places in scopes."""

from dataclasses import dataclass, replace

from kinetree.errors import Finding, shortened
from kinetree.files.opener import Opener
from kinetree.formats.fields import check_outer, name_of
from kinetree.formats.sdf import values
from kinetree.formats.sdf.frames import MODEL, WORLD, Entry, Frames
from kinetree.formats.sdf.gazebo_models import OF_GAZEBO
from kinetree.syntax.numbers import whole_number
from kinetree.syntax.xml.reader import Element, Report, parse

PLACES = ("link", "joint", "frame")
TEMPLATES = (".jinja", ".j2", ".erb", ".em", ".in")
"""Endings of files of which a build makes models."""
MAX_INCLUDES = 2000


@dataclass(frozen=True, slots=True)
class Include:
    """An opened <include>: its content, the version of its file, and its changes to that content."""

    by: Element
    content: Element
    version: values.Version
    files: tuple[str, ...]  # chain of files that include each other, to find circles
    name: str
    placement: str
    pose: values.Pose | None
    merge: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope of an element: prefix of its names, meaning of `__model__`, its file."""

    prefix: str
    home: str
    version: values.Version
    files: tuple[str, ...]

    def full(self, reference: str) -> str:
        """Return the full name of a reference in this scope."""
        return self.home if reference == MODEL else self.prefix + reference


class Expander:
    """Reader that adds models to `frames`, and opens what they include."""

    def __init__(self, report: Report, opener: Opener) -> None:
        self.report = report
        self.opener = opener
        self.frames = Frames(report)
        self.opened = 0

    def world(self, element: Element, version: values.Version) -> Scope:
        """Begin with the world, or the top of a file."""
        self.frames.add(Entry("world", WORLD, element, version))
        return Scope("", WORLD, version, (element.document.file,))

    def child(self, element: Element, scope: Scope, keeper: Entry | None = None) -> Entry | None:
        """Add a <model>, <include>, <link>, <joint> or <frame> to the scope; return its place, if it has one.

        keeper: the world that keeps an <include> without a model that can be opened; by default that is an error.
        """
        if element.tag in PLACES:
            return self.place(element, scope)
        if element.tag == "model":
            name = self.name(element, scope)
            pose = values.pose_of(self.report, element.find("pose"), scope.version, element)
            return self.model(element, scope, name, pose, scope) if name else None
        include = self.open(element, scope, keeper is not None)
        if keeper is not None and (include is None or include.content.tag != "model"):
            keeper.others.append(element)
        if include is not None and include.content.tag != "model":
            message = f"includes a {include.content.tag}, which is not part of a robot; it is left out"
            self.report.add("info", "not-of-the-model", message, element)
            return None
        return self.include(include, scope) if include else None

    def place(self, element: Element, scope: Scope) -> Entry | None:
        """Add a link, joint or frame to the scope."""
        name = self.name(element, scope)
        if not name:
            return None
        pose = values.pose_of(self.report, element.find("pose"), scope.version, element)
        entry = self.entry(element.tag, scope.prefix + name, element, scope, pose)
        if element.tag == "frame":
            attached_to = values.attribute_of(self.report, element, "attached_to")
            entry.attached_to = scope.full(attached_to) if attached_to else scope.home
            entry.relative_to = entry.relative_to or entry.attached_to
        elif element.tag == "joint":
            child = values.needed_text(self.report, element, element.find("child"), "child", element)
            entry.attached_to = scope.full(child) if child else ""
            entry.relative_to = entry.relative_to or entry.attached_to
        entry.relative_to = entry.relative_to or scope.home
        return entry if self.frames.add(entry) else None

    def entry(self, kind: str, name: str, element: Element, scope: Scope, pose: values.Pose) -> Entry:
        """Return a place in the scope, with its pose as written."""
        relative_to = scope.full(pose.relative_to) if pose.relative_to else ""
        return Entry(
            kind,  # type: ignore[arg-type]  # PLACES are kinds
            name,
            element,
            scope.version,
            scope.prefix,
            scope.home,
            pose.T,
            relative_to,
            pose.element,
        )

    def name(self, element: Element, scope: Scope) -> str:
        """Return the name of an element; "" with an error if it is missing or reserved."""
        name = name_of(self.report, element)
        reserved = name == WORLD or (len(name) >= 4 and name.startswith("__") and name.endswith("__"))
        if reserved or ("::" in name and scope.version >= (1, 8)):
            what = "is reserved" if reserved else "contains '::', which separates scopes since SDF 1.8"
            message = f"the name {name!r} {what}; expected another one"
            self.report.error("reserved-name", message, element, attribute="name")
            return ""
        return name

    # models

    def model(
        self, element: Element, outer: Scope, name: str, pose: values.Pose, own: Scope, placement: str | None = None
    ) -> Entry | None:
        """Add a model and its content to the scope `outer`. own: the scope with its file and version."""
        inner = Scope(f"{outer.prefix}{name}::", f"{outer.prefix}{name}::{MODEL}", own.version, own.files)
        entry = self.entry("model", inner.home, element, outer, pose)
        entry.relative_to = entry.relative_to or outer.home
        entry.implied = True
        placement = values.attribute_of(self.report, element, "placement_frame") if placement is None else placement
        entry.placement = inner.full(placement) if placement else ""
        if not self.frames.add(entry, alias=outer.prefix + name):
            return None
        self.inside(element, inner, entry)
        return entry

    def merged(self, include: Include, outer: Scope, pose: values.Pose) -> Entry | None:
        """Add the content of an included model to the scope itself, with a frame in the place of its `__model__`."""
        home = f"{outer.prefix}_merged__{include.name}{MODEL}"
        inner = Scope(outer.prefix, home, include.version, include.files)
        entry = self.entry("frame", home, include.content, outer, pose)
        entry.relative_to = entry.relative_to or outer.home
        entry.implied = True
        entry.placement = inner.full(include.placement) if include.placement else ""
        if not self.frames.add(entry):
            return None
        self.inside(include.content, inner, entry)
        return entry

    def inside(self, element: Element, scope: Scope, model: Entry) -> None:
        """Add the content of a <model>, and set its canonical link."""
        for pose in element.find_all("pose")[1:]:
            self.report.warning("contradiction", "<pose> occurs twice; the first is used", pose, owner=element)
        links: list[Entry] = []
        models: list[Entry] = []
        for child in element.children:
            if child.tag in (*PLACES, "model", "include"):
                entry = self.child(child, scope)
                if child.tag in ("model", "include") and entry is not None:
                    (links if entry.kind == "frame" else models).append(entry)
                elif child.tag == "link" and entry is not None:
                    links.append(entry)
            elif child.tag != "pose":
                model.others.append(child)
        canonical = values.attribute_of(self.report, element, "canonical_link")
        if canonical:
            model.attached_to = scope.full(canonical)
        elif links or models:
            model.attached_to = (links or models)[0].name

    def include(self, include: Include, outer: Scope) -> Entry | None:
        content = include.content
        pose = include.pose
        if pose is None:
            pose = values.pose_of(self.report, content.find("pose"), include.version, content)
        own = Scope("", "", include.version, include.files)
        if include.merge:
            entry = self.merged(include, outer, pose)
        else:
            entry = self.model(content, outer, include.name, pose, own, include.placement)
        if entry is not None:
            self.override(entry, include.by)
        return entry

    def override(self, entry: Entry, include: Element) -> None:
        """Apply the elements of an <include> besides its place to the model."""
        if static := include.find_all("static"):
            entry.others = [e for e in entry.others if e.tag != "static"] + static
        for element in include.children:
            if element.tag == "plugin":
                entry.others.append(element)
            elif element.tag not in ("uri", "name", "pose", "placement_frame", "static", "experimental:params"):
                message = f"<{element.tag}> in <include> is not understood; it has no effect"
                self.report.warning("not-understood", message, element, owner=include)

    def open(self, element: Element, scope: Scope, in_world: bool) -> Include | None:
        """Return the content of an <include>, opened and parsed; None with an error if that fails.

        in_world: whether an <include> of the world, which nothing else depends on, may be missing, with a warning.
        """
        report = self.report
        check_outer(report, element, ("merge",))
        uri = values.needed_text(report, element, element.find("uri"), "uri", element)
        found = self.find_file(element, uri, scope, in_world) if uri else None
        if found is None:
            return None
        text, file = found
        if file in scope.files:
            loop = " -> ".join((*scope.files[scope.files.index(file) :], file))
            report.error("include-cycle", f"includes itself: {loop}", element)
            return None
        self.opened += 1
        if self.opened > MAX_INCLUDES:
            report.error("include-count", f"more than {MAX_INCLUDES} includes in one file", element)
            return None
        root = parse(text, file, report)
        content = self.content(root, element) if root else None
        if root is None or content is None:
            return None
        version = values.version_of(report, root)
        if params := element.find("experimental:params"):
            report.error("include-params", "parameters of an include are experimental and not read", params)
        name = values.text_of(report, element.find("name"), element) or self.name(
            content, replace(scope, version=version)
        )
        placement = values.text_of(report, element.find("placement_frame"), element)
        pose_element = element.find("pose")
        if placement and pose_element is None:
            report.error("missing-element", "<placement_frame> in an <include> needs <pose>, which is missing", element)
        return Include(
            element,
            content,
            version,
            (*scope.files, file),
            name,
            placement or values.attribute_of(report, content, "placement_frame"),
            values.pose_of(report, pose_element, scope.version, element) if pose_element else None,
            values.truth_attribute(report, element, "merge", element),
        )

    def content(self, root: Element, by: Element) -> Element | None:
        """Return the one model, light or actor of an included file."""
        check_outer(self.report, root, ("version",))
        if root.tag != "sdf":
            message = f"the included file's root element is <{root.tag}>; expected <sdf>"
            self.report.error("not-sdf", message, by, fix="convert it to SDF first")
            return None
        found = [child for child in root.children if child.tag in ("model", "light", "actor")]
        if len(found) != 1:
            message = f"the included file {root.document.file!r} contains {len(found)} models; expected one"
            self.report.error("include", message, by)
            return None
        return found[0]

    def find_file(self, element: Element, uri: str, scope: Scope, in_world: bool) -> tuple[bytes, str] | None:
        """Return the text and the path of a uri: a file, or a folder with model.config in it; None with a finding."""
        asking = scope.files[-1]
        folder = uri.rstrip("/")
        if not folder.lower().endswith((".sdf", ".world", ".xml", ".urdf")):
            if (manifest := self.opener(f"{folder}/model.config", asking)) is not None:
                name = self.best(*manifest, element)
                found = self.opener(f"{folder}/{name}", asking) if name else None
                if name and found is None:
                    made = next((one for one in TEMPLATES if self.opener(f"{folder}/{name}{one}", asking)), "")
                    message = f"{manifest[1]} names {name!r}, which " + (
                        f"is made of {name + made!r}: build the package first" if made else "cannot be found"
                    )
                    self.report.error("model-not-built" if made else "include-not-found", message, element)
                    self.frames.lost[str(element.source.line)] = element.get("merge") in ("true", "1")
                return found
            folder = f"{folder}/model.sdf"
        found = self.opener(folder, asking)
        if found is None and ":" not in uri and not uri.startswith("/"):  # a name on the path of models
            found = self.opener(f"model://{uri}", asking)
        if found is None:
            fix = "put the folder of the model where models are looked for, or pass packages={name: folder}"
            message = f"{uri!r} cannot be found; expected model://NAME, file://… or a relative path"
            if uri.startswith(("http://", "https://")):
                message = f"{uri!r} is on the network, from which nothing is read"
                fix = "download the model to a place where models are looked for, and write model://NAME"
            place = element.find("uri") or element
            self.frames.lost[str(place.source.line)] = element.get("merge") in ("true", "1")
            if in_world and OF_GAZEBO.fullmatch(uri):
                message = f"{uri!r} is a model that Gazebo finds by itself; it is left out of the world"
                self.report.add("info", "gazebo-model", message, place, owner=element)
            elif OF_GAZEBO.fullmatch(uri):
                self.report.error(
                    "missing-model", f"{uri!r} is a model that Gazebo finds by itself", place, owner=element
                )
            elif in_world:
                message = f"{message}; this model is left out of the world"
                self.report.warning("include-not-found", message, place, owner=element, fix=fix)
            else:
                self.report.error("include-not-found", message, place, owner=element, fix=fix)
        return found

    def best(self, text: bytes, file: str, element: Element) -> str | None:
        """Return the newest file in a model.config among the versions that can be read."""
        root = parse(text, file, self.report)
        if root is None:
            return None
        files: dict[tuple[int, ...], str] = {}
        for sdf in root.find_all("sdf"):
            key = tuple(map(whole_number, (sdf.get("version") or "1.4").split(".")))
            if None in key:
                message = f"version={shortened(sdf.get('version') or '', 40)!r} is no version; expected one such as 1.6"
                self.report.error("sdf-version", message, sdf, attribute="version")
                return None
            files.setdefault(tuple(part or 0 for part in key), sdf.text.strip())
        readable = [key for key in files if key in values.VERSIONS]
        if not files:
            message = "a model.config needs <sdf>, which is missing"
            self.report.findings.append(Finding("include", "error", message, root.source))
            return None
        return files[max(readable or files)]
