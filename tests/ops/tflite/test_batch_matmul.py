"""BATCH_MATMUL equals TFLM for all of its types, ranks, transpositions and broadcasts."""

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions, transposed
from tests.ops.convolutions import dyadic, exact_inputs, run
from tests.ops.differential import equals_tflm, one_operator, refuses_in_words
from tests.oracle import Oracle
from tests.variants import interpreter, variants


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    adj_x, adj_y = draw(st.booleans()), draw(st.booleans())
    rows, depth, columns = (draw(st.integers(1, 6)) for _ in range(3))
    if draw(st.integers(0, 9)) == 0:
        depth = 300
    batch = draw(st.lists(st.integers(1, 3), max_size=3))
    sides = [[n if draw(st.booleans()) else 1 for n in batch] for _ in range(2)]
    whole = [max(pair) for pair in zip(*sides, strict=True)]
    lhs, rhs = (shortened(draw, side) for side in sides)
    lhs_shape = transposed((*lhs, rows, depth), adj_x)
    rhs_shape = transposed((*rhs, depth, columns), adj_y)
    output = (*whole[len(whole) - max(len(lhs), len(rhs)) :], rows, columns)
    b = ModelBuilder()
    quantize = {"float32": no_quantization, "int8": int8, "int16": int16}[kind]
    extreme = draw(st.integers(0, 4)) == 0
    scales = 10.0 ** (rng.uniform(-6, 3, 2) if extreme else rng.uniform(-4, 0, 2))
    x = b.input("x", lhs_shape, kind, **quantize(rng, scales[0]))
    if draw(st.booleans()):
        y = b.input("y", rhs_shape, kind, **quantize(rng, scales[1]))
    else:
        values = dyadic if kind == "float32" else functools.partial(random_integers, kind=kind)
        y = b.constant("y", values(rng, rhs_shape), **quantize(rng, scales[1]))
    largest = 1 if kind == "float32" else np.iinfo(kind).max
    fitting = largest * np.sqrt(depth) * 10.0 ** rng.uniform(-1.5, 1.5)
    if extreme:  # ratios of 2**14 and more are refused where sums have 64 bits
        fitting = 10.0 ** rng.uniform(-4 if kind == "int16" else -8, 3)
    out = b.tensor("out", output, kind, **quantize(rng, scales.prod() * fitting))
    return one_operator(
        b, "BATCH_MATMUL", [x, y], [out], BatchMatMulOptions(adj_x=adj_x, adj_y=adj_y)
    )


def shortened(draw: st.DrawFn, side: list[int]) -> list[int]:
    """Leading dimensions of 1 may be left out."""
    ones = next((i for i, n in enumerate(side) if n != 1), len(side))
    return side[draw(st.integers(0, ones)) :]


def no_quantization(rng: np.random.Generator, scale: float) -> dict[str, float]:
    return {}


def int8(rng: np.random.Generator, scale: float) -> dict[str, float]:
    return {"scale": scale, "zero_point": int(rng.choice([-128, 127, 0, rng.integers(-128, 128)]))}


def int16(rng: np.random.Generator, scale: float) -> dict[str, float]:
    return {"scale": scale, "zero_point": 0}


def random_integers(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> np.ndarray:
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


test_equals_tflm = equals_tflm(models(), inputs=exact_inputs)


def matmul(
    x: tuple[int, ...],
    y: Any,
    out: tuple[int, ...],
    *,
    kind: str = "int8",
    zeros: tuple[int, int, int] = (0, 0, 0),
    scales: tuple[float, float, float] = (1.0, 1.0, 1.0),
    adj_x: bool = False,
    adj_y: bool = False,
) -> Model:
    """A product with a constant right side; zero points and scales of x, y and output."""
    b = ModelBuilder()
    lhs = b.input("x", x, kind, scale=scales[0], zero_point=zeros[0])
    rhs = b.constant("y", y, scale=scales[1], zero_point=zeros[1])
    output = b.tensor("out", out, kind, scale=scales[2], zero_point=zeros[2])
    return one_operator(
        b, "BATCH_MATMUL", [lhs, rhs], [output], BatchMatMulOptions(adj_x=adj_x, adj_y=adj_y)
    )


def test_output_is_the_scaled_product() -> None:
    """((1 - 3) * (10 - 1) + (2 - 3) * (21 - 1)) * 0.5 + 7 = -12"""
    y = np.array([[10], [21]], np.int8)
    model = matmul((1, 2), y, (1, 1), zeros=(3, 1, 7), scales=(0.5, 1.0, 1.0))
    assert run(model, [1, 2]) == [[-12]]


def test_either_side_may_be_transposed() -> None:
    y = np.array([[10, 20]], np.int8)
    assert run(matmul((2, 1), y, (1, 1), adj_x=True, adj_y=True), [1, 2]) == [[50]]


def test_batches_broadcast() -> None:
    y = np.array([1, 2], np.int8).reshape(2, 1, 1, 1)
    assert run(matmul((3, 1, 1), y, (2, 3, 1, 1)), [1, 2, 3]) == [
        [[[1]], [[2]], [[3]]],
        [[[2]], [[4]], [[6]]],
    ]


test_refuses = refuses_in_words(
    (matmul((1, 2), np.ones((3, 1), np.int8), (1, 1)), "inner dimensions must be equal"),
    (matmul((2, 1, 1), np.ones((3, 1, 1), np.int8), (3, 1, 1)), "batches equal or 1"),
    (matmul((1, 1), np.ones((1, 1), np.float32), (1, 1)), "TFLM runs no hybrid models"),
    (matmul((1,), np.ones((1, 1), np.int8), (1, 1)), "Input 0 has 2 or 3 or 4 or 5 dimensions"),
    (matmul((1, 1, 1), np.ones((1, 1), np.int8), (1, 1)), "the output has shape [1, 1, 1]"),
    (
        matmul((1, 1), np.ones((1, 1), np.int16), (1, 1), kind="int16", zeros=(0, 1, 0)),
        "the zero point of int16 tensor 'y' must be in [0, 0], got 1",
    ),
)


@pytest.mark.parametrize("variant", variants())
def test_floats_have_no_zero_points_even_if_the_file_says_so(oracle: Oracle, variant: str) -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1, 3), "float32", scale=1.0, zero_point=3)
    y = b.input("y", (1, 3, 1), "float32", scale=1.0, zero_point=5)
    out = b.tensor("out", (1, 1, 1), "float32", scale=1.0, zero_point=7)
    b.operator("BATCH_MATMUL", [x, y], [out], BatchMatMulOptions())
    b.output(out)
    inputs = [np.ones((1, 1, 3), np.float32), np.ones((1, 3, 1), np.float32)]
    assert interpreter(b.build(), variant)(*inputs) == 3.0
    assert oracle.run(tflite.write(b.build()), [inputs]).outputs[0][0] == 3.0
