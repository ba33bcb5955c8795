"""The tree of a robot as rows of text: (guides and link, joint that carries it)."""

from collections.abc import Iterator

from kinetree.model.robot import Joint, Robot

SUMMARY_WIDTH = 36
FEW = 12
"""Number of things that float in a world that are printed without --all."""


def tree_rows(robot: Robot, *, everything: bool = False) -> list[tuple[str, str]]:
    """Return one row a link. A chain is printed straight down; guides mark where the tree branches. Links without a
    moving joint behind them, such as those of sensors and skin, are one row "+ …" under the link that they are fixed
    to; everything=True gives each its row."""
    rigid = set() if everything else rigid_joints(robot)
    loose = set() if everything else {*loose_joints(robot)[FEW:]}
    rows = []
    # a robot may be thousands of links deep, so the stack is ours: (link, carrier, guides of its row, of those below)
    stack = [(robot.root, "", "", "")]
    while stack:
        link, carrier, guides, below = stack.pop()
        rows.append((guides + link, carrier))
        branches = [joint for joint in robot.child_joints(link) if joint.name not in rigid | loose]
        fixed = [name for one in robot.child_joints(link) if one.name in rigid for name in links_behind(robot, one)]
        if fixed:
            rows.append((below + ("|  " if len(branches) > 1 else "") + _summary(fixed), ""))
        if loose and link == robot.root:
            rows.append((below + ("|  " if len(branches) > 1 else "") + f"~ {len(loose)} more float (--all)", ""))
        if len(branches) == 1:
            stack.append((branches[0].child, _carrier(branches[0]), below, below))
            continue
        for joint in reversed(branches):
            last = joint is branches[-1]
            stack.append(
                (joint.child, _carrier(joint), below + ("`- " if last else "|- "), below + ("   " if last else "|  "))
            )
    return rows


def loose_joints(robot: Robot) -> list[str]:
    """Return the floating joints from the root of things that no joint moves in themselves, as there are in worlds."""
    jointed = {joint.parent for joint in robot.joints.values() if joint.kind.nq}
    return [
        joint.name
        for joint in robot.child_joints(robot.root)
        if joint.type == "floating" and not any(link in jointed for link in links_behind(robot, joint))
    ]


def rigid_joints(robot: Robot) -> set[str]:
    """Return the joints that do not move and have no moving joint behind them, such as those of sensors and skin."""
    moving: set[str] = set()  # links with a moving joint behind them
    rigid = set()
    for name in reversed(robot.placed):
        joint = robot.joints[name]
        if joint.kind.nq or joint.child in moving:
            moving.add(joint.parent)
        else:
            rigid.add(name)
    return rigid


def links_behind(robot: Robot, joint: Joint) -> Iterator[str]:
    """Yield the link that a joint carries, and all links behind it, parents first."""
    stack = [joint.child]
    while stack:
        link = stack.pop()
        yield link
        stack += [child.child for child in reversed(robot.child_joints(link))]


def _summary(fixed: list[str]) -> str:
    """Return as many names as fit, and how many more there are."""
    text = f"+ {fixed[0]}"
    for i, name in enumerate(fixed[1:], 1):
        if len(text) + len(name) > SUMMARY_WIDTH:
            return f"{text}, {len(fixed) - i} more"
        text += f", {name}"
    return text


def _carrier(joint: Joint) -> str:
    return joint.name if joint.kind.nq else "fixed"
