"""Public functions with one wrong argument at a time: documented errors alone come out.

The functions are those of ``__all__``, with the public methods of their classes: a new one is here
by itself, and needs a row in ``VALID`` where it has a parameter without default that none had.
"""

import ast
import inspect
import os
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arenite as ar
import arenite.litert
from arenite.formats.tflite import write
from arenite.tflm import runtime
from tests.firmware.models import floats

PACKAGE = Path(ar.__file__).parent
MODEL = floats()
FILE = write(MODEL)
X = np.ones((1, 8), np.float32)
SAMPLES = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 1, 8)

#: What is wrong nearly everywhere; where it is right, the call has to succeed.
WRONG: tuple[Any, ...] = (
    *(None, True, -1, 0, 7, 2**31, 2**63, -(2**63), 0.5, float("nan"), float("inf")),
    *("", "x", b"", b"x", object(), [], [None], {}, {"x": None}, (1, 2), lambda: None),
    *(np.zeros((2, 3), np.int64), np.array("x"), np.float32, int),
)

#: Values of parameters that have no default, by name; of one function's, by both names.
VALID: dict[str, Callable[[], Any]] = {
    "arena": lambda: 10_000,
    "batch": lambda: SAMPLES,
    "budget": lambda: None,
    "code": lambda: 0,
    "data": lambda: SAMPLES,
    "event": lambda: 0,
    "fields": lambda: (),
    "first": lambda: MODEL,
    "frame": lambda: {"x": X},
    "hint": lambda: 0,
    "id": lambda: 0,
    "index": lambda: 0,
    "inputs": lambda: (),
    "invoke": lambda: lambda context, node: None,
    "kind": lambda: "int32",
    "least": lambda: 1,
    "limit": lambda: None,
    "log": lambda: None,
    "mode": lambda: 0,
    "model": lambda: MODEL,
    "name": lambda: "x",
    "number": lambda: 0,
    "options": lambda: None,
    "outputs": lambda: (),
    "payload": lambda: None,
    "registration": lambda: ar.Registration(invoke=lambda context, node: None),
    "resolver": ar.AllOpsResolver,
    "model_data": lambda: FILE,
    "custom_op_registerers": list,
    "model_content": lambda: FILE,
    "input_data": lambda: X,
    "input_index": lambda: 0,
    "tensor_size": lambda: (1, 8),
    "library": lambda: "x",
    "second": lambda: FILE,
    "source": lambda: FILE,
    "shape": lambda: (1, 8),
    "size": lambda: 16,
    "subgraph": lambda: 0,
    "subgraphs": lambda: MODEL.subgraphs,
    "tag": lambda: "RELU",
    "tensor_index": lambda: 0,
    "subgraph_index": lambda: 0,
    "type": lambda: "int8",
    "value": lambda: 1,
    "values": dict,
    "which": lambda: 0,
    "find_board.name": lambda: "bluepill",
    "Interpreter.set_tensor.value": lambda: X,
    "Interpreter.resize_tensor_input.tensor_size": lambda: (1, 8),
    "Interpreter.resize_tensor_input.input_index": lambda: 0,
    "litert.Interpreter.model_content": lambda: FILE,
    "tflm.Interpreter.model_data": lambda: FILE,
    "tflm.Interpreter.custom_op_registerers": list,
    "tflm.Interpreter.arena_size": lambda: 10_000,
    "tflm.Interpreter.intrepreter_config": lambda: runtime.InterpreterConfig.kPreserveAllTensors,
}

#: What is not called here, and why.
LEFT_OUT = {
    "arenite.Board": "compiles firmware before it knows more",
    "arenite.compile_kernels": "runs a C++ compiler",
    "arenite.MicroAllocator": "TFLM's own steps, for whoever writes an allocator",
    "arenite.OptionsTable": "a base class",
    "litert.SignatureRunner": "made by get_signature_runner",
}
#: Functions that this does not hold for yet, or that take too long for it: some wrong arguments end
#: in an error of the depths. A function that is made right leaves this list.
OPEN = frozenset(
    {
        "arenite.AllOpsResolver.find",
        "arenite.BatchPredictor",
        "arenite.BatchPredictor.__call__",
        "arenite.BatchPredictor.like",
        "arenite.Clearance.allows",
        "arenite.HeapInterpreter",
        "arenite.HeapInterpreter.compile",
        "arenite.Interpreter",
        "arenite.Interpreter.predict",
        "arenite.MicroInterpreter.in_smallest_arena",
        "arenite.ModelBuilder.build",
        "arenite.ModelBuilder.constant",
        "arenite.ModelBuilder.input",
        "arenite.ModelBuilder.operator",
        "arenite.ModelBuilder.tensor",
        "arenite.ModelBuilder.variable",
        "arenite.MutableOpResolver.find",
        "arenite.Reading.chosen",
        "arenite.Struct.alignment",
        "arenite.Struct.layout",
        "arenite.Struct.size",
        "arenite.bench",
        "arenite.compare",
        "arenite.evaluate",
        "arenite.export",
        "arenite.fit",
        "arenite.optimize",
        "arenite.quantize",
        "arenite.report",
        "arenite.slot",
        "arenite.smallest_arena",
        "arenite.which",
        "litert.Interpreter",
        "litert.Interpreter.get_signature_runner",
        "litert.Interpreter.resize_tensor_input",
        "litert.InterpreterWithCustomOps",
        "tflm.Interpreter",
        "tflm.Interpreter.from_bytes",
        "tflm.Interpreter.from_file",
    }
)
#: Built-in errors that a package's scripts catch, beside those of every call here.
THEIRS = {"litert": (RuntimeError,), "tflm": (RuntimeError,)}
#: What a message of a wrong argument says.
FORM = re.compile(r"expected|need|there is no|has no|unknown|not |cannot|call ", re.IGNORECASE)


@dataclass(frozen=True)
class Call:
    """A public function, how its object is made, and its parameters."""

    room: str
    name: str
    function: Callable[..., Any]
    owner: type | None = None

    def __str__(self) -> str:
        return f"{self.room}.{self.name}"

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """Those that take one argument each."""
        kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
        found = list(inspect.signature(self.function).parameters.values())
        found = found[1:] if found and found[0].name == "self" else found
        return [one for one in found if one.kind not in kinds]

    def valid(self, name: str) -> Any:
        """A parameter's valid value."""
        for key in (f"{self}.{name}", f"{self.name}.{name}", name):
            if key in VALID:
                return VALID[key]()
        raise KeyError(f"give VALID a row for {name!r} of {self}")

    def with_wrong(self, name: str, value: Any) -> Any:
        """Call it with one argument that may be wrong."""
        arguments = {
            one.name: value if one.name == name else self.valid(one.name)
            for one in self.parameters
            if one.default is inspect.Parameter.empty or one.name == name
        }
        function = self.function
        if self.owner is not None:
            function = getattr(made(self.room, self.owner), self.name.split(".")[1])
        result = function(**arguments)
        return list(result) if inspect.isgenerator(result) else result


def made(room: str, owner: type) -> Any:
    """An object of a public class, ready for its methods."""
    if (room, owner.__name__) == ("litert", "Interpreter"):
        found: Any = owner(model_content=FILE)
    else:
        call = Call(room, owner.__name__, owner)
        needed = [one.name for one in call.parameters if one.default is inspect.Parameter.empty]
        arguments = {name: call.valid(name) for name in needed}
        if owner is ar.MicroInterpreter:
            arguments |= {"arena": 10_000, "preserve_all_tensors": True}
        found = owner(**arguments)
    if owner is ar.ModelBuilder:
        found.input("x", (1, 8), "int8")
    if owner is ar.MicroProfiler:
        found.begin_event("RELU")
    if hasattr(found, "allocate_tensors"):
        found.allocate_tensors()
    return found


@cache
def calls() -> tuple[Call, ...]:
    """Every public function, constructor and method with parameters."""
    rooms = {"arenite": ar, "litert": arenite.litert, "tflm": runtime}
    found: list[Call] = []
    for room, module in rooms.items():
        names = getattr(module, "__all__", ("Interpreter",))
        for name in names:
            found += _calls_of(room, name, getattr(module, name))
    return tuple(call for call in found if call.parameters and str(call) not in OPEN)


def _calls_of(room: str, name: str, thing: Any) -> Iterator[Call]:
    if f"{room}.{name}" in LEFT_OUT or not callable(thing):
        return
    if isinstance(thing, type) and issubclass(thing, BaseException | Enum):
        return
    yield Call(room, name, thing)
    if not isinstance(thing, type):
        return
    for method in vars(thing):
        found = getattr(thing, method)
        is_public = not method.startswith("_") or method == "__call__"
        if is_public and inspect.isroutine(found):
            is_bound = inspect.ismethod(found) or isinstance(vars(thing)[method], staticmethod)
            yield Call(room, f"{name}.{method}", found, None if is_bound else thing)


@cache
def raises_in(path: str) -> frozenset[int]:
    """Lines of a file's ``raise`` statements."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    lines = (
        range(node.lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
    )
    return frozenset(line for one in lines for line in one)


def complaint(room: str, error: BaseException, value: Any) -> str:
    """What is undocumented about an error; empty where nothing is."""
    if isinstance(error, ar.AreniteError):
        return ""
    if isinstance(error, OSError) and isinstance(value, str | bytes):
        return ""  # such a file cannot be read
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    kinds = (TypeError, ValueError, IndexError, KeyError, *THEIRS.get(room, ()))
    is_ours = last.filename.startswith(f"{PACKAGE}/") and last.lineno in raises_in(last.filename)
    if not is_ours or not isinstance(error, kinds):
        return f"{type(error).__name__} of {place}: {error}"
    if room != "arenite":
        return ""  # the words are those of the package that it stands in for
    return "" if FORM.search(str(error)) else f"no word of what was expected: {error} ({place})"


def tried(call: Call, name: str, value: Any) -> str:
    """What is wrong with a call's end; empty where nothing is."""
    try:
        call.with_wrong(name, value)
    except Exception as error:
        return complaint(call.room, error, value)
    finally:
        ar.set_memory_limit(None)
    return ""


@pytest.fixture(scope="module", autouse=True)
def _elsewhere(tmp_path_factory):
    """Let calls that take ``"x"`` as a path find nothing there."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    yield
    os.chdir(before)


@pytest.mark.parametrize("call", calls(), ids=str)
@settings(max_examples=12)
@given(data=st.data())
def test_a_wrong_argument_gives_a_documented_error(call, data):
    name = data.draw(st.sampled_from([one.name for one in call.parameters]))
    value = data.draw(st.sampled_from(WRONG))
    assert tried(call, name, value) == ""


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
        (lambda: ar.Interpreter(MODEL, resolver=7), TypeError, "expected a resolver, such as"),
        (lambda: ar.Interpreter(MODEL, threads=None), TypeError, "threads: expected an integer"),
        (lambda: ar.Interpreter(MODEL).input(None), TypeError, "input index: expected an integ"),
    ],
)
def test_what_is_wrong_is_said_by_name(call, kind, said):
    with pytest.raises(kind, match=said):
        call()
