"""MNN_LOOKUP: a function of int8 as a table."""

import numpy as np

from arenite.mnn.operators.lookup import MnnLookupOptions
from tests.mnn.operator_models import Fed, outputs_of, single


def test_the_table_begins_with_the_value_for_minus_128() -> None:
    table = MnnLookupOptions((5, *[0] * 126, 6, 7, 8, *[0] * 125, 9))
    x = np.int8([-128, -1, 0, 1, 127, 100])
    tensor = Fed(x.shape, "int8")
    (y,) = outputs_of(single("LOOKUP", [tensor], tensor, table), x)
    assert y.tolist() == [5, 6, 7, 8, 9, 0]
