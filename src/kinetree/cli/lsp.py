"""`kinetree lsp`: serve an editor."""

import sys

import click

from kinetree.errors import fail


@click.command()
@click.option("--stdio", is_flag=True, help="Use the standard input and output, as always; some editors say so.")
def command(stdio: bool) -> None:
    """Serve an editor with findings, repairs, explanations and names of robot descriptions.

    An editor starts it and speaks the language server protocol over the standard input and output; the page "In the
    editor" of the documentation describes the setup. Settings and xacro arguments are those of kinetree.toml. The
    server writes no file, except a page in the folder of temporary files when the editor asks to show a robot, and
    ends with its editor.
    """
    try:
        import pygls.lsp.server  # noqa: F401
    except ImportError:
        raise fail("lsp", "a language server needs pygls 2", fix="pip install 'kinetree[lsp]'") from None
    from kinetree.lsp.server import serve

    if sys.stdin.isatty():
        print("waiting for an editor, which starts this by itself; Ctrl-C ends it", file=sys.stderr)
    serve()
