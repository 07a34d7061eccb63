"""Kernels of READ_VARIABLE and ASSIGN_VARIABLE: which nodes they take, which data they leave."""

from typing import Any

import numpy as np
import pytest

from arenite.model import TensorType
from arenite.ops.shared.variables import VariableParams

pytest.importorskip("arenite.native._engine")

from arenite.native.program import Program
from arenite.native.tensors import ABSENT, NativeTensor


def tensor(*values: int, dtype: str = "int8") -> NativeTensor:
    data = np.array(values, dtype)
    return NativeTensor(data, int(TensorType.of(data.dtype)), data.shape)


def number(value: int) -> NativeTensor:
    return NativeTensor(np.array(value, np.int32), TensorType.RESOURCE, ())


def variables(*sizes: int) -> list[NativeTensor]:
    return [tensor(*[9] * size, dtype="uint8") for size in sizes]


def add(name: str, outputs: list[NativeTensor], inputs: list[NativeTensor]) -> Program | None:
    program = Program()
    if not program.add(name, VariableParams(first=3), outputs, inputs):
        return None
    program.finish()
    return program


def test_the_number_says_which_variable_is_read() -> None:
    out, there = tensor(0, 0), variables(4, 2)
    program = add("READ_VARIABLE", [out], [number(4), *there])
    assert program is not None
    assert program.run(0, 1) == 1
    assert np.array_equal(out.data, [9, 9])  # type: ignore[arg-type]


def test_the_number_says_which_variable_is_written() -> None:
    there = variables(4, 2)
    program = add("ASSIGN_VARIABLE", [ABSENT], [number(4), tensor(5, 6), *there])
    assert program is not None
    assert program.run(0, 1) == 1
    assert [one.data.tolist() for one in there] == [[9] * 4, [5, 6]]  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [2, 5, -1, 2**31 - 1, -(2**31)])
def test_numbers_of_no_variable_are_for_python(value: int) -> None:
    program = add("READ_VARIABLE", [tensor(0)], [number(value), *variables(1, 1)])
    assert program is not None
    assert program.run(0, 1) == 0


@pytest.mark.parametrize("size", [0, 1, 3])
def test_other_sizes_are_for_python(size: int) -> None:
    out = tensor(*[1] * size, dtype="uint8")
    taken = add("ASSIGN_VARIABLE", [ABSENT], [number(3), out, *variables(2)])
    assert taken is not None
    assert taken.run(0, 1) == 0


@pytest.mark.parametrize(
    "inputs",
    [
        [number(3)],
        [tensor(3, dtype="int64"), *variables(1)],
        [tensor(3, 3, dtype="int32"), *variables(1)],
        [number(3), tensor(1)],
        [number(3), ABSENT, *variables(1)],
    ],
)
def test_no_kernel_takes_another_number_or_no_variable(inputs: Any) -> None:
    assert add("READ_VARIABLE", [tensor(0)], inputs) is None
