"""Mesh files and textures as the simulator of a format reads them."""

import io

import numpy as np

from kinetree.errors import fail
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.read import ending_of
from kinetree.shapes.stl import is_text, msh_bytes, stl_bytes

MOST_STL_TRIANGLES = 200_000
"""Most triangles of an STL file that MuJoCo reads."""


def mesh_for_mujoco(mesh: Mesh, data: bytes, ending: str) -> tuple[bytes, str]:
    """Return a mesh file that MuJoCo reads, with the same vertices, and its ending.

    STL files of text, large or with fewer than four points, OBJ files with vertices of no triangle, which would change
    the convex hull, and formats that MuJoCo does not read are converted.
    mesh, data, ending: the mesh and the file that it was read from. Raises KinetreeError for a mesh without area.
    """
    small = len(mesh.triangles) <= 1000
    if small and not len(mesh.merged.triangles):
        raise fail("mesh", "all of its triangles lie in points and edges; MuJoCo needs an area")
    if small and len(mesh.merged.vertices) < 4:
        return stl_bytes(_split(mesh)), ".stl"
    if ending == ".msh" or (ending == ".obj" and not _has_strays(mesh)):
        return data, ending
    if len(mesh.triangles) > MOST_STL_TRIANGLES:
        return msh_bytes(mesh.merged), ".msh"
    return (stl_bytes(mesh) if ending != ".stl" or is_text(data[:1024], len(data)) else data), ".stl"


def mesh_for_drake(mesh: Mesh, data: bytes, ending: str) -> tuple[bytes, str]:
    """Return a mesh file that Drake, and Gazebo, let collide, with the same vertices, and its ending."""
    if ending in (".obj", ".vtk", ".gltf"):
        return data, ending
    return obj_bytes(mesh.merged), ".obj"


def obj_bytes(mesh: Mesh) -> bytes:
    """Return a mesh as an OBJ file."""
    text = io.BytesIO()
    np.savetxt(text, mesh.vertices, "v %.9g %.9g %.9g")
    np.savetxt(text, mesh.triangles + 1, "f %d %d %d")
    return text.getvalue()


def _has_strays(mesh: Mesh) -> bool:
    """Return whether a mesh has vertices that no triangle uses."""
    unused = np.delete(mesh.vertices, mesh.triangles.ravel(), axis=0)
    used = mesh.merged.vertices if len(unused) else unused
    return len(np.unique(np.concatenate([used, unused]), axis=0)) > len(used)


def _split(mesh: Mesh) -> Mesh:
    """Return a mesh whose triangles are each cut in two: MuJoCo wants at least four vertices."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    middle = (a + b) / 2
    points = np.stack([a, middle, c, middle, b, c], axis=1).reshape(-1, 3)
    return Mesh(points, np.arange(len(points)).reshape(-1, 3))


def texture_for_mujoco(data: bytes, file: str) -> tuple[bytes, str]:
    """Return a texture that MuJoCo reads, and its ending: others are converted to PNG with Pillow."""
    ending = ending_of(file)
    if ending in (".png", ".ktx"):
        return data, ending
    from PIL import Image  # takes longer than all else here, and is rarely needed

    made = io.BytesIO()
    try:
        Image.open(io.BytesIO(data)).convert("RGB").save(made, "PNG")
    except Exception:  # Pillow raises anything on damaged bytes
        message = f"the texture {file!r} cannot be read: it is damaged, or of a kind that Pillow does not read"
        raise fail("texture", message) from None
    return made.getvalue(), ".png"
