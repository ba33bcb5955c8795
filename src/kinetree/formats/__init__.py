"""Formats, a module each: text to the parts of a robot and back. Readers report findings and never raise on content."""
