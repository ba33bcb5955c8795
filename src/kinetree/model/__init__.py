"""The robot as written (`Robot`) and as computed (`Tree`), and the edits that turn one robot into another."""
