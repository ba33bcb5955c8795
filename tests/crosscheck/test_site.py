"""The site that `python docs/build.py` has made: accessible, quiet, complete, and found by its search."""

from __future__ import annotations

import json
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import make_api
import make_codes
import make_gallery
import pytest

from browser import axe, missing

pytestmark = pytest.mark.crosscheck

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
TEN = (
    "index.html",
    "tutorials/student.html",
    "how-to/checking.html",
    "how-to/fixing.html",
    "migrating/pinocchio.html",
    "reference/api/kinetree.html",
    "reference/command-line.html",
    "reference/rules/R199.html",
    "e/index.html",
    "gallery.html",
)
FINDS = {
    "gravity torque": "gravity_torques",
    "tool0": "r199-5",
    "joint limits coupled": "reference/limits.html",
    "unknown-child": "e/unknown-child.html",
}
"""What people look for, and what must be among the first results."""


class Quiet(SimpleHTTPRequestHandler):
    """A server that prints nothing."""

    def log_message(self, *_):
        """Print nothing."""


@pytest.fixture(scope="module")
def site():
    if not (SITE / "index.html").exists():
        missing("The site, which `python docs/build.py` makes,")
    return SITE


@pytest.fixture(scope="module")
def address(site, tmp_path_factory):
    """The site as it is deployed: below latest/, with the list of versions beside it."""
    root = tmp_path_factory.mktemp("www")
    (root / "latest").symlink_to(site)
    (root / "versions.json").write_text('[{"version": "0.1", "title": "0.1.0", "aliases": ["latest"]}]')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/latest/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_site(browser, address):
    """Open a page of the site. At the end, it must have asked no other host, and have printed no error."""
    contexts, heard = [], []

    def open_site(name, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on(
            "request",
            lambda request: request.url.startswith((address[:-7], "data:", "blob:")) or heard.append(request.url),
        )
        page.on("console", lambda message: message.type == "error" and heard.append(f"{name}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"{name}: {error}"))
        page.goto(address + name)
        page.wait_for_load_state("networkidle")
        return page

    yield open_site
    for context in contexts:
        context.close()
    assert heard == []


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in TEN), *((name, "dark") for name in (TEN[0], TEN[5], TEN[9]))]
)
def test_no_page_has_a_serious_fault(name, scheme, open_site):
    assert axe(open_site(name, color_scheme=scheme)) == []


@pytest.mark.parametrize("name", TEN)
def test_no_page_is_wider_than_a_phone(name, open_site):
    page = open_site(name, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("words", FINDS)
def test_the_search_finds(words, open_site):
    page = open_site("index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    found = """wanted => { const found = []; const walk = root => root.querySelectorAll("*").forEach(one => {
        if (one.shadowRoot) walk(one.shadowRoot); if (one.href && /[?&]h=/.test(one.href)) found.push(one.href); });
        walk(document); return found.slice(0, 10).some(one => one.includes(wanted)); }"""
    page.wait_for_function(found, arg=FINDS[words], timeout=20_000)  # the index is read at the first search


def test_the_version_can_be_chosen(open_site):
    assert "0.1.0" in open_site("index.html").locator(".md-version").inner_text()


def test_the_gallery_has_twenty_robots_that_move(site, open_site):
    text = (site / "gallery.html").read_text("utf-8")
    assert len(make_gallery.SHOWN) == 20
    for shown in make_gallery.SHOWN:
        assert f'href="gallery/{shown.name}.html"' in text, "build the site with all robots"
        assert f'src="gallery/{shown.name}.png"' in text
    page = open_site(f"gallery/{make_gallery.SHOWN[0].name}.html")
    page.wait_for_selector("body[data-ready]")


def test_every_code_has_its_page(site):
    for name in make_codes.code_pages():
        assert (site / name).with_suffix(".html").exists(), name


def test_the_reference_has_every_public_function(site):
    text = "".join(path.read_text("utf-8") for path in (site / "reference" / "api").glob("*.html"))
    for page in make_api.pages().values():
        for path in re.findall(r"^::: (\S+)$", page, re.MULTILINE):
            assert f'id="{path}"' in text, path


def test_llms_txt_lists_every_page(site):
    text = (site / "llms.txt").read_text("utf-8")
    listed = set(re.findall(r"\]\(([^)]+\.html)\)", text))
    folders = ("tutorials", "how-to", "migrating", "reference", "explanation")
    assert listed == {p.relative_to(site).as_posix() for folder in folders for p in (site / folder).rglob("*.html")}
    assert all(line.partition("): ")[2] for line in text.splitlines() if line.startswith("- ["))


def test_the_index_of_the_search_is_small(site):
    assert (site / "search.json").stat().st_size < 4e6
    assert json.loads((site / "search.json").read_text("utf-8"))
