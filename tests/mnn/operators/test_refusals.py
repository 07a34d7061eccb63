"""What each of the operators of ``.mnn`` files refuses, and in which words."""

import re
from typing import Any

import numpy as np
import pytest

from arenite.errors import ConstraintError
from arenite.mnn.operators.raster import Region
from arenite.ops import builtin, mnn_names
from arenite.ops.shared.window import Placement
from arenite.runtime.heap_host import HeapInterpreter
from tests.mnn.operator_models import LEGAL, Fed, Q, Single, X, floats, integers

NAMES = mnn_names()

INT = Fed((1, 4, 5, 3), "int32")
FLAT = Fed((60,))
_CONV = LEGAL["MNN_CONV_INT8"].inputs
_PAIR = (Fed((2, 3)), Fed((3, 2)))

#: By operator: what is changed in a legal model, and what the message says then.
REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "AVERAGE_POOL": [
        ({"inputs": (X,), "outputs": (X,)}, "Input 0 is one of: int8."),
        ({"outputs": (X,)}, "Input 0 and output 0 have the same type."),
        ({"inputs": (Fed((60,), "int8", 0.1),)}, "Input 0 has 4 dimensions."),
        ({"placement": Placement((2, 2), (2, 0))}, "a window lies outside of the image"),
        ({"stride_h": 0}, "strides, dilations and filter sizes must be at least 1"),
    ],
    "BINARY": [
        ({"inputs": (Q, Q), "outputs": (Q,)}, "Input 0 is one of: float32, int32."),
        ({"kind": "BITWISE_AND"}, "MNN has the function for the inputs' type."),
        ({"kind": "LEFTSHIFT"}, "MNN has the function for the inputs' type."),
        ({"kind": "ATAN2", "inputs": (INT, INT), "outputs": (INT,)}, "for the inputs' type."),
        ({"kind": "NAND"}, "MNN has the function for the inputs' type."),
        ({"kind": "LESS"}, "The output is int32 for comparisons, else of the inputs' type."),
        ({"inputs": (X, INT)}, "The output is int32 for comparisons, else of the inputs' type."),
        ({"inputs": _PAIR}, "The inputs' shapes broadcast."),
    ],
    "BINARY_INT8": [
        ({"inputs": (X, Q)}, "Input 0 is one of: int8."),
        ({"inputs": (Q, X)}, "Input 1 is one of: int8."),
        ({"outputs": (X,)}, "Input 0 and output 0 have the same type."),
        ({"kind": "BITWISE_OR"}, "MNN has the function for real numbers."),
        ({"inputs": (Q, Fed((3,), "int8"))}, "Both inputs and the output have a scale."),
        ({"outputs": (Fed(Q.shape, "int8"),)}, "Both inputs and the output have a scale."),
        ({"inputs": (Q, Fed((2,), "int8", 0.1))}, "The inputs' shapes broadcast."),
    ],
    "CONV_INT8": [
        ({"inputs": (X, *_CONV[1:])}, "Input 0 is one of: int8."),
        ({"inputs": (Q, floats((4, 3, 3, 3)), *_CONV[2:])}, "Input 1 is one of: int8."),
        ({"inputs": (*_CONV[:2], integers((4,)), _CONV[3])}, "Input 2 is one of: int32, float32."),
        ({"inputs": (*_CONV[:3], integers((4,)))}, "Input 3 is one of: float32."),
        ({"inputs": (Q, Fed((4, 3, 3, 3), "int8"), *_CONV[2:])},
         "Input 1 is a constant of the model."),
        ({"inputs": (*_CONV[:2], Fed((4,)), _CONV[3])}, "Input 2 is a constant of the model."),
        ({"inputs": (*_CONV[:3], Fed((4,)))}, "Input 3 is a constant of the model."),
        ({"clamp": None}, "int8 where there is a range to clamp to, else float32"),
        ({"zero": 128}, "The padding value and the output's range are int8."),
        ({"clamp": (-129, 127)}, "and the output's range are int8."),
        ({"inputs": (Fed((60,), "int8"), *_CONV[1:])}, "Input 0 has 4 dimensions."),
        ({"inputs": (Q, integers((4, 27)), *_CONV[2:])}, "Input 1 has 4 dimensions."),
        ({"inputs": (*_CONV[:2], floats((3,)), _CONV[3])}, "do not fit images [1, 4, 5, 3]"),
        ({"inputs": (*_CONV[:3], floats((5,)))}, "do not fit images [1, 4, 5, 3]"),
        ({"inputs": (Q, integers((4, 3, 3, 2)), *_CONV[2:])}, "do not fit images [1, 4, 5, 3]"),
        ({"depthwise": True}, "do not fit images [1, 4, 5, 3]"),
        ({"stride": (0, 1)}, "strides, dilations and sizes must be at least 1"),
        ({"dilation": (1, -1)}, "strides, dilations and sizes must be at least 1"),
        ({"placement": Placement((0, 3), (0, 0))}, "and sizes must be at least 1"),
    ],
    "CUMULATE": [
        ({"inputs": (Q,), "outputs": (Q,)}, "Input 0 is one of: float32, int32."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"kind": "MEAN"}, "The operation is a cumulative sum or product."),
        ({"axis": 4}, "[1, 4, 5, 3] has no axis 4"),
    ],
    "FLOAT_TO_INT8": [
        ({"inputs": (INT,)}, "Input 0 is one of: float32."),
        ({"outputs": (X,)}, "The output is int8."),
        ({"factors": (1.0, 2.0)}, "expected one factor, or one per channel of [1, 4, 5, 3]"),
    ],
    "GATHER_ELEMENTS": [
        ({"inputs": (Fed((2, 3)), floats((2, 2)))}, "Input 1 is one of: int32."),
        ({"outputs": (Fed((2, 2), "int32"),)}, "Input 0 and output 0 have the same type."),
        ({"axis": 2}, "indices [2, 2] do not fit [2, 3], axis 2"),
        ({"inputs": (Fed((2, 3)), np.zeros((3, 2), np.int32))}, "indices [3, 2] do not fit"),
        ({"inputs": (Fed((2, 3)), np.zeros((2,), np.int32))}, "indices [2] do not fit"),
        ({"inputs": (Fed((2, 3)), np.full((2, 2), 3, np.int32))}, "expected indices from -3 to 2"),
    ],
    "INT8_TO_FLOAT": [
        ({"inputs": (X,)}, "Input 0 is one of: int8."),
        ({"outputs": (Q,)}, "Output 0 is float32."),
        ({"factors": (1.0, 2.0)}, "expected one factor, or one per channel of [1, 4, 5, 3]"),
    ],
    "LAYER_NORM": [
        ({"inputs": (INT,), "outputs": (INT,)}, "Input 0 is one of: float32."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"axes": 5}, "the last 5 axes of [1, 4, 5, 3] do not fit"),
        ({"inputs": (X, floats((4,)))}, "the last 1 axes of [1, 4, 5, 3] do not fit [4]"),
    ],
    "LOOKUP": [
        ({"inputs": (X,), "outputs": (X,)}, "Input 0 is one of: int8."),
        ({"outputs": (X,)}, "Input 0 and output 0 have the same type."),
        ({"table": (0,) * 255}, "The table has 256 values of int8."),
        ({"table": (128,) * 256}, "The table has 256 values of int8."),
    ],
    "LRN": [
        ({"inputs": (INT,), "outputs": (INT,)}, "Input 0 is one of: float32."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"size": -1}, "expected a window of 1 or more in [1, 4, 5, 3]"),
        ({"axes": (4,)}, "expected a window of 1 or more in [1, 4, 5, 3]"),
    ],
    "ONE_HOT": [
        ({"inputs": (Fed((2, 3)), floats(()), floats(()))}, "Input 0 is one of: int32."),
        ({"outputs": (Fed((2, 3, 4), "int32"),)}, "Input 1 and output 0 have the same type."),
        ({"inputs": (Fed((2, 3), "int32"), floats(()), np.int32([[1]]))},
         "Input 2 and output 0 have the same type."),
        ({"axis": 3}, "cannot insert axis 3 into [2, 3]"),
        ({"depth": -2}, "cannot insert axis 2 into [2, 3]"),
    ],
    "RASTER": [
        ({"regions": (Region(1, 0, (1,), 0, (1,), (3,)),)}, "there is no input 1"),
        ({"outputs": (Fed((3,), "int32"),)}, "expected an input of int32, got float32"),
        ({"regions": (Region(0, 4, (1,), 0, (1,), (3,)),)},
         "a region reaches from element 4 to 6 of a tensor with 6"),
        ({"regions": (Region(0, 1, (-1,), 0, (1,), (3,)),)},
         "a region reaches from element -1 to 1 of a tensor with 6"),
        ({"regions": (Region(0, 0, (1,), 1, (1,), (3,)),)},
         "a region reaches from element 1 to 3 of a tensor with 3"),
    ],
    "REDUCE": [
        ({"inputs": (Q,), "outputs": (Q,)}, "Input 0 is one of: float32, int32."),
        ({"outputs": (Fed((1, 5, 3), "int32"),)}, "Input 0 and output 0 have the same type."),
        ({"kind": "ASUM"}, "The reduction is one that MNN has."),
        ({"axes": (4,)}, "axes (4,) of [1, 4, 5, 3] do not leave [1, 5, 3]"),
        ({"axes": (2,)}, "axes (2,) of [1, 4, 5, 3] do not leave [1, 5, 3]"),
        ({"inputs": (Fed((0, 3)),), "outputs": (Fed((3,)),), "axes": (0,)},
         "there is nothing to reduce"),
    ],
    "RESIZE_BILINEAR_INT8": [
        ({"inputs": (INT,), "outputs": (INT,)}, "Input 0 is one of: int8."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"inputs": (Fed((60,), "int8"),)}, "Input 0 has 4 dimensions."),
        ({"size": (8, 0)}, "cannot resize (4, 5) to (8, 0)"),
    ],
    "RESIZE_CUBIC": [
        ({"inputs": (INT,), "outputs": (INT,)}, "Input 0 is one of: float32."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"inputs": (FLAT,)}, "Input 0 has 4 dimensions."),
        ({"size": (0, 9)}, "cannot resize (4, 5) to (0, 9)"),
    ],
    "SELECT": [
        ({"inputs": (Fed((3,)), Fed((2, 3)), Fed((2, 1)))}, "Input 0 is one of: int32."),
        ({"inputs": (Fed((3,), "int32"), Q, Q), "outputs": (Q,)},
         "Input 1 is one of: float32, int32."),
        ({"outputs": (Fed((2, 3), "int32"),)}, "Input 1 and output 0 have the same type."),
        ({"inputs": (Fed((3,), "int32"), Fed((2, 3)), Fed((2, 1), "int32"))},
         "Input 2 and output 0 have the same type."),
        ({"inputs": (Fed((4,), "int32"), Fed((2, 3)), Fed((2, 1)))},
         "The three inputs' shapes broadcast."),
    ],
    "TILE": [
        ({"inputs": (Fed((2, 3), "int4"), np.array([2, 1], np.int32))}, "Input 0 is one of:"),
        ({"inputs": (Fed((2, 3)), floats((2,)))}, "Input 1 is one of: int32, int64."),
        ({"outputs": (Fed((4, 3), "int32"),)}, "Input 0 and output 0 have the same type."),
        ({"inputs": (Fed((2, 3)), np.array([2], np.int32))}, "a number of 0 or more per axis"),
        ({"inputs": (Fed((2, 3)), np.array([2, -1], np.int32))}, "a number of 0 or more per axis"),
    ],
    "TOP_K": [
        ({"inputs": (Q,), "outputs": (Q, INT)}, "Input 0 is one of: float32, int32."),
        ({"inputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"outputs": (X, X)}, "Output 1 is int32."),
        ({"count": 5}, "there are no 5 elements along axis 1 of [1, 4, 5, 3]"),
        ({"count": 0}, "there are no 0 elements along axis 1 of [1, 4, 5, 3]"),
        ({"axis": 4}, "there are no 2 elements along axis 4 of [1, 4, 5, 3]"),
    ],
    "TRANSPOSE_CONV": [
        ({"inputs": (INT, floats((1, 2, 2, 3, 4)))}, "Input 0 is one of: float32."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"inputs": (FLAT, floats((1, 2, 2, 3, 4)))}, "Input 0 has 4 dimensions."),
        ({"inputs": (X, floats((1, 2, 2, 2, 4)))},
         "weights [1, 2, 2, 2, 4] do not fit an input of [1, 4, 5, 3]"),
        ({"inputs": (X, floats((2, 2, 3, 4)))}, "do not fit an input of [1, 4, 5, 3]"),
        ({"stride": (0, 1)}, "expected positive sizes"),
        ({"output": (0, 1)}, "expected positive sizes"),
    ],
    "UNARY": [
        ({"inputs": (Q,), "outputs": (Q,)}, "Input 0 is one of: float32, int32."),
        ({"outputs": (INT,)}, "Input 0 and output 0 have the same type."),
        ({"kind": "CBRT"}, "MNN has the function for the input's type."),
        ({"inputs": (INT,), "outputs": (INT,)}, "MNN has the function for the input's type."),
        ({"kind": "CLIP", "inputs": (INT,), "outputs": (INT,)}, "for the input's type."),
    ],
}  # fmt: skip


def counts(operator: Single) -> list[tuple[dict[str, Any], str]]:
    """Too many inputs and outputs, and options of another format's file."""
    found: list[tuple[dict[str, Any], str]] = [({"outputs": operator.outputs * 2}, " output")]
    if operator.name != "MNN_RASTER":
        found += [
            ({"inputs": (*operator.inputs, X, X, X)}, "input"),
            ({"inputs": operator.inputs[:-1]}, "input"),
        ]
    if operator.options is not None:
        found.append(({"options": None}, "comes from an ``.mnn`` file"))
        found.append(({"options": type(operator.options)()}, "comes from an ``.mnn`` file"))
    return found


def cases() -> list[Any]:
    """Operators that are refused, with the words."""
    return [
        pytest.param(operator.but(**changes), message, id=f"{operator.name} {message}")
        for operator in LEGAL.values()
        for changes, message in (*counts(operator), *REFUSED[operator.name[4:]])
    ]


def allocated(operator: Single) -> HeapInterpreter:
    """An interpreter that is ready to run."""
    interpreter = HeapInterpreter(operator.model())
    interpreter.allocate_tensors()
    return interpreter


@pytest.mark.parametrize(("operator", "message"), cases())
def test_is_refused(operator: Single, message: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        allocated(operator).invoke()
    assert message in str(caught.value)
    assert operator.name in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_legal_runs(name: str) -> None:
    allocated(LEGAL[name]).invoke()


def is_said(rule: str, message: str) -> bool:
    """Whether a message is about a rule: one of how many says what was found and what is taken."""
    side = "input" if "input" in rule else "output"
    counted = re.search(rf"has \d+ {side}s?; TFLM takes", message)
    return rule in message or (rule.startswith("There ") and counted is not None)


@pytest.mark.parametrize("name", NAMES)
def test_every_constraint_is_broken_by_some_case(name: str) -> None:
    registration = builtin(name)
    assert registration is not None
    words = [
        " ".join((constraint.__doc__ or "").split()) for constraint in registration.constraints
    ]
    said = set()
    for changes, _ in (*counts(LEGAL[name]), *REFUSED[name[4:]]):
        try:
            allocated(LEGAL[name].but(**changes)).invoke()
        except ConstraintError as error:
            said |= {text for text in words if is_said(text, str(error))}
    assert said == set(words)
