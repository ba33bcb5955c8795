"""`kinetree lsp`: serve an editor."""

import sys

import click

from kinetree.cli._help import Command
from kinetree.errors import fail


@click.command(
    cls=Command,
    section="Check and repair",
    short_help="Serve findings and repairs to an editor.",
    example="kinetree lsp",
)
@click.option("--stdio", is_flag=True, hidden=True, help="Use the standard input and output, as without this option.")
def command(stdio: bool) -> None:
    """Serve findings, repairs, explanations and names of robot descriptions to an editor.

    The editor starts this command and uses the language server protocol over the standard input and output; the page
    "In the editor" of the documentation describes the setup. Settings and xacro arguments are those of kinetree.toml.
    The server writes no file, except a temporary page when the editor shows a robot, and ends with its editor.
    """
    try:
        import pygls.lsp.server  # noqa: F401
    except ImportError:
        raise fail("lsp", "a language server needs pygls 2", fix="pip install 'kinetree[lsp]'") from None
    from kinetree.lsp.server import serve

    if sys.stdin.isatty():
        print("waiting for an editor, which starts this by itself; Ctrl-C ends it", file=sys.stderr)
    serve()
