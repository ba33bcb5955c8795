"""The page: what its policy allows, what is in it, and what hostile names do to it."""

import base64
import hashlib
import html.parser
import json
import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
import mesh_files
from kinetree.model.assemble import build, parts_of
from kinetree.viewing import page
from kinetree.viewing.page import page_of
from kinetree.viewing.scene import PosedRobot, scene
from physics import everything
from unpacking import parts

VIEWER = "/*! a notice */\r\nconst end = '</script><!-- <script>';\n"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "\x01\x1b[31m\u202e\ud800",
    "<!--<script>",
    "a" * 10_000,
    "&lt;{x}",
    "' \"",
]


@pytest.fixture(autouse=True)
def _viewer(monkeypatch):
    monkeypatch.setattr(page, "viewer", lambda: VIEWER)


class Document(html.parser.HTMLParser):
    """Elements of a page: (tag, attributes, text)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))

        self.open = self.elements[-1][2]

    def handle_endtag(self, tag):
        self.open = []

    def handle_data(self, data):
        self.open.append(data)


def made(robot, **options):
    return page_of(scene([PosedRobot(robot)]), **options)


def elements(text, tag):
    return [(attributes, "".join(data)) for name, attributes, data in Document(text).elements if name == tag]


def sha(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_what_is_there_and_nothing_else():
    text = made(everything(0))
    (policy,) = [a["content"] for a, _ in elements(text, "meta") if a.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("default-src") == rules.pop("form-action") == rules.pop("base-uri") == "'none'"
    running = [data for attributes, data in elements(text, "script") if attributes.get("type") == "module"]
    assert len(running) == 2
    assert sorted(rules.pop("script-src").split()) == sorted(map(sha, running))
    ((_, style),) = elements(text, "style")
    assert rules == {"style-src": sha(style)}
    assert "\r" not in text  # a browser would hash another text
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", re.sub("<script.*?</script>", "", text, flags=re.DOTALL))


@pytest.mark.slow
def test_nothing_is_fetched():
    text = made(kt.load("icub"))
    outside = [a for _, a, _ in Document(text).elements if {"src", "href", "srcset", "action"} & set(a)]
    assert outside == []


@pytest.mark.slow
def test_the_body_and_the_notice():
    text = made(everything(0), title="a & b")
    ids = [a["id"] for _, a, _ in Document(text).elements if "id" in a]
    assert ids == ["view", "canvas", "kinetree-scene", "kinetree-meshes"]
    assert elements(text, "html")[0][0] == {"lang": "en"}
    assert elements(text, "title")[0][1] == "a & b"
    assert len(elements(text, "noscript")) == 1
    assert "/*! a notice */" in text
    assert "globalThis.kinetree = { functions: { fk0 } };" in text


@pytest.mark.parametrize("name", HOSTILE, ids=["ends", "controls", "comment", "long", "entities", "quotes"])
@pytest.mark.slow
def test_hostile_names_change_nothing(name):
    plain = everything(0)
    robot = renamed(plain, name)
    text, other = made(robot), made(plain)
    tags = [tag for tag, _, _ in Document(text).elements]
    assert tags == [tag for tag, _, _ in Document(other).elements]
    content, _, scripts = parts(text)
    R = content["robots"][0]
    assert R["name"] == name
    assert [link["name"] for link in R["links"]][1] == name
    assert R["frames"][0]["name"] == name + "f"
    assert len(scripts) == 2
    title = elements(text, "title")[0][1]
    assert title.isprintable()
    assert len(title) < 1000


def renamed(robot, name):
    """The robot with a name for itself, for a link, a joint, a frame and a group."""
    p = parts_of(robot)
    old_link, old_frame = p.links[1].name, p.frames[0].name
    p.name = name
    p.links = [replace(link, name=name) if link.name == old_link else link for link in p.links]
    p.joints = [
        replace(
            j,
            parent=name if j.parent == old_link else j.parent,
            child=name if j.child == old_link else j.child,
        )
        for j in p.joints
    ]
    p.frames = [
        replace(f, name=name + "f" if f.name == old_frame else f.name, link=name if f.link == old_link else f.link)
        for f in p.frames
    ]
    p.sensors = [replace(s, frame=name if s.frame == old_link else s.frame) for s in p.sensors]
    return build(p)


@pytest.mark.slow
def test_no_folder_of_this_machine_is_in_the_page(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.stl").write_bytes(mesh_files.stl())
    (tmp_path / "package.xml").write_text("<package><name>arm</name></package>")
    files = (
        "package://arm/meshes/a.stl",
        "package://arm/meshes/b.stl",
        "meshes/c.stl",
        f"file://{tmp_path}/d.stl",
        "package://no/e.stl",
    )
    visuals = "".join(f'<visual><geometry><mesh filename="{file}"/></geometry></visual>' for file in files)
    file = tmp_path / "arm.urdf"
    file.write_text(
        f'<robot name="arm"><link name="base"><inertial><mass value="-1"/></inertial>{visuals}</link></robot>'
    )
    robot = kt.load(file)
    text = page_of(scene([PosedRobot(robot, None, kt.check(robot))]))
    content, data, _ = parts(text)
    assert len(content["meshes"]) == 1
    assert len(data) == 6 * 4 + 9 * 4
    assert len(content["robots"][0]["findings"]) > 4
    assert {f["where"].partition(":")[0] for f in content["robots"][0]["findings"]} == {"arm.urdf"}
    for part in (text, json.dumps(content)):
        assert str(tmp_path) not in part
        assert str(tmp_path.parent) not in part


def test_numbers_that_json_lacks_are_null():
    content, _, _ = parts(made(everything(0)))
    assert None in content["robots"][0]["limits"]["lower"]
    assert all(np.isfinite(x) for x in content["robots"][0]["q"])


def test_an_installation_without_the_viewer_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.undo()
    page.viewer.cache_clear()
    monkeypatch.setattr(page, "files", lambda package: tmp_path)
    with pytest.raises(kt.KinetreeError) as error:
        page.viewer()
    assert error.value.findings[0].code == "viewer"
    assert "Node" in error.value.findings[0].fix
    page.viewer.cache_clear()


def test_a_title_is_text():
    assert elements(made(everything(0), title="</title><script>"), "title")[0][1] == "</title><script>"
