"""Every rule holds on the random models of the operator's own test, for narrow inputs too."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import AreniteError
from arenite.model import Model, ModelBuilder, TensorType
from arenite.ops import builtin
from arenite.ops.registry import builtin_names, traits_of
from arenite.ops.shared.reduction import ReducerOptions
from arenite.optimize.ranges import ranges_of
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target
from tests.native.strategies import judge
from tests.optimize.inside import assert_inside, real_range

RULES = [name for name in builtin_names() if traits_of(name).values]


@pytest.mark.parametrize("name", RULES)
def test_there_is_an_operator_for_every_rule(name):
    assert builtin(name) is not None


@pytest.mark.parametrize("rounding", ["double", "single"])
@pytest.mark.parametrize("name", RULES)
def test_outputs_lie_in_their_ranges(name, rounding):
    def holds(oracle: object, model: Model, seed: int, **others: object) -> None:
        rng = np.random.default_rng(seed)
        try:
            interpreter = HeapInterpreter(model, target=Target("host", rounding=rounding))
            interpreter.allocate_tensors()
        except AreniteError:
            return
        names = [tensor.name for tensor in model.inputs]
        narrow = bool(seed % 3) and len(set(names)) == len(names)
        limits = [_limits(tensor.type, rng) if narrow else None for tensor in model.inputs]
        declared = {
            tensor.name: real_range(tensor, *ends)
            for tensor, ends in zip(model.inputs, limits, strict=True)
            if ends is not None
        }
        ranges = ranges_of(model, declared)
        for _ in range(2):
            for index, ends in enumerate(limits):
                fill(interpreter.input(index), ends, rng)
            try:
                interpreter.invoke()
            except AreniteError:
                return
            assert_inside(ranges, model, interpreter)

    judge(name, holds)


def test_a_sum_over_nothing_has_a_range():
    b = ModelBuilder()
    x = b.input("x", (0,), "int8", scale=0.3, zero_point=1)
    axis = b.constant("axis", np.array([0], np.int32))
    y = b.tensor("y", (), "int8", scale=0.5, zero_point=1)
    b.operator("SUM", [x, axis], [y], ReducerOptions())
    b.output(y)
    model = b.build()
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    interpreter.invoke()
    assert_inside(ranges_of(model, {"x": (-1.0, 1.0)}), model, interpreter)


def fill(x, ends, rng):
    """Random values, some of them at the ends."""
    if x.dtype.kind == "f":
        x[...] = rng.normal(0, 3, x.shape)
        return
    if x.dtype == np.bool_:
        x[...] = rng.integers(0, 2, x.shape)
        return
    info = np.iinfo(x.dtype)
    low, high = ends or (info.min, info.max)
    x[...] = rng.integers(low, high, x.shape, dtype=np.int64, endpoint=True)
    x[...] = np.where(rng.random(x.shape) < 0.3, rng.choice([low, high], x.shape), x)


def _limits(type_: TensorType, rng: np.random.Generator) -> tuple[int, int] | None:
    if type_ not in (TensorType.INT8, TensorType.INT16):
        return None
    info = np.iinfo(type_.dtype)
    width = int(rng.choice([0, 1, 10, info.max]))
    low = int(rng.integers(info.min, info.max - width, endpoint=True))
    return low, low + width
