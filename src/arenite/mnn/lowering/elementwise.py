"""Operators that work element by element: activations, unary and binary functions.

Facts: MNN 3.6.1 ``shape/ShapeBinaryOp.cpp``, ``geometry/GeometryELU.cpp``,
``backend/cpu/CPURelu.cpp``, ``CPUEltwise.cpp``, ``CPUScale.cpp``, ``CPUCast.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce

import numpy as np

from arenite.mnn.arithmetic.functions import BINARY as FUNCTIONS
from arenite.mnn.arithmetic.functions import COMPARISONS, binary_takes, unary_takes
from arenite.mnn.file.enums import (
    TENSOR_TYPES,
    BinaryKind,
    EltwiseKind,
    Format,
    OpType,
    UnaryKind,
)
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Key, Layout, Value
from arenite.mnn.operators.binary import MnnBinaryOptions
from arenite.mnn.operators.unary import MnnUnaryOptions, apply
from arenite.model import Array, OptionsTable, TensorType
from arenite.ops.kernel_util import FLOAT32_MAX, Activation
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.binary import MAX_RANK
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.div import DivOptions
from arenite.ops.tflite.hard_swish import HardSwishOptions
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from arenite.ops.tflite.mul import MulOptions

Mapping_ = Callable[[GraphBuilder, Op], None]

_FLOAT, _INT = TensorType.FLOAT32, TensorType.INT32

#: MNN's unary functions on floats that are operators of TensorFlow Lite.
UNARY: Mapping[UnaryKind, tuple[str, OptionsTable | None]] = {
    UnaryKind.SIGMOID: ("LOGISTIC", None),
    UnaryKind.TANH: ("TANH", None),
    UnaryKind.HARDSWISH: ("HARD_SWISH", HardSwishOptions()),
}

#: MNN's binary functions that are operators of TensorFlow Lite: name, row, whether the row has
#: a fused activation, types.
BINARY: Mapping[BinaryKind, tuple[str, type[OptionsTable], bool, tuple[TensorType, ...]]] = {
    BinaryKind.ADD: ("ADD", AddOptions, True, (_FLOAT, _INT)),
    BinaryKind.SUB: ("SUB", SubOptions, True, (_FLOAT, _INT)),
    BinaryKind.MUL: ("MUL", MulOptions, True, (_FLOAT, _INT)),
    BinaryKind.REALDIV: ("DIV", DivOptions, True, (_FLOAT,)),
    BinaryKind.MAXIMUM: ("MAXIMUM", MaximumMinimumOptions, False, (_FLOAT,)),
    BinaryKind.MINIMUM: ("MINIMUM", MaximumMinimumOptions, False, (_FLOAT,)),
}

ELTWISE: Mapping[EltwiseKind, BinaryKind] = {
    EltwiseKind.PROD: BinaryKind.MUL,
    EltwiseKind.SUM: BinaryKind.ADD,
    EltwiseKind.MAXIMUM: BinaryKind.MAXIMUM,
    EltwiseKind.SUB: BinaryKind.SUB,
}


# -- one input ----------------------------------------------------------------------------


def map_elements(
    g: GraphBuilder,
    op: Op,
    name: str,
    options: OptionsTable | None = None,
    *,
    type: TensorType | None = None,  # noqa: A002 - the schema's name
) -> None:
    """An operator on one input, whatever order and shape its elements have."""
    x = g.input(op)
    y = g.output(op, x.shape, x, type=type)
    if x.constant is not None and name in FOLDED and g.folds(y, x):
        y.constant = folded(name, options, x.constant, y.type)
        return
    held = g.bytes(x, x.key)
    shape = held.shape
    source = g.shaped(held, shape, x.name)
    g.emit(name, [source], [g.new(y, x.key.layout, shape)], options)


#: Operators on one input that are computed while loading where their input is known.
FOLDED = ("MNN_UNARY", "CAST")


def folded(name: str, options: OptionsTable | None, x: Array, type_: TensorType) -> Array:
    """The operator's result."""
    with np.errstate(all="ignore"):
        values = x if name == "CAST" else apply(cast_options(options), x)
        return values.astype(type_.dtype)


def cast_options(options: OptionsTable | None) -> MnnUnaryOptions:
    """The options of MNN_UNARY."""
    assert isinstance(options, MnnUnaryOptions)
    return options


def unary(g: GraphBuilder, op: Op) -> None:
    """UnaryOp: by its kind."""
    kind, type_ = UnaryKind(op.main["opType"]), g.input(op).type
    if not unary_takes(kind.name, is_float=type_ is _FLOAT):
        g.fail(op, f"MNN has no {kind.name} of {type_}", ".main.opType")
    if type_ is _FLOAT and kind in UNARY:
        map_elements(g, op, *UNARY[kind])
    else:
        map_elements(g, op, "MNN_UNARY", MnnUnaryOptions(kind.name))


def relu(g: GraphBuilder, op: Op) -> None:
    """ReLU, with a slope for negative inputs or without."""
    slope = op.main.get("slope", 0.0)
    if slope:
        map_elements(g, op, "LEAKY_RELU", LeakyReluOptions(alpha=slope))
    else:
        map_elements(g, op, "RELU")


def clip(g: GraphBuilder, op: Op) -> None:
    """ReLU6, which is a clip to any range."""
    low, high = op.main.get("minValue", 0.0), op.main.get("maxValue", 6.0)
    if (low, high) == (0, 6):
        map_elements(g, op, "RELU6")
    elif low == 0 and high >= FLOAT32_MAX:
        map_elements(g, op, "RELU")
    else:
        map_elements(g, op, "MNN_UNARY", MnnUnaryOptions("CLIP", low, high))


def elu(g: GraphBuilder, op: Op) -> None:
    """ELU and Selu: ``scale * (x > 0 ? x : alpha * (exp(x) - 1))``."""
    alpha, factor = op.main.get("alpha", 0.0), op.main.get("scale", 1.0)
    if alpha == factor == 1:
        map_elements(g, op, "ELU")
    else:
        map_elements(g, op, "MNN_UNARY", MnnUnaryOptions("ELU", alpha, factor))


def prelu(g: GraphBuilder, op: Op) -> None:
    """PReLU: a slope for negative inputs per channel, or one for all."""
    x, slopes = g.input(op), op.main["slope"]
    if slopes is None or not len(slopes):
        g.fail(op, "expected slopes", ".main.slope")
    if len(slopes) == 1:
        map_elements(g, op, "LEAKY_RELU", LeakyReluOptions(alpha=float(slopes[0])))
        return
    channels = x.shape[-1] if x.format is Format.NHWC else x.shape[1] if x.rank > 1 else 0
    if len(slopes) != channels or x.rank > 4:
        g.fail(op, f"expected {channels} slopes for {list(x.shape)}, got {len(slopes)}")
    y = g.output(op, x.shape, x)
    inputs = [g.tensor(x, Layout.LAST), g.constant(slopes, f"{op.name} slopes")]
    g.emit("PRELU", inputs, [g.new(y, Layout.LAST)])


def cast(g: GraphBuilder, op: Op) -> None:
    """Cast: to booleans, which are int32 here, by comparing with zero."""
    x, wanted = g.input(op), op.main.get("dstT", 0)
    if op.type is OpType.CastLike:
        target = g.input(op, 1).type
    elif wanted in TENSOR_TYPES:
        target = TENSOR_TYPES[wanted]
    else:
        g.fail(op, f"data type {wanted} is not supported", ".main.dstT")
    if wanted == DT_BOOL:
        zero = g.constant(np.zeros((), x.type.dtype), "zero")
        held = g.bytes(x, x.key)
        y = g.output(op, x.shape, x, type=_INT)
        target_index = g.new(y, x.key.layout, held.shape)
        source = g.shaped(held, held.shape, x.name)
        g.emit("MNN_BINARY", [source, zero], [target_index], MnnBinaryOptions("NOTEQUAL"))
    elif target is x.type:
        g.share(g.output(op, x.shape, x), x, Layout.PLAIN, Layout.PLAIN)
    else:
        map_elements(g, op, "CAST", CastOptions(int(x.type), int(target)), type=target)


DT_BOOL = 10


def scale(g: GraphBuilder, op: Op) -> None:
    """Scale: a factor and a bias per channel."""
    row = op.main
    if row["external"] is not None:
        g.fail(op, "its numbers are in another file; put them into the model", ".main.external")
    per_channel(g, op, row["scaleData"], row["biasData"])


def batch_norm(g: GraphBuilder, op: Op) -> None:
    """BatchNorm, with what training left behind."""
    row = op.main
    mean, var, slope, bias = (row[f"{name}Data"] for name in ("mean", "var", "slope", "bias"))
    if mean is None or var is None or slope is None or bias is None:
        g.fail(op, "expected meanData, varData, slopeData and biasData", ".main")
    if len({len(numbers) for numbers in (mean, var, slope, bias)}) != 1:
        g.fail(op, "expected as many means, variances, slopes and biases", ".main")
    factor = slope / np.sqrt(var + np.float32(row["epsilon"]))
    per_channel(g, op, factor, bias - mean * factor)


def per_channel(g: GraphBuilder, op: Op, factor: Array | None, bias: Array | None) -> None:
    """``y = factor * x + bias``, both along the channels."""
    x = g.input(op)
    channels = x.shape[-1] if x.format is Format.NHWC else x.shape[1] if x.rank > 1 else 0
    for numbers in (factor, bias):
        if numbers is not None and len(numbers) != channels:
            g.fail(op, f"expected {channels} numbers, got {len(numbers)}", ".main")
    if factor is None:
        g.fail(op, "expected factors", ".main")
    y = g.output(op, x.shape, x)
    index = g.tensor(x, Layout.LAST)
    target = g.new(y, Layout.LAST)
    if bias is None or not bias.any():
        g.emit("MUL", [index, g.constant(factor, f"{op.name} scale")], [target], MulOptions())
        return
    product = g.temporary(g.shapes[target], _FLOAT, f"{y.name} (scaled)")
    g.emit("MUL", [index, g.constant(factor, f"{op.name} scale")], [product], MulOptions())
    g.emit("ADD", [product, g.constant(bias, f"{op.name} bias")], [target], AddOptions())


# -- two inputs ---------------------------------------------------------------------------


def binary(g: GraphBuilder, op: Op) -> None:
    """BinaryOp: by its kind, with broadcasting."""
    kind = BinaryKind(op.main["opType"])
    combine(g, op, kind, [g.input(op, 0), g.input(op, 1)], relu=op.main["activationType"] == 1)


def eltwise(g: GraphBuilder, op: Op) -> None:
    """Eltwise: a binary function over all inputs, which have one shape."""
    values = g.inputs(op)
    coefficients = op.main["coeff"]
    if coefficients is not None and len(coefficients) >= 2:
        if tuple(coefficients[:2]) != (1.0, 0.0):
            g.fail(op, "coefficients other than 1 and 0 are not supported", ".main.coeff")
        g.share(g.output(op, values[0].shape, values[0]), values[0], Layout.PLAIN, Layout.PLAIN)
        return
    if len(values) < 2 or len({value.shape for value in values}) != 1:
        g.fail(op, f"expected inputs of one shape, got {[list(v.shape) for v in values]}")
    kind = op.main["type"]
    combine(g, op, ELTWISE[EltwiseKind(kind)], values)


def combine(
    g: GraphBuilder, op: Op, kind: BinaryKind, values: list[Value], *, relu: bool = False
) -> None:
    """Fold a binary function over values that broadcast."""
    shape = broadcast(g, op, values)
    types = {value.type for value in values}
    if len(types) != 1:
        g.fail(op, f"expected inputs of one type, got {' and '.join(map(str, sorted(types)))}")
    like = max(values, key=lambda value: value.rank)
    if not binary_takes(kind.name, is_float=like.type is _FLOAT):
        g.fail(op, f"MNN has no {kind.name} of {like.type}", ".main")
    type_ = _INT if kind.name in COMPARISONS else like.type
    y = g.output(op, shape, like, type=type_)
    known = [value.constant for value in values if value.constant is not None]
    if g.folds(y, *values):
        y.constant = folded_binary(kind, known, y.type, relu=relu)
        return
    layout, indices = operands(g, y, values)
    total = indices[0]
    for place, index in enumerate(indices[1:], 2):
        is_last = place == len(indices)
        if is_last:
            target = g.new(y, layout, shared_shape(g, indices))
        else:
            target = g.temporary(shared_shape(g, indices) or y.physical(layout), type_, y.name)
        emit_binary(g, kind, (total, index), target, relu=relu and is_last)
        total = target


def folded_binary(kind: BinaryKind, arrays: list[Array], type_: TensorType, *, relu: bool) -> Array:
    """The function folded over known values."""
    with np.errstate(all="ignore"):
        result = reduce(FUNCTIONS[kind.name], arrays).astype(type_.dtype)
    return np.maximum(result, 0) if relu else result


def broadcast(g: GraphBuilder, op: Op, values: list[Value]) -> Shape:
    """The common shape."""
    try:
        return np.broadcast_shapes(*(value.shape for value in values))
    except ValueError:
        g.fail(op, f"shapes do not broadcast: {[list(value.shape) for value in values]}")


def operands(g: GraphBuilder, y: Value, values: list[Value]) -> tuple[Layout, list[int]]:
    """One layout for the inputs and the output, and the inputs in it."""
    last = y.layout(Layout.LAST)
    is_packed = any(v.rank == y.rank and v.key.layout is Layout.LAST for v in values)
    if last is Layout.LAST and is_packed and all(movable(v, y) for v in values):
        return last, [in_last(g, value, y) for value in values]
    same = common_shape(g, values)
    if same is not None:
        return Layout.PLAIN, [g.shaped(g.bytes(v, Key(Layout.PLAIN)), same, v.name) for v in values]
    return Layout.PLAIN, [g.tensor(value) for value in values]


def movable(value: Value, y: Value) -> bool:
    """Whether a value can be had with its channels last, to go with ``y``."""
    if value.constant is not None or value.size == 1:
        return True
    return value.rank == y.rank and value.has_two_layouts


def in_last(g: GraphBuilder, value: Value, y: Value) -> int:
    """A value with its channels last; fewer dimensions than those of ``y`` are filled up."""
    if value.constant is None:
        if value.size == 1:
            held = g.bytes(value, value.key)
            return g.shaped(held, (1,) * y.rank, value.name)
        return g.tensor(value, Layout.LAST)
    full = value.constant.reshape((1,) * (y.rank - value.rank) + value.shape)
    return g.constant(full.transpose(y.order(Layout.LAST)), value.name)


def common_shape(g: GraphBuilder, values: list[Value]) -> Shape | None:
    """A shape under which all values are there already, where nothing is broadcast."""
    if len({value.shape for value in values}) != 1 or any(v.constant is not None for v in values):
        return None
    held = [g.bytes(value, Key(Layout.PLAIN)).tensors for value in values]
    return next((s for s in held[0] if all(s in other for other in held)), None)


def shared_shape(g: GraphBuilder, indices: list[int]) -> Shape | None:
    """The inputs' shape if they have just one."""
    shapes = {g.shapes[index] for index in indices}
    return shapes.pop() if len(shapes) == 1 else None


FUSED = "fused_activation_function"


def emit_binary(
    g: GraphBuilder, kind: BinaryKind, inputs: tuple[int, int], target: int, *, relu: bool
) -> None:
    """One binary operator."""
    found = BINARY.get(kind)
    rank = len(g.shapes[target])
    if found is None or g.types[inputs[0]] not in found[3] or rank > MAX_RANK:
        options = MnnBinaryOptions(kind.name, relu)
        g.emit("MNN_BINARY", list(inputs), [target], options)
        return
    name, row, fuses, _ = found
    if fuses:
        activation = Activation.RELU if relu else Activation.NONE
        g.emit(name, list(inputs), [target], row(**{FUSED: activation}))
    elif relu:
        raw = g.temporary(g.shapes[target], g.types[target], "before RELU")
        g.emit(name, list(inputs), [raw], row())
        g.emit("RELU", [raw], [target])
    else:
        g.emit(name, list(inputs), [target], row())


MAPPINGS: Mapping[OpType, Mapping_] = {
    OpType.ReLU: relu,
    OpType.ReLU6: clip,
    OpType.ELU: elu,
    OpType.Selu: elu,
    OpType.PReLU: prelu,
    OpType.Sigmoid: partial(map_elements, name="LOGISTIC"),
    OpType.TanH: partial(map_elements, name="TANH"),
    OpType.Cast: cast,
    OpType.CastLike: cast,
    OpType.Scale: scale,
    OpType.BatchNorm: batch_norm,
    OpType.Eltwise: eltwise,
}
