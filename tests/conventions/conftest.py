"""Files of arms."""

from pathlib import Path

import pytest


@pytest.fixture
def arm(tmp_path):
    """Write a text as a file."""

    def arm(text: str | bytes, name: str = "arm.urdf") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return arm
