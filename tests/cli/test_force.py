"""No command replaces a file without --force, and with it each writes the same anew."""

import pytest

from each import each

ARM = """<robot name="arm"><link name="base_link"/><link name="l1"/><link name="tool0"/>
<joint name="j1" type="revolute"><parent link="base_link"/><child link="l1"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><origin xyz="0.4 0 0.1"/><parent link="l1"/><child link="tool0"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""

COMMANDS = {
    "attach": ("attach {arm} {other} --at tool0 --prefix b_ -o {out}.urdf", ".urdf"),
    "codegen": ("codegen {arm} --fk tool0 -o {out}.c", ".c"),
    "convert": ("convert {arm} {out}.sdf", ".sdf"),
    "convert to MJCF": ("convert {arm} {out}.xml", ".xml"),
    "dh to TOML": ("dh {arm} --tip tool0 -o {out}.toml", ".toml"),
    "dh to CSV": ("dh {arm} --tip tool0 -o {out}.csv", ".csv"),
    "dh to MATLAB": ("dh {arm} --tip tool0 -o {out}.m", ".m"),
    "inspect": ("inspect {arm} --frame tool0 -o {out}.svg", ".svg"),
    "show": ("show {arm} -o {out}.svg", ".svg"),
}


@pytest.mark.slow
@each("name", COMMANDS)
def test_nothing_is_replaced_without_force(run, tmp_path, name):
    command, ending = COMMANDS[name]
    arm, out = tmp_path / "arm.urdf", tmp_path / f"out_{len(name)}"
    arm.write_text(ARM)
    words = command.format(arm=arm, other=arm, out=out).split()
    first = run(*words)
    assert first.exit_code == 0, (name, first.stderr)
    file = out.with_name(out.name + ending)
    written = file.read_bytes()
    file.write_bytes(b"mine")
    again = run(*words)
    assert again.exit_code == 2, name
    assert "exists already" in again.stderr, name
    assert file.read_bytes() == b"mine", name
    assert run(*words, "--force").exit_code == 0, name
    assert file.read_bytes() == written, name
