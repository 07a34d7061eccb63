"""What helps is said where it helps, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.refusal import remedies
from arenite.errors import RefusedError
from arenite.formats import tflite
from arenite.optimize.optimizer import run_pass
from arenite.optimize.parts import refusal_of
from arenite.optimize.settings import Settings
from arenite.runtime.heap_host import HeapInterpreter
from tests.optimize.lowered import KINDS
from tests.optimize.lowered_more import MORE
from tests.oracle import Oracle

COMMAND = "`arenite optimize MODEL --lower -o out.tflite` makes it run"


def with_open_batch() -> ar.Model:
    """What a converter writes of a batch that it does not know: a FILL by the batch's size."""
    b = ar.ModelBuilder()
    x, y = b.input("x", (1, 3), "float32"), b.tensor("y", (1, 4), "float32")
    shape, batch = b.tensor("shape", (2,), "int32"), b.tensor("batch", (1,), "int32")
    b.operator("SHAPE", [x], [shape])
    ends = [b.constant(f"c{n}", np.array([n], np.int32)) for n in (0, 1)]
    b.operator("STRIDED_SLICE", [shape, ends[0], ends[1], ends[1]], [batch])
    zeros = b.tensor("zeros", (1,), "float32")
    b.operator("FILL", [batch, b.constant("zero", np.float32(0))], [zeros])
    b.operator("ADD", [zeros, b.constant("w", np.ones((1, 4), np.float32))], [y])
    b.output(y)
    return with_signature(b.build(), (-1, 3))


def with_signature(model: ar.Model, signature: tuple[int, ...] | None) -> ar.Model:
    """The model with what the file says of its input's dimensions."""
    x, *others = model.main.tensors
    main = replace(model.main, tensors=(replace(x, shape_signature=signature), *others))
    return replace(model, subgraphs=(main,))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_command_is_said_exactly_where_lowering_makes_the_model_run(kind: str) -> None:
    model = KINDS[kind](np.random.default_rng(0))
    refused = refusal_of(model, None)
    if refused is None:
        assert remedies(model) == ""
        return
    after = run_pass("lower", model, Settings(lower=True)).after
    assert (COMMAND in str(refused)) == (refusal_of(after, None) is None)


def test_a_batch_of_one_is_said_where_it_is_all_that_is_missing() -> None:
    model = with_open_batch()
    assert "convert it with a batch of 1" in str(refusal_of(model, None))
    assert "batch" not in remedies(with_signature(model, None))


def test_no_remedy_is_promised_with_a_resolver_that_lacks_operators() -> None:
    model = KINDS["SIGN"](np.random.default_rng(0))
    with pytest.raises(ar.UnsupportedOperatorError) as error:
        ar.Interpreter(model, resolver=ar.MutableOpResolver().add("ABS"))
    assert "--lower" not in str(error.value)


@pytest.mark.parametrize("kind", ["a dilated convolution of an open batch", "a shape of a loop"])
def test_what_tflm_computes_wrongly_is_called_that(oracle: Oracle, kind: str) -> None:
    made = {**MORE, "a shape of a loop": KINDS["a sequence that a loop writes"]}[kind]
    model = made(np.random.default_rng(0))
    error = refusal_of(model, None)
    assert isinstance(error, RefusedError)
    assert error.computes_nonsense
    assert "nonsense" in str(error)
    assert COMMAND in str(error)
    if kind in MORE:
        x = np.random.default_rng(1).normal(size=model.inputs[0].shape).astype(np.float32)
        stock = oracle.run(tflite.write(model), [[x]])
        assert stock.status == "ok"
        heap = HeapInterpreter(model)
        heap.allocate_tensors()
        heap.input(0)[...] = x
        heap.invoke()
        assert np.abs(stock.outputs[0][0] - heap.output(0)).max() > 0.1


def test_a_search_for_a_remedy_that_fails_does_not_hide_the_error() -> None:
    def fail() -> str:
        raise ZeroDivisionError

    error = RefusedError("TFLM refuses it.")
    error.ask_for_remedy(fail)
    assert str(error) == "TFLM refuses it."
