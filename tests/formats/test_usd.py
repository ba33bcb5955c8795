"""Reading and writing OpenUSD, without usd-core: flat text, and stages as plain data."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.usd import read
from kinetree.formats.usd.prim import stage_of
from kinetree.formats.usd.text import TextError, parse
from kinetree.formats.usd.transforms import Transforms
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Inertial, Limit
from kinetree.spatial import se3
from usd_texts import TWO, body, codes, joint, only_joint, robot_of, stage

URDF = """<robot name="arm">
  <link name="base"><inertial><origin xyz="0 0 0.05"/><mass value="4"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.2 0.01 0" rpy="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.045"/></inertial></link>
  <link name="slider"><inertial><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.1"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-1.5707963267948966" upper="0.7853981633974483" velocity="2" effort="40"/>
    <dynamics damping="0.7" friction="0.2"/></joint>
  <joint name="slide" type="prismatic"><origin xyz="0.4 0 0" rpy="0 0 1.5707963267948966"/>
    <parent link="upper"/><child link="slider"/><axis xyz="1 0 0"/>
    <limit lower="-0.1" upper="0.3" velocity="1" effort="10"/></joint>
</robot>"""
HALF = 0.7071067811865476
# In centimetres and grams, with y up, all bodies beside each other and turned; `slide` has its bodies the other way
# round. The numbers of masses and inertias are those of the URDF in g and g cm².
ARM = """#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = 0.01
    kilogramsPerUnit = 0.001
    upAxis = "Y"
)
def Xform "arm" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
    doc = "an arm (of two joints) with } in its text"
)
{
    double rotate = 5
    float xformOp:rotateX = -90
    uniform token[] xformOpOrder = ["xformOp:rotateX"]
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 4000
        point3f physics:centerOfMass = (0, 0, 5)
        float3 physics:diagonalInertia = (2e5, 3e5, 4e5)
        quatf physics:principalAxes = (1, 0, 0, 0)
    }
    def Xform "upper" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2000
        point3f physics:centerOfMass = (20, 1, 0)
        float3 physics:diagonalInertia = (1e5, 5e5, 4.5e5)
        quatf physics:principalAxes = (0.9689124217106447, 0, 0, 0.24740395925452294)
        double3 xformOp:translate = (0, 0, 10)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Xform "slider" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1000
        float3 physics:diagonalInertia = (1e5, 2e5, 2e5)
        matrix4d xformOp:transform = ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (40, 0, 10, 1) )
        uniform token[] xformOpOrder = ["xformOp:transform"]
    }
    def Scope "Joints"
    {
        def PhysicsRevoluteJoint "shoulder" (prepend apiSchemas = ["PhysicsDriveAPI:angular", "NewtonJointAPI"])
        {
            rel physics:body0 = </arm/base>
            rel physics:body1 = </arm/upper>
            point3f physics:localPos0 = (0, 0, 10)
            uniform token physics:axis = "Y"
            float physics:lowerLimit = -90
            float physics:upperLimit = 45
            float drive:angular:physics:maxForce = 4e8
            float newton:damping = 122173.04763960307
            float newton:friction = 2e6
            float physxJoint:maxJointVelocity = 114.59155902616465
        }
        def PhysicsPrismaticJoint "slide"
        {
            rel physics:body0 = </arm/slider>
            rel physics:body1 = </arm/upper>
            point3f physics:localPos1 = (40, 0, 0)
            quatf physics:localRot1 = (0.7071067811865476, 0, 0, 0.7071067811865476)
            float physics:lowerLimit = -30
            float physics:upperLimit = 10
            float drive:linear:physics:maxForce = 1e6
            float newton:velocityLimit = 100
        }
    }
}
"""


class TestAnArm:
    def test_is_the_robot_of_its_urdf(self):
        """In other units, with another axis up, and a joint whose bodies are the other way round."""
        result = kt.compare(kt.load(URDF, format="urdf"), robot_of(ARM))
        (other,) = result.differences  # of the joint that slides the other way
        assert other.element == "joint 'slide'"
        assert result.same_mechanism
        slide = robot_of(ARM).joints["slide"]
        assert np.abs(slide.axes - [[-1.0, 0.0, 0.0]]).max() < 1e-12
        assert slide.limits[0].lower == pytest.approx(-0.3)

    def test_has_its_numbers(self):
        robot = robot_of(ARM)
        assert (robot.name, robot.root, robot.joint_names) == ("arm", "base", ("shoulder", "slide"))
        shoulder = robot.joints["shoulder"]
        assert shoulder.limits[0].lower == pytest.approx(-pi / 2)
        assert shoulder.limits[0].velocity == pytest.approx(2.0)
        assert shoulder.limits[0].effort == pytest.approx(40.0)
        assert shoulder.dynamics[0].damping == pytest.approx(0.7)
        assert shoulder.dynamics[0].friction == pytest.approx(0.2)
        upper = robot.links["upper"].inertial
        turned = upper.origin[:3, :3] @ upper.inertia @ upper.origin[:3, :3].T
        R = se3.rotation((0, 0, 1), 0.5)
        assert turned == pytest.approx(R @ np.diag([0.01, 0.05, 0.045]) @ R.T)
        assert [note.code for note in robot.notes] == ["usd-free"]

    def test_comes_back_the_same(self):
        first = kt.load(URDF, format="urdf")
        text = kt.text(first, "usd")
        again = robot_of(text)
        assert kt.compare(first, again, tolerance=1e-12, relative=1e-12).same
        assert kt.text(again, "usd") == text


PLANTED = {
    "an axis": ('physics:axis = "Y"', 'physics:axis = "Z"', "axis"),
    "a limit in radians": ("physics:lowerLimit = -90", "physics:lowerLimit = -1.5708", "limit"),
    "principal axes": ("(0.9689124217106447, 0, 0, 0.24740395925452294)", "(1, 0, 0, 0)", "inertia"),
    "moments swapped": ("(1e5, 5e5, 4.5e5)", "(5e5, 1e5, 4.5e5)", "inertia"),
    "a joint frame": ("localPos0 = (0, 0, 10)", "localPos0 = (1, 0, 10)", "base"),
    "the unit of length": ("metersPerUnit = 0.01", "metersPerUnit = 0.001", "base"),
    "the unit of mass": ("kilogramsPerUnit = 0.001", "kilogramsPerUnit = 1", "mass"),
    "a mass": ("physics:mass = 2000", "physics:mass = 2100", "mass"),
    "a centre": ("(20, 1, 0)", "(20, -1, 0)", "centre"),
    "an effort": ("maxForce = 4e8", "maxForce = 5e8", "limit"),
    "a velocity": ("maxJointVelocity = 114.59155902616465", "maxJointVelocity = 2", "limit"),
}
"""What is changed in the arm, and the kind of the difference that names it."""


@pytest.mark.slow
@each("name", PLANTED)
def test_a_difference_is_named(name):
    old, new, kind = PLANTED[name]
    assert ARM.count(old) == 1
    found = kt.compare(robot_of(ARM), robot_of(ARM.replace(old, new))).differences
    assert [one for one in found if kind in (one.kind, *str(one).split())], [(one.kind, str(one)) for one in found]


class TestJoints:
    def test_of_each_type(self):
        for type, name in (("Fixed", "fixed"), ("Revolute", "continuous"), ("Prismatic", "prismatic")):
            assert only_joint(joint(type)).type == name
        assert only_joint(joint("Spherical")).type == "ball"
        assert only_joint(joint("")).type == "floating"

    def test_have_the_x_axis_by_default(self):
        assert only_joint(joint("Revolute")).axes.tolist() == [[1.0, 0.0, 0.0]]

    @each(
        "free, type, axis",
        [
            ((), "fixed", None),
            (("rotY",), "continuous", [0, 1, 0]),
            (("transZ",), "prismatic", [0, 0, 1]),
            (("rotX", "rotY", "rotZ"), "ball", None),
            (("transX", "transY", "rotZ"), "planar", [0, 0, 1]),
        ],
    )
    def test_of_the_generic_type_have_what_is_not_locked(self, free, type, axis):
        names = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
        locked = [f"float limit:{n}:physics:low = 1\nfloat limit:{n}:physics:high = -1" for n in names if n not in free]
        made = only_joint(joint("", "\n".join(locked)))
        assert made.type == type
        assert made.axis is None if axis is None else made.axis.tolist() == axis

    def test_of_the_generic_type_have_limits_of_their_own(self):
        names = ("transX", "transY", "transZ", "rotX", "rotY")
        lines = [f"float limit:{n}:physics:low = 1\nfloat limit:{n}:physics:high = -1" for n in names]
        lines.append("float limit:rotZ:physics:low = -90\nfloat limit:rotZ:physics:high = 45")
        lines.append("float drive:rotZ:physics:maxForce = 3")
        made = only_joint(joint("", "\n".join(lines)))
        assert made.type == "revolute"
        assert made.limits == (Limit(radians(-90), radians(45), effort=3.0),)

    def test_of_two_rotations_are_refused(self):
        names = ("transX", "transY", "transZ", "rotX")
        lines = [f"float limit:{n}:physics:low = 1\nfloat limit:{n}:physics:high = -1" for n in names]
        robot, findings = read(stage(*TWO, joint("", "\n".join(lines))), "a.usda")
        assert robot is None
        (error,) = [finding for finding in findings if finding.severity == "error"]
        assert error.element == "prim /j"
        assert error.message.startswith("it leaves rotY, rotZ free")

    def test_without_a_body_belong_to_the_world(self):
        robot = robot_of(stage(*TWO, joint("Fixed", ends=("", "/a"), name="held"), joint("Revolute")))
        assert (robot.root, robot.joints["held"].parent) == ("world", "world")
        robot = robot_of(stage(*TWO, joint("Fixed", ends=("/a", ""), name="held"), joint("Revolute")))
        assert (robot.root, robot.joints["held"].child) == ("world", "a")

    def test_of_an_articulation_grow_from_its_root(self):
        root = body("b", more=', "PhysicsArticulationRootAPI"')
        robot = robot_of(stage(body("a"), root, joint("Revolute")))
        assert (robot.root, robot.joints["j"].child, robot.joints["j"].axes.tolist()) == ("b", "a", [[-1, 0, 0]])

    def test_to_a_prim_that_is_no_body_belong_to_the_body_above_it(self):
        inside = 'def Xform "tip" {\ndouble3 xformOp:translate = (1, 2, 3)\n'
        inside += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}'
        text = stage(body("a", inside), body("b"), joint("Revolute", ends=("/a/tip", "/b")))
        made = robot_of(text).joints["j"]
        assert made.parent == "a"
        assert made.origin[:3, 3].tolist() == [1, 2, 3]
        text = stage(
            'def Xform "table" {\ndouble3 xformOp:translate = (1, 2, 3)\n'
            'uniform token[] xformOpOrder = ["xformOp:translate"]\n}',
            *TWO,
            joint("Revolute"),
            joint("Fixed", ends=("/table", "/a"), name="held"),
        )
        held = robot_of(text).joints["held"]
        assert (held.parent, held.origin[:3, 3].tolist()) == ("world", [1, 2, 3])

    def test_marked_as_excluded_are_loops(self):
        loop = joint("Revolute", "uniform bool physics:excludeFromArticulation = true", name="closing")
        robot = robot_of(stage(*TWO, joint("Revolute"), loop))
        assert [*robot.loops] == ["closing"]
        assert "usd-loop" not in [note.code for note in robot.notes]

    def test_that_close_a_loop_unmarked_are_loops_with_a_warning(self):
        robot = robot_of(stage(*TWO, joint("Revolute"), joint("Revolute", name="closing")))
        assert [*robot.loops] == ["closing"]
        assert "usd-loop" in [note.code for note in robot.notes]

    def test_that_are_off_are_left_out(self):
        text = stage(*TWO, joint("Revolute", "bool physics:jointEnabled = false", name="off"), joint("Fixed"))
        assert [*robot_of(text).joints] == ["j"]

    @each("name", ["newton", "physx"])
    def test_follow_others(self, name):
        newton = "float newton:mimicCoef0 = 90\nfloat newton:mimicCoef1 = -2\nrel newton:mimicJoint = </lead>"
        physx = "float physxMimicJoint:rotX:gearing = 2\nfloat physxMimicJoint:rotX:offset = -90\n"
        physx += "rel physxMimicJoint:rotX:referenceJoint = </lead>"
        follower = joint(
            "Revolute",
            {"newton": newton, "physx": physx}[name],
            'apiSchemas = ["NewtonMimicAPI"]' if name == "newton" else "",
            ends=("/b", "/c"),
        )
        text = stage(*TWO, body("c"), joint("Revolute", name="lead"), follower)
        mimic = robot_of(text).joints["j"].mimic
        assert (mimic.joint, mimic.multiplier) == ("lead", -2.0)
        assert mimic.offset == pytest.approx(pi / 2)

    def test_apart_from_the_poses_of_their_bodies_are_named(self):
        moved = 'double3 xformOp:translate = (0, 0.25, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
        robot = robot_of(stage(TWO[0], body("b", moved), joint("Revolute")))
        (note,) = [note for note in robot.notes if note.code == "usd-apart"]
        assert "250 mm and 0 deg apart" in note.message
        along = moved.replace("(0, 0.25, 0)", "(0.25, 0, 0)")
        assert "usd-apart" not in codes(stage(TWO[0], body("b", along), joint("Prismatic")))

    @each(
        "lines, message",
        [
            ("rel physics:body0 = [</a>, </b>]", "physics:body0 has 2 targets"),
            ("rel physics:body0 = </gone>", "physics:body0 is </gone>, which does not exist"),
            ("rel physics:body0 = </b>", "it connects body /b to itself"),
            ('uniform token physics:axis = "W"', "physics:axis is 'W'; expected X, Y or Z"),
            ("point3f physics:localPos0 = (0, inf, 0)", "physics:localPos0 is [0.0, inf, 0.0]"),
        ],
    )
    def test_that_are_wrong_are_refused(self, lines, message):
        text = stage(*TWO, joint("Revolute", lines, ends=("" if "body0" in lines else "/a", "/b")))
        robot, findings = read(text, "a.usda")
        assert robot is None
        assert next(f.message for f in findings if f.severity == "error").startswith(message)


class TestDrives:
    def test_without_stiffness_damp(self):
        made = only_joint(joint("Revolute", "float drive:angular:physics:damping = 2"))
        assert made.dynamics[0].damping == pytest.approx(2 * 180 / pi)

    def test_with_stiffness_are_controllers(self):
        text = "float drive:angular:physics:damping = 2\nfloat drive:angular:physics:stiffness = 100"
        made = robot_of(stage(*TWO, joint("Revolute", text)))
        assert made.joints["j"].dynamics == ()
        assert "usd-drive" in [note.code for note in made.notes]

    def test_of_springs_come_back(self):
        passive = Dynamics(0.5, 0.25, 3.0, 0.1, 0.01)
        first = kt.chain("Rz(q1) tx(1)")
        parts = kt.model.assemble.parts_of(first)
        parts.joints[0] = replace(parts.joints[0], dynamics=(passive,))
        again = robot_of(kt.text(kt.model.assemble.build(parts), "usd")).joints["q1"].dynamics[0]
        for name in ("damping", "friction", "stiffness", "reference", "armature"):
            assert getattr(again, name) == pytest.approx(getattr(passive, name), rel=1e-14)


CUBE = 'def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"{more}])\n{{\ndouble size = 0.2\n{inside}\n}}'


class TestMasses:
    @each(
        "schema, inside, more, own, density",
        [
            ("", "", "", "", 1000.0),
            (', "PhysicsMassAPI"', "float physics:density = 500", "", "", 500.0),
            (
                ', "PhysicsMassAPI"',
                "float physics:density = 500",
                ', "PhysicsMassAPI"',
                "float physics:density = 250",
                250.0,
            ),
            ("", "", ', "PhysicsMassAPI"', "float physics:mass = 1", 1 / 0.008),
            ("", "float physics:density = 500", "", "", 1000.0),
        ],
    )
    def test_follow_from_what_collides(self, schema, inside, more, own, density):
        text = stage(body("a", inside + "\n" + CUBE.format(more=more, inside=own), schema))
        inertial = robot_of(text).links["a"].inertial
        assert inertial.mass == pytest.approx(density * 0.008)
        assert inertial.inertia == pytest.approx(np.eye(3) * density * 0.008 * 0.04 / 6)

    def test_of_a_material(self):
        look = 'def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"])\n{\nfloat physics:density = 7800\n}'
        bound = CUBE.format(more="", inside="rel material:binding:physics = </steel>")
        assert robot_of(stage(look, body("a", bound))).links["a"].inertial.mass == pytest.approx(62.4)

    def test_that_are_given_scale_the_inertia_of_the_shapes(self):
        text = stage(body("a", "float physics:mass = 3\n" + CUBE.format(more="", inside=""), ', "PhysicsMassAPI"'))
        inertial = robot_of(text).links["a"].inertial
        assert inertial.mass == 3.0
        assert inertial.inertia == pytest.approx(np.eye(3) * 3 * 0.04 / 6)

    def test_of_a_mesh_with_a_gap_are_a_guess(self):
        mesh = 'def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{{\n{}\n}}'.format(
            "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n"
            "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]"
        )
        gap = mesh.replace("[3, 3, 3, 3]", "[3, 3, 3]").replace(", 0, 3, 2]", "]")
        hull = gap.replace("int[] faceVertexC", 'uniform token physics:approximation = "convexHull"\nint[] faceVertexC')
        warnings = [
            [one.message for one in read(stage(body("a", text)), "a.usda")[1] if one.severity == "warning"]
            for text in (mesh, gap, hull)
        ]
        assert warnings == [[], ["its faces do not close, so that its volume is a guess"], []]

    def test_that_are_given_are_kept_to_the_last_digit(self):
        size = 'float3 xformOp:scale = (0.3, 0.7, 1.1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
        shapes = CUBE.format(more="", inside=size) + CUBE.format(more="", inside="").replace("box", "other")
        given = {
            mass: stage(body("a", f"float physics:mass = {mass}\n{shapes}", ', "PhysicsMassAPI"'))
            for mass in (0.1, 0.3, 2.0, 3.3, 7.7, -2.0)
        }
        for mass, text in given.items():
            assert robot_of(text).links["a"].inertial.mass == mass or mass < 0
        _, findings = read(given[-2.0], "a.usda")
        (warning,) = (one.message for one in findings if one.severity == "warning")
        assert warning == "physics:mass is -2; USD takes it as not given"

    def test_about_a_centre_that_is_given(self):
        given = "float physics:mass = 3\npoint3f physics:centerOfMass = (1, 0, 0)\n" + CUBE.format(more="", inside="")
        inertial = robot_of(stage(body("a", given, ', "PhysicsMassAPI"'))).links["a"].inertial
        assert inertial.origin[:3, 3].tolist() == [1, 0, 0]
        assert inertial.inertia == pytest.approx(np.diag([0.02, 3.02, 3.02]))

    def test_of_minus_infinity_and_zeros_are_not_given(self):
        given = "float physics:mass = 3\npoint3f physics:centerOfMass = (-inf, -inf, -inf)\n"
        given += "float3 physics:diagonalInertia = (0, 0, 0)\nquatf physics:principalAxes = (0, 0, 0, 0)\n"
        moved = 'double3 xformOp:translate = (0, 2, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
        inertial = (
            robot_of(stage(body("a", given + CUBE.format(more="", inside=moved), ', "PhysicsMassAPI"')))
            .links["a"]
            .inertial
        )
        assert inertial.origin[:3, 3].tolist() == [0, 2, 0]
        assert inertial.inertia == pytest.approx(np.eye(3) * 3 * 0.04 / 6)

    def test_of_newton_count_before_the_principal_ones(self):
        given = "float physics:mass = 3\nfloat3 physics:diagonalInertia = (1, 2, 2.5)\n"
        given += "double[] newton:inertia = [1, 2, 2.5, 0.1, 0, 0.2]"
        robot = robot_of(stage(body("a", given, ', "PhysicsMassAPI", "NewtonMassAPI"')))
        assert robot.links["a"].inertial.inertia.tolist() == [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]]
        assert "usd-mass" in [note.code for note in robot.notes]

    def test_of_a_body_without_any_are_none(self):
        robot = robot_of(stage(body("a")))
        assert robot.links["a"].inertial is None
        assert "usd-mass" in [note.code for note in robot.notes]

    def test_of_a_mesh(self):
        mesh = """def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
            uniform token physics:approximation = "HULL"
        }"""
        for kind in ("none", "convexHull"):
            robot = robot_of(stage(body("a", mesh.replace("HULL", kind))))
            assert robot.links["a"].inertial.mass == pytest.approx(1000 / 6)
            assert robot.links["a"].inertial.origin[:3, 3] == pytest.approx([0.25] * 3)
        again = robot_of(kt.text(replace(robot, text=None), "usd"))
        assert again.links["a"].inertial.mass == pytest.approx(1000 / 6)


class TestShapes:
    @each(
        "type, lines, kind, parameters",
        [
            ("Cube", "", "box", {"size": (2, 2, 2)}),
            ("Sphere", "", "sphere", {"radius": 1}),
            ("Cylinder", "", "cylinder", {"radius": 1, "length": 2}),
            ("Capsule", "", "capsule", {"radius": 0.5, "length": 1}),
            ("Cone", "", "cone", {"radius": 1, "length": 2}),
            ("Sphere", "float3 xformOp:scale = (1, 2, 3)", "ellipsoid", {"radii": (1, 2, 3)}),
            ("Cube", "double size = 1\nfloat3 xformOp:scale = (1, 2, 3)", "box", {"size": (1, 2, 3)}),
            ("Cylinder", "float3 xformOp:scale = (2, 2, 3)", "cylinder", {"radius": 2, "length": 6}),
        ],
    )
    def test_have_the_sizes_of_the_schema(self, type, lines, kind, parameters):
        order = 'uniform token[] xformOpOrder = ["xformOp:scale"]' if "scale" in lines else ""
        (shape,) = robot_of(stage(body("a", f'def {type} "s"\n{{\n{lines}\n{order}\n}}'))).links["a"].visuals
        assert (shape.shape.kind, shape.name) == (kind, "s")
        for name, value in parameters.items():
            assert shape.shape.parameters[name] == pytest.approx(value)

    def test_along_another_axis_are_turned(self):
        for axis, direction in (("X", [1, 0, 0]), ("Y", [0, 1, 0])):
            text = f'def Cylinder "s"\n{{\nuniform token axis = "{axis}"\n}}'
            (shape,) = robot_of(stage(body("a", text))).links["a"].visuals
            assert shape.origin[:3, 2] == pytest.approx(direction)

    def test_that_are_no_longer_round_are_left_out(self):
        for type in ("Cylinder", "Capsule"):
            text = f'def {type} "s"\n{{\nfloat3 xformOp:scale = (1, 1, 2)\n'
            text += 'uniform token[] xformOpOrder = ["xformOp:scale"]\n}'
            text = text if type == "Capsule" else text.replace("(1, 1, 2)", "(1, 2, 1)")
            assert "usd-shape" in codes(stage(body("a", text)))

    @each(
        "lines, seen",
        [
            ("", 1),
            ('uniform token purpose = "guide"', 0),
            ('uniform token purpose = "render"', 1),
            ('uniform token purpose = "proxy"', 0),
            ('token visibility = "invisible"', 0),
        ],
    )
    def test_are_seen_by_purpose_and_visibility(self, lines, seen):
        inside = (
            f'def Xform "group"\n{{\n{lines}\ndef Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{{\n}}\n}}'
        )
        link = robot_of(stage(body("a", inside))).links["a"]
        assert (len(link.visuals), len(link.collisions)) == (seen, 1)

    def test_have_looks(self):
        look = 'def Material "red"\n{\ndef Shader "s"\n{\ncolor3f inputs:diffuseColor = (1, 0, 0)\n}\n}'
        shape = 'def Sphere "s"\n{\nrel material:binding = </red>\n}'
        robot = robot_of(stage(look, body("a", shape)))
        assert robot.links["a"].visuals[0].material.rgba == (1, 0, 0, 1)
        assert robot.links["a"].visuals[0].material.name == "red"
        shape = 'def Sphere "s"\n{\ncolor3f[] primvars:displayColor = [(0, 1, 0)]\n'
        shape += "float[] primvars:displayOpacity = [0.5]\n}"
        assert robot_of(stage(body("a", shape))).links["a"].visuals[0].material.rgba == (0, 1, 0, 0.5)


class TestLimits:
    """Of what a small file can make large: each is refused, or left out with a remark."""

    MESH = """def Mesh "m{}" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {{
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1),]
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
        }}"""

    def test_of_the_corners_of_all_meshes(self, monkeypatch):
        text = stage(body("a", "".join(map(self.MESH.format, range(3)))))
        monkeypatch.setattr("kinetree.formats.usd.shapes.MAX_CORNERS", 35)
        robot = robot_of(text)
        assert len(robot.links["a"].collisions) == 2
        (note,) = [note for note in robot.notes if note.code == "usd-shape"]
        assert (note.element, note.message) == (
            "prim /a/m2",
            "all meshes have more than 35 corners; the shape is left out",
        )
        monkeypatch.setattr("kinetree.formats.usd.shapes.MAX_CORNERS", 36)
        assert len(robot_of(text).links["a"].collisions) == 3

    @each("piece", [1, 3, 7, 10_000])
    def test_arrays_are_read_in_pieces(self, piece, monkeypatch):
        monkeypatch.setattr("kinetree.formats.usd.text.PIECE", piece)
        _, ((_, _, _, values, *_),) = parse('#usda 1.0\ndef "a" {\ndouble[] newton:x = [1, -2.5e3, (3, 4), inf, ]\n}')
        assert values["newton:x"].tolist() == [1, -2500, 3, 4, np.inf]

    def test_of_the_operations_of_a_transform(self):
        order = ", ".join(['"xformOp:scale"'] * 1001)
        robot, findings = read(stage(body("a", f"uniform token[] xformOpOrder = [{order}]")), "a.usda")
        assert robot is None
        message = "it has 1001 operations; at most 1000 are read"
        assert [(f.code, f.message) for f in findings if f.severity == "error"] == [("usd-stage", message)]

    def test_what_is_written_has_the_bounds_of_its_meshes_and_no_inertia_of_zeros(self):
        """As validators of OpenUSD expect it."""
        robot = robot_of(stage(body("a", self.MESH.format("")), body("b"), joint("Revolute")))
        link = robot.links["b"]
        parts = parts_of(robot)
        parts.links[1] = replace(link, inertial=Inertial(0.0, np.zeros((3, 3)), se3.IDENTITY))
        text = kt.text(build(parts), "usd")
        assert "float3[] extent = [(0, 0, 0), (1, 1, 1)]" in text
        assert "point3f[] points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]" in text
        assert text.count("diagonalInertia") == text.count("principalAxes") == 1
        assert not robot_of(text).links["b"].inertial.inertia.any()


class TestStages:
    def test_of_several_bodies_float_in_the_world(self):
        moved = 'double3 xformOp:translate = (0, 1, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
        robot = robot_of(stage(body("a"), body("b", moved), head="metersPerUnit = 1"))
        assert {joint.type for joint in robot.joints.values()} == {"floating"}
        assert robot.joints["b_free"].origin[:3, 3] == pytest.approx([0, 0, 1])  # y is up

    def test_without_units_are_in_centimetres(self):
        robot = robot_of(stage(*TWO, joint("Revolute", "point3f physics:localPos0 = (5, 0, 0)"), head=""))
        assert robot.joints["j"].origin[0, 3] == pytest.approx(0.05)
        assert "usd-units" in [note.code for note in robot.notes]

    @each(
        "head, message",
        [
            ("metersPerUnit = 0", "metersPerUnit is 0.0; expected a number above 0"),
            ('metersPerUnit = "cm"', "metersPerUnit is 'cm'; expected a number above 0"),
            ("metersPerUnit = 1\nkilogramsPerUnit = -1", "kilogramsPerUnit is -1.0; expected a number above 0"),
            ('metersPerUnit = 1\nupAxis = "z"', "upAxis is 'z'; expected Y or Z"),
        ],
    )
    def test_in_units_that_mean_nothing_are_refused(self, head, message):
        robot, (finding,) = read(stage(*TWO, head=head), "a.usda")
        assert (robot, finding.code, finding.severity, finding.message) == (None, "usd-units", "error", message)

    @each(
        "lines",
        [
            "float physics:lowerLimit = nan",
            "quatf physics:localRot0 = (nan, 0, 0, 0)",
            "float drive:angular:physics:maxForce = nan",
        ],
    )
    def test_with_numbers_that_are_none_are_refused(self, lines):
        robot, findings = read(stage(*TWO, joint("Revolute", lines)), "a.usda")
        (fault,) = (one for one in findings if one.severity == "error")
        assert (robot, fault.message, fault.element) == (
            None,
            f"{lines.split()[1]} is nan; expected a number",
            "prim /j",
        )

    def test_say_which_bodies_count_less(self):
        text = stage(
            body("a", "bool physics:kinematicEnabled = true"), body("b", "bool physics:rigidBodyEnabled = false")
        )
        robot, findings = read(text, "a.usda")
        left_out = [(one.element, one.message.split(",")[0]) for one in findings if one.code == "left-out"]
        assert [*robot.links] == ["a"]
        assert left_out[0] == ("prim /a", "physics:kinematicEnabled")
        assert left_out[1] == ("prim /b", "physics:rigidBodyEnabled is false; it is no link")

    def test_say_which_shapes_are_not_read(self):
        felt = '(prepend apiSchemas = ["PhysicsCollisionAPI"])'
        inside = f'def Capsule_1 "c" {felt}\n{{\n}}\ndef Points "p"\n{{\n}}\ndef Xform "x" {felt}\n{{\n}}'
        robot, findings = read(stage(body("a", inside)), "a.usda")
        (message,) = (one.message for one in findings if one.code == "left-out")
        assert message == "shapes of other types than Kinetree reads are left out: /a/c, /a/p, /a/x"
        assert robot.links["a"].collisions == ()

    def test_with_scaled_bodies_say_so(self):
        scaled = 'float3 xformOp:scale = (2, 2, 2)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
        text = stage(
            body("a", scaled, ', "PhysicsArticulationRootAPI"'),
            body("b"),
            joint("Revolute", "point3f physics:localPos0 = (1, 0, 0)\npoint3f physics:localPos1 = (2, 0, 0)"),
        )
        robot = robot_of(text)
        assert "usd-scaled" in [note.code for note in robot.notes]
        assert robot.joints["j"].origin[0, 3] == 2.0

    def test_without_bodies_are_refused(self):
        assert codes(stage('def Xform "a"\n{\n}')) == ["usd-body"]

    def test_without_a_root_of_an_articulation_say_so(self):
        assert "usd-articulation" in codes(stage(body("a"), body("b"), joint("Revolute")))
        assert "usd-articulation" not in codes(stage(*TWO, joint("Revolute")))

    def test_have_frames(self):
        inside = 'def Xform "tool"\n{\ndouble3 xformOp:translate = (0, 0, 1)\n'
        inside += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}'
        inside += '\ndef Xform "shapes"\n{\ndef Sphere "s"\n{\n}\n}'
        robot = robot_of(stage(body("a", inside)))
        assert [*robot.frames] == ["a", "tool"]
        assert robot.frames["tool"].origin[2, 3] == 1.0

    def test_with_equal_names_have_those_of_paths(self):
        text = stage(
            'def Xform "l"\n{\n' + body("a") + "}",
            'def Xform "r"\n{\n' + body("a") + "}",
            joint("Fixed", ends=("/l/a", "/r/a")),
        )
        assert [*robot_of(text).links] == ["l/a", "r/a"]


class TestText:
    @each(
        "text, wrong",
        [
            ('#usda 1.0\ndef Xform "a" (references = @b.usda@)\n{\n}', False),
            ('#usda 1.0\ndef Xform "a" (instanceable = true)\n{\n}', False),
            ("#usda 1.0\n(subLayers = [@b.usda@])\n", False),
            ('#usda 1.0\ndef Xform "a" (prepend apiSchemas = ["b"]\nappend apiSchemas = ["c"])\n{\n}', False),
            ('#usda 1.0\ndef Xform "a" (delete apiSchemas = ["b"])\n{\n}', False),
            ('#usda 1.0\ndef Xform "a"\n{\nprepend rel physics:x = </a>\nappend rel physics:x = </b>\n}', False),
            ('#usda 1.0\ndef Xform "a"\n{\ndelete rel physics:x = </a>\n}', False),
            ('#usda 1.0\ndef Xform "a"\n{\nrel physics:x = <../b>\n}', False),
            ('#usda 1.0\ndef Xform "a"\n{\nvariantSet "x" = {\n}\n}', False),
            ('#usda 1.0\ndef Xform "a"\n{', True),
            ("#usda 1.0\ndef Xform a\n{\n}", True),
            ('#usda 1.0\ndef Xform "a"\n{\nfloat x = [1, e]\n}', True),
            ('#usda 1.0\ndef Xform "a"\n{\nfloat x = }\n}', True),
            ('#usda 1.0\ndef Xform "a"\n{\nfloat x = ' + "(" * 300, True),
            ("#usda 1.0\n" + 'def Xform "a" {' * 300, True),
            ("usda", True),
            ('#usda 1.0\ndef Xform "a"\n{\n}\ndef Cube "a"\n{\n}', True),
            ('#usda 1.0\ndef Xform "a b"\n{\n}', True),
            ('#usda 1.0\ndef Xform "a"\n{\nfloat physics:mass = 2 kg\nfloat x = 3\n}', True),
        ],
    )
    def test_that_is_not_read_here(self, text, wrong):
        with pytest.raises(TextError) as error:
            parse(text)
        assert error.value.wrong is wrong

    def test_without_usd_core_says_what_to_install(self, monkeypatch):
        monkeypatch.setattr("kinetree.formats.usd.source._is_installed", lambda: False)
        text = '#usda 1.0\n(\n)\ndef Xform "a" (references = @b.usda@)\n{\n}'
        robot, (finding,) = read(text, "a.usda")
        assert (robot, finding.code, finding.source.line) == (None, "usd-core", 4)
        assert finding.fix == "pip install 'kinetree[usd]'"
        assert read(b"PXR-USDC....", "a.usd")[1][0].code == "usd-core"
        assert read("nothing", "a.usda")[1][0].code == "usd-stage"
        assert read(b"#usda 1.0\n\xff", "a.usda")[1][0].source.line == 2

    def test_of_a_property_without_a_value_is_not_that_of_the_next(self):
        text = '#usda 1.0\ndef Xform "é"\n{\nfloat physics:mass\ncustom uniform double radius = 3\nrel physics:x\n}'
        ((path, _, _, values, targets, _, _),) = parse(text)[1]
        assert (path, values, targets) == ("/é", {"radius": 3.0}, {"physics:x": ()})

    def test_of_an_inactive_prim_does_not_count(self):
        text = '#usda 1.0\ndef Xform "a" (active = false)\n{\ndef Cube "b"\n{\n}\n}\nover "c"\n{\n}\nclass "d"\n{\n}\n'
        assert parse(text)[1] == []


ROD = """#usda 1.0
(
    defaultPrim = "rod"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "rod" (
    kind = "component"
)
{
    def Xform "a" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI", "PhysicsMassAPI", "NewtonMassAPI"]
    )
    {
        float physics:mass = 1
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (0, 0.5, 0.5)
        quatf physics:principalAxes = (1, 0, 0, 0)
        double[] newton:inertia = [0, 0.5, 0.5, 0, 0, 0]
        def Cube "collision_0" (
            prepend apiSchemas = ["PhysicsCollisionAPI"]
        )
        {
            double size = 1
            double3 xformOp:translate = (0, 0, 0)
            quatd xformOp:orient = (1, 0, 0, 0)
            double3 xformOp:scale = (1, 2, 3)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
            uniform token purpose = "guide"
        }
    }
}
"""


class TestWriting:
    def test_of_a_rod(self, tmp_path):
        mass = '<inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.5"/></inertial>'
        shape = '<collision><geometry><box size="1 2 3"/></geometry></collision>'
        kt.save(
            kt.load(f'<robot name="rod"><link name="a">{mass}{shape}</link></robot>', format="urdf"),
            tmp_path / "a.usda",
        )
        assert (tmp_path / "a.usda").read_text() == ROD


class TestTreesOfStages:
    BODY = 'def Xform "{}" (prepend apiSchemas = [{}])\n{{\nfloat physics:mass = 1\n{}\n}}\n'
    STAGE = (
        '#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = "Z"\ncustomLayerData = {{ dictionary a = {{ int b = 1 }} }}\n)\n{}'
    )

    def notes_of(self, *bodies):
        apis = '"PhysicsRigidBodyAPI", "PhysicsMassAPI"'
        text = self.STAGE.format("".join(self.BODY.format(name, apis + more, inner) for name, more, inner in bodies))
        robot, findings = read(text, "a.usda")
        return robot, [one.message for one in findings if one.code == "usd-free"]

    def test_bodies_that_nothing_holds_are_named(self):
        robot, (message,) = self.notes_of(("a", "", ""))
        assert message == "it is not held by the world; it becomes the root of the robot, as in URDF"
        assert robot.root == "a"
        robot, (message,) = self.notes_of(("a", "", ""), ("b", "", ""))
        assert message == "2 bodies are not held by the world: /a, /b; each gets a floating joint"
        assert robot.root == "world"

    def test_a_tree_grows_from_a_body_of_an_articulation_whatever_is_around_it(self):
        """A body comes before others if it, or a prim above it, is the root of an articulation."""
        joint = 'def PhysicsRevoluteJoint "j"\n{{\nrel physics:body0 = </{}>\nrel physics:body1 = </{}>\n}}\n'
        for inside in ("b", "g/b"):
            root = ', "PhysicsArticulationRootAPI"'
            body = self.BODY.format("b", f'"PhysicsRigidBodyAPI", "PhysicsMassAPI"{root}', "")
            text = body if inside == "b" else f'def Xform "g"\n{{\n{body}}}\n'
            text += self.BODY.format("a", '"PhysicsRigidBodyAPI", "PhysicsMassAPI"', "") + joint.format("a", inside)
            assert read(self.STAGE.format(text), "a.usda")[0].root == "b"


class TestTransforms:
    @each(
        "order, values, expected",
        [
            (["xformOp:rotateXYZ"], {"xformOp:rotateXYZ": (30, 40, 50)}, "zyx"),
            (["xformOp:rotateZYX"], {"xformOp:rotateZYX": (30, 40, 50)}, "xyz"),
        ],
    )
    def test_of_three_turns(self, order, values, expected):
        from scipy.spatial.transform import Rotation

        T = transform(order, {name: np.array(value, float) for name, value in values.items()})
        angles = dict(zip("xyz", (30, 40, 50), strict=True))
        wanted = Rotation.identity()
        for letter in expected:
            wanted = wanted * Rotation.from_euler(letter, angles[letter], degrees=True)
        assert T[:3, :3] == pytest.approx(wanted.as_matrix())

    def test_that_are_undone(self):
        pivot = {"xformOp:translate:pivot": np.array((1.0, 2.0, 3.0)), "xformOp:rotateZ": 90.0}
        T = transform(["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"], pivot)
        assert (T @ [1, 2, 3, 1]).tolist() == pytest.approx([1, 2, 3, 1])
        assert (T @ [2, 2, 3, 1]).tolist() == pytest.approx([1, 3, 3, 1])

    def test_of_one_axis(self):
        assert transform(["xformOp:translateY"], {"xformOp:translateY": 2.0})[:3, 3].tolist() == [0, 2, 0]
        assert np.diag(transform(["xformOp:scaleY"], {"xformOp:scaleY": 2.0})).tolist() == [1, 2, 1, 1]

    def test_that_begin_anew(self):
        order = ("xformOp:scaleX", "!resetXformStack!", "xformOp:translateX")
        moved = {"xformOp:translateX": 1.0, "xformOp:scaleX": 3.0}
        raw = [
            ("/a", "Xform", (), {**moved, "xformOpOrder": ("xformOp:translateX",)}, {}, "", 1),
            ("/a/b", "Xform", (), {**moved, "xformOpOrder": order}, {}, "", 2),
        ]
        made = stage_of("a.usda", {}, raw)
        T = Transforms(made).world(made.prims.get("/a/b"))
        assert (T[0, 0], T[0, 3]) == (1.0, 1.0)
        assert made.findings == []


def transform(order: list[str], values: dict[str, object]) -> np.ndarray:
    made = stage_of("a.usda", {}, [("/a", "Xform", (), {**values, "xformOpOrder": tuple(order)}, {}, "", 1)])
    return Transforms(made).world(made.prims.get("/a"))
