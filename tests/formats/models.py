"""Random models for tests of the formats: sound, but not made to compute anything."""

from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import (
    BuiltinOperator,
    Model,
    ModelBuilder,
    Operator,
    OptionsTable,
    Quantization,
    SignatureDef,
    Subgraph,
    Tensor,
    TensorType,
)
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.reshape import ReshapeOptions

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
BYTE = st.integers(-128, 127)
INT32 = st.integers(-(2**31), 2**31 - 1)
ROWS: dict[str, st.SearchStrategy[OptionsTable]] = {
    "CONV_2D": st.builds(
        Conv2DOptions,
        padding=BYTE,
        stride_w=INT32,
        stride_h=INT32,
        fused_activation_function=BYTE,
        dilation_w_factor=INT32,
        dilation_h_factor=INT32,
        quantized_bias_type=BYTE,
    ),
    "RESHAPE": st.builds(ReshapeOptions, st.lists(INT32, max_size=5).map(tuple)),
}


def small(data: Any = (1, 2, 3), type_: str = "int32") -> Model:
    """A model whose only operator reads a constant."""
    b = ModelBuilder()
    x = b.input("x", (3,), type_)
    b.operator(
        "ADD", [x, b.constant("c", np.asarray(data, type_))], [y := b.tensor("y", (3,), type_)]
    )
    b.output(y)
    return b.build()


@st.composite
def quantizations(draw: st.DrawFn) -> Quantization:
    """One or several scales, or none but the range that the converter saw."""
    floats = st.floats(0, 2.0**20, width=32)
    scales = draw(st.lists(floats, max_size=4))
    zero_points = draw(st.sampled_from([0, 1, len(scales)])) if scales else 0
    seen = draw(st.booleans()) or not scales
    return Quantization(
        scale=np.array(scales, np.float32),
        zero_point=np.array([draw(st.integers(-2, 1)) for _ in range(zero_points)], np.int64),
        quantized_dimension=draw(st.integers(0, 3)),
        min=np.array([-1.5], np.float32) if seen else None,
        max=np.array([np.inf, 2], np.float32) if seen else None,
    )


@st.composite
def tensors(draw: st.DrawFn, *, constant: bool) -> Tensor:
    """A tensor; constants may have more bytes than they need."""
    unsigned = {TensorType.UINT8, TensorType.UINT16, TensorType.UINT4}
    type_ = draw(st.sampled_from(TensorType))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    data = None
    if constant:
        size = type_.nbytes(prod(shape)) + draw(st.integers(0, 3))
        data = np.frombuffer(draw(st.binary(min_size=max(size, 1), max_size=size + 2)), np.uint8)
    return Tensor(
        name=draw(TEXT),
        type=type_,
        shape=shape,
        data=data,
        quantization=None if type_ in unsigned else draw(st.none() | quantizations()),
        is_variable=not constant and draw(st.booleans()),
        shape_signature=draw(st.none() | st.lists(st.integers(-1, 3), max_size=4).map(tuple)),
        has_rank=draw(st.booleans()),
    )


#: Without those that call subgraphs, which have to be there.
BUILTINS = [op.name for op in BuiltinOperator if op.name not in ("IF", "WHILE", "CALL_ONCE")]


@st.composite
def operators(draw: st.DrawFn, computed: list[int], count: int) -> Operator:
    """A builtin operator with or without options, or a custom one."""
    is_custom = draw(st.booleans())
    name = draw(TEXT).replace("\0", "") if is_custom else draw(st.sampled_from(BUILTINS))
    if is_custom or name == "CUSTOM":
        is_custom, name = True, f"My{name}"
    inputs = draw(st.lists(st.integers(-1, count - 1), max_size=4))
    options = draw(st.none() | ROWS[name]) if name in ROWS else None
    return Operator(
        name=name,
        inputs=tuple(inputs),
        outputs=tuple(draw(st.lists(st.sampled_from(computed), max_size=2))) if computed else (),
        options=options,
        custom_options=draw(st.binary(max_size=9)),
        is_custom=is_custom,
        intermediates=tuple(draw(st.lists(st.integers(-1, count - 1), max_size=2))),
        version=draw(st.integers(1, 9)),
        options_type=options.UNION_TYPE if options else 0,
        mutating_variable_inputs=tuple(draw(st.sampled_from([[], [True] * len(inputs)]))),
    )


@st.composite
def subgraphs(draw: st.DrawFn, first_buffer: int) -> Subgraph:
    """A subgraph whose constants have buffers of their own from ``first_buffer`` on."""
    kinds = draw(st.lists(st.booleans(), max_size=6))
    parts = tuple(
        _with_buffer(draw(tensors(constant=constant)), first_buffer + number)
        for number, constant in enumerate(kinds)
    )
    computed = [number for number, constant in enumerate(kinds) if not constant]
    ports = st.lists(st.sampled_from(computed), max_size=2) if computed else st.just([])
    return Subgraph(
        tensors=parts,
        operators=tuple(draw(st.lists(operators(computed, len(kinds)), max_size=4))),
        inputs=tuple(draw(ports)),
        outputs=tuple(draw(ports)),
        name=draw(TEXT),
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A whole model of one or two subgraphs."""
    graphs = [draw(subgraphs(1))]
    if draw(st.booleans()):
        graphs.append(draw(subgraphs(1 + len(graphs[0].tensors))))
    last = len(graphs) - 1
    names = [str(number) for number in range(len(graphs[last].inputs))]
    signature = SignatureDef(
        draw(TEXT), dict(zip(names, graphs[last].inputs, strict=True)), {}, last
    )
    return Model(
        subgraphs=tuple(graphs),
        description=draw(TEXT),
        metadata=draw(st.dictionaries(TEXT, st.binary(max_size=20), max_size=2)),
        signatures=tuple(draw(st.sampled_from([[], [signature]]))),
    )


def _with_buffer(tensor: Tensor, buffer: int) -> Tensor:
    return Tensor(**{**vars(tensor), "buffer": buffer})
