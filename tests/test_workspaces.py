"""Workspaces as integrators have them: packages of others, a cell of one's own, and what the report says first."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from kinetree.cli import group
from kinetree.rules.examples import ARM

XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
GRIPPER = f"""<robot {XACRO}>
  <xacro:macro name="gripper" params="prefix parent *origin">
    <link name="${{prefix}}palm"/>
    <joint name="${{prefix}}mount" type="fixed">
      <parent link="${{parent}}"/>
      <child link="${{prefix}}palm"/>
      <xacro:insert_block name="origin"/>
    </joint>
  </xacro:macro>
  <xacro:macro name="gripper_with_camera" params="carrier">
    <xacro:gripper prefix="hand_" parent="${{carrier}}"><origin xyz="0 0 0"/></xacro:gripper>
  </xacro:macro>
</robot>
"""
CELL = f"""<robot name="cell" {XACRO}>
  <xacro:include filename="$(find arm_description)/arm_macro.xacro"/>
  <xacro:include filename="$(find gripper_description)/gripper_macro.xacro"/>
  <xacro:arm/>
  <xacro:gripper prefix="" parent="tool0"><origin xyz="0 0 0"/></xacro:gripper>
</robot>
"""


@pytest.fixture
def cell(tmp_path, monkeypatch):
    """The folder of a cell's package, beside those of an arm with a wrong attribute in each link, and of a gripper."""
    body = ARM.partition('<robot name="arm">')[2].replace("</robot>", "").replace('iyz="0"', 'iyz="0" iyx="0"')
    files = {
        "arm_description/arm_macro.xacro": f'<robot {XACRO}><xacro:macro name="arm">{body}</xacro:macro></robot>',
        "gripper_description/gripper_macro.xacro": GRIPPER,
        "cell/cell.urdf.xacro": CELL,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text)
        (path.parent / "package.xml").write_text(f"<package><name>{path.parent.name}</name></package>")
    monkeypatch.chdir(tmp_path / "cell")
    return tmp_path / "cell"


def check(*words):
    return CliRunner().invoke(group, ["check", *words]).stdout.splitlines()


class TestAGripperOnTool0:
    @pytest.mark.slow
    def test_it_is_the_first_finding_at_the_line_that_attaches_it(self, cell):
        lines = check("cell.urdf.xacro", "--profile", "industrial")
        line = next(i for i, text in enumerate(CELL.splitlines(), 1) if 'parent="tool0"' in text)
        assert lines[0].startswith(f"cell.urdf.xacro:{line}:")
        assert "link 'palm'" in lines[0]
        assert lines[0].endswith("[R199-508]")
        assert 'parent="tool0"' in lines[1]

    @pytest.mark.slow
    def test_what_is_said_of_each_link_of_the_arm_is_one_finding_at_the_end(self, cell):
        lines = check("cell.urdf.xacro", "--profile", "industrial")
        assert sum("iyx" in line and "warning" in line for line in lines) == 1
        at = next(i for i, line in enumerate(lines) if "iyx" in line)
        assert "In files of other packages (arm_description):" in lines[:at]
        assert any("5 findings like it" in line for line in lines[at:])

    @pytest.mark.slow
    def test_through_two_macros_the_outer_call_is_named(self, cell):
        text = CELL.replace(
            '<xacro:gripper prefix="" parent="tool0"><origin xyz="0 0 0"/></xacro:gripper>',
            '<xacro:gripper_with_camera\n    carrier="tool0"/>',
        )
        Path("cell.urdf.xacro").write_text(text)
        lines = check("cell.urdf.xacro", "--profile", "industrial")
        line = next(i for i, text in enumerate(text.splitlines(), 1) if "carrier=" in text)
        assert lines[0].startswith(f"cell.urdf.xacro:{line}:")

    @pytest.mark.slow
    def test_on_flange_nothing_is_found_in_the_cell(self, cell):
        Path("cell.urdf.xacro").write_text(CELL.replace('parent="tool0"', 'parent="flange"'))
        assert not any(line.startswith("cell.urdf.xacro") for line in check("--profile", "industrial"))
