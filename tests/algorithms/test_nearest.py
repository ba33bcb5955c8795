"""Which closed-form solutions a search may begin at."""

import numpy as np

from each import each
from kinetree.algorithms.nearest import Form


@each("name, edge", [("beyond", 1e-6), ("share", 1e-8), ("off", 1e-9)])
def test_solutions_outside_by_more_than_rounding_are_no_start(name, edge):
    form = Form([0.0] * 6, (), away=2.0, off=0.0, share=0.0, beyond=0.0, sine=1.0)
    assert form._replace(**{name: 0.9 * edge}).distance == 2.0
    assert form._replace(**{name: 1.1 * edge}).distance == np.inf
