"""Files on the disk, whatever is in them: found, opened, and written whole."""
