"""Texts as values with their places: XML, TOML, YAML, tables and numbers. They know nothing about robots."""
