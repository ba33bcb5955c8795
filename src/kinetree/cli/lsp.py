"""`kinetree lsp`: serve an editor."""

import sys

from kinetree.cli._help import kinetree_command, option
from kinetree.cli._say import remark
from kinetree.errors import fail


@kinetree_command("Check and repair", "kinetree lsp")
@option("--stdio", "Use the standard input and output, as without this option.", hidden=True)
def command(stdio: bool) -> None:
    """Serve findings and repairs to an editor.

    The editor starts this command and uses the language server protocol over the standard input and output; the page
    "In the editor" of the documentation describes the setup. Settings and xacro arguments are those of kinetree.toml.
    The server writes no file, except a temporary page when the editor shows a robot, and ends with its editor."""
    try:
        import pygls.lsp.server  # noqa: F401
    except ImportError:
        raise fail("lsp", "a language server needs pygls 2", fix="pip install 'kinetree[lsp]'") from None
    from kinetree.lsp.server import serve

    if sys.stdin.isatty():
        remark("waiting for an editor, which starts this by itself; Ctrl-C ends it")
    serve()
