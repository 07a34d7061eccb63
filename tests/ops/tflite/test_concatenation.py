"""CONCATENATION equals TFLM for every axis, type and number of inputs."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder, Tensor, TensorType
from arenite.ops.tflite.concatenation import ConcatenationOptions
from tests.ops.differential import equals_tflm, one_operator, random_array, refuses, run_arenite

TYPES = ["int8", "int8", "int16", "float32", "int32", "int64", "bool"]


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Up to 10 inputs, constants among them."""
    kind = draw(st.sampled_from(TYPES))
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    axis = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=10))
    scale = 0.5 if kind in ("int8", "int16") else None
    zero = 3 if kind == "int8" else 0
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    b = ModelBuilder()
    inputs = []
    for number, size in enumerate(sizes):
        part = (*shape[:axis], size, *shape[axis + 1 :])
        if number and draw(st.integers(0, 4)) == 0:
            value = random_array(Tensor("", TensorType[kind.upper()], part), rng)
            inputs.append(b.constant(f"c{number}", value, scale=scale, zero_point=zero))
        else:
            inputs.append(b.input(f"x{number}", part, kind, scale=scale, zero_point=zero))
    whole = [*shape[:axis], sum(sizes), *shape[axis + 1 :]]
    y = b.tensor("y", whole, kind, scale=scale, zero_point=zero)
    signed = draw(st.sampled_from([axis, axis - len(shape)]))
    return one_operator(b, "CONCATENATION", inputs, [y], ConcatenationOptions(axis=signed))


test_equals_tflm = equals_tflm(models())


def concatenation(
    shapes: list[tuple[int, ...]],
    whole: tuple[int, ...],
    options: ConcatenationOptions,
    kind: str = "int8",
    zero_points: tuple[int, int] = (0, 0),
) -> Model:
    """The first of ``zero_points`` is the inputs', the second the output's."""
    b = ModelBuilder()
    ins, out = zero_points
    inputs = [b.input("x", shape, kind, scale=1.0, zero_point=ins) for shape in shapes]
    y = b.tensor("y", whole, kind, scale=1.0, zero_point=out)
    return one_operator(b, "CONCATENATION", inputs, [y], options)


def test_inputs_lie_one_behind_the_other_along_the_axis() -> None:
    model = concatenation([(2, 1), (2, 2)], (2, 3), ConcatenationOptions(axis=-1))
    x, y = np.array([[1], [2]], np.int8), np.array([[3, 4], [5, 6]], np.int8)
    assert run_arenite(model, [[x, y]])[0][0].tolist() == [[1, 3, 4], [2, 5, 6]]


PLAIN = ConcatenationOptions()
DIFFERENT = r"input 1 must have the shape \[2, 1\] of input 0, other than on axis 1"
RESCALED = "same scale and zero point, of int16 ones zero point 0"


def along(axis: int, other: tuple[int, ...], whole: tuple[int, ...]) -> Model:
    return concatenation([(2, 1), other], whole, ConcatenationOptions(axis=axis))


test_what_is_refused = refuses(
    (along(2, (2, 2), (2, 3)), r"axis must lie in \[-2, 2\), got 2"),
    (along(-3, (2, 2), (2, 3)), r"axis must lie in \[-2, 2\), got -3"),
    *((along(1, other, (2, 2)), DIFFERENT) for other in ((3, 1), (2,), (1, 2, 1))),
    (
        concatenation([(2,)], (2,), ConcatenationOptions(axis=0, fused_activation_function=1)),
        "No activation function is fused",
    ),
    (concatenation([(2,)], (2,), PLAIN, "int8", (1, 2)), RESCALED),
    (concatenation([(2,)], (2,), PLAIN, "int16", (1, 1)), RESCALED),
    (concatenation([(1,)] * 11, (11,), PLAIN), "has 11 inputs; TFLM takes 1 to 10"),
    (concatenation([(1,) * 7], (1,) * 7, PLAIN), "No input has more than 6 dimensions"),
    (concatenation([(2,)], (2,), PLAIN, "uint8"), "Input 0 is one of"),
)
