"""``arenite.litert`` beside the package that it stands in for."""

import importlib.util
import inspect

import numpy as np
import pytest

from arenite import litert
from arenite.formats.tflite import write
from arenite.model import ModelBuilder
from arenite.ops import MutableOpResolver
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from tests.both_ways import both_ways
from tests.firmware.models import chain
from tests.runtime.models import total
from tests.shared import DIGITS, shared_model

has_litert = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None, reason="LiteRT is not installed"
)
SWAP = "from ai_edge_litert.interpreter import", "from arenite.litert import"
FLOATS = [
    ("litert_label_image", "ic_float32"),
    ("litert_label_image", "vww_float32"),
    ("litert_signatures", "hello_world_float"),
    ("litert_signatures", "trained_lstm"),
    ("litert_batches", "ad_float32"),
    ("litert_batches", "vww_float32"),
]
#: Models of which LiteRT's own kernels have TFLM's bits.
INTEGERS = [
    ("litert_batches", "vww_int8"),
    ("litert_label_image", "sww_int8"),
    ("litert_signatures", "hello_world_int8"),
]


def reading(path=DIGITS, **options):
    return litert.Interpreter(model_path=path, **options)


def ready():
    interpreter = reading()
    interpreter.allocate_tensors()
    return interpreter


@has_litert
@pytest.mark.parametrize(("script", "model"), FLOATS + INTEGERS)
def test_a_script_gives_the_same_with_both_packages(script, model, tmp_path):
    ours, theirs, _, _ = both_ways(script, shared_model(model), tmp_path, SWAP)
    different = {name: (ours[name], theirs[name]) for name in ours if not _same(name, ours, theirs)}
    assert different == {}


def _same(name, ours, theirs):
    a, b = ours[name], theirs[name]
    if b.dtype.kind != "f" or a.dtype != b.dtype:
        # LiteRT and TFLM round int8 differently in places: one step apart.
        return a.dtype == b.dtype and np.array_equal(a, b)
    return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=1e-5 * np.abs(b).max(initial=1))


@has_litert
def test_the_class_takes_every_argument_of_the_original_in_its_order():
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    def positional(cls):
        return [name for name in inspect.signature(cls).parameters if name != "options"]

    theirs, ours = positional(Interpreter), positional(litert.Interpreter)
    assert ours[:6] == theirs[:6]
    reading(**dict.fromkeys(theirs[6:], False))
    assert [one.name for one in litert.OpResolverType] == [one.name for one in OpResolverType]


@has_litert
def test_the_classes_have_every_public_method_of_the_originals():
    from ai_edge_litert import interpreter as original

    for name in ("Interpreter", "SignatureRunner"):
        theirs = {one for one in dir(getattr(original, name)) if not one.startswith("_")}
        ours = set(dir(getattr(litert, name)))
        assert theirs - ours == set()


@has_litert
def test_details_have_the_keys_types_and_values_of_the_originals():
    from ai_edge_litert.interpreter import Interpreter

    theirs = Interpreter(model_path=str(DIGITS))
    ours = reading()
    for ask in ("get_input_details", "get_output_details", "get_tensor_details"):
        for mine, other in zip(getattr(ours, ask)(), getattr(theirs, ask)(), strict=True):
            assert repr(mine) == repr(other)


# -- what scripts catch ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ValueError, "must be specified"),
        ({"model_path": "a", "model_content": b"b"}, ValueError, "both"),
        ({"model_path": "no/such.tflite"}, ValueError, "Could not open 'no/such.tflite'"),
        ({"model_content": b"x" * 20}, ValueError, "The model is not a valid Flatbuffer buffer"),
        ({"model_content": b"short"}, ValueError, "The model is not a valid Flatbuffer buffer"),
        ({"model_content": "x"}, TypeError, "expected bytes"),
        ({"model_path": DIGITS, "num_threads": 0}, ValueError, ">= 1"),
        ({"model_path": DIGITS, "num_threads": "2"}, ValueError, "int"),
        ({"model_path": DIGITS, "experimental_delegates": ["gpu"]}, ValueError, "delegates"),
        ({"model_path": DIGITS, "experimental_op_resolver_type": 1}, ValueError, "resolver"),
        ({"model_path": DIGITS, "model_name": 1}, TypeError, "model_name"),
    ],
)
def test_wrong_arguments_raise_what_the_original_raises(arguments, error, words):
    with pytest.raises(error, match=words):
        litert.Interpreter(**arguments)


def test_a_delegate_cannot_be_loaded():
    with pytest.raises(ValueError, match="no delegates"):
        litert.load_delegate("libedgetpu.so.1")


def test_tensors_need_allocate_tensors():
    interpreter = reading()
    with pytest.raises(RuntimeError, match="not ready"):
        interpreter.invoke()
    with pytest.raises(ValueError, match="allocate_tensors"):
        interpreter.get_tensor(0)
    with pytest.raises(ValueError, match="allocate_tensors"):
        interpreter.set_tensor(0, np.zeros((1, 8, 8, 1), np.int8))


def test_a_resized_model_needs_allocate_tensors():
    interpreter = ready()
    interpreter.resize_tensor_input(0, [2, 8, 8, 1])
    with pytest.raises(RuntimeError, match="not ready"):
        interpreter.invoke()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros((1, 8, 8, 1), np.float32), "type FLOAT32"),
        (np.zeros((1, 8, 8, 2), np.int8), "Dimension"),
        (np.zeros((64,), np.int8), "Dimension"),
    ],
)
def test_a_value_of_another_type_or_shape_changes_nothing(value, words):
    interpreter = ready()
    interpreter.set_tensor(0, np.ones((1, 8, 8, 1), np.int8))
    with pytest.raises(ValueError, match=words):
        interpreter.set_tensor(0, value)
    assert (interpreter.get_tensor(0) == 1).all()


@pytest.mark.parametrize("index", [-1, 999])
def test_a_tensor_that_is_not_there_is_a_value_error(index):
    with pytest.raises(ValueError, match="Invalid tensor index"):
        ready().get_tensor(index)


def test_a_constant_can_be_read_and_not_be_written():
    interpreter = ready()
    index = interpreter._model.main.operators[0].inputs[1]
    value = interpreter.get_tensor(index)
    with pytest.raises(ValueError, match="is a constant"):
        interpreter.set_tensor(index, value)


def test_a_subgraph_that_is_not_there_is_a_value_error():
    with pytest.raises(ValueError, match="subgraph_index is out of range: 3"):
        ready().get_tensor_details(3)
    with pytest.raises(ValueError, match="subgraph"):
        ready().get_tensor(0, 3)


@pytest.mark.parametrize("shape", [[1, 8, 8], [-1, 8, 8, 1]])
def test_a_shape_that_cannot_be_is_a_value_error(shape):
    with pytest.raises(ValueError, match="expected 4 dimensions of 0 or more"):
        ready().resize_tensor_input(0, shape)


def test_arithmetic_on_uint8_is_refused_with_what_to_do():
    b = ModelBuilder()
    x = b.input("input", (1, 4), "uint8", scale=1.0)
    weights = b.constant("weights", np.eye(4, dtype=np.uint8), scale=1.0)
    y = b.tensor("output", (1, 4), "uint8", scale=1.0)
    b.operator("FULLY_CONNECTED", [x, weights], [y], FullyConnectedOptions())
    b.output(y)
    interpreter = litert.Interpreter(model_content=write(b.build()))
    with pytest.raises(RuntimeError, match=r"FULLY_CONNECTED.*TFLM runs int8: convert the orig"):
        interpreter.allocate_tensors()


def test_strict_resizing_changes_open_dimensions_only():
    interpreter = ready()
    with pytest.raises(RuntimeError, match="resize dimension 1 of tensor 0 with value 8 to 9"):
        interpreter.resize_tensor_input(0, [1, 9, 8, 1], strict=True)


def test_the_sum_of_an_empty_array_is_0():
    run = litert.Interpreter(model_content=write(total())).get_signature_runner()
    assert run(x=np.zeros(0, np.float32)) == {"y": 0}


@has_litert
def test_a_tensor_without_dimensions_is_a_scalar_as_in_litert():
    from ai_edge_litert.interpreter import Interpreter

    found = []
    for interpreter in (
        Interpreter(model_content=write(total())),
        litert.Interpreter(None, write(total())),
    ):
        interpreter.allocate_tensors()
        interpreter.set_tensor(0, np.ones(1, np.float32))
        interpreter.invoke()
        index = interpreter.get_output_details()[0]["index"]
        found.append((interpreter.get_tensor(index), interpreter.tensor(index)()))
        interpreter.invoke()  # a scalar holds no memory of the interpreter
    assert found[0] == found[1]
    assert [[type(value) for value in pair] for pair in found] == [[np.float32] * 2] * 2


@has_litert
@pytest.mark.parametrize("name", ["hello_world_float", "ad_int8", "kws_int8", "vww_float32"])
def test_a_batch_of_none_gives_what_litert_gives(name):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    path, shapes = str(shared_model(name)), []
    plain = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    for interpreter in (plain, litert.Interpreter(path)):
        ((x,), (y,)) = interpreter.get_input_details(), interpreter.get_output_details()
        interpreter.resize_tensor_input(x["index"], [0, *x["shape"][1:]])
        interpreter.allocate_tensors()
        interpreter.invoke()
        shapes.append(interpreter.get_tensor(y["index"]).shape)
    assert shapes[0] == shapes[1]
    assert shapes[0][0] == 0


def test_only_inputs_are_resized():
    with pytest.raises(ValueError, match="index of an input"):
        ready().resize_tensor_input(1, [1, 1, 1, 1])


def test_a_shape_that_the_model_does_not_take_is_a_runtime_error_and_the_old_one_works():
    interpreter = litert.Interpreter(model_content=write(chain()))
    interpreter.resize_tensor_input(0, [1, 5])
    with pytest.raises(RuntimeError, match="FULLY_CONNECTED"):
        interpreter.allocate_tensors()
    interpreter.resize_tensor_input(0, [1, 4])
    interpreter.allocate_tensors()
    interpreter.invoke()


def with_unknown(**options):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("NOT_THERE", [x], [y], **options)
    b.output(y)
    return b.build()


def test_a_custom_operator_that_is_missing_is_shown_and_not_allocated():
    interpreter = litert.Interpreter(model_content=write(with_unknown(custom_options=b"")))
    assert interpreter._get_ops_details()[0]["op_name"] == "NOT_THERE"
    with pytest.raises(RuntimeError, match="Encountered unresolved custom op: NOT_THERE"):
        interpreter.allocate_tensors()


def test_a_builtin_operator_that_is_missing_is_a_value_error():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("CUMSUM", [x], [y])
    b.output(y)
    with pytest.raises(ValueError, match="Didn't find op for builtin opcode 'CUMSUM'"):
        litert.Interpreter(model_content=write(b.build()), resolver=MutableOpResolver())


def test_a_model_without_a_signature_says_so():
    with pytest.raises(ValueError, match="0 Signatures"):
        ready().get_signature_runner()
    with pytest.raises(ValueError, match='"serve"'):
        ready().get_signature_runner("serve")


# -- more than the original --------------------------------------------------------------


def test_a_target_says_whose_bits_are_meant():
    interpreter = reading(target="cortex-m4")
    interpreter.allocate_tensors()
    interpreter.invoke()
    assert interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).shape == (1, 10)


def test_it_says_what_it_is():
    assert "litert.Interpreter" in repr(reading())
