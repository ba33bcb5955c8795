"""A robot with its semantic description to XRDF text, and to the YAML file of a robot for cuRobo."""

from collections.abc import Collection, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from kinetree.display import some
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Robot
from kinetree.model.semantic import Semantic
from kinetree.syntax.yaml import Remarked, yaml_lines

CSPACE, TOOLS, DEFAULT = "cspace", "tool_frames", "default"
"""Names of the groups of the joints that a planner moves and of its tools, and of the state in which it begins."""

LOST = (
    "end_effectors",
    "virtual_joints",
    "passive_joints",
    "joint_properties",
    "enabled_collisions",
    "unchecked_links",
)
"""What planners do not read of a semantic description, besides groups and states; pairs follow from the last two."""


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return what XRDF says of a robot, which a planner reads beside its URDF.

    notes: a list that gets remarks on what a planner will not know. without: "limit" leaves out limits of acceleration
    and jerk, "extension" sections that are kept as they stand.
    """
    known = _planned(robot, "XRDF", without, [] if notes is None else notes)
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
    return "\n".join([*_head(known), "format: xrdf", "format_version: 1.0", *yaml_lines(text), *kept]) + "\n"


def write_curobo(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the configuration of a robot for cuRobo, whose `urdf_path` is the name of its URDF.

    notes, without: as of `write`.
    """
    known = _planned(robot, "cuRobo", without, [] if notes is None else notes)
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
    return "\n".join([*_head(known), *yaml_lines({"robot_cfg": {"kinematics": kinematics}})]) + "\n"


class _Planned(NamedTuple):
    """What planners read. joints: those that move. values: of all joints of one coordinate. rates: limits of the joints
    that move, if all have some. spheres, ignored, buffers: by link."""

    semantic: Semantic
    joints: list[str]
    values: Mapping[str, float]
    rates: Mapping[str, list[float]]
    tools: list[str]
    spheres: Mapping[str, Remarked]
    ignored: Mapping[str, list[Remarked]]
    buffers: Mapping[str, float]
    self_buffers: Mapping[str, float]


def _planned(robot: Robot, format: str, without: Collection[str], notes: list[Finding]) -> _Planned:
    semantic = robot.semantic or Semantic(robot.name)
    single = [name for name in robot.joint_names if robot.joints[name].kind.nq == 1]
    joints = [name for name in robot.groups.get(CSPACE, single) if name in single]
    limits = [robot.joints[name].limit for name in joints if "limit" not in without]
    every = {"acceleration": [one.acceleration for one in limits], "jerk": [one.jerk for one in limits]}
    rates = {rate: own for rate, own in every.items() if own and all(map(isfinite, own))}
    approximations = [one for one in semantic.sphere_approximations if one.spheres]
    ignored: dict[str, list[Remarked]] = {}
    for pair in semantic.pairs_disabled([one.link for one in approximations]):
        reason = ": ".join(filter(None, (pair.reason, pair.evidence)))
        ignored.setdefault(pair.link1, []).append(Remarked(pair.link2, reason))
    lost = [one.name for one in semantic.groups if one.name not in (CSPACE, TOOLS)]
    lost += [one.name for one in semantic.group_states if one.name != DEFAULT]
    lost += [Semantic.label(one, of) for of in LOST for one in getattr(semantic, of)]
    lost += [one.tag for one in semantic.extensions if (one.format, format) != ("xrdf", "XRDF")]
    remarks: tuple[tuple[list[str], Severity, str], ...] = (
        ([name for name in robot.joint_names if name not in single], "warning", "joints of several coordinates"),
        ([rate for rate in every if rate not in rates], "warning", "limits that not all joints have"),
        (
            [] if approximations else ["kt.collisions(robot).spheres() has them"],
            "warning",
            "spheres, for there are none",
        ),
        (lost, "info", "what it has no words for"),
    )
    for names, severity, message in remarks:
        if names:
            said = f"{format} is written without {message}: {some(names)}"
            notes.append(Finding("planned", severity, said, robot.source, f"robot {robot.name!r}"))
    spheres = {
        one.link: Remarked([{"center": ball.center, "radius": ball.radius} for ball in one.spheres], one.evidence)
        for one in approximations
    }
    buffers = {one.link: one.buffer for one in approximations if one.buffer}
    own = {one.link: one.self_buffer for one in approximations if one.self_buffer}
    return _Planned(
        semantic, joints, _values(robot, semantic), rates, _tools(robot, semantic), spheres, ignored, buffers, own
    )


def _values(robot: Robot, semantic: Semantic) -> dict[str, float]:
    """Return the values of joints in the state in which a planner begins, of others neutral ones."""
    q = robot.q()
    values = {name: float(q[where][0]) for name, where in robot.q_slices.items() if len(q[where]) == 1}
    known = [one for state in semantic.group_states if state.name == DEFAULT for one in state.joints]
    return values | {one.name: one.value[0] for one in known if len(one.value) == 1 and one.name in robot.joints}


def _tools(robot: Robot, semantic: Semantic) -> list[str]:
    """Return the tools that the description names, else the links of end effectors, else those that carry no other."""
    named = [one.name for group in semantic.groups if group.name == TOOLS for one in group.members]
    named = named or [one.parent_link for one in semantic.end_effectors if one.parent_link in robot.frames]
    parents = {joint.parent for joint in robot.joints.values()}
    return named or [name for name in robot.links if name not in parents]


def _head(known: _Planned) -> list[str]:
    return [f"# {line}" for line in known.semantic.evidence.splitlines()]
