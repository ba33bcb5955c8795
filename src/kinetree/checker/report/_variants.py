"""Variants in messages of findings, because one file may be checked with several arguments."""

from dataclasses import replace

from kinetree.checker.checked import Checked
from kinetree.errors import Finding


def in_variant(finding: Finding, result: Checked) -> Finding:
    """Return the finding with the variant's name in its message, if the file has several."""
    return replace(finding, message=f"{finding.message}, in variant {result.name!r}") if result.name else finding
