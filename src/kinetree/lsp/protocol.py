"""Conversion between the types of the language server protocol and those of this package."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import to_fs_path

from kinetree.lsp.answers import Changes, Hover, Item, Mark, Place, Symbol
from kinetree.lsp.text import Position, Span

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
SYMBOLS = {
    **dict.fromkeys(("link", "body", "model"), types.SymbolKind.Class),
    **dict.fromkeys(("joint", "freejoint"), types.SymbolKind.Interface),
    **dict.fromkeys(("robot", "world", "worldbody", "mujoco"), types.SymbolKind.Module),
    **dict.fromkeys(("property", "arg"), types.SymbolKind.Variable),
    **dict.fromkeys(("macro", "call"), types.SymbolKind.Function),
    "include": types.SymbolKind.File,
}
ITEMS = {
    **dict.fromkeys(("link", "frame", "body"), types.CompletionItemKind.Class),
    **dict.fromkeys(("property", "attribute"), types.CompletionItemKind.Property),
    "joint": types.CompletionItemKind.Interface,
    "macro": types.CompletionItemKind.Function,
    "tag": types.CompletionItemKind.Keyword,
}
Uri = Callable[[str], str]
"""Function that returns the URI of a path."""


def position_of(position: types.Position) -> Position:
    """Return a position of the protocol as a line and a column."""
    return position.line, position.character


def span_of(span: types.Range) -> Span:
    """Return a range of the protocol as a span."""
    return position_of(span.start), position_of(span.end)


def range_of(span: Span) -> types.Range:
    """Return a span as a range of the protocol."""
    return types.Range(types.Position(*span[0]), types.Position(*span[1]))


def diagnostic(mark: Mark) -> types.Diagnostic:
    """Return a mark as a diagnostic, with a link to the page of its code."""
    return types.Diagnostic(
        range_of(mark.span),
        mark.message,
        SEVERITIES[mark.severity],
        mark.code,
        types.CodeDescription(mark.url) if mark.url.startswith("http") else None,
        "kinetree",
    )


def locations(places: Iterable[Place], uri: Uri) -> list[types.Location]:
    """Return places as locations."""
    return [types.Location(uri(place.file), range_of(place.span)) for place in places]


def markdown(hover: Hover) -> types.Hover:
    """Return what is shown at a place."""
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, hover.markdown), range_of(hover.span))


def symbol(one: Symbol) -> types.DocumentSymbol:
    """Return a symbol of an outline with those in it."""
    kind = SYMBOLS.get(one.kind, types.SymbolKind.Object)
    children = [symbol(child) for child in one.children]
    return types.DocumentSymbol(
        one.name, kind, range_of(one.span), range_of(one.name_span), one.detail or one.kind, children=children
    )


def completion(item: Item, snippets: bool) -> types.CompletionItem:
    """Return a completion. snippets: whether the editor puts the cursor between the quotes of an attribute."""
    new = {"attribute": f'{item.label}="$1"' if snippets else f'{item.label}=""'}.get(item.kind, item.label)
    form = types.InsertTextFormat.Snippet if snippets and item.kind == "attribute" else None
    return types.CompletionItem(
        item.label,
        kind=ITEMS.get(item.kind, types.CompletionItemKind.Value),
        detail=item.detail or None,
        text_edit=types.TextEdit(range_of(item.span), new),
        insert_text_format=form,
        filter_text=item.label,
    )


def edit(changes: Changes, uri: Uri, version: Callable[[str], int | None], versioned: bool) -> types.WorkspaceEdit:
    """Return changes as an edit that the editor applies. version: of an open file, by path, None for others. versioned:
    whether the editor knows versions, which refuse an edit of a text that has changed meanwhile."""
    edits = {file: [types.TextEdit(range_of(one.span), one.new) for one in found] for file, found in changes.items()}
    if not versioned:
        return types.WorkspaceEdit(changes={uri(file): found for file, found in edits.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri(file), version(file)), [*found])
            for file, found in edits.items()
        ]
    )


def capable(capabilities: Any, path: str) -> Any:
    """Return a capability of the editor by its path, such as "window.show_document.support"; None if it has none."""
    for name in path.split("."):
        capabilities = getattr(capabilities, name, None)
    return capabilities


def path_of(uri: object) -> str | None:
    """Return the path of a file's URI; None for other schemes, such as untitled:, and for what is no path."""
    path = to_fs_path(uri) if isinstance(uri, str) and uri.lower().startswith("file:") else None
    return path if path and "\0" not in path else None


def uri_of(path: str) -> str:
    """Return the URI of an absolute path."""
    return Path(path).as_uri()
