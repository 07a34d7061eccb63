"""PRELU equals TFLM on random factors, broadcasting, scales and types."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from tests.ops.differential import equals_tflm, one_operator, refuses, run_arenite
from tests.ops.unary import scales, zero_points

Affine = tuple[float, int]


def prelu(
    shape: tuple[int, ...],
    alpha: np.ndarray,
    kind: str = "float32",
    *,
    x: Affine | None = None,
    a: Affine | None = None,
    y: Affine | None = None,
) -> Model:
    b = ModelBuilder()
    q = [{} if s is None else {"scale": s[0], "zero_point": s[1]} for s in (x, a, y)]
    inputs = [b.input("x", shape, kind, **q[0]), b.constant("alpha", alpha, **q[1])]
    output = b.tensor("y", np.broadcast_shapes(shape, alpha.shape), kind, **q[2])
    return one_operator(b, "PRELU", inputs, [output])


@st.composite
def models(draw: st.DrawFn) -> Model:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    one = draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    factors = tuple(1 if flag else n for n, flag in zip(shape, one, strict=True))
    factors = factors[draw(st.integers(0, len(shape) - 1)) :]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["int8", "int16", "float32"]))
    if kind == "float32":
        return prelu(shape, rng.normal(size=factors).astype(np.float32))
    zero = st.integers(-200, 200) if kind == "int16" else zero_points(kind)
    alpha = rng.integers(-128, 128, factors).astype(np.int8)
    scale = draw(scales(-5, 1))
    out_scale = draw(st.one_of(scales(-5, 1), st.floats(0.3, 3).map(lambda f: f * scale)))
    a = (draw(scales(-4, 0)), draw(zero_points("int8")))
    return prelu(shape, alpha, kind, x=(scale, draw(zero)), a=a, y=(out_scale, draw(zero)))


test_equals_tflm = equals_tflm(models())


def test_each_channel_has_a_factor() -> None:
    model = prelu((2, 2), np.array([0.5, -1], np.float32))
    x = np.array([[-2, -2], [3, 3]], np.float32)
    assert run_arenite(model, [[x]])[0][0].tolist() == [[-1, 2], [3, 3]]


def test_int8_requantises_both_sides() -> None:
    alpha = np.array([2], np.int8)
    model = prelu((3,), alpha, "int8", x=(0.5, 0), a=(0.25, 0), y=(0.25, 1))
    assert run_arenite(model, [[np.array([-4, 0, 4], np.int8)]])[0][0].tolist() == [-3, 1, 9]


test_what_is_refused = refuses(
    (prelu((2,), np.ones(2, np.int8)), "The factors"),
    (prelu((1,) * 5, np.ones(1, np.float32)), "at most 4 dimensions"),
)
