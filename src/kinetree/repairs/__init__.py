"""Edits of texts, and repairs of rules that belong to no family."""
