"""``x * LOGISTIC(x)`` in one pass: the same bits, where nobody looks between."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import litert
from arenite.formats import tflite
from arenite.memory.offline import with_plan
from arenite.model import Model, ModelBuilder
from arenite.model.offline_plan import Origin
from arenite.ops.context import Array
from arenite.ops.tflite.mul import MulOptions
from tests.variants import REFERENCE, forced, interpreter, variants

#: Portable kernels of MUL do not go element by element.
WITH_LANES = [name for name in variants() if name not in (REFERENCE, "portable")]
UNTOUCHED = 77
RELU6 = 3

each_variant = pytest.mark.parametrize("variant", WITH_LANES)


def silu(
    reads: str = "xy", third: str = "z", outputs: str = "w", *, count: int = 256, zero: int = -3
) -> Model:
    """y = LOGISTIC(x), z = MUL of two of them, w = TANH of one."""
    b = ModelBuilder()
    shape = (1, count)
    index = {
        "x": b.input("x", shape, "int8", scale=0.06, zero_point=zero),
        "y": b.tensor("y", shape, "int8", scale=1 / 256, zero_point=-128),
        "z": b.tensor("z", shape, "int8", scale=0.05, zero_point=11),
        "w": b.tensor("w", shape, "int8", scale=1 / 128),
    }
    b.operator("LOGISTIC", [index["x"]], [index["y"]])
    b.operator("MUL", [index[name] for name in reads], [index["z"]], MulOptions(RELU6))
    b.operator("TANH", [index[third]], [index["w"]])
    for name in outputs:
        b.output(index[name])
    return b.build()


def float_silu(count: int) -> Model:
    """z = x * LOGISTIC(x) of floats, at most 6."""
    b = ModelBuilder()
    x = b.input("x", (1, count), "float32")
    y, z = (b.tensor(name, (1, count), "float32") for name in "yz")
    b.operator("LOGISTIC", [x], [y])
    b.operator("MUL", [x, y], [z], MulOptions(RELU6))
    b.output(z)
    return b.build()


def floats(count: int) -> Array:
    """Normally distributed, with what is no number or very large among them."""
    x = np.random.default_rng(count).normal(0, 4, (1, count)).astype(np.float32)
    x[:, ::7] = np.resize(np.float32([np.nan, np.inf, -np.inf, 1e30, -90, 0]), x[:, ::7].shape)
    return x


def micro_of(model: Model, variant: str, **options: Any) -> ar.MicroInterpreter:
    with forced(variant):
        micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), 4096, engine="native", **options)
        micro.allocate_tensors()
    micro.input(0)[...] = every_byte(micro.input(0).size)
    return micro


def every_byte(count: int = 256) -> Array:
    """All 256, then some again."""
    return np.resize(np.arange(-128, 128), (1, count)).astype(np.int8)


def made_by(model: Model, number: int) -> Array:
    """What an operator makes of every byte, by the reference."""
    interp = ar.Interpreter(model, engine="reference", preserve_all_tensors=True)
    interp(every_byte(interp.input(0).size))
    return interp.tensor(model.main.operators[number].outputs[0]).copy()


def is_joined(micro: ar.MicroInterpreter) -> bool:
    """Whether both operators in one go write nothing where LOGISTIC's output would be."""
    assert micro.compiled is not None
    between = micro.operator_tensors(0)[1][0][1]
    between[...] = UNTOUCHED
    micro.compiled.program.run(0, 2)
    return bool((between == UNTOUCHED).all())


@each_variant
@pytest.mark.parametrize("reads", ["xy", "yx"])
@pytest.mark.parametrize("zero", [-128, -3, 127])
def test_every_byte_gives_what_two_operators_give(variant: str, reads: str, zero: int) -> None:
    model = silu(reads, zero=zero)
    micro = micro_of(model, variant)
    assert is_joined(micro)
    micro.invoke()
    assert np.array_equal(micro.output(0), made_by(model, 2))


@each_variant
@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 95, 129])
def test_any_number_of_bytes(variant: str, count: int) -> None:
    model = silu(count=count)
    micro = micro_of(model, variant)
    micro.input(0)[...] = x = every_byte(256)[:, -count:]
    micro.invoke()
    assert np.array_equal(micro.output(0), ar.Interpreter(model, engine="reference")(x))


@each_variant
@pytest.mark.parametrize("count", [1, 63, 1024, 1025, 5000])
def test_floats_give_the_bits_that_two_operators_give(variant: str, count: int) -> None:
    with forced(variant):
        model, resolver = float_silu(count), ar.AllOpsResolver()
        micro = ar.MicroInterpreter(model, resolver, 1 << 17, engine="native")
        micro.allocate_tensors()
    micro.input(0)[...] = floats(count)
    for number in range(2):
        micro.invoke_operator(number)
    expected = micro.output(0).copy()
    assert is_joined(micro)
    assert np.array_equal(micro.output(0).view(np.int32), expected.view(np.int32))


@each_variant
def test_threads_share_floats(variant: str) -> None:
    x, model = floats(50_000), float_silu(50_000)
    expected = interpreter(model, variant)(x).view(np.int32)
    for threads in (2, 3, 5):
        found = interpreter(model, variant, threads=threads)(x)
        assert np.array_equal(found.view(np.int32), expected), threads


@each_variant
def test_one_by_one_operators_write_all_tensors(variant: str) -> None:
    model = silu()
    micro = micro_of(model, variant)
    for number in range(3):
        micro.invoke_operator(number)
        written = micro.operator_tensors(number)[1][0][1]
        assert np.array_equal(written, made_by(model, number))


@each_variant
def test_tensors_that_are_preserved_are_written(variant: str) -> None:
    model = silu()
    interp = interpreter(model, variant, preserve_all_tensors=True)
    interp(every_byte())
    assert np.array_equal(interp.tensor("y"), made_by(model, 0))


@each_variant
def test_the_heap_preserves_tensors(variant: str) -> None:
    model = silu()
    with forced(variant):
        interp = litert.Interpreter(model_content=tflite.write(model))
        interp.allocate_tensors()
    interp.set_tensor(0, every_byte())
    interp.invoke()
    assert np.array_equal(interp.get_tensor(1), made_by(model, 0))


@each_variant
@pytest.mark.parametrize(
    ("reads", "third", "outputs"),
    [("xy", "z", "yw"), ("xy", "y", "zw"), ("yy", "z", "w"), ("xx", "y", "zw")],
    ids=["an output", "read twice", "without x", "without y"],
)
def test_what_somebody_else_needs_is_written(
    variant: str, reads: str, third: str, outputs: str
) -> None:
    model = silu(reads, third, outputs)
    micro = micro_of(model, variant)
    assert not is_joined(micro)
    assert np.array_equal(micro.operator_tensors(1)[1][0][1], made_by(model, 1))


@each_variant
def test_a_plan_in_the_file_is_followed(variant: str) -> None:
    planned = with_plan(silu(), {}, Origin("none", "host", "tflm", "", ""))
    assert not is_joined(micro_of(planned, variant))


@each_variant
def test_threads_share_the_table(variant: str) -> None:
    model = silu(count=200_000)
    x = every_byte(200_000)
    expected = ar.Interpreter(model, engine="reference")(x)
    for threads in (1, 2, 3, 5):
        interp = interpreter(model, variant, threads=threads)
        assert np.array_equal(interp(x), expected), threads


@each_variant
def test_copies_of_the_arena_share_the_table(variant: str) -> None:
    model = silu()
    batch = np.random.default_rng(0).integers(-128, 128, (40, 256), np.int8)
    expected = ar.Interpreter(model, engine="reference").predict(batch)
    assert np.array_equal(interpreter(model, variant).predict(batch, threads=3), expected)
