"""Operators that copy tensors of types that NumPy does not have: int4, bfloat16."""

from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import one_operator

Array = np.ndarray[Any, Any]


def int4_weights_through(name: str, units: int, depth: int, shape: tuple[int, ...]) -> Model:
    """Constant int4 weights of another shape, which an operator brings to (units, depth)."""
    b, rng = ModelBuilder(), np.random.default_rng(units)
    packed = rng.integers(0, 256, (units * depth + 1) // 2, np.uint8, endpoint=False)
    x = b.input("x", (2, depth), "int8", scale=0.5, zero_point=3)
    constant = b.constant("packed", packed, "int4", shape=shape, scale=0.1)
    weights = b.tensor("weights", (units, depth), "int4", scale=0.1)
    b.operator(name, [constant], [weights])
    y = b.tensor("y", (2, units), "int8", scale=0.5)
    return one_operator(b, "FULLY_CONNECTED", [x, weights], [y], FullyConnectedOptions())


def bfloat16_through(
    name: str, shape: tuple[int, ...], output: tuple[int, ...], *more: Array
) -> Model:
    """A constant of bfloat16, which TFLM's package cannot return, beside a RELU, which it can."""
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    bits = np.arange(np.prod(shape), dtype=np.uint16) * 257
    constant = b.constant("constant", bits.view(np.uint8), "bfloat16", shape=shape)
    inputs = [constant, *(b.constant(f"more{i}", value) for i, value in enumerate(more))]
    b.operator(name, inputs, [b.tensor("copy", output, "bfloat16")])
    y = b.tensor("y", (4,), "float32")
    return one_operator(b, "RELU", [x], [y])


def copied_bits(model: Model, isa: str | None) -> list[int]:
    """What :func:`bfloat16_through` leaves, as bits; ``isa`` None is the reference."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    if isa is None:
        interpreter.invoke()
    else:
        compiled = interpreter.compile(isa)
        assert compiled.kernel(0) == isa
        compiled.invoke()
    index = next(i for i, t in enumerate(model.main.tensors) if t.name == "copy")
    data = interpreter.eval_tensor(index).data
    assert data is not None
    bits: list[int] = data.reshape(-1).view(np.uint16).tolist()
    return bits
