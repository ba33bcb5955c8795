"""Rigid-body dynamics (Featherstone, Rigid Body Dynamics Algorithms, ch. 5 to 7), angular part first."""
