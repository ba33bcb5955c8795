"""What the tests of repairs share: a file that is repaired, and all that must be true then."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import kinetree as kt
from kinetree.checker.check import check
from kinetree.fixer.fix import FixResult, fix, write
from kinetree.rules.examples import ARM
from kinetree.rules.profiles import PROFILES
from kinetree.rules.rep199.base import BaseParent
from support import frames_differ_by, random_q

HUNG = ARM.replace(BaseParent.good, BaseParent.bad)
"""An arm whose base hangs on another link than base_link, which R199-205 repairs."""


def keys(path: Path, **told) -> set[tuple[str, str, str | None]]:
    """All that is found, by any profile, but the remark of strict ones that a new base is not judged."""
    robot = kt.load(path)
    found = [(p, f) for p in PROFILES for f in check(robot, profile=p, **told)]
    return {(p, f.code, f.element) for p, f in found if (f.code, f.severity) != ("R199-201", "info")}


def repaired(path: Path, profile: str = "industrial", moves: bool = False, **told) -> FixResult:
    """Fix a file, and look that it is a good fix."""
    before, found, text = kt.load(path), keys(path), path.read_bytes()
    result = fix(path, profile=profile, **told)
    assert path.read_bytes() == text
    write(result)
    after = kt.load(path)
    rng = np.random.default_rng(0)
    assert after.joint_names == before.joint_names
    for q in (before.q(), *(random_q(before, rng) for _ in range(3))):
        assert moves or frames_differ_by(before, after, q) <= 1e-9
    for joint in before.joints.values() if moves else ():
        other = after.joints[joint.name].origin
        np.testing.assert_array_equal(other[:3, 3], joint.origin[:3, 3])
        np.testing.assert_allclose(other, joint.origin, atol=3 * 5e-3)
    np.testing.assert_array_equal(after.limits.lower, before.limits.lower)
    np.testing.assert_array_equal(after.limits.upper, before.limits.upper)
    for link in before.links.values():
        if link.inertial:
            assert after.links[link.name].inertial.mass == link.inertial.mass
            np.testing.assert_array_equal(after.links[link.name].inertial.inertia, link.inertial.inertia)
    still = keys(path)
    assert still <= found
    gone = {(f.code, f.element) for f in result.repaired}
    assert not gone & {(code, element) for p, code, element in still if p == profile}
    again = fix(path, profile=profile, **told)
    assert (again.after, again.repaired) == ({}, ())
    assert {f.code for f, _ in again.unrepaired} == {f.code for f, _ in result.unrepaired}
    return result


def without(name: str, text: str = ARM) -> str:
    """The arm without a frame and its joint."""
    assert f'  <link name="{name}"/>\n' in text
    text = text.replace(f'  <link name="{name}"/>\n', "")
    return re.sub(rf'  <joint name="[\w-]+-{name}".*?</joint>\n', "", text, flags=re.DOTALL)
