"""Whether an optimised model gives what the original gave: both run, everything is compared.

Passes are right by argument; this looks for the errors in their code. Both models get extreme and
random inputs in one sequence, so that what is remembered counts as well, on every way there is to
run them: NumPy kernels with all tensors apart, NumPy and compiled kernels in an arena that is
planned for the target, and TFLM's own package where it is installed.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from arenite import native, peers
from arenite.errors import (
    AreniteError,
    LoopLimitError,
    ModelError,
    OptimizationError,
    PlanError,
    UndefinedWarning,
)
from arenite.formats import content_of
from arenite.memory.offline import is_made_for, without_plan
from arenite.model import Model, Tensor
from arenite.model.model import Array
from arenite.model.offline_plan import OFFLINE_METADATA, ORIGIN_METADATA, origin_in
from arenite.ops import OpResolver
from arenite.optimize import samples
from arenite.optimize.loops import call_budget
from arenite.optimize.settings import Settings
from arenite.optimize.stub_operators import resolver_for
from arenite.peers import Step
from arenite.runtime.allocation import smallest_arena
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter_config import Engine
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import HOST, Target

#: One inference after the other: its arrays by name (``output 0``, or a tensor's), None where it
#: was refused.
Results = Iterator[dict[str, Array] | None]
_MORE_ARENA = 65536
#: A memory plan and where it comes from, which no pass has to keep.
_PLAN = (OFFLINE_METADATA, ORIGIN_METADATA)


@dataclass(frozen=True)
class Verification:
    """The comparisons that found no difference.

    Attributes:
        inferences: How many inputs each way got.
        ways: Which ways there were: ``"reference"``, ``"native"``, ``"tflite_micro"``.
        tensors: How many tensors inside of the model were compared as well.
        skipped: Ways that there were not, and why.
        stand_ins: Operators that nobody knows here. Something else computed in their place, the
            same in both models.
        unfinished: Why the comparison ended before its end; empty where it did not.
    """

    inferences: int
    ways: tuple[str, ...]
    tensors: int
    skipped: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    unfinished: str = ""


class Pair(NamedTuple):
    """The two models, and what both need to run."""

    original: Model
    result: Model
    target: Target
    steps: Sequence[Step]
    resolver: OpResolver
    named: Model
    calls: CallBudget


def verify(
    original: Model,
    result: Model,
    settings: Settings,
    count: int = 8,
    named: Model | None = None,
) -> Verification:
    """Compare two models on ``count`` random inputs and some extreme ones.

    ``named`` is the result with names for its tensors, where it has none itself.

    Models whose loops go on for too long (:mod:`arenite.optimize.loops`) are not verified, and
    ``unfinished`` says so.

    Raises:
        OptimizationError: They differ, or the result does not run. It says where.
        UnsupportedOperatorError, ConstraintError: The original does not run.
    """
    target = settings.target or HOST
    resolver, names = resolver_for(original)
    steps = samples.sequence(original, count, settings.ranges)
    _require_same_ports(original, result)
    budget = call_budget(original)
    pair = Pair(original, result, target, steps, resolver, named or result, budget)
    try:
        return _verified(pair, names)
    except LoopLimitError:
        reason = f"loops longer than {budget.limit:,} calls of subgraphs in all inferences together"
        return Verification(0, (), 0, (), names, reason)


def _verified(pair: Pair, names: tuple[str, ...]) -> Verification:
    """Compare in every way; ``names`` are those of operators that nobody knows."""
    tensors = compare_apart(pair)
    ways = ["reference"]
    engines: list[Engine] = ["reference", "native"] if native.available() else ["reference"]
    skipped = [] if native.available() else ["native: the engine was not built"]
    for engine in engines:
        compare_in_arena(pair, engine)
    ways += engines[1:]
    if pair.target != HOST:
        compare_apart(pair._replace(target=HOST))
    reason = "an operator is not known to it" if names else compare_in_package(pair)
    if reason:
        skipped.append(f"tflite_micro: {reason}")
    else:
        ways.append("tflite_micro")
    inferences = sum(step is not None for step in pair.steps)
    return Verification(inferences, tuple(ways), tensors, tuple(skipped), names)


# -- ways --------------------------------------------------------------------------------


def compare_apart(pair: Pair) -> int:
    """NumPy kernels, every tensor in memory of its own; how many inner tensors were compared."""
    names = surviving(pair.original, pair.named)
    before = _apart(pair, pair.original, names, 0)
    after = _apart(pair, pair.result, names, 1)
    _require_equal(before, after, "with NumPy kernels")
    return len(names)


def _apart(pair: Pair, model: Model, names: dict[str, tuple[int, int]], side: int) -> Results:
    interpreter = HeapInterpreter(model, pair.resolver, target=pair.target)
    interpreter.allocate_tensors()
    for outputs in _take(interpreter, model, pair):
        if outputs is not None:
            for name, indices in names.items():
                data = interpreter.eval_tensor(indices[side]).data
                if data is not None:
                    outputs[name] = data.copy()
        yield outputs


def outputs_apart(
    model: Model, settings: Settings, steps: Sequence[Step]
) -> Iterator[list[Array] | None]:
    """Every inference's outputs as lists, with NumPy kernels; None where inputs are refused."""
    resolver, _ = resolver_for(model)
    target = settings.target or HOST
    pair = Pair(model, model, target, steps, resolver, model, call_budget(model))
    for outputs in _apart(pair, model, {}, 0):
        yield None if outputs is None else list(outputs.values())


def compare_in_arena(pair: Pair, engine: Engine) -> None:
    """Compare in the smallest arena, planned for the target."""
    before = _in_arena(pair, pair.original, engine)
    after = _in_arena(pair, pair.result, engine)
    _require_equal(before, after, f"in an arena with the {engine} engine")


def _in_arena(pair: Pair, model: Model, engine: Engine) -> Results:
    interpreter = MicroInterpreter.in_smallest_arena(
        model, pair.resolver, target=pair.target, engine=engine
    )
    yield from _take(interpreter, model, pair)


def compare_in_package(pair: Pair) -> str:
    """Compare in TFLM's package; the reason where it cannot be asked, or not about the original."""
    if not peers.is_installed("tflm"):
        return "not installed (pip install tflite-micro)"
    models = [_without_foreign_plan(model) for model in (pair.original, pair.result)]
    undefined = undefined_results(models[0])
    if undefined:
        return f"what it computes depends on what lies in the arena: {undefined}"
    try:
        files = [content_of(model) for model in models]
    except ModelError as error:
        return str(error)
    arena = max(map(smallest_arena, models)) + _MORE_ARENA
    before, after = peers.ask("tflm", files, _accepted(pair), len(pair.result.outputs), arena)
    if before.reason:
        return before.reason
    if after.reason:
        raise OptimizationError(
            f"tflite_micro runs the original, but not the result: {after.reason}"
        )
    _require_equal(_named(before), _named(after), "in tflite_micro")
    return ""


def undefined_results(model: Model) -> str:
    """Warning of the first operator that leaves a part of its results as it finds them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UndefinedWarning)
        smallest_arena(model)
    return next((str(one.message) for one in said if one.category is UndefinedWarning), "")


def _without_foreign_plan(model: Model) -> Model:
    """Drop a plan of another firmware's kernels, where those of the package would be wrong."""
    if OFFLINE_METADATA not in model.metadata:
        return model
    origin = origin_in(model.metadata)
    if origin is not None and not is_made_for(origin, HOST):
        return without_plan(model)
    try:
        smallest_arena(model)
    except PlanError:
        return without_plan(model)
    return model


def _named(answer: peers.Answer) -> Results:
    for outputs in answer.outputs:
        yield {f"output {number}": value for number, value in enumerate(outputs)}


def _accepted(pair: Pair) -> list[Step]:
    """The steps that the original takes: TFLM does not check indices."""
    results = _apart(pair, pair.original, {}, 0)
    return [step for step in pair.steps if step is None or next(results) is not None]


def _take(interpreter: HeapInterpreter | MicroInterpreter, model: Model, pair: Pair) -> Results:
    """Outputs of every inference; None where an operator refuses its inputs."""
    interpreter.limit_calls(pair.calls)
    for step in pair.steps:
        if step is None:
            interpreter.reset()
            continue
        for index, value in enumerate(step):
            interpreter.input(index)[...] = value
        try:
            is_whole = interpreter.invoke()
        except LoopLimitError:
            raise
        except AreniteError:
            yield None
            continue
        count = len(model.outputs) if is_whole else 0
        yield {f"output {i}": interpreter.output(i).copy() for i in range(count)}


# -- comparing ---------------------------------------------------------------------------


def surviving(original: Model, result: Model) -> dict[str, tuple[int, int]]:
    """Tensors of the main subgraph that both models compute, by name, with both their indices.

    They agree in name, type, shape and quantisation, and no other tensor has that name.
    """
    first, second = _by_name(original), _by_name(result)
    return {
        name: (first[name], second[name])
        for name in first.keys() & second.keys()
        if _is_same(original.main.tensors[first[name]], result.main.tensors[second[name]])
    }


def _by_name(model: Model) -> dict[str, int]:
    computed = {i for operator in model.main.operators for i in operator.outputs}
    names = [tensor.name for tensor in model.main.tensors]
    counts = Counter(names)
    return {names[i]: i for i in computed if names[i] and counts[names[i]] == 1}


def _is_same(a: Tensor, b: Tensor) -> bool:
    if a.is_variable or b.is_variable or a.type is not b.type or a.shape != b.shape:
        return False
    p, q = a.quantization, b.quantization
    if p is None or q is None:
        return p is q
    return np.array_equal(p.scale, q.scale) and np.array_equal(p.zero_point, q.zero_point)


def _require_same_ports(original: Model, result: Model) -> None:
    if len(original.subgraphs) != len(result.subgraphs):
        count = len(original.subgraphs)
        raise OptimizationError(f"expected {count} subgraphs, got {len(result.subgraphs)}")
    missing = [name for name in original.metadata if name not in result.metadata]
    kept = (name for name in original.metadata if name in result.metadata)
    changed = [name for name in kept if original.metadata[name] != result.metadata[name]]
    lost = [name for name in (*missing, *changed) if name not in _PLAN]
    if lost:
        raise OptimizationError(f"the metadata {lost[0]!r} are not what they were")
    if _signed(original) != _signed(result):
        raise OptimizationError("signatures name other inputs and outputs than they did")
    for side in ("inputs", "outputs"):
        pairs = getattr(original, side), getattr(result, side)
        if len(pairs[0]) != len(pairs[1]):
            raise OptimizationError(f"expected {len(pairs[0])} {side}, got {len(pairs[1])}")
        for number, (a, b) in enumerate(zip(*pairs, strict=True)):
            if not _is_same(replace(a, is_variable=False), replace(b, is_variable=False)):
                raise OptimizationError(f"{side} {number}: expected {a!r}, got {b!r}")


def _signed(model: Model) -> list[object]:
    """A model's signatures: names, and the places of inputs and outputs."""
    found: list[object] = []
    for signature in model.signatures:
        subgraph = model.subgraphs[signature.subgraph]
        sides = (signature.inputs, subgraph.inputs), (signature.outputs, subgraph.outputs)
        places = [
            {name: ports.index(i) if i in ports else -1 for name, i in names.items()}
            for names, ports in sides
        ]
        found.append((signature.key, signature.subgraph, places))
    return found


def _guarded(results: Results, way: str) -> Results:
    """The result's outputs; an error that the original did not meet is a difference."""
    try:
        yield from results
    except LoopLimitError:
        raise
    except AreniteError as error:
        raise OptimizationError(
            f"{way}: the original runs, the result does not: {error}"
        ) from error


def _require_equal(before: Results, after: Results, way: str) -> None:
    after = _guarded(after, way)
    for number, expected in enumerate(before):
        got = next(after)
        where = f"{way}, inference {number}"
        if expected is None or got is None:
            if expected is not got:
                which = "original" if expected is None else "result"
                raise OptimizationError(f"{where}: only the {which} refuses its inputs")
            continue
        if expected.keys() != got.keys():
            raise OptimizationError(f"{where}: one model ended the inference, the other did not")
        for name, value in expected.items():
            _require_equal_arrays(value, got[name], f"{where}, {name}")


def _require_equal_arrays(expected: Array, got: Array, where: str) -> None:
    place = first_difference(expected, got)
    if place is not None:
        values = expected.reshape(-1)[place], got.reshape(-1)[place]
        raise OptimizationError(
            f"{where}: expected {values[0]} at element {place}, got {values[1]}"
        )


def first_difference(a: Array, b: Array) -> int | None:
    """The first element whose bits differ, or None; NaN is NaN."""
    x, y = a.reshape(-1), b.reshape(-1)
    bits = f"u{x.dtype.itemsize}"
    different = x.view(bits) != y.view(bits)
    if x.dtype.kind == "f":
        different &= ~(np.isnan(x) & np.isnan(y))
    places = np.flatnonzero(different)
    return int(places[0]) if len(places) else None
