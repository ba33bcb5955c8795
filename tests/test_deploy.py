"""The script that puts a version of the site beside the others."""

import json
import re
import subprocess
import sys
from pathlib import Path

import deploy
import pytest


@pytest.fixture
def publish(tmp_path):
    """Publish a version whose pages are given by their names, and return the folder of the site."""
    site = tmp_path / "site"
    site.mkdir()

    def publish(version, *pages):
        build = tmp_path / f"build-{version}"
        for page in ("index.html", *pages):
            (build / page).parent.mkdir(parents=True, exist_ok=True)
            (build / page).write_text(f"{page} of {version}")
        deploy.deploy(site, build, version)
        return site

    return publish


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_first_version(publish):
    site = publish("0.1.0", "e/zero-axis/index.html")
    assert json.loads((site / "versions.json").read_text()) == [
        {"version": "0.1", "title": "0.1.0", "aliases": ["latest"]}
    ]
    assert files(site / "0.1") == files(site / "latest")
    assert files(site / "latest")["e/zero-axis/index.html"] == "e/zero-axis/index.html of 0.1.0"
    assert {path.name for path in site.iterdir()} == {".nojekyll", "0.1", "index.html", "latest", "versions.json"}
    (target,) = re.findall(r'http-equiv="refresh" content="0; url=([^"]+)"', (site / "index.html").read_text())
    assert (site / target / "index.html").is_file()


def test_a_correction_replaces_its_folder_and_pages_that_are_gone_go(publish):
    publish("0.1.0", "old.html")
    site = publish("0.1.1", "new.html")
    assert set(files(site / "0.1")) == set(files(site / "latest")) == {"index.html", "new.html"}
    assert json.loads((site / "versions.json").read_text())[0]["title"] == "0.1.1"


def test_latest_is_the_newest_by_number_and_not_the_last_published(publish):
    for version in ("0.9.0", "0.10.0", "0.9.1"):
        site = publish(version)
    rows = json.loads((site / "versions.json").read_text())
    assert [(row["version"], row["title"], row["aliases"]) for row in rows] == [
        ("0.10", "0.10.0", ["latest"]),
        ("0.9", "0.9.1", []),
    ]
    assert (site / "latest" / "index.html").read_text() == "index.html of 0.10.0"
    assert (site / "0.9" / "index.html").read_text() == "index.html of 0.9.1"


@pytest.mark.parametrize("version", ["0.1", "v0.1.0", "0.1.0rc1", "0.1.0.dev0", "../x", ""])
def test_only_final_releases_are_published(tmp_path, version):
    (tmp_path / "index.html").touch()
    with pytest.raises(ValueError, match="not the version of a final release"):
        deploy.deploy(tmp_path / "site", tmp_path, version)
    assert not (tmp_path / "site").exists()


def test_an_older_correction_replaces_nothing(publish):
    site = publish("0.1.1")
    before = files(site)
    with pytest.raises(ValueError, match=r"0\.1\.1 is published already"):
        publish("0.1.0")
    assert files(site) == before


def test_a_build_without_pages_replaces_nothing(publish, tmp_path):
    site = publish("0.1.0")
    (tmp_path / "empty").mkdir()
    command = [sys.executable, deploy.__file__, str(site), str(tmp_path / "empty"), "0.1.1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "has no index.html" in done.stderr
    assert Path(site / "0.1" / "index.html").read_text() == "index.html of 0.1.0"
