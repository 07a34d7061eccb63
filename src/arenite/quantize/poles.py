"""Operators with a pole: near a divisor of zero eight bits say nothing of a quotient.

An integer kernel does such an operator only where its divisor keeps away from zero, by as many
steps as the operator's own file states. Else it stays float, and so does what makes its divisor:
eight bits before it would have lost already what float needs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from arenite.model import Operator, Quantization, Subgraph, TensorType
from arenite.model.types import FLOAT32
from arenite.ops import scheme_of
from arenite.quantize.numbers import affine, quantized

#: Real values from and to.
_Range = tuple[float, float]


def float_near_poles(
    main: Subgraph,
    ranges: Mapping[int, _Range],
    shared: Mapping[int, _Range],
    kinds: Mapping[int, TensorType],
) -> dict[int, str]:
    """Operators that stay float for a pole's sake, by position, and why.

    Args:
        main: The float model's main subgraph.
        ranges: Real values of float tensors, by index; constants need none.
        shared: Those of all that share a tensor's scale.
        kinds: What values of operators shall be, by position.
    """
    found: dict[int, str] = {}
    for position, op in enumerate(main.operators):
        scheme = scheme_of(op.name)
        kind = kinds.get(position, FLOAT32)
        if scheme is None or scheme.pole is None or kind is FLOAT32:
            continue
        divisor = op.inputs[scheme.pole.place]
        own = _range(main, divisor, ranges)
        steps = _steps_from_zero(main, divisor, own, affine(*shared[divisor], kind), kind)
        if steps >= scheme.pole.steps:
            continue
        found[position] = (
            f"the values that it divides by ({own[0]:.3g} to {own[1]:.3g}) come to {steps:.3g} "
            f"steps of {kind} from zero, and its integer kernel needs {scheme.pole.steps}"
        )
        for before in _makers(main, divisor, position):
            found.setdefault(before, f"{op.name} at {position} divides by what it makes")
    for position, op in enumerate(main.operators):
        if _is_exact(op) and kinds.get(position, FLOAT32) is not FLOAT32:
            found[position] = "it compares for equality, and int8 has one number for many"
        elif not _makes_indices(main, op):
            continue
        for index in op.inputs:
            for before in _makers(main, index, position, is_shared=True):
                found.setdefault(before, f"{op.name} at {position} needs its values exactly")
    return found


def _is_exact(op: Operator) -> bool:
    scheme = scheme_of(op.name)
    return scheme is not None and scheme.exact


def _makes_indices(main: Subgraph, op: Operator) -> bool:
    """Whether an operator makes whole numbers of floats, one of each, and no integer kernel does.

    Most are places in a tensor: a step of int8 may be several of them.
    """
    if len(op.inputs) != 1 or len(op.outputs) != 1 or scheme_of(op.name) is not None:
        return False
    before, after = main.tensors[op.inputs[0]], main.tensors[op.outputs[0]]
    is_whole = after.type in (TensorType.INT32, TensorType.INT64)
    return before.type is FLOAT32 and is_whole and before.shape == after.shape


def _range(main: Subgraph, index: int, ranges: Mapping[int, _Range]) -> _Range:
    value = main.tensors[index].value if main.tensors[index].is_constant else None
    if value is not None and value.size:
        return float(value.min()), float(value.max())
    return ranges.get(index, (0.0, 0.0))


def _steps_from_zero(
    main: Subgraph, index: int, own: _Range, scales: Quantization, kind: TensorType
) -> float:
    """The least distance of a tensor's values from zero, in steps of an integer type."""
    value = main.tensors[index].value if main.tensors[index].is_constant else None
    if value is not None:
        raw = quantized(value, scales, kind).astype(np.int64) - int(scales.zero_point[0])
        return float(np.abs(raw).min(initial=0))
    if own[0] <= 0 <= own[1]:
        return 0.0
    return min(map(abs, own)) / float(scales.scale[0])


def _makers(main: Subgraph, tensor: int, reader: int, *, is_shared: bool = False) -> set[int]:
    """Operators whose results serve a tensor: back to layers, and to what others read.

    With ``is_shared`` others may read it as well.
    """
    writers = {index: n for n, op in enumerate(main.operators) for index in op.outputs}
    found = {reader}
    todo = [tensor]
    while todo:
        index = todo.pop()
        position = writers.get(index)
        if position is None or position in found:
            continue
        op = main.operators[position]
        if _is_layer(op) or not (is_shared or _serves_only(main, op, found)):
            continue
        found.add(position)
        todo += [one for one in op.inputs if one >= 0]
        todo += [t for n in found for t in main.operators[n].inputs if t >= 0 and n != reader]
    return found - {reader}


def _is_layer(op: Operator) -> bool:
    scheme = scheme_of(op.name)
    return scheme is not None and bool(scheme.weights or scheme.states or scheme.alike)


def _serves_only(main: Subgraph, op: Operator, readers: set[int]) -> bool:
    if set(op.outputs) & set(main.outputs):
        return False
    others = (one for n, one in enumerate(main.operators) if n not in readers)
    return not any(set(op.outputs) & set(one.inputs) for one in others)
