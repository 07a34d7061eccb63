"""predict: many samples, on one thread or several, natively or in Python."""

import _thread
import gc
import threading
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import native
from arenite.model import Model, ModelBuilder
from arenite.ops.context import Context, Node
from arenite.ops.tflite.div import DivOptions
from arenite.runtime.batch import Batch, BatchPort
from arenite.runtime.independent_samples import Run
from arenite.runtime.io_conversion import dequantized, quantized
from arenite.runtime.predict import finish, run_on_threads
from tests.runtime.models import (
    conv_model,
    copy,
    custom_chain,
    halves_of_a_sum,
    memory_of_three,
    resolver_with,
)
from tests.runtime.subgraphs import counter

Array = np.ndarray[Any, Any]
ENGINES = ["reference", *(["native"] if native.available() else [])]
THREADS = [1, 2, 3]

everywhere = pytest.mark.parametrize("engine", ENGINES)
threaded = pytest.mark.parametrize("threads", THREADS)


def samples(count: int, seed: int = 0) -> Array:
    """Samples for ``conv_model``."""
    rng = np.random.default_rng(seed)
    return rng.integers(-128, 128, (count, 8, 8, 3), dtype=np.int8)


def numbers(count: int) -> Array:
    """Samples for ``custom_chain(size=4)``, which begin with their own number."""
    return np.repeat(np.arange(count, dtype=np.int8)[:, None], 4, axis=1)


def division() -> Model:
    """``y = a // b`` on int32."""
    b = ModelBuilder()
    ports = [b.input(name, (2,), "int32") for name in "ab"]
    y = b.tensor("y", (2,), "int32")
    b.operator("DIV", ports, [y], DivOptions())
    b.output(y)
    return b.build()


# -- the results -----------------------------------------------------------------------


@everywhere
@threaded
def test_equals_a_call_per_sample(engine: Any, threads: int) -> None:
    interp = ar.Interpreter(conv_model(), engine=engine)
    batch = samples(40)
    y = interp.predict(batch, threads=threads)
    assert isinstance(y, np.ndarray)
    assert (y.shape, y.dtype) == ((40, 8, 8, 2), np.int8)
    np.testing.assert_array_equal(y, np.concatenate([interp(x[None]) for x in batch]))


@everywhere
@threaded
def test_takes_and_gives_several_ports(engine: Any, threads: int) -> None:
    left, right = np.random.default_rng(0).normal(size=(2, 10, 4)).astype(np.float32)
    interp = ar.Interpreter(halves_of_a_sum(), engine=engine)
    first, second = interp.predict((left, right), threads=threads)
    np.testing.assert_array_equal(np.hstack([first, second]), left + right)


@everywhere
@threaded
def test_quantises_and_dequantises_on_request(engine: Any, threads: int) -> None:
    model = conv_model()
    batch = np.random.default_rng(0).normal(0, 5, (9, 8, 8, 3))
    interp = ar.Interpreter(model, engine=engine)
    y = interp.predict(batch, threads=threads, quantize=True)
    expected = interp.predict(quantized(batch, model.inputs[0]))
    assert np.asarray(y).dtype == np.float32
    np.testing.assert_array_equal(y, dequantized(np.asarray(expected), model.outputs[0]))


def test_quantised_samples_may_be_given_as_they_are() -> None:
    interp = ar.Interpreter(conv_model())
    np.testing.assert_array_equal(
        interp.predict(samples(2), quantize=True),
        dequantized(np.asarray(interp.predict(samples(2))), conv_model().outputs[0]),
    )


#: What a batch of real numbers may be.
KINDS: dict[str, Callable[[Array], Array]] = {
    "float16": lambda reals: reals.astype(np.float16),
    "float32": lambda reals: reals.astype(np.float32),
    "float64": lambda reals: reals,
    "int32": lambda reals: reals.astype(np.int32),
    "bytes swapped": lambda reals: reals.astype(">f4"),
    "Fortran order": lambda reals: np.asfortranarray(reals.astype(np.float32)),
    "every second": lambda reals: np.repeat(reals.astype(np.float32), 2, axis=0)[::2],
    "beyond float32": lambda reals: reals * 1e300,
    "with infinities": lambda reals: np.where(reals > 5, np.inf, reals),
}


@everywhere
@pytest.mark.parametrize("kind", KINDS)
def test_real_numbers_of_any_kind_are_quantised_alike(engine: Any, kind: str) -> None:
    batch = KINDS[kind](np.random.default_rng(0).normal(0, 5, (9, 8, 8, 3)))
    interp = ar.Interpreter(conv_model(), engine=engine)
    expected = interp.predict(quantized(batch, interp.model.inputs[0]))
    got = interp.predict(batch, quantize=True)
    np.testing.assert_array_equal(got, dequantized(np.asarray(expected), interp.model.outputs[0]))


def test_real_numbers_may_lie_at_an_odd_address() -> None:
    memory = np.zeros(1 + 4 * 9 * 192, np.uint8)
    batch = memory[1:].view(np.float32).reshape(9, 8, 8, 3)
    batch[...] = np.random.default_rng(0).normal(0, 5, batch.shape)
    interp = ar.Interpreter(conv_model())
    np.testing.assert_array_equal(
        interp.predict(batch, quantize=True), interp.predict(batch.copy(), quantize=True)
    )


@everywhere
@threaded
def test_bytes_of_images_are_all_that_an_input_holds(engine: Any, threads: int) -> None:
    interp = ar.Interpreter(conv_model(), engine=engine)
    images = (samples(9).view(np.uint8) ^ 0x80).astype(np.uint8)
    np.testing.assert_array_equal(
        interp.predict(images, threads=threads, quantize=True),
        interp.predict(samples(9), threads=threads, quantize=True),
    )


@pytest.mark.parametrize(
    "arrange",
    [
        lambda batch: batch[:, None],
        np.asfortranarray,
        lambda batch: np.repeat(batch, 2, axis=0)[::2],
        lambda batch: batch.tolist(),
    ],
    ids=["leading one", "Fortran order", "every second", "lists"],
)
def test_samples_may_be_arranged_otherwise(arrange: Callable[[Array], Any]) -> None:
    interp = ar.Interpreter(conv_model())
    np.testing.assert_array_equal(interp.predict(arrange(samples(5))), interp.predict(samples(5)))


@everywhere
@threaded
def test_of_nothing_is_empty(engine: Any, threads: int) -> None:
    y = ar.Interpreter(conv_model(), engine=engine).predict(samples(0), threads=threads)
    assert isinstance(y, np.ndarray)
    assert (y.shape, y.dtype) == ((0, 8, 8, 2), np.int8)


@everywhere
def test_takes_outputs_without_dimensions(engine: Any) -> None:
    b = ModelBuilder()
    x = b.input("x", (), "float32")
    y = b.tensor("y", (), "float32")
    b.operator("ABS", [x], [y])
    b.output(y)
    found = ar.Interpreter(b.build(), engine=engine).predict(
        np.array([-2, 3], np.float32), quantize=True
    )
    np.testing.assert_array_equal(found, [2, 3])


def test_more_threads_than_samples() -> None:
    interp = ar.Interpreter(conv_model())
    np.testing.assert_array_equal(
        interp.predict(samples(2), threads=100), interp.predict(samples(2))
    )


@threaded
def test_tells_the_profiler_of_every_sample(threads: int) -> None:
    profiler = ar.MicroProfiler()
    interp = ar.Interpreter(conv_model(), profiler=profiler)
    interp.predict(samples(4), threads=threads)
    assert [event.tag for event in profiler.events] == ["CONV_2D"] * 8


# -- state -----------------------------------------------------------------------------


@everywhere
def test_a_sequence_carries_state_over(engine: Any) -> None:
    interp = ar.Interpreter(memory_of_three(), engine=engine)
    y = interp.predict(np.array([[1], [0], [0], [1]], np.float32), stateful=True)
    assert np.ravel(y).tolist() == [1, 2, 4, 1]
    assert interp(np.zeros((1, 1), np.float32)).item() == 2


@everywhere
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_independent_samples_start_anew_and_leave_the_interpreter_as_it_is(
    engine: Any, threads: int
) -> None:
    interp = ar.Interpreter(memory_of_three(), engine=engine)
    interp(np.ones((1, 1), np.float32))
    batch = np.array([[0], [7], [0], [5], [0]], np.float32)
    y = interp.predict(batch, stateful=False, threads=threads)
    assert np.ravel(y).tolist() == [0, 7, 0, 5, 0]
    assert interp(np.zeros((1, 1), np.float32)).item() == 2


@everywhere
@pytest.mark.parametrize("threads", [1, 2])
def test_independent_samples_each_call_once(engine: Any, threads: int) -> None:
    interp = ar.Interpreter(counter(10), engine=engine)
    batch = np.arange(5, dtype=np.int32)[:, None]
    for _ in range(2):
        y = interp.predict(batch, stateful=False, threads=threads)
        assert np.ravel(y).tolist() == [10, 11, 12, 13, 14]
    assert np.ravel(interp.predict(batch, stateful=True)).tolist() == [10, 11, 13, 16, 20]


def test_a_model_with_state_wants_to_know_what_its_samples_are() -> None:
    interp = ar.Interpreter(memory_of_three())
    batch = np.zeros((2, 1), np.float32)
    assert interp.is_stateful
    with pytest.raises(ValueError, match=r"stateful=True \(the samples are one sequence\) or"):
        interp.predict(batch)
    with pytest.raises(ValueError, match="expected threads=1 for a sequence, got 2"):
        interp.predict(batch, stateful=True, threads=2)


@pytest.mark.parametrize("stateful", [True, False, None])
def test_a_model_without_state_does_not_care(stateful: bool | None) -> None:
    interp = ar.Interpreter(conv_model())
    assert not interp.is_stateful
    expected = interp.predict(samples(4), threads=2)
    got = interp.predict(samples(4), threads=2, stateful=stateful)
    np.testing.assert_array_equal(got, expected)


def test_what_a_custom_operator_resets_is_state() -> None:
    """Nobody sees what it keeps in Python, but its ``reset`` says that there is something."""
    lengths = []

    def invoke(context: Context, node: Node) -> None:
        lengths.append(len(node.user_data))
        node.user_data.append("an inference")

    resolver = resolver_with(
        init=lambda context, options: [],
        invoke=invoke,
        reset=lambda context, user_data: user_data.clear(),
    )
    interp = ar.Interpreter(custom_chain(), resolver=resolver)
    batch = np.zeros((3, 16), np.int8)
    with pytest.raises(ValueError, match="the model has state"):
        interp.predict(batch)
    interp.predict(batch, stateful=False)
    assert lengths == [0, 0, 0]
    interp.predict(batch, stateful=True)
    assert lengths[3:] == [1, 2, 3]


def test_an_arena_at_an_odd_address_is_as_good() -> None:
    memory = bytearray(1 << 14)
    interp = ar.Interpreter(conv_model(), arena=memoryview(memory)[1:])
    np.testing.assert_array_equal(
        interp.predict(samples(6), threads=2), ar.Interpreter(conv_model()).predict(samples(6))
    )


# -- what does not fit -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        (
            np.zeros((2, 4, 4, 3), np.int8),
            ar.ShapeError,
            r"expected samples of shape \[8, 8, 3\] or \[1, 8, 8, 3\], got \[4, 4, 3\]",
        ),
        (np.int8(3), ar.ShapeError, "expected an array of samples, got one number"),
        (np.zeros((2, 8, 8, 3)), ar.AreniteError, "expected dtype int8, got float64; give quant"),
        ((samples(1), samples(1)), ValueError, r"expected a tuple of 1 inputs \['image'\], got 2"),
    ],
)
def test_refuses_a_batch_that_does_not_fit(
    batch: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ar.Interpreter(conv_model()).predict(batch)


def test_refuses_batches_of_different_lengths() -> None:
    interp = ar.Interpreter(halves_of_a_sum())
    with pytest.raises(ar.ShapeError, match="expected batches of one length"):
        interp.predict((np.zeros((3, 4), np.float32), np.zeros((2, 4), np.float32)))


@pytest.mark.parametrize("threads", [0, -1, 1025])
def test_refuses_threads_out_of_range(threads: int) -> None:
    with pytest.raises(ValueError, match=f"expected threads from 1 to 1024, got {threads}"):
        ar.Interpreter(conv_model()).predict(samples(2), threads=threads)


@pytest.mark.parametrize("threads", [1.0, "2", None, True])
def test_refuses_threads_that_are_no_number(threads: Any) -> None:
    with pytest.raises(TypeError):
        ar.Interpreter(conv_model()).predict(samples(2), threads=threads)


# -- progress --------------------------------------------------------------------------


@everywhere
@threaded
def test_progress_counts_up_to_all_on_the_callers_thread(engine: Any, threads: int) -> None:
    calls: list[tuple[int, int]] = []
    callers = set()

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        callers.add(threading.get_ident())

    interp = ar.Interpreter(conv_model(), engine=engine)
    interp.predict(samples(300), threads=threads, progress=progress)
    assert calls == sorted(set(calls))
    assert calls[-1] == (300, 300)
    assert callers == {threading.get_ident()}


def test_progress_comes_every_now_and_then() -> None:
    calls: list[int] = []
    interp = ar.Interpreter(conv_model())
    x = np.broadcast_to(samples(1)[0], (100_000, 8, 8, 3))
    interp.predict(x, progress=lambda done, total: calls.append(done))
    assert 5 < len(calls) < 10_000


@everywhere
@threaded
def test_what_progress_raises_ends_the_run(engine: Any, threads: int) -> None:
    def progress(done: int, total: int) -> None:
        raise StopIteration

    interp = ar.Interpreter(conv_model(), engine=engine)
    before = threading.active_count()
    with pytest.raises(StopIteration):
        interp.predict(samples(50), threads=threads, progress=progress)
    assert threading.active_count() == before
    assert np.shape(interp.predict(samples(3))) == (3, 8, 8, 2)


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Python swallows an interrupt that arrives while a collection runs finalizers."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@everywhere
@threaded
@pytest.mark.usefixtures("no_collection")
def test_ctrl_c_ends_the_run(engine: Any, threads: int) -> None:
    interp = ar.Interpreter(conv_model(), engine=engine)
    endless = np.broadcast_to(samples(1)[0], (50_000_000, 8, 8, 3))
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        interp.predict(endless, threads=threads)
    timer.join()
    assert np.shape(interp.predict(samples(3))) == (3, 8, 8, 2)


# -- errors ----------------------------------------------------------------------------


def refuse_seven(context: Context, node: Node) -> None:
    copy(context, node)
    data = context.get_eval_tensor(node.outputs[0]).data
    assert data is not None
    if data[0] == 7:
        raise KeyError("seven")


@threaded
def test_an_error_names_the_sample(threads: int) -> None:
    resolver = resolver_with(invoke=refuse_seven)
    interp = ar.Interpreter(custom_chain(size=4), resolver=resolver)
    with pytest.raises(ar.PredictError, match=r"^sample 7: KeyError: 'seven'$") as caught:
        interp.predict(numbers(10), threads=threads)
    assert caught.value.index == 7
    assert isinstance(caught.value.__cause__, KeyError)
    np.testing.assert_array_equal(interp.predict(numbers(7), threads=threads), numbers(7))


@everywhere
@threaded
def test_an_operators_refusal_names_the_sample(engine: Any, threads: int) -> None:
    interp = ar.Interpreter(division(), engine=engine)
    a, b = np.full((9, 2), 6, np.int32), np.full((9, 2), 3, np.int32)
    b[5, 1] = 0
    with pytest.raises(ar.PredictError, match=r"sample 5: ConstraintError: .*no zero") as caught:
        interp.predict((a, b), threads=threads)
    assert caught.value.index == 5
    b[5, 1] = 2
    assert interp.predict((a, b), threads=threads)[5].tolist() == [2, 3]


@everywhere
@threaded
def test_data_that_only_python_takes_are_computed(engine: Any, threads: int) -> None:
    """C refuses all of the smallest int32 beside a -1; only their quotient overflows."""
    lowest = np.iinfo(np.int32).min
    a = np.array([[1, 8], [lowest, 5], [9, 9]] * 3, np.int32)
    b = np.array([[1, 2], [1, -1], [3, 9]] * 3, np.int32)
    interp = ar.Interpreter(division(), engine=engine)
    y = interp.predict((a, b), threads=threads)
    assert np.asarray(y).tolist() == [[1, 4], [lowest, -5], [3, 1]] * 3
    assert interp(a[1], b[1]).tolist() == [lowest, -5]


def fake_batch(count: int) -> Batch:
    port = BatchPort(np.zeros((count, 1), np.int8), (1,), np.dtype(np.int8))
    return Batch(count, (port,), (port,))


def failing(after: int, wait: Callable[[], object]) -> Run:
    """Fails at its sample number ``after``."""
    left = [after]

    def run(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[int, Exception | None]:
        if left[0] < len(inputs[0]):
            wait()
            return left[0], ValueError("bad")
        left[0] -= len(inputs[0])
        return len(inputs[0]), None

    return run


def test_of_several_failing_threads_the_first_samples_error_is_raised() -> None:
    second_failed = threading.Event()
    runs = [failing(30, lambda: second_failed.wait(5)), failing(3, second_failed.set)]
    with pytest.raises(ar.PredictError, match="sample 30: ValueError: bad"):
        finish(run_on_threads(fake_batch(200), runs), 200, None)


def test_a_thread_that_ends_before_it_begins_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stillborn(threading.Thread):
        """What is left of a thread whose first lines get no memory."""

        def run(self) -> None:
            if not self.name.endswith("1"):
                super().run()

    monkeypatch.setattr("arenite.runtime.predict.Thread", Stillborn)
    runs = [failing(999, lambda: None)] * 2
    with pytest.raises(MemoryError, match="a thread ended without a result"):
        finish(run_on_threads(fake_batch(20), runs), 20, None)


class Impossible(threading.Thread):
    """A thread where there are none, as in WebAssembly."""

    def start(self) -> None:
        raise RuntimeError("can't start new thread")


class FirstOnly(Impossible):
    """Where the system has a thread for the first part, and no more."""

    def start(self) -> None:
        threading.Thread.start(self) if self.name.endswith("-0") else super().start()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [Impossible, FirstOnly])
def test_parts_without_a_thread_are_computed_in_place(
    monkeypatch: pytest.MonkeyPatch, kind: type[threading.Thread], engine: Any
) -> None:
    interp = ar.Interpreter(conv_model(), engine=engine)
    expected = interp.predict(samples(50))
    seen: list[int] = []
    monkeypatch.setattr("arenite.runtime.predict.Thread", kind)
    got = interp.predict(samples(50), threads=3, progress=lambda done, _: seen.append(done))
    np.testing.assert_array_equal(got, expected)
    assert seen[-1] == 50


def test_a_part_in_place_fails_behind_the_thread_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arenite.runtime.predict.Thread", FirstOnly)
    in_place = threading.Event()
    runs = [failing(30, lambda: in_place.wait(5)), failing(3, in_place.set)]
    with pytest.raises(ar.PredictError, match="sample 30: ValueError: bad"):
        finish(run_on_threads(fake_batch(200), runs), 200, None)


def test_ctrl_c_in_a_part_in_place_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arenite.runtime.predict.Thread", FirstOnly)

    def interrupted(inputs: Sequence[Array], outputs: Sequence[Array]) -> Any:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        finish(run_on_threads(fake_batch(20), [failing(999, lambda: None), interrupted]), 20, None)
    assert threading.active_count() == before


# -- memory ----------------------------------------------------------------------------


@threaded
def test_memory_is_bounded(threads: int) -> None:
    """Converted samples of this batch would take 19 MB as int8, 154 MB as float64."""
    interp = ar.Interpreter(conv_model())
    batch = np.broadcast_to(np.float32(1.5), (100_000, 8, 8, 3))
    tracemalloc.start()
    y = interp.predict(batch, threads=threads, quantize=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - np.asarray(y).nbytes < 12e6 * threads


@everywhere
@threaded
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_sample_with_nan_is_named(engine: Any, threads: int, dtype: Any) -> None:
    batch = np.zeros((50, 8, 8, 3), dtype)
    batch[33, 0, 1, 2] = np.nan
    interp = ar.Interpreter(conv_model(), engine=engine)
    with pytest.raises(ar.PredictError, match=r"sample 33: .* got NaN at \[0, 1, 2\]") as caught:
        interp.predict(batch, threads=threads, quantize=True)
    assert caught.value.index == 33
    assert np.shape(interp.predict(batch[:33], quantize=True)) == (33, 8, 8, 2)


class Frame:
    """As a data frame is to NumPy: columns of numbers, which become an array."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)

    def to_numpy(self) -> Any:
        return self.values


def test_a_frame_of_a_column_per_number_is_a_batch() -> None:
    b = ar.ModelBuilder()
    x, y = b.input("x", (1, 4), np.float32), b.tensor("y", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    rows = np.arange(12).reshape(3, 4) - 6
    found = ar.Interpreter(b.build()).predict(Frame(rows))
    np.testing.assert_array_equal(found, np.maximum(rows, 0))


def test_a_frame_of_another_shape_is_told_what_to_call() -> None:
    interp = ar.Interpreter(conv_model())
    flat = np.zeros((5, 8 * 8 * 3), np.int8)
    with pytest.raises(ar.ShapeError, match=r": \.reshape\(-1, 8, 8, 3\) of it fits"):
        interp.predict(flat)
    with pytest.raises(ar.ShapeError, match=r": \.to_numpy\(\)\.reshape\(-1, 8, 8, 3\) of it fits"):
        interp.predict(Frame(flat))
    with pytest.raises(ar.ShapeError, match=r": \.reshape\(1, 8, 8, 3\) of it fits"):
        interp(flat[0])


def test_a_frame_with_a_column_of_words_says_that_they_are_no_numbers() -> None:
    with pytest.raises(ar.DTypeError, match="got object; some of it is no number"):
        ar.Interpreter(conv_model()).predict(Frame(np.array([["seven"]], object)))
