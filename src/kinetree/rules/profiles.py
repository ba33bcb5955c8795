"""Families of rules, and profiles that choose among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING

from kinetree.arguments import as_names
from kinetree.errors import fail, nearest_names

if TYPE_CHECKING:
    from kinetree.rules.rule import Rule

_TABLE = {
    "TRE": ("The root link", "structure"),
    "XML": (
        "Elements for Gazebo, ros2_control and transmissions",
        "structure blocks.gazebo blocks.plugins blocks.wheels blocks.sensors blocks.files",
    ),
    "NAM": ("Names of links and joints", "names.letters names.tree names.mirror names.exchanged names.slips"),
    "JNT": ("Axes, places and damping of joints", "joints.axes joints.places"),
    "LIM": ("Limits of joints", "joints.ranges joints.units joints.same_limits"),
    "MIM": ("Joints that follow others (mimic)", "joints.ranges"),
    "INR": ("Masses and inertias", "masses.inertia masses.fit masses.missing"),
    "GEO": ("Shapes and colours", "shapes.geometry shapes.looks"),
    "MSH": ("Files of meshes and textures", "shapes.meshes shapes.portable shapes.looks blocks.files"),
    "XAC": ("Texts of xacro files", "xacro.prefixes xacro.macros xacro.properties xacro.fragments"),
    "CTL": ("Interfaces of ros2_control, and transmissions", "blocks.ros2_control blocks.transmissions"),
    "MVT": (
        "YAML files of MoveIt and controllers",
        "parameters.moveit parameters.controllers parameters.wheels parameters.kinds parameters.sides",
    ),
    "SRD": ("Semantic descriptions (SRDF)", "srdf.contents srdf.states"),
    "CON": ("Links in contact", "contact.rules"),
    "R103": ("REP-103, units and axes", "rep103 rep103.axes rep103.units rep103.angles"),
    "R105": ("REP-105, frames of mobile platforms", "rep105 joints.places"),
    "R120": ("REP-120, frames of humanoids", "rep120"),
    "R199": (
        "REP-199, frames of industrial arms",
        "rep199 rep199.groups rep199.base rep199.links rep199.flange rep199.tool0 rep199.tools",
    ),
    "ICUB": ("Names, axes, frames and limits of the iCub", "icub icub.names icub.axes icub.frames icub.ranges"),
    "SUP": ("Comments that excuse findings", "suppressions"),
}
"""Letters of codes to the title of a family, and the modules of this package with its rules, in the order in which they
are run."""
FAMILIES = {letters: tuple(modules.split()) for letters, (_, modules) in _TABLE.items()}
"""Letters of codes to the modules of this package with their rules, in the order in which they are run."""
TITLES = {letters: title for letters, (title, _) in _TABLE.items()}
"""Letters of codes to the titles of the families."""

ALWAYS = ("SUP",)
"""Families about the file and not the robot; they are part of all profiles."""


@dataclass(frozen=True)
class Profile:
    """The rules for a purpose. codes: beginnings of their codes. without: rules among these that are left out. strict:
    whether a missing frame is as grave as a wrong one."""

    title: str
    codes: tuple[str, ...]
    without: tuple[str, ...] = ()
    strict: bool = False


_EVERY_ROBOT = "TRE XML NAM JNT LIM MIM INR GEO MSH XAC CTL MVT SRD CON R103 R105-002 R105-004"
EVERY_ROBOT = tuple(_EVERY_ROBOT.split())
SIMULATION = ("LIM-004", "INR-006", "INR-011", "INR-013", "INR-014", "INR-017", "GEO-001")
"""Rules for simulations only."""
WHICH_WAY = ("R103-003",)
"""Rules that guess where the front of a robot is, for those who place robots by hand."""
FLANGES = ("SRD-004",)
"""Rules about the flange that only profiles of industrial arms have."""
NOT_EVERY_ROBOT = (*SIMULATION, *WHICH_WAY, *FLANGES)
NOT_EVERY_ARM = (*SIMULATION, *WHICH_WAY)

PROFILES: dict[str, Profile] = {
    "ros": Profile("what is wrong with a robot whatever it is used for", EVERY_ROBOT, NOT_EVERY_ROBOT),
    "sim": Profile(
        "the same, and what simulators need: masses, efforts, collision shapes", EVERY_ROBOT, (*WHICH_WAY, *FLANGES)
    ),
    "industrial": Profile(
        "as ros, and the frames of industrial arms, as REP-199 wants them", (*EVERY_ROBOT, "R199"), NOT_EVERY_ARM
    ),
    "industrial-strict": Profile(
        "the same; a frame that is missing is an error", (*EVERY_ROBOT, "R199"), NOT_EVERY_ARM, strict=True
    ),
    "humanoid": Profile(
        "as ros, and the frames of humanoids, as REP-120 wants them",
        (*EVERY_ROBOT, "R103-003", "R120"),
        (*SIMULATION, *FLANGES),
    ),
    "icub": Profile("the names, axes, frames and limits of the iCub", ("ICUB", "SRD"), FLANGES),
}

DEFAULT = "ros"
"""The default profile."""


def check_profile(profile: str) -> None:
    """Raise KinetreeError for an unknown profile."""
    if profile not in PROFILES:
        raise fail("profile", f"no profile {profile!r}; {nearest_names(profile, list(PROFILES))}")


@cache
def rules_of(profile: str, without: tuple[str, ...] = ()) -> tuple[type[Rule], ...]:
    """Return all rules of a profile but those of some families, in the order in which they are run."""
    check_profile(profile)
    asked = PROFILES[profile]
    families = [f for f in FAMILIES if f not in without and any(code.startswith(f) for code in asked.codes)]
    rules = [rule for letters in families for rule in family(letters)]
    return tuple(rule for rule in rules if rule.code.startswith(asked.codes) and rule.code not in asked.without)


@cache
def family(letters: str) -> tuple[type[Rule], ...]:
    """Return the rules whose codes begin with the letters of a family, in the order in which they are written."""
    modules = [import_module(f"kinetree.rules.{name}") for name in FAMILIES[letters]]
    defined = [thing for module in modules for thing in vars(module).values() if isinstance(thing, type)]
    return tuple(thing for thing in defined if str(getattr(thing, "code", "")).startswith(f"{letters}-"))


def codes_of(families: Iterable[str] = FAMILIES) -> list[str]:
    """Return the codes of families of rules, in their order."""
    return [rule.code for letters in families for rule in family(letters)]


def rule_of(code: str) -> type[Rule] | None:
    """Return the rule that has a code, or None."""
    letters = code.partition("-")[0]
    return next((rule for rule in family(letters) if rule.code == code), None) if letters in FAMILIES else None


def check_codes(profile: str | None, *selections: Iterable[str]) -> None:
    """Raise KinetreeError for texts with which no code of a profile's rules, or of any rule, and no reader's remark
    begins."""
    if profile is not None:
        check_profile(profile)
    codes = list(chain.from_iterable(map(as_names, selections)))
    if not codes:  # to know all rules takes as long as to check an arm
        return
    known = [*(rule.code for rule in rules_of(profile)), *codes_of(ALWAYS)] if profile else codes_of()
    whose = f"rule of profile {profile!r}" if profile else "rule"
    for code in unknown_codes(codes, known):
        others = [name for name in PROFILES if code and any(rule.code.startswith(code) for rule in rules_of(name))]
        elsewhere = f"no {whose} begins with {code!r}; those of {' and '.join(others)} do"
        unknown = f"no {whose} begins with {code!r}; {nearest_codes(code, known)}"
        raise fail("unknown-name", elsewhere if others else unknown)


def remarks() -> Mapping[str, object]:
    """Return the codes of warnings and remarks of readers, which can be left out and excused like those of rules, and
    of rules that were removed."""
    from kinetree.codes import REMARKS, RETIRED  # reading the table takes 5 ms, and is rarely needed

    return {**REMARKS, **RETIRED}


def unknown_codes(codes: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return the texts with which no known code of a rule and no reader's remark begins."""
    return [code for code in codes if not code or not any(other.startswith(code) for other in (*known, *remarks()))]


def nearest_codes(code: str, known: Sequence[str]) -> str:
    """Return a clause with the codes of rules or readers' remarks that are most like an unknown one."""
    legal = [*known, *(remarks() if code.islower() else ())]
    if upper := [code.upper()] if unknown_codes([code], legal) and not unknown_codes([code.upper()], known) else []:
        return f"did you mean {upper[0]!r}?"
    starts = (code[:length] for length in range(len(code) - 1, 3, -1))
    alike = ([one for one in legal if one.startswith(start)] for start in starts)
    near = nearest_names(code, next(filter(None, alike), legal))
    errors = "; errors of readers have no rule, and are always reported" if code.islower() else ""
    return near + errors
