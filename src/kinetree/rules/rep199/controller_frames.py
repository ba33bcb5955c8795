"""Places of a controller's frames in the models of its maker."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from kinetree.controllers import controllers
from kinetree.controllers.controller import Controller
from kinetree.robot_kinds.arms import Arm
from kinetree.rules.rule import Array, Poses, Robot, fact
from kinetree.spatial import se3

HEIGHT = "height"
"""Entry of a controller whose base is turned like base_link and as high as the second joint's axis."""


@dataclass(frozen=True, eq=False)
class ControllerFrames:
    """A controller, or none, and the known places of its frames in models.

    base_rotation, tool0_rotation (3, 3): of base in base_link and of tool0 in flange. given: frames whose places the
    options have, for which other models do not count.
    """

    controller: Controller | None = None
    given: Collection[str] = ()

    @property
    def name(self) -> str:
        return self.controller.name if self.controller else "nobody"

    @property
    def base_rotation(self) -> Array | None:
        said = self.controller.base_in_base_link if self.controller and "base" not in self.given else ()
        return np.eye(3) if said == HEIGHT else _rotation(said)

    @property
    def tool0_rotation(self) -> Array | None:
        return _rotation(self.controller.tool0_in_flange if self.controller and "tool0" not in self.given else ())

    def base_position(self, robot: Robot, arm: Arm, poses: Poses) -> Array | None:
        """Return p (3,) of base in base_link, m."""
        if self.base_rotation is None or self.controller is None or arm.base_link is None:
            return None
        if self.controller.base_in_base_link != HEIGHT:
            return np.zeros(3)
        second = robot.joints[arm.moving[1]]
        p = (se3.inverse(poses[arm.base_link]) @ poses[second.parent] @ second.origin)[:3, 3]
        return np.array([0.0, 0.0, p[2]])


@fact
def controller_frames(robot: Robot, controller: str | None, frames: Mapping[str, str]) -> ControllerFrames:
    """Return the frames of the named controller, else of the only one that the robot or its meshes are named after."""
    if controller:
        return ControllerFrames(controllers[controller], frames)
    meshes = {
        str(shape.shape.parameters.get("filename", ""))
        for link in robot.links.values()
        for shape in (*link.visuals, *link.collisions)
    }
    words = set(re.findall(r"[a-z0-9]+", " ".join([robot.name, *meshes]).lower()))
    named = [one for one in controllers.values() if words & {one.key, *one.aliases}]
    return ControllerFrames(named[0], frames) if len(named) == 1 else ControllerFrames()


def _rotation(rpy_deg: tuple[float, ...] | str) -> Array | None:
    """Return R (3, 3) of (roll, pitch, yaw), deg; None if it is unknown."""
    if not rpy_deg or isinstance(rpy_deg, str):
        return None
    return se3.pose_from_xyz_rpy((0.0, 0.0, 0.0), [float(np.deg2rad(a)) for a in rpy_deg])[:3, :3]
