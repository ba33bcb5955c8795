"""Rule about velocities of joints in units other than rad/s and m/s."""

import re
from math import inf, pi

from kinetree.robot_kinds.kinds import Kinds
from kinetree.rules.quality import JointQuality, grouped, unit
from kinetree.rules.rule import Found, Joint, Threshold, number

MUCH_VELOCITY = Threshold(50.0, "rad/s or m/s", "smallest round velocity limit that looks like a placeholder")
ANY = Threshold(10.0, "", "multiple of these from which on any number looks like a placeholder, round or not")
TURNS = Threshold(50.0, "rad/s", "smallest velocity limit of a joint that turns which may be in degrees or turns")
OF_ARMS = Threshold(15.0, "rad/s", "the same of an arm of which no joint is slower; real ones have slower joints")
SLIDES = Threshold(25.0, "m/s", "smallest velocity limit of a joint that slides which may be in millimetres")
MOST = Threshold(3000.0, "rad/s or m/s", "velocity limit from which on there is none in any unit")
SHARE = Threshold(0.2, "", "smallest velocity limit of the robot's other joints in this unit, as a part of the largest")
RATES = {"rad": {"deg/s": pi / 180, "rpm": pi / 30}, "m": {"mm/s": 1e-3}}
"""Units of data sheets, in rad/s and m/s."""
SPINS = re.compile(r"wheel|rotor|prop|fan|roller|caster|blade|turbine|spindle|drum|track", re.IGNORECASE)
"""Parts that turn fast."""


class VelocityUnits(JointQuality):
    """Velocity limits are in rad/s and m/s.

    Data sheets have degrees or turns a minute, and millimetres. A planner then moves the robot many times faster than
    its motors can.
    """

    code = "LIM-013"
    thresholds = (TURNS, OF_ARMS, SLIDES, MOST, SHARE)
    of_robot = True
    evidence = "heuristic"
    clause = "the maximum joint velocity, in rad/s or m/s"
    good = 'velocity="8"'
    bad = 'velocity="175"'

    def check(self, ranged: tuple[Joint, ...], kinds: Kinds) -> Found:
        """Limits of joints with a range that are whole or half numbers too large for a motor, or for all of an arm,
        unless all that turn, or all that slide, have one round number, which LIM-008 is about; one finding for all that
        turn and for all that slide. Wheels and propellers are not judged."""
        for same in grouped(in_other_units(ranged, kinds.kind == "arm"), unit):
            first = max(same, key=lambda joint: joint.limit.velocity)
            fast, of = first.limit.velocity, unit(first)
            meant = " or ".join(f"in {name} ({number(fast * rate)} {of}/s)" for name, rate in RATES[of].items())
            rest = [joint for joint in same if joint is not first]
            yield from self.shared(f"the velocity limit is {number(fast)} {of}/s; is it {meant}?", [first, *rest])


def in_other_units(ranged: tuple[Joint, ...], of_arm: bool = False) -> list[Joint]:
    """Return the joints, perhaps of an arm, whose velocity limits look like degrees, turns a minute or millimetres."""
    found: list[Joint] = []
    for same in grouped(ranged, unit):
        least = TURNS if unit(same[0]) == "rad" else SLIDES
        known = [joint for joint in same if joint.limit.velocity < MOST]
        if of_arm and unit(same[0]) == "rad" and min(joint.limit.velocity for joint in same) >= OF_ARMS:
            least = OF_ARMS
        fast = {
            joint.limit.velocity
            for joint in known
            if joint.limit.velocity >= least
            and joint.limit.upper < inf
            and (2 * joint.limit.velocity).is_integer()
            and not SPINS.search(f"{joint.name} {joint.child}")
        }
        if len(fast) > 1 or (fast and not _is_round(max(fast))):
            found += (joint for joint in known if joint.limit.velocity >= SHARE * max(fast))
    return found


def looks_made_up(value: float, much: float) -> bool:
    """Return whether a large limit has one digit and zeros, or is ten times what is much."""
    return much <= value < inf and (value >= ANY * much or _is_round(value))


def _is_round(value: float) -> bool:
    """Return whether a number has one digit and zeros."""
    return float(f"{value:.0e}") == value
