"""`kinetree check --output-format html`: the page of a model, the index of several, and nothing of this machine."""

import html.parser
import json
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from kinetree.errors import SITE, fail
from kinetree.rules.examples import ARM
from kinetree.viewing import page, report, show
from unpacking import scene_of

HOSTILE = '</style></script><img src=x onerror="alert(1)">&amp;\x7f\u202e'
FLANGE = ARM.replace('xyz="0.09 0 0" rpy="0 0 0"', 'xyz="0.09 0 0" rpy="0 1.5707963267948966 0"')
HEAVY = ARM.replace('<mass value="8"/>', '<mass value="8000"/>')
BROKEN = ARM.replace('<child link="link_4"/>', '<child link="link_44"/>')


@pytest.fixture(autouse=True)
def _viewer(monkeypatch):
    for module in (page, show):
        monkeypatch.setattr(module, "viewer", lambda: "globalThis.viewer = 1;")


@pytest.fixture
def check(run, tmp_path, monkeypatch):
    """Check a folder with these files by the profile industrial, and return the result and the path of the report."""
    monkeypatch.chdir(tmp_path)

    def check(files, *arguments, paths=("models",)):
        for name, text in files.items():
            path = tmp_path / "models" / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(text)
        out = ("--profile", "industrial", "--output-format", "html", "-o", "report.html")
        return run("check", *paths, *out, *arguments), tmp_path / "report.html"

    return check


class Rows(html.parser.HTMLParser):
    """The rows of the table of an index as texts, and the links, the codes with a page, and tags of the whole page."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.links, self.codes, self.tags, self.words = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "a":
            target = unquote(dict(attrs)["href"])
            of_code = target.startswith(f"{SITE}/e/")
            (self.codes if of_code else self.links).append(target.removeprefix(f"{SITE}/e/"))

    def handle_data(self, data):
        self.words.append(data)
        if self.rows and self.rows[-1] and "section" not in self.tags and self.tags[-1] in ("td", "th", "a"):
            self.rows[-1][-1] += data


def robot_in(path):
    return scene_of(path.read_text("utf-8"))["robots"][0]


def listed(path):
    return sorted((f["code"], f["severity"], f["element"]) for f in robot_in(path)["findings"])


def reported(run, *arguments):
    found = json.loads(run("check", *arguments, "--profile", "industrial", "--json").stdout)["findings"]
    return sorted((f["code"], f["severity"], f["element"]) for f in found)


def test_a_model_has_its_page_with_the_findings_of_the_run(check, run):
    file = {"arm.urdf": FLANGE.replace('<mass value="20"/>', '<mass value="20000"/>')}
    result, out = check(file)
    assert (result.exit_code, result.output) == (1, "")
    assert listed(out) == reported(run, "models")
    assert {code for code, *_ in listed(out)} == {"R199-403", "INR-007", "R103-002"}
    check(file, "--select", "R199")
    assert listed(out) == [("R199-403", "error", "link 'flange'")]
    check(file, "--ignore", "R199", "--ignore", "INR")
    assert [code for code, *_ in listed(out)] == ["R103-002"]


@pytest.mark.slow
def test_excuses_and_baselines_hold(check):
    comment = "<!-- kinetree: ignore R199-403 because its maker draws it so -->"
    _, out = check({"arm.urdf": FLANGE.replace('<link name="flange"/>', f'{comment}<link name="flange"/>')})
    assert listed(out) == []
    result, out = check({"arm.urdf": FLANGE}, "--write-baseline", "known.json")
    assert result.exit_code == 0
    assert listed(out) == []
    check({"arm.urdf": FLANGE}, "--baseline", "known.json", "--select", "R199")
    assert listed(out) == []


@pytest.mark.slow
def test_a_shape_that_is_left_out_adds_no_finding_to_those_of_the_run(check):
    file = {"arm.urdf": ARM.replace('<box size="0.4 0.12 0.12"/>', '<mesh filename="gone.stl"/>')}
    _, out = check(file)
    assert [code for code, *_ in listed(out)] == ["MSH-002"]
    _, out = check(file, "--ignore", "MSH")
    assert listed(out) == []
    (missing,) = next(link for link in robot_in(out)["links"] if link["name"] == "link_4")["missing"]
    assert "gone.stl" in missing["why"]
    assert missing["T"][3] == 0.25


@pytest.mark.slow
def test_a_folder_has_an_index_with_a_page_for_each_robot(check, tmp_path):
    result, out = check({"good.urdf": ARM, "sub/heavy.urdf": HEAVY, "broken.urdf": BROKEN, "flange.urdf": FLANGE})
    assert result.exit_code == 1
    index = Rows(out.read_text("utf-8"))
    heads, *rows = index.rows
    assert heads == ["Model", "Errors", "Warnings", "Remarks"]
    assert {row[0]: [int(number) for number in row[1:]] for row in rows}["models/good.urdf"] == [0, 0, 0]
    assert [row[0] for row in rows] == [
        "models/broken.urdf",
        "models/flange.urdf",
        "models/good.urdf",
        "models/sub/heavy.urdf",
    ]
    for row, link in zip(rows, index.links, strict=True):
        if link.startswith("#"):
            assert row[0] == "models/broken.urdf"
            assert f'id="{link[1:]}"' in out.read_text("utf-8")
            continue
        severities = [severity for _, severity, _ in listed(tmp_path / link)]
        assert [severities.count(s) for s in ("error", "warning", "info")] == [int(number) for number in row[1:]]
    assert sorted(path.name for path in (tmp_path / "report_models").iterdir()) == [
        "002_models_flange.urdf.html",
        "003_models_good.urdf.html",
        "004_models_sub_heavy.urdf.html",
    ]
    words = "".join(index.words)
    assert "link_44" in words
    assert "unknown-child" in words
    assert "unknown-child" in index.codes


def test_a_model_that_cannot_be_shown_has_its_error_in_the_index(check, monkeypatch):
    def view_of(robot, **options):
        assert options["complete"]
        if robot.links["link_4"].inertial.mass == 8000:
            raise fail("pose", "is not finite")
        return show.view_of(robot, **options)

    monkeypatch.setattr(report, "view_of", view_of)
    _, out = check({"good.urdf": ARM, "heavy.urdf": HEAVY})
    index = Rows(out.read_text("utf-8"))
    assert [row[0] for row in index.rows[1:]] == ["models/good.urdf", "models/heavy.urdf"]
    assert index.links[1] == "#model-1"
    assert any("is not finite" in word for word in index.words)


def test_a_model_that_is_gone_before_it_is_drawn_has_no_picture(check, monkeypatch):
    def examine(*_):
        raise fail("file", "does not exist")

    monkeypatch.setattr(report, "examine", examine)
    result, out = check({"good.urdf": ARM}, "--select", "TRE-001")
    assert result.exit_code == 0, result.output
    assert "<p>No findings.</p>" in out.read_text("utf-8")
    assert "There is no picture" in out.read_text("utf-8")


def test_without_the_viewer_there_is_no_report(check, monkeypatch):
    def view_of(*_, **__):
        raise fail("viewer", "is not built")

    monkeypatch.setattr(report, "view_of", view_of)
    result, out = check({"good.urdf": ARM})
    assert result.exit_code == 2
    assert "is not built" in result.stderr
    assert not out.exists()


def test_files_on_two_drives_are_called_by_their_paths(monkeypatch):
    from kinetree.viewing import report

    def commonpath(paths):
        raise ValueError("Paths don't have the same drive")

    monkeypatch.setattr("os.path.commonpath", commonpath)
    results = [SimpleNamespace(file=file, name="") for file in ("/c/x/a.urdf", "/d/b.urdf")]
    assert report._names(results) == ["/c/x/a.urdf", "/d/b.urdf"]


def test_a_model_that_does_not_load_has_its_errors_without_a_picture(check):
    result, out = check({"broken.urdf": BROKEN})
    text = out.read_text("utf-8")
    assert result.exit_code == 1
    assert "<script" not in text
    assert "this model did not load" in text
    assert "unknown-child" in text
    assert "script-src &#x27;none&#x27;" in text or "script-src 'none'" in text
    result, out = check({}, paths=("nowhere.urdf",))
    assert result.exit_code == 2
    assert "nowhere.urdf" in out.read_text("utf-8")


def test_hostile_names_stay_text(check, tmp_path):
    name = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\x7f", "")
    files = {"a&<b>'.urdf": BROKEN.replace("link_44", name), "b.urdf": ARM.replace("link_4", name)}
    _, out = check(files)
    page = Rows(out.read_text("utf-8"))
    assert not {"img", "script"} & set(page.tags)
    assert page.tags.count("style") == 1
    assert any("<img src=x" in word for word in page.words)
    assert page.rows[1][0] == "models/a&<b>'.urdf"
    (robot,) = [link for link in page.links if not link.startswith("#")]
    assert "\u202e" not in out.read_text("utf-8")
    assert any("<img" in link["name"] for link in robot_in(tmp_path / robot)["links"])


@pytest.mark.slow
def test_no_page_has_a_path_of_this_machine(check, run, tmp_path, monkeypatch):
    _, out = check({"good.urdf": FLANGE, "broken.urdf": BROKEN})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    folder = str(tmp_path / "models")
    run("check", folder, "--profile", "industrial", "--output-format", "html", "-o", tmp_path / "away.html")
    written = [
        out,
        tmp_path / "away.html",
        *(tmp_path / "report_models").iterdir(),
        *(tmp_path / "away_models").iterdir(),
    ]
    assert len(written) == 4
    for path in written:
        assert str(tmp_path) not in path.read_text("utf-8")
    assert [row[0] for row in Rows((tmp_path / "away.html").read_text("utf-8")).rows[1:]] == [
        "broken.urdf",
        "good.urdf",
    ]


def test_a_name_of_the_report_is_needed(check, run):
    result = run("check", "icub", "--output-format", "html")
    assert result.exit_code == 2
    assert "-o report.html" in result.stderr
    result, out = check({"arm.urdf": ARM}, "-o", "models/arm.urdf")
    assert result.exit_code == 2
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.nightly
def test_a_robot_of_the_package_and_a_file_of_macros(check):
    macros = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="m"/></robot>'
    _, out = check({"macros.xacro": macros}, paths=("icub", "models"))
    rows = Rows(out.read_text("utf-8")).rows
    assert [row[0] for row in rows[1:]] == ["icub", "models/macros.xacro "]


def test_a_planted_link_is_not_followed(run, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    for name in "ab":
        (tmp_path / f"{name}.urdf").write_text(f'<robot name="r"><link name="{name}"/></robot>')
    (tmp_path / "report_models").symlink_to(tmp_path / "elsewhere")
    files = [tmp_path / "a.urdf", tmp_path / "b.urdf"]
    result = run("check", *files, "-o", tmp_path / "report.html", "--output-format", "html")
    assert "follows no links" in result.stderr
    assert not [*(tmp_path / "elsewhere").iterdir()]
