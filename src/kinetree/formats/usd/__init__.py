"""OpenUSD: read flat text here, everything else composed by usd-core in a limited child process; written as text."""

from kinetree.formats.usd.read import read as read
from kinetree.formats.usd.write import write as write
