"""Differences of two robots as the page lists them: with the parts of both that they are about."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.checker.baseline import entry_of
from kinetree.errors import Finding
from kinetree.solvers.compare import Comparison
from kinetree.solvers.compare.difference import Difference, elsewhere

Shown = Mapping[str, Any]
"""A robot, a link or a shape as the page reads it."""
Part = dict[str, Any]
"""kind ("link", "joint" or "frame") and index of a part of a robot."""
Index = tuple[dict[str, list[Part]], dict[str, list[Part]]]
"""Parts of the first and of the second robot by the elements of differences."""
COLOUR = 1 / 255
"""Smallest difference of a colour that is seen."""


def described_comparison(
    comparison: Comparison, names: Sequence[str], robots: Sequence[Shown], findings: Sequence[Sequence[Finding]]
) -> dict[str, Any]:
    """Return the differences of two robots, the pairs of their parts, and the findings that only one of them has.

    links, coordinates: pairs of their numbers. apart: frames of equal names, and the most that they are apart, m and
    rad, with joints at equal values. Shapes are compared, too, which `compare` ignores. names: of the two, to tell them
    apart.
    """
    a, b = robots
    joints = _joint_pairs(comparison, a, b)
    links = _link_pairs(joints, a, b)
    index = _index(comparison, a, b, links)
    rows = [row for difference in comparison.differences for row in _rows(difference, index)]
    for row in rows:
        if row["kind"] == "inertia" and row["parts"][0]:
            row["parts"] = _heavy(row["parts"], links, a, b)
    rows += [
        _row("shape", f"link {a['links'][i]['name']!r}", message, False, [_link(i)], [_link(j)])
        for i, j in links
        for message in _shapes(a["links"][i], b["links"][j], comparison.tolerance)
    ]
    keys = [[entry_of(finding, ("", ""), "")[3:] for finding in found] for found in findings]
    apart = {name: one.largest for name, one in comparison.frames.items() if max(one.largest) > comparison.tolerance}
    return {
        "verdict": str(comparison).splitlines()[0],
        "names": names,
        "apart": [
            {"name": name, "distance": metres, "angle": radians}
            for name, (metres, radians) in sorted(apart.items(), key=lambda item: item[1], reverse=True)
        ],
        "differences": rows,
        "links": links,
        "coordinates": _coordinate_pairs(joints, a, b),
        "gone": _unmatched(keys[0], keys[1]),
        "new": _unmatched(keys[1], keys[0]),
    }


def _numbers(robot: Shown, kind: str) -> dict[str, int]:
    return {one["name"]: i for i, one in enumerate(robot[kind])}


def _link(i: int) -> Part:
    return {"kind": "link", "index": i}


def _joint_pairs(comparison: Comparison, a: Shown, b: Shown) -> list[tuple[int, int]]:
    """Return the pairs of joints: as `compare` matches them, then the others of equal names."""
    numbers_a, numbers_b = _numbers(a, "joints"), _numbers(b, "joints")
    taken = set(comparison.joints.values())
    same = {name: name for name in numbers_a if name in numbers_b and name not in taken}
    matched = {**same, **comparison.joints}
    return [(numbers_a[one], numbers_b[other]) for one, other in matched.items()]


def _link_pairs(joints: Sequence[tuple[int, int]], a: Shown, b: Shown) -> list[tuple[int, int]]:
    """Return the pairs of links: of equal names, then roots and children of paired joints without a namesake."""
    numbers_a, numbers_b = _numbers(a, "links"), _numbers(b, "links")
    ends = [(numbers_a[a["bodies"][0]], numbers_b[b["bodies"][0]])]
    ends += [(a["joints"][i]["child"], b["joints"][j]["child"]) for i, j in joints]
    lonely = [
        (i, j) for i, j in ends if a["links"][i]["name"] not in numbers_b and b["links"][j]["name"] not in numbers_a
    ]
    return [*((i, numbers_b[name]) for name, i in numbers_a.items() if name in numbers_b), *lonely]


def _coordinate_pairs(joints: Sequence[tuple[int, int]], a: Shown, b: Shown) -> list[tuple[int, int]]:
    pairs = []
    for i, j in joints:
        one, other = a["joints"][i], b["joints"][j]
        if None not in (one["first"], other["first"]) and one["coordinates"] == other["coordinates"]:
            pairs += [(one["first"] + k, other["first"] + k) for k in range(one["coordinates"])]
    return pairs


def _index(comparison: Comparison, a: Shown, b: Shown, links: Sequence[tuple[int, int]]) -> Index:
    index = _parts(a), _parts(b)
    for one, other in comparison.joints.items():
        if one != other:
            label = f"joint {one!r} ({other!r})"
            index[0][label], index[1][label] = index[0][f"joint {one!r}"], index[1][f"joint {other!r}"]
    for i, j in links:
        name = a["links"][i]["name"]
        index[1][f"link {name!r}"] = [_link(j)]
    return index


def _parts(robot: Shown) -> dict[str, list[Part]]:
    """Return the parts of a robot by the elements of differences. A link's own frame is the link."""
    parts: dict[str, list[Part]] = {}
    for kind in ("joint", "frame", "link"):
        parts |= {f"{kind} {name!r}": [{"kind": kind, "index": i}] for name, i in _numbers(robot, f"{kind}s").items()}
    parts |= {f"frame {name!r}": [_link(i)] for name, i in _numbers(robot, "links").items()}
    parts |= {f"sensor {sensor['name']!r}": [_link(sensor["link"])] for sensor in robot["sensors"]}
    for row in robot["limits"]["rows"]:
        joints = dict.fromkeys(robot["coordinates"][i]["joint"] for i, _ in row["terms"])
        parts[f"limit {row['name']!r}"] = [{"kind": "joint", "index": i} for i in joints]
    parts["base"] = [_link(_numbers(robot, "links")[robot["bodies"][0]])]
    return parts


def _rows(difference: Difference, index: Index) -> Iterator[dict[str, Any]]:
    """Yield a difference with its parts; a remark on several frames or sensors as one row for each."""
    kind, counts = difference.kind, difference.counts
    for name in difference.names:
        element = f"{kind} {name!r}"
        ours, theirs = (parts.get(element, []) for parts in index)
        first = difference.message.startswith("only the first")
        message = f"only the {'first' if first else 'second'} robot has it"
        is_link = any(part["kind"] == "link" for part in (ours if first else theirs)) and kind == "frame"
        yield _row(kind, f"link {name!r}" if is_link else element, message, counts, ours, theirs)
    if not difference.names:
        ours, theirs = (parts.get("base" if kind == "base" else difference.element, []) for parts in index)
        yield _row(kind, difference.element, difference.message, counts, ours, theirs)


def _row(kind: str, element: str, message: str, counts: bool, ours: list[Part], theirs: list[Part]) -> dict[str, Any]:
    return {"kind": kind, "element": element, "message": message, "counts": counts, "parts": [ours, theirs]}


def _heavy(parts: Sequence[list[Part]], links: Sequence[tuple[int, int]], a: Shown, b: Shown) -> list[list[Part]]:
    """Return the links on a body whose inertias differ; the body itself, if no single link does."""
    body = a["links"][parts[0][0]["index"]]["body"]
    found = [
        (i, j)
        for i, j in links
        if a["links"][i]["body"] == body and not _equal_inertia(a["links"][i]["inertia"], b["links"][j]["inertia"])
    ]
    return [[_link(i) for i, _ in found], [_link(j) for _, j in found]] if found else list(parts)


def _equal_inertia(one: Shown | None, other: Shown | None) -> bool:
    if one is None or other is None:
        return one is other
    x, y = ([i["mass"], *np.ravel(i["T"])[3:12:4], *(i["radii"] or [-1.0] * 3)] for i in (one, other))
    return np.allclose(x, y, rtol=1e-5, atol=1e-5)


def _shapes(one: Shown, other: Shown, tolerance: float) -> Iterator[str]:
    """Yield how the shapes of two links differ, as seen in the frames of the links."""
    for key, noun in (("visuals", "visual shape"), ("collisions", "collision shape")):
        ours, theirs = one[key], other[key]
        if len(ours) != len(theirs):
            yield f"has {_count(ours, noun)}, in the second robot {_count(theirs, noun)}"
            continue
        numbers: dict[str, list[str]] = {}
        for i, (x, y) in enumerate(zip(ours, theirs, strict=True), 1):
            numbers.setdefault(_shape(x, y, tolerance), []).append(str(i))
        numbers.pop("", None)
        for said, which in numbers.items():
            yield f"its {noun} {said}" if len(which) == len(ours) else f"its {noun} {', '.join(which)} {said}"


def _count(shapes: Sequence[Shown], noun: str) -> str:
    return f"{len(shapes) or 'no'} {noun}{'s' * (len(shapes) != 1)}"


def _shape(x: Shown, y: Shown, tolerance: float) -> str:
    """Return how a shape differs from another, or ""."""
    if x["kind"] != y["kind"]:
        return f"is a {x['kind']}, in the second robot a {y['kind']}"
    said = []
    if x.get("mesh") != y.get("mesh"):
        said.append("is another mesh")
    for key, what in (("values", "measures"), ("scale", "is scaled by")):
        ours, theirs = x.get(key, ()), y.get(key, ())
        if not np.allclose(ours, theirs, rtol=1e-5, atol=tolerance):
            said.append(f"{what} {_listed(ours)}, in the second robot {_listed(theirs)}")
    T_x, T_y = np.reshape(x["T"], (4, 4)), np.reshape(y["T"], (4, 4))
    if np.abs(T_x - T_y).max() > tolerance:
        said.append(elsewhere(T_x, T_y, tolerance)[0])
    if np.abs(np.subtract(x["rgba"], y["rgba"])).max() > COLOUR:
        said.append("has another colour")
    return " and ".join(said)


def _listed(values: Iterable[float]) -> str:
    return " x ".join(f"{value:.6g}" for value in values)


def _unmatched(keys: Sequence[Any], others: Sequence[Any]) -> list[int]:
    """Return the places of the keys that the others do not have, or not as often."""
    left = Counter(others)
    found = []
    for i, key in enumerate(keys):
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(i)
    return found
