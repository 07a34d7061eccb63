"""``arenite.tflm.runtime`` beside the package that it stands in for."""

import importlib.util
import inspect

import numpy as np
import pytest

from arenite.formats.flatbuffer import locate
from arenite.formats.tflite import SCHEMA, write
from arenite.tflm import runtime
from tests.both_ways import both_ways
from tests.runtime.models import total
from tests.shared import DIGITS, shared_model

has_tflm = pytest.mark.skipif(
    importlib.util.find_spec("tflite_micro") is None, reason="tflite_micro is not installed"
)
SWAP = "from tflite_micro import runtime", "from arenite.tflm import runtime"
X = np.zeros((1, 8, 8, 1), np.int8)


def reading(**options):
    return runtime.Interpreter.from_file(DIGITS, **options)


@has_tflm
@pytest.mark.parametrize(
    ("script", "model"),
    [
        ("tflm_evaluate", "hello_world_int8"),
        ("tflm_evaluate", "hello_world_float"),
        ("tflm_features", "audio_preprocessor_int8"),
        ("tflm_features", "kws_int8"),
        ("tflm_features", "trained_lstm_int8"),
    ],
)
def test_a_script_gives_the_same_with_both_packages(script, model, tmp_path):
    ours, theirs, our_words, their_words = both_ways(script, shared_model(model), tmp_path, SWAP)
    assert {name: value.tolist() for name, value in ours.items() if value.dtype != np.float32} == {
        name: value.tolist() for name, value in theirs.items() if value.dtype != np.float32
    }
    for name in [name for name, value in theirs.items() if value.dtype == np.float32]:
        assert np.allclose(ours[name], theirs[name], rtol=0, atol=1e-5)
    assert _printed(our_words) == _printed(their_words)


def _printed(words):
    return [line for line in words.splitlines() if "RecordingMicroAllocator" in line]


@has_tflm
def test_methods_and_arguments_are_those_of_the_original():
    from tflite_micro import runtime as original

    def signatures(cls):
        methods = {name: one for name, one in vars(cls).items() if name[0] != "_"}
        return {
            name: list(inspect.signature(getattr(cls, name)).parameters) for name in sorted(methods)
        }

    assert signatures(runtime.Interpreter) == signatures(original.Interpreter)
    assert list(inspect.signature(runtime.Interpreter).parameters) == list(
        inspect.signature(original.Interpreter).parameters
    )
    assert [one.name for one in runtime.InterpreterConfig] == [
        one.name for one in original.InterpreterConfig
    ]


@has_tflm
def test_details_are_those_of_the_original():
    from tflite_micro import runtime as original

    theirs, ours = original.Interpreter.from_file(str(DIGITS)), reading()
    assert sorted(map(repr, ours.get_input_details(0).items())) == sorted(
        map(repr, theirs.get_input_details(0).items())
    )
    assert sorted(map(repr, ours.get_output_details(0).items())) == sorted(
        map(repr, theirs.get_output_details(0).items())
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda i: i.set_input(None, 0), ValueError, "must not be None"),
        (lambda i: i.set_input(X, -1), ValueError, "non-negative"),
        (lambda i: i.set_input(X, 1), IndexError, "got 1 of 1 inputs"),
        (lambda i: i.set_input(X.astype(np.uint8), 0), ValueError, "type uint8"),
        (lambda i: i.set_input(X[0], 0), ValueError, "Dimension mismatch"),
        (lambda i: i.get_output(1), IndexError, "got 1 of 1 outputs"),
        (lambda i: i.get_input_details(-1), ValueError, "non-negative"),
        (lambda i: i.GetTensor(0, 0), RuntimeError, "kPreserveAllTensors"),
    ],
)
def test_wrong_calls_raise_what_the_original_raises(call, error, words):
    with pytest.raises(error, match=words):
        call(reading())


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: runtime.Interpreter.from_file("no/such"), ValueError, "no/such"),
        (lambda: runtime.Interpreter.from_bytes(None), ValueError, "must not be None"),
        (lambda: runtime.Interpreter.from_bytes("abc"), TypeError, "expected bytes"),
        (lambda: runtime.Interpreter.from_bytes(b"x" * 20), ValueError, "truncated or damaged"),
        (lambda: reading(arena_size=64), RuntimeError, "smallest arena that works"),
        (lambda: reading(custom_op_registerers=[1]), ValueError, "list of strings"),
        (lambda: reading(custom_op_registerers=["Mine"]), RuntimeError, "via Mine"),
    ],
)
def test_what_cannot_be_made_raises_what_the_original_raises(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(("tensor", "subgraph"), [(999, 0), (-1, 0), (0, 5)])
def test_a_tensor_that_is_not_there_is_an_index_error(tensor, subgraph):
    keeps = runtime.InterpreterConfig.kPreserveAllTensors
    with pytest.raises(IndexError):
        reading(intrepreter_config=keeps).GetTensor(tensor, subgraph)


def unmarked(version=0, identifier=False):
    """The digits as tools write them that end the file without its identifier, or the version."""
    data = bytearray(DIGITS.read_bytes())
    data[locate(SCHEMA, memoryview(data), "$.version")] = version
    if not identifier:
        data[4:8] = bytes(4)
    return bytes(data)


@pytest.mark.parametrize("data", [unmarked(3), unmarked(0, identifier=True), unmarked(0)])
def test_a_file_without_identifier_or_version_runs(data):
    same = runtime.Interpreter.from_bytes(data)
    expected = reading()
    x = np.arange(64, dtype=np.int8).reshape(1, 8, 8, 1)
    for interpreter in (same, expected):
        interpreter.set_input(x, 0)
        interpreter.invoke()
    assert same.get_output(0).tolist() == expected.get_output(0).tolist()


@has_tflm
@pytest.mark.parametrize("data", [unmarked(3), unmarked(0, identifier=True), unmarked(7)])
def test_the_original_takes_files_without_identifier_or_version_too(data):
    from tflite_micro import runtime as original

    for make in (original.Interpreter, runtime.Interpreter):
        interpreter = make.from_bytes(data)
        interpreter.set_input(X, 0)
        interpreter.invoke()


def test_a_broken_file_without_identifier_is_refused_as_what_it_is():
    data = bytearray(unmarked())
    for place in range(8, len(data), 97):
        broken = bytes(data[:place]) + b"\xff\xff\xff\x7f" + bytes(data[place + 4 :])
        try:
            runtime.Interpreter.from_bytes(broken)
        except (ValueError, RuntimeError) as error:
            assert "MNN" not in str(error)
    with pytest.raises(ValueError, match="truncated or damaged"):
        runtime.Interpreter.from_bytes(bytes(data[:900]))


@has_tflm
def test_an_output_without_dimensions_is_a_scalar_as_in_the_original():
    from tflite_micro import runtime as original

    found = []
    for package in (original, runtime):
        preserved = package.InterpreterConfig.kPreserveAllTensors
        interpreter = package.Interpreter.from_bytes(
            write(total()), intrepreter_config=preserved, arena_size=1 << 15
        )
        interpreter.set_input(np.ones(1, np.float32), 0)
        interpreter.invoke()
        found.append((interpreter.get_output(0), interpreter.GetTensor(1, 0)["tensor_data"]))
    assert found[0] == found[1]
    assert [[type(value) for value in pair] for pair in found] == [[np.float32] * 2] * 2


def test_it_says_what_it_is():
    assert "tflm.Interpreter" in repr(reading())
