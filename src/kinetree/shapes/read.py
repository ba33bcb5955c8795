"""A mesh file of any format to a mesh."""

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from kinetree.errors import KinetreeError, shortened
from kinetree.shapes.collada import check_collada
from kinetree.shapes.colour import Rgba, colour_of
from kinetree.shapes.gltf import check_gltf
from kinetree.shapes.mesh import Mesh, checked, refused
from kinetree.shapes.obj import read_obj
from kinetree.shapes.stl import read_msh, read_stl

Beside = Callable[[str], bytes | None]
"""Function from the reference in a mesh file to the content of the file that it means, None if there is none."""

POINTER = b"version https://git-lfs"
"""Beginning of a pointer that git-lfs leaves in the place of a large file."""

CHECKS: Mapping[str, Callable[[bytes, str], tuple[bytes, float]]] = {
    ".dae": check_collada,
    ".glb": check_gltf,
    ".gltf": check_gltf,
}
"""Formats that are read with trimesh, and functions that refuse what it should never see, and return what it
reads and the metres of a unit."""

READ = (".stl", ".msh", ".obj", *CHECKS)
"""Endings of mesh files that can be read."""


def read_mesh(data: bytes, file: str, beside: Beside = lambda reference: None, part: str = "") -> Mesh:
    """Return the mesh in a file of the format of its ending: all of its parts, or the node `part` of a DAE file.

    A DAE file's unit is applied and its up axis is not, as in RViz. Nothing else is read but, for glTF, files that
    `beside` returns. Raises KinetreeError "mesh" if it cannot be read.
    """
    return joined([mesh for mesh, _ in _read(data, file, beside, part, looks=False)], file)


def read_parts(data: bytes, file: str, beside: Beside, part: str = "") -> list[tuple[Mesh, Rgba | None]]:
    """Return the meshes in a file, one for each colour of its materials, None if it has none, as an STL file.

    A texture counts by its mean colour. The rest is as for `read_mesh`; damaged materials are ignored.
    """
    try:
        parts = _read(data, file, beside, part, looks=True)
    except KinetreeError:
        parts = _read(data, file, beside, part, looks=False)
    by_colour: dict[Rgba | None, list[Mesh]] = {}
    for mesh, colour in parts:
        by_colour.setdefault(colour, []).append(mesh)
    return [(joined(meshes, file), colour) for colour, meshes in by_colour.items()]


def joined(meshes: list[Mesh], file: str) -> Mesh:
    """Return several meshes as one. Raises KinetreeError if it is too large."""
    if len(meshes) == 1:
        return meshes[0]
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts[:-1], strict=True)]
    return checked(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles), file)


def _read(data: bytes, file: str, beside: Beside, part: str, looks: bool) -> list[tuple[Mesh, Rgba | None]]:
    ending = ending_of(file)
    check_pointer(data, file)
    if part and ending != ".dae":
        raise refused(file, f"is not read by parts, so its part {part!r} is unknown; a DAE file is")
    if ending == ".stl":
        return [(read_stl(data, file), None)]
    if ending == ".msh":
        return [(read_msh(data, file), None)]
    if ending == ".obj":
        return read_obj(data, file, beside, looks)
    if ending not in CHECKS:
        raise refused(file, f"is a mesh in a format that is not read; read are {', '.join(READ)}")
    dae = ending == ".dae"
    shown, unit = check_collada(data, file, part, looks) if dae else CHECKS[ending](data, file)
    return _with_trimesh(shown, file, unit, beside, looks)


def check_pointer(data: bytes, file: str) -> None:
    """Raise KinetreeError if git-lfs has left a pointer in the place of a file."""
    if data.startswith(POINTER):
        raise refused(file, "is a pointer of git-lfs in place of the mesh", fix="fetch it with `git lfs pull`")


def ending_of(file: str) -> str:
    """Return the ending of a file name in lower case, with its point."""
    return f".{file.rpartition('.')[2].lower()}"


class _Beside:
    """Resolver of trimesh, which gets files by their references."""

    def __init__(self, beside: Beside) -> None:
        self.beside = beside

    def get(self, reference: str) -> bytes:
        content = self.beside(reference)
        if content is None:
            raise KeyError(reference)
        return content

    __getitem__ = get


def _with_trimesh(data: bytes, file: str, unit: float, beside: Beside, looks: bool) -> list[tuple[Mesh, Rgba | None]]:
    import trimesh

    ending = ending_of(file)
    options: dict[str, Any] = {"process": False, "resolver": _Beside(beside)}
    options |= {"skip_materials": not looks} if ending in (".glb", ".gltf") else {}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Pillow, about textures
            scene = trimesh.load_scene(io.BytesIO(data), file_type=ending[1:], **options)
            parts = list(_parts(scene, ending, looks))
    except KinetreeError:
        raise
    except Exception as error:  # trimesh and pycollada raise anything on damaged bytes
        own = type(error).__module__.startswith("collada")  # others are about Python, not about the file
        why = shortened(str(error), 200) if own else "it is damaged, or has something that trimesh does not read"
        raise refused(file, f"cannot be read as {ending}: {why}") from None
    if not parts:
        raise refused(file, "has no triangles")
    return [(checked(vertices * unit, faces.astype(np.int64), file), colour) for vertices, faces, colour in parts]


def _parts(scene: Any, ending: str, looks: bool) -> Iterator[tuple[Any, Any, Rgba | None]]:
    """Yield vertices, triangles and colour of every part of a scene, in its axes."""
    for node in scene.graph.nodes_geometry:
        T, name = scene.graph[node]
        faces = getattr(scene.geometry[name], "faces", None)  # lines and points have none
        if faces is not None and len(faces):
            vertices = np.asarray(scene.geometry[name].vertices, dtype=float) @ T[:3, :3].T + T[:3, 3]
            mirrored = np.linalg.det(T[:3, :3]) < 0  # which turns the faces inside out
            colour = colour_of(scene.geometry[name].visual, ending) if looks else None
            yield vertices, np.asarray(faces)[:, ::-1] if mirrored else np.asarray(faces), colour
