"""The public names: all there, each from one place, and what computes is imported when somebody asks for it."""

import ast
import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kinetree as kt
import mesh_files
from each import each

MOST = 45
HELD = {
    kt.Kernel: "c_source compile fused inputs interpret name operations output outputs program",
    kt.IKResult: "active_limits cost iterations q residual success touching why",
    kt.kinematics.IKStep: "active_limits q residual stuck success",
    kt.kinematics.IK: "contact coordinate_names derivatives follow goals limits reachable solutions step",
    kt.limits.Guard: "brakes dtype joints kernel limit_names",
    kt.limits.Limits: "G blocks clip_step clip_velocity contains coordinate_names forbidden_share h impossible lower "
    "margin names project quaternions row_names sample turning upper volume",
    kt.Robot: "actuators child_joints coordinate_names coupled_limits doubts extensions frames groups header "
    "joint_names joints joints_to limits links loops materials name notes nq nv order parent_joint placed "
    "places q q_slices root semantic sensors source text velocity_names zero",
}
"""What users find on the objects that they hold."""


def run(program: str) -> str:
    """Return what a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_names_are_those_of_the_page():
    listed = re.findall(r"^    (\w+)  +\S", kt.__doc__, re.MULTILINE)
    assert sorted(listed) == sorted(kt.__all__) == sorted(set(dir(kt)) - {"__version__"})
    assert len(listed) <= MOST
    for name in listed:
        thing = getattr(kt, name)
        assert (inspect.getdoc(thing) or "").strip(), name
        is_module = re.search(rf"^    {name} +module: ", kt.__doc__, re.MULTILINE) is not None
        assert inspect.ismodule(thing) == is_module, name


def test_type_checkers_see_them():
    """They read the file, not what `__getattr__` gives; an import under the same name again is one for others."""
    top = ast.parse(Path(kt.__file__).read_text()).body
    (checking,) = [node.body for node in top if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imported = [alias for node in [*top, *checking] if isinstance(node, ast.ImportFrom) for alias in node.names]
    seen = {alias.name for alias in imported if alias.asname == alias.name}
    seen |= {ast.unparse(node.target) for node in checking if isinstance(node, ast.AnnAssign)}
    assert seen == set(kt.__all__)
    assert Path(kt.__file__).with_name("py.typed").exists()


def test_help_shows_them():
    text = pydoc.render_doc(kt, renderer=pydoc.plaintext)
    assert text.index("load            read a robot") < text.index("calibrate       compare a model")
    assert re.search(r"^    fk\(\s*robot", text, re.MULTILINE)  # since 3.13 long signatures have several lines


@pytest.mark.slow
def test_objects_show_what_is_for_their_users():
    icub = kt.load("icub")
    solver = kt.ik(icub, "l_hand")
    fk, limits, guard = kt.fk(icub, "l_hand"), icub.limits, kt.guard(icub, "left_arm")
    step = solver.step(icub.q(), fk(icub.q()), dt=0.1)
    things = {type(x): x for x in (icub, solver, fk, limits, guard, solver(fk(icub.q())), step)}
    assert set(things) == set(HELD)
    for kind, thing in things.items():
        assert " ".join(name for name in dir(thing) if not name.startswith("_")) == HELD[kind]
        assert len(repr(thing)) < 20_000
        assert pydoc.render_doc(thing)


@each("name", ["dynamics", "edit", "goal", "icub", "kinematics", "limits", "motion"])
def test_modules_have_public_names_alone(name):
    module = getattr(kt, name)
    public = {key: getattr(module, key) for key in dir(module) if key.isidentifier() and not key.startswith("_")}
    assert public
    for key, value in public.items():
        assert callable(value), key
        assert inspect.getdoc(value), key


@pytest.mark.slow
@pytest.mark.nightly
def test_a_name_is_the_same_whatever_was_imported_before():
    """Modules of the package do not take the place of names."""
    every = "import importlib, pkgutil, kinetree as kt\n"
    every += "for module in pkgutil.walk_packages(kt.__path__, 'kinetree.'):\n"
    every += (
        "    module.name.endswith(('__main__', '.torch', '.jax', '.xla')) or importlib.import_module(module.name)\n"
    )
    say = "import kinetree as kt\n"
    say += "for name in sorted(kt.__all__): print(name, str(getattr(kt, name)).partition(' at 0x')[0])\n"
    assert run(every + say) == run(say)
    assert run(say + every + say) == 2 * run(say)


@pytest.mark.slow
def test_what_is_asked_for_is_imported_and_no_more():
    program = "import sys, kinetree as kt; kt.{}; print(*sys.modules)"
    computing = {"kinetree.compiler", "kinetree.queries", "kinetree.solvers", "scipy", "llvmlite"}
    assert not computing & set(run(program.format("load")).split())
    ik = set(run(program.format("ik")).split())
    assert "kinetree.solvers.ik.make" in ik
    others = ("calibrate", "compare", "limits.widen", "limits.reach", "guard")
    assert not [name for name in ik for other in others if name.startswith(f"kinetree.solvers.{other}")]
    assert "kinetree.solvers" not in set(run(program.format("fk")).split())


def test_modules_are_there_too_and_no_others():
    assert kt.solvers.ik.make.ik is kt.ik
    for name in ("nosuch", "__nosuch__"):
        with pytest.raises(AttributeError, match="module 'kinetree' has no attribute"):
            getattr(kt, name)


def test_controllers_have_what_a_robot_shows():
    shown = {name for name in dir(kt.controllers) if not name.startswith("_")}
    names = {"pose", "to_pose", "joints", "to_q", "limit_joints", "configuration", "has_configuration", "forms"}
    assert shown - set(dir(dict)) == names
    assert kt.controllers.pose.__name__ == "pose"
    with pytest.raises(AttributeError, match="nosuch"):
        _ = kt.controllers.nosuch


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "fix"])
def test_a_check_and_a_repair_import_nothing_that_computes(tmp_path, command):
    """Neither for meshes nor for xacro, which is read in the same process here. Only OBJ and glTF meshes need trimesh,
    which imports SciPy."""
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    shapes = "".join(map(mesh.format, ("a.stl", "a.dae")))
    link = f'<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{shapes}'
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/>'
    joint += '<limit lower="-1.57" upper="1.57" velocity="1" effort="1"/></joint>'
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="a">{link}</link><link name="b"/>{joint}</robot>')
    xacro = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    macro = f'<xacro:macro name="m" params="n"><link name="${{n}}">{link}</link></xacro:macro><xacro:m n="a"/>'
    (tmp_path / "cell.urdf.xacro").write_text(f'<robot name="cell" {xacro}>{macro}<link name="b"/>{joint}</robot>')
    for name, content in {"a.stl": mesh_files.stl(), "a.dae": mesh_files.dae()}.items():
        (tmp_path / name).write_bytes(content)
    program = (
        "import contextlib, sys\n"
        "import kinetree.checker.pool, kinetree.cli.fix; from kinetree.cli import group\n"
        "kinetree.checker.pool.needs_children = kinetree.cli.fix.needs_children = lambda jobs: False\n"
        f"with contextlib.suppress(SystemExit): group([{command!r}, {str(tmp_path)!r}, '--profile', 'industrial'])\n"
        "modules = ('kinetree.compiler', 'kinetree.solvers', 'kinetree.queries', 'scipy', 'llvmlite')\n"
        "print([m for m in sys.modules if m.startswith(modules)])"
    )
    *printed, imported = run(program).splitlines()
    assert imported == "[]"
    assert "crashed" not in "".join(printed)
    for name in ("arm.urdf", "cell.urdf.xacro"):
        assert any(name in line for line in printed)
        assert ('xyz="0 0 1"' in (tmp_path / name).read_text()) == (command == "fix")


def test_a_dotted_name_is_no_attribute():
    assert not hasattr(kt, "limits.read")
    assert not hasattr(kt, "")


@each("module", [kt.limits, kt.kinematics, kt.dynamics, kt.icub, kt.motion])
def test_help_of_a_module_lists_its_functions(module):
    text = pydoc.plaintext.document(module)
    assert set(module.__all__) == {name for name in vars(module) if name[0] not in "_@"}
    assert all(re.search(rf"^    (class )?{name}\b", text, re.MULTILINE) for name in module.__all__)


def test_limits_are_read_from_a_file_or_refused_with_all_faults(tmp_path):
    file = tmp_path / "limits.toml"
    file.write_text('[[limits]]\nname = "a"\njoints = ["elbow"]\nunit = "rad"\nG = [[1]]\nh = [2]\n')
    (found,) = kt.limits.read(file)
    assert (found.name, found.joints, found.h.tolist()) == ("a", ("elbow",), [2.0])
    file.write_text("[[limits]]\njoint = 3\nname = 2\n")
    with pytest.raises(kt.KinetreeError) as error:
        kt.limits.read(str(file))
    assert len(error.value.findings) > 1


@pytest.mark.slow
def test_what_users_hold_prints_in_a_line():
    robot = kt.load("icub")
    rows = len(robot.limits.G)
    assert repr(robot.limits) == f"Limits on 35 coordinates: 70 finite ends, {rows} rows"
    shoulder = kt.guard(robot, robot.groups["left_arm"][:3])
    assert repr(shoulder).startswith("Guard of l_shoulder_pitch, l_shoulder_roll, l_shoulder_yaw: ")
    for thing in (robot, robot.limits, shoulder, kt.fk(robot, "l_hand"), kt.ik(robot, "l_hand")):
        assert len(repr(thing)) < 300
        assert "\n" not in repr(thing)


def test_modules_below_a_mapping_are_imported_by_their_names():
    import kinetree.controllers.text as text

    assert text is sys.modules["kinetree.controllers.text"]
    assert not hasattr(kt.controllers, "nothing")
    assert not hasattr(kt.controllers, "text.nothing")
