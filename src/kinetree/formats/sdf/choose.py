"""Choice of what of a file becomes the robot: its world, its only model, or the model that the caller names."""

from dataclasses import dataclass, field, replace

from kinetree.errors import Finding, nearest_names
from kinetree.files.opener import Opener
from kinetree.formats.sdf.expand import Expander
from kinetree.formats.sdf.frames import WORLD, Entry, Frames
from kinetree.formats.sdf.values import Version
from kinetree.syntax.xml.reader import Element, Report

IN_WORLDS = ("model", "include", "frame", "joint")


@dataclass(frozen=True, slots=True)
class Choice:
    """Choice of what becomes the robot: a model, or the world around all models.

    top: its place. name: that of the robot. prefix: beginning of the full names of all that it contains; "" for a
    world. joints: of the world around a model. alone: whether the robot is the whole file.
    """

    top: Entry
    name: str
    prefix: str
    frames: Frames
    joints: tuple[Entry, ...]
    alone: bool


@dataclass(slots=True)
class _Candidate:
    """A model of the file and its findings; `entry` is None if it cannot be read."""

    name: str
    entry: Entry | None
    findings: list[Finding]
    expander: Expander
    joints: list[tuple[Entry, list[Finding]]] = field(default_factory=list)


def choose(report: Report, root: Element, version: Version, opener: Opener, wanted: str | None) -> Choice | None:
    """Return the world or the model `wanted`; without it the world, or the only model of a file that has no world.

    Of all models' findings only those of a single model go to the report.
    """
    worlds = root.find_all("world")
    named_worlds = [world for world in worlds if wanted in (None, world.get("name"))]
    models = [child for child in root.children if child.tag in ("model", "include")]
    if worlds:
        _notes(report, root, ("world",))
    if len(named_worlds) == 1 or (wanted is None and not worlds and len(models) > 1):
        top = named_worlds[0] if worlds else root
        return _world(report, top, version, opener, len(worlds) + len(models) < 2 or not worlds)
    candidates: list[_Candidate] = []
    for top in worlds or [root]:
        candidates += _candidates(report, top, version, opener)
    named = [c for c in candidates if wanted in (None, c.name)]
    if len(named) != 1 or (worlds and wanted is None):
        _refuse(report, root, worlds, candidates, named, wanted)
        return None
    chosen = named[0]
    report.findings += chosen.findings
    if chosen.entry is None:
        return None
    prefix = f"{chosen.name}::"
    joints = _joints(report, chosen, prefix)
    _notes(report, worlds[0] if worlds else root)
    alone = len(candidates) == 1 and not chosen.expander.opened
    return Choice(chosen.entry, chosen.name, prefix, chosen.expander.frames, joints, alone)


def _world(report: Report, top: Element, version: Version, opener: Opener, alone: bool) -> Choice:
    """Return a world, or the models of a file without one, with all that stands in it."""
    expander = Expander(report, opener)
    scope = expander.world(top, version)
    entry = expander.frames.entries[0]
    for element in top.children:
        if element.tag in IN_WORLDS:
            expander.child(element, scope, entry)
        else:
            entry.others.append(element)
    if not any(entry.kind == "model" for entry in expander.frames.entries) and not report.failed:
        why = f"nothing else is in this {top.tag}, so there is no robot to check"
        missing = [
            replace(f, severity="error", message=f"{f.message}; {why}")
            for f in report.findings
            if f.code == "include-not-found"
        ]
        report.findings = [f for f in report.findings if f.code != "include-not-found"] + missing
        if not missing and not any(f.code == "gazebo-model" for f in report.findings):
            report.error("no-model", f"the {top.tag} contains no <model>, so there is no robot in it", top)
    name = top.get("name") or WORLD
    return Choice(entry, name, "", expander.frames, (), alone and not expander.opened)


def _joints(report: Report, chosen: _Candidate, prefix: str) -> tuple[Entry, ...]:
    """Return the joints of the world that move links of the model; those to another model are left out."""
    joints = []
    for entry, said in chosen.joints:
        if not entry.attached_to.startswith(prefix):
            continue
        parent = entry.element.find("parent")
        name = parent.text.strip() if parent else ""
        if name in ("", WORLD) or name.startswith(prefix):
            report.findings += said
            joints.append(entry)
        else:
            message = f"hangs the model on {name!r}, which is not part of it; the joint is left out"
            report.add("info", "not-of-the-model", message, entry.element)
    return tuple(joints)


def _candidates(report: Report, top: Element, version: Version, opener: Opener) -> list[_Candidate]:
    expander = Expander(report, opener)
    scope = expander.world(top, version)
    found: list[_Candidate] = []
    joints: list[tuple[Entry, list[Finding]]] = []
    for element in top.children:
        if element.tag not in IN_WORLDS:
            continue
        before, known = len(report.findings), len(expander.frames.entries)
        entry = expander.child(element, scope)
        said = report.findings[before:]
        del report.findings[before:]
        new = expander.frames.entries[known:]
        models = [e for e in new if e.kind == "model" and not e.prefix]
        if element.tag == "joint" and entry is not None:
            joints.append((entry, said))
        elif element.tag == "model" and entry is None:
            found.append(_Candidate(element.get("name") or "", None, said, expander))
        elif element.tag == "include" and entry is None and any(f.severity == "error" for f in said):
            found.append(_Candidate(_guess(element), None, said, expander))
        found += [_Candidate(model.name.removesuffix("::__model__"), model, said, expander) for model in models]
    for candidate in found:
        candidate.joints = joints
    return found


def _guess(include: Element) -> str:
    """Return the name that an include which cannot be opened would have."""
    name, uri = include.find("name"), include.find("uri")
    return name.text.strip() if name else uri.text.strip().rstrip("/").rpartition("/")[2] if uri else ""


def _refuse(
    report: Report,
    root: Element,
    worlds: list[Element],
    candidates: list[_Candidate],
    named: list[_Candidate],
    wanted: str | None,
) -> None:
    if wanted is None and worlds:
        kind, names = "worlds", [world.get("name") or "" for world in worlds]
    else:
        kind, names = "models", [candidate.name for candidate in candidates]
    if not names and report.failed:  # of a file without a version that is said first
        return
    if not names:
        report.error("no-model", "the file contains no <model>, so there is no robot in it", root)
    elif wanted is None:
        listed = ", ".join(map(repr, names[:20])) + (" …" if len(names) > 20 else "")
        message = f"the file contains {len(names)} {kind}: {listed}; say which one is meant"
        report.error("several-models", message, root, fix=f"pass model={names[0]!r}, or --model {names[0]}")
    elif not named:
        report.error("unknown-model", f"there is no model {wanted!r}; {nearest_names(wanted, names)}", root)
    else:
        for candidate in named:
            report.findings += candidate.findings
        if not report.failed:
            message = f"there are {len(named)} models {wanted!r}; names must differ"
            report.error("duplicate-name", message, root)


def _notes(report: Report, top: Element, known: tuple[str, ...] = IN_WORLDS) -> None:
    """Note elements around the model, or the world, that are left out."""
    for element in top.children:
        if element.tag not in known:
            message = f"<{element.tag}> stands outside of the model: it is not read, and not written again"
            report.add("info", "not-of-the-model", message, element)
