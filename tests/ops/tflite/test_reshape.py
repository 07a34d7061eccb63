"""RESHAPE equals TFLM, and follows resized inputs on the heap."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver
from arenite.ops.shared.copy import copy_flat
from arenite.ops.tflite.reshape import ReshapeOptions, resolve
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import agrees, equals_tflm, one_operator
from tests.ops.raw import bfloat16_through, copied_bits, int4_weights_through
from tests.oracle import Oracle

TYPES = ["int8", "int8", "int16", "float32", "int32", "int64", "uint8", "uint32", "bool"]
SIZES = [1, 2, 6, 12, 36, 210]


@st.composite
def shapes(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    """Any shape of up to 6 dimensions that holds ``size`` elements."""
    shape = []
    for _ in range(draw(st.integers(0 if size == 1 else 1, 6)) - 1):
        shape.append(draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0])))
        size //= shape[-1]
    return (*shape, size) if shape or size > 1 else draw(st.sampled_from([(), (1,)]))


@st.composite
def models(draw: st.DrawFn) -> Model:
    """One RESHAPE, then another: TFLM's package cannot return a tensor with a -1 itself."""
    size, kind = draw(st.sampled_from(SIZES)), draw(st.sampled_from(TYPES))
    b = ModelBuilder()
    x = b.input("x", draw(shapes(size)), kind)
    shape = draw(shapes(size))
    declared = shape
    if shape and draw(st.integers(0, 2)) == 0:
        at = draw(st.integers(0, len(shape) - 1))
        declared = (*shape[:at], -1, *shape[at + 1 :])
    middle = b.tensor("middle", declared, kind)
    inputs, options = [x], None
    match draw(st.sampled_from(["none", "options", "constant", "fed"])):
        case "options":
            options = ReshapeOptions(new_shape=shape)
        case "constant":
            inputs.append(b.constant("shape", np.array(shape, np.int32)))
        case "fed":
            inputs.append(b.input("shape", (max(len(shape), 1),), "int32"))
    b.operator("RESHAPE", inputs, [middle], options)
    y = b.tensor("y", draw(shapes(size)), kind)
    return one_operator(b, "RESHAPE", [middle], [y])


test_equals_tflm = equals_tflm(models())


def reshape(
    shape: tuple[int, ...],
    declared: tuple[int, ...],
    options: ReshapeOptions | None = None,
    constant: tuple[int, ...] | None = None,
    output_type: str = "int8",
) -> HeapInterpreter:
    """One RESHAPE on the heap, not allocated yet."""
    return HeapInterpreter(reshape_model(shape, declared, options, constant, output_type))


def reshape_model(
    shape: tuple[int, ...],
    declared: tuple[int, ...],
    options: ReshapeOptions | None = None,
    constant: tuple[int, ...] | None = None,
    output_type: str = "int8",
) -> Model:
    b = ModelBuilder()
    inputs = [b.input("x", shape, "int8")]
    if constant is not None:
        inputs.append(b.constant("shape", np.array(constant, np.int32)))
    y = b.tensor("y", declared, output_type)
    return one_operator(b, "RESHAPE", inputs, [y], options)


def test_a_minus_one_stands_for_what_the_other_dimensions_leave() -> None:
    assert resolve((-1, 4), 12) == (3, 4)
    assert resolve((-1,), 1) == (1,)


@pytest.mark.parametrize("shape", [(3, 5), (-1, 5), (-1, -1), (-1, 0), (-12, -1), (-3, -4), ()])
def test_a_shape_that_cannot_hold_the_elements_is_none(shape: tuple[int, ...]) -> None:
    assert resolve(shape, 12) is None


def test_the_models_own_output_shape_counts_before_the_constant() -> None:
    interpreter = reshape((2, 6), (3, 4), constant=(4, 3))
    interpreter.allocate_tensors()
    assert interpreter.output().shape == (3, 4)


def test_one_zero_is_how_old_models_write_a_scalar() -> None:
    interpreter = reshape((1, 1), (0,))
    interpreter.allocate_tensors()
    interpreter.input()[...] = 7
    interpreter.invoke()
    assert interpreter.output().shape == ()
    assert interpreter.output() == 7


@pytest.mark.parametrize(
    ("shape", "declared", "resolved"), [((2, 6), (-1, 4), (3, 4)), ((1, 1), (0,), ())]
)
def test_the_arena_has_room_for_a_shape_that_the_model_leaves_open(
    shape: tuple[int, ...], declared: tuple[int, ...], resolved: tuple[int, ...]
) -> None:
    micro = MicroInterpreter(reshape_model(shape, declared), AllOpsResolver(), 4096)
    micro.allocate_tensors()
    micro.input()[...] = 7
    micro.invoke()
    assert micro.output().shape == resolved
    assert (micro.output() == 7).all()
    assert micro.arena.head_used == 32


def test_tflm_copies_the_dimensions_of_an_output_with_a_minus_one() -> None:
    def tail(declared: tuple[int, ...]) -> int:
        micro = MicroInterpreter(reshape_model((2, 6), declared), AllOpsResolver(), 4096)
        micro.allocate_tensors()
        return micro.arena.tail_used

    assert tail((-1, 4)) == tail((3, 4)) + 16


@pytest.mark.parametrize(
    ("options", "constant", "expected"),
    [
        (None, (-1, 3), (4, 3)),
        (ReshapeOptions(new_shape=(-1, 3)), None, (4, 3)),
        (None, (2, 3), (4, 3)),
        (None, None, (4, 3)),
    ],
    ids=["-1 in the constant", "-1 in the options", "a constant batch", "no shape but the model's"],
)
def test_a_resized_batch_is_followed(
    options: ReshapeOptions | None, constant: tuple[int, ...] | None, expected: tuple[int, ...]
) -> None:
    interpreter = reshape((2, 1, 3), (2, 3), options, constant)
    interpreter.resize_input(0, (4, 1, 3))
    interpreter.allocate_tensors()
    assert interpreter.output().shape == expected


def test_a_batch_can_be_resized_and_back() -> None:
    interpreter = reshape((2, 1, 3), (2, 3), constant=(-1, 3))
    for batch in (4, 2):
        interpreter.resize_input(0, (batch, 1, 3))
        interpreter.allocate_tensors()
        assert interpreter.output().shape == (batch, 3)


def test_copying_onto_the_same_memory_changes_nothing() -> None:
    memory = np.arange(6, dtype=np.int8)
    copy_flat(memory.reshape(2, 3), memory.reshape(3, 2))
    assert memory.tolist() == [0, 1, 2, 3, 4, 5]


def test_another_number_of_elements_is_refused() -> None:
    with pytest.raises(
        ConstraintError, match=r"must hold the input's 12 elements, .* got \[3, 5\]"
    ):
        reshape((2, 6), (3, 5), constant=(5, 5)).allocate_tensors()


@pytest.mark.parametrize("make", [HeapInterpreter, Interpreter])
def test_a_first_dimension_follows_only_a_resized_input(make: Callable[[Model], Any]) -> None:
    b = ModelBuilder()
    x, y = b.input("x", (12,), "int8"), b.tensor("y", (5, 2), "int8")
    b.operator("RESHAPE", [x], [y])
    b.output(y)
    message = r"must hold the input's 12 elements, .* got \[5, 2\]"
    with pytest.raises(ConstraintError, match=message):
        make(b.build()).allocate_tensors()


def test_another_type_is_refused() -> None:
    with pytest.raises(ConstraintError, match="Input 0 and output 0 have the same type"):
        reshape((2, 6), (12,), output_type="uint8").allocate_tensors()


def test_more_dimensions_than_tflm_parses_are_refused() -> None:
    with pytest.raises(ConstraintError, match="new_shape has at most 8 dimensions"):
        reshape((1,), (1,), ReshapeOptions(new_shape=(1,) * 9)).allocate_tensors()


@pytest.mark.parametrize(("units", "depth"), [(4, 8), (3, 5), (1, 1)])
def test_int4_weights_go_through_packed(oracle: Oracle, units: int, depth: int) -> None:
    shape = (units * depth,)
    model = int4_weights_through("RESHAPE", units, depth, shape)
    assert agrees(oracle, model, 0, invokes=3).status == "ok"


@pytest.mark.parametrize("isa", [None, "portable"])
def test_bfloat16_is_copied(oracle: Oracle, isa: str | None) -> None:
    model = bfloat16_through("RESHAPE", (24,), (2, 12))
    assert agrees(oracle, model, 0).status == "ok"
    assert copied_bits(model, isa) == [257 * i for i in range(24)]
