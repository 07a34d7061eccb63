"""A refusal says what to do: other types, other files, other operators."""

import struct

import numpy as np
import pytest
from flatbuffers.table import Table

import arenite as ar
from arenite.formats import tflite
from arenite.ops.tflite.pad import PadOptions

COMPILED = "load the original .tflite that went into its compiler"


def one(name: str, kind: str = "int8", *, custom: bool = False, output: str = "") -> ar.Model:
    """One operator on two numbers."""
    b = ar.ModelBuilder()
    x, y = b.input("x", (2,), kind), b.tensor("y", (2,), output or kind)
    b.operator(name, [x], [y], custom_options=b"" if custom else None)
    b.output(y)
    return b.build()


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("edgetpu-custom-op", f"compiled for an accelerator, the Edge TPU; {COMPILED}"),
        ("LceBconv2d", "converted for the Larq Compute Engine, .* convert the original model"),
    ],
)
def test_operators_of_other_runtimes_are_named(name: str, remedy: str) -> None:
    with pytest.raises(
        ar.UnsupportedOperatorError, match=f"{name}: the file was {remedy}"
    ) as error:
        ar.Interpreter(one(name, custom=True))
    assert "register" not in str(error.value)
    assert error.value.missing == (name,)


def test_a_kernel_of_ones_own_runs_them_all_the_same() -> None:
    def invoke(context: object, node: object) -> None:
        pass

    resolver = ar.AllOpsResolver()
    resolver.add_custom("edgetpu-custom-op", ar.Registration(invoke=invoke))
    ar.Interpreter(one("edgetpu-custom-op", custom=True), resolver=resolver).invoke()


def test_an_operator_that_tflm_does_not_have_is_not_only_to_be_added() -> None:
    with pytest.raises(ar.UnsupportedOperatorError) as error:
        ar.Interpreter(one("SIGN", "float32"))
    assert str(error.value).splitlines()[1:] == [
        "TFLM has no operator SIGN: no firmware runs the model unless it brings a kernel; replace "
        "it in the original model, or bring one",
        "register them with",
        "  resolver.add('SIGN', ar.Registration(prepare=..., invoke=...))",
        "or load the model with operators={name: registration}; on the command line, --ops "
        "MODULE.py names a file that has them (docs/custom-operators.md)",
        "`arenite optimize MODEL --lower -o out.tflite` makes it run.",
    ]


def test_what_is_suggested_for_an_operator_that_tflm_does_not_have_can_be_done() -> None:
    def invoke(context: object, node: object) -> None:
        pass

    resolver = ar.AllOpsResolver()
    resolver.add("SIGN", ar.Registration(invoke=invoke))
    ar.Interpreter(one("SIGN", "float32"), resolver=resolver).invoke()


@pytest.mark.parametrize("name", ["LOGISTIC", "RELU", "TANH"])
def test_a_uint8_model_is_to_be_converted_to_int8(name: str) -> None:
    with pytest.raises(
        ar.ConstraintError, match=r"uint8 is how older converters .* convert .* tf\.int8"
    ):
        ar.Interpreter(one(name, "uint8"))


def test_float16_weights_behind_dequantize_are_to_be_converted_to_other_types() -> None:
    model = one("DEQUANTIZE", "float16", output="float32")
    with pytest.raises(ar.ConstraintError, match=r"float16 weights .* without tf\.float16 in"):
        ar.Interpreter(model)


def test_other_refusals_say_nothing_of_types() -> None:
    b = ar.ModelBuilder()
    x, y = b.input("x", (2,), "uint8"), b.tensor("y", (2,), "uint8")
    b.operator("REVERSE_V2", [x, b.constant("axes", np.zeros(0, np.int32))], [y])
    b.output(y)
    with pytest.raises(ar.ConstraintError, match="at least 1 number") as error:
        ar.Interpreter(b.build())
    assert "uint8" not in str(error.value)


def without_options_value(model: ar.Model) -> bytes:
    """The file with the options' type of its only operator, and no options."""
    data = bytearray(tflite.write(model))
    table = Table(data, struct.unpack_from("<I", data)[0])
    for slot in (2, 3):  # subgraphs, operators
        vector = table.Vector(table.Offset(4 + 2 * slot))
        table = Table(data, table.Indirect(vector))
    vtable = table.Pos - struct.unpack_from("<i", data, table.Pos)[0]
    struct.pack_into("<H", data, vtable + 4 + 2 * 4, 0)
    return bytes(data)


def test_options_with_a_type_and_no_value_are_none() -> None:
    b = ar.ModelBuilder()
    x, paddings = b.input("x", (1,), "int8"), b.constant("p", np.array([[1, 1]], np.int32))
    y = b.tensor("y", (3,), "int8")
    b.operator("PAD", [x, paddings], [y], PadOptions())
    b.output(y)
    model = ar.load(without_options_value(b.build()))
    assert model.main.operators[0].options is None
    assert ar.Interpreter(model)(np.array([5], np.int8)).tolist() == [0, 5, 0]
