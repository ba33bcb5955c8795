"""Kernels of the tests are kept apart from those of whoever runs them."""

import os

import pytest

pytest_plugins = ["browser"]


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="Write what is said now to the golden files.")


@pytest.fixture
def golden(request):
    """Compare a text with the file of that name beside the test, in the folder golden."""

    def golden(name, text):
        file = request.path.parent / "golden" / name
        if request.config.getoption("--update-golden"):
            file.write_text(text, encoding="utf-8")
        assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()

    return golden


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """One cache of compiled code for all tests of a run, its workers and the programs that they start."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETREE_CACHE", str(base / "kernels"))
        yield
