"""Kernels of the tests are kept apart from those of whoever runs them."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """One cache of compiled code for all tests of a run, its workers and the programs that they start."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETREE_CACHE", str(base / "kernels"))
        yield
