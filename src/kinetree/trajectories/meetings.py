"""Checks of where a motion leads: limits of positions, closed loops, and contact of links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kinetree.contact.collisions import Collisions
from kinetree.contact.make import collisions
from kinetree.contact.segments import between, passage
from kinetree.display import counted, listed, number, some
from kinetree.errors import Finding, KinetreeError, Severity, fail
from kinetree.model.robot import Robot
from kinetree.queries.margin import loop_error
from kinetree.solvers.limits.report import units, violations
from kinetree.trajectories.rates import unchecked
from kinetree.trajectories.samples import Samples

OUTSIDE = 1e-6
"""Distance beyond a limit that is rounding, rad or m."""
OPEN = 1e-5
"""Distance and angle by which a closed loop may be open, m and rad."""


def limit_findings(samples: Samples) -> Iterator[Finding]:
    """Yield a finding for each limit of positions that the samples leave; between them none is left further."""
    robot = samples.robot
    kinds = dict(zip(robot.limits.names, units(robot), strict=True))
    every = [one for one in violations(robot, samples.q, samples.names) if one.depth > OUTSIDE]
    for limit in dict.fromkeys(one.limit for one in every):
        own = [one for one in every if one.limit == limit]
        worst = max(own, key=lambda one: one.depth)
        span = " to ".join(dict.fromkeys((samples.when(own[0].first), samples.when(own[0].last))))
        more = f", and {counted(len(own) - 1, 'more time')}" if own[1:] else ""
        degrees = worst.depth > 2 * np.pi and kinds[limit] == "rad"
        fix = 'if the angles are in degrees, read them with --deg; in Python, with unit="deg"' if degrees else None
        element, beyond = _named(robot, limit)
        by = f"{number(worst.depth, 4)} {kinds[limit]}"
        message = f"is {by} {beyond} at {samples.when(worst.worst)}; outside from {span}{more}"
        yield Finding("motion-limit", "error", message, None, element, fix)


def _named(robot: Robot, limit: str) -> tuple[str, str]:
    """Return the element that a limit is about, and on which side of it a configuration is outside."""
    names, limits = robot.coordinate_names, robot.limits
    if limit in limits.row_names:
        row = limits.G[limits.row_names.index(limit)]
        return f"limit {limit!r}", f"beyond it, with {listed(np.array(names)[row != 0].tolist())},"
    coordinate, _, end = limit.rpartition(" ")
    bound = number(getattr(limits, end)[names.index(coordinate)], 4)
    return f"joint {coordinate!r}", f"{'below' if end == 'lower' else 'above'} its limit {bound}"


def loop_findings(samples: Samples) -> Iterator[Finding]:
    """Yield a finding for each closed loop that is open at some sample."""
    if not samples.robot.loops:
        return
    gaps = np.asarray(loop_error(samples.robot)(samples.q))
    for i, name in enumerate(samples.robot.loops):
        gap = gaps[:, i].max(axis=1)
        if gap.max() > OPEN:
            worst = int(gap.argmax())
            metres, angle = gaps[worst, i]
            first = samples.when(int((gap > OPEN).argmax()))
            message = f"the loop is open by {number(1e3 * metres)} mm and {number(angle)} rad at {samples.when(worst)}"
            fix = "kt.kinematics.close gives the positions of the joints that close it"
            yield Finding("motion-loop", "error", f"{message}, first at {first}", None, f"joint {name!r}", fix)


def contact_findings(samples: Samples, clearance: Any) -> Iterator[Finding]:
    """Yield a finding for each pair of links in contact, or nearer than a clearance, at samples or between them.

    clearance: a distance, m, None, or what `kt.collisions` returns.
    """
    if clearance is None:
        return
    robot = samples.robot
    try:
        contact = clearance if isinstance(clearance, Collisions) else collisions(robot, margin=clearance)
    except KinetreeError as error:
        if error.findings[0].code not in ("contact-shape", "contact-pairs"):
            raise
        yield unchecked(f"contact is not checked: {error.findings[0].message}")
        return
    if contact.robot is not robot or contact.moving:
        fix = "call kt.collisions with motion.robot, and without moving="
        raise fail("clearance", "clearance is about another robot, or links that move by themselves", fix=fix)
    if close := [
        " and ".join(pair) for pair, own in zip(contact.pairs, contact._margins, strict=True) if own < contact.margin
    ]:
        pairs = f"{counted(len(close), 'pair')} of links that are always nearer: {some(close)}"
        yield unchecked(f"contact is checked, but not a clearance of {contact.margin:g} m, of {pairs}")
    q0, q1 = (samples.q[:-1], samples.q[1:]) if len(samples.q) > 1 else (samples.q, samples.q)
    found = passage(contact, q0, q1, samples.beside)
    for pair in np.flatnonzero(~found.free.all(axis=0)).tolist():
        names, share = contact.pairs[pair], found.share[:, pair]
        severity: Severity
        code, severity, message = "motion-contact", "error", "are in contact at {}{}"
        if np.isnan(share).all():
            share, severity = np.where(found.free[:, pair], np.nan, 0.5), "warning"
            message = "may be in contact near {}: they are too near for a proof{}"
        elif contact.margin:
            near = np.flatnonzero(np.isfinite(share))
            beside = None if samples.beside is None else samples.beside[near]
            own = passage(contact.of([names]), q0[near], q1[near], beside).share[:, 0]
            if np.isfinite(own).any():
                share[near] = own
            else:
                far = contact.apart(between(q0[near], q1[near], share[near]), pair).min()
                code, severity = "motion-clearance", "warning"
                message = (
                    f"are {number(1e3 * far)} mm apart, below the clearance of {1e3 * contact.margin:g} mm, at {{}}{{}}"
                )
        steps = np.flatnonzero(np.isfinite(share))
        when = samples.when(min(steps[0] + share[steps[0]], len(samples.q) - 1))
        when = f"the start, {when}" if steps[0] + share[steps[0]] == 0 else when
        inside = ", between two samples" if 0 < share[steps[0]] < 1 else ""
        more = f"; in {counted(len(steps), 'step')}" if len(steps) > 1 else ""
        element = f"links {names[0]!r} and {names[1]!r}"
        yield Finding(code, severity, message.format(when, inside + more), None, element)
