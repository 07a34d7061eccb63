"""Models with one operator on two inputs that broadcast."""

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import one_operator

Shape = tuple[int, ...]
#: Scales and zero points of input 0, input 1 and the output.
Scales = tuple[float, float, float]
ZeroPoints = tuple[int, int, int]


def binary_model(
    name: str,
    shapes: tuple[Shape, Shape],
    type: str,  # noqa: A002 - the schema's word
    options: OptionsTable | None = None,
    *,
    scales: Scales | None = None,
    zero_points: ZeroPoints = (0, 0, 0),
    constant: np.ndarray | None = None,
    output: str | None = None,
) -> Model:
    """One operator; ``constant`` replaces the second input, ``output`` is its type if another."""
    b = ModelBuilder()
    quantization = [
        {} if scales is None else {"scale": scale, "zero_point": zero_point}
        for scale, zero_point in zip(scales or (0, 0, 0), zero_points, strict=True)
    ]
    first = b.input("a", shapes[0], type, **quantization[0])
    if constant is None:
        second = b.input("b", shapes[1], type, **quantization[1])
    else:
        second = b.constant("b", constant, type, **quantization[1])
    y = b.tensor("y", np.broadcast_shapes(*shapes), output or type, **quantization[2])
    return one_operator(b, name, [first, second], [y], options)


@st.composite
def broadcast_shapes(draw: st.DrawFn, max_rank: int = 6) -> tuple[Shape, Shape]:
    """Two shapes that broadcast, equal in half of the cases, sometimes large ones."""
    if draw(st.booleans()):
        sizes = st.integers(1, 40 if draw(st.booleans()) else 4)
        shape = tuple(draw(st.lists(sizes, max_size=3)))
        return shape, shape
    full = draw(st.lists(st.integers(1, 5), max_size=max_rank))
    pair = []
    for _ in range(2):
        ones = draw(st.lists(st.booleans(), min_size=len(full), max_size=len(full)))
        shape = tuple(1 if one else n for n, one in zip(full, ones, strict=True))
        start = draw(st.integers(0, len(full)))
        pair.append(shape[start:] if all(n == 1 for n in shape[:start]) else shape)
    return pair[0], pair[1]


def binary_models(name: str, kind: str) -> st.SearchStrategy[Model]:
    """An operator on shapes that broadcast."""
    return broadcast_shapes().map(lambda shapes: binary_model(name, shapes, kind))


@st.composite
def scale_triples(
    draw: st.DrawFn, natural: Callable[[float, float], float], low: float = -4, high: float = 2
) -> Scales:
    """Scales from ``10**low`` to ``10**high``, spread evenly over the powers.

    In half of the cases the output's scale is near the ``natural`` one for the inputs'.
    """
    if draw(st.booleans()):
        a, b, y = (10 ** draw(st.floats(low, high)) for _ in range(3))
    else:
        a, b = (10 ** draw(st.floats(-2, 0)) for _ in range(2))
        y = natural(a, b) * draw(st.floats(0.3, 3))
    return a, b, y


def zero_point_triples(type: str) -> st.SearchStrategy[ZeroPoints]:  # noqa: A002
    """Zero points over the whole of int8, extremes included; 0 for other types."""
    one = st.one_of(st.integers(-128, 127), st.sampled_from([-128, 0, 127]))
    return st.tuples(one, one, one) if type == "int8" else st.just((0, 0, 0))


@st.composite
def arithmetic_models(
    draw: st.DrawFn,
    name: str,
    natural: Callable[[float, float], float],
    options: st.SearchStrategy[OptionsTable] | None = None,
    least: Callable[[float, float], float] = lambda a, b: 0.0,
) -> Model:
    """An operator of all types; an output's scale is at least ``least`` of the inputs'."""
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"]))
    a, b, y = draw(scale_triples(natural))
    return binary_model(
        name,
        draw(broadcast_shapes()),
        kind,
        None if options is None else draw(options),
        scales=(a, b, max(y, least(a, b))) if kind in ("int8", "int16") else None,
        zero_points=draw(zero_point_triples(kind)),
    )


def run(model: Model, *inputs: object) -> np.ndarray:
    """The output for the given inputs, on the heap."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    for index, value in enumerate(inputs):
        interpreter.input(index)[...] = value
    interpreter.invoke()
    return interpreter.output()
