"""The table of real repairs, and what is said of one commit."""

import subprocess
from dataclasses import replace

import pytest

import repairs

ARM = """<robot name="arm">
  <link name="base_link"/>
  <link name="hand">
    <inertial><mass value="MASS"/><inertia ixx="2" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="wrist" type="revolute">
    <parent link="base_link"/><child link="hand"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""
ROW = repairs.Commit(0, "owner+arms", "", "known", "a mass below zero", ("arm.urdf",), "hand", ("INR-004",))


def test_the_table_has_every_commit_of_the_lot_once():
    rows = repairs.drawn(repairs.TABLE)
    assert [row.lot for row in rows] == list(range(len(rows)))
    assert {row.kind for row in rows} == set(repairs.CLASSES)
    for row in rows:
        assert bool(row.check and row.codes) == (row.kind == "known")


def test_the_later_table_has_what_can_be_known():
    rows = repairs.drawn(repairs.TABLE.with_name("repairs_later.toml"))
    assert len({row.lot for row in rows}) == len(rows) == 149
    assert not {row.repository for row in rows} & {row.repository for row in repairs.drawn(repairs.TABLE)}
    known = [row for row in rows if row.kind == "known"]
    assert [sum(row.lot in repairs.PARTS[half] for row in known) for half in ("read", "unread")] == [68, 67]
    for row in rows:
        assert bool(row.check and row.codes == repairs.ANY) == (row.kind == "known"), row.lot


@pytest.mark.slow
@pytest.mark.nightly
def test_a_defect_is_named_before_the_commit_and_not_after(tmp_path):
    def git(*arguments):
        command = ["git", "-C", tmp_path / "owner+arms", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    (tmp_path / "owner+arms").mkdir()
    git("init", "-q")
    for mass in ("-3", "3"):
        (tmp_path / "owner+arms" / "arm.urdf").write_text(ARM.replace("MASS", mass), encoding="utf-8")
        git("add", ".")
        git("commit", "-qm", "fix")
    row = replace(ROW, commit=git("rev-parse", "HEAD"))
    assert repairs.examined(tmp_path, False, row).named
    assert not repairs.examined(tmp_path, False, replace(row, names="base_link")).named
    assert not repairs.examined(tmp_path, False, replace(row, codes=("INR-006",))).named
    assert repairs.examined(tmp_path, False, replace(row, codes=repairs.ANY)).named
    assert not repairs.examined(tmp_path, False, replace(row, codes=repairs.ANY, names="flange")).named
