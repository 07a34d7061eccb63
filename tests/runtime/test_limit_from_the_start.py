"""What could be made within the memory limit also runs within it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from tests.runtime.models import conv_model


def connected(dtype: str) -> Model:
    """More constants than activations."""
    b = ModelBuilder()
    quantized: dict[str, Any] = {"scale": 0.1, "zero_point": 0} if dtype == "int8" else {}
    x = b.input("x", (1, 64), dtype, **quantized)
    values = np.random.default_rng(0).integers(-9, 9, (96, 64)).astype(dtype)
    w = b.constant("w", values, scale=[0.1] if quantized else None)
    y = b.tensor("y", (1, 96), dtype, **quantized)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], FullyConnectedOptions())
    b.output(y)
    return b.build()


def activations() -> Model:
    """No constants, and activations that are large next to them."""
    b = ModelBuilder()
    last = b.input("x", (1, 32, 32, 4), "float32")
    for number in range(3):
        y = b.tensor(f"y{number}", (1, 32, 32, 4), "float32")
        b.operator(("LOGISTIC", "EXP", "RELU")[number], [last], [y])
        last = y
    b.output(last)
    return b.build()


def started(interpreter: Any) -> Any:
    interpreter.allocate_tensors()
    return interpreter


MODELS = {
    "convolutions": conv_model,
    "int8 weights": lambda: connected("int8"),
    "float weights": lambda: connected("float32"),
    "activations": activations,
}
MAKE: dict[str, Callable[[Model], Any]] = {
    "as it is": ar.Interpreter,
    "reference": lambda model: ar.Interpreter(model, engine="reference"),
    "threads": lambda model: ar.Interpreter(model, threads=2),
    "cortex-m4": lambda model: ar.Interpreter(model, target="cortex-m4"),
    "all tensors kept": lambda model: ar.Interpreter(model, preserve_all_tensors=True),
    "an arena of the caller's": lambda model: started(
        ar.MicroInterpreter(model, ar.AllOpsResolver(), bytearray(1 << 18), engine="auto")
    ),
    "heap": lambda model: started(ar.HeapInterpreter(model)),
}


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_smallest_limit_that_it_is_made_with_is_enough_to_run(
    make: Callable[[Model], Any], model: Callable[[], Model]
) -> None:
    made = model()
    low, high = 0, 1 << 20
    try:
        while low < high:
            ar.set_memory_limit((low + high) // 2)
            try:
                interpreter = make(made)
            except ar.MemoryLimitError:
                low = (low + high) // 2 + 1
                continue
            high = (low + high) // 2
            interpreter.invoke()
            if isinstance(interpreter, ar.Interpreter):
                zeros = [np.zeros(one.shape, one.type.dtype) for one in made.inputs]
                interpreter(*zeros)
                interpreter.predict(tuple(np.stack([x, x, x]) for x in zeros))
    finally:
        ar.set_memory_limit(None)
    assert high < 1 << 20
