"""Values between processes: nothing of what a child sends can run."""

import json
import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arenite.analysis.evaluation.bench import Answers
from arenite.errors import ArenaError, ModelError, PredictError
from arenite.peers import Answer
from arenite.processes.messages import MessageError, packed, unpacked

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
def test_values_come_back_as_they_were(value):
    found = unpacked(packed(value))
    assert repr(found) == repr(value)


@given(
    hnp.arrays(
        hnp.integer_dtypes() | hnp.floating_dtypes(), hnp.array_shapes(min_dims=0, min_side=0)
    )
)
def test_arrays_come_back_bit_by_bit_and_can_be_written(array):
    found = unpacked(packed([array]))[0]
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    assert found.flags.writeable


def test_records_and_named_tuples_come_back():
    answers = Answers((np.arange(3),), 0.5, (0.25,), 3, ((1, "broken"),))
    found = unpacked(packed(answers))
    assert isinstance(found, Answers)
    assert (found.values[0].tolist(), found.left_out) == ([0, 1, 2], ((1, "broken"),))
    assert unpacked(packed(Answer([], "why"))) == Answer([], "why")


@pytest.mark.parametrize(
    "error",
    [
        ModelError("m", offset=3, path="$.x"),
        ArenaError("a", requested=1, available=2, needed=3),
        PredictError("p", index=4),
        ZeroDivisionError("division by zero"),
        FileNotFoundError(2, "No such file", "x.wav"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_errors_come_back_with_all_that_they_say(error):
    found = unpacked(packed(error))
    assert type(found) is type(error)
    assert (str(found), vars(found)) == (str(error), vars(error))


def test_an_error_of_an_unknown_class_keeps_its_words():
    class OwnError(Exception):
        pass

    assert str(unpacked(packed(OwnError("why")))).endswith("OwnError: why")


@pytest.mark.parametrize(
    "value", [lambda: 0, object(), np.array([object()])], ids=["function", "object", "objects"]
)
def test_other_things_are_not_sent(value):
    with pytest.raises(TypeError):
        packed(value)


def message(tree, data=b""):
    text = json.dumps(tree).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 16,
        pickle.dumps(print),
        message(["array", "|O", [1], 0, 8], bytes(8)),
        message(["array", "<f4", [1 << 60], 0, 4], bytes(4)),
        message(["array", "<f4", [-1], 0, 4], bytes(4)),
        message(["bytes", -4, 4], bytes(4)),
        message(["bytes", 0, 1 << 62], bytes(4)),
        message(["record", "subprocess", "Popen", []]),
        message(["record", "arenite.processes.children", "run_module", []]),
        message(["record", "arenite.processes.workers", "Workers", []]),
        message(["record", "arenite.analysis.evaluation.bench", "Answers", [["x", 1]]]),
        message(["named", "arenite.__main__", "main", []]),
        message(["call", "os", "system", ["true"]]),
        json.loads("1") and message([[]]),
        message("x")[:-1],
    ],
    ids=range(16),
)
def test_what_is_no_message_is_refused(content):
    with pytest.raises(MessageError):
        unpacked(content)


def test_no_module_is_imported_for_a_message():
    sys.modules.pop("arenite.__main__", None)
    with pytest.raises(MessageError):
        unpacked(message(["named", "arenite.__main__", "main", []]))
    assert "arenite.__main__" not in sys.modules


def test_an_error_cannot_name_what_ends_the_process():
    found = unpacked(message(["error", "builtins", "SystemExit", ["tuple", [1]], []]))
    assert type(found) is RuntimeError


def test_deep_nesting_is_no_recursion_error():
    text = b"[" * 100_000
    with pytest.raises(MessageError):
        unpacked(len(text).to_bytes(8, "little") + text)
