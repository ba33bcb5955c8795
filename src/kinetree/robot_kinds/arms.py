"""Arms of a robot, found by the frames of REP-199 and by the lengths of chains of joints."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from kinetree.model.robot import Robot
from kinetree.robot_kinds.chains import AT_LEAST, FINGER, Chains

NAMES = ("base_link", "base", "flange", "tool0")
"""The frames of REP-199; the links of the chain are link_1, link_2, …"""
FRAME = re.compile(r"(?P<prefix>|.*[_/-])(?<!link_)(?P<name>base_link|base|flange|tool0|link_\d+)")
NUMBER = re.compile(r"\d{1,9}")


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm and its frames.

    prefix: of the names of its frames. base_link, base, flange, tool0: their names, or None. moving: names of the
    joints from base_link to the end; without base_link, from where the robot branches. foot: parent body of the first
    of them. end: body that the last of them moves. other_base_link: frame with the name of its base_link on a body that
    is not foot.
    """

    prefix: str
    base_link: str | None
    base: str | None
    flange: str | None
    tool0: str | None
    moving: tuple[str, ...]
    foot: str
    end: str
    other_base_link: str | None = None

    def __str__(self) -> str:
        return f"arm {self.prefix!r}" if self.prefix else "arm"


def named_chains(robot: Robot, bodies: Mapping[str, str]) -> "NamedChains":
    """Return the chains of a robot."""
    return NamedChains(robot, bodies)


def serial_chains(robot: Robot, named_chains: "NamedChains") -> tuple[Arm, ...]:
    """Return all chains that may be arms, in the order of their last links in the file."""
    named = named_chains.named_ends()
    ends = [*named]
    ends += [
        end
        for end in named_chains.long_ends()
        if named_chains.prefix(end) not in named.values()  # other chains under such a name are linkages
        and not any(named_chains.on_one_path(end, other) for other in named)
    ]
    prefixes = named_chains.prefixes(named, ends)
    return tuple(named_chains.arm(link, prefixes[link], ends) for link in robot.links if link in ends)


class NamedChains(Chains):
    """Chains with the frames that have names of REP-199.

    named: body to (prefix, name) of its frames. groups: prefix to the bodies of its frames by name.
    """

    def __init__(self, robot: Robot, bodies: Mapping[str, str]) -> None:
        super().__init__(robot, bodies)
        self.named: dict[str, list[tuple[str, str]]] = {body: [] for body in self.behind}
        self.groups: dict[str, dict[str, str]] = {}
        for frame, body in bodies.items():
            if match := FRAME.fullmatch(frame):
                self.named[body].append((match["prefix"], match["name"]))
                self.groups.setdefault(match["prefix"], {})[match["name"]] = body

    def named_ends(self) -> dict[str, str]:
        """Return the last bodies of the chains of more than one joint that the frames of a prefix describe, with the
        prefix. A prefix that nothing else on the chain has is a coincidence: `camera_flange`, `link_3_flange`. Of
        several prefixes on one chain the one with the largest weight counts, unless one arm stands on the other."""
        ends = {p: end for p, group in self.groups.items() if (end := self._end(p)) and end != group.get("base_link")}
        weight = {prefix: self._weight(prefix, end) for prefix, end in ends.items()}
        ends = {p: end for p, end in ends.items() if not p or weight[p] > (1, 0, 0)}
        found: dict[str, str] = {}
        for prefix in sorted(ends, key=lambda prefix: weight[prefix], reverse=True):
            end = ends[prefix]
            beside = [other for other in ends.values() if not self.on_one_path(end, other)]
            if len(self.moving(end, prefix, beside)) > 1 and not any(
                self.on_one_path(end, other) and not self._stands_on(prefix, other) and not self._stands_on(q, end)
                for other, q in found.items()
            ):
                found[end] = prefix
        return found

    def _end(self, prefix: str) -> str | None:
        """Return the last body of the chain that the frames of a prefix describe. That is the last of its numbered
        links, or the parent of flange or tool0, whichever is farther, or where the chain goes on beside them: if these
        are on a link before the last, they are wrong and not the chain."""
        group = self.groups[prefix]
        numbered = [body for name, body in group.items() if name.startswith("link_") and body in self.carried]
        tips = [self._carrier(prefix, group[name]) for name in ("flange", "tool0") if name in group]
        if not tips and numbered and {"base_link", "base"} & set(group):
            last = max(numbered, key=self.front.__getitem__)
            on_one_path = sum(self.leads(link, last) for link in numbered)  # and not on several fingers
            tips = [last] if on_one_path >= AT_LEAST else []
        end = max((tip for tip in tips if tip in self.carried), key=self.front.__getitem__, default=None)
        if end is None:
            return None
        on = sorted((body for body in numbered if self.leads(end, body)), key=self.span.__getitem__)
        for body in on:
            if not self.leads(body, on[-1]):  # a finger beside others
                break
            end = body
        while following := self._following(end):
            end = following
        return end if on else self._beside(end, prefix) or end

    def _carrier(self, prefix: str, body: str) -> str:
        """Return the body that carries a frame; flange or tool0 behind a joint of its own does not count."""
        while body in self.carried and body in (f"{prefix}flange", f"{prefix}tool0") and not self._solid(body):
            body = self.before(body)
        return body

    def _solid(self, link: str) -> bool:
        return bool(self.robot.links[link].visuals or self.robot.links[link].collisions)

    def _following(self, body: str) -> str | None:
        """Return the body behind another that has its name with the next number: J6_link behind J5_link."""
        alike = [other for other in self.behind[body] if NUMBER.sub("#", other) == NUMBER.sub("#", body)]
        if len(alike) != 1:  # several are fingers
            return None
        pairs = zip(NUMBER.findall(body), NUMBER.findall(alike[0]), strict=True)
        steps = [int(b) - int(a) for a, b in pairs if a != b]
        return alike[0] if steps == [1] else None

    def _beside(self, body: str, prefix: str) -> str | None:
        """Return the last body of the only chain behind another, if it is longer than a finger, starts at no frame of
        REP-199, and the chain before is too short for an arm with this as its tool."""
        if len(self.behind[body]) != 1 or self.depth[self.behind[body][0]] <= FINGER:
            return None
        if len(self.moving(body, prefix, [])) >= AT_LEAST:
            return None
        if any(map(FRAME.fullmatch, self.links_between(body, self.behind[body][0])[1:])):
            return None
        end = body
        while following := self.next(end):
            end = following
        return self.without_gripper(end)

    def _stands_on(self, prefix: str, end: str) -> bool:
        """Return whether the base_link of a prefix is on or behind the last body of another arm."""
        return self.leads(end, self.groups[prefix].get("base_link", self.robot.root))

    def _weight(self, prefix: str, end: str) -> tuple[int, int, int]:
        """Return the weight of a prefix for a chain: how many of REP-199's frames and of links have it, and -length."""
        links = self.path_to(end)
        feet = {(p, name) for p, name in self.named[self.robot.root] if name in ("base_link", "base")}
        known = feet.union(*(self.named[link] for link in links))
        alike = sum(link.startswith(prefix) and not FRAME.fullmatch(link) for link in links) if prefix else 0
        return sum(p == prefix for p, _ in known), alike, -len(prefix)

    def prefix(self, end: str) -> str:
        """Return the prefix of a chain whose end no frames name: that of other frames on it if half of the links have
        it, or the common beginning of its links' names."""
        links = self.path_to(end)
        known = {p for link in (self.robot.root, *links) for p, _ in self.named[link]}
        last = {p for p, name in self.named[end] if name in ("flange", "tool0") and p}
        others = {p for p in known if 2 * sum(link.startswith(p) for link in links) >= len(links)} - last
        return max(sorted(others), key=lambda p: self._weight(p, end), default=_common(links[-AT_LEAST:]))

    def prefixes(self, named: Mapping[str, str], ends: Sequence[str]) -> dict[str, str]:
        """Return the prefix of each arm. Arms with the same prefix, because they share a base_link, get those of their
        last links if these differ."""
        found = {end: named[end] if end in named else self.prefix(end) for end in ends}
        for prefix, count in Counter(found.values()).items():
            alike = {end: _common(self.path_to(end)[-AT_LEAST:]) for end in ends if found[end] == prefix}
            if len({name for name in alike.values() if name}) == count > 1:
                found.update(alike)
        return found

    def moving(self, end: str, prefix: str, ends: Sequence[str]) -> list[str]:
        """Return the bodies of an arm: behind its base_link, or behind the part that it shares with other arms and the
        part with another's names, such as a torso."""
        path = self.path_to(end)
        if foot := self._foot(end, prefix):
            path = path[path.index(foot) + 1 :] if foot in path else path
            return [*dropwhile(self._lifts_others, path[:-1]), path[-1]]
        others = [self.path_to(other) for other in ends if not self.leads(end, other)]
        own = path[max((len(_alike(path, other)) for other in others), default=0) :]
        behind = [*dropwhile(lambda link: (m := FRAME.fullmatch(link)) and m["prefix"] != prefix, own)]
        return behind if len(behind) > 1 else own

    def _lifts_others(self, body: str) -> bool:
        """Return whether a body slides and carries another chain beside the arm, such as a head."""
        return not self.carried[body].kind.turns and len(self.behind[body]) > 1

    def _foot(self, end: str, prefix: str) -> str | None:
        """Return the body of an arm's base_link; None if it has none, or if that is on a link of the chain itself: a
        numbered one, or one from which the chain goes on beside it."""
        foot, path = self.bodies.get(f"{prefix}base_link"), self.path_to(end)
        if foot == self.robot.root:
            return foot
        if foot is None or foot not in path[:-1]:
            return None
        before, following = path[: path.index(foot) + 1], path[path.index(foot) + 1]
        if any(self._number(prefix, link) for link in before):
            return None
        is_between = f"{prefix}base_link" in self.links_between(foot, following)
        return foot if is_between or self._number(prefix, following) else None

    def _number(self, prefix: str, link: str) -> bool:
        match = FRAME.fullmatch(link)
        return bool(match and match["prefix"] == prefix and match["name"].startswith("link_"))

    def arm(self, end: str, prefix: str, ends: Sequence[str]) -> Arm:
        """Return the arm that ends with a body."""
        joints = [self.carried[body] for body in self.moving(end, prefix, ends)]
        full = [f"{prefix}{name}" for name in NAMES]
        base_link, base, flange, tool0 = (name if name in self.robot.frames else None for name in full)
        foot = self.bodies[joints[0].parent]
        link = self.robot.links.get(base or "")
        if link and not base_link and (link.visuals or link.collisions or base in self.carried):
            base = None  # the first body of the arm under a name of its own, not the controller's frame
        other = base_link if base_link and self.bodies[base_link] != foot else None
        base_link = None if other else base_link
        return Arm(prefix, base_link, base, flange, tool0, tuple(joint.name for joint in joints), foot, end, other)


def _alike(a: Sequence[str], b: Sequence[str]) -> list[str]:
    return [x for x, _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))]


def _common(links: Sequence[str]) -> str:
    """Return the common beginning of all links' names, up to a separator."""
    alike = "".join(_alike(list(min(links)), list(max(links))))
    return re.sub(r"(?i:link_?)?[^_/-]*$", "", alike)
