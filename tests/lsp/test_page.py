"""The page of `Show robot`, at the element under the cursor."""

import pytest

from kinetree.checker.plan import jobs
from kinetree.lsp.model import read_model
from kinetree.lsp.page import element_at, page

ARM = """<robot name="arm">
  <link name="a"/>
  <link name="b"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return read_model(jobs([str(path)]), {}, "utf-16")


@pytest.mark.parametrize(("position", "name"), [((0, 3), ""), ((1, 5), "a"), ((3, 60), "j"), ((2, 0), "")])
def test_the_element_around_a_place(model, position, name):
    assert element_at(model, model.file, position) == name


@pytest.mark.slow
@pytest.mark.nightly
def test_the_page_opens_with_the_element_selected(model, tmp_path, open_page):
    file = tmp_path / "arm.html"
    file.write_text(page([model], model.file, (3, 60)), encoding="utf-8")
    opened = open_page(file)
    assert opened.get_by_role("region", name="Selected part").get_by_role("heading").inner_text() == "joint j"
