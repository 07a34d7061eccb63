"""The arena interpreter with a block of its own for every tensor, and with all over each other.

``make sanitize`` runs this with kernels that end the process when they leave their memory. An
offline plan may lay tensors over each other: results are wrong then, and all else is as ever.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import AreniteError, MemoryLimitError
from arenite.model import Array, Model
from arenite.runtime.interpreter_config import Engine
from tests.native.layouts import Layout, apart, bytewise, lay_out, shifted, stacked, staggered
from tests.native.sizes import CASES, build
from tests.native.strategies import OPERATORS, judge, steps_of
from tests.shared import ROOT, shared_models
from tests.steps import RESET

pytest.importorskip("arenite.native._engine")

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"
FILES = sorted([*CORPUS.glob("tflite/*"), *CORPUS.glob("mnn/*")])
MODELS = [*shared_models(), *sorted(ROOT.glob("models/mnn/*.mnn"))]
OVERLAPPING = (stacked, shifted, staggered, bytewise)


def outputs(
    model: Model | bytes, inputs: list[Array] | None, engine: Engine = "auto"
) -> list[bytes] | str:
    """The outputs of an inference in an arena, or the words with which they are refused."""
    try:
        interpreter = ar.Interpreter(model, engine=engine)
        if inputs is None:
            rng = np.random.default_rng(1)
            details = interpreter.model.inputs
            raw = [rng.integers(0, 100, t.shape) for t in details]
            inputs = [x.astype(t.type.dtype) for x, t in zip(raw, details, strict=True)]
        for number, data in enumerate(inputs):
            interpreter.input(number)[...] = data
        interpreter.invoke()
        count = len(interpreter.model.outputs)
        return [interpreter.output(number).tobytes() for number in range(count)]
    except MemoryLimitError:
        return "beyond the limit"  # whose words tell of an arena's size: other layouts have others
    except AreniteError as error:
        return str(error)


def check_layouts(model: Model | bytes, inputs: list[Array] | None) -> None:
    """Apart nothing changes; over each other nothing but numbers does."""
    expected = outputs(model, inputs)
    with pytest.MonkeyPatch.context() as patch:
        lay_out(patch, apart)
        assert outputs(model, inputs) == expected
    for layout in OVERLAPPING:
        check_overlap(model, inputs, layout)


def check_overlap(
    model: Model | bytes, inputs: list[Array] | None, layout: Layout, engine: Engine = "auto"
) -> None:
    if has_loops(model):  # which may have no end where everything lies over everything
        return
    with pytest.MonkeyPatch.context() as patch:
        lay_out(patch, layout)
        outputs(model, inputs, engine)


def has_loops(model: Model | bytes) -> bool:
    """Whether an operator is WHILE."""
    try:
        found = ar.load(model) if isinstance(model, bytes) else model
    except AreniteError:
        return False
    return any(op.name == "WHILE" for subgraph in found.subgraphs for op in subgraph.operators)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str) -> None:
    def check(oracle: object, model: Model, seed: int, **arguments: Any) -> None:
        first = next(step for step in steps_of(model, seed, **arguments) if step != RESET)
        check_layouts(model, list(first))

    judge(name, check)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_the_reference(name: str) -> None:
    """NumPy's kernels over each other raise nothing but Arenite's own errors."""

    def check(oracle: object, model: Model, seed: int, **arguments: Any) -> None:
        first = next(step for step in steps_of(model, seed, **arguments) if step != RESET)
        for layout in OVERLAPPING:
            check_overlap(model, list(first), layout, "reference")

    judge(name, check)


@pytest.mark.parametrize("case", CASES)
def test_large_operators(case: str) -> None:
    model = build(case)
    (inputs,) = steps_of(model, 1)
    check_layouts(model, list(inputs))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_shared_models(path: Path) -> None:
    check_layouts(path.read_bytes(), None)


def test_the_fuzzer_kept_files_of_both_formats() -> None:
    assert {path.parent.name for path in FILES} == {"tflite", "mnn"}


@pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_that_the_fuzzer_kept(path: Path) -> None:
    with suppress(AreniteError):
        check_layouts(path.read_bytes(), None)
