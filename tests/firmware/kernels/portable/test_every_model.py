"""What stands in a model's way nowhere else: axes that are fed, bits without a literal, odd types.

All inferences are next to the reference's, in one program with sanitizers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arenite.firmware import export
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.cumsum import CumsumOptions
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.firmware.built import Compiled, compile_files, run
from tests.firmware.bulk import Case, compared
from tests.ops.differential import run_arenite
from tests.steps import Step

Array = np.ndarray[Any, Any]

INT8: dict[str, Any] = {"scale": 0.5, "zero_point": 3}


def case(model: Model, *inferences: Sequence[Any]) -> Case:
    """A model with what it is fed, as the reference answers it."""
    model = tflite.read(tflite.write(model))
    steps: list[Step] = [
        [np.array(a, t.type.dtype) for a, t in zip(one, model.inputs, strict=True)]
        for one in inferences
    ]
    return Case(
        model.main.operators[0].name, 0, model, list(steps), run_arenite(model, list(steps))
    )


def values(shape: tuple[int, ...], type_: str) -> Array:
    rng = np.random.default_rng(7)
    if type_ == "float32":
        return rng.normal(0, 3, shape).astype(np.float32)
    return rng.integers(-100, 100, shape).astype(type_)


def along(
    operator: str, type_: str, shapes: Sequence[tuple[int, ...]], options: Any = None
) -> Model:
    """An operator whose axes are an input."""
    b = ModelBuilder()
    how = INT8 if type_ == "int8" else {}
    x, axes = b.input("x", shapes[0], type_, **how), b.input("axes", shapes[1], "int32")
    is_place = operator.startswith("ARG")
    y = b.tensor("y", shapes[2], "int32" if is_place else type_, **({} if is_place else how))
    b.operator(operator, [x, axes], [y], *([options] if options else []))
    b.output(y)
    return b.build()


def fed_axes() -> Iterator[Case]:
    for type_ in ("int8", "float32"):
        x = values((2, 3, 2, 3), type_)
        for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
            model = along(name, type_, ((2, 3, 2, 3), (2,), (6,)))
            yield case(model, *([x, axes] for axes in ([0, 1], [1, 2], [-1, 0], [2, -3])))
        x = values((3, 3, 3), type_)
        for name in ("ARG_MAX", "ARG_MIN"):
            model = along(name, type_, ((3, 3, 3), (1,), (3, 3)))
            yield case(model, *([x, [axis]] for axis in (0, 1, -1)))
        for exclusive, reverse in ((False, True), (True, False)):
            options = CumsumOptions(exclusive, reverse)
            model = along("CUMSUM", type_, ((3, 3, 3), (1,), (3, 3, 3)), options)
            yield case(model, *([x, [axis]] for axis in (0, 1, -1)))


def many_axes() -> Iterator[Case]:
    shape, axes = (2, 2, 3, 2, 2, 1, 2, 2), [0, 2, 4, 7]
    for type_ in ("int8", "float32"):
        for name in ("MEAN", "REDUCE_MAX"):
            b = ModelBuilder()
            how = INT8 if type_ == "int8" else {}
            x = b.input("x", shape, type_, **how)
            y = b.tensor("y", (2, 2, 1, 2), type_, **how)
            b.operator(name, [x, b.constant("axes", np.array(axes, np.int32))], [y])
            b.output(y)
            yield case(b.build(), [values(shape, type_)])


def bits_without_a_literal() -> Iterator[Case]:
    weights = np.ones((2, 3, 3, 2), np.float32)
    weights[0, 0, 0, 0], weights[1, 2, 2, 1] = np.inf, np.nan
    b = ModelBuilder()
    x, y = b.input("x", (1, 4, 5, 2), "float32"), b.tensor("y", (1, 4, 5, 2), "float32")
    b.operator("CONV_2D", [x, b.constant("w", weights), -1], [y], Conv2DOptions(0, 1, 1))
    b.output(y)
    yield case(b.build(), [np.ones((1, 4, 5, 2))])
    b = ModelBuilder()
    x, y = b.input("x", (3,), "float32"), b.tensor("y", (3,), "float32")
    b.operator("LEAKY_RELU", [x], [y], LeakyReluOptions(alpha=float("inf")))
    b.output(y)
    yield case(b.build(), [[-1, 0, 1]])


def moved(operator: str, type_: str, *more: Any) -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 3), type_)
    y = b.tensor("y", (3,) if operator == "RESHAPE" else (2, 3), type_)
    if operator == "RESHAPE":
        b.operator(operator, [x], [y], ReshapeOptions(new_shape=(3,)))
    else:
        b.operator(operator, [x, b.constant("shape", np.array([2, 3], np.int32))], [y])
    b.output(y)
    return b.build()


def odd_types() -> Iterator[Case]:
    for type_ in ("float16", "float64", "complex64", "complex128"):
        yield case(moved("BROADCAST_TO", type_), [[[1, -2, 3]]])
    yield case(moved("RESHAPE", "int4"), [[0x21, 0x07]])
    for operator in ("RESHAPE", "BROADCAST_TO"):
        yield case(moved(operator, "bfloat16"), [[1, 2, 3, 4, 5, 6]])


def nothing_in_it() -> Iterator[Case]:
    """Tensors without elements next to some with elements."""
    b = ModelBuilder()
    x, update = b.input("x", (2, 3), "int8"), b.input("update", (0, 3), "int8")
    at, y = b.input("at", (2,), "int32"), b.tensor("y", (2, 3), "int8")
    b.operator("DYNAMIC_UPDATE_SLICE", [x, update, at], [y])
    b.output(y)
    yield case(b.build(), [values((2, 3), "int8"), np.zeros((0, 3)), [1, 1]])
    b = ModelBuilder()
    x, y = b.input("x", (2, 3), "float32"), b.tensor("y", (2, 3), "float32")
    b.operator("MEAN", [x, b.constant("axes", np.zeros(0, np.int32))], [y])
    b.output(y)
    yield case(b.build(), [values((2, 3), "float32")])


def a_computed_bias_of_16_bits() -> Iterator[Case]:
    b = ModelBuilder()
    weights = b.constant("w", np.ones((2, 1, 1, 2), np.int8), scale=0.5)
    x = b.input("x", (1, 2, 2, 2), "int16", scale=0.5)
    bias = b.input("bias", (2,), "int16", scale=0.25)
    shape = b.constant("shape", np.array([1, 2, 2, 2], np.int32))
    y = b.tensor("y", (1, 2, 2, 2), "int16", scale=0.5)
    b.operator("TRANSPOSE_CONV", [shape, weights, x, bias], [y], TransposeConvOptions(1, 1, 1))
    b.output(y)
    yield case(b.build(), [values((1, 2, 2, 2), "int16"), [-300, 200]])


def a_row_whose_sum_wraps() -> Iterator[Case]:
    b = ModelBuilder()
    x = b.input("x", (1, 5000), "int8", scale=0.1)
    y = b.tensor("y", (1, 5000), "int16", scale=1 / 65536, zero_point=-32768)
    b.operator("SOFTMAX", [x], [y], SoftmaxOptions(beta=1.0))
    b.output(y)
    yield case(b.build(), [np.zeros((1, 5000))])


ALL = (
    *(fed_axes, many_axes, bits_without_a_literal, odd_types, nothing_in_it),
    *(a_computed_bias_of_16_bits, a_row_whose_sum_wraps),
)


def test_all_give_the_reference_s_results(tmp_path):
    cases = [replace(one, number=n) for n, one in enumerate(one for some in ALL for one in some())]
    tally = compared(cases, tmp_path)
    assert tally.refused == {}
    assert tally.different == []
    assert tally.equal == len(cases)


@pytest.mark.parametrize("axes", [[0, 0], [7, 1], [3, -4]])
def test_axes_that_do_not_fit_the_output_give_zeros(tmp_path, axes):
    model = along("SUM", "float32", ((2, 3, 4), (2,), (3,)))
    compiled = Compiled(export(model, tmp_path, name="m", target=None), model)
    x = np.ones((2, 3, 4), np.float32)
    assert compiled(x, np.array([0, 2], np.int32))[0].tolist() == [8] * 3
    assert compiled(x, np.array(axes, np.int32))[0].tolist() == [0] * 3


def test_ports_of_packed_types_pass_the_self_test(tmp_path):
    result = export(moved("RESHAPE", "int4"), tmp_path / "m", target=None)
    assert "/* input 0, int4 in bytes: x */" in (tmp_path / "m/src/model.h").read_text()
    main = tmp_path / "main.c"
    main.write_text(
        '#include <stdio.h>\n#include "m/src/selftest.h"\n'
        "static void print(const char *text) { fputs(text, stdout); }\n"
        f"int main(void) {{ return {result.name}_selftest(print); }}\n"
    )
    names = ("model.c", "kernels.c", "weights.c", "selftest.c")
    files = [tmp_path / "m/src" / name for name in names]
    compile_files([main, *files], tmp_path / "program")
    assert run(tmp_path / "program").startswith("PASS")
