"""The meshes and textures of a robot that is saved: which files are copied or converted, and where to."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from kinetree.confine import is_in, real
from kinetree.display import listed
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.files.opener import folder_of, read_file
from kinetree.files.packages import package_named
from kinetree.formats.losses.capabilities import CAPABILITIES
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.robot import Extension, Geometry, Material, Robot
from kinetree.shapes.collada import images
from kinetree.shapes.convert import mesh_for_drake, mesh_for_mujoco, texture_for_mujoco
from kinetree.shapes.gltf import references
from kinetree.shapes.mesh import Mesh
from kinetree.shapes.read import check_pointer, ending_of, read_mesh
from kinetree.shapes.resolve import IMAGES, MESHES, OTHERS, beside, companions, files_of, path_of, root_of
from kinetree.syntax.xml.reader import Element, Report, attribute_spans, parse
from kinetree.syntax.xml.writer import attributes_text

ASSETS = "assets"
"""Folder beside the written file that meshes and textures are put into."""
RESTORE = "restore the file, or name the folders of packages when you load"
FIX = (
    'assets="keep" or --assets keep leaves such references as they are; '
    'without=("{part}",) or --without {part} leaves them out'
)

MOST_NAMES = 8
"""Most references that a warning lists."""

Converter = Callable[[Mesh, bytes, str], tuple[bytes, str]]
"""Function from a mesh, the file that it was read from, and its ending to the file to write, and its ending."""

Part = tuple[str, bool]
"""Name of a part of a mesh, "" for all of it, and whether the middle of its bounds becomes its origin."""
WHOLE: Part = ("", False)

CONVERTERS: Mapping[tuple[str, str], Converter | None] = {
    ("urdf", "visual"): None,
    ("urdf", "collision"): None,
    ("sdf", "visual"): None,
    ("sdf", "collision"): mesh_for_drake,
    ("mjcf", "visual"): mesh_for_mujoco,
    ("mjcf", "collision"): mesh_for_mujoco,
}
"""Conversion of meshes by format and role; None copies them as they are, with their textures."""


@dataclass
class Bag:
    """Files to write, by path, and the references from the written file to them, by the files that they come from."""

    robot: Robot
    target: Path
    format: str
    without: Collection[str]
    home: bool  # whether it is written in its own format into its own folder
    changed: bool = False
    contents: dict[Path, bytes] = field(default_factory=dict)
    references: dict[tuple[Path, Converter | None, Part], str] = field(default_factory=dict)
    meshes: dict[tuple[Path, Part], Mesh] = field(default_factory=dict)
    roots: dict[Path, str] = field(default_factory=dict)
    taken: dict[str, Path] = field(default_factory=dict)  # paths below the folder in lower case: some disks ignore case
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    refusal: str = "cannot be brought along"
    remedy: str = FIX

    def __post_init__(self) -> None:
        self.files = files_of(self.robot)
        self.folder = self.target.parent

    def root(self, path: Path) -> Path:
        """Return the folder that keeps its structure among the written files."""
        return root_of(path)

    def parts(self) -> Parts:
        """Return the parts of the robot, with references as the written file has them."""
        parts = parts_of(self.robot)
        if "geometry" not in self.without:
            parts.links = [
                replace(
                    link,
                    visuals=tuple(self.geometry(shape, f"link {link.name!r}", False) for shape in link.visuals),
                    collisions=tuple(self.geometry(shape, f"link {link.name!r}", True) for shape in link.collisions),
                )
                for link in parts.links
            ]
        parts.materials = [self.material(material) for material in parts.materials]
        parts.extensions = [*self.extensions(tuple(parts.extensions), f"robot {self.robot.name!r}")]
        return parts

    def geometry(self, geometry: Geometry, owner: str, felt: bool) -> Geometry:
        """Return a geometry that refers to its mesh and its texture as the written file does."""
        material = geometry.material and self.material(geometry.material)
        geometry = replace(geometry, material=material, extensions=self.extensions(geometry.extensions, owner))
        if geometry.shape.kind != "mesh":
            return geometry
        parameters = {**geometry.shape.parameters}
        part = str(parameters.get("submesh", "")), "center" in parameters
        convert = CONVERTERS[self.format, "collision" if felt else "visual"]
        if part[0] and (convert or self.format != "sdf"):
            convert = convert or mesh_for_drake
        else:
            part = WHOLE

        def copy_assets(path: Path) -> str:
            reference = self._mesh(path, convert, felt, part)
            for key in ("submesh", "center") if part != WHOLE else ():
                parameters.pop(key, None)
            return reference

        name = str(parameters["filename"])
        parameters["filename"] = self._noting(name, "geometry", owner, geometry.source, copy_assets, MESHES)
        return replace(geometry, shape=replace(geometry.shape, parameters=parameters))

    def material(self, material: Material) -> Material:
        """Return a material that refers to its texture as the written file does."""
        if not material.texture or "material" in self.without:
            return material
        owner = f"material {material.name!r}"
        texture = self._noting(material.texture, "material", owner, material.source, self._texture, IMAGES)
        return replace(material, texture=texture)

    def extensions(self, extensions: tuple[Extension, ...], owner: str) -> tuple[Extension, ...]:
        """Return extensions that refer to their files as the written file does."""
        if "extension" in self.without:
            return extensions
        endings = (*IMAGES, *OTHERS)

        def renamed(name: str, source: Source | None) -> str:
            return self._noting(name, "extension", owner, source, self._texture, endings)

        return tuple(_with_references(e, self.format, partial(renamed, source=e.source)) for e in extensions)

    def _noting(
        self,
        name: str,
        part: str,
        owner: str,
        source: Source | None,
        copy_assets: Callable[[Path], str],
        endings: tuple[str, ...],
    ) -> str:
        """Return a reference from the written file to a file, or its name with a finding if it cannot be brought."""
        found = False
        try:
            path = path_of(self.robot, name, source, self.files)
            found = True
            package = package_named(name)
            if (there := self.files.packages.elsewhere.get(package)) and not self.home:
                message = f"its package is in another project, {there}"
                raise fail(
                    "package-elsewhere", message, fix=f"to copy it, say --package {package}=FOLDER, or packages="
                )
            if ending_of(path.name) not in endings:
                raise fail("file", f"it is not copied, for such files end in {', '.join(endings)}")
            if self.home and real(self.files.path(name, str(self.target))) == real(path):
                return name
            reference = copy_assets(path)
            self.changed = self.changed or reference != name
            return reference
        except KinetreeError as error:
            first = error.findings[0]
            if self.home and ("://" in name or os.path.isabs(name)):
                return name
            what = {"geometry": "mesh", "material": "texture"}.get(part, "file")
            bare = first.source and first.message.startswith(("is ", "has ", "cannot ", "contains ", "needs "))
            why = f"it {first.message}" if bare else first.message
            message = f"the {what} {name!r} {self.refusal}: {why}"
            fix = "; ".join(filter(None, [first.fix or (None if found else RESTORE), self.remedy.format(part=part)]))
            self.findings.setdefault(
                (name, first.message), Finding(f"missing-{what}", "error", message, source, owner, fix)
            )
            return name

    def _mesh(self, path: Path, convert: Converter | None, felt: bool, part: Part) -> str:
        if (path, convert, part) not in self.references:
            data = read_file(path)
            check_pointer(data, str(path))
            made, ending = data, ending_of(path.name)
            if convert:
                made, ending = convert(self._read(path, data, part), data, ending)
            else:
                self._companions(path, data)
            self.references[path, convert, part] = self.placed(path, made, ending, made is not data)
        if felt and self.format == "mjcf" and self.meshes[path, part].flat:
            raise fail("mesh", "it is flat, and MuJoCo lets only meshes with a volume collide")
        return self.references[path, convert, part]

    def _read(self, path: Path, data: bytes, part: Part) -> Mesh:
        if (path, part) not in self.meshes:
            mesh = read_mesh(data, str(path), companions(path, self.files), part[0])
            middle = mesh.bounds.mean(axis=0) if part[1] else 0.0
            self.meshes[path, part] = replace(mesh, vertices=mesh.vertices - middle)
        return self.meshes[path, part]

    def _texture(self, path: Path) -> str:
        if (path, None, WHOLE) not in self.references:
            data, ending = read_file(path), ending_of(path.name)
            made = data
            if self.format == "mjcf" and ending in IMAGES:
                made, ending = texture_for_mujoco(data, str(path))
            self.references[path, None, WHOLE] = self.placed(path, made, ending, made is not data)
        return self.references[path, None, WHOLE]

    def _companions(self, path: Path, data: bytes) -> None:
        """Bring the files that a mesh file refers to, at the same place beside it."""
        root = self.root(path)
        for name in dict.fromkeys(_references(path, data)):
            found = beside(path, name, self.files)
            if found is None:
                continue  # it leads nowhere from here either
            if ending_of(found.name) not in (*IMAGES, ".mtl", ".bin") or not found.is_relative_to(root):
                raise fail("file", f"it refers to {name!r}, which is not a texture in {root}")
            content = read_file(found)
            self.placed(found, content, ending_of(found.name), False, root)
            if found.suffix.lower() == ".mtl":
                self._companions(found, content)

    def placed(self, path: Path, data: bytes, ending: str, converted: bool, root: Path | None = None) -> str:
        """Return the reference to a file, which is put into the assets unless it can be used where it lies."""
        root = root or self.root(path)
        if not converted and self._stays(path, root):
            return os.path.relpath(real(path), real(self.folder)).replace(os.sep, "/")
        inside = PurePosixPath(self._label(root), *path.relative_to(root).parts)
        inside = inside if ending == inside.suffix.lower() else inside.with_suffix(ending)
        number = 1
        while not self._is_free(place := inside.with_stem(f"{inside.stem}_{number}") if number > 1 else inside, data):
            number += 1
        target = self.folder / ASSETS / place
        self.taken[str(place).lower()] = target
        self.contents[target] = data
        return f"{ASSETS}/{place}"

    def _stays(self, path: Path, root: Path) -> bool:
        """Return whether a file is used where it lies: in the folder of the written file, which is in its package, has
        the robot's file, or has the assets of an earlier robot with it."""
        folder = Path(real(self.folder))
        known = (
            is_in(str(folder), [Path(real(root))])
            or _own_folder(self.robot) == str(folder)
            or is_in(real(path), [folder / ASSETS])
        )
        return known and is_in(real(path), [folder])

    def _is_free(self, place: PurePosixPath, data: bytes) -> bool:
        """Return whether a place has this content, or none; another robot may use what is there."""
        target = self.taken.get(str(place).lower())
        if target is not None:
            return target == self.folder / ASSETS / place and self.contents[target] == data
        there = self.folder / ASSETS / place
        return not os.path.lexists(there) or (there.is_file() and there.read_bytes() == data)

    def _label(self, root: Path) -> str:
        """Return the name of a package's folder among the assets, which no other has."""
        if root not in self.roots:
            used = {label.lower() for label in self.roots.values()}
            names = (f"{root.name or 'root'}{f'_{n}' if n > 1 else ''}" for n in range(1, len(used) + 3))
            self.roots[root] = next(name for name in names if name.lower() not in used)
        return self.roots[root]


class _KeptReferences(Bag):
    """Relative references that lead to no file from the written file; all are kept."""

    lost: dict[str, None]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lost = {}

    def _noting(self, name: str, *_: object) -> str:
        if not ("://" in name or os.path.isabs(name) or os.path.isfile(self.folder / name)):
            self.lost[name] = None
        return name


def _references(path: Path, data: bytes) -> Iterator[str]:
    """Yield the names of the files that a mesh file, or a file of materials, refers to."""
    ending = ending_of(path.name)
    if ending == ".dae":
        yield from images(data, str(path))
    elif ending in (".glb", ".gltf"):
        yield from references(data, str(path))
    elif ending in (".obj", ".mtl"):
        for line in data.decode("utf-8", "replace").splitlines() if b"mtllib" in data or ending == ".mtl" else ():
            words = line.split(maxsplit=1)
            if len(words) == 2 and (words[0] == "mtllib" or words[0].lower().startswith(("map_", "bump", "norm"))):
                yield words[1].strip() if words[0] == "mtllib" else words[1].split()[-1]


def copy_assets(
    robot: Robot, target: Path, format: str, without: Collection[str] = ()
) -> tuple[Robot, dict[Path, bytes]]:
    """Return the robot with references that hold from the file `target`, and the files to write beside it.

    A robot that is saved in its own format beside its own file keeps its references. Raises KinetreeError with every
    file that is missing or that cannot be converted.
    """
    home = format == robot.places.format and _own_folder(robot) == os.path.dirname(real(target))
    if "link.geometry" in CAPABILITIES[format] or (home and _is_of_one_folder(robot)):
        return robot, {}
    bag = Bag(robot, Path(os.path.abspath(target)), format, without, home)
    parts = bag.parts()
    if bag.findings:
        raise KinetreeError(list(bag.findings.values()))
    text = robot.text.text if robot.text else ""
    included = "<include" in text or "<attach" in text  # a file that lies elsewhere now
    return (build(parts) if bag.changed or included else robot), bag.contents


def missing_assets(robot: Robot, target: Path, format: str, without: Collection[str] = ()) -> list[Finding]:
    """Return a warning that names the relative references that are kept but lead to no file from the file `target`."""
    home = _own_folder(robot) in (None, os.path.dirname(real(target)))
    if home or "link.geometry" in CAPABILITIES[format]:
        return []
    bag = _KeptReferences(robot, Path(os.path.abspath(target)), format, without, home)
    bag.parts()
    if not bag.lost:
        return []
    message = f"these references lead to no file from {target.parent}: {listed(map(repr, bag.lost), MOST_NAMES)}"
    fix = "save it without assets='keep', or --assets keep, so that the files go with it"
    return [Finding("missing-file", "warning", message, Source(str(target)), f"robot {robot.name!r}", fix)]


def _own_folder(robot: Robot) -> str | None:
    """Return the folder of a robot's file, with all links followed; None for a text."""
    folder = folder_of(robot.source.file) if robot.source else None
    return None if folder is None else real(folder)


def _is_of_one_folder(robot: Robot) -> bool:
    """Return whether no shape is from a file in another folder, such as that of a gripper that was attached."""
    shapes = (shape for link in robot.links.values() for shape in (*link.visuals, *link.collisions))
    folders = {folder_of(shape.source.file) for shape in shapes if shape.source}
    return {real(folder or "") for folder in folders} <= {_own_folder(robot)}


def _with_references(extension: Extension, format: str, renamed: Callable[[str], str]) -> Extension:
    """Return an extension of a format whose references to files are replaced by a function; others as they are. They
    are in <asset> of MJCF, and in maps of SDF's materials."""
    if extension.format != format or not (extension.tag == "asset" or "_map" in extension.text):
        return extension
    root = parse(extension.text, "", Report())
    if root is None:
        return extension
    data = root.document.data
    for name, start, stop in sorted(_file_places(format, root), key=lambda row: -row[1]):  # from the end to the start
        if (new := renamed(name)) != name:
            value = attributes_text({"a": new}).removeprefix('a="').removesuffix('"')
            data = data[:start] + value.encode() + data[stop:]
    return replace(extension, text=data.decode())


def _file_places(format: str, root: Element) -> Iterator[tuple[str, int, int]]:
    """Yield each reference with its first byte and the byte after it."""
    for element in root.walk():
        if format == "mjcf" and root.tag == "asset":
            spans = attribute_spans(element).items()
            yield from ((element.attributes[key], span[1], span[2]) for key, span in spans if key.startswith("file"))
        elif format == "sdf" and element.tag.endswith("_map") and element.text.strip():
            yield element.text.strip(), element.tag_stop, element.end
