"""Subgraphs that call one another: however many calls that makes, every command ends."""

from collections.abc import Iterator

import numpy as np
import pytest

import arenite as ar
from arenite.cli import app
from arenite.errors import ModelError
from arenite.formats.tflite import write
from arenite.litert import Interpreter as LiteRT
from arenite.model import Model, ModelBuilder, OptionsTable, SignatureDef
from arenite.model.calls import MAX_DEPTH, MAX_SCOPES, check_calls, check_inference
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.if_ import IfOptions
from arenite.ops.tflite.while_ import WhileOptions
from tests.cli.models import saved

Call = tuple[str, OptionsTable]


def once(called: int) -> Call:
    return "CALL_ONCE", CallOnceOptions(called)


def branch(called: int) -> Call:
    return "IF", IfOptions(called, called)


def loop(called: int) -> Call:
    return "WHILE", WhileOptions(called, called)


#: Calls of each subgraph but the last, and how many of these there are.
TREES = {
    "IF": ([branch, branch], 30),
    "WHILE": ([loop], 30),
    "CALL_ONCE": ([once, once], 30),
    "mixed": ([branch, loop, once], 12),
    "wide": ([once] * 20, 5),
    "deep": ([once], MAX_DEPTH + 1),
}
#: Every command that reads a model, with what else it must be given.
COMMANDS = {
    "info": [],
    "run": [],
    "bench": [],
    "compare": ["{model}"],
    "evaluate": ["{data}"],
    "report": ["-o", "{folder}/page.html"],
    "fit": ["--board", "nano33ble"],
    "memory": [],
    "which": ["--used", "1000"],
    "cost": [],
    "explain": [],
    "quantize": ["--data", "{data}", "-o", "{folder}/quantized.tflite"],
    "optimize": ["-o", "{folder}/optimized.tflite"],
    "export": ["-o", "{folder}/firmware"],
    "board": [],
}


def tree(kind: str, first: int = 0) -> Model:
    """Subgraphs of which each calls the next, the last one computes; numbered from ``first``."""
    calls, levels = TREES[kind]

    def subgraphs() -> Iterator[ModelBuilder]:
        for level in range(levels + 1):
            b = ModelBuilder()
            flag, x = b.input("flag", (1,), "bool"), b.input("x", (1, 4), "float32")
            y = b.tensor("y", (1, 4), "float32")
            for call in calls if level < levels else ():
                name, options = call(first + level + 1)
                b.operator(name, [flag, x], [], options)
            b.operator("RELU", [x], [y])
            b.output(y)
            yield b

    return Model(tuple(one.subgraph() for one in subgraphs()))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trees")
    np.savez(folder / "data.npz", x=np.zeros((8, 1, 4), np.float32), y=np.zeros(8, np.int64))
    for kind in ("IF", "mixed"):
        saved(tree(kind), folder / f"{kind}.tflite")
    return folder


def test_every_command_that_reads_a_model_is_tried() -> None:
    others = {"boards", "sdks", "check-kernel", "operators", "listen"}
    names = {one.name for one in app.registered_commands}
    assert names - others == set(COMMANDS)


@pytest.mark.parametrize("kind", ["IF", "mixed"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends(arenite, files, tmp_path, command, kind):
    model = files / f"{kind}.tflite"
    more = [
        one.format(model=model, data=files / "data.npz", folder=tmp_path)
        for one in COMMANDS[command]
    ]
    result = arenite(command, model, *more)
    said = " ".join(result.output.split())
    assert result.exit_code in (0, 1, 2), said
    if command == "report":
        said = (tmp_path / "page.html").read_text("utf-8")
    if command not in ("which", "quantize", "evaluate"):
        assert f"over {MAX_SCOPES:,} operators and calls of subgraphs would run" in said


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize(
    "make", [ar.HeapInterpreter, ar.Interpreter, lambda model: LiteRT(model_content=write(model))]
)
def test_every_interpreter_refuses_the_model(make, kind):
    with pytest.raises(ValueError, match=f"over {MAX_DEPTH if kind == 'deep' else '200,000'}"):
        make(tree(kind))


def test_an_inference_may_begin_at_a_signature_too() -> None:
    subgraphs = (tree("IF").subgraphs[-1], *tree("deep", first=1).subgraphs)
    check_calls(Model(subgraphs))  # no inference comes there
    with pytest.raises(ModelError, match="over 64 deep"):
        check_calls(Model(subgraphs, signatures=(SignatureDef("deep", {}, {}, 1),)))


def test_an_inference_that_begins_elsewhere_is_checked_when_it_begins() -> None:
    model = Model((tree("IF").subgraphs[-1], *tree("IF", first=1).subgraphs))
    interpreter = ar.HeapInterpreter(model)
    with pytest.raises(ModelError, match="over 200,000"):
        interpreter.invoke_subgraph(1)


def test_operators_and_calls_are_counted_each(monkeypatch) -> None:
    model = Model((tree("wide").subgraphs[0], tree("wide").subgraphs[-1]))
    # 20 calls and one operator, and as often the call itself and what is called.
    monkeypatch.setattr("arenite.model.calls.MAX_SCOPES", 20 + 1 + 20 * 2)
    check_inference(model)
    monkeypatch.setattr("arenite.model.calls.MAX_SCOPES", 20 + 1 + 20 * 2 - 1)
    with pytest.raises(ModelError, match="over 60 operators"):
        check_inference(model)
