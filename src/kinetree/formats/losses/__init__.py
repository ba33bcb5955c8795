"""What a format lacks: a table of what each can represent, parts to leave out, and a sidecar for the rest."""
