"""<option> of an attached model beside that of the model, by the conflict=… of <compiler>, as in MuJoCo 4."""

from collections.abc import Iterator

from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

POLICIES = ("warning", "merge", "error")
OTHERS = ("size", "visual", "statistic")
"""Sections of an attached model that have no effect."""
LEAST = ("timestep", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "sleep_tolerance")
MOST = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints")
"""Options of which conflict="merge" takes the least, or the greatest; others must agree."""
_DEFAULTS = """
timestep 0.002; impratio 1; gravity 0 0 -9.81; wind 0 0 0; magnetic 0 -0.5 0; density 0; viscosity 0;
tolerance 1e-8; ls_tolerance 0.01; noslip_tolerance 1e-6; ccd_tolerance 1e-6; sleep_tolerance 0.001;
iterations 100; ls_iterations 50; noslip_iterations 0; ccd_iterations 35; sdf_iterations 10; sdf_initpoints 40;
integrator Euler; cone pyramidal; jacobian auto; solver Newton; o_margin 0
"""
DEFAULTS = {name: value.strip() for name, _, value in (one.strip().partition(" ") for one in _DEFAULTS.split(";"))}
"""Options of MuJoCo 4 where a file has none."""
SWITCHED_ON = ("override", "energy", "fwdinv", "invdiscrete", "multiccd", "sleep")
"""Flags that are off by default."""


def merge_options(report: Report, root: Element, child: Element, element: Element) -> None:
    """Take over the options of an attached model, with a finding for each that has no effect or is refused.

    root, child: the model and the attached one. element: the <attach>. MuJoCo keeps the options of the model; with
    conflict="merge" those that it does not have are taken over, and with "error" two different ones are refused.
    """
    policy = next((e.get("conflict") for e in reversed(root.find_all("compiler")) if e.get("conflict")), None)
    if policy is not None and policy not in POLICIES:
        message = f"conflict={policy!r}; expected {', '.join(POLICIES)}"
        report.error("attach", message, root.find_all("compiler")[-1])
        return
    for tag, name, value in _options(child):
        default = DEFAULTS.get(name, "") if tag == "option" else "disable" if name in SWITCHED_ON else "enable"
        own = next((v for t, n, v in reversed([*_options(root)]) if (t, n) == (tag, name)), None)
        if _same(value, default if own is None else own):
            continue
        if policy == "merge" and (taken := _merged(tag, name, own, value, default)) is not None:
            _set(root, tag, name, taken)
        elif policy in ("merge", "error") and own is not None and tag == "option":
            message = f"the attached model has {name}={value!r}, this one has {own!r}; conflict={policy!r} refuses that"
            report.error("attach", message, element)
        else:
            has = f"this model has {own!r}" if own else f"this model has MuJoCo's default, {default!r}"
            message = f"{name}={value!r} of <{tag}> in the attached model has no effect: {has}, which MuJoCo keeps"
            report.warning("left-out", message, element)
    left = [f"<{e.tag}>" for e in child.children if e.tag in OTHERS and (e.attributes or e.children)]
    if left:
        message = f"{', '.join(dict.fromkeys(left))} of the attached model has no effect on this one"
        report.add("info", "left-out", message, element)


def _options(root: Element) -> Iterator[tuple[str, str, str]]:
    """Yield the tag, the name and the value of each option and flag."""
    for section in root.find_all("option"):
        for part in (section, *section.find_all("flag")):
            for name, value in part.attributes.items():
                yield part.tag, name, value


def _merged(tag: str, name: str, own: str | None, value: str, default: str) -> str | None:
    """Return the value that conflict="merge" makes, None if it refuses two different ones."""
    if tag == "flag":
        return own if own is not None and _same(value, default) else value
    if own is None:
        return value
    if name == "actuatorgroupdisable":
        return " ".join(dict.fromkeys((*own.split(), *value.split())))
    if name in (*LEAST, *MOST):
        return (min if name in LEAST else max)(own, value, key=lambda text: (numbers(text) or [0.0])[0])
    return None


def _same(one: str, other: str) -> bool:
    ours, theirs = numbers(one), numbers(other)
    return one.split() == other.split() if ours is None or theirs is None else list(ours) == list(theirs)


def _set(root: Element, tag: str, name: str, value: str) -> None:
    """Set an option or a flag of a model in its last <option>, which is made if there is none."""
    sections = root.find_all("option")
    if not sections:
        sections = [Element("option", {}, root.document, root.start)]
        root.children.insert(0, sections[0])
    holders = [flag for section in sections for flag in section.find_all("flag")] if tag == "flag" else sections
    if not holders:
        holders = [Element("flag", {}, root.document, root.start)]
        sections[-1].children.append(holders[0])
    holders[-1].attributes[name] = value
