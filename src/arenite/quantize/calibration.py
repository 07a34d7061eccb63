"""A float model run on samples, and what was seen of every tensor on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from arenite.analysis.evaluation.samples import Fed, Source
from arenite.errors import QuantizationError
from arenite.formats import tflite
from arenite.model import Model, Operator, Tensor, TensorType
from arenite.model.model import Array
from arenite.ops import scheme_of
from arenite.quantize.seen import Seen, seen
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import checked_samples

#: Told how many samples are done, and of how many.
Progress = Callable[[int, int], object]
#: Samples that are read at once, and given to a worker.
CHUNK = 64


@dataclass(frozen=True, eq=False)
class Run:
    """A model with all its tensors kept, and who runs it."""

    interpreter: Interpreter
    tensors: tuple[int, ...]

    @staticmethod
    def of(model: Model) -> Run:
        """A run of a model's main subgraph: its computed float tensors are looked at."""
        main = model.main
        written = {i for op in main.operators for i in op.outputs} | set(main.inputs)
        written |= {i for i, tensor in enumerate(main.tensors) if tensor.is_variable}
        floats = (i for i in sorted(written) if main.tensors[i].type is TensorType.FLOAT32)
        used = {i for op in main.operators for i in op.inputs} | written
        return Run(
            Interpreter(model, preserve_all_tensors=True), tuple(i for i in floats if i in used)
        )


def runs(interpreter: Interpreter, fed: Fed) -> Iterator[int]:
    """Run a model on samples, one after the other; each one's number, when it has run.

    A model with state forgets it where a sample begins. Real numbers become integers where the
    inputs are.

    Raises:
        ShapeError, DTypeError: Samples do not fit.
    """
    inputs = [
        _fitted(values, tensor, port)
        for port, (values, tensor) in enumerate(
            zip(fed.inputs, interpreter.model.inputs, strict=True)
        )
    ]
    counts = np.ones(len(fed.inputs[0]), np.int64) if fed.counts is None else fed.counts
    starts = set((np.cumsum(counts) - counts).tolist())
    for number in range(len(fed.inputs[0])):
        if number in starts and interpreter.is_stateful:
            interpreter.reset()
        for port, values in enumerate(inputs):
            interpreter.input(port)[...] = values[number]
        interpreter.invoke()
        yield number


def _fitted(values: Array, tensor: Tensor, port: int) -> Array:
    samples, given = checked_samples(values, tensor, port, quantize=True)
    return given.converted(samples, tensor).reshape(-1, *tensor.shape)


def observe(model: Model, source: Source) -> dict[int, Seen]:
    """Observations of the main subgraph's float tensors, by index, while samples run.

    Raises:
        QuantizationError: A tensor is not finite.
        AreniteError, OSError: A sample cannot be read or does not fit.
    """
    run = Run.of(model)
    inner = [op for op in model.main.operators if _inner(op)]
    found: dict[int, Seen] = {}
    before = [_arrays(run.interpreter, op) for op in inner]
    for number in runs(run.interpreter, source.feed(model, None)):
        for index in run.tensors:
            _add(found, model, index, run.interpreter.tensor(index), number)
        for op, states in zip(inner, before, strict=True):
            arrays = [run.interpreter.tensor(i) if i >= 0 else None for i in op.inputs]
            given = [a if s is None else s for a, s in zip(arrays, states, strict=True)]
            for place, values in _inner(op)(given, op.options).items():  # type: ignore[misc]
                _add(found, model, op.inputs[place], values, number)
        before = [_arrays(run.interpreter, op) for op in inner]
    return found


def _inner(operator: Operator) -> Callable[[Sequence[object], object], Mapping[int, Array]] | None:
    scheme = scheme_of(operator.name)
    return None if scheme is None else scheme.inner


def _arrays(interpreter: Interpreter, operator: Operator) -> list[Array | None]:
    """Copies of an operator's variable inputs; None for the others."""
    tensors = interpreter.model.main.tensors
    return [
        interpreter.tensor(i).copy() if i >= 0 and tensors[i].is_variable else None
        for i in operator.inputs
    ]


def _add(found: dict[int, Seen], model: Model, index: int, values: Array, number: int) -> None:
    if not values.size:
        return
    if not np.isfinite(values).all():
        name = model.main.tensors[index].name
        raise QuantizationError(
            f"inference {number}: expected finite values, got {_infinite(values)} in tensor "
            f"{name!r}: no scale stands for that; look at the model's weights, and at the samples"
        )
    new = seen(values)
    found[index] = found[index] + new if index in found else new


def _infinite(values: Array) -> str:
    return "NaN" if np.isnan(values).any() else "infinity"


def calibrated(
    model: Model,
    source: Source,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> dict[int, Seen]:
    """Observations of a model's tensors on all samples, here or on an executor's workers.

    The result does not depend on who has seen which sample: what was seen is added up.

    Args:
        model: A float model.
        source: Samples.
        executor: Any ``concurrent.futures.Executor``: a pool of processes, Dask's, mpi4py's.
        progress: Called with samples done and in all.
    """
    spans = [(n, min(n + CHUNK, len(source))) for n in range(0, len(source), CHUNK)]
    parts = [source.part(np.arange(*span)) for span in spans]
    found: dict[int, Seen] = {}
    done = 0
    if executor is None:
        each: Iterator[dict[int, Seen]] = (observe(model, part) for part in parts)
    else:
        content = tflite.write(model)
        each = iter(executor.map(_observe_file, [content] * len(parts), parts))
    for part, new in zip(parts, each, strict=True):
        for index, one in new.items():
            found[index] = found[index] + one if index in found else one
        done += len(part)
        if progress is not None:
            progress(done, len(source))
    return found


def _observe_file(content: bytes, source: Source) -> dict[int, Seen]:
    return observe(tflite.read(content), source)
