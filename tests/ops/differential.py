"""One operator, random models, TFLM as the judge.

A test file for an operator gives a hypothesis strategy for models with that one
operator to :func:`equals_tflm`; :func:`agrees` runs Arenite and TFLM on it and compares.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arenite.errors import AreniteError, ConstraintError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, Tensor, TensorType
from arenite.ops import AllOpsResolver
from arenite.ops.registry import module_name
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.inferences import take
from tests.oracle import Answer, Oracle, printed_rows, skip_without_tflm, tflm_rows
from tests.steps import RESET, Step

Array = np.ndarray[Any, Any]

#: Cases per operator: few in every test run, many in ``make test-long``.
CASES = int(os.environ.get("ARENITE_CASES", "15"))
#: Bytes of the arenas on both sides.
ARENA_SIZE = 1 << 22
#: How often each outcome came up, by operator; printed at the end of a long run.
OUTCOMES: Counter[tuple[str, str]] = Counter()

differential = settings(
    max_examples=CASES,
    deadline=None,
    derandomize=CASES <= 50,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    print_blob=True,
)


#: Seeds of random inputs.
SEEDS = st.integers(0, 2**32 - 1)
#: As often as asked, the same models every time, and no search for a smaller one.
drawing = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def module_of(name: str) -> Any:
    """The file with an operator's own tests."""
    *_, namespace, stem = (module_name(name) or "").split(".")
    stem = stem.rstrip("_")  # behind a keyword of Python
    return import_module(f"tests.ops.{namespace}.test_{stem}")


def equals_tflm(
    models: st.SearchStrategy[Model],
    *,
    inputs: Callable[[Model, int], list[Array] | None] | None = None,
    **how: Any,
) -> Callable[..., None]:
    """A test of an operator on random models; ``how`` is what :func:`agrees` takes besides.

    ``inputs`` makes them for a model of a seed; by default they are random.
    """

    @differential
    @given(model=models, seed=SEEDS)
    def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
        fed = {} if inputs is None else {"inputs": inputs(model, seed)}
        agrees(oracle, model, seed, **fed, **how)

    return test_equals_tflm


def refuses(*cases: tuple[Any, str]) -> Callable[..., None]:
    """A test that each of some models, or moves, is refused with a message that matches."""

    @pytest.mark.parametrize(("given", "message"), cases)
    def test_what_is_refused(given: Any, message: str) -> None:
        with pytest.raises(ConstraintError, match=message):
            run_arenite(getattr(given, "model", given), [])

    return test_what_is_refused


def refuses_in_words(*cases: tuple[Any, str]) -> Callable[..., None]:
    """The same, with messages that hold these words."""
    return refuses(*((given, re.escape(words)) for given, words in cases))


def one_operator(
    b: ModelBuilder,
    name: str,
    inputs: Sequence[int],
    outputs: Sequence[int],
    *how: Any,
    **also: Any,
) -> Model:
    """The model of what was built so far and an operator, whose outputs are the model's."""
    b.operator(name, inputs, outputs, *how, **also)
    for output in outputs:
        b.output(output)
    return b.build()


def models_of(name: str) -> st.SearchStrategy[Model]:
    """The models that an operator's own ``test_equals_tflm`` draws."""
    test = module_of(name).test_equals_tflm.hypothesis
    return cast("st.SearchStrategy[Model]", test._given_kwargs["model"])


def judge_with(
    name: str, judge: Callable[..., object], how: settings = differential, seed: int | None = None
) -> None:
    """Run an operator's own ``test_equals_tflm`` with a judge in the place of :func:`agrees`."""
    module = module_of(name)
    test = module.test_equals_tflm.hypothesis
    drawn = how(given(**test._given_kwargs)(test.inner_test))
    with pytest.MonkeyPatch.context() as patch:
        for place in (module, sys.modules[__name__]):
            patch.setattr(place, "agrees", judge, raising=False)
        (drawn if seed is None else hypothesis.seed(seed)(drawn))(oracle=None)


def random_array(tensor: Tensor, rng: np.random.Generator) -> Array:
    """Values over the whole range of a tensor's type, extremes included."""
    dtype = tensor.type.dtype
    if tensor.type is TensorType.FLOAT32:
        return rng.normal(0, 2, tensor.shape).astype(np.float32)
    if tensor.type is TensorType.BOOL:
        return rng.integers(0, 2, tensor.shape).astype(np.bool_)
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, tensor.shape, dtype=dtype, endpoint=True)
    extremes = rng.random(tensor.shape) < 0.1
    return np.where(extremes, rng.choice([info.min, info.max], tensor.shape), values).astype(dtype)


def run_arenite(model: Model, steps: list[Step]) -> list[list[Array]]:
    """Arenite's outputs on the heap host, one list per inference."""
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    return take(interpreter, model, steps)


def run(model: Model, *inputs: Any) -> Any:
    """The output of one inference, as a list."""
    return run_arenite(model, [list(inputs)])[0][0].tolist()


def agrees(
    oracle: Oracle,
    model: Model,
    seed: int,
    *,
    inputs: list[Array] | None = None,
    invokes: int = 1,
    reset: bool = False,
    float_rtol: float = 1e-5,
    defined: Callable[[list[Array], int], list[Array]] | None = None,
) -> Answer:
    """Assert that Arenite gives TFLM's bits, or refuses what TFLM refuses.

    Where TFLM crashes Arenite may do either, as long as it raises nothing but its own
    errors. ``defined(outputs, inference)`` is what TFLM writes of an inference's outputs, where it
    leaves out something.
    """
    rng = np.random.default_rng(seed)
    one: list[Step] = [
        inputs if inputs is not None else [random_array(t, rng) for t in model.inputs]
        for _ in range(invokes)
    ]
    steps: list[Step] = [*one, RESET, *one] if reset else one
    data = tflite.write(model)
    answer = oracle.run(data, steps, ARENA_SIZE)
    OUTCOMES[model.main.operators[0].name, answer.status] += 1
    try:
        got = run_arenite(tflite.read(data), steps)
    except AreniteError as error:
        assert answer.status != "ok", f"TFLM runs this, Arenite refuses: {error}\n{model}"
        return answer
    if answer.status == "crashed":
        return answer
    assert answer.status == "ok", f"TFLM refuses this, Arenite runs it: {answer.log}\n{model}"
    for number, pair in enumerate(zip(got, answer.outputs, strict=True)):
        ours, theirs = pair if defined is None else (defined(outputs, number) for outputs in pair)
        for mine, its in zip(ours, theirs, strict=True):
            assert_same(mine, its, model, number, float_rtol=float_rtol)
    assert_same_in_arena(tflite.read(data), steps, got, answer)
    return answer


def assert_same_in_arena(
    model: Model, steps: list[Step], got: list[list[Array]], answer: Answer
) -> None:
    """In an arena full of leftovers: the heap's outputs, and TFLM's allocations."""
    arena = bytearray(b"\x5a" * ARENA_SIZE)
    micro = MicroInterpreter(model, AllOpsResolver(), arena)
    micro.allocate_tensors()
    for ours, theirs in zip(take(micro, model, steps), got, strict=True):
        for mine, its in zip(ours, theirs, strict=True):
            # The heap takes the operator's dimensions, the arena the model's.
            same = its.reshape(mine.shape)
            np.testing.assert_array_equal(mine, same, err_msg=f"in the arena:\n{model}")
    used = micro.allocations()
    assert (used.head, used.tail) == (answer.allocations["head"], answer.allocations["tail"])
    assert tflm_rows(used) == printed_rows(answer.log), f"allocations of\n{model}"


def assert_same(
    mine: Array,
    its: Array,
    model: Model,
    number: int,
    *,
    float_rtol: float = 1e-5,
    variant: str = "reference",
) -> None:
    """Integers equal bit for bit; floats within ``float_rtol`` of the largest magnitude."""
    where = f"inference {number} with {variant} kernels of\n{model}"
    assert mine.dtype == its.dtype, where
    mine = mine.reshape(its.shape)
    if its.dtype.kind != "f":
        np.testing.assert_array_equal(mine, its, err_msg=where)
        return
    finite = np.abs(its[np.isfinite(its)])
    atol = float_rtol * float(finite.max(initial=0.0))
    np.testing.assert_allclose(mine, its, rtol=0, atol=atol, err_msg=where)


@pytest.fixture(scope="session")
def oracle() -> Any:
    """One oracle for the whole test session."""
    skip_without_tflm()
    worker = Oracle()
    yield worker
    worker.close()
