"""Models with one elementwise operator on one input."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.runtime.heap_host import HeapInterpreter

#: Scale and zero point.
Affine = tuple[float, int]

INT8 = np.arange(-128, 128, dtype=np.int8)
INT16 = np.arange(-32768, 32768).astype(np.int16)


def unary_model(
    name: str,
    shape: tuple[int, ...],
    type: str,  # noqa: A002 - the schema's word
    options: OptionsTable | None = None,
    *,
    x: Affine | None = None,
    y: Affine | None = None,
    output_type: str | None = None,
) -> Model:
    """One operator; ``x`` and ``y`` are the input's and output's quantisation."""
    b = ModelBuilder()
    quantization = [{} if q is None else {"scale": q[0], "zero_point": q[1]} for q in (x, y)]
    inp = b.input("x", shape, type, **quantization[0])
    output = b.tensor("y", shape, output_type or type, **quantization[1])
    b.operator(name, [inp], [output], options)
    b.output(output)
    return b.build()


def shapes(type: str = "") -> st.SearchStrategy[tuple[int, ...]]:  # noqa: A002
    """Small shapes, scalars included; for int16 often one that shows every step."""
    small = st.lists(st.integers(1, 9), max_size=4).map(tuple)
    return st.one_of(small, st.just((64, 1024))) if type == "int16" else small


def scales(low: float = -6, high: float = 3) -> st.SearchStrategy[float]:
    """Scales from ``10**low`` to ``10**high``, spread evenly over the powers."""
    return st.floats(low, high).map(lambda e: float(np.float32(10**e)))


def zero_points(type: str) -> st.SearchStrategy[int]:  # noqa: A002
    """Zero points over the whole of int8, extremes included; 0 for other types."""
    if type != "int8":
        return st.just(0)
    return st.one_of(st.integers(-128, 127), st.sampled_from([-128, 0, 127]))


def run(model: Model, x: object) -> np.ndarray:
    """The output for one input, on the heap."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    interpreter.input()[...] = x
    interpreter.invoke()
    return interpreter.output()
