"""Functions of one int8 value as a table of their 256 results.

The reference kernel makes the table, so there is no arithmetic here that could differ from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arenite.c_text import fill
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import require_elements, require_types
from arenite.firmware.network.kernel import Arrays, Constant, Work
from arenite.firmware.network.layers import AnyLayer, Value
from arenite.model import Model, ModelBuilder, TensorType
from arenite.ops.context import Array
from arenite.runtime.heap_host import HeapInterpreter

#: Types of one byte.
BYTES = frozenset({TensorType.INT8, TensorType.UINT8})

_LOOKUP = "for (int32_t i = 0; i < $size; ++i) y[i] = table[(uint8_t)x[i]];"


def lookup(layer: AnyLayer) -> Work:
    """``y = table[x]``."""
    require_types(layer, *BYTES)
    require_elements(layer)
    x, y = layer.input(0), layer.output
    read: Arrays = {"x": x, "table": Constant("table", results_of(layer))}
    return work_of(layer, fill(_LOOKUP, size=y.size), read, stem="lookup", in_place=(0,))


def results_of(layer: AnyLayer) -> Array:
    """The operator's results for the bytes 0 to 255, by its reference kernel."""
    every_value = np.arange(256, dtype=np.uint8)
    x, y = layer.input(0), layer.output
    interpreter = HeapInterpreter(_model(layer, x, y), engine="reference")
    interpreter.allocate_tensors()
    interpreter.input(0)[...] = every_value.view(interpreter.input(0).dtype)
    interpreter.invoke()
    return np.array(interpreter.output(0)).reshape(-1)


def _model(layer: AnyLayer, x: Value, y: Value) -> Model:
    """The operator alone, on 256 values."""
    builder = ModelBuilder()
    one = builder.input("x", (256,), x.type, scale=x.scale, zero_point=x.zero_point)
    two = builder.tensor("y", (256,), y.type, scale=y.scale, zero_point=y.zero_point)
    return alone(builder, layer, [one], two)


def alone(builder: ModelBuilder, layer: AnyLayer, inputs: Sequence[int], output: int) -> Model:
    """The model of a layer's operator, of tensors that a builder has."""
    builder.output(output)
    model = builder.build()
    operator = replace(layer.operator, inputs=tuple(inputs), outputs=(output,))
    return replace(model, subgraphs=(replace(model.main, operators=(operator,)),))
