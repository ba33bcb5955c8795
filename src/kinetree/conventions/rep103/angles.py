"""Rule about angles that are nearly fractions of π."""

from collections.abc import Iterator
from math import pi

from kinetree.conventions.fixes import FRACTIONS, OFF, exact, exact_angles
from kinetree.conventions.rep103.clause import Rep103, Rpy
from kinetree.errors import Finding


class InexactAngles(Rep103):
    """Angles that are meant to be fractions of π are exact to 1e-5.

    1.57 for π/2 turns everything behind it by 0.8 mrad, which is 0.8 mm at a metre, and axes that are parallel or meet
    in the robot no longer do in the model. Angles with more digits, as CAD programs and calibrations write them, may
    be true and are left alone.
    """

    code = "R103-007"
    clause = "All coordinate frames should follow these conventions"
    good = 'rpy="0 1.5707963267948966 0"'
    bad = 'rpy="0 1.57 0"'
    turns = OFF
    mend = exact_angles(exact)

    def check(self, rpys: tuple[Rpy, ...], angles: frozenset[str]) -> Iterator[Finding]:
        """Numbers of an rpy that lack some digits of a fraction of π."""
        meant = {text: true for text in angles if (true := exact(text))}
        for rpy in rpys if meant else ():
            if inexact := [text for text in dict.fromkeys(rpy.numbers) if text in meant]:
                said = "; ".join(_said(text, meant[text]) for text in inexact)
                yield self.finding(f"rpy {said}", rpy.owner.label, source=rpy.place(inexact[0]))


def _said(text: str, true: str) -> str:
    """Return the fraction that is meant, and the error of the text."""
    angle = float(true)
    times, parts = next((round(angle * n / pi), n) for n in FRACTIONS if (angle * n / pi) % 1 in (0, 1))
    fraction = {1: "π", -1: "-π"}.get(times, f"{times}π") + (f"/{parts}" if parts > 1 else "")
    off = abs(float(text) - angle) * 1e3
    return f"{text} is meant to be {fraction} = {true}: {off:.2g} mrad off, {off:.2g} mm at a metre"
