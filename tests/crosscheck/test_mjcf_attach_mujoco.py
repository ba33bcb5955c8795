"""<attach> and <replicate> against MuJoCo: names, poses, masses, also of what is written."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetree as kt
from formats.test_mjcf_attach import CHILD, TEXT

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck
CHILD = (
    CHILD.replace('<asset><mesh file="m.stl"/></asset>', "").replace("<equality>", "<!--").replace("</equality>", "-->")
)
BODIES = {
    "body": '<attach model="c" body="b" prefix="x_"/>',
    "turned": '<frame pos="0 0 7" euler="90 10 0"><attach model="c" body="q" prefix="x_"/></frame>',
    "frame": '<body name="z"><geom/><attach model="c" frame="fr" prefix="x_"/></body>',
    "world": '<body name="z" pos="1 2 3"><geom/><attach model="c" prefix="x_"/></body>',
    "world as body": '<body name="z" pos="1 2 3"><geom/><attach model="c" body="world" prefix="x_"/></body>',
    "twice": '<attach model="c" body="p" prefix="x_"/>'
    '<frame pos="0 1 0"><attach model="c" body="p" prefix="y_"/></frame>',
    "itself": '<body name="z" pos="0 1 0"><joint name="jz"/><geom/></body><attach body="z" prefix="y_"/>',
    "replicas": '<replicate count="3" offset="1 0 0" euler="10 20 30" sep="-">'
    '<body name="z" pos="0 1 0"><joint name="jz"/><geom/>'
    '<frame pos="1 0 0"><attach model="c" body="b" prefix="u_"/></frame></body></replicate>',
}


def worst(robot: kt.Robot, model: mujoco.MjModel) -> float:
    bodies = [model.body(i).name for i in range(model.nbody)]
    assert list(robot.links) == bodies
    assert list(robot.joint_names) == [model.joint(i).name for i in range(model.njnt)]
    data = mujoco.MjData(model)
    data.qpos[:] = np.random.default_rng(0).uniform(-1, 1, model.nq)
    mujoco.mj_kinematics(model, data)
    found = [
        np.abs(T[:3] - np.c_[data.body(b).xmat.reshape(3, 3), data.body(b).xpos]).max()
        for T, b in zip(kt.fk(robot, bodies)(data.qpos), bodies, strict=True)
    ]
    masses = [link.inertial.mass if link.inertial else 0 for link in robot.links.values()]
    assert_allclose(masses, model.body_mass, rtol=1e-6)
    return max(found)


@pytest.mark.parametrize("name", BODIES)
def test_mujoco_attaches_the_same(name, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.xml").write_text(
        CHILD.replace('type="plane" size="1 1 1"', 'size="1"') if "world" in name else CHILD
    )
    file = tmp_path / "m.xml"
    file.write_text(TEXT.format(body=BODIES[name], more=""))
    model, robot = mujoco.MjModel.from_xml_path(str(file)), kt.load(file)
    assert worst(robot, model) < 1e-12
    edited = kt.edit.rename(robot, joints={robot.joint_names[0]: "renamed"})
    again = mujoco.MjModel.from_xml_string(kt.text(edited, "mjcf"))
    assert (again.nq, again.nu, again.nsensor, again.ntendon) == (model.nq, model.nu, model.nsensor, model.ntendon)
    assert_allclose(again.body_mass, model.body_mass, rtol=1e-6)
    assert_allclose(again.actuator_gear, model.actuator_gear)


OPTIONS = [
    *("", 'timestep="0.003"', 'timestep="0.001"', 'gravity="0 0 -1"', 'gravity="0 0 -2"', 'iterations="7"'),
    *('iterations="9" tolerance="1e-4"', 'solver="CG"', '><flag contact="disable"/', '><flag energy="enable"/'),
]


@pytest.mark.parametrize("conflict", ["warning", "merge", "error"])
def test_options_of_attached_models_are_those_of_the_compiled_model(conflict, tmp_path):
    file = tmp_path / "m.xml"
    for own, theirs in itertools.product(OPTIONS, OPTIONS):
        body = '<worldbody><body name="b"><joint/><geom size="1"/></body></worldbody>'
        (tmp_path / "c.xml").write_text(f'<mujoco model="c">{option(theirs)}{body}</mujoco>')
        attached = '<asset><model name="c" file="c.xml"/></asset><worldbody><attach model="c" prefix="x_"/></worldbody>'
        file.write_text(f'<mujoco><compiler conflict="{conflict}"/>{option(own)}{attached}</mujoco>')
        try:
            theirs_made = compiled(file)
        except ValueError:
            with pytest.raises(kt.KinetreeError, match="; conflict="):
                kt.load(file)
            continue
        kt.save(kt.load(file), tmp_path / "o.xml")
        made = compiled(tmp_path / "o.xml")
        for name in ("timestep", "gravity", "iterations", "tolerance", "solver", "disableflags", "enableflags"):
            assert np.array_equal(getattr(made.opt, name), getattr(theirs_made.opt, name)), (own, theirs, name)


def option(text):
    return f"<option>{text[1:]}></option>" if text[:1] == ">" else f"<option {text}/>" if text else ""


def compiled(file):
    return mujoco.MjModel.from_xml_path(str(file))
