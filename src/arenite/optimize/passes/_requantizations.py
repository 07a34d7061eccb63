"""Two requantisations in a row that are one, for every value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.optimize.builds import tables
from arenite.optimize.passes._result import Changed, Declined, Result
from arenite.optimize.rewrite import Edit


def join_requantizations(edit: Edit, position: int) -> Result:
    """Join two QUANTIZE: the second one reads what the first one reads."""
    second = edit.operator(position)
    if second.name != "QUANTIZE" or len(second.inputs) != 1 or second.inputs[0] < 0:
        return None
    middle = second.inputs[0]
    writer = edit.writer(middle)
    first = None if writer is None else edit.operator(writer)
    if first is None or first.name != "QUANTIZE" or len(first.inputs) != 1:
        return None
    x, between, y = (edit.tensors[i] for i in (first.inputs[0], middle, second.outputs[0]))
    if x.is_variable or between.is_variable:
        return None
    ones, others = tables(first, x, between, None), tables(second, between, y, None)
    at_once = tables(second, x, y, None)
    if ones is None or others is None or at_once is None:
        return Declined("QUANTIZE stays behind QUANTIZE: not all values of its input can be tried")
    least = int(np.iinfo(between.type.dtype).min)
    different = 0
    for one, other, joined in zip(ones, others, at_once, strict=True):
        in_turn = other[one.astype(np.int64) - least]
        different = max(different, int((in_turn != joined).sum()))
    if different:
        return Declined(
            f"QUANTIZE stays behind QUANTIZE: at once {different} of {len(at_once[0])} values "
            "would be others"
        )
    edit.put(position, replace(second, inputs=first.inputs))
    return Changed(
        f"QUANTIZE reads what QUANTIZE read: equal for all {len(at_once[0])} values, on all builds"
    )
