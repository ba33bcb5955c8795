"""Robots that come with the package, one folder each: `robot.toml` describes it, other files are its tables."""
