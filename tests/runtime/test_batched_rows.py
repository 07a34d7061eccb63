"""Batches of fully connected networks, whose samples are computed some rows at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arenite as ar
from arenite.errors import PredictError
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from tests.runtime.models import conv_model
from tests.variants import REFERENCE, interpreter, variants

pytest.importorskip("arenite.native._engine")

from arenite.runtime.batched_rows import FEWEST, SAMPLES, SHARE

Array = np.ndarray[Any, Any]
COUNT = FEWEST + SAMPLES + 5
every_isa = pytest.mark.parametrize("isa", [name for name in variants() if name != REFERENCE])
#: Element types of weights and bias.
TYPES = {"float32": ("float32", "float32"), "int8": ("int8", "int32"), "int16": ("int8", "int64")}
OPTIONS = {"SOFTMAX": SoftmaxOptions(1.0)}
#: Operators whose results are in [0, 1], and the only quantisation for them.
TO_UNITY = ("SOFTMAX", "LOGISTIC")
UNITY = {"int8": (1 / 256, -128), "int16": (1 / 32768, 0)}


def network(kind: str, shape: Sequence[int], layers: Sequence[int | str], seed: int = 0) -> Model:
    """Operators in a chain: numbers are units of fully connected layers."""
    b, rng, is_float = ModelBuilder(), np.random.default_rng(seed), kind == "float32"
    shape, scale = tuple(shape), None if is_float else 0.05
    last = b.input("x", shape, kind, scale=scale)
    for number, layer in enumerate(layers):
        inputs, options, ends, zero_point = [last], OPTIONS.get(layer), scale, 0
        name = layer
        if isinstance(layer, int):
            inputs += constants(b, rng, kind, (layer, shape[-1]), scale)
            name, shape, options = "FULLY_CONNECTED", (1, layer), FullyConnectedOptions(1)
        elif layer == "RESHAPE":
            shape = (1, int(np.prod(shape)))
            options = ReshapeOptions(shape)
        elif kind in UNITY and layer in TO_UNITY:
            ends, zero_point = UNITY[kind]
        y = b.tensor(f"y{number}", shape, kind, scale=ends, zero_point=zero_point)
        b.operator(name, inputs, [y], options)
        last, scale = y, ends
    b.output(last)
    return b.build()


def constants(
    b: ModelBuilder,
    rng: np.random.Generator,
    kind: str,
    shape: tuple[int, int],
    scale: float | None,
) -> list[int]:
    """Weights and bias of a fully connected layer."""
    w, bias = rng.integers(-127, 128, shape), rng.integers(-500, 500, shape[0])
    if scale is None:
        w, bias = w / 400, bias / 400
    weights_type, bias_type = TYPES[kind]
    return [
        b.constant("weights", w.astype(weights_type), scale=scale and 0.01),
        b.constant("bias", bias.astype(bias_type), scale=scale and 0.01 * scale),
    ]


def samples(model: Model, count: int = COUNT, seed: int = 1) -> Array:
    tensor = model.inputs[0]
    rng, shape, dtype = np.random.default_rng(seed), (count, *tensor.shape[1:]), tensor.type.dtype
    if dtype == np.float32:
        return rng.normal(size=shape).astype(np.float32)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def one_by_one(interp: ar.Interpreter, batch: Array, **options: Any) -> Array:
    return np.concatenate([np.asarray(interp(one[None], **options)) for one in batch])


def is_side_by_side(interp: ar.Interpreter) -> bool:
    """Whether a batch was computed so."""
    compiled = interp._micro.compiled
    return compiled is not None and compiled._side_by_side is not None


# -- the same bits -------------------------------------------------------------------------


@every_isa
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("threads", [1, 2])
def test_results_are_those_of_one_sample_after_the_other(kind: str, threads: int, isa: str) -> None:
    model = network(kind, (1, 40), [33, "RELU", 100, 7, "SOFTMAX"])
    interp = interpreter(model, isa)
    batch = samples(model, 2 * COUNT)
    found = interp.predict(batch, threads=threads)
    assert is_side_by_side(interp)
    np.testing.assert_array_equal(
        np.asarray(found).view(np.uint8), one_by_one(interp, batch).view(np.uint8)
    )


@every_isa
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_chain_of_layers_gives_the_same_bits(isa: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([*TYPES]))
    names = ["RELU", "LOGISTIC"] if kind == "int16" else ["RELU", "LOGISTIC", "SOFTMAX"]
    layers = data.draw(
        st.lists(st.integers(1, 130) | st.sampled_from(names), min_size=1, max_size=5)
    )
    width, seed = data.draw(st.integers(1, 200)), data.draw(st.integers(0, 1000))
    model = network(kind, (1, width), layers, seed)
    interp = interpreter(model, isa)
    batch = samples(model, FEWEST + data.draw(st.integers(0, SAMPLES)), seed)
    found = np.asarray(interp.predict(batch))
    np.testing.assert_array_equal(found.view(np.uint8), one_by_one(interp, batch).view(np.uint8))


def test_small_layers_of_floats_keep_the_order_of_their_sums() -> None:
    # With 24 rows it would have more products than are summed one by one.
    model = network("float32", (1, 64), [8])
    interp = ar.Interpreter(model, engine="native")
    batch = samples(model)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))


@every_isa
@pytest.mark.parametrize("units", [16, 57, 128, 300])
def test_larger_ones_too_whether_or_not_one_row_is_summed_in_several_sets(
    units: int, isa: str
) -> None:
    model = network("float32", (1, 300), [units])
    interp = interpreter(model, isa)
    batch = samples(model)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))


def test_an_autoencoder_of_floats_has_its_samples_side_by_side() -> None:
    model = network("float32", (1, 640), [128, 128, 8, 128, 640])
    interp = ar.Interpreter(model, engine="native")
    batch = samples(model)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))
    assert is_side_by_side(interp)


def test_a_picture_is_flattened_row_by_row() -> None:
    model = network("int8", (1, 4, 5, 1), ["RESHAPE", 9, 3])
    interp = ar.Interpreter(model, engine="native")
    batch = samples(model)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))
    assert is_side_by_side(interp)


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_a_firmware_s_bits_are_the_same(target: str) -> None:
    model = network("int8", (1, 30), [17, 5, "SOFTMAX"])
    interp = ar.Interpreter(model, engine="native", target=target)
    batch = samples(model)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))


@pytest.mark.parametrize("threads", [1, 3])
def test_real_numbers_are_converted_in_all_rows(threads: int) -> None:
    model = network("int8", (1, 30), [17, 5])
    interp = ar.Interpreter(model, engine="native")
    batch = np.random.default_rng(2).normal(size=(3 * COUNT, 30)).astype(np.float32)
    found = interp.predict(batch, quantize=True, threads=threads)
    np.testing.assert_array_equal(found, one_by_one(interp, batch, quantize=True))
    assert is_side_by_side(interp)


# -- what stays as it was ---------------------------------------------------------------------


def test_the_interpreter_has_the_last_sample_afterwards() -> None:
    model = network("int8", (1, 12), [5])
    interp = ar.Interpreter(model, engine="native")
    batch = samples(model, SAMPLES * 10)
    found = np.asarray(interp.predict(batch))
    np.testing.assert_array_equal(interp.input(0), batch[-1:])
    np.testing.assert_array_equal(interp.output(0), found[-1:])


@pytest.mark.parametrize("place", [0, SAMPLES, 2 * SAMPLES + 7, COUNT - 1])
def test_the_sample_with_a_nan_is_named(place: int) -> None:
    model = network("int8", (1, 12), [5])
    interp = ar.Interpreter(model, engine="native")
    batch = np.zeros((COUNT, 12), np.float32)
    batch[place, 3] = np.nan
    interp.predict(np.zeros((COUNT, 12), np.float32), quantize=True)
    with pytest.raises(PredictError, match=f"sample {place}: .* NaN") as caught:
        interp.predict(batch, quantize=True)
    assert caught.value.index == place


def test_progress_counts_samples() -> None:
    model = network("int8", (1, 12), [5])
    interp = ar.Interpreter(model, engine="native")
    seen: list[tuple[int, int]] = []
    interp.predict(samples(model), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (COUNT, COUNT)


# -- who goes one by one --------------------------------------------------------------------


def test_few_samples_do() -> None:
    model = network("int8", (1, 12), [5])
    interp = ar.Interpreter(model, engine="native")
    interp.predict(samples(model, FEWEST - 1))
    assert not is_side_by_side(interp)


def test_convolutions_do() -> None:
    interp = ar.Interpreter(conv_model(), engine="native")
    batch = samples(interp.model, FEWEST)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))
    assert not is_side_by_side(interp)


def test_a_softmax_over_the_only_axis_does() -> None:
    b = ModelBuilder()
    x, y = b.input("x", (1,), "float32"), b.tensor("y", (1,), "float32")
    b.operator("SOFTMAX", [x], [y], SoftmaxOptions(1.0))
    b.output(y)
    interp = ar.Interpreter(b.build(), engine="native")
    batch = np.arange(FEWEST, dtype=np.float32)[:, None]
    np.testing.assert_array_equal(np.ravel(interp.predict(batch)), np.ones(FEWEST, np.float32))
    assert not is_side_by_side(interp)


def test_weights_that_are_an_input_do() -> None:
    b = ModelBuilder()
    x, w = b.input("x", (1, 6), "float32"), b.input("w", (1, 6), "float32")
    y = b.tensor("y", (1, 1), "float32")
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], FullyConnectedOptions())
    b.output(y)
    interp = ar.Interpreter(b.build(), engine="native")
    rng = np.random.default_rng(3)
    left, right = (rng.normal(size=(FEWEST, 6)).astype(np.float32) for _ in "xw")
    found = interp.predict((left, right))
    wanted = [np.asarray(interp(a[None], c[None])).item() for a, c in zip(left, right, strict=True)]
    np.testing.assert_array_equal(np.ravel(found), np.array(wanted, np.float32))
    assert not is_side_by_side(interp)


@pytest.mark.parametrize("room", [SAMPLES * 3000, SAMPLES * 5000])
def test_models_do_whose_memory_or_weights_would_be_more_than_a_share_of_the_limit(
    room: int,
) -> None:
    model = network("int8", (1, 2000), [2000])
    interp = ar.Interpreter(model, engine="native")
    interp.arena.budget.limit = SHARE * room
    batch = samples(model)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))
    assert not is_side_by_side(interp)


def test_threads_do_whose_memory_together_would_be_more_than_that() -> None:
    model = network("int8", (1, 2000), ["RELU"])
    interp = ar.Interpreter(model, engine="native")
    interp.arena.budget.limit = SHARE * 3 * SAMPLES * 4096
    batch = samples(model, 16 * FEWEST)
    found = interp.predict(batch, threads=16)
    np.testing.assert_array_equal(found, interp.predict(batch))
    assert is_side_by_side(interp)


def test_interpreters_do_whose_threads_share_an_inference() -> None:
    model = network("int8", (1, 2000), [4000])
    interp = ar.Interpreter(model, engine="native", threads=2)
    batch = samples(model, FEWEST)
    np.testing.assert_array_equal(interp.predict(batch), one_by_one(interp, batch))
    assert not is_side_by_side(interp)
    interp.close()
