"""A robot with its semantic description to XRDF text, and to the YAML file of a robot for cuRobo."""

from collections.abc import Collection
from math import isfinite
from pathlib import Path
from typing import Any

from kinetree.display import some
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Robot
from kinetree.model.semantic import Semantic
from kinetree.syntax.yaml import Remarked, yaml_lines

CSPACE, TOOLS, DEFAULT = "cspace", "tool_frames", "default"
"""Names of the groups of the joints that a planner moves and of its tools, and of the state in which it begins."""

LOST = (
    *("end_effectors", "virtual_joints", "passive_joints", "joint_properties", "enabled_collisions", "unchecked_links"),
)
"""What planners do not read of a semantic description, besides groups and states; pairs follow from the last two."""


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return what XRDF says of a robot, which a planner reads beside its URDF.

    notes: a list that gets remarks on what a planner will not know. without: "limit" leaves out limits of acceleration
    and jerk, "extension" sections that are kept as they stand.
    """
    known = _Planned(robot, "XRDF", without, notes)
    rates = {f"{rate}_limits": values for rate, values in known.rates.items()}
    text: dict[str, Any] = {
        "default_joint_positions": Remarked(known.values, ""),
        CSPACE: {"joint_names": [*known.joints], **rates},
        TOOLS: known.tools,
    }
    around: dict[str, Any] = {"geometry": "spheres"} if known.spheres else {}
    own = around | ({"buffer_distance": known.self_buffers} if known.self_buffers else {})
    own |= {"ignore": known.ignored} if known.ignored else {}
    around |= {"buffer_distance": known.buffers} if known.buffers else {}
    text |= {"collision": around, "self_collision": own, "geometry": {"spheres": {"spheres": known.spheres}}}
    text = {name: value for name, value in text.items() if value and (known.spheres or name != "geometry")}
    extensions = known.semantic.extensions if "extension" not in without else ()
    kept = [extension.text for extension in extensions if extension.format == "xrdf"]
    return "\n".join([*known.head, "format: xrdf", "format_version: 1.0", *yaml_lines(text), *kept]) + "\n"


def write_curobo(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the configuration of a robot for cuRobo, whose `urdf_path` is the name of its URDF.

    notes, without: as of `write`.
    """
    known = _Planned(robot, "cuRobo", without, notes)
    file = Path(robot.source.file if robot.source else "")
    ones = [1.0] * len(known.joints)
    rates = {f"max_{rate}": values for rate, values in known.rates.items()}
    kinematics = {
        "urdf_path": file.name if file.suffix.lower() == ".urdf" else f"{robot.name}.urdf",
        "base_link": robot.root,
        "ee_link": known.tools[0],
        "link_names": known.tools,
        "lock_joints": {name: value for name, value in known.values.items() if name not in known.joints},
        "collision_link_names": [*known.spheres],
        "collision_sphere_buffer": known.buffers or 0.0,
        "self_collision_buffer": {name: known.self_buffers.get(name, 0.0) for name in known.spheres},
        "self_collision_ignore": known.ignored,
        "collision_spheres": known.spheres,
        CSPACE: {
            "joint_names": [*known.joints],
            "retract_config": [known.values[name] for name in known.joints],
            "null_space_weight": ones,
            "cspace_distance_weight": ones,
            **rates,
        },
    }
    return "\n".join([*known.head, *yaml_lines({"robot_cfg": {"kinematics": kinematics}})]) + "\n"


class _Planned:
    """What planners read. joints: those that move. values: of all joints of one coordinate. rates: limits of the joints
    that move, if all have some. spheres, ignored, buffers: by link."""

    def __init__(self, robot: Robot, format: str, without: Collection[str], notes: list[Finding] | None) -> None:
        self.semantic = semantic = robot.semantic or Semantic(robot.name)
        self.head = [f"# {line}" for line in semantic.evidence.splitlines()]
        single = [name for name in robot.joint_names if robot.joints[name].kind.nq == 1]
        self.joints = [name for name in robot.groups.get(CSPACE, single) if name in single]
        begin = [one for state in semantic.group_states if state.name == DEFAULT for one in state.joints]
        self.values = {name: float(robot.q()[robot.q_slices[name]][0]) for name in single}
        self.values |= {one.name: one.value[0] for one in begin if len(one.value) == 1 and one.name in robot.joints}
        limits = [robot.joints[name].limit for name in self.joints if "limit" not in without]
        rates = {"acceleration": [one.acceleration for one in limits], "jerk": [one.jerk for one in limits]}
        self.rates = {rate: own for rate, own in rates.items() if own and all(map(isfinite, own))}
        parents = {joint.parent for joint in robot.joints.values()}
        self.tools = [one.name for group in semantic.groups if group.name == TOOLS for one in group.members]
        self.tools = self.tools or [x.parent_link for x in semantic.end_effectors if x.parent_link in robot.frames]
        self.tools = self.tools or [name for name in robot.links if name not in parents]
        known = [one for one in semantic.sphere_approximations if one.spheres]
        self.spheres = {
            one.link: Remarked([{"center": ball.center, "radius": ball.radius} for ball in one.spheres], one.evidence)
            for one in known
        }
        self.buffers = {one.link: one.buffer for one in known if one.buffer}
        self.self_buffers = {one.link: one.self_buffer for one in known if one.self_buffer}
        self.ignored: dict[str, list[Remarked]] = {}
        for pair in semantic.pairs_disabled([*self.spheres]):
            reason = ": ".join(filter(None, (pair.reason, pair.evidence)))
            self.ignored.setdefault(pair.link1, []).append(Remarked(pair.link2, reason))
        lost = [one.name for one in semantic.groups if one.name not in (CSPACE, TOOLS)]
        lost += [one.name for one in semantic.group_states if one.name != DEFAULT]
        lost += [Semantic.label(one, of) for of in LOST for one in getattr(semantic, of)]
        lost += [one.tag for one in semantic.extensions if (one.format, format) != ("xrdf", "XRDF")]
        remarks: tuple[tuple[list[str], Severity, str], ...] = (
            ([name for name in robot.joint_names if name not in single], "warning", "joints of several coordinates"),
            ([rate for rate in rates if rate not in self.rates], "warning", "limits that not all joints have"),
            ([] if known else ["kt.collisions(robot).spheres() has them"], "warning", "spheres, for there are none"),
            (lost, "info", "what it has no words for"),
        )
        for names, severity, message in remarks:
            if names and notes is not None:
                said = f"{format} is written without {message}: {some(names)}"
                notes.append(Finding("planned", severity, said, robot.source, f"robot {robot.name!r}"))
