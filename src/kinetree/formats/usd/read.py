"""A composed stage of OpenUSD to a robot: rigid bodies become links, joints a tree."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from kinetree.confine import Confinement
from kinetree.display import listed
from kinetree.formats.usd.joints import TYPES, Edge, edges_of, joint_of
from kinetree.formats.usd.masses import Collider, inertial_of
from kinetree.formats.usd.prim import GPRIMS, UNREAD, Prim, Stage
from kinetree.formats.usd.shapes import geometry_of, is_felt, is_seen, mesh_text
from kinetree.formats.usd.source import open_stage
from kinetree.formats.usd.transforms import Transforms, split
from kinetree.model.assemble import Parts, Reading, assemble
from kinetree.model.robot import Extension, Frame, Geometry, Joint, Link, Text
from kinetree.spatial import se3
from kinetree.spatial.se3 import frozen

WORLD = "world"
"""Link of the world, to which joints without one of their bodies belong."""
SCALED = 1e-5
"""Least difference of a scale from 1 that is noted."""
MOST_SHOWN = 5
MAX_PARTS = 5_000
"""Most bodies and joints."""


def read(
    text: bytes | str, file: str, confinement: Confinement | None = None, variants: Mapping[str, str] | None = None
) -> Reading:
    """Return the robot of a USD file, or None, and all findings. Never raises on content. confinement: usd-core reads
    layers in its folders alone; by default in the workspace of the file. variants: chosen ones, by names of their sets.
    """
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    stage, findings = open_stage(content, file, confinement, variants or {})
    if stage is None:
        return None, findings
    stage.findings += findings
    parts = _Reader(stage).parts()
    if any(finding.severity == "error" for finding in stage.findings):
        return None, stage.findings
    if next(iter(stage.prims.values())).line is not None:  # a flat text, which is the same robot wherever it is written
        parts.text = Text("usd", content.decode("utf-8", "replace"))
    parts.notes = tuple(stage.findings)
    robot, more = assemble(parts)
    return robot, [*stage.findings, *more]


def _unique(prims: Iterable[Prim], taken: Collection[str] = ()) -> dict[str, str]:
    """Return a name for each prim by its path: its display name or its own, or its path where several share that."""
    names = {prim.path: prim.title or prim.path.rpartition("/")[2] for prim in prims}
    count = Counter([*names.values(), *taken])
    return {path: name if count[name] == 1 else path[1:] for path, name in names.items()}


def _check_values(stage: Stage) -> bool:
    """Note units and numbers that mean nothing, and what is left out of bodies. Return whether none is an error."""
    for name in sorted({"metersPerUnit", "kilogramsPerUnit", "upAxis"} & stage.settings.keys()):
        value, is_axis = stage.settings[name], name == "upAxis"
        if value not in ("X", "Y", "Z") if is_axis else not (isinstance(value, int | float) and 0 < value < np.inf):
            legal = "Y or Z" if is_axis else "a number above 0"
            stage.note("error", "usd-units", f"{name} is {value!r}; expected {legal}")
    for prim in stage.prims.values():
        for name, value in prim.values.items():
            physical = ":" in name and not name.startswith(("xformOp:", "primvars:", "inputs:"))
            if physical and isinstance(value, float | np.ndarray) and np.isnan(value).any():
                stage.note("error", "usd-stage", f"{name} is nan; expected a number", prim)
        if prim.has("PhysicsRigidBodyAPI") and not prim.flag("physics:rigidBodyEnabled", True):
            what = "physics:rigidBodyEnabled is false; it is no link, but part of the body above it, or of the world"
            stage.note("info", "left-out", what, prim)
        elif prim.flag("physics:kinematicEnabled", False):
            stage.note("info", "left-out", "physics:kinematicEnabled, by which it would stay where it is", prim)
    return not any(finding.severity == "error" for finding in stage.findings)


class _Reader:
    """Read one stage."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.transforms = Transforms(stage)
        up = str(stage.settings.get("upAxis", "Y"))
        turn = {"Y": se3.turn((1.0, 0.0, 0.0), np.pi / 2), "X": se3.turn((0.0, 1.0, 0.0), -np.pi / 2)}
        self.T_up = np.round(turn[up], 15) if up in turn else np.eye(4)
        live = (one for one in stage.prims.values() if one.flag("physics:rigidBodyEnabled", True))
        self.bodies = {prim.path: prim for prim in live if prim.has("PhysicsRigidBodyAPI")}
        self.names = _unique(self.bodies.values(), (WORLD,))
        self.shapes: dict[str, list[Prim]] = {}
        self.meshes: list[Extension] = []

    def parts(self) -> Parts:
        """Return the parts of the robot of the stage; its findings have errors where it has none."""
        stage, file = self.stage, self.stage.file
        first = stage.prims.get(f"/{stage.settings.get('defaultPrim', '')}") or next(iter(stage.prims.values()), None)
        name = (first.title or first.path[1:]) if first else "robot"
        name = Path(file).stem if name in ("World", "Root") and not file.startswith("<") else name
        parts = Parts(name, source=stage.source(first))
        if not _check_values(stage):
            return parts
        if not self.bodies:
            message = "no prim has PhysicsRigidBodyAPI, so that there is no link"
            fix = "apply UsdPhysics to it, as importers of simulators and urdf-usd-converter do"
            stage.note("error", "usd-body", message, first, fix)
            return parts
        many = len(self.bodies) + sum(prim.type in TYPES for prim in stage.prims.values())
        if many > MAX_PARTS:
            stage.note("error", "usd-stage", f"it has {many} bodies and joints; at most {MAX_PARTS} are read")
            return parts
        if "metersPerUnit" not in stage.settings:
            message = "metersPerUnit is not given; a unit of length is 0.01 m, as USD says"
            stage.note("warning", "usd-units", message, None, "write metersPerUnit = 1 into the root layer if it is so")
        edges = list(edges_of(stage, self.transforms, self.bodies, self.T_up))
        tree, loops, roots = self._tree(edges)
        is_held = any("" in edge.ends for edge, _ in tree) or len(roots) > 1
        links = {**self.names, "": WORLD}
        titles = _unique(edge.prim for edge in edges)
        leaders = {edge.prim.path: titles[edge.prim.path] for edge in edges if edge.moves}
        self._collect()
        parts.links += [Link(WORLD, source=parts.source)] if is_held else []
        parts.links += [self._link(body) for body in self.bodies.values()]
        order = {edge.prim.path: i for i, edge in enumerate(edges)}
        for edge, reverse in sorted(tree, key=lambda one: order[one[0].prim.path]):
            parts.joints.append(joint_of(stage, edge, titles[edge.prim.path], links, reverse, leaders))
        for edge in loops:
            parts.loops.append(joint_of(stage, edge, titles[edge.prim.path], links, False, leaders))
        if is_held:
            parts.joints += [self._free(body, titles.values()) for body in roots]
        parts.frames += self._frames([*links.values()])
        parts.extensions += self.meshes
        return parts

    def _tree(self, edges: Sequence[Edge]) -> tuple[list[tuple[Edge, bool]], list[Edge], list[str]]:
        """Return the joints of the tree, each with whether its body1 is the parent; the loops; and the bodies that no
        joint connects to the world, one of each part.

        The order of body0 and body1 means nothing to USD: the tree grows from the world, then from bodies of an
        articulation's root, then from those that are never a body1.
        """
        used = [edge for edge in edges if not edge.is_loop]
        by_end: dict[str, list[Edge]] = {}
        for edge in used:
            for end in edge.ends:
                by_end.setdefault(end, []).append(edge)
        below = {edge.ends[1] for edge in used}
        api = "PhysicsArticulationRootAPI"
        rooted = {path for path, body in self.bodies.items() if any(prim.has(api) for prim in body.above())}
        starts = sorted(self.bodies, key=lambda path: (path not in rooted, path in below))
        placed, taken, tree, roots = {""}, set[int](), list[tuple[Edge, bool]](), list[str]()
        for start in ("", *starts):
            if start and start in placed:
                continue
            roots += [start] if start else []
            placed.add(start)
            waiting = [start]
            while waiting:
                here = waiting.pop(0)
                for edge in by_end.get(here, ()):
                    reverse = edge.ends[0] != here
                    there = edge.ends[0] if reverse else edge.ends[1]
                    if there not in placed and id(edge) not in taken:
                        taken.add(id(edge))
                        placed.add(there)
                        tree.append((edge, reverse))
                        waiting.append(there)
        loops = [edge for edge in edges if id(edge) not in taken]
        for edge in loops:
            if not edge.is_loop:
                message = "it closes a loop, and is not marked with physics:excludeFromArticulation; it is read as one"
                fix = "set physics:excludeFromArticulation = true on the joint at which the loop is cut"
                self.stage.note("warning", "usd-loop", message, edge.prim, fix)
        self._note_roots(roots, bool(tree))
        return tree, loops, roots

    def _note_roots(self, roots: list[str], has_joints: bool) -> None:
        stage = self.stage
        if has_joints and not any(prim.has("PhysicsArticulationRootAPI") for prim in stage.prims.values()):
            message = "no prim has PhysicsArticulationRootAPI, so that simulators solve each joint as a constraint"
            stage.note("warning", "usd-articulation", message, self.bodies[roots[0]] if roots else None)
        if len(roots) > 1:
            message = f"{len(roots)} bodies are not held by the world: {listed(roots, MOST_SHOWN)}"
            stage.note("info", "usd-free", f"{message}; each gets a floating joint")
        elif roots:
            message = "it is not held by the world; it becomes the root of the robot, as in URDF"
            stage.note("info", "usd-free", message, self.bodies[roots[0]], "load it with floating=True to let it float")

    def _body_of(self, prim: Prim) -> Prim | None:
        """Return the body to which a prim belongs."""
        return next((one for one in prim.above() if one.path in self.bodies), None)

    def _collect(self) -> None:
        """Find the shapes of each body."""
        loose, unread = [], []
        for prim in self.stage.prims.values():
            if prim.type in GPRIMS and (is_felt(prim) or is_seen(prim)):
                body = self._body_of(prim)
                if body is None:
                    loose.append(prim.path)
                else:
                    self.shapes.setdefault(body.path, []).append(prim)
            elif is_felt(prim) or (prim.type in UNREAD and is_seen(prim)):
                unread.append(prim.path)
        for which, paths in (("that belong to no body", loose), ("of other types than Kinetree reads", unread)):
            if paths:
                self.stage.note("info", "left-out", f"shapes {which} are left out: {listed(paths, MOST_SHOWN)}")

    def _link(self, body: Prim) -> Link:
        """Return the link of a body."""
        T = self.transforms.world(body)
        _, scales, whole = split(T)
        if not whole or np.abs(scales - 1.0).max() > SCALED:
            fix, rest = "apply the scale to the shapes, and leave it out of the body", "its mass is as given"
            if whole:
                message = f"its transform is scaled by {' '.join(f'{x:.6g}' for x in scales)}; points below it are, too"
                self.stage.note("warning", "usd-scaled", f"{message}, and {rest}", body, fix)
            else:
                self.stage.note("error", "usd-scaled", "its transform is sheared, or not finite", body, fix)
        seen: list[Geometry] = []
        felt: list[Collider] = []
        for prim in self.shapes.get(body.path, ()):
            found = geometry_of(self.stage, self.transforms, prim, self.transforms.pose(T))
            if found is None:
                continue
            geometry, surface = found
            if surface is not None:
                self.meshes.append(Extension("mjcf", "asset", mesh_text(prim.path, surface), geometry.source))
            seen += [geometry] if is_seen(prim) else []
            felt += [(prim, geometry, surface)] if is_felt(prim) else []
        inertial, unknown = inertial_of(self.stage, body, felt, scales)
        collisions = tuple(geometry for _, geometry, _ in felt)
        name, source = self.names[body.path], self.stage.source(body)
        return Link(name, inertial, tuple(seen), collisions, source=source, unweighed=unknown)

    def _free(self, path: str, taken: Collection[str]) -> Joint:
        """Return the joint of a body that floats in the world, where it is in the stage."""
        body = self.bodies[path]
        T = self.T_up @ self.transforms.pose(self.transforms.world(body))
        name = f"{self.names[path]}_free"
        name = f"{path[1:]}_free" if name in taken else name
        return Joint(name, "floating", WORLD, self.names[path], frozen(T), source=self.stage.source(body))

    def _frames(self, taken: Collection[str]) -> list[Frame]:
        """Return a frame for each prim Xform below a body that has nothing below but others of its kind."""
        busy: set[str] = set()
        for prim in self.stage.prims.values():
            if prim.type != "Xform" or prim.path in self.bodies:
                busy.update(one.path for one in prim.above())
        bodies = {prim.path: self._body_of(prim) for prim in self.stage.prims.values() if prim.path not in busy}
        found = {path: (self.stage.prims[path], body) for path, body in bodies.items() if body}
        frames = []
        for path, name in _unique((prim for prim, _ in found.values()), taken).items():
            prim, body = found[path]
            T_body, T = (self.transforms.pose(self.transforms.world(one)) for one in (body, prim))
            origin = frozen(se3.inverse(T_body) @ T)
            frames.append(Frame(name, self.names[body.path], origin, self.stage.source(prim)))
        return frames
