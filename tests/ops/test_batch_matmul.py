"""BATCH_MATMUL equals TFLM for all of its types, ranks, transpositions and broadcasts."""

from __future__ import annotations

import functools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.batch_matmul import BatchMatMulOptions, transposed
from tests.ops.convolutions import dyadic, exact_inputs
from tests.ops.differential import agrees, differential
from tests.oracle import Oracle


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
    b.operator("BATCH_MATMUL", [x, y], [out], BatchMatMulOptions(adj_x=adj_x, adj_y=adj_y))
    b.output(out)
    return b.build()


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


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed, inputs=exact_inputs(model, seed))
