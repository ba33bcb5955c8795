"""Conventions that people rely on, as rules that read a robot and say what departs from them."""
