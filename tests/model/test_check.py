"""What a model must not say, and the path that the message gives."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arenite.errors import ModelError
from arenite.model import Model, ModelBuilder, Operator, Quantization, SignatureDef, Tensor
from arenite.model.check import check

X, W, Y, STATE = range(4)


def sound() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=0.5)
    w = b.constant("w", np.zeros((2, 4), np.int8), scale=[0.5, 0.25], zero_point=0)
    y = b.tensor("y", (1, 2), "int8", scale=0.5)
    b.variable("state", (1, 2), "int8", scale=0.5)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y])
    b.output(y)
    return b.build(signatures=[SignatureDef("main", {"x": x}, {"y": y})])


def changed(subgraph: dict[str, Any]) -> Model:
    """The sound model with other fields in its subgraph."""
    model = sound()
    return replace(model, subgraphs=(replace(model.main, **subgraph),))


def with_tensor(index: int, **fields: Any) -> Model:
    """The sound model with other fields in one tensor."""
    tensors = list(sound().main.tensors)
    tensors[index] = replace(tensors[index], **fields)
    return changed({"tensors": tuple(tensors)})


def with_operator(**fields: Any) -> Model:
    """The sound model with other fields in its operator."""
    return changed({"operators": (replace(sound().main.operators[0], **fields),)})


def with_quantization(index: int, **fields: Any) -> Model:
    """The sound model with another quantisation of one tensor."""
    quantization = sound().main.tensors[index].quantization
    assert quantization is not None
    return with_tensor(index, quantization=replace(quantization, **fields))


def with_signature(**fields: Any) -> Model:
    """The sound model with other fields in its signature."""
    return replace(sound(), signatures=(replace(sound().signatures[0], **fields),))


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def integers(*values: int) -> Any:
    return np.array(values, np.int64)


OPERATOR = "$.subgraphs[0].operators[0]"
TENSOR = "$.subgraphs[0].tensors"
BIG = 2**31 - 1
BAD = [
    (replace(sound(), version=4), "$.version", "expected schema version 3, got 4"),
    (replace(sound(), subgraphs=()), "$.subgraphs", "expected at least one subgraph, got none"),
    (
        changed({"inputs": (4,)}),
        "$.subgraphs[0].inputs[0]",
        "expected a tensor index from 0 to 3, got 4",
    ),
    (
        changed({"inputs": (W,)}),
        "$.subgraphs[0].inputs[0]",
        "tensor 1 ('w') is a constant and cannot be written",
    ),
    (
        changed({"outputs": (Y, -1)}),
        "$.subgraphs[0].outputs[1]",
        "expected a tensor index from 0 to 3, got -1",
    ),
    (
        with_operator(inputs=(X, W, -2)),
        f"{OPERATOR}.inputs[2]",
        "expected a tensor index from -1 to 3, got -2",
    ),
    (
        with_operator(outputs=(-1,)),
        f"{OPERATOR}.outputs[0]",
        "expected a tensor index from 0 to 3, got -1",
    ),
    (
        with_operator(outputs=(Y, W)),
        f"{OPERATOR}.outputs[1]",
        "tensor 1 ('w') is a constant and cannot be written",
    ),
    (
        with_operator(intermediates=(9,)),
        f"{OPERATOR}.intermediates[0]",
        "expected a tensor index from -1 to 3, got 9",
    ),
    (
        with_operator(is_custom=True),
        OPERATOR,
        "'FULLY_CONNECTED' is no name for a custom operator",
    ),
    (with_operator(name="MFCC"), OPERATOR, "'MFCC' is no name for a builtin operator"),
    (
        with_tensor(X, shape=(1, -2)),
        f"{TENSOR}[0].shape[1]",
        "expected a dimension of 0 or more, or one -1, got -2",
    ),
    (
        with_tensor(Y, shape=(-1, -1)),
        f"{TENSOR}[2].shape[1]",
        "expected a dimension of 0 or more, or one -1, got -1",
    ),
    (
        with_tensor(X, shape=(BIG, 2)),
        f"{TENSOR}[0].shape",
        f"expected a tensor of at most {BIG} bytes, got int8[{BIG}, 2]",
    ),
    (
        with_tensor(X, shape=(BIG, 0, BIG)),
        f"{TENSOR}[0].shape",
        f"expected a tensor of at most {BIG} bytes, got int8[{BIG}, 0, {BIG}]",
    ),
    (
        with_tensor(X, shape=(1,) * 33),
        f"{TENSOR}[0].shape",
        "expected at most 32 dimensions, got 33",
    ),
    (
        with_tensor(W, shape=(3, 4)),
        f"{TENSOR}[1].buffer",
        "constant 'w': expected 12 bytes for int8[3, 4], got 8",
    ),
    (
        with_tensor(X, buffer=-1),
        f"{TENSOR}[0].buffer",
        "expected a buffer index of 0 or more, got -1",
    ),
    (
        with_quantization(W, scale=floats(1, -1)),
        f"{TENSOR}[1].quantization.scale",
        "expected finite scales of 0 or more, got [ 1. -1.]",
    ),
    (
        with_quantization(X, scale=floats(np.nan)),
        f"{TENSOR}[0].quantization.scale",
        "expected finite scales of 0 or more, got [nan]",
    ),
    (
        with_quantization(X, scale=floats(np.inf)),
        f"{TENSOR}[0].quantization.scale",
        "expected finite scales of 0 or more, got [inf]",
    ),
    (
        with_quantization(W, zero_point=integers(0, 0, 0)),
        f"{TENSOR}[1].quantization.zero_point",
        "expected 0, 1 or 2 zero points (as many as scales), got 3",
    ),
    (
        with_quantization(X, zero_point=integers(128)),
        f"{TENSOR}[0].quantization.zero_point",
        "expected zero points of int8 from -128 to 127, got [128]",
    ),
    (
        with_quantization(W, quantized_dimension=-1),
        f"{TENSOR}[1].quantization.quantized_dimension",
        "expected a quantised dimension from 0 to 31, got -1",
    ),
    (
        with_signature(subgraph=1),
        "$.signature_defs[0].subgraph_index",
        "expected a subgraph index from 0 to 0, got 1",
    ),
    (
        with_signature(inputs={"x": 4}),
        "$.signature_defs[0].inputs[0]",
        "expected a tensor index from 0 to 3, got 4",
    ),
    (
        with_signature(outputs={"y": Y, "z": -1}),
        "$.signature_defs[0].outputs[1]",
        "expected a tensor index from 0 to 3, got -1",
    ),
]


@pytest.fixture(params=[False, True], ids=["in Python", "in C"])
def quick(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip("arenite.native.models") if request.param else None


def test_a_sound_model_passes(quick: Any) -> None:
    check(sound(), quick)


@pytest.mark.parametrize(("model", "path", "message"), BAD, ids=[path for _, path, _ in BAD])
def test_refused(model: Model, path: str, message: str, quick: Any) -> None:
    with pytest.raises(ModelError) as caught:
        check(model, quick)
    assert (caught.value.path, caught.value.message) == (path, message)


@pytest.mark.parametrize(
    "model",
    [
        with_tensor(W, data=np.zeros(9, np.uint8)),
        with_tensor(X, shape=(0, 4)),
        with_quantization(W, zero_point=integers(3)),
        with_quantization(W, zero_point=integers()),
        with_quantization(X, scale=floats(0)),
        with_tensor(W, is_variable=True),
        # Old converters give a bias of one dimension the one of its filter.
        with_quantization(W, quantized_dimension=3),
    ],
    ids=[
        "more bytes than the shape needs",
        "no elements",
        "one zero point for all scales",
        "no zero point",
        "a scale of 0",
        "a variable with data",
        "a quantised dimension that the tensor does not have",
    ],
)
def test_accepted(model: Model) -> None:
    check(model)


def reshapes(*operators: tuple[str, int, int]) -> Model:
    """Operators (name, input, output) over tensors x, y, z where y has a -1."""
    q = Quantization(floats(1), integers(0))
    x, y = sound().main.tensors[X], Tensor("y", sound().main.tensors[X].type, (1, -1), None, q)
    z = replace(x, name="z")
    ops = tuple(Operator(name, (source,), (target,)) for name, source, target in operators)
    return changed({"tensors": (x, y, z), "operators": ops, "outputs": (2,)})


def without_signature(model: Model) -> Model:
    return replace(model, signatures=())


def test_a_reshape_may_leave_a_dimension_of_its_output_open() -> None:
    check(without_signature(reshapes(("RESHAPE", 0, 1), ("RELU", 1, 2))))


@pytest.mark.parametrize(
    "operators",
    [
        (),
        (("RELU", 0, 1),),
        (("RELU", 1, 2), ("RESHAPE", 0, 1)),
        (("RESHAPE", 1, 1),),
        (("RELU", 0, 1), ("RESHAPE", 0, 1)),
    ],
    ids=["unused", "no reshape", "used before", "used by itself", "written before"],
)
def test_nobody_else_may_meet_an_open_dimension(operators: Any) -> None:
    with pytest.raises(ModelError, match="only the output of a RESHAPE may") as caught:
        check(without_signature(reshapes(*operators)))
    assert caught.value.path == f"{TENSOR}[1].shape[1]"
