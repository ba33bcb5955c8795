"""Spheres of a semantic description as the collision shapes of a robot."""

from dataclasses import replace

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Geometry, Robot, Shape
from kinetree.spatial.se3 import frozen, translation


@explain_type_errors
def as_spheres(robot: Robot) -> Robot:
    """Return the robot with the spheres of its semantic description as the collision shapes of their links.

    Links without spheres keep their shapes. Spheres without a radius above 0, which planners switch off, are left out.
    Raises KinetreeError for a robot without spheres.

    Examples:
        >>> import kinetree as kt
        >>> box = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
        >>> text = f"<robot name='r'><link name='a'>{box}</link></robot>"
        >>> ball = "<sphere center='0 0 0' radius='0.9'/>"
        >>> ball = f"<link_sphere_approximation link='a'>{ball}</link_sphere_approximation>"
        >>> robot = kt.load(text, format="urdf", srdf=f"<robot name='r'>{ball}</robot>")
        >>> [shape.shape.kind for shape in kt.edit.as_spheres(robot).links["a"].collisions]
        ['sphere']
    """
    known = robot.semantic.sphere_approximations if robot.semantic else ()
    spheres = {one.link: one.spheres for one in known if one.spheres}
    if not spheres:
        fix = "compute them: kt.collisions(robot).spheres()"
        raise fail("spheres", "it has no spheres", element=f"robot {robot.name!r}", fix=fix)
    parts = parts_of(robot)
    for i, link in enumerate(parts.links):
        if own := spheres.get(link.name):
            shapes = tuple(
                Geometry(Shape("sphere", {"radius": one.radius}), frozen(translation(one.center)))
                for one in own
                if one.radius > 0
            )
            parts.links[i] = replace(link, collisions=shapes)
    return build(parts)
