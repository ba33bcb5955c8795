"""Files that are opened only if they are plain files."""

import os
import sys

import pytest

from kinetree.files.plain_file import open_plain


@pytest.mark.skipif(sys.platform != "linux", reason="it lists open files in /proc")
def test_what_is_no_file_is_closed_again(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = os.listdir("/proc/self/fd")
    for name, what in (("", "a folder"), ("pipe", "a named pipe")):
        for _ in range(3):
            with pytest.raises(OSError, match=f"it is {what}, not a file"):
                open_plain(tmp_path / name)
    assert os.listdir("/proc/self/fd") == before
