"""Kinds of robots and of their chains: arms, legs, hands, mobile bases."""
