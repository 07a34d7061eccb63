"""Size of a model: parameters, bytes and multiply-accumulates, from the model alone.

A multiply-accumulate (MAC) is one product of a weight, or of two matrices' elements, that
is added to a sum. Bias additions, pooling, element-wise operators and activations count
as none. Weights that meet padding are counted, as the operator's shape says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

from arenite.model import Model, Operator, Subgraph, Tensor, TensorType
from arenite.ops import only_mnn_has

Tensors = tuple[Tensor | None, ...]


@dataclass(frozen=True)
class OperatorStatistics:
    """Size of one operator.

    Attributes:
        subgraph: Index of its subgraph.
        index: Its place in the subgraph.
        name: The operator's name.
        parameters: Elements of its weights, biases and other trained constants.
        constant_bytes: Bytes of all its constants, shapes and axes included.
        macs: Multiply-accumulates of one run; None where Arenite has no formula (custom
            operators, control flow).
    """

    subgraph: int
    index: int
    name: str
    parameters: int
    constant_bytes: int
    macs: int | None


@dataclass(frozen=True)
class ModelStatistics:
    """Size of a model; constants that several operators share count once.

    Attributes:
        operators: One entry per operator, in model order.
        parameters: Elements of all trained constants.
        constant_bytes: Bytes of all constants.
        file_bytes: Size of the file, 0 for a model that was built.
        macs: Sum over the operators whose MACs are known.
        macs_complete: Whether they are known for all.
    """

    operators: tuple[OperatorStatistics, ...]
    parameters: int
    constant_bytes: int
    file_bytes: int
    macs: int
    macs_complete: bool


def statistics(model: Model) -> ModelStatistics:
    """Count a model's parameters, constants and multiply-accumulates."""
    operators = tuple(
        _operator(number, subgraph, index)
        for number, subgraph in enumerate(model.subgraphs)
        for index in range(len(subgraph.operators))
    )
    constants = _distinct(t for s in model.subgraphs for t in s.tensors if t.is_constant)
    return ModelStatistics(
        operators=operators,
        parameters=sum(t.size for t in constants if is_parameter(t)),
        constant_bytes=sum(_constant_bytes(t) for t in constants),
        file_bytes=model.nbytes,
        macs=sum(op.macs or 0 for op in operators),
        macs_complete=all(op.macs is not None for op in operators),
    )


def is_parameter(tensor: Tensor) -> bool:
    """Whether a tensor is a trained constant.

    Integers of 32 and 64 bits without a scale are shapes, axes and paddings; a bias has
    a scale.
    """
    if not tensor.is_constant or tensor.type in (TensorType.BOOL, TensorType.STRING):
        return False
    scaled = tensor.quantization is not None and len(tensor.quantization.scale) > 0
    return scaled or tensor.type not in (TensorType.INT32, TensorType.INT64)


def _operator(number: int, subgraph: Subgraph, index: int) -> OperatorStatistics:
    operator = subgraph.operators[index]
    inputs = tuple(subgraph.tensors[i] if i >= 0 else None for i in operator.inputs)
    outputs = tuple(subgraph.tensors[i] for i in operator.outputs if i >= 0)
    constants = _distinct(t for t in inputs if t is not None and t.is_constant)
    return OperatorStatistics(
        subgraph=number,
        index=index,
        name=operator.name,
        parameters=sum(t.size for t in constants if is_parameter(t)),
        constant_bytes=sum(_constant_bytes(t) for t in constants),
        macs=_macs(operator, inputs, outputs),
    )


def _constant_bytes(tensor: Tensor) -> int:
    return 0 if tensor.data is None else tensor.data.nbytes


def _distinct(tensors: Iterable[Tensor]) -> list[Tensor]:
    """The tensors with one of each that share their data (one buffer in the file)."""
    found: dict[tuple[int, int], Tensor] = {}
    for tensor in tensors:
        assert tensor.data is not None
        place = tensor.data.__array_interface__["data"][0], tensor.data.nbytes
        found.setdefault(place, tensor)
    return list(found.values())


# -- multiply-accumulates per operator ------------------------------------------------


def _macs(operator: Operator, inputs: Tensors, outputs: Tensors) -> int | None:
    is_unknown = operator.is_custom and not only_mnn_has(operator.name)
    if is_unknown or operator.name in _UNKNOWN:
        return None
    formula = _FORMULAS.get(operator.name)
    if formula is None:
        return 0
    try:
        return formula(operator, inputs, outputs)
    except IndexError:  # too few tensors or dimensions: not a legal operator
        return None


def _shape(tensors: Tensors, index: int) -> tuple[int, ...]:
    tensor = tensors[index]
    if tensor is None:
        raise IndexError(index)
    return tensor.shape


def _conv(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    _, height, width, depth = _rank(4, _shape(inputs, 1))
    return prod(_shape(outputs, 0)) * height * width * depth


def _depthwise_conv(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    _, height, width, _ = _rank(4, _shape(inputs, 1))
    return prod(_shape(outputs, 0)) * height * width


def _transpose_conv(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    channels, height, width, _ = _rank(4, _shape(inputs, 1))
    return prod(_shape(inputs, 2)) * height * width * channels


def _fully_connected(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    return prod(_shape(outputs, 0)) * _shape(inputs, 1)[-1]


def _batch_matmul(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    transposed = getattr(operator.options, "adj_x", False)
    return prod(_shape(outputs, 0)) * _shape(inputs, 0)[-2 if transposed else -1]


def _mnn_conv_int8(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    is_depthwise = getattr(operator.options, "depthwise", False)
    return (_depthwise_conv if is_depthwise else _conv)(operator, inputs, outputs)


def _mnn_transpose_conv(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    _, height, width, _, filters = _rank(5, _shape(inputs, 1))
    return prod(_shape(inputs, 0)) * height * width * filters


def _svdf(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    return _shape(inputs, 0)[0] * (prod(_shape(inputs, 1)) + prod(_shape(inputs, 2)))


def _lstm(operator: Operator, inputs: Tensors, outputs: Tensors) -> int:
    """Four gates of input and recurrent weights, and the projection, at every time step."""
    matrices = [*inputs[1:9], *inputs[16:17]]
    steps = prod(_rank(3, _shape(inputs, 0))[:2])
    return steps * sum(t.size for t in matrices if t is not None)


def _rank(rank: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) != rank:
        raise IndexError(rank)
    return shape


_FORMULAS: dict[str, Callable[[Operator, Tensors, Tensors], int]] = {
    "BATCH_MATMUL": _batch_matmul,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise_conv,
    "FULLY_CONNECTED": _fully_connected,
    "MNN_CONV_INT8": _mnn_conv_int8,
    "MNN_TRANSPOSE_CONV": _mnn_transpose_conv,
    "SVDF": _svdf,
    "TRANSPOSE_CONV": _transpose_conv,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}

# Operators that multiply matrices or run other subgraphs, and that TFLM does not have or
# whose cost is not in their shapes.
_UNKNOWN = frozenset(
    {
        "BIDIRECTIONAL_SEQUENCE_LSTM",
        "BIDIRECTIONAL_SEQUENCE_RNN",
        "CALL",
        "CALL_ONCE",
        "CONV_3D",
        "CONV_3D_TRANSPOSE",
        "DELEGATE",
        "IF",
        "LSTM",
        "RFFT2D",
        "RNN",
        "STABLEHLO_COMPOSITE",
        "STABLEHLO_CONVOLUTION",
        "STABLEHLO_DOT_GENERAL",
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        "WHILE",
    }
)
