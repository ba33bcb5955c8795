"""The harness of browser tests notices what a page must not do, and a page with the bundle is quiet."""

import base64
import hashlib
from importlib.resources import files

import pytest

import kinetree as kt
from browser import assert_quiet, axe, missing

pytestmark = pytest.mark.slow
SAYS_READY = "document.body.dataset.ready = 1"


def page_with(tmp_path, script, body="<main><h1>A page</h1></main>"):
    """A page that may run this one script, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'"
    path = tmp_path / "page.html"
    path.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<body>{body}<script type="module">{script}</script></body></html>',
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("script", "heard"),
    [
        ("", ""),
        ("console.log('a word');", "log: a word"),
        ("setTimeout(() => { throw new Error('broken') });", "uncaught: broken"),
        ("fetch('https://example.org/').catch(() => 0);", "Content Security Policy"),
    ],
)
@pytest.mark.sampled(2)
def test_messages_errors_and_requests_are_heard(open_page, tmp_path, script, heard):
    page = open_page(page_with(tmp_path, script + SAYS_READY), quiet=not heard)
    page.wait_for_timeout(50)
    assert heard in "\n".join(page.heard)
    if heard:
        with pytest.raises(AssertionError):
            assert_quiet(page)


def test_a_page_that_breaks_before_its_first_picture_fails_with_its_words(open_page, tmp_path):
    with pytest.raises(pytest.fail.Exception, match="no first picture\nuncaught: no robot"):
        open_page(page_with(tmp_path, "throw new Error('no robot')"), quiet=False)


def test_requests_are_heard_where_a_page_allows_them(open_page, tmp_path):
    path = page_with(tmp_path, SAYS_READY, '<img alt="none" src="https://example.org/a.png">')
    page = open_page(path, quiet=False, bypass_csp=True)
    assert "https://example.org/a.png" in page.heard


@pytest.mark.nightly
def test_faults_of_accessibility_are_found_in_spite_of_the_policy(open_page, tmp_path):
    good = open_page(page_with(tmp_path, SAYS_READY))
    assert axe(good) == []
    bad = open_page(page_with(tmp_path, SAYS_READY, "<main><h1>A page</h1><button></button></main>"))
    assert axe(bad) == ["button-name: <button></button>"]


@pytest.mark.nightly
def test_the_page_of_a_robot_is_quiet(open_page, tmp_path):
    if not files("kinetree.viewing").joinpath("bundle/viewer.js").is_file():
        missing("The bundle of viewer/ (python hatch_build.py)")
    kt.show(kt.load("icub"), browser=False).save(tmp_path / "icub.html")
    page = open_page(tmp_path / "icub.html")
    assert page.title() == "icub"
