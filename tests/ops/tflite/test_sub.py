"""SUB equals TFLM on random shapes, types, quantisation and activations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.tflite.sub import SubOptions
from tests.ops.binary import binary_model, broadcast_shapes, run, scale_triples, zero_point_triples
from tests.ops.differential import agrees, equals_tflm


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(["int8", "int8", "int16", "float32", "int32"]))
    a, b, y = draw(scale_triples(max))
    # The output ratio must be under 1: 2 * max(a, b) < 2**15 * y.
    scales = (a, b, max(y, max(a, b) * 1e-4)) if kind in ("int8", "int16") else None
    return binary_model(
        "SUB",
        draw(broadcast_shapes()),
        kind,
        SubOptions(draw(st.integers(0, 3)), draw(st.booleans())),
        scales=scales,
        zero_points=draw(zero_point_triples(kind)),
    )


test_equals_tflm = equals_tflm(models())


def test_int8_subtracts_real_values():
    model = binary_model(
        "SUB", ((3,), (3,)), "int8", scales=(0.5, 0.25, 0.5), zero_points=(1, 0, -1)
    )
    # 0.5 * (9 - 1) - 0.25 * 4 = 3 = 0.5 * (5 - -1)
    np.testing.assert_array_equal(run(model, [9, 127, -128], [4, -128, 127]), [5, 127, -128])


def test_the_second_input_is_subtracted_from_the_first_when_either_broadcasts():
    np.testing.assert_array_equal(
        run(binary_model("SUB", ((3,), ()), "float32"), [1, 2, 3], 1), [0, 1, 2]
    )
    np.testing.assert_array_equal(
        run(binary_model("SUB", ((1,), (3, 1)), "float32"), 1, [[1], [2], [3]]), [[0], [-1], [-2]]
    )


def test_int32_wraps_and_then_takes_the_activation():
    model = binary_model("SUB", ((3,), (1,)), "int32", SubOptions(fused_activation_function=3))
    np.testing.assert_array_equal(run(model, [-(2**31), 5, 2], 4), [6, 1, 0])


def test_quantised_int32_is_refused(oracle):
    refused = binary_model("SUB", ((2,), (2,)), "int32", scales=(1.0, 1.0, 1.0))
    with pytest.raises(ConstraintError, match="the int32 output have no quantisation"):
        run(refused)
    assert agrees(oracle, refused, 0).status == "refused"
