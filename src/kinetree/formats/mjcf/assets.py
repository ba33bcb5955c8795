"""Meshes and materials of <asset>, to which geoms refer by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from kinetree.errors import KinetreeError, nearest_names
from kinetree.files.opener import MeshReader, no_mesh
from kinetree.formats.fields import optional, vector_of
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.defaults import Classes
from kinetree.formats.mjcf.mesh_mass import RULES, Content, content_of
from kinetree.formats.mjcf.poses import pose
from kinetree.model.robot import Material
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import number, numbers
from kinetree.syntax.xml.reader import Element, Report

KEPT = ("content_type", "inertia", "maxhullvert", "smoothnormal", "normal", "texcoord")


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh asset. file: with its folder, None if inline. T_geom_file (4, 4): the file's axes in those of its geom.
    element: with the attributes of its class. kept: attributes that only MuJoCo uses."""

    file: str | None
    scale: tuple[float, ...]
    T_geom_file: Array
    material: str | None
    element: Element
    kept: Mapping[str, str]


@dataclass
class Assets:
    """Meshes, materials and height fields by name; `others` are the elements without a place in the model."""

    meshes: dict[str, Mesh] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    textures: dict[str, str | None] = field(default_factory=dict)
    hfields: dict[str, list[float]] = field(default_factory=dict)
    others: list[Element] = field(default_factory=list)
    main: str = ""  # the file to which paths are relative
    read_mesh: MeshReader = no_mesh
    contents: dict[str, Content | str] = field(default_factory=dict)

    def content(self, name: str) -> Content | str:
        """Return the content of a mesh that exists, or why it is unknown."""
        if name not in self.contents:
            try:
                self.contents[name] = _content(self.meshes[name], self.main, self.read_mesh)
            except KinetreeError as error:
                self.contents[name] = f"mesh {name!r}: {error.findings[0].message}"
            except (ValueError, ArithmeticError) as error:
                self.contents[name] = f"mesh {name!r} has no mass by MuJoCo's rules: {error}"
        return self.contents[name]


def _content(mesh: Mesh, main: str, read_mesh: MeshReader) -> Content:
    element = mesh.element
    if mesh.file is not None:
        vertices, triangles = read_mesh(mesh.file, main)
    elif "vertex" in element.attributes:
        vertices = np.array(numbers(element.get("vertex") or "") or [], dtype=np.float32).astype(float).reshape(-1, 3)
        triangles = np.zeros((0, 3), dtype=np.int64)
    else:
        raise ValueError("only MuJoCo can make its triangles")
    if not len(triangles):
        triangles = np.array(numbers(element.get("face") or "") or [], dtype=np.int64).reshape(-1, 3)
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise ValueError("a face has a vertex that does not exist")
    if np.prod(mesh.scale) < 0:  # turns the faces inside out
        triangles = triangles[:, ::-1]
    vertices = vertices * mesh.scale @ mesh.T_geom_file[:3, :3].T + mesh.T_geom_file[:3, 3]
    rule, most = element.get("inertia", "legacy"), number(element.get("maxhullvert") or "-1")
    if rule not in RULES or most is None:
        raise ValueError(f"inertia={rule!r}, maxhullvert={element.get('maxhullvert')!r}")
    return content_of(vertices, triangles, rule, int(most) if most > -1 else None)


def read_assets(
    report: Report, root: Element, compiler: Compiler, classes: Classes, read_mesh: MeshReader = no_mesh
) -> Assets:
    """Return the assets of all <asset> sections."""
    assets = Assets(main=root.document.file, read_mesh=read_mesh)
    elements = [e for section in root.find_all("asset") for e in section.children]
    for element in elements:
        if element.tag == "texture":
            file = element.get("file")
            here = compiler.of(element)
            assets.textures[_name(element)] = here.path(file, here.texturedir) if file else None
            assets.others.append(element)
    for element in elements:
        if element.tag == "mesh":
            optional(report, element, element, partial(_mesh, report, assets, element, compiler, classes))
        elif element.tag == "material":
            optional(report, element, element, partial(_material, report, assets, element, classes))
        elif element.tag != "texture":
            assets.others.append(element)
            if element.tag == "hfield":
                assets.hfields[_name(element)] = numbers(element.get("size") or "") or []
    return assets


def _name(element: Element) -> str:
    return element.get("name") or PurePosixPath((element.get("file") or "").replace("\\", "/")).stem


def _mesh(report: Report, assets: Assets, element: Element, compiler: Compiler, classes: Classes) -> None:
    element = classes.resolved(element)
    errors = report.count["error"]
    name, file = _name(element), element.get("file")
    if not name:
        report.error("missing-attribute", "<mesh> needs file=… or name=…, which are missing", element)
    if name in assets.meshes:
        report.error("duplicate-name", f"there is already a mesh {name!r}", element)
    reference = Element("mesh", {}, element.document, element.start)
    for ours, theirs, default in (("pos", "refpos", (0.0,) * 3), ("quat", "refquat", (0.0,) * 4)):
        if theirs in element.attributes:
            vector_of(report, element, theirs, len(default), default)
            reference.attributes[ours] = element.attributes[theirs]
    scale = vector_of(report, element, "scale", 3, (1.0, 1.0, 1.0))
    T_geom_file = se3.IDENTITY
    if reference.attributes and report.count["error"] == errors:  # errors below would name pos and quat
        scale, T_geom_file = _placed(report, element, scale, pose(report, reference, compiler.of(element)))
    here = compiler.of(element)
    path = here.path(file, here.meshdir) if file else None
    kept = {attribute: element.attributes[attribute] for attribute in KEPT if attribute in element.attributes}
    if file and name != PurePosixPath(file.replace("\\", "/")).stem:
        kept["name"] = name
    mesh = Mesh(path, tuple(scale), T_geom_file, element.get("material"), element, kept)
    if report.count["error"] == errors:
        assets.meshes[name] = mesh
        assets.others += [] if file else [element]


def _placed(report: Report, element: Element, scale: list[float], T_file_ref: Array) -> tuple[list[float], Array]:
    """Return the scale of a mesh in the axes of its file, and T_geom_file (4, 4).

    MuJoCo moves a vertex v of the file to S Rᵀ(v - p), with S the scale, R and p from refquat and refpos.
    """
    R = T_file_ref[:3, :3]
    S = np.diag(scale) if len({*scale}) == 1 else R @ np.diag(scale) @ R.T
    if not np.allclose(S, np.diag(np.diag(S)), rtol=0, atol=1e-12 * np.abs(scale).max()):
        message = "its scale differs by axis and acts in the axes of refquat, which shears the mesh"
        report.error("mesh-scale", message, element, attribute="scale")
    T = se3.homogeneous(R, S @ T_file_ref[:3, 3])
    return np.diag(S).tolist(), frozen(se3.inverse(T))


def _material(report: Report, assets: Assets, element: Element, classes: Classes) -> None:
    element = classes.resolved(element)
    errors = report.count["error"]
    name = _name(element)
    if not name:
        report.error("missing-attribute", "<material> needs name=…, which is missing", element)
    if name in assets.materials:
        report.error("duplicate-name", f"there is already a material {name!r}", element)
    layer = next((e.get("texture") for e in element.find_all("layer") if e.get("role", "rgb") == "rgb"), None)
    texture = element.get("texture") or layer
    if texture is not None and texture not in assets.textures:
        near = nearest_names(texture, list(assets.textures))
        message = f"texture {texture!r} does not exist; {near}; it is left out"
        report.warning("left-out", message, element, attribute="texture")
    r, g, b, a = vector_of(report, element, "rgba", 4, (1.0, 1.0, 1.0, 1.0))
    if report.count["error"] > errors:
        return
    if set(element.attributes) - {"name", "rgba"}:
        assets.others.append(element)  # keeps its shine; the writer adds its colour
    file = assets.textures.get(texture or "")
    assets.materials[name] = Material(name, (r, g, b, a), file, element.source)
