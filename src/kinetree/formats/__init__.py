"""One module a format: text to parts of a robot and back. Readers never raise on content; they report findings."""
