"""An original's layers found among what an NPU stores, whole, in parts, and where they differ."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.compare import compare
from arenite.analysis.engines.npu_tensors import Stored, as_original
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.logistic import TRAITS
from arenite.report.compare import render_comparison
from tests.npu.vela import CONFIGURATIONS, KEPT, MODELS, compiled
from tests.shared import DIGITS, shared_model


@pytest.mark.parametrize("name", KEPT)
def test_every_layer_of_digits_is_found(name: str) -> None:
    found = compare(DIGITS, KEPT[name], runs=1)
    assert found.equal
    assert (len(found.layers), found.missing) == (10, ())


@pytest.mark.parametrize("configuration", ["u55-128", "u65-256", "u85-256"])
@pytest.mark.parametrize("name", MODELS[:5])
def test_every_layer_of_a_shared_model_is_found(name: str, configuration: str) -> None:
    original = shared_model(name)
    file = compiled(original, *CONFIGURATIONS[configuration])
    found = compare(ar.load(original), ar.load(file), runs=1)
    assert (found.equal, found.missing) == (True, ())


def two_layers() -> ar.Model:
    """LOGISTIC behind LOGISTIC, of 2x3x4 elements."""
    b = ar.ModelBuilder()
    x = b.input("x", (1, 2, 3, 4), "int8", scale=0.1, zero_point=0)
    for name in ("a", "b"):
        y = b.tensor(name, (1, 2, 3, 4), "int8", scale=1 / 256, zero_point=-128)
        b.operator("LOGISTIC", [x], [y])
        x = y
    b.output(x)
    return b.build()


def original_values(model: ar.Model) -> list[dict[int, np.ndarray]]:
    rng = np.random.default_rng(5)
    values = rng.integers(-128, 128, (2, 1, 2, 3, 4)).astype(np.int8)
    return [dict(zip((1, 2), values, strict=True))]


def stored(*maps: np.ndarray) -> list[Stored]:
    return [Stored(np.dtype(np.int8), [one.astype(np.int64)]) for one in maps]


def test_a_layer_in_parts_of_rows_is_put_together() -> None:
    model = two_layers()
    values = original_values(model)
    a, b = (values[0][i][0] for i in (1, 2))
    found = as_original(model, values, stored(a[:1], b[:1], a[1:], b[1:]))
    assert all(np.array_equal(found[0][i], values[0][i]) for i in (1, 2))


def test_a_layer_in_parts_of_channels_is_put_together() -> None:
    model = two_layers()
    values = original_values(model)
    a, b = (values[0][i][0] for i in (1, 2))
    found = as_original(model, values, stored(a[..., :3], a[..., 3:], b))
    assert np.array_equal(found[0][1], values[0][1])


def test_a_layer_that_differs_is_taken_by_its_shape() -> None:
    model = two_layers()
    values = original_values(model)
    a, b = (values[0][i][0].astype(int) for i in (1, 2))
    changed = np.clip(a + 1, -128, 127)
    found = as_original(model, values, stored(changed, b))
    assert np.array_equal(found[0][1][0], changed)
    parts = as_original(model, values, stored(changed[:1], changed[1:], b))
    assert np.array_equal(parts[0][1][0], changed)


def test_a_layer_that_is_part_of_another_command_is_missing() -> None:
    model = two_layers()
    values = original_values(model)
    found = as_original(model, values, stored(values[0][2][0]))
    assert list(found[0]) == [2]


def test_a_map_of_another_type_is_no_layer() -> None:
    model = two_layers()
    values = original_values(model)
    wide = Stored(np.dtype(np.int32), [values[0][1][0].astype(np.int64) + 1])
    assert list(as_original(model, values, [wide, *stored(values[0][2][0])])[0]) == [2]


def test_the_cause_of_a_difference_is_the_operator_s_own() -> None:
    original = ar.load(DIGITS)
    found = compare(original, KEPT["ethos-u55-128"], runs=1)
    first = replace(
        found.layers[0], different=1, steps=1, is_origin=True, advice=(TRAITS.compiled,)
    )
    shown = "\n".join(
        line.plain for line in render_comparison(replace(found, layers=(first,)), 200)
    )
    assert "Vela's table is finer than TFLM's kernel" in shown


def conv(weight: int) -> ar.Model:
    """A convolution of one element."""
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4, 4, 1), "int8", scale=0.1, zero_point=0)
    w = b.constant("w", np.full((1, 1, 1, 1), weight, np.int8), scale=0.1, zero_point=0)
    bias = b.constant("bias", np.zeros(1, np.int32), scale=0.01, zero_point=0)
    y = b.tensor("y", (1, 4, 4, 1), "int8", scale=0.1, zero_point=0)
    b.operator("CONV_2D", [x, w, bias], [y], Conv2DOptions(stride_w=1, stride_h=1))
    b.output(y)
    return b.build()


def test_a_file_of_other_weights_differs(tmp_path: object) -> None:
    from arenite.formats import tflite

    path = tmp_path / "other.tflite"  # type: ignore[operator]
    path.write_bytes(tflite.write(conv(5)))
    file = compiled(path, "ethos-u55-128")
    assert compare(conv(5), file, runs=1).equal
    found = compare(conv(3), file, runs=1)
    assert found.first_different is not None
    assert found.first_different.name == "CONV_2D"
