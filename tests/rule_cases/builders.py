"""Short texts of URDF for the cases of rules."""

from __future__ import annotations

from kinetree.rules.examples import ARM

ZERO = "0 0 0"


def robot(*parts: str, name: str = "r") -> str:
    """A robot of links and joints."""
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def link(name: str, *parts: str) -> str:
    """A link with shapes and an inertial."""
    return f'<link name="{name}">{"".join(parts)}</link>'


def joint(
    name: str,
    parent: str,
    child: str,
    *parts: str,
    kind: str = "fixed",
    xyz: str = ZERO,
    rpy: str = ZERO,
    axis: str = "0 0 1",
) -> str:
    """A joint; parts: its limit and so on."""
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    bounded = kind in ("revolute", "prismatic") and not any(part.startswith("<limit") for part in parts)
    turns = f'<axis xyz="{axis}"/>{limit if bounded else ""}' if kind not in ("fixed", "floating") else ""
    place = f'<origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{place}{turns}{"".join(parts)}</joint>'


def limit(lower: object = -1, upper: object = 1, velocity: object = 1, effort: object = 1) -> str:
    """A limit; None leaves a number out."""
    numbers = {"lower": lower, "upper": upper, "velocity": velocity, "effort": effort}
    return f"<limit{''.join(f' {name}={str(value)!r}' for name, value in numbers.items() if value is not None)}/>"


def shape(kind: str, **sizes: object) -> str:
    """A geometry."""
    return f"<geometry><{kind}{''.join(f' {name}={str(size)!r}' for name, size in sizes.items())}/></geometry>"


def box(x: object, y: object = None, z: object = None) -> str:
    """A box, or a cube."""
    return shape("box", size=f"{x} {x if y is None else y} {x if z is None else z}")


def sphere(radius: object) -> str:
    return shape("sphere", radius=radius)


def cylinder(radius: object, length: object) -> str:
    return shape("cylinder", radius=radius, length=length)


def mesh(filename: str, scale: str = "1 1 1") -> str:
    return shape("mesh", filename=filename, scale=scale)


def seen(geometry: str, xyz: str = ZERO, rpy: str = ZERO) -> str:
    """A shape that is only seen."""
    return f'<visual><origin xyz="{xyz}" rpy="{rpy}"/>{geometry}</visual>'


def felt(geometry: str, xyz: str = ZERO, rpy: str = ZERO) -> str:
    """A shape for collisions."""
    return f'<collision><origin xyz="{xyz}" rpy="{rpy}"/>{geometry}</collision>'


def inertial(
    mass: object, xx: object, yy: object, zz: object, *, xy: object = 0, xz: object = 0, yz: object = 0, xyz: str = ZERO
) -> str:
    """A mass, and moments of inertia."""
    inertia = f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/>'
    return f'<inertial><origin xyz="{xyz}"/><mass value="{mass}"/>{inertia}</inertial>'


def pair(*parts: str, kind: str = "continuous", name: str = "j", child: str = "b", inside: str = "") -> str:
    """A root and a link on a joint; parts: of the link, inside: of the joint."""
    return robot(link("a"), link(child, *parts), joint(name, "a", child, inside, kind=kind))


def turning(
    *parts: str,
    kind: str = "revolute",
    lower: object = -1,
    upper: object = 1,
    velocity: object = 1,
    effort: object = 1,
) -> str:
    """A robot of one joint with a limit; parts: more in the joint."""
    of_joint = (limit(lower, upper, velocity, effort), *parts)
    return robot(link("a"), link("b"), joint("j", "a", "b", *of_joint, kind=kind))


def arm(*edits: tuple[str, str]) -> str:
    """The arm of the examples, which has no fault, with texts of it replaced, each in the first place where it stands
    and there alone."""
    text = ARM
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def arm_with(*parts: str) -> str:
    """The arm of the examples with more links and joints."""
    return ARM.replace("</robot>", f"{''.join(parts)}</robot>")
