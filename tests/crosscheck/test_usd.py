"""OpenUSD against usd-core: its own composition, transforms and masses."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.checker.files import files_of, without_parts
from kinetree.checker.job import Job, check_job
from kinetree.formats.registry import ReadOptions
from kinetree.formats.usd import read
from kinetree.formats.usd.prim import stage_of
from kinetree.formats.usd.source import open_stage
from kinetree.formats.usd.text import parse
from kinetree.formats.usd.transforms import Transforms
from kinetree.load import examine

pxr = pytest.importorskip("pxr")
pytestmark = pytest.mark.crosscheck

HEAD = '#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\ndefaultPrim = "arm"\n)\n'
BODIES = (
    HEAD
    + """
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:density = 250
        double3 xformOp:translate = (0.1, -0.2, 0.3)
        float3 xformOp:rotateXYZ = (10, 20, 30)
        float3 xformOp:scale = (1, 2, 0.5)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double size = 0.3
            double3 xformOp:translate = (0.1, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        point3f physics:centerOfMass = (0.1, 0.02, 0.3)
        quatd xformOp:orient = (0.5, 0.5, -0.5, 0.5)
        float xformOp:rotateZYX:second = 1
        double3 xformOp:translate:pivot = (1, 2, 3)
        float xformOp:rotateY:about = 40
        uniform token[] xformOpOrder = ["xformOp:orient", "xformOp:translate:pivot", "xformOp:rotateY:about",
            "!invert!xformOp:translate:pivot"]
        def Cylinder "rod" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            uniform token axis = "X"
            double radius = 0.1
            double height = 0.5
        }
        def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
        {
            float physics:mass = 1
            double radius = 0.2
            double3 xformOp:translate = (0, 0.4, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
    def PhysicsRevoluteJoint "j"
    {
        rel physics:body0 = </arm/a>
        rel physics:body1 = </arm/b>
        float physics:lowerLimit = -30
    }
}
"""
)


def written() -> list[str]:
    """Return texts of robots: what Kinetree writes, and bodies with all kinds of operations."""
    arm = kt.chain("tz(0.3) Rz(q1) tx(0.2) Ry(q2) tx(0.1) tz(q3)", name="an arm")
    return [BODIES, kt.text(arm, "usd")]


@each("text", written())
def test_text_is_what_usd_core_composes(text, tmp_path):
    file = tmp_path / "a.usda"
    file.write_text(text)
    settings, prims = parse(text)
    pxr_stage = binary(file)
    made, findings = open_stage(Path(pxr_stage).read_bytes(), str(pxr_stage), None, {})
    assert not findings
    mine = stage_of("a.usda", settings, prims)
    assert [*mine.prims] == [*made.prims]
    for path, prim in mine.prims.items():
        other = made.prims[path]
        assert (prim.type, prim.title, {*prim.schemas}) == (other.type, other.title, {*other.schemas} & {*prim.schemas})
        assert prim.targets == other.targets
        assert {*prim.values} == {*other.values}, path
        for name, value in prim.values.items():
            theirs = other.values[name]
            if isinstance(value, float | np.ndarray):
                assert np.allclose(value, theirs, rtol=1e-7, atol=1e-7), (path, name)
            else:
                assert value == theirs or not (value or theirs), (path, name)


def binary(file: Path) -> Path:
    """Return a file in binary with the same stage as a text."""
    from pxr import Usd

    made = file.with_suffix(".usdc")
    Usd.Stage.Open(str(file)).Export(str(made))
    return made


def test_transforms_are_those_of_usd_core(tmp_path):
    from pxr import Usd, UsdGeom

    file = tmp_path / "a.usda"
    file.write_text(BODIES)
    stage, cache = Usd.Stage.Open(str(file)), UsdGeom.XformCache()
    mine = stage_of("a.usda", *parse(BODIES))
    transforms = Transforms(mine)
    for path, prim in mine.prims.items():
        theirs = np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path))).T
        assert np.abs(transforms.world(prim) - theirs).max() < 1e-12, path


def test_masses_are_those_of_usd_core(tmp_path):
    """The information on each shape is computed here by hand, for usd-core has no volumes."""
    from pxr import Gf, Usd, UsdGeom, UsdPhysics

    text = BODIES.replace("float3 xformOp:scale = (1, 2, 0.5)", "float3 xformOp:scale = (1, 1, 1)")
    file = tmp_path / "a.usda"
    file.write_text(text)
    stage = Usd.Stage.Open(str(file))

    def shape(prim: object) -> object:
        info = UsdPhysics.RigidBodyAPI.MassInformation()
        if prim.GetName() == "box":
            info.volume, moments = 0.027, np.full(3, 0.027 * 0.09 / 6)
        elif prim.GetName() == "rod":
            info.volume = np.pi * 0.01 * 0.5
            across = info.volume * (3 * 0.01 + 0.25) / 12
            moments = np.array([info.volume * 0.01 / 2, across, across])
        else:
            info.volume = 4 / 3 * np.pi * 0.008
            moments = np.full(3, 0.4 * info.volume * 0.04)
        info.inertia = Gf.Matrix3f(Gf.Matrix3d(Gf.Vec3d(*map(float, moments))))
        info.centerOfMass = Gf.Vec3f(0)
        where = UsdGeom.XformCache().ComputeRelativeTransform(prim, prim.GetParent())[0]
        info.localPos = Gf.Vec3f(where.ExtractTranslation())
        info.localRot = Gf.Quatf(1)
        return info

    robot = kt.load(text, format="usd")
    for name in ("a", "b"):
        body = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath(f"/arm/{name}"))
        mass, moments, centre, axes = body.ComputeMassProperties(shape)
        inertial = robot.links[name].inertial
        assert inertial.mass == pytest.approx(mass, rel=1e-6)
        assert inertial.origin[:3, 3] == pytest.approx(np.array(centre), abs=1e-6)
        R = np.array(Gf.Matrix3d(Gf.Rotation(axes))).T
        theirs = R @ np.diag(np.array(moments)) @ R.T
        assert np.abs(inertial.inertia - theirs).max() < 1e-5 * np.abs(theirs).max()


class TestComposition:
    PART = (
        HEAD
        + """
def Xform "arm" (variants = {string size = "long"}
    prepend variantSets = "size")
{
    variantSet "size" = {
        "long" {
            def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
            }
        }
        "short" {
            def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
            }
        }
    }
}
"""
    )

    def test_of_references_and_variants(self, tmp_path):
        (tmp_path / "part.usda").write_text(self.PART)
        file = tmp_path / "a.usda"
        file.write_text(HEAD + 'def "arm" (references = @./part.usda@)\n{\n}\n')
        robot = kt.load(file)
        assert [*robot.links] == ["a"]
        (note,) = [note for note in robot.notes if note.code == "usd-variant"]
        assert note.message == "of the variants long, short in the set 'size', long is chosen"
        file.write_text(HEAD + 'def "arm" (references = @./part.usda@\nvariants = {string size = "short"})\n{\n}\n')
        assert [*kt.load(file).links] == ["b"]

    def test_of_variants_by_name(self, tmp_path):
        """Also of a set inside of a variant; and the text with one of them is not written as it was read."""
        (tmp_path / "part.usda").write_text(self.PART)
        inner = (
            'def "arm" (references = @./part.usda@\nvariants = {string kind = "none"}\nprepend variantSets = "kind")\n'
            '{\nvariantSet "kind" = {\n"none" {\n}\n"more" (variants = {string tool = "a"}\n'
            'prepend variantSets = "tool") {\nvariantSet "tool" = {\n"a" {\n}\n"b" {\n'
            'def Xform "t" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n}\n}\n}\n}\n}\n}\n'
        )
        file = tmp_path / "a.usda"
        file.write_text(HEAD + inner)
        assert [*kt.load(file).links] == ["a"]
        chosen = kt.load(file, args={"size": "short", "kind": "more", "tool": "b"})
        assert {*chosen.links} == {"world", "b", "t"}
        assert {*kt.load(kt.text(chosen, "usd"), format="usd").links} == {"world", "b", "t"}
        assert file.read_text() == HEAD + inner
        for given, message in (
            ({"siez": "short"}, "there is no set of variants 'siez'; did you mean 'size'?"),
            ({"size": "shrt"}, "the set 'size' has no variant 'shrt'; did you mean 'short'?"),
            ({"tool": "b"}, "there is no set of variants 'tool'"),
        ):
            with pytest.raises(kt.KinetreeError, match=re.escape(message)) as error:
                kt.load(file, args=given)
            assert [one.code for one in error.value.findings] == ["usd-variant"]

    def test_of_variants_may_not_leave_the_workspace(self, tmp_path):
        (tmp_path / "part.usda").write_text(BODIES)
        inside = tmp_path / "inside"
        inside.mkdir()
        file = inside / "a.usda"
        file.write_text(
            HEAD
            + 'def "arm" (variants = {string v = "in"}\nprepend variantSets = "v")\n{\nvariantSet "v" = {\n"in" {\n'
            'def Xform "t" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\n}\n}\n'
            '"out" (references = @../part.usda@) {\n}\n}\n}\n'
        )
        assert [*kt.load(file).links] == ["t"]
        robot, findings = examine(file, ReadOptions(args={"v": "out"}))
        assert robot is None
        assert [one.code for one in findings if one.severity == "error"] == ["confined"]

    def test_of_parts_in_a_folder_is_checked_once(self, tmp_path):
        """A part is left out below the file that composes it; a scene elsewhere does not hide the robot in it."""
        for name in ("robot/parts", "scenes"):
            (tmp_path / name).mkdir(parents=True)
        (tmp_path / "robot/parts/physics.usda").write_text(BODIES)
        (tmp_path / "robot/a.usda").write_text(HEAD + 'def "arm" (references = @./parts/physics.usda@)\n{\n}\n')
        scene = HEAD + 'def "s" {\ndef "arm" (references = @../robot/a.usda@)\n{\n}\n}\n'
        (tmp_path / "scenes/scene.usda").write_text(scene)
        files = files_of([str(tmp_path)])
        results = [without_parts(check_job(Job(file)), [*files]) for file in files]
        with_findings = [Path(one.file).relative_to(tmp_path).as_posix() for one in results if one.findings]
        assert with_findings == ["robot/a.usda", "scenes/scene.usda"]

    def test_of_instances(self, tmp_path):
        (tmp_path / "part.usda").write_text(BODIES)
        file = tmp_path / "a.usda"
        lines = [f'def "{n}" (instanceable = true\nreferences = @./part.usda@)\n{{\n}}\n' for n in ("left", "right")]
        file.write_text(HEAD + "".join(lines))
        assert [*kt.load(file).links] == ["world", "left/a", "left/b", "right/a", "right/b"]

    def test_of_variants_in_instances(self, tmp_path):
        ball = 'def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{\ndouble radius = %s\n}\n'
        sizes = "".join(f'"{name}" {{\n{ball % size}}}\n' for name, size in (("small", 0.1), ("big", 0.2)))
        (tmp_path / "leg.usda").write_text(
            HEAD.replace("arm", "l")
            + 'def Xform "l"\n{\ndef "in" (variants = {string size = "small"}\nprepend variantSets = "size")\n{\n'
            + f'variantSet "size" = {{\n{sizes}}}\n}}\n}}\n'
        )
        line = 'def "{}" (instanceable = true\nreferences = @./leg.usda@)\n{{\n}}\n'
        body = 'def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n'
        (tmp_path / "a.usda").write_text(HEAD + body + line.format("x") + line.format("y") + "}\n")
        robot = kt.load(tmp_path / "a.usda")
        assert [note.element for note in robot.notes if note.code == "usd-variant"] == [
            "prim /arm/x/in",
            "prim /arm/y/in",
        ]
        big = kt.load(tmp_path / "a.usda", args={"size": "big"})
        radii = [[shape.shape.parameters["radius"] for shape in one.links["arm"].collisions] for one in (robot, big)]
        assert radii == [[0.1, 0.1], [0.2, 0.2]]

    def test_of_other_units_than_those_of_the_root_are_named(self, tmp_path):
        """USD converts no units: a part in metres is a hundredth of its size in a stage that does not say its own."""
        part = HEAD + 'def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
        (tmp_path / "part.usda").write_text(part)
        (tmp_path / "a.usda").write_text(
            '#usda 1.0\n(\nupAxis = "Z"\n)\ndef "arm" (references = @./part.usda@)\n{\n}\n'
        )
        other, missing = (n.message for n in kt.load(tmp_path / "a.usda").notes if n.code == "usd-units")
        assert other.startswith("metersPerUnit is 1.0 in part.usda, and 0.01 in the root layer, which counts")
        assert missing.startswith("metersPerUnit is not given")

    def test_of_damaged_text_is_explained_without_places_in_usd_core(self, tmp_path):
        (tmp_path / "a.usda").write_text('#usda 1.0\ndef Xform "a"\n{\nfloat physics:mass = 2 kg\n}\n')
        with pytest.raises(kt.KinetreeError, match=r"usd-core refuses it: '\S*a.usda:4:\d+: Expected \}") as error:
            kt.load(tmp_path / "a.usda")
        assert "pxrInternal" not in str(error.value)

    @each("missing", [False, True])
    def test_of_a_file_outside_is_refused(self, missing, tmp_path):
        inside = tmp_path / "inside"
        inside.mkdir(exist_ok=True)
        (tmp_path / "part.usda").write_text(BODIES)
        file = inside / "a.usda"
        file.write_text(
            HEAD + 'def "arm" (references = @../{name}.usda@)\n{\n}\n'.replace("{name}", "gone" if missing else "part")
        )
        robot, findings = examine(file, ReadOptions())
        assert robot is None
        assert [one.code for one in findings if one.severity == "error"] == ["usd-stage" if missing else "confined"]
        robot, findings = examine(file, ReadOptions(confined=True))
        assert robot is None
        assert {one.code for one in findings if one.severity == "error"} <= {"usd-stage", "confined"}

    def test_of_too_many_numbers_is_refused(self, tmp_path, monkeypatch):
        """With those of the instances: the limit is that of the child process, which is called here."""
        from kinetree.formats.usd import compose

        monkeypatch.setattr(compose, "MAX_NUMBERS", 50)
        (tmp_path / "part.usda").write_text(
            HEAD + 'def "arm" {\ndef Mesh "m" {\npoint3f[] points = [(1, 2, 3)]\n}\n}\n'
        )
        file = tmp_path / "a.usda"
        for count, errors in ((16, 0), (17, 1)):
            lines = [f'def "p{i}" (instanceable = true\nreferences = @./part.usda@)\n{{\n}}\n' for i in range(count)]
            file.write_text(HEAD + "".join(lines))
            _, _, said = compose.compose(None, str(file), [str(tmp_path)], {})
            assert [code for severity, code, *_ in said if severity == "error"] == ["usd-stage"] * errors

    def test_of_an_archive(self, tmp_path):
        from pxr import UsdUtils

        (tmp_path / "a.usda").write_text(BODIES)
        assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "a.usda"), str(tmp_path / "a.usdz"))
        assert [*kt.load(tmp_path / "a.usdz").links] == ["a", "b"]

    def test_of_a_circle_is_refused(self, tmp_path):
        file = tmp_path / "a.usda"
        file.write_text(HEAD + 'def "arm" (references = @./a.usda@)\n{\n}\n')
        robot, findings = examine(file, ReadOptions())
        assert robot is None
        assert [one.code for one in findings] == ["usd-stage"]

    def test_of_a_text_needs_no_file(self):
        robot = kt.load(
            HEAD + 'class "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
            'def Xform "arm" (inherits = </c>)\n{\n}\n',
            format="usd",
        )
        assert [*robot.links] == ["arm"]

    @each("text", ["#usda 1.0\ndef Xform {", "PXR-USDC" + "\0" * 100, "PK\x03\x04" + "\0" * 100])
    def test_of_damaged_files_is_refused(self, text, tmp_path):
        file = tmp_path / "a.usd"
        file.write_bytes(text.encode("latin-1"))
        robot, findings = read(file.read_bytes(), str(file))
        assert robot is None
        assert [one.code for one in findings] == ["usd-stage"]


def test_what_is_written_is_physics_to_usd_core(tmp_path):
    """usd-core's own parser of UsdPhysics finds the joints with their frames, axes and limits."""
    from pxr import Usd, UsdPhysics

    arm = kt.chain("tz(0.3) Rz(q1) tx(0.2) ty(q2) tx(0.1)", name="arm")
    file = tmp_path / "arm.usda"
    kt.save(arm, file)
    stage = Usd.Stage.Open(str(file))
    found = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, ["/"])
    kinds = {kind: [str(path) for path in paths] for kind, (paths, _) in found.items()}
    assert kinds[UsdPhysics.ObjectType.RevoluteJoint] == ["/arm/Joints/q1"]
    assert kinds[UsdPhysics.ObjectType.PrismaticJoint] == ["/arm/Joints/q2"]
    assert len(kinds[UsdPhysics.ObjectType.Articulation]) == 1
    (joint,) = found[UsdPhysics.ObjectType.RevoluteJoint][1]
    assert joint.axis == UsdPhysics.Axis.Z
    assert [*joint.localPose0Position] == pytest.approx([0, 0, 0.3])
