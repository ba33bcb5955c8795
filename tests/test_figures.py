"""The pictures of the README and the pages are those that the commands on these pages draw."""

import re

import make_figures
import numpy as np
import pytest
from make_figures import COMMAND, ROOT, draw, figures, left_behind

import pages
from support import sample

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
AGAIN = "python docs/make_figures.py"
ALL = figures()


def of(ending, *marks):
    """The figures of a kind; slow if the whole page runs."""
    slow = (pytest.mark.slow,)
    return [
        pytest.param(f, id=f.file.name, marks=marks if f.arguments else slow) for f in ALL if f.file.suffix == ending
    ]


def test_every_picture_is_shown_and_every_one_shown_is_there():
    assert {figure.file for figure in ALL} == {*(ROOT / "docs" / "figures").iterdir()}
    assert {figure.file.suffix for figure in ALL} == {".svg", ".png", ".gif"}
    assert (ROOT / "README.md") in {figure.page for figure in ALL}


@pytest.mark.parametrize("figure", of(".svg"))
@pytest.mark.sampled(2)
def test_svg_has_the_same_text(figure, tmp_path):
    drawn, shown = (path.read_text("utf-8") for path in (draw(figure, tmp_path), figure.file))
    assert re.sub(NUMBER, "", drawn) == re.sub(NUMBER, "", shown), AGAIN
    values = [np.array(re.findall(NUMBER, text), dtype=float) for text in (drawn, shown)]
    assert np.abs(values[0] - values[1]).max() < 2e-3, AGAIN  # another processor may round otherwise


def pixels(path):
    """The pixels of a picture, and of each tenth of an animated one."""
    sequence = pytest.importorskip("PIL.ImageSequence")
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as opened:
        return np.stack([np.asarray(one.convert("RGB")).astype(int) for one in sequence.Iterator(opened)][::10])


def differ(one, other):
    """How many pixels differ clearly, as a share of those that are not white in either."""
    a, b = pixels(one), pixels(other)
    if a.shape != b.shape:
        return 1.0
    drawn = (np.minimum(a, b) < 250).any(axis=-1)
    return (np.abs(a - b).max(axis=-1) > 48).sum() / drawn.sum()


@pytest.mark.parametrize("figure", sample(of(".png", pytest.mark.slow) + of(".gif", pytest.mark.slow), 4))
@pytest.mark.sampled(1)
def test_it_has_the_same_pixels(figure, tmp_path):
    assert differ(draw(figure, tmp_path), figure.file) < 0.01, AGAIN  # another version may smooth lines otherwise


@pytest.mark.slow
@pytest.mark.nightly
def test_another_pose_is_another_picture(tmp_path):
    figure = next(figure for figure in ALL if figure.file.name == "icub.png")
    command = re.search(COMMAND.format(r"icub\.png"), figure.page.read_text("utf-8"))[1].replace("\\\n", " ")
    assert differ(draw(figure._replace(arguments=tuple(command.split())), tmp_path), figure.file) < 0.01
    moved = command.replace("l_elbow=80", "l_elbow=70").split()
    assert differ(draw(figure._replace(arguments=("show", "--force", *moved[1:])), tmp_path), figure.file) > 0.02


def test_a_picture_without_its_command_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(make_figures, "ROOT", tmp_path)
    (tmp_path / "CONTRIBUTING.md").touch()
    page = tmp_path / "README.md"
    page.write_text("![A robot](docs/a.svg)\n\n    kinetree show arm.urdf \\\n      --deg -o a.svg\n")
    assert [figure[1:] for figure in figures()] == [(page, ("show", "arm.urdf", "--deg", "-o", "a.svg"))]
    page.write_text('<img width="9" src="docs/b.svg">\n\n`kinetree show arm.urdf -o a.svg`')
    with pytest.raises(ValueError, match=r"shows b\.svg, but has no command"):
        figures()


def test_a_picture_of_files_of_a_page_is_what_the_page_leaves_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(make_figures, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "CONTRIBUTING.md").touch()
    page = tmp_path / "README.md"
    robot = '```xml title="a.urdf"\n<robot name="a"><link name="foot"/></robot>\n```\n'
    page.write_text(
        f"![A robot](docs/a.svg)\n\n{robot}```console\n$ kinetree inspect a.urdf -o a.svg\nwrote a.svg\n```\n"
    )
    (figure,) = figures()
    assert figure == (tmp_path / "docs" / "a.svg", page, ())
    (tmp_path / "drawn").mkdir()
    assert "foot" in draw(figure, tmp_path / "drawn").read_text("utf-8")
    page.write_text('![A](b.png)\n\n```python\nfrom pathlib import Path\n\nPath("b.png").write_text("drawn")\n```\n')
    (figure,) = figures()
    left_behind.cache_clear()
    assert draw(figure, tmp_path / "drawn").read_text("utf-8") == "drawn"
    page.write_text("""![A](c.svg)

```python
from pathlib import Path

Path("c.urdf").write_text('<robot name="c"><link name="heel"/></robot>')
```

```console
$ kinetree inspect c.urdf -o c.svg
wrote c.svg
```
""")
    (figure,) = figures()
    left_behind.cache_clear()
    assert "heel" in draw(figure, tmp_path / "drawn").read_text("utf-8")
