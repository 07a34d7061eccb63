"""MEAN equals TFLM on random shapes, axes, quantisation and types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model, ModelBuilder
from arenite.ops.shared.reduction import ReducerOptions, reduced_shape
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses, run
from tests.oracle import Oracle


def mean(
    kind: str,
    shape: tuple[int, ...],
    axes: Any,
    *,
    keep_dims: bool = False,
    scales: tuple[float, float] = (1.0, 1.0),
    zeros: tuple[int, int] = (0, 0),
    **changes: Any,
) -> Model:
    """MEAN with constant axes, or axes fed as second input."""
    b = ModelBuilder()
    quantised = changes.get("quantised", kind not in ("float32", "int32"))
    params: list[dict[str, Any]] = [
        {"scale": scale, "zero_point": zero} if quantised else {}
        for scale, zero in zip(scales, zeros, strict=True)
    ]
    axes = np.asarray(axes, changes.get("axis_type", np.int32))
    resolved = tuple({int(axis) % len(shape) for axis in axes.reshape(-1)} if shape else ())
    out_shape = changes.get("output", reduced_shape(shape, resolved, keep_dims))
    x = b.input("x", shape, kind, **params[0])
    fed = changes.get("feed_axes", False)
    axis = b.input("axes", axes.shape, "int32") if fed else b.constant("axes", axes)
    y = b.tensor("y", out_shape, changes.get("output_type", kind), **params[1])
    return one_operator(b, "MEAN", [x, axis], [y], ReducerOptions(keep_dims))


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32"]))
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=0, max_size=5)))
    rank = len(shape)
    axis = st.integers(-rank, rank - 1) if rank else st.integers(-9, 9)
    axes = draw(st.lists(axis, max_size=4))
    if rank == 4 and draw(st.booleans()):
        axes = draw(st.sampled_from([[1, 2], [2, 1], [-3, 2]]))
    if len(axes) == 1 and draw(st.booleans()):
        axes = axes[0]
    wide = st.tuples(st.floats(-6, 3), st.floats(-6, 3))
    exponents = draw(st.sampled_from([(-1.0, -1.0), (-1.0, -1.3)]) | wide)
    limits = {"int8": (-128, 127)}.get(kind, (-32768, 32767) if draw(st.booleans()) else (0, 0))
    zero = st.integers(*limits) | st.sampled_from(limits)
    return mean(
        kind,
        shape,
        axes,
        keep_dims=draw(st.booleans()),
        scales=(10 ** exponents[0], 10 ** exponents[1]),
        zeros=(draw(zero), draw(zero)),
    )


test_equals_tflm = equals_tflm(models())


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
@pytest.mark.parametrize("shape", [(1, 25, 5, 64), (1, 70, 70, 3)])
def test_equals_tflm_on_large_means(oracle: Oracle, kind: str, shape: tuple[int, ...]) -> None:
    model = mean(kind, shape, [1, 2], keep_dims=True, scales=(0.3, 0.01), zeros=(7, -3))
    assert agrees(oracle, model, 0).status == "ok"


def test_sums_wrap_at_32_bits_as_tflm_does(oracle: Oracle) -> None:
    model = mean("int16", (40000,), [0], zeros=(-32768, 0))
    answer = agrees(oracle, model, 0, inputs=[np.full(40000, 32767, np.int16)])
    assert answer.outputs[0][0].item() < 0


def test_axes_may_be_fed(oracle: Oracle) -> None:
    model = mean("int8", (2, 3), [1], feed_axes=True)
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    assert agrees(oracle, model, 0, inputs=[x, np.array([-1], np.int32)]).status == "ok"


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("kind", ["int8", "int16"])
@pytest.mark.parametrize("scales", [None, (0.0, 0.0), (1.0, 0.0)])
def test_without_a_ratio_of_scales_it_is_the_zero_point(
    oracle: Oracle, kind: str, scales: tuple[float, float] | None
) -> None:
    model = mean(kind, (2, 3), [1], scales=scales or (0.0, 0.0), quantised=scales is not None)
    answer = agrees(oracle, model, 0)
    assert answer.outputs[0][0].tolist() == [0, 0]


def test_without_quantisation_a_warning_says_what_the_mean_is() -> None:
    with pytest.warns(UndefinedWarning, match="input / output is inf, .* the zero point"):
        assert run(mean("int8", (2, 3), [1], quantised=False), np.ones((2, 3))) == [0, 0]


def test_rounds_halves_up() -> None:
    model = mean("int8", (4, 2), [1])
    assert run(model, [[0, 1], [0, -1], [1, 2], [-1, -2]]) == [1, 0, 2, -1]


def test_rounds_twice_as_tflm_does() -> None:
    # 1 / 4 becomes 1 / 2 and that 1.
    assert run(mean("int8", (2, 4), [1]), [[0, 0, 0, 1], [0, 0, 0, 0]]) == [1, 0]


def test_scales_and_zero_points() -> None:
    # ((4 - 2) * 0.5 + (6 - 2) * 0.5) / 2 = 1.5; 1.5 / 0.25 - 10 = -4
    assert run(mean("int8", (2,), [0], scales=(0.5, 0.25), zeros=(2, -10)), [4, 6]) == -4


def test_duplicate_and_negative_axes_count_once() -> None:
    assert run(mean("float32", (2, 3), [1, -1, 1]), [[1, 2, 3], [4, 5, 6]]) == [2, 5]


def test_no_axis_changes_nothing() -> None:
    assert run(mean("float32", (3,), []), [1, 2, 3]) == [1, 2, 3]


def test_keep_dims() -> None:
    assert run(mean("float32", (2, 2), [0], keep_dims=True), [[1, 2], [3, 6]]) == [[2, 4]]


test_refuses = refuses(
    (mean("int8", (2, 3), [2]), "expected axes from -2 to 1, got 2"),
    (mean("int8", (2, 3), [-3]), "expected axes from -2 to 1, got -3"),
    (mean("int8", (2, 0), [1]), "Input 0 has at least one element"),
    (mean("int8", (2, 3), [1], axis_type=np.int64), "Input 1 is one of: int32"),
    (mean("int8", (2, 3), [1], output_type="int16"), "Input 0 and output 0 have the same"),
    (mean("int8", (2, 3), [1], scales=(1e9, 1e-9)), r"input / output must be under 2\*\*30"),
    (mean("int32", (2, 3), [1]), "Input 0 is one of: float32, int8, int16"),
    (mean("float32", (2, 3), [1, 1, 1, 1, 1]), "at most 4 axes if the input is float32"),
)


@pytest.mark.parametrize(
    ("fed", "message"), [(5, "expected axes from -2 to 1"), (0, "does not have shape")]
)
def test_refuses_fed_axes(fed: int, message: str) -> None:
    interpreter = HeapInterpreter(mean("int8", (2, 3), [1], feed_axes=True))
    interpreter.allocate_tensors()
    interpreter.input(1)[...] = fed
    with pytest.raises(ConstraintError, match=message):
        interpreter.invoke()
