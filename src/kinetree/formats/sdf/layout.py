"""Layout of a robot in SDF: the model of each name, and the poses of models and links."""

import re

import numpy as np

from kinetree.formats.losses.losses import Losses
from kinetree.formats.sdf.frames import MODEL, WORLD
from kinetree.model.loops import zero_poses
from kinetree.model.robot import Extension, Frame, Joint, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import IDENTITY, Array


def scope_of(name: str) -> str:
    """Return the model that a name is in: "a::b" for "a::b::hand", "" for the robot itself."""
    return name.rpartition("::")[0]


def reference(name: str, scope: str) -> str | None:
    """Return a name as it is inside a scope, or None if it lies outside."""
    if not scope:
        return name
    return name.removeprefix(f"{scope}::") if name.startswith(f"{scope}::") else None


class Layout:
    """Layout of a robot. Poses are those with all joints at zero, in the frame of the root link."""

    def __init__(self, robot: Robot, without: frozenset[str]) -> None:
        self.robot = robot
        self.on_world = robot.root == WORLD
        self.links = [link for link in robot.links.values() if link.name != robot.root or not self.on_world]
        self.frames = [] if "frame" in without else [f for f in robot.frames.values() if f.name not in robot.links]
        self._model_frames = {frame.name: frame for frame in self.frames if frame.name.endswith(MODEL)}
        scoped = all("::" in link.name for link in self.links)
        self.is_world = self.on_world and scoped and MODEL not in self._model_frames
        self._canonical: dict[str, str | None] = {}
        self.T = {robot.root: IDENTITY, **zero_poses(robot.joints.values())}
        names = [thing.name for things in (self.links, robot.joints.values(), self.frames) for thing in things]
        self.nested = any("::" in name for name in names)
        self.static = {e.tag.rpartition("::")[0] for e in robot.extensions if e.tag.endswith("static") and _is_true(e)}
        self.implied = {joint.name for joint in robot.joints.values() if self._is_implied(joint)}
        self.joints = [joint for joint in robot.joints.values() if joint.name not in self.implied]
        self.joints += [] if "loop" in without else robot.loops.values()

    def _is_implied(self, joint: Joint) -> bool:
        """Return whether a joint from the world is none of the file: a floating one, or of a model that is static."""
        if joint.parent != WORLD or not self.on_world:
            return False
        models = {joint.child[:at] for at in (0, *_separators(joint.child))}
        static = joint.type == "fixed" and bool(models & self.static) and joint.name == self.made_name(joint)
        return joint.type == "floating" or (static and np.array_equal(joint.child_origin, IDENTITY))

    def made_name(self, joint: Joint) -> str:
        """Return the name that the reader gives to an implied joint by itself."""
        for at in _separators(joint.child):
            link = self.canonical(joint.child[:at])
            if link and (link == joint.child or any(j.name == joint.name for j in self.robot.joints_to(link))):
                return joint.child[:at]
        return f"{joint.child}_joint"

    def named_joints(self) -> list[Joint]:
        """Return the implied joints whose names the reader would not find by itself."""
        implied = [self.robot.joints[name] for name in self.robot.joints if name in self.implied]
        if not self.is_world and len(implied) == 1 and not any(joint.parent == WORLD for joint in self.joints):
            return implied  # without the name a model of one root stands in no world
        return [joint for joint in implied if joint.name != self.made_name(joint)]

    def model_frame(self, scope: str) -> Frame | None:
        """Return the extra frame that is a model's own frame, if the robot has one."""
        return self._model_frames.get(f"{scope}::{MODEL}" if scope else MODEL)

    def canonical(self, scope: str) -> str | None:
        """Return the link that the frame of a model is fixed to."""
        if frame := self.model_frame(scope):
            return frame.link
        if self.is_world and not scope:
            return None
        if not scope:
            moved = (joint.child for joint in self.robot.joints.values() if joint.parent == WORLD)
            return next(moved, None) if self.on_world else self.robot.root
        if scope not in self._canonical:
            inside = [link.name for link in self.links if reference(link.name, scope)]
            self._canonical[scope] = next((n for n in inside if scope_of(n) == scope), inside[0] if inside else None)
        return self._canonical[scope]

    def T_model(self, scope: str) -> Array:
        """Return T_root_model (4, 4) of the frame of a model."""
        link = self.canonical(scope)
        frame = self.model_frame(scope)
        T = self.T[link] if link else IDENTITY
        return T @ frame.origin if frame else T

    def model_pose(self, scope: str) -> Array:
        """Return the pose of a model in the model around it; of the robot itself, in the world if that is its root."""
        if not scope:
            return self.T_model("") if self.on_world else IDENTITY
        return se3.inverse(self.T_model(scope_of(scope))) @ self.T_model(scope)

    def joint_pose(self, joint: Joint) -> tuple[Array, str | None]:
        """Return the pose of a joint, and the name it is relative to: its parent, or None for its child."""
        parent = reference(joint.parent, scope_of(joint.name))
        if parent is None or joint.parent == WORLD:
            return se3.inverse(joint.child_origin), None
        return joint.origin, parent

    def link_pose(self, link: Link) -> tuple[Array, str | None]:
        """Return the pose of a link, and the name it is relative to: the joint that moves it, or None for its model."""
        joint = self.robot.parent_joint(link.name)
        scope = scope_of(link.name)
        if joint and scope_of(joint.name) == scope and self.joint_pose(joint)[1] and link.name != self.canonical(scope):
            return joint.child_origin, joint.name.rpartition("::")[2]
        frame = self.model_frame(scope)
        if link.name == self.canonical(scope):
            return (se3.inverse(frame.origin) if frame else IDENTITY), None
        return se3.inverse(self.T_model(scope)) @ self.T[link.name], None


def check_layout(layout: Layout, losses: Losses) -> None:
    """Note loops that are open, and floating joints that do not end at their link."""
    robot = layout.robot
    losses.note_open_loops(robot)
    for name in layout.implied:
        if not np.array_equal(robot.joints[name].child_origin, IDENTITY):
            what = "a floating joint that does not end at the frame of its link"
            losses.note_loss("joint", f"joint {name!r}", what, robot.joints[name].source)


def _is_true(extension: Extension) -> bool:
    return re.sub(r"<[^>]*>", "", extension.text).strip().lower() in ("true", "1")


def _separators(name: str) -> list[int]:
    return [i for i in range(len(name)) if name.startswith("::", i)]
