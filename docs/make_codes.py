"""Stand-in until the pages of codes arrive."""


def code_pages() -> dict[str, str]:
    """Return the pages."""
    return {"e/index.md": "# Codes\n"}
