"""Conventions as rules, which read a robot and yield findings where it departs from them."""
