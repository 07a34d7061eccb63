"""Interpreter: arrays in, arrays out; what does not fit is named."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder, SignatureDef
from arenite.ops.context import Context, Node
from arenite.runtime.io_conversion import checked, dequantized, quantized
from tests.runtime.models import conv_model, copy, custom_chain, image, resolver_with


def two_ports() -> Model:
    """Swaps a quantised int8 and a float32 tensor of shape (1, 2)."""
    b = ModelBuilder()
    a = b.input("a:0", (1, 2), "int8", scale=0.5, zero_point=10)
    f = b.input("f:0", (1, 2), "float32")
    g = b.tensor("g", (1, 2), "float32")
    c = b.tensor("c", (1, 2), "int8", scale=0.5, zero_point=10)
    b.operator("SWAP", [a, f], [g, c], custom_options=b"")
    b.output(g)
    b.output(c)
    signature = SignatureDef("serving_default", {"left": a, "right": f}, {"g": g, "c": c})
    return b.build(signatures=[signature])


def swap(context: Context, node: Node) -> None:
    a, f, g, c = (context.get_eval_tensor(i).data for i in range(4))
    assert a is not None
    assert f is not None
    assert g is not None
    assert c is not None
    g[...] = f
    c[...] = a


def swapper() -> ar.Interpreter:
    return ar.Interpreter(two_ports(), resolver=resolver_with("SWAP", invoke=swap))


A, F = np.array([[1, 2]], np.int8), np.array([[0.5, -1.5]], np.float32)


# -- one call


def test_one_output_comes_as_an_array() -> None:
    interp = ar.Interpreter(conv_model())
    y = interp(image())
    assert isinstance(y, np.ndarray)
    assert (y.shape, y.dtype) == ((1, 8, 8, 2), np.int8)
    np.testing.assert_array_equal(y, interp.output(0))


def in_one_call() -> ar.Interpreter:
    """Swaps as well, by operators that have kernels in C where there is an engine."""
    b = ModelBuilder()
    for name, kind, scale in (("a", "int8", 0.5), ("f", "float32", None)):
        b.input(name, (1, 2), kind, scale=scale)
    for index, kind, scale in ((1, "float32", None), (0, "int8", 0.5)):
        output = b.tensor("y", (1, 2), kind, scale=scale)
        b.operator("RESHAPE", [index, b.constant("shape", np.int32([1, 2]))], [output])
        b.output(output)
    return ar.Interpreter(b.build())


both_ways = pytest.mark.parametrize("make", [swapper, in_one_call])


@both_ways
def test_several_outputs_come_as_a_tuple(make: Callable[[], ar.Interpreter]) -> None:
    g, c = make()(A, F)
    np.testing.assert_array_equal(g, F)
    np.testing.assert_array_equal(c, A)


@both_ways
def test_a_refused_input_changes_nothing(make: Callable[[], ar.Interpreter]) -> None:
    interp = make()
    expected = interp(A, F)
    with pytest.raises(ar.ShapeError):
        interp(A + 1, F[:0])
    np.testing.assert_array_equal(interp.output(1), expected[1])


@both_ways
def test_inputs_that_are_not_contiguous_are_taken(make: Callable[[], ar.Interpreter]) -> None:
    wide = np.repeat(A, 2, axis=-1)
    np.testing.assert_array_equal(make()(wide[..., ::2], F)[1], A)


@both_ways
def test_several_outputs_are_copies(make: Callable[[], ar.Interpreter]) -> None:
    interp = make()
    first = interp(A, F)
    interp(A + 1, F)
    np.testing.assert_array_equal(first[1], A)


def test_outputs_are_copies() -> None:
    interp = ar.Interpreter(conv_model())
    first = interp(image(0))
    kept = np.array(first)
    interp(image(1))
    np.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize(
    "call",
    [
        lambda i: i(A, F),
        lambda i: i(left=A, right=F),
        lambda i: i(A, right=F),
        lambda i: i(**{"f:0": F, "a:0": A}),
        lambda i: i([[1, 2]], [[0.5, -1.5]]),
    ],
)
def test_inputs_go_by_position_signature_or_tensor_name(
    call: Callable[[ar.Interpreter], Any],
) -> None:
    np.testing.assert_array_equal(call(swapper())[1], A)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda i: i(A), r"expected 2 inputs \['a:0', 'f:0'\], got 1"),
        (lambda i: i(A, F, F), "expected 2 inputs .* got 3"),
        (lambda i: i(A, F, left=A), "input 'left' was given twice"),
        (lambda i: i(A, up=F), r"expected an input named one of \['a:0', 'f:0'\], got 'up'"),
    ],
)
def test_missing_and_unknown_inputs_are_named(
    call: Callable[[ar.Interpreter], Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call(swapper())


# -- what does not fit


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            np.zeros((1, 8, 8, 3), np.float32),
            "input 0 ('image'): expected dtype int8, got float32; "
            "give quantize=True to quantise real numbers",
        ),
        (
            np.zeros((1, 8, 8, 3), np.int16),
            "input 0 ('image'): expected dtype int8, got int16; convert it with .astype(np.int8)",
        ),
        (np.zeros((1, 8, 8, 3), np.bool_), "input 0 ('image'): expected dtype int8, got bool"),
        (np.array("x"), "input 0 ('image'): expected dtype int8, got <U1"),
        ([300] * 192, "expected dtype int8, got int64; convert it with .astype(np.int8)"),
        ([0.5] * 192, "expected dtype int8, got float64; give quantize=True"),
    ],
)
def test_another_dtype_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ar.AreniteError) as caught:
        ar.Interpreter(conv_model())(value)
    assert type(caught.value).__name__ == "DTypeError"
    assert message in str(caught.value)


def test_float64_is_not_narrowed_to_float32_silently() -> None:
    with pytest.raises(TypeError, match=r"expected dtype float32, got float64; .*float32\)"):
        swapper()(A, F.astype(np.float64))


@pytest.mark.parametrize("shape", [(8, 8, 3), (1, 8, 8, 4), (2, 8, 8, 3), ()])
def test_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ar.ShapeError) as caught:
        ar.Interpreter(conv_model())(np.zeros(shape, np.int8))
    helps = ": .reshape(1, 8, 8, 3) of it fits" if shape == (8, 8, 3) else ""
    assert str(caught.value) == (
        f"input 0 ('image'): expected shape [1, 8, 8, 3], got {list(shape)}{helps}"
    )


def test_the_native_engine_is_refused_where_the_engine_was_not_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arenite.native.available", lambda: False)
    with pytest.raises(ar.AreniteError, match="the native engine was not built"):
        ar.Interpreter(conv_model(), engine="native")


def test_auto_is_the_reference_where_the_engine_was_not_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arenite.native.available", lambda: False)
    interp = ar.Interpreter(conv_model(), engine="auto")
    assert interp.engine == "reference"


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an engine of auto, native, reference, got 'f"):
        ar.Interpreter(conv_model(), engine="fast")  # type: ignore[arg-type]


# -- real numbers


def test_real_numbers_are_quantised_and_dequantised_on_request() -> None:
    g, c = swapper()(np.array([[1.0, -2.0]]), F, quantize=True)
    np.testing.assert_array_equal(c, np.array([[1.0, -2.0]], np.float32))
    np.testing.assert_array_equal(g, F)
    assert g.dtype == c.dtype == np.float32


def test_quantising_rounds_half_away_from_zero_and_saturates() -> None:
    tensor = two_ports().inputs[0]
    values = [0.25, -0.25, 0.75, -0.75, 1000.0, -1000.0, np.inf, -np.inf]
    assert quantized(values, tensor).tolist() == [11, 9, 12, 8, 127, -128, 127, -128]


def image_input(scale: float, zero_point: int, dtype: str = "int8") -> Model:
    b = ModelBuilder()
    b.output(b.input("x", (1, 2, 2, 1), dtype, scale=scale, zero_point=zero_point))
    return b.build()


@pytest.mark.parametrize(
    ("dtype", "scale", "zero_point", "expected"),
    [
        ("int8", 1 / 255, -128, [-128, -127, 0, 127]),  # 0 to 1
        ("int8", 2 / 255, -1, [-128, -127, 0, 127]),  # -1 to 1
        ("int8", 1.0, -128, [-128, -127, 0, 127]),  # 0 to 255, as numbers as well
        ("int16", 1 / 32767, 0, [0, 128, 16448, 32767]),  # 0 to 1
    ],
)
def test_bytes_of_an_image_are_all_that_the_input_holds(
    dtype: str, scale: float, zero_point: int, expected: list[int]
) -> None:
    tensor = image_input(scale, zero_point, dtype).inputs[0]
    image = np.array([0, 1, 128, 255], np.uint8).reshape(1, 2, 2, 1)
    got = checked(image, tensor, 0, quantize=True)
    assert (got.ravel().tolist(), got.dtype) == (expected, np.dtype(dtype))


def test_bytes_that_may_be_numbers_or_pixels_are_refused() -> None:
    tensor = image_input(4.0, -128).inputs[0]
    image = np.zeros((1, 2, 2, 1), np.uint8)
    with pytest.raises(TypeError, match=r"bytes may be numbers 0\.\.255 or pixels.* up to 1020"):
        checked(image, tensor, 0, quantize=True)


def test_bytes_for_what_takes_no_image_are_numbers() -> None:
    tensor = two_ports().inputs[0]
    got = checked(np.array([[1, 200]], np.uint8), tensor, 0, quantize=True)
    np.testing.assert_array_equal(got, quantized([[1.0, 200.0]], tensor))


def test_bytes_without_quantising_are_refused() -> None:
    with pytest.raises(TypeError, match="got uint8; give quantize=True for an image's bytes"):
        ar.Interpreter(conv_model())(np.zeros((1, 8, 8, 3), np.uint8))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.uint8, ">f4"])
def test_one_call_quantises_natively_what_the_reference_makes_of_it(dtype: Any) -> None:
    reals = np.random.default_rng(0).uniform(0, 99, (1, 8, 3, 8)).transpose(0, 1, 3, 2)
    x = reals.astype(dtype, order="K")
    native, reference = (ar.Interpreter(conv_model(), engine=e) for e in ("auto", "reference"))
    np.testing.assert_array_equal(native(x, quantize=True), reference(x, quantize=True))


def test_quantised_values_may_be_given_as_they_are() -> None:
    _, c = swapper()(A, F, quantize=True)
    np.testing.assert_array_equal(c, dequantized(A, two_ports().inputs[0]))


# -- the arena


def test_it_sizes_its_own_arena() -> None:
    interp = ar.Interpreter(conv_model())
    assert interp.arena.size == ar.smallest_arena(conv_model())


def test_it_takes_the_users_arena() -> None:
    arena = bytearray(1 << 14)
    interp = ar.Interpreter(conv_model(), arena=arena)
    interp.input("image")[...] = 9
    assert bytes([9]) * 192 in arena


def test_it_keeps_all_tensors_on_request() -> None:
    interp = ar.Interpreter(conv_model(), preserve_all_tensors=True)
    interp(image())
    np.testing.assert_array_equal(interp.tensor("image"), image())


def test_it_loads_bytes(tmp_path: Any) -> None:
    from arenite.formats import tflite

    data = tflite.write(conv_model())
    path = tmp_path / "conv.tflite"
    path.write_bytes(data)
    expected = ar.Interpreter(conv_model())(image())
    for source in (data, path, str(path)):
        np.testing.assert_array_equal(ar.Interpreter(source)(image()), expected)


def test_reset_reaches_operators() -> None:
    calls: list[str] = []
    resolver = resolver_with(reset=lambda context, data: calls.append("reset"), invoke=copy)
    interp = ar.Interpreter(custom_chain(), resolver=resolver)
    assert calls == ["reset"]
    interp.reset()
    assert calls == ["reset", "reset"]


# -- the profiler


def test_a_profiler_is_told_of_every_operator() -> None:
    profiler = ar.MicroProfiler()
    interp = ar.Interpreter(conv_model(), profiler=profiler)
    interp(image())
    assert [event.tag for event in profiler.events] == ["CONV_2D", "CONV_2D"]
    assert profiler.total_ticks == sum(event.ns for event in profiler.events) > 0
    interp.profiler = None
    interp(image())
    assert len(profiler.events) == 2
    profiler.clear_events()
    assert profiler.events == []
    assert profiler.total_ticks == 0


def test_the_profile_is_a_table() -> None:
    profiler = ar.MicroProfiler()
    interp = ar.Interpreter(conv_model(), profiler=profiler)
    interp(image())
    first, second = repr(profiler).splitlines()
    assert first.startswith("2 operator runs, ")
    assert second.startswith("  CONV_2D      2 x")
    assert second.endswith("100.0 %")
    assert list(profiler.ticks_per_tag()) == ["CONV_2D"]


@pytest.mark.parametrize("kind", ["input", "output"])
def test_an_array_of_the_arena_may_be_reshaped_without_harm(kind: str) -> None:
    interp = ar.Interpreter(conv_model())
    expected = interp(image())
    shape = getattr(interp, kind)().shape
    array = getattr(interp, kind)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5 and later
        array.shape = (-1,)
        array.dtype = np.uint8
    assert getattr(interp, kind)().shape == shape
    assert getattr(interp, kind)().dtype == np.int8
    np.testing.assert_array_equal(interp(image()), expected)


def test_nan_cannot_be_quantised() -> None:
    x = np.zeros((1, 8, 8, 3))
    x[0, 1, 2, 0] = np.nan
    message = r"input 'image': expected numbers to quantise, got NaN at \[0, 1, 2, 0\]"
    with pytest.raises(ValueError, match=message):
        ar.Interpreter(conv_model())(x, quantize=True)


def test_an_output_has_a_name_too() -> None:
    interp = ar.Interpreter(conv_model())
    interp(image())
    name = interp.model.outputs[0].name
    np.testing.assert_array_equal(interp.output(name), interp.output(0))
    with pytest.raises(ValueError, match=r"expected an output named one of .*, got 'no'"):
        interp.output("no")
