"""What the reader of OpenUSD says of joints, masses, shapes and transforms that it cannot read as they are."""

from __future__ import annotations

import sys
from math import inf

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.usd import read
from kinetree.formats.usd.prim import stage_of
from kinetree.formats.usd.transforms import Transforms, split
from usd_texts import TWO, body, codes, joint, moved, only_joint, robot_of, stage, the

FELT = '(prepend apiSchemas = ["PhysicsCollisionAPI"{}])'
SHEAR = "( (1, 0, 0, 0), (0.5, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )"
TETRAHEDRON = """point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
int[] faceVertexCounts = [3, 3, 3, 3]
int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"""


def mesh(lines: str, felt: str = FELT.format("")) -> str:
    return f'def Mesh "m" {felt}\n{{\n{lines}\n}}'


class TestJoints:
    def test_that_limit_a_distance_are_left_out(self):
        text = stage(*TWO, joint("Distance", "float physics:maxDistance = 1"), joint("Fixed", name="k"))
        found = the("usd-joint", text)
        assert (found.severity, found.element) == ("warning", "prim /j")
        assert found.message == "a PhysicsDistanceJoint only limits a distance; it is left out, and holds no body"
        assert [*robot_of(text).joints] == ["k"]

    @each("line, said", [("", 0), ("cone0", 1), ("cone1", 1), ("-1", 0)])
    def test_of_balls_may_have_a_cone_that_is_left_out(self, line, said):
        lines = {"cone0": "float physics:coneAngle0Limit = 0", "cone1": "float physics:coneAngle1Limit = 30"}
        text = stage(*TWO, joint("Spherical", lines.get(line, line and "float physics:coneAngle0Limit = -1")))
        assert codes(text).count("usd-joint") == said
        if said:
            message = "it limits a ball by a cone, which Kinetree does not; the ball is without limits"
            assert (the("usd-joint", text).message, the("usd-joint", text).severity) == (message, "warning")
        assert robot_of(text).joints["j"].type == "ball"

    @each("type, said", [("Spherical", True), ("", True), ("Revolute", False), ("Fixed", False)])
    def test_of_several_coordinates_that_are_turned_around_are_named(self, type, said):
        text = stage(*TWO, joint(type, ends=("/b", "/a")))
        assert ("usd-joint" in codes(text)) == said
        made = robot_of(text).joints["j"]
        assert (made.parent, made.child) == ("a", "b")
        if said:
            assert the("usd-joint", text).message.endswith("its coordinates are those of the joint turned around")
        assert "usd-joint" not in codes(stage(*TWO, joint(type)))

    @each(
        "type, targets, said",
        [
            ("Revolute", "</gone>", "</gone>"),
            ("Revolute", "[</lead>, </lead2>]", "</lead>"),
            ("Revolute", "[]", "no joint"),
            ("Revolute", "</ball>", "</ball>"),
            ("Spherical", "</lead>", "</lead>"),
            ("Revolute", "</lead>", ""),
        ],
    )
    def test_that_follow_need_a_leader_of_one_degree_of_freedom(self, type, targets, said):
        follower = joint(type, f"rel newton:mimicJoint = {targets}", 'apiSchemas = ["NewtonMimicAPI"]')
        others = [joint("Revolute", name=name, ends=("/b", f"/{name[0]}")) for name in ("c1", "d1")]
        others = [one.replace('"c1"', '"lead"').replace('"d1"', '"lead2"') for one in others]
        ball = joint("Spherical", name="ball", ends=("/b", "/e"))
        bodies = [body(name) for name in "cde"]
        robot, findings = read(stage(*TWO, *bodies, *others, ball, follower), "a.usda")
        errors = [finding for finding in findings if finding.severity == "error"]
        if said:
            (error,) = errors
            message = f"it follows {said}; expected that it and its leader are joints with one degree of freedom"
            assert (robot, error.code, error.element, error.message) == (None, "usd-joint", "prim /j", message)
        else:
            assert not errors
            assert robot.joints["j"].mimic == kt.model.robot.Mimic("lead", 1.0, 0.0)

    @each("enabled, leader", [("true", "lead"), ("false", None)])
    def test_follow_while_that_is_enabled(self, enabled, leader):
        lines = f"rel newton:mimicJoint = </lead>\nbool newton:mimicEnabled = {enabled}"
        text = joint("Revolute", lines, 'apiSchemas = ["NewtonMimicAPI"]', ends=("/b", "/c"))
        mimic = only_joint(body("c"), joint("Revolute", name="lead"), text).mimic
        assert (mimic and mimic.joint) == leader

    def test_that_slide_follow_by_lengths(self):
        lines = "rel newton:mimicJoint = </lead>\nfloat newton:mimicCoef0 = 5"
        text = joint("Prismatic", lines, 'apiSchemas = ["NewtonMimicAPI"]', ends=("/b", "/c"))
        head = 'metersPerUnit = 0.01\nupAxis = "Z"'
        robot = robot_of(stage(*TWO, body("c"), joint("Revolute", name="lead"), text, head=head))
        assert robot.joints["j"].mimic.offset == pytest.approx(0.05)

    def test_that_turn_and_follow_one_that_slides_are_not_written(self):
        limit = '<limit lower="0" upper="1" velocity="1" effort="1"/>'
        links = "".join(f'<link name="{name}"/>' for name in "abc")
        one = '<joint name="p" type="{}"><parent link="a"/><child link="b"/>' + limit + "</joint>"
        two = (
            '<joint name="q" type="revolute"><parent link="b"/><child link="c"/>' + limit + '<mimic joint="p"/></joint>'
        )
        said = []
        for type in ("prismatic", "revolute"):
            robot = kt.load(f'<robot name="r">{links}{one.format(type)}{two}</robot>', format="urdf")
            try:
                kt.text(robot, "usd")
            except kt.KinetreeError as error:
                said.append((type, str(error)))
        ((type, text),) = said
        assert type == "prismatic"
        assert (
            "joint 'q': USD cannot express a joint that turns and follows one that slides, or the other way round"
            in text
        )


class TestMasses:
    def test_that_are_not_finite_are_refused(self):
        text = stage(body("a", "float physics:mass = inf", ', "PhysicsMassAPI"'))
        found = the("usd-mass", text)
        assert (found.severity, found.element) == ("error", "prim /a")
        assert found.message == "physics:mass is inf; expected a finite number"

    @each("mass, unweighed", [("", "The volume of /a/m cannot be computed"), ("float physics:mass = 2\n", "")])
    def test_of_a_flat_hull_cannot_be_computed(self, mass, unweighed):
        """Only the hull is; and a mass that is given counts without a volume."""
        hull = 'uniform token physics:approximation = "{}"\n'
        flat = TETRAHEDRON.replace("(0, 0, 1)", "(1, 1, 0)")
        text = stage(body("a", mass + mesh(hull.format("convexHull") + flat), ', "PhysicsMassAPI"'))
        found = [one for one in read(text, "a.usda")[1] if one.code == "usd-mass" and one.severity == "warning"]
        assert found[0].message == "its volume cannot be computed: it is flat"
        assert found[0].element == "prim /a/m"
        link = robot_of(text).links["a"]
        assert link.unweighed == unweighed
        assert (link.inertial is None) == bool(unweighed)

    def test_of_planes_are_none(self):
        plane = f'def Plane "p" {FELT.format("")}\n{{\n}}\n'
        sphere = f'def Sphere "s" {FELT.format("")}\n{{\n}}\n'
        alone = robot_of(stage(body("a", plane))).links["a"]
        assert (alone.inertial, alone.unweighed, len(alone.collisions)) == (None, "", 1)
        both = robot_of(stage(body("a", plane + sphere))).links["a"]
        assert both.inertial.mass == pytest.approx(4000 / 3 * np.pi)

    def test_that_follow_from_shapes_are_told(self):
        text = stage(body("a", f'def Cube "c" {FELT.format("")}\n{{\n}}'))
        found = the("usd-mass", text)
        assert (found.severity, found.element) == ("info", "prim /a")
        assert found.message == "it has no mass; 8000 kg follow from the volume and density of what collides"

    @each(
        "shape, severity, message",
        [
            (True, "info", "it has a mass and no inertia, which follows from what collides"),
            (False, "warning", "it has a mass and no inertia, which is zero"),
        ],
    )
    def test_without_an_inertia_are_told(self, shape, severity, message):
        inside = "float physics:mass = 3\n" + (f'def Cube "c" {FELT.format("")}\n{{\n}}' if shape else "")
        text = stage(body("a", inside, ', "PhysicsMassAPI"'))
        found = the("usd-mass", text)
        assert (found.severity, found.message) == (severity, message)
        assert robot_of(text).links["a"].inertial.inertia[1, 1] == pytest.approx(2.0 if shape else 0.0)


class TestShapes:
    @each("axis, normal, size", [("X", (1, 0, 0), (3, 8)), ("Y", (0, 1, 0), (3, 8)), ("Z", (0, 0, 1), (3, 8))])
    def test_of_planes(self, axis, normal, size):
        lines = f'uniform token axis = "{axis}"\ndouble width = 3\ndouble length = 8'
        (made,) = robot_of(stage(body("a", f'def Plane "p"\n{{\n{lines}\n}}'))).links["a"].visuals
        assert (made.shape.kind, made.shape.parameters["normal"], made.shape.parameters["size"]) == (
            "plane",
            normal,
            size,
        )
        assert made.origin.tolist() == np.eye(4).tolist()

    def test_of_planes_have_two_units_by_default(self):
        text = stage(body("a", 'def Plane "p"\n{\n}'), head='metersPerUnit = 0.1\nupAxis = "Z"')
        (made,) = robot_of(text).links["a"].visuals
        assert made.shape.parameters["size"] == pytest.approx((0.2, 0.2))

    def test_that_are_sheared_are_left_out(self):
        lines = f'matrix4d xformOp:transform = {SHEAR}\nuniform token[] xformOpOrder = ["xformOp:transform"]'
        text = stage(body("a", f'def Cube "c"\n{{\n{lines}\n}}\ndef Cube "d"\n{{\n}}'))
        found = the("usd-shape", text)
        assert (found.severity, found.element) == ("warning", "prim /a/c")
        assert found.message == "its transform shears it, or is not finite; the shape is left out"
        assert found.fix == "put the scale onto the shape itself, below all rotations"
        assert [one.name for one in robot_of(text).links["a"].visuals] == ["d"]

    @each(
        "type, line",
        [("Cube", "double size = inf"), ("Sphere", "double radius = inf"), ("Cone", "double height = inf")],
    )
    def test_of_no_finite_size_are_left_out(self, type, line):
        text = stage(body("a", f'def {type} "c"\n{{\n{line}\n}}'))
        assert the("usd-shape", text).message == "its size is not finite; the shape is left out"
        assert robot_of(text).links["a"].visuals == ()

    @each("axis", ["", "XY", "x", "W"])
    def test_along_no_axis_are_left_out(self, axis):
        text = stage(body("a", f'def Cylinder "c"\n{{\nuniform token axis = "{axis}"\n}}'))
        assert robot_of(text).links["a"].visuals == ()

    @each(
        "old, new",
        [
            ("(0, 0, 1)]", "(0, 0, inf)]"),
            ("[3, 3, 3, 3]", "3"),
            ("(0, 0, 1)]", "(0, 0, 1), (1, 1)]"),
            ("[3, 3, 3, 3]", "[3, 3, 3, 4]"),
            ("[3, 3, 3, 3]", "[3, 3, 3, -3, 6]"),
            ("[0, 2, 1", "[0, 2, 4"),
            ("[0, 2, 1", "[0, 2, -1"),
            ("int[] faceVertexIndices", "int[] faces"),
        ],
    )
    def test_of_points_and_faces_that_make_no_mesh_are_left_out(self, old, new):
        assert old in TETRAHEDRON
        for lines in (TETRAHEDRON, TETRAHEDRON.replace(old, new)):
            text = stage(body("a", mesh(lines, "")))
            found = [one for one in read(text, "a.usda")[1] if one.code == "usd-shape"]
            assert len(found) == (lines != TETRAHEDRON)
        assert found[0].message == "its points and faces are no mesh; the shape is left out"

    def test_of_left_handed_meshes_have_their_faces_turned(self):
        for line, scale in (
            ("", "(1, 1, 1)"),
            ('uniform token orientation = "leftHanded"\n', "(1, 1, 1)"),
            ("", "(-1, -1, -1)"),
            ('uniform token orientation = "leftHanded"\n', "(-1, -1, -1)"),
        ):
            left = "left" in line
            order = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
            given = [*np.reshape(order, (4, 3))[:, ::-1].flat] if left else order
            lines = TETRAHEDRON.replace(str(order), str([int(i) for i in given]))
            link = robot_of(stage(body("a", mesh(line + moved("scale", scale) + "\n" + lines)))).links["a"]
            assert link.inertial.mass == pytest.approx(1000 / 6)
            assert link.inertial.origin[:3, 3] == pytest.approx([0.25 if scale[1] == "1" else -0.25] * 3)

    def test_that_belong_to_no_body_are_left_out(self):
        loose = [f'def Cube "c{i}"\n{{\n}}' for i in range(6)]
        hidden = 'def Cube "h"\n{\nuniform token purpose = "guide"\n}'
        found = the("left-out", stage(body("a"), *loose, hidden))
        assert found.severity == "info"
        assert found.message == "shapes that belong to no body are left out: /c0, /c1, /c2, /c3, /c4 and 1 more"


class TestTransforms:
    @each(
        "kind, value",
        [
            ("translate", 1.0),
            ("translate", np.array((inf, 0, 0))),
            ("rotateXYZ", np.array((1.0, 2.0))),
            ("rotateW", 30.0),
            ("turn", 30.0),
            ("scale", "large"),
            ("orient", np.arange(3.0)),
            ("transform", np.arange(15.0)),
        ],
    )
    def test_without_a_value_that_fits_are_left_out(self, kind, value):
        for name in (f"xformOp:{kind}", f"!invert!xformOp:{kind}"):
            values = {f"xformOp:{kind}": value, "xformOp:scale:x": np.array((2.0, 2.0, 2.0))}
            values["xformOpOrder"] = (name, "xformOp:scale:x")
            made = stage_of("a.usda", {}, [("/a", "Xform", (), values, {}, "", 1)])
            assert np.diag(Transforms(made).world(made.prims["/a"])).tolist() == [2, 2, 2, 1]
            (found,) = made.findings
            assert (found.code, found.severity, found.element) == ("usd-transform", "warning", "prim /a")
            assert (
                found.message == f"its operation {name!r} has no value at the default time that fits it; it is left out"
            )

    def test_with_axes_in_a_plane_have_no_rotation(self):
        R, scales, whole = split(np.diag([1.0, 2.0, 0.0, 1.0]))
        assert (R.tolist(), scales.tolist(), whole) == (np.eye(3).tolist(), [1, 2, 0], False)
        assert split(np.diag([1.0, 2.0, 1e-11, 1.0]))[2] is True
        assert split(np.diag([1.0, inf, 1.0, 1.0]))[2] is False

    def test_of_bodies_that_are_sheared_are_refused(self):
        lines = f'matrix4d xformOp:transform = {SHEAR}\nuniform token[] xformOpOrder = ["xformOp:transform"]'
        robot, findings = read(stage(body("a", lines)), "a.usda")
        (error,) = (one for one in findings if one.severity == "error")
        assert (robot, error.code, error.element) == (None, "usd-scaled", "prim /a")
        assert error.message == "its transform is sheared, or not finite"
        assert error.fix == "apply the scale to the shapes, and leave it out of the body"


class TestBounds:
    def test_of_bodies_and_joints_together(self, monkeypatch):
        text = stage(*TWO, joint("Revolute"))
        reader = sys.modules["kinetree.formats.usd.read"]
        monkeypatch.setattr(reader, "MAX_PARTS", 3)
        assert read(text, "a.usda")[0] is not None
        monkeypatch.setattr(reader, "MAX_PARTS", 2)
        robot, (finding,) = read(text, "a.usda")
        assert (robot, finding.code, finding.severity) == (None, "usd-stage", "error")
        assert finding.message == "it has 3 bodies and joints; at most 2 are read"


def test_names_that_are_alike_are_told_apart_when_written():
    names = ("a b", "a-b", "a_b", "2")
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="a b"/><child link="{name}"/></joint>'
        for i, name in enumerate(names[1:])
    )
    text = kt.text(kt.load(f'<robot name="r">{links}{joints}</robot>', format="urdf"), "usd")
    for name in ("a_b", "a_b_2", "a_b_3", "_2"):
        assert text.count(f'def Xform "{name}" (') == 1
    assert {*robot_of(text).links} == {*names}


class TestUnits:
    """In centimetres and grams: a density in g/cm³, moments in g cm², forces in g cm/s²."""

    HEAD = 'metersPerUnit = 0.01\nkilogramsPerUnit = 0.001\nupAxis = "Z"'
    CUBE = 'def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"{}])\n{{\ndouble size = 20\n{}\n}}'

    def load(self, *prims):
        return robot_of(stage(*prims, head=self.HEAD))

    @each("place", ["shape", "body", "material", "nowhere"])
    def test_of_densities(self, place):
        line, api = "float physics:density = 2.5", ', "PhysicsMassAPI"'
        material = f'def Material "m"\n{{\n{line}\n}}'
        inside = {"shape": line, "material": "rel material:binding = </m>"}.get(place, "")
        cube = self.CUBE.format(api if place == "shape" else "", inside)
        body_a = body("a", (f"{line}\n" if place == "body" else "") + cube, api if place == "body" else "")
        inertial = self.load(material, body_a).links["a"].inertial
        assert inertial.mass == pytest.approx(8.0 if place == "nowhere" else 20.0)
        assert inertial.inertia == pytest.approx(np.eye(3) * inertial.mass * 0.04 / 6)

    def test_of_masses_of_shapes_and_full_inertias(self):
        cube = self.CUBE.format(', "PhysicsMassAPI"', "float physics:mass = 500")
        assert self.load(body("a", cube)).links["a"].inertial.mass == pytest.approx(0.5)
        given = "float physics:mass = 3000\ndouble[] newton:inertia = [1e7, 2e7, 2.5e7, 1e6, 0, 2e6]"
        inertial = self.load(body("a", given, ', "NewtonMassAPI"')).links["a"].inertial
        assert inertial.mass == pytest.approx(3.0)
        assert inertial.inertia == pytest.approx(np.array([[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]]))

    @each(
        "type, drive, effort, unit, armature",
        [("Revolute", "angular", 1e-7, np.pi / 180, 1e-7), ("Prismatic", "linear", 1e-5, 0.01, 1e-3)],
    )
    def test_of_dynamics(self, type, drive, effort, unit, armature):
        names = {"maxForce": 3e8, "stiffness": 4e5, "damping": 5e5, "targetPosition": 6.0}
        lines = [f"float drive:{drive}:physics:{name} = {x}" for name, x in names.items()]
        lines += ["bool kinetree:spring = true", "float newton:friction = 7e7", "float newton:armature = 8e6"]
        lines += ["float newton:velocityLimit = 9", "float physics:lowerLimit = -10", "float physics:upperLimit = 11"]
        lines.append("float newton:damping = 1e5")
        made = self.load(*TWO, joint(type, "\n".join(lines))).joints["j"]
        (row,), (limit,) = made.dynamics, made.limits
        assert (row.damping, row.stiffness) == pytest.approx((6e5 * effort / unit, 4e5 * effort / unit))
        assert (row.reference, row.friction, row.armature) == pytest.approx((6 * unit, 7e7 * effort, 8e6 * armature))
        found = (limit.lower, limit.upper, limit.velocity, limit.effort)
        assert found == pytest.approx((-10 * unit, 11 * unit, 9 * unit, 3e8 * effort))

    def test_of_shapes_and_frames(self):
        tip = f'def Xform "tip"\n{{\n{moved("translate", "(100, 200, 300)")}\n}}\n'
        shape = f'def Capsule "s"\n{{\ndouble radius = 10\ndouble height = 50\n{moved("translate", "(1, 2, 3)")}\n}}\n'
        robot = self.load(body("a", tip + shape))
        assert robot.frames["tip"].origin[:3, 3] == pytest.approx([1, 2, 3])
        (seen,) = robot.links["a"].visuals
        assert seen.origin[:3, 3] == pytest.approx([0.01, 0.02, 0.03])
        assert (seen.shape.parameters["radius"], seen.shape.parameters["length"]) == pytest.approx((0.1, 0.5))


@each("face", range(5))
def test_a_mesh_with_a_gap_anywhere_is_a_guess(face):
    """Face 4 is none, so that nothing is taken away."""
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    left = [corner for i, one in enumerate(faces) if i != face for corner in one]
    lines = TETRAHEDRON.partition("int[] faceVertexCounts")[0]
    lines += f"int[] faceVertexCounts = {[3] * (len(left) // 3)}\nint[] faceVertexIndices = {left}"
    said = [one.message for one in read(stage(body("a", mesh(lines))), "a.usda")[1] if one.severity == "warning"]
    assert said == ["its faces do not close, so that its volume is a guess"] * (face < 4)
