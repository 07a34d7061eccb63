"""What C says of models is what Python says: it takes most, and leaves the others."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.errors import ModelError
from arenite.model import Model, Operator, Quantization, Subgraph, Tensor, TensorType
from arenite.model.check import check
from arenite.model.consistency import check_order
from arenite.native import models
from tests.native.arrays import every_other


def quantized(type_: str, scale: Any, zero_point: Any, **changes: Any) -> tuple[Tensor, ...]:
    """A tensor of four elements with these scales and zero points."""
    quantization = Quantization(scale, zero_point, changes.pop("axis", 0))
    return (Tensor("x", TensorType[type_], (1, 4), None, quantization, **changes),)


def reals(*values: float) -> Any:
    return np.array(values, np.float32)


def longs(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("type_", "least", "greatest"),
    [
        ("INT8", -128, 127),
        ("UINT8", 0, 255),
        ("INT16", -(2**15), 2**15 - 1),
        ("INT4", -8, 7),
        ("INT32", -(2**31), 2**31 - 1),
    ],
)
def test_zero_points_lie_in_the_range_of_the_type(type_: str, least: int, greatest: int) -> None:
    scales = reals(0, 3)
    assert models.are_plain(quantized(type_, scales, longs(least, greatest)))
    for value in (least - 1, greatest + 1):
        assert not models.are_plain(quantized(type_, scales, longs(0, value)))


def test_tensors_as_most_are() -> None:
    (tensor,) = quantized("INT8", reals(0.5, 2), longs(3))
    assert models.are_plain(())
    assert models.are_plain((replace(tensor, shape=()), tensor))
    assert models.are_plain((replace(tensor, quantization=None),))
    assert models.are_plain(quantized("INT8", reals(), longs(), axis=31))
    assert models.are_plain((replace(tensor, shape=(1,) * 32),))
    assert models.are_plain((replace(tensor, data=np.zeros(4, np.uint8)),))
    packed = replace(tensor, type=TensorType.INT4, shape=(9,))
    assert models.are_plain((replace(packed, data=np.zeros(5, np.uint8)),))
    assert not models.are_plain((replace(packed, data=np.zeros(4, np.uint8)),))


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (1, 0)},
        {"shape": (-1, 4)},
        {"shape": (1,) * 33},
        {"shape": (2**16, 2**15)},
        {"shape": (2**31,)},
        {"shape": (2**63,)},
        {"shape": (2**62, 4)},
        {"shape": (2**30,), "type": TensorType.INT16},
        {"shape": [1, 4]},
        {"shape": ("4",)},
        {"buffer": -1},
        {"data": np.zeros(3, np.uint8)},
        {"data": np.zeros((4, 1), np.uint8)},
        {"data": b"1234"},
        {"quantization": Quantization(reals(1), longs(0, 0))},
        {"quantization": Quantization(reals(1), longs(0), -1)},
        {"quantization": Quantization(reals(1), longs(0), 32)},
        {"quantization": 1},
        {"type": 99},
    ],
    ids=str,
)
def test_other_tensors_are_left_to_python(changes: Any) -> None:
    (tensor,) = quantized("INT8", reals(0.5, 2), longs(3))
    assert not models.are_plain((tensor, replace(tensor, **changes), tensor))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e-45])
def test_what_is_no_scale(value: float) -> None:
    assert not models.are_plain(quantized("INT8", reals(1, value), longs(0)))


@every_other
def test_other_arrays_are_left_to_python(array: Any) -> None:
    assert not models.are_plain(quantized("INT8", array, longs(0)))
    assert not models.are_plain(quantized("INT8", reals(1), array))


# -- operators

X, W, Y, Z, STATE = range(5)


def subgraph(*operators: Operator, **changes: Any) -> Subgraph:
    """Tensors x, w (a constant), y, z and a variable; by default x and w make y, and y makes z."""
    plain = Tensor("x", TensorType.INT8, (4,))
    constant = replace(plain, data=np.zeros(4, np.uint8))
    variable = replace(plain, is_variable=True)
    made = Subgraph((plain, constant, plain, plain, variable), operators or TWO, (X,), (Z,))
    return replace(made, **changes)


def operator(inputs: Any, outputs: Any, name: str = "ADD", **changes: Any) -> Operator:
    return replace(Operator(name, inputs, outputs), **changes)


FIRST, SECOND = operator((X, W), (Y,)), operator((Y,), (Z,), "RELU")
TWO = FIRST, SECOND


def check_both(model: Model) -> None:
    check(model)
    check_order(model)


@pytest.mark.parametrize(
    "one",
    [
        subgraph(),
        subgraph(operator((X, -1, W), (Y,), intermediates=(-1, Z)), SECOND),
        subgraph(operator((X, STATE), (Z, STATE)), operator((X,), (STATE,))),
        subgraph(replace(FIRST, name="Mine", is_custom=True, custom_options=b"1"), SECOND),
        subgraph(inputs=(X, STATE), outputs=(Z, Z, X, W, STATE)),
        subgraph(inputs=(X, Y, Z), operators=()),
        subgraph(tensors=(), operators=(), inputs=(), outputs=()),
    ],
)
def test_operators_in_order(one: Subgraph) -> None:
    assert models.in_order(one)
    check_both(Model((one,)))


@pytest.mark.parametrize(
    "one",
    [
        subgraph(SECOND, FIRST),
        subgraph(FIRST),
        subgraph(FIRST, FIRST, SECOND),
        subgraph(operator((X, W), (Y, Y)), SECOND),
        subgraph(operator((X, Y), (Y,)), SECOND),
        subgraph(operator((X, -2), (Y,)), SECOND),
        subgraph(operator((X, 5), (Y,)), SECOND),
        subgraph(operator((X, W), (Y, -1)), SECOND),
        subgraph(operator((X, W), (Y, 5)), SECOND),
        subgraph(operator((X, W), (Y, W)), SECOND),
        subgraph(operator((X, W), (Y, X)), SECOND),
        subgraph(operator((X, W), (Y,), intermediates=(5,)), SECOND),
        subgraph(operator((X, W), (Y,), intermediates=(-2,)), SECOND),
        subgraph(replace(FIRST, name="Mine"), SECOND),
        subgraph(replace(FIRST, is_custom=True), SECOND),
        subgraph(replace(FIRST, custom_options=b"1"), SECOND),
        subgraph(inputs=(X, W)),
        subgraph(inputs=(X, 5)),
        subgraph(inputs=(-1,)),
        subgraph(inputs=(X, Z)),
        subgraph(outputs=(Z, 5)),
        subgraph(outputs=(-1,)),
    ],
)
def test_operators_out_of_order(one: Subgraph) -> None:
    assert not models.in_order(one)
    with pytest.raises(ModelError):
        check_both(Model((one,)))


@pytest.mark.parametrize(
    "one",
    [
        subgraph(inputs=(X, X)),
        subgraph(replace(FIRST, inputs=[X, W]), SECOND),
        subgraph(replace(FIRST, inputs=(X, 2**70)), SECOND),
        subgraph(replace(FIRST, inputs=("x",)), SECOND),
        subgraph(replace(FIRST, name=[]), SECOND),
    ],
)
def test_what_is_left_to_python(one: Subgraph) -> None:
    assert not models.in_order(one)
