"""Rule about angles that are nearly fractions of π."""

from math import pi

from kinetree.errors import Severity
from kinetree.model.robot import Robot
from kinetree.repairs.fixes import EXACT, FRACTIONS, OFF, exact, exact_angles
from kinetree.rules.rep103.clause import Rep103, Rpy
from kinetree.rules.rule import Found, Threshold, number


class InexactAngles(Rep103):
    """A fraction of π has enough digits: its error is at most 1e-5 rad.

    1.57 instead of π/2 turns everything behind it by 0.8 mrad, which is 0.8 mm at a distance of 1 m. Axes that are
    parallel or meet in the robot are not parallel or do not meet in the model. Angles with more digits may be true, for
    example from CAD or a calibration.
    """

    code = "R103-007"
    thresholds = (Threshold(EXACT, "rad", "largest error of an exact fraction of π"),)
    clause = "All coordinate frames should follow these conventions"
    good = 'rpy="0 1.5707963267948966 0"'
    bad = 'rpy="0 1.57 0"'
    turns = OFF
    repair = exact_angles(exact)

    def check(self, robot: Robot, rpys: tuple[Rpy, ...], angles: frozenset[str], scenery: frozenset[str]) -> Found:
        """Numbers of an rpy that lack some digits of a fraction of π; remarks on shapes and centres of mass, behind
        which nothing is attached, and on static models of SDF."""
        stands = robot.text is not None and robot.text.format == "sdf" and scenery.issuperset(robot.links)
        meant = {text: true for text in angles if (true := exact(text))}
        for rpy in rpys if meant else ():
            if inexact := [text for text in dict.fromkeys(rpy.numbers) if text in meant]:
                source, label = rpy.place(inexact[0]), rpy.owner.label
                errors = "; ".join(_error(text, meant[text], rpy.carries) for text in inexact)
                severity: Severity | None = None if rpy.carries and not stands else "info"
                yield self.finding(f"{rpy.name} {errors}", label, source=source, severity=severity)


def _error(text: str, true: str, carries: bool) -> str:
    """Return the fraction that is meant, and the error of the text. carries: whether parts are attached behind."""
    angle = float(true)
    times, parts = next((round(angle * n / pi), n) for n in FRACTIONS if (angle * n / pi) % 1 in (0, 1))
    fraction = {1: "π", -1: "-π"}.get(times, f"{times}π") + (f"/{parts}" if parts > 1 else "")
    off = number(abs(float(text) - angle) * 1e3, 2)
    at_distance = f", or {off} mm at a distance of 1 m" if carries else ""
    return f"{text} is not exactly {fraction} = {true}: the error is {off} mrad{at_distance}"
