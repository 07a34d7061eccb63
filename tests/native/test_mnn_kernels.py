"""The native kernels of the operators of ``.mnn`` files give the reference's bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.mnn.operators.average_pool import MnnAveragePoolOptions, counts
from arenite.mnn.operators.binary_int8 import _NATIVE, MnnBinaryInt8Options
from arenite.mnn.operators.conv_int8 import MnnConvInt8Options
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from arenite.mnn.operators.int8_to_float import MnnInt8ToFloatOptions
from arenite.mnn.operators.lookup import MnnLookupOptions
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.mnn.operators.resize_bilinear_int8 import MnnResizeBilinearInt8Options
from arenite.model import Array, Model
from arenite.ops.shared.window import Placement, Window
from arenite.runtime.heap_host import HeapInterpreter
from tests.mnn.operator_models import Fed, Single, floats, integers, single
from tests.ops.differential import differential

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from tests.native.fences import fenced_twice

ALL = np.arange(-128, 128, dtype=np.int8)


def values(model: Model, seed: int) -> list[Array]:
    """Random inputs; floats have halves, infinities and NaN among them."""
    rng = np.random.default_rng(seed)
    arrays = []
    for tensor in model.inputs:
        if tensor.type.dtype.kind == "i":
            info = np.iinfo(tensor.type.dtype)
            arrays.append(rng.integers(info.min, info.max, tensor.shape, tensor.type.dtype, True))
            continue
        x = (rng.integers(-300, 300, tensor.shape) / 2).astype(np.float32)
        special = np.float32([np.nan, np.inf, -np.inf, 3e38, -3e38, -0.0, 0.49999997])
        places = rng.random(tensor.shape) < 0.1
        x[places] = rng.choice(special, int(places.sum()))
        arrays.append(x)
    return arrays


def same(model: Model, isa: str, inputs: list[Array]) -> None:
    """The kernel of an instruction set gives the bits of the one in NumPy."""
    reference, native = HeapInterpreter(model), HeapInterpreter(model)
    reference.allocate_tensors()
    native.allocate_tensors()
    compiled = native.compile(isa)
    assert compiled.kernel(0) != "python"
    for interpreter in (reference, native):
        for index, x in enumerate(inputs):
            interpreter.input(index)[...] = x
    reference.invoke()
    compiled.invoke()
    want, got = reference.output(0), native.output(0)
    np.testing.assert_array_equal(got, want, strict=True)


# -- convolutions -------------------------------------------------------------------------


@st.composite
def convolutions(draw: st.DrawFn) -> Single:
    """Convolutions of all kinds; factors at which halves are common, and some that overflow."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    depthwise = draw(st.booleans())
    groups = 1 if depthwise else draw(st.sampled_from([1, 1, 2, 3]))
    depth, filters = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    channels = draw(st.sampled_from([1, 3, 8, 16, 24, 64, 67])) if depthwise else depth * groups
    kernel = draw(st.sampled_from([(1, 1), (3, 3), (2, 4), (5, 1)]))
    stride = draw(st.sampled_from([(1, 1), (2, 2), (1, 3)]))
    dilation = draw(st.sampled_from([(1, 1), (1, 1), (2, 1)]))
    size = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    placement = Placement(
        (draw(st.integers(1, 9)), draw(st.integers(1, 17))),
        (draw(st.integers(0, 3)), draw(st.integers(0, 3))),
    )
    outputs = channels if depthwise else filters * groups
    low, high = sorted((draw(st.integers(-128, 127)), draw(st.integers(-128, 127))))
    clamp = draw(st.sampled_from([(-128, 127), (-127, 127), (low, high), None]))
    exponents = draw(st.sampled_from([(-12, -4), (-3, 0), (-40, -20), (20, 127)]))
    factor = np.exp2(rng.integers(*exponents, outputs)).astype(np.float32)
    if draw(st.booleans()):
        factor *= rng.normal(size=outputs).astype(np.float32)
    if draw(st.booleans()):
        offset: Array = rng.integers(-(2**20), 2**20, outputs).astype(np.int32)
    else:
        offset = (rng.integers(-800, 800, outputs) / 4).astype(np.float32)
        if draw(st.integers(0, 4)) == 0:
            offset[rng.integers(outputs)] = draw(st.sampled_from([np.nan, np.inf, -3e38]))
    shape = (1, *kernel, channels) if depthwise else (outputs, *kernel, depth)
    batches = draw(st.integers(1, 2))
    return single(
        "CONV_INT8",
        [
            Fed((batches, *size, channels), "int8"),
            integers(shape, int(rng.integers(1000))),
            offset,
            factor,
        ],
        Fed((batches, *placement.output_size, outputs), "float32" if clamp is None else "int8"),
        MnnConvInt8Options(
            placement,
            stride,
            dilation,
            draw(st.sampled_from([0, -128, 127, 5])),
            clamp,
            draw(st.booleans()),
            depthwise,
        ),
    )


@pytest.mark.parametrize("isa", available_isas())
def test_convolutions(isa: str) -> None:
    @differential
    @given(convolution=convolutions(), seed=st.integers(0, 2**32 - 1))
    def check(oracle: object, convolution: Single, seed: int) -> None:
        model = convolution.model()
        same(model, isa, values(model, seed))

    check(oracle=None)


def test_sums_that_int32_does_not_hold_are_left_to_the_reference() -> None:
    shape = (1, 1, 1, 70000)
    weights = np.full((1, 1, 1, 70000), 127, np.int8)
    operator = single(
        "CONV_INT8",
        [Fed(shape, "int8"), weights, np.zeros(1, np.float32), np.float32([1e-8])],
        Fed((1, 1, 1, 1), "int8"),
        MnnConvInt8Options(Placement((1, 1), (0, 0)), clamp=(-128, 127)),
    )
    interpreter = HeapInterpreter(operator.model())
    interpreter.allocate_tensors()
    assert interpreter.compile().kernel(0) == "python"
    interpreter.input(0)[...] = 127
    interpreter.invoke()
    assert interpreter.output(0).item() == round(70000 * 127 * 255 * 1e-8)


# -- the others ---------------------------------------------------------------------------


def convolution(depthwise: bool, kernel: int, stride: int, channels: int, filters: int) -> Single:
    """A convolution like those of real networks."""
    size = (17, 19)
    output = tuple(-(-n // stride) for n in size)
    outputs = channels if depthwise else filters
    shape = (1, kernel, kernel, channels) if depthwise else (filters, kernel, kernel, channels)
    depth = kernel * kernel * (1 if depthwise else channels)
    factor = (0.3 + np.random.default_rng(2).random(outputs)) / 5000 / depth**0.5
    return single(
        "CONV_INT8",
        [
            Fed((1, *size, channels), "int8"),
            integers(shape),
            floats((outputs,)) * np.float32(20),
            factor.astype(np.float32),
        ],
        Fed((1, *output, outputs), "int8"),
        MnnConvInt8Options(
            Placement((output[0], output[1]), (kernel // 2, kernel // 2)),
            (stride, stride),
            zero=-7,
            clamp=(-128, 127),
            depthwise=depthwise,
        ),
    )


def binary(kind: str, a: tuple[int, ...], b: tuple[int, ...]) -> Single:
    """A function of two int8, whose results fill the range."""
    scale = {"MUL": 1.0, "REALDIV": 0.3, "SquaredDifference": 5.0}.get(kind, 0.15)
    return single(
        "BINARY_INT8",
        [Fed(a, "int8", 0.1, 5), Fed(b, "int8", 0.07, -9)],
        Fed(np.broadcast_shapes(a, b), "int8", scale, 11),
        MnnBinaryInt8Options(kind, -120, 125),
    )


def pooled(kernel: tuple[int, int], stride: int, padding: int) -> Single:
    """Means of windows, some of which reach over the border."""
    size = (11, 9)
    output = tuple((n + 2 * padding - k) // stride + 1 for n, k in zip(size, kernel, strict=True))
    placement = Placement((output[0], output[1]), (padding, padding))
    window = Window(placement.output_size, kernel, (stride, stride), (1, 1), placement.padding)
    assert counts(window, (1, *size)).min() > 0
    return single(
        "AVERAGE_POOL",
        [Fed((2, *size, 70), "int8", 0.1)],
        Fed((2, *output, 70), "int8", 0.1),
        MnnAveragePoolOptions(
            filter_height=kernel[0], filter_width=kernel[1],
            stride_h=stride, stride_w=stride, placement=placement,
        ),
    )  # fmt: skip


def resized(
    size: tuple[int, int], rows: tuple[float, float], columns: tuple[float, float]
) -> Single:
    """Images of 9 by 10 in another size."""
    return single(
        "RESIZE_BILINEAR_INT8",
        [Fed((2, 9, 10, 21), "int8", 0.1, -9)],
        Fed((2, *size, 21), "int8", 0.1, 40),
        MnnResizeBilinearInt8Options(size, rows, columns),
    )


def raster(kind: str, *regions: Region, inputs: int = 1, outputs: int = 60) -> Single:
    """Pieces of vectors of 120 elements."""
    return single("RASTER", [Fed((120,), kind)] * inputs, Fed((outputs,), kind),
                  MnnRasterOptions(regions))  # fmt: skip


_PIXELS = tuple(float(n) for n in np.random.default_rng(3).random(70) * 3)
CASES = {
    "dense": convolution(False, 3, 1, 40, 50),
    "16 filters": convolution(False, 3, 1, 16, 16),
    "pointwise": convolution(False, 1, 1, 64, 64),
    "pointwise, stride": convolution(False, 1, 2, 33, 17),
    "depthwise": convolution(True, 3, 1, 64, 0),
    "depthwise, stride": convolution(True, 3, 2, 40, 0),
    "depthwise, many taps": convolution(True, 5, 1, 8, 0),
    **{f"{kind}": binary(kind, (2, 7, 5, 33), (2, 7, 5, 33)) for kind in _NATIVE},
    **{f"{kind} of all pairs": binary(kind, (256, 1), (256,)) for kind in _NATIVE},
    "ADD of a row": binary("ADD", (33,), (2, 7, 5, 33)),
    "means": pooled((3, 2), 2, 1),
    "global mean": pooled((11, 9), 1, 0),
    "to int8": single("FLOAT_TO_INT8", [Fed((3, 7, 70))], Fed((3, 7, 70), "int8"),
                      MnnFloatToInt8Options((0.5,), -3.0, -100, 127)),
    "to int8 by channel": single("FLOAT_TO_INT8", [Fed((3, 7, 70))], Fed((3, 7, 70), "int8"),
                                 MnnFloatToInt8Options(_PIXELS, 0.0, -127, 90)),
    "to float": single("INT8_TO_FLOAT", [Fed((3, 7, 70), "int8")], Fed((3, 7, 70)),
                       MnnInt8ToFloatOptions((0.3,), 7.0)),
    "to float by channel": single("INT8_TO_FLOAT", [Fed((3, 7, 70), "int8")], Fed((3, 7, 70)),
                                  MnnInt8ToFloatOptions(_PIXELS, -3.0)),
    "lookup": single("LOOKUP", [Fed((256,), "int8")], Fed((256,), "int8"), MnnLookupOptions(
        tuple(int(n) for n in np.random.default_rng(4).permutation(ALL)))),
    "larger": resized((13, 21), (0.7, -0.3), (0.4, 0.1)),
    "smaller": resized((3, 5), (3.1, 1.5), (1.9, -0.5)),
    "turned": raster("float32", Region(0, 0, (1, 10), 0, (12, 1), (5, 12))),
    "backwards": raster("int8", Region(0, 119, (-2,), 0, (1,), (60,))),
    "two inputs": raster("int32", Region(0, 0, (1,), 0, (1,), (30,)),
                         Region(1, 7, (1,), 30, (1,), (30,)), inputs=2),
    "gaps": raster("int8", Region(0, 3, (60, 6, 1), 5, (30, 5, 1), (2, 4, 3))),
    "nothing": raster("int8", Region(0, 0, (1,), 0, (1,), (0,))),
    "one": raster("int8", Region(0, 100, (), 59, (), ())),
    "many axes": raster("int8", Region(0, 1, (60, 24, 13, 7, 3, 1), 2, (30, 12, 6, 4, 2, 1),
                                       (2, 2, 2, 2, 2, 2))),
    "repeated": raster("float32", Region(0, 2, (0, 1), 0, (6, 1), (10, 6))),
}  # fmt: skip


def inputs_of(name: str, model: Model) -> list[Array]:
    """Random ones, or all pairs."""
    if name.endswith("all pairs"):
        return [ALL[:, None], ALL]
    return [ALL] if name == "lookup" else values(model, 5)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", CASES)
def test_equals_the_reference(name: str, isa: str) -> None:
    model = CASES[name].model()
    same(model, isa, inputs_of(name, model))


@pytest.mark.parametrize("name", CASES)
def test_the_cases_say_something(name: str) -> None:
    interpreter = HeapInterpreter(CASES[name].model())
    interpreter.allocate_tensors()
    for index, x in enumerate(inputs_of(name, CASES[name].model())):
        interpreter.input(index)[...] = x
    interpreter.invoke()
    y = interpreter.output(0)
    assert len(np.unique(y)) > min(y.size // 5, 25) or name in ("nothing", "one", "repeated")


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", CASES)
def test_nothing_outside_the_buffers_counts(
    name: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = CASES[name].model()
    inputs = inputs_of(name, model)
    one, other = fenced_twice(model, isa, inputs, monkeypatch)
    assert one is not None
    assert one == other
