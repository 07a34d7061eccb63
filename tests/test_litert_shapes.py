"""Operators whose shapes are constants, under a resize, beside LiteRT's own kernels."""

import importlib.util

import numpy as np
import pytest

from arenite import litert
from arenite.formats.tflite import write
from arenite.model import ModelBuilder, OptionsTable
from arenite.ops import builtin

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None, reason="LiteRT is not installed"
)


def integers(*values):
    return np.array(values, np.int32)


def ones(*shape):
    return np.ones(shape, np.float32)


SQUARE = [(1, 3, 3, 2), (1, 2, 2, 1), (1, 1, 1, 2), (1, 1, 2, 2), (1, 4, 1, 2), (1, 4, 4, 2)]
MATRIX = [(2, 4), (4, 2), (3, 4), (1, 4), (2, 6), (2, 2), (2, 1)]
UP = {"stride_w": 2, "stride_h": 2}
ONCE = {"stride_w": 1, "stride_h": 1}
#: Operator, input shape, what stands before and after the input, output shape, options, new shapes.
CASES = [
    ("RESHAPE", (1, 4, 2), [], [integers(1, 8)], (1, 8), {}, [(1, 3, 2), (1, 8, 2), (1, 2, 4)]),
    ("RESHAPE", (1, 4, 2), [], [integers(-1, 8)], (1, 8), {}, [(2, 4, 2), (1, 3, 2), (1, 8, 2)]),
    ("RESHAPE", (1, 4, 2), [], [], (1, 8), {"new_shape": integers(1, 8)}, [(1, 8, 2)]),
    (
        *("TRANSPOSE_CONV", (1, 2, 2, 2), [integers(1, 4, 4, 3), ones(3, 2, 2, 2)], []),
        *((1, 4, 4, 3), {**UP, "padding": 0}, SQUARE),
    ),
    (
        *("TRANSPOSE_CONV", (1, 2, 2, 2), [integers(1, 4, 4, 3), ones(3, 2, 2, 2)], []),
        *((1, 4, 4, 3), {**UP, "padding": 1}, SQUARE),
    ),
    ("RESIZE_BILINEAR", (1, 2, 2, 2), [], [integers(4, 4)], (1, 4, 4, 2), {}, SQUARE),
    ("RESIZE_NEAREST_NEIGHBOR", (1, 2, 2, 2), [], [integers(4, 4)], (1, 4, 4, 2), {}, SQUARE),
    (
        *("STRIDED_SLICE", (2, 4), [], [integers(0, 1), integers(2, 3), integers(1, 1)]),
        *((2, 2), {}, MATRIX),
    ),
    ("SLICE", (2, 4), [], [integers(0, 1), integers(2, 2)], (2, 2), {}, MATRIX),
    (
        *("BATCH_TO_SPACE_ND", (4, 1, 1, 1), [], [integers(2, 2), np.zeros((2, 2), np.int32)]),
        *((1, 2, 2, 1), {}, [(8, 1, 1, 1), (4, 3, 3, 1), (2, 1, 1, 1)]),
    ),
    (
        *("SPACE_TO_BATCH_ND", (1, 2, 2, 2), [], [integers(2, 2), np.zeros((2, 2), np.int32)]),
        *((4, 1, 1, 2), {}, SQUARE),
    ),
    ("PAD", (2, 4), [], [integers(0, 0, 1, 1).reshape(2, 2)], (2, 6), {}, MATRIX),
    ("TRANSPOSE", (2, 4), [], [integers(1, 0)], (4, 2), {}, MATRIX),
    ("EXPAND_DIMS", (2, 4), [], [integers(1)], (2, 1, 4), {}, MATRIX),
    ("SQUEEZE", (1, 4), [], [], (4,), {"squeeze_dims": integers(0)}, MATRIX),
    ("MEAN", (2, 4), [], [integers(1)], (2,), {}, MATRIX),
    ("GATHER", (2, 4), [], [integers(0, 1)], (2, 4), {}, MATRIX),
    ("ADD", (2, 4), [], [ones(2, 4)], (2, 4), {}, MATRIX),
    ("CONCATENATION", (2, 4), [], [ones(2, 4)], (2, 8), {"axis": 1}, MATRIX),
    ("PRELU", (1, 2, 2, 2), [], [ones(2, 2, 2)], (1, 2, 2, 2), {}, SQUARE),
    ("FULLY_CONNECTED", (2, 4), [], [ones(3, 4)], (2, 3), {}, [(1, 4), (5, 4)]),
    (
        *("FULLY_CONNECTED", (2, 2, 4), [], [ones(3, 4)], (2, 2, 3), {"keep_num_dims": True}),
        [(4, 1, 4), (2, 2, 8), (2, 4, 2)],
    ),
    ("BATCH_MATMUL", (2, 4), [], [ones(4, 3)], (2, 3), {}, [(5, 4), (2, 2)]),
    (
        *("CONV_2D", (1, 4, 4, 2), [], [ones(3, 2, 2, 2), np.zeros(3, np.float32)]),
        *((1, 4, 4, 3), ONCE, SQUARE),
    ),
]


def model(described):
    """One operator between an input and an output, and constants around the input."""
    name, shape, before, after, output, options = described
    b = ModelBuilder()
    first = [b.constant("before", value) for value in before]
    x = b.input("x", shape, "float32")
    last = [b.constant("after", value) for value in after]
    y = b.tensor("y", output, "float32")
    b.operator(name, [*first, x, *last], [y], (builtin(name).options or OptionsTable)(**options))
    b.output(y)
    return write(b.build())


def answer(interpreter, shape):
    """The output for a resized input; None where the interpreter refuses it."""
    try:
        index = interpreter.get_input_details()[0]["index"]
        interpreter.resize_tensor_input(index, shape)
        interpreter.allocate_tensors()
        x = (np.arange(np.prod(shape)) % 7).reshape(shape).astype(np.float32)
        interpreter.set_tensor(index, x)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).tolist()
    except RuntimeError:
        return None


def both(content, shape):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    theirs = Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    return answer(litert.Interpreter(model_content=content), shape), answer(theirs, shape)


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{number}-{case[0]}" for number, case in enumerate(CASES)]
)
def test_a_resize_gives_what_litert_gives_or_is_refused_as_there(case):
    *described, shapes = case
    content = model(described)
    for shape in shapes:
        ours, theirs = both(content, shape)
        assert (shape, ours) == (shape, theirs)


def test_a_transposed_convolution_names_both_heights():
    described = next(case[:-1] for case in CASES if case[0] == "TRANSPOSE_CONV")
    interpreter = litert.Interpreter(model_content=model(described))
    interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (1, 3, 3, 2))
    with pytest.raises(RuntimeError, match="takes an input of height 2, got 3"):
        interpreter.allocate_tensors()
