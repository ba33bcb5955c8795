"""What a format cannot represent of a robot but a file can carry: elements of Kinetree that other programs ignore.

A writer writes what its format has, reads that again, and writes the differences as records; a reader puts them back.
"""

from kinetree.formats.losses.sidecar.differences import Record as Record
from kinetree.formats.losses.sidecar.restore import restore as restore
from kinetree.formats.losses.sidecar.write import (
    LegalNames as LegalNames,
    other_order as other_order,
    written as written,
)
