"""Rules about xacro files as they are written, and what calls of macros pass on."""
