"""The order of joints and coordinates in other programs, where these read files that Kinetree writes.

None of the programs is needed. Sources: MuJoCo's documentation of MJCF (depth first, in the order of the file);
stack-of-tasks/pinocchio#379 (urdfdom sorts the joints that a link carries by their names); isaac-sim/IsaacLab#37 (PhysX
goes breadth first).
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from kinetree.arguments import explain_type_errors
from kinetree.bridges.bodies import Body, bodies_of, refused
from kinetree.bridges.maps import CIRCLE, Chart, Maps, Place, maps_of, mujoco_chart, pinocchio_chart, same_chart
from kinetree.errors import KinetreeError, unknown_name
from kinetree.formats.mjcf.check import is_several
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.reshape import single_joints
from kinetree.model.robot import Joint, Robot

Program = Literal["isaac", "mujoco", "pinocchio"]


class Order(NamedTuple):
    """Describe how a program orders joints of a file. kinds: types of joints that it takes; chart: their coordinates.

    rank: what the joints that one link carries are sorted by. is_deep: whether what a joint carries comes before the
    next joint of its link.
    """

    title: str
    kinds: tuple[str, ...]
    chart: Callable[[Body], Chart]
    rank: Callable[[Robot, Joint], int | str]
    is_deep: bool = True


def _as_written(robot: Robot, joint: Joint) -> int:
    return robot.child_joints(joint.parent).index(joint)


_SINGLE = ("revolute", "continuous", "prismatic")
ORDERS = {
    "mujoco": Order("MuJoCo", (*_SINGLE, "ball", "floating"), mujoco_chart, _as_written),
    "pinocchio": Order("Pinocchio", (*_SINGLE, "floating"), pinocchio_chart, lambda _, joint: joint.name),
    "isaac": Order("Isaac", (*_SINGLE, "floating"), same_chart, _as_written, is_deep=False),
}


@explain_type_errors
def joint_order(robot: Robot, program: Program) -> tuple[str, ...]:
    """Return the names of the joints that move, followers too, in the order that they have in another program.

    program: "mujoco" reads the MJCF that `kt.save` writes; "pinocchio" and "isaac" its URDF. A planar or universal
    joint is several joints of MuJoCo, each of its own name. A joint by which the root floats is none of Isaac's,
    for which fixed joints count as merged, as by its importer's default.

    Raises KinetreeError for joints that the program does not take.

    Examples:
        >>> import kinetree as kt
        >>> text = '''<robot name="r"><link name="l"/><link name="a"/><link name="b"/><link name="c"/>
        ...   <joint name="hip" type="continuous"><parent link="l"/><child link="a"/></joint>
        ...   <joint name="knee" type="continuous"><parent link="a"/><child link="b"/></joint>
        ...   <joint name="arm" type="continuous"><parent link="l"/><child link="c"/></joint></robot>'''
        >>> robot = kt.load(text, format="urdf")
        >>> for program in ("mujoco", "pinocchio", "isaac"):
        ...     print(kt.kinematics.joint_order(robot, program))
        ('hip', 'knee', 'arm')
        ('arm', 'hip', 'knee')
        ('hip', 'arm', 'knee')
    """
    return tuple(name for name, _ in _in_order(robot, program))


@explain_type_errors
def joint_maps(robot: Robot, program: Program) -> Maps:
    """Return maps of q and velocities between a robot and another program that reads its file; see `joint_order`.

    `maps.q(q)` gives the numbers there and `maps.q_back` returns them, for velocities `v` and `v_back`. MuJoCo's
    quaternions are w x y z; Pinocchio has the cosine and the sine of a continuous joint. `frames` is empty.

    Raises KinetreeError as `joint_order`.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(b) tx(1) Rz(a) tx(1)")
        >>> kt.kinematics.joint_maps(arm, "mujoco").q([0.1, 0.2])
        array([0.1, 0.2])
    """
    order, places, at_q, at_v = ORDERS[program], [], 0, 0
    for _, body in _in_order(robot, program):
        chart = order.chart(body)
        nq, nv = JOINT_TYPES[body.kind].nq + (chart is CIRCLE), JOINT_TYPES[body.kind].nv
        places.append(Place(body, chart, slice(at_q, at_q + nq), slice(at_v, at_v + nv)))
        at_q, at_v = at_q + nq, at_v + nv
    return maps_of(robot, places, {})


def _in_order(robot: Robot, program: str) -> list[tuple[str, Body]]:
    """Return the joints of a program as bodies, with their names, in its order."""
    if (order := ORDERS.get(program)) is None:
        raise unknown_name("program", program, [*ORDERS])
    bodies, _ = bodies_of(robot, order.title, order.kinds, springs=True, loops=JOINT_TYPES, weighed=False)
    if lost := [refused(order.title, joint, why) for joint, why in _refused(robot, program)]:
        raise KinetreeError(lost)
    rows = single_joints(robot, [name for name, joint in robot.joints.items() if joint.kind.singles])[1]
    found = []
    for body in bodies:
        path, coordinate = robot.joints_to(body.joint.child), body.name.removeprefix(f"{body.joint.name}.")
        part = body.joint.kind.coordinates.index(coordinate) if body.joint.kind.singles else 0
        depth = 0 if order.is_deep else sum(one.type != "fixed" for one in path)
        name = rows[body.joint.name][part] if body.joint.kind.singles else body.name
        found.append(((depth, [order.rank(robot, one) for one in path]), name, body))
    found.sort(key=lambda one: one[0])
    return [(name, body) for _, name, body in found if program != "isaac" or body.kind != "floating"]


def _refused(robot: Robot, program: str) -> Iterator[tuple[Joint, str]]:
    for joint in (robot.joints[name] for name in robot.placed):
        if joint.kind.singles and program != "mujoco":
            yield joint, f"is a {joint.type} joint"
        elif joint.type == "floating" and program == "mujoco" and is_several(robot, joint):
            yield joint, "floats in something else than a root link called 'world'"
        elif joint.type == "floating" and joint.parent != robot.root:
            yield joint, "floats behind other links"
