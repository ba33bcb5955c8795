"""Rules: each reads facts of a robot and yields findings where it departs from a convention."""
