"""Activations after an operator that can compute them itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from arenite.model import Operator, Tensor, TensorType
from arenite.ops.kernel_util import Activation

#: Operators on floats whose rows have a fused activation.
_FUSING = ("ADD", "SUB", "MUL", "DIV", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
_ACTIVATIONS = {"RELU": Activation.RELU, "RELU6": Activation.RELU6}
_FIELD = "fused_activation_function"


def fused(
    operators: Sequence[Operator],
    origins: Sequence[int],
    tensors: Sequence[Tensor],
    outputs: Collection[int],
) -> tuple[list[Operator], list[int]]:
    """The operators and their origins, with activations in the operators before them.

    Only where nobody else reads what the activation reads. What is fused has the
    activation's origin, as its output is the activation's.
    """
    readers = Counter(index for operator in operators for index in operator.inputs)
    makers = {operator.outputs[0]: place for place, operator in enumerate(operators)}
    result: list[Operator | None] = list(operators)
    for place, operator in enumerate(operators):
        activation = _ACTIVATIONS.get(operator.name)
        if activation is None or tensors[operator.outputs[0]].type is not TensorType.FLOAT32:
            continue
        before = operator.inputs[0]
        if readers[before] > 1 or before in outputs or before not in makers:
            continue
        maker = result[makers[before]]
        row = maker.options if maker is not None and maker.name in _FUSING else None
        if maker is None or row is None or getattr(row, _FIELD) != Activation.NONE:
            continue
        options = replace(row, **{_FIELD: activation})
        result[makers[before]] = None
        result[place] = replace(maker, outputs=operator.outputs, options=options)
    kept = [place for place, operator in enumerate(result) if operator is not None]
    return [op for op in result if op is not None], [origins[place] for place in kept]
