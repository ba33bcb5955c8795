"""`python -m kinetree` is the command `kinetree`."""

from kinetree.cli import main

main()
