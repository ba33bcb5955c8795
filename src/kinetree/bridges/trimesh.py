"""Robots as scenes of trimesh: `export`."""

from typing import Any

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.bridges.bodies import library
from kinetree.bridges.maps import Maps, maps_of
from kinetree.errors import warn
from kinetree.model.reshape import free_name
from kinetree.model.robot import Robot
from kinetree.queries.query import frames_of, tree
from kinetree.spatial import se3
from kinetree.viewing.scene.loops import start
from kinetree.viewing.scene.meshes import MeshFiles
from kinetree.viewing.scene.shapes import Shapes
from kinetree.viewing.surfaces import Soups, triangles_of

tm = library("trimesh", "meshes")


def export(robot: Robot, q: Any = None) -> tuple[Any, Maps]:
    """Return a `trimesh.Scene` of the visual shapes of a robot at q (nq,), and the maps between the two.

    q: m and rad, or a mapping by name, by default as in `kt.show`. Every frame is a node of the
    same name (`maps.frames`). The node of a link is on that of its parent link, other frames are on that of their link;
    the root link is the base of the scene. A scene has no coordinates, so that `maps.nq` is zero. A shape that cannot
    be shown is left out with a warning.

    Raises KinetreeError for a wrong q.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.bridges import trimesh
        >>> text = '''<robot name="block"><link name="block"><visual><geometry>
        ... <box size="0.1 0.2 0.3"/></geometry></visual></link></robot>'''
        >>> scene, maps = trimesh.export(kt.load(text, format="urdf"))
        >>> scene.extents.round(6)  # m
        array([0.1, 0.2, 0.3])
    """
    frames_of(robot, [])
    names = [*robot.frames]
    T = dict(zip(names, forward_kinematics(tree(robot), start(robot, q), names), strict=True))
    scene = tm.Scene(base_frame=robot.root)
    for name in (name for name in names if name != robot.root):
        parent = robot.frames[name].link
        if joint := robot.parent_joint(name) if name in robot.links else None:
            parent = joint.parent
        scene.graph.update(frame_to=name, frame_from=parent, matrix=se3.inverse(T[parent]) @ T[name])
    soups, taken = Soups(), {*names}
    shapes = Shapes(robot, MeshFiles(packed=soups))
    for link, visuals in shapes.visuals.items():
        for shape in visuals:
            if len(triangles := triangles_of(shape, soups)):
                mesh = tm.Trimesh(**tm.triangles.to_kwargs(triangles))
                mesh.visual.face_colors = np.round(255 * np.array(shape["rgba"])).astype(np.uint8)
                node = free_name(f"{link}_visual", taken)
                place = {"node_name": node, "geom_name": node, "parent_node_name": link}
                scene.add_geometry(mesh, transform=np.reshape(shape["T"], (4, 4)), **place)
    for finding in shapes.findings.values():
        warn(str(finding), UserWarning)
    return scene, maps_of(robot, [], {name: name for name in names})
