"""Repairs of the rules of REP-199 that give links and joints other names."""

from collections.abc import Iterator

from kinetree.model.robot import Robot
from kinetree.repairs.edit import Repair
from kinetree.repairs.fixes import Elements
from kinetree.repairs.rename_references import rename_repairs
from kinetree.robot_kinds.arms import Arm
from kinetree.rules.rep199.clause import Arms, geometry, joints_of


def name_base_link(robot: Robot, arms: Arms, elements: Elements) -> Iterator[Repair]:
    """Rename the link that carries the first joint of an arm to base_link."""
    carriers = [robot.joints[arm.moving[0]].parent for arm in arms]
    for arm, carrier in zip(arms, carriers, strict=True):
        name = f"{arm.prefix}base_link"
        if arm.astray is not None:
            yield Repair(f"link {arm.astray!r}", because=f"the arm begins on {carrier!r}; rename one of the two")
        elif arm.base_link is None and (carriers.count(carrier) > 1 or not geometry(robot, carrier)):
            why = "has no shape" if carriers.count(carrier) == 1 else "carries several arms"
            yield Repair(
                f"frame {name!r}", because=f"the first joint is on {carrier!r}, which {why}; add a link {name!r} there"
            )
        elif arm.base_link is None:
            yield from rename_repairs(robot, elements, {("link", carrier): name}, [f"frame {name!r}"])


def numbered_links(robot: Robot, arm: Arm) -> list[str]:
    """Return the links that the axes of an arm move, without rods of parallelograms, which follow an axis."""
    moving = [robot.joints[name] for name in arm.moving]
    return [joint.child for joint in moving if not joint.mimic] or [joint.child for joint in moving]


def number_links(robot: Robot, arms: Arms, elements: Elements) -> Iterator[Repair]:
    """Rename the links of a chain to link_1, link_2, …, with the prefix of their arm."""
    for arm in arms:
        links = numbered_links(robot, arm)
        if sum(other.prefix == arm.prefix for other in arms) > 1:
            yield from (Repair(f"link {link!r}", because="another arm has the same prefix") for link in links)
            continue
        wanted = {("link", link): f"{arm.prefix}link_{i}" for i, link in enumerate(links, 1)}
        yield from rename_repairs(robot, elements, wanted, [f"link {link!r}" for link in links])


def add_prefixes(robot: Robot, arms: Arms, elements: Elements) -> Iterator[Repair]:
    """Put the prefix of an arm before the names of its links and joints."""
    for arm in arms:
        joints = joints_of(arm, robot)
        names = [("joint", joint.name) for joint in joints] + [("link", joint.child) for joint in joints]
        bare = {(kind, name): f"{arm.prefix}{name}" for kind, name in names if not name.startswith(arm.prefix)}
        yield from rename_repairs(robot, elements, bare, [f"{kind} {name!r}" for kind, name in bare])
