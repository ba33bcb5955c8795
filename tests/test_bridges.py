"""Bodies and maps of the bridges without a library, scenes of trimesh, and errors."""

from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree.bridges.bodies import along_coordinates, bodies_of, refusals
from kinetree.bridges.kernels import batch_of, kernel_of, steps_of
from kinetree.bridges.maps import SAME, Chart, Place, maps_of
from kinetree.bridges.trimesh import export
from kinetree.compiler.port import Port
from kinetree.errors import wrong_type
from kinetree.model.joints import JOINT_TYPES
from kinetree.spatial import se3
from physics import everything
from support import all_frames, icub_urdfs, random_q

XYZ = [(0, "x"), (1, "y"), (2, "z")]
LIKE_HERE = Chart(lambda q: q, lambda q: q)
"""Of joints of several numbers."""


@pytest.mark.parametrize("turned", [(), ("revolute", "prismatic")])
def test_bodies_move_as_the_robot_does(turned):
    robot, q = everything(), random_q(everything(), np.random.default_rng(0))
    bodies, frames = along_coordinates(*bodies_of(robot, "nobody", JOINT_TYPES), turned)
    kinds = [JOINT_TYPES[body.kind] for body in bodies]
    at, v = (np.cumsum([0, *(getattr(kind, n) for kind in kinds)]) for n in ("nq", "nv"))
    places = [
        Place(body, SAME if kinds[i].nq == 1 else LIKE_HERE, slice(at[i], at[i + 1]), slice(v[i], v[i + 1]))
        for i, body in enumerate(bodies)
    ]
    maps = maps_of(robot, places, dict.fromkeys(frames))
    there = maps.q(q)
    T = {-1: np.eye(4)}
    for i, (body, kind) in enumerate(zip(bodies, kinds, strict=True)):
        assert body.kind not in turned or np.count_nonzero(body.axis) == 1
        T[i] = T[body.parent] @ body.T @ kind.transform(body.axis[None], body.pitch, there[places[i].q])
    for name, expected in all_frames(robot, q).items():
        body, T_body_frame = frames[name]
        np.testing.assert_allclose(T[body] @ T_body_frame, expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(maps.q_back(there), q)
    single = [place for place in places if place.chart is SAME]
    for place in single:  # dq there / dq here is a row of G
        rates = [maps.q(q + 0.5 * e)[place.q] - maps.q(q - 0.5 * e)[place.q] for e in np.eye(robot.nq)]
        assert maps.G()[place.v, place.body.v].item() == pytest.approx(rates[place.body.q.start].item(), abs=1e-14)
    np.testing.assert_array_equal(maps.v_back(maps.v(np.arange(robot.nv))), np.arange(robot.nv))


@pytest.mark.slow
def test_a_scene_has_the_meshes_of_the_links_in_their_places():
    trimesh = pytest.importorskip("trimesh")
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_7")
    robot = kt.load(path)
    q = random_q(robot, np.random.default_rng(7))
    scene, _ = export(robot, q)
    T = all_frames(robot, q)
    drawn = [link for link in robot.links.values() if link.visuals]
    assert len(scene.geometry) == sum(len(link.visuals) for link in drawn) > 30
    for link in drawn[::8]:
        shape, origin = link.visuals[0].shape, link.visuals[0].origin
        folder = path.parents[2].parent
        mesh = trimesh.load_mesh(folder / str(shape.parameters["filename"]).removeprefix("package://"))
        mesh.apply_scale(shape.parameters["scale"]).apply_transform(T[link.name] @ origin)
        pose, name = scene.graph.get(f"{link.name}_visual")
        there = scene.geometry[name].copy().apply_transform(pose)
        np.testing.assert_allclose(there.bounds, mesh.bounds, rtol=0, atol=1e-9)


def test_a_mesh_that_is_missing_is_named():
    visual = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    text = f'<robot name="r"><link name="a">{visual}</link></robot>'
    with pytest.warns(UserWarning, match=r"link 'a': the mesh 'gone.stl' is not shown"):
        export(kt.load(text, format="urdf"))
    with pytest.raises(kt.KinetreeError, match="q"):
        export(kt.load("icub"), np.zeros((2, 35)))


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    monkeypatch.delitem(sys.modules, "kinetree.bridges.casadi", raising=False)
    with pytest.raises(
        kt.KinetreeError, match=r"needs casadi, which is not installed.*\s+fix: pip install 'kinetree\[casadi\]'"
    ):
        import_module("kinetree.bridges.casadi")


ARM = """<robot name="arm"><link name="base"/>
<link name="a"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link>
<link name="b"><inertial><origin xyz="0 0.1 0"/><mass value="3"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"/><link name="tool"/>
<joint name="turn" type="revolute"><origin xyz="0 0 1" rpy="0.3 0 0"/><parent link="base"/><child link="a"/>
  <axis xyz="0.6 0 0.8"/><limit lower="-1" upper="2" velocity="3" effort="4"/>
  <dynamics damping="5" friction="6"/></joint>
<joint name="slide" type="prismatic"><origin xyz="0.5 0 0"/><parent link="a"/><child link="b"/><axis xyz="-1 0 0"/>
  <limit lower="0" upper="0.5" velocity="3" effort="4"/></joint>
<joint name="follow" type="continuous"><origin xyz="0 0.5 0"/><parent link="a"/><child link="c"/><axis xyz="0 1 0"/>
  <mimic joint="turn" multiplier="-2" offset="0.1"/></joint>
<joint name="end" type="fixed"><origin xyz="0 0 0.2" rpy="1 0 0"/><parent link="c"/><child link="tool"/></joint>
</robot>"""


class Toolbox:
    """Stands in for the Robotics Toolbox: it keeps links, and numbers their joints from the last to the first."""

    class Link:
        def __init__(self, ets, name, joint_name=None, parent=None, **numbers):
            self.ets, self.name, self.joint_name, self.parent, self.numbers = ets, name, joint_name, parent, numbers
            self.jindex = None

        def T(self, q):
            """Its pose in the root."""
            T = self.parent.T(q) if self.parent else np.eye(4)
            for part in self.ets:
                T = T @ (part(q[self.jindex]) if callable(part) else part)
            return T

    class Robot:
        def __init__(self, links, name):
            self.links, self.name = {link.name: link for link in links}, name
            assert len(self.links) == len(links)
            for i, link in enumerate(reversed([link for link in links if link.joint_name])):
                link.jindex = i

    ETS = staticmethod(lambda parts=(): parts if isinstance(parts, list | tuple) else [parts])
    ET = SimpleNamespace(
        SE3=lambda T: T,
        **{
            f"R{name}": lambda k=k: lambda q: se3.homogeneous(se3.turn(np.eye(3)[k], q), np.zeros(3)) for k, name in XYZ
        },
        **{f"t{name}": lambda k=k: lambda q: se3.homogeneous(np.eye(3), q * np.eye(3)[k]) for k, name in XYZ},
    )


def test_links_of_the_robotics_toolbox(monkeypatch):
    monkeypatch.setitem(sys.modules, "roboticstoolbox", Toolbox)
    monkeypatch.delitem(sys.modules, "kinetree.bridges.roboticstoolbox", raising=False)
    robot = kt.load(ARM, format="urdf")
    model, maps = import_module("kinetree.bridges.roboticstoolbox").export(robot)
    sys.modules.pop("kinetree.bridges.roboticstoolbox")
    assert model.name == "arm"
    assert {name: (link.joint_name, link.jindex) for name, link in model.links.items()} == {
        "base": (None, None),
        "turn_body": ("turn", 2),  # whose axes are others than those of the link
        "slide_body": ("slide", 1),
        "c": ("follow", 0),
        "a": (None, None),
        "b": (None, None),
        "tool": (None, None),
    }
    q = np.array([0.7, 0.3])
    there = maps.q(q)
    np.testing.assert_allclose(there, [0.1 - 1.4, 0.3, 0.7], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(maps.v([1.0, 2.0]), [-2.0, 2.0, 1.0])
    for name, T in all_frames(robot, q).items():
        np.testing.assert_allclose(model.links[maps.frames[name]].T(there), T, rtol=0, atol=1e-15)
    numbers = {name: link.numbers for name, link in model.links.items() if link.joint_name}
    plain = {key: numbers["turn_body"][key] for key in ("m", "Jm", "B", "Tc", "qlim")}
    assert plain == {"m": 2.0, "Jm": 0.0, "B": 5.0, "Tc": [6.0, -6.0], "qlim": [-1.0, 2.0]}
    assert (numbers["slide_body"]["m"], numbers["slide_body"]["qlim"]) == (3.0, [0.0, 0.5])
    assert (numbers["c"]["m"], numbers["c"]["qlim"]) == (0.0, [-np.inf, np.inf])
    masses = {name: se3.homogeneous(np.eye(3), x["r"]) for name, x in numbers.items()}
    center = sum(numbers[n]["m"] * (model.links[n].T(there) @ T)[:3, 3] for n, T in masses.items()) / 5.0
    np.testing.assert_allclose(center, kt.center_of_mass(robot).interpret(q), rtol=0, atol=1e-15)
    R = model.links["turn_body"].T(there)[:3, :3]
    R_link = all_frames(robot, q)["a"][:3, :3] @ robot.links["a"].inertial.origin[:3, :3]
    expected = R_link @ robot.links["a"].inertial.inertia @ R_link.T
    np.testing.assert_allclose(R @ numbers["turn_body"]["I"] @ R.T, expected, rtol=0, atol=1e-15)


def test_what_a_library_does_not_take_is_named_joint_by_joint():
    sprung = '<joint name="j" type="hinge" stiffness="1"/><joint name="k" type="slide" axis="1 0 0"/>'
    ball = '<joint name="ball" type="ball"/>'
    text = f'<mujoco><worldbody><body name="a">{sprung}<geom size="1"/><body name="b">{ball}<geom size="1"/></body>'
    robot = kt.load(f"{text}</body></worldbody></mujoco>", format="mjcf")
    with pytest.raises(kt.KinetreeError) as caught:
        bodies_of(robot, "nobody", ("continuous",))
    found = [(f.code, f.element, f.message, f.fix) for f in caught.value.findings]
    assert sorted(found) == [
        ("bridge", "joint 'ball'", "it is a ball joint, which nobody does not take", "expected one of continuous"),
        (
            *("bridge", "joint 'j'", "it has a spring, which nobody does not take"),
            "load the robot with without=['dynamics']",
        ),
        ("bridge", "joint 'k'", "it is a prismatic joint, which nobody does not take", "expected one of continuous"),
    ]
    kinds = ("continuous", "prismatic", "ball")
    assert len(bodies_of(robot, "nobody", kinds, springs=True)[0]) == 3


def test_a_scene_has_frames_and_shapes_below_their_links():
    visual = '<visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="m">'
    visual += '<color rgba="1 0.5 0 0.25"/></material></visual>'
    robot = kt.load(
        f'<robot name="r"><link name="a"/><link name="b">{visual}</link><link name="c">{visual}</link>'
        '<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.5 0 0" rpy="0 0 1"/>'
        '<axis xyz="0 1 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>'
        '<joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0 0 2"/></joint></robot>',
        format="urdf",
    )
    scene, maps = export(robot, [0.25])
    assert (maps.nq, repr(maps)) == (0, f"Maps(nq 1 ↔ 0, nv 1 ↔ 0, {len(robot.frames)} frames)")
    T = all_frames(robot, np.array([0.25]))
    assert {*scene.graph.nodes} == {*robot.frames, "b_visual", "c_visual"}
    for name in ("b", "c"):
        np.testing.assert_allclose(scene.graph.get(name)[0], T[name], atol=1e-15)
        pose, geometry = scene.graph.get(f"{name}_visual")
        np.testing.assert_allclose(pose, T[name] @ se3.translation([0, 0, 1]), atol=1e-15)
        assert scene.geometry[geometry].extents.tolist() == [1, 2, 3]
        assert scene.geometry[geometry].visual.face_colors[0].tolist() == [255, 128, 0, 64]
    assert scene.graph.transforms.parents["b_visual"] == "b"
    assert (scene.graph.transforms.parents["c"], scene.graph.transforms.parents["b"]) == ("b", "a")


@pytest.mark.parametrize("error", [ValueError("no\n  mass"), RuntimeError("no mass"), TypeError("no mass")])
def test_what_a_library_refuses_has_its_name(error):
    with pytest.raises(kt.KinetreeError) as raised, refusals("drake"):
        raise error
    (finding,) = raised.value.findings
    assert (finding.code, finding.message) == ("bridge", "drake does not take this robot: no mass")
    own = wrong_type("wrap", "no kernel")
    with pytest.raises(kt.KinetreeError) as raised, refusals("drake"):
        raise own
    assert raised.value is own


def test_what_is_no_kernel_cannot_be_wrapped():
    said = "a int cannot be wrapped; expected kernels, such as kt.fk(robot, frame)"
    for function, more in ((kernel_of, ", and kt.ik"), (lambda given: steps_of(given, "casadi"), "")):
        with pytest.raises(kt.KinetreeError) as error:
            function(5)
        assert error.value.findings[0].message == said + more


def test_batches_of_arguments():
    """Of a kernel of q (…, 2) and qd (…, 2)."""
    kernel = SimpleNamespace(name="rates", inputs=[Port("q", (2,), (), ""), Port("qd", (2,), (), "")])
    assert batch_of(kernel, [(5, 1, 2), (4, 2)]) == (5, 4)
    assert batch_of(kernel, [(2,), (2,)]) == ()
    for shapes, message in (
        ([(2,)], "rates takes q, qd, not 1 arrays"),
        ([(2,), (5, 3)], "qd has shape (5, 3); expected (…, 2)"),
        ([(), (2,)], "q has shape (); expected (…, 2)"),
        ([(5, 2), (4, 2)], "the axes in front are (5,), (4,); expected the same, of length 1 or left out"),
    ):
        with pytest.raises(kt.KinetreeError) as error:
            batch_of(kernel, shapes)
        assert error.value.findings[0].message.endswith(message)
