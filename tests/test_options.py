"""What public functions are called with is checked where it comes in."""

import numpy as np
import pytest

import arenite as ar
import arenite.litert
from arenite.formats.tflite import write
from tests.firmware.models import floats

MODEL = floats()
SAMPLES = np.zeros((8, 1, 8), np.float32)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: ar.HeapInterpreter(MODEL).reset(), ar.StateError, "call allocate_tensors"),
        (lambda: ar.HeapInterpreter(MODEL).limit_calls(0), TypeError, "budget: expected a CallB"),
        (lambda: ar.HeapInterpreter(MODEL).resize_input(0, None), TypeError, "shape: expected a"),
        (
            lambda: ar.HeapInterpreter(MODEL).resize_input(0, (1, -(2**63))),
            ar.ShapeError,
            "expected 2 dimensions of 0 or more",
        ),
        (
            lambda: ar.HeapInterpreter(MODEL).resize_input(0, (1, 2**63)),
            ValueError,
            "shape: expected an integer of at most 2147483647",
        ),
        (
            lambda: arenite.litert.Interpreter(model_content=write(MODEL)).resize_tensor_input(
                0, (1, -(2**63))
            ),
            ValueError,
            "tensor_size: expected dimensions of 32 bits",
        ),
        (lambda: ar.compare(MODEL, MODEL, inputs=[]), ValueError, "expected those of one"),
        (lambda: ar.MicroProfiler().end_event(0), IndexError, "event: expected one of 0"),
        (lambda: ar.find_board(None), TypeError, "expected a board's name or a file, got None"),
        (lambda: ar.Target(library=None), TypeError, "library: expected text, got None"),
        (lambda: ar.Target(tflm=-1), TypeError, "tflm: expected text, got -1"),
        (lambda: ar.load(write(MODEL), operators="x"), TypeError, "operators: expected a dict"),
        (lambda: ar.quantize(MODEL, SAMPLES, reading=1), TypeError, "reading: expected a Reading"),
        (lambda: ar.Interpreter(MODEL, resolver=7), TypeError, "resolver: expected a resolver"),
        (lambda: ar.Interpreter(MODEL, threads=None), TypeError, "threads: expected an integer"),
        (lambda: ar.Interpreter(MODEL).input(None), TypeError, "input index: expected an integ"),
    ],
)
def test_what_is_wrong_is_said_by_name(call, kind, said):
    with pytest.raises(kind, match=said):
        call()
