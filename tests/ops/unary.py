"""Models with one elementwise operator on one input."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops import AllOpsResolver
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import equals_tflm, one_operator
from tests.oracle import Oracle

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
    return one_operator(b, name, [inp], [output], options)


def reshaped(
    name: str,
    shape: tuple[int, ...],
    output: tuple[int, ...],
    kind: str = "float32",
    output_kind: str = "",
) -> Model:
    """One operator whose output has another shape."""
    b = ModelBuilder()
    x, y = b.input("x", shape, kind), b.tensor("y", output, output_kind or kind)
    return one_operator(b, name, [x], [y])


def is_refused(oracle: Oracle, model: Model) -> bool:
    """Whether TFLM, and Arenite in the arena, refuse a model; on the heap outputs are resized."""
    zeros = [np.zeros(x.shape, x.type.dtype) for x in model.inputs]
    with pytest.raises(AreniteError):
        MicroInterpreter(model, AllOpsResolver(), bytearray(1 << 16)).allocate_tensors()
    return oracle.run(tflite.write(model), [zeros]).status == "refused"


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


#: What functions of floats may stumble over.
SPECIAL = np.array(
    [
        *(0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.1754944e-38, 3.4e38, -3.4e38),
        *(1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 8388607.5, -8388609.0, 16777217.0, 2**31, 1e20),
    ],
    np.float32,
)


@st.composite
def float_models(draw: st.DrawFn, name: str) -> Model:
    """An operator on floats of any shape but empty ones, whose outputs TFLM refuses."""
    longer = st.sampled_from([(3, 700), (2, 1, 3, 1, 5, 1), (1031,)])
    return unary_model(name, draw(shapes() | shapes() | longer), "float32")


def float_inputs(model: Model, seed: int, low: float = -4, high: float = 4) -> list[np.ndarray]:
    """Numbers around one power of ten; in every second case a few special ones among them."""
    rng = np.random.default_rng(seed)
    shape = model.inputs[0].shape
    x = rng.normal(0, 10 ** rng.uniform(low, high), shape).astype(np.float32)
    if rng.integers(2):
        x = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), x)
    return [x.astype(np.float32)]


def float_function_equals_tflm(name: str, low: float = -4, high: float = 4) -> Callable[..., None]:
    """The test of an operator on floats, whose inputs are as :func:`float_inputs` says."""
    return equals_tflm(
        float_models(name),
        inputs=lambda model, seed: float_inputs(model, seed, low, high),
        invokes=3,
    )


def gives(name: str, values: dict[float, float], **tolerance: float) -> Callable[[], None]:
    """A test that a function of floats has these values."""

    def test_values() -> None:
        got = run(unary_model(name, (len(values),), "float32"), list(values))
        np.testing.assert_allclose(got, list(values.values()), **tolerance)

    return test_values


@st.composite
def quantized_models(draw: st.DrawFn, name: str, *, plain_int16: bool) -> Model:
    """An operator on floats, or on all int8 or int16 values, sometimes without quantisation.

    ``plain_int16``: whether an int16 input may have none.
    """
    kind = draw(st.sampled_from(["float32", "int8", "int8", "int16"]))
    if kind == "float32":
        return draw(float_models(name))
    scale = draw(scales())
    other = draw(scales() | st.just(scale) | st.floats(0.3, 3).map(lambda f: f * scale))
    x, y = (scale, draw(zero_points(kind))), (other, draw(zero_points(kind)))
    if draw(st.sampled_from([True, *[False] * 7])):
        without = [(x, None), (None, None), (None, y)]
        x, y = draw(st.sampled_from(without if plain_int16 or kind == "int8" else without[:1]))
    return unary_model(name, INT8.shape if kind == "int8" else INT16.shape, kind, x=x, y=y)
