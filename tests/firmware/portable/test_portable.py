"""Every exported kernel gives the reference's bits, on the models of the operator's own test.

All of them are compiled as one program, with sanitizers; each folder's self-test holds what the
reference computes for noise and for the two extremes.
"""

from __future__ import annotations

import warnings
from collections import Counter

import pytest

from arenite.errors import AreniteError, UndefinedWarning, UnsupportedOperatorError
from arenite.firmware import export
from arenite.firmware.layers import network_of
from arenite.firmware.portable import exported_names, portable_work
from arenite.firmware.work import UnsupportedError
from arenite.model import ModelBuilder
from tests.firmware.built import self_tests
from tests.firmware.models import chain
from tests.fuzz.seeds import random_models
from tests.ops.differential import CASES

#: How many models of an operator are looked at, and how many of them are exported at most.
DRAWN, WANTED = (40, 2) if CASES <= 50 else (100, 20)


def test_random_layers_of_every_operator_give_the_reference_s_bits(tmp_path):
    exports, counts = [], Counter()
    for name in exported_names():
        for number, model in enumerate(random_models(name, DRAWN)):
            if counts[name] == WANTED:
                break
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UndefinedWarning)
                    stem = f"{name.lower()}_{number}"
                    exports.append(export(model, tmp_path / stem, name=stem, target=None))
            except AreniteError:
                continue  # other types, and what TFLM refuses
            counts[name] += 1
    assert set(counts) == set(exported_names())
    printed = self_tests(tmp_path, exports)
    assert printed.count("PASS") == len(exports), printed
    assert "FAIL" not in printed


def test_an_operator_without_a_kernel_is_refused_with_its_name(tmp_path):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y, z = b.tensor("y", (1, 4), "float32"), b.tensor("z", (1, 4), "float32")
    b.operator("COS", [x], [y])
    b.operator("RELU", [y], [z])
    b.output(z)
    with pytest.raises(UnsupportedOperatorError) as error:
        export(b.build(), tmp_path / "no", target=None)
    assert str(error.value).splitlines() == [
        "the model cannot be exported",
        "  operator 0, COS: the operator has no exported kernel yet",
        "  operator 1, RELU: expected int8 or uint8, got a tensor of float32",
    ]
    assert error.value.missing == ("COS", "RELU")
    assert not (tmp_path / "no").exists()


def test_a_convolution_whose_weights_are_fed_is_refused():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=1.0)
    weights = b.input("weights", (2, 4), "int8", scale=1.0)
    y = b.tensor("y", (1, 2), "int8", scale=1.0)
    b.operator("FULLY_CONNECTED", [x, weights], [y])
    b.output(y)
    (layer,) = network_of(b.build()).layers
    with pytest.raises(UnsupportedError, match="the weights must be constant"):
        portable_work(layer)


def test_layers_of_one_shape_share_their_function(tmp_path):
    result = export(chain(), tmp_path / "m", target=None)
    assert [layer.function for layer in result.layers] == ["fully_connected_1"] * 3
