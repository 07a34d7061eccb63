"""Interpreters and models that are pickled, copied and sent to other processes."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.model import ModelBuilder
from tests.runtime.models import conv_model, custom_chain, image, resolver_with


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def copied(original: Any) -> Any:
    return original.copy() if isinstance(original, ar.Interpreter) else copy.copy(original)


both = pytest.mark.parametrize("twin", [pickled, copy.deepcopy, copy.copy, copied])
Twin = Callable[[Any], Any]


@both
def test_a_copy_gives_the_same_outputs(twin: Twin) -> None:
    interp = ar.Interpreter(conv_model())
    expected = interp(image(1))
    other = twin(interp)
    np.testing.assert_array_equal(other(image(1)), expected)
    assert other.engine == interp.engine


@both
def test_a_copy_has_memory_of_its_own(twin: Twin) -> None:
    interp = ar.Interpreter(conv_model())
    other = twin(interp)
    interp.input()[...] = 1
    other.input()[...] = 2
    assert interp.input().min() == 1


@both
def test_a_users_arena_becomes_one_of_the_same_size(twin: Twin) -> None:
    arena = bytearray(20_000)
    other = twin(ar.Interpreter(conv_model(), arena=arena))
    assert other.arena.size == 20_000
    other.input()[...] = 9
    assert not any(arena[: other.arena.head_used])


@both
def test_options_go_along(twin: Twin) -> None:
    interp = ar.Interpreter(
        conv_model(),
        planner="linear",
        preserve_all_tensors=True,
        engine="reference",
        target=ar.Target("cortex-m55", compiler="armclang", arena_address=4),
    )
    other = twin(interp)
    assert (other.engine, other.target) == ("reference", interp.target)
    assert repr(other.allocations()) == repr(interp.allocations())
    assert other.plan == interp.plan
    assert other.tensor("y0").shape == (1, 8, 8, 4)


@both
def test_the_profiler_stays_behind(twin: Twin) -> None:
    interp = ar.Interpreter(conv_model(), profiler=ar.MicroProfiler())
    assert twin(interp).profiler is None


@both
def test_the_file_is_still_known(twin: Twin, tmp_path: Any) -> None:
    from arenite.formats import tflite

    path = tmp_path / "conv.tflite"
    path.write_bytes(tflite.write(conv_model()))
    interp = ar.Interpreter(path)
    other = twin(interp)
    assert repr(other.model) == repr(interp.model)
    assert other.model.nbytes == interp.model.nbytes


@both
def test_variables_start_anew(twin: Twin) -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 2), "int8")
    state = b.variable("state", (1, 2), "int8")
    y = b.tensor("y", (1, 2), "int8")
    b.operator("COUNT", [x, state], [y], custom_options=b"")
    b.output(y)
    interp = ar.Interpreter(b.build(), resolver=resolver_with("COUNT", invoke=count))
    one = np.ones((1, 2), np.int8)
    assert [interp(one).max() for _ in range(2)] == [1, 2]
    assert twin(interp)(one).max() == 1


def count(context: Any, node: Any) -> None:
    x, state, y = (context.get_eval_tensor(i).data for i in range(3))
    state += x
    y[...] = state


def double(context: Any, node: Any) -> None:
    x, y = (context.get_eval_tensor(i).data for i in range(2))
    np.multiply(x, 2, out=y)


@pytest.mark.parametrize("resolver", [ar.AllOpsResolver(), ar.MutableOpResolver()])
def test_resolvers_go_along(resolver: ar.MutableOpResolver) -> None:
    resolver.add("CONV_2D").add_custom("STEP", ar.Registration(invoke=double))
    model = custom_chain(size=2)
    other = pickled(ar.Interpreter(model, resolver=resolver))
    assert other(np.array([3, 4], np.int8)).tolist() == [6, 8]
    assert pickled(resolver).find("CONV_2D") == ar.AllOpsResolver().find("CONV_2D")


def test_a_resolver_that_does_not_pickle_says_so() -> None:
    resolver = resolver_with(invoke=lambda context, node: None)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(ar.Interpreter(custom_chain(), resolver=resolver))


@both
def test_constants_of_a_models_copy_stay_read_only(twin: Twin) -> None:
    model = twin(conv_model())
    for tensor in model.main.tensors:
        assert tensor.value is None or not tensor.value.flags.writeable
    np.testing.assert_array_equal(
        ar.Interpreter(model)(image()), ar.Interpreter(conv_model())(image())
    )


def test_process_pools_take_interpreters() -> None:
    interp = ar.Interpreter(conv_model())
    batches = [np.concatenate([image(n), image(n + 1)]) for n in range(3)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(interp.predict, batches))
    for batch, result in zip(batches, results, strict=True):
        np.testing.assert_array_equal(result, interp.predict(batch))


@pytest.mark.parametrize(
    "error",
    [
        ar.PredictError("sample 3: bad", index=3),
        ar.ModelError("expected a, got b", offset=4, path="$.x"),
        ar.ArenaError("too small", requested=1, available=2, needed=3),
        ar.UnsupportedOperatorError("none", ["A"]),
    ],
)
def test_errors_come_back_from_other_processes(error: ar.AreniteError) -> None:
    other = pickled(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)
