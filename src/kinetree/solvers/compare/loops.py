"""Comparison of the joints that close loops: the relative poses of two bodies that each allows."""

from collections.abc import Iterator, Mapping, Sequence

from kinetree.model.robot import Joint
from kinetree.model.tree import Tree
from kinetree.solvers.compare.bodies import Pair
from kinetree.solvers.compare.difference import Difference, Sides
from kinetree.solvers.compare.motions import samples
from kinetree.spatial import Array, se3

Ends = tuple[tuple[Pair, Array], tuple[Pair, Array]]
"""The bodies of a loop's parent and child, each with the pose (4, 4) of the loop's frame in it."""


def compare_loops(sides: Sides) -> Iterator[Difference]:
    """Yield the loops that the other robot does not close, or closes otherwise; names and directions do not matter.

    Loops on bodies without a partner are left out, for those bodies are reported.
    """
    loops_a, loops_b = sides.robot_a.loops, sides.robot_b.loops
    ends_a = {name: _ends(sides.tree_a, loop, sides.by_a) for name, loop in loops_a.items()}
    ends_b = {name: _ends(sides.tree_b, loop, sides.by_b) for name, loop in loops_b.items()}
    free = {name: ends for name, ends in ends_b.items() if ends}
    for name, a in ends_a.items():
        if a is None:
            continue
        others = sorted(free, key=lambda other: other != name)
        twin = next((o for o in others if _same(sides, loops_a[name], a, loops_b[o], free[o])), None)
        if twin is None:
            message = "only the first robot closes this loop"
            if name in free:
                message = "closes otherwise in the second robot: between other bodies or places, or as another type"
            yield Difference("loop", f"joint {name!r}", message)
        free.pop(twin or name, None)
    for name in free:
        yield Difference("loop", f"joint {name!r}", "only the second robot closes this loop")


def _ends(tree: Tree, loop: Joint, pairs: Mapping[int, Pair]) -> Ends | None:
    (parent, T_parent), (child, T_child) = tree.frames[loop.parent], tree.frames[loop.child]
    if parent not in pairs or child not in pairs:
        return None
    return (pairs[parent], T_parent @ loop.origin), (pairs[child], T_child @ se3.inverse(loop.child_origin))


def _same(sides: Sides, a: Joint, ends_a: Ends, b: Joint, ends_b: Ends) -> bool:
    """Return whether two loops allow the same relative poses of their bodies."""
    bodies_a, bodies_b = [pair.a for pair, _ in ends_a], [pair.a for pair, _ in ends_b]
    if bodies_b not in (bodies_a, bodies_a[::-1]):
        return False
    places_a = [T for _, T in ends_a]
    places_b = [pair.T_ab @ T for pair, T in ends_b]
    turned = bodies_a != bodies_b
    return max(_gap(a, places_a, b, places_b, turned), _gap(b, places_b, a, places_a, turned)) <= sides.tolerance


def _gap(one: Joint, places: Sequence[Array], other: Joint, targets: Sequence[Array], turned: bool) -> float:
    """Return how far poses that one joint allows are from those of another, in m or rad.

    places, targets (4, 4): of the frames of the joints in their parent and child. turned: whether these are exchanged.
    """
    gaps = [0.0]
    for q in samples(one.kind.neutral):
        T = places[0] @ one.kind.transform(one.axes, one.pitch, q) @ se3.inverse(places[1])  # of the bodies
        T = se3.inverse(T) if turned else T
        gaps += other.kind.gap(other.axes, other.pitch, se3.inverse(targets[0]) @ T @ targets[1])
    return float(max(gaps))
