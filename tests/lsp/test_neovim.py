"""A session in Neovim with its built-in client, without a screen, set up as the page says."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_texts import ARM

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "editors.md"
SCRIPT = """
local file, out, python = unpack(vim.g.given)
local start = vim.lsp.start_client
vim.lsp.start_client = function(options)
  options.cmd = { python, "-m", "kinetree", "lsp" }
  return start(options)
end
SETUP
vim.cmd("edit " .. file)
local id = kinetree
local function wait(what) assert(vim.wait(30000, what, 20), "nothing came") end
local said = {}
wait(function() return #vim.diagnostic.get(0) > 0 end)
for _, one in ipairs(vim.diagnostic.get(0)) do
  table.insert(said, { code = one.code or one.user_data.lsp.code, line = one.lnum, column = one.col })
end
local at = vim.fn.search("<limit")
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", {
  textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = at - 1, character = 5 } }, 30000)[id].result
local axis = vim.fn.search("<axis", "w")
vim.api.nvim_win_set_cursor(0, { axis, 8 })
vim.ui.select = function(items, options, choose) choose(items[1], 1) end
vim.lsp.buf.code_action()
wait(function() return vim.fn.getline(axis):find("0 0 1") end)
local file = io.open(out, "w")
file:write(vim.fn.json_encode({ diagnostics = said, hover = hover.contents.value,
  lines = vim.api.nvim_buf_get_lines(0, 0, -1, false), modified = vim.bo.modified }))
file:close()
vim.lsp.stop_client(id)
vim.wait(200)
vim.cmd("qall!")
"""


def test_a_session_in_neovim(tmp_path):
    nvim = shutil.which("nvim")
    if nvim is None:
        pytest.skip("Neovim is not installed")
    path, out, script = tmp_path / "arm.urdf", tmp_path / "out.json", tmp_path / "session.lua"
    path.write_text(ARM, encoding="utf-8")
    setup = re.findall(r"```lua\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    script.write_text(SCRIPT.replace("SETUP", setup), encoding="utf-8")
    given = "let g:given = " + json.dumps([str(path), str(out), sys.executable])
    command = [nvim, "--headless", "-u", "NONE", "-n", "--cmd", given, "-c", f"luafile {script}"]
    folders = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, **folders}, cwd=tmp_path
    )
    assert out.exists(), done.stderr
    said = json.loads(out.read_text(encoding="utf-8"))
    by_code = {one["code"]: one for one in said["diagnostics"]}
    assert by_code["JNT-001"]["line"] == 8
    line = ARM.splitlines()[4]
    assert by_code["NAM-003"]["column"] == len(line[: line.index("<joint")].encode())  # Neovim counts bytes
    assert "from -90° to 180°" in said["hover"]
    assert said["lines"] == ARM.replace("0 0 2", "0 0 1").splitlines()
    assert said["modified"]
    assert path.read_text(encoding="utf-8") == ARM
