"""Two computations of one network, compared tensor by tensor in the order of operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.analysis.advice import Habits, advice_for, habits_of
from arenite.analysis.compare_inputs import RANDOM, inferences, is_float
from arenite.analysis.differences import (
    FLOAT_TOLERANCE,
    Stack,
    Worst,
    cosine,
    error_of,
    largest,
    same_numbers,
    sqnr,
    worst_of,
)
from arenite.analysis.engines.npu_tensors import as_original, is_compiled, run_in_arena
from arenite.analysis.engines.sides import Side, inputs_for, side_of
from arenite.callable_modules import html_of
from arenite.errors import CompareError
from arenite.formats import Source
from arenite.model import Model
from arenite.ops.registry import traits_of
from arenite.options import function_or_none, optional, takes, text, whole
from arenite.peers import Tensors

#: More inferences are kept in memory than anybody compares.
MOST_RUNS = 10_000


@dataclass(frozen=True)
class Layer:
    """One operator's output on both sides, over all inferences.

    Attributes:
        operator: Number of the operator in the first model.
        name: The operator's.
        tensors: Indices of the tensor in both models.
        tensor_name: Its name in the first model.
        paired: ``"index"``, ``"name"`` or ``"position"``: how it was found in the second one.
        elements: How many were compared.
        different: How many of them differ: integers with equal scales by their bits, all else by
            more than 1e-5 of the largest magnitude.
        steps: The largest difference of integers with equal scales; None for others.
        error: The largest difference of real values.
        sqnr: Signal to error, in dB; infinite where all is equal.
        cosine: Of the angle between both, from -1 to 1.
        worst: Where that largest difference is; None where all is equal.
        is_origin: Whether it differs though nothing that it is computed from does.
        shapes: Both shapes of the first inference in which both sides have other numbers of
            elements: all of them count as different then. None in all other layers.
        advice: What usually helps, with the numbers for it; for quantised next to float. Next to
            a model that Vela compiled why its command may differ, where that is known.
    """

    operator: int
    name: str
    tensors: tuple[int, int]
    tensor_name: str
    paired: str
    elements: int
    different: int
    steps: int | None
    error: float
    sqnr: float
    cosine: float
    worst: Worst | None
    is_origin: bool = False
    loss: float = 0.0
    advice: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], tuple[int, ...]] | None = None


@dataclass(frozen=True)
class Comparison:
    """Two sides next to each other. True in a condition if nothing differs.

    Attributes:
        first, second: What was compared.
        runs: How many inferences.
        layers: In the order of operators.
        missing: Names of tensors of the first that the second has no counterpart of.
        is_quantised_against_float: Whether every layer has to differ.
        fed: What the inferences were of, for people: ``"random inputs"``, or a file.
    """

    first: str
    second: str
    runs: int
    layers: tuple[Layer, ...]
    missing: tuple[str, ...] = field(default=())
    is_quantised_against_float: bool = False
    fed: str = ""

    @property
    def equal(self) -> bool:
        """Whether no element of any tensor differs."""
        return not any(layer.different for layer in self.layers)

    def __bool__(self) -> bool:
        return self.equal

    @property
    def sqnr(self) -> float:
        """Signal to error of the last layer that was compared, in dB; infinite if it is equal."""
        return self.layers[-1].sqnr

    def rows(self) -> list[dict[str, Any]]:
        """A row per layer, as ``pandas.DataFrame`` takes them."""
        left_out = ("worst", "advice", "tensors")
        return [
            {key: value for key, value in vars(one).items() if key not in left_out}
            for one in self.layers
        ]

    @property
    def first_different(self) -> Layer | None:
        """The first operator whose output differs."""
        return next((layer for layer in self.layers if layer.different), None)

    @property
    def origins(self) -> list[Layer]:
        """Operators whose outputs differ though their inputs do not."""
        return [layer for layer in self.layers if layer.is_origin]

    @property
    def most_lost(self) -> list[Layer]:
        """The layers that lose most decibels, the worst first."""
        return sorted((one for one in self.layers if one.loss > 0), key=lambda one: -one.loss)

    _repr_html_ = html_of

    def __repr__(self) -> str:
        where = self.first_different
        if where is None:
            return f"<{self.first} and {self.second}: {len(self.layers)} tensors equal>"
        return (
            f"<{self.first} and {self.second}: first different at operator {where.operator} "
            f"{where.name}, {where.different} of {where.elements} elements>"
        )


@takes(runs=whole(), seed=whole(0), isa=optional(text), progress=function_or_none)
def compare(
    first: Model | Source | Side,
    second: Model | Source | Side,
    inputs: Sequence[npt.ArrayLike | Sequence[npt.ArrayLike]] | None = None,
    *,
    data: Any = None,
    runs: int = 10,
    seed: int = 0,
    isa: str | None = None,
    progress: Callable[[], None] | None = None,
) -> Comparison:
    """Compare every tensor of two sides.

    >>> ar.compare("kws.tflite", "@litert")                     # doctest: +SKIP

    Args:
        first: A model, a file's path or content; as text also ``MODEL@ENGINE``, see
            :mod:`arenite.analysis.engines.sides`.
        second: The same; ``@ENGINE`` is the first's model, a ``.npz`` file or a text what a board
            has sent for the first of ``inputs``.
        inputs: One entry per inference, of the first model's types: an array, or a list of one per
            input. By default extreme and random ones.
        data: Samples instead, as :func:`arenite.evaluate` takes them: a folder, a ``.npz``, a
            ``.csv``, or ``(x, y)``; the first ``runs`` of them.
        runs: How many random ones, or samples.
        seed: Theirs.
        isa: Whose kernels run where Arenite computes, see :class:`arenite.Interpreter`; of sides
            that are no text their own.
        progress: Called after each of two steps.

    Raises:
        ValueError: A side is not named so, there are no inputs for a dump, or ``runs`` is not from
            1 to 10,000.
        CompareError: One side does not run, or nothing could be paired.
        AreniteError: A model is broken or cannot run.
    """
    if not 1 <= runs <= MOST_RUNS:
        raise ValueError(f"expected runs from 1 to {MOST_RUNS:,}, got {runs:,}")
    a = side_of(first, isa=isa)
    b = side_of(second, a.model, isa=isa)
    if b.dump is not None and inputs is None:
        raise ValueError("expected the input that the board was given: a dump has one inference")
    given, fed = inferences(a, b, (inputs, data), runs, seed)
    if b.dump is not None:
        given = given[:1]
    one = a.tensors(given)
    if progress is not None:
        progress()
    if is_compiled(b.model) and not is_compiled(a.model):
        stored = run_in_arena(b.model, inputs_for(given, a.model, b.model), b.engine or None)[1]
        two = as_original(a.model, one, stored)
        b = replace(b, model=a.model, is_npu=True)
    else:
        two = b.tensors(given if b.dump is not None else inputs_for(given, a.model, b.model))
    if progress is not None:
        progress()
    return compared(a, b, one, two, fed)


#: An operator, and a tensor of each model.
Pair = tuple[int, int, int]


# -- tensors -----------------------------------------------------------------------------


def compared(
    a: Side, b: Side, one: Sequence[Tensors], two: Sequence[Tensors], fed: str = ""
) -> Comparison:
    """The facts of what both sides computed.

    Raises:
        CompareError: No tensor of one is found in the other.
    """
    pairs, missing = _pairs(a, b, one, two)
    if not pairs:
        raise CompareError(f"{a.label} and {b.label} have no tensor in common, by name or position")
    differs_anyway = is_float(a.model) != is_float(b.model)
    quantised = b.model if is_float(a.model) else a.model
    # What noise does to ranges says nothing about data: no advice from it.
    is_judged = differs_anyway and fed != RANDOM
    habits = habits_of(quantised, two if is_float(a.model) else one) if is_judged else None
    layers: list[Layer] = []
    by_tensor: dict[int, Layer] = {}
    for (operator, first, second), how in pairs:
        x = Stack.of(a.model.main.tensors[first], first, one)
        y = Stack.of(b.model.main.tensors[second], second, two)
        name = a.model.main.operators[operator].name
        layer = _layer((operator, first, second), how, name, x, y)
        layer = _judged(layer, a.model, by_tensor, habits, a_is_float=is_float(a.model))
        if b.is_npu and layer.is_origin:
            note = traits_of(name).compiled
            layer = replace(layer, advice=(note,) if note else ())
        by_tensor[first] = layer
        layers.append(layer)
    return Comparison(a.label, b.label, len(one), tuple(layers), missing, differs_anyway, fed)


def _pairs(
    a: Side, b: Side, one: Sequence[Tensors], two: Sequence[Tensors]
) -> tuple[list[tuple[Pair, str]], tuple[str, ...]]:
    """Outputs of operators in both models, each with how it was found."""
    here, there = (set.intersection(*map(set, runs)) for runs in (one, two))
    outputs = [
        (number, index)
        for number, operator in enumerate(a.model.main.operators)
        for index in operator.outputs
        if index in here
    ]
    if a.model is b.model or _same_graph(a.model, b.model):
        found = [((n, i, i), "index") for n, i in outputs if i in there]
        return found, tuple(a.model.main.tensors[i].name for n, i in outputs if i not in there)
    names = {t.name: i for i, t in enumerate(b.model.main.tensors) if t.name and i in there}
    positions = _positions(a.model, b.model)
    pairs: list[tuple[Pair, str]] = []
    missing = []
    for number, index in outputs:
        tensor = a.model.main.tensors[index]
        by_name, by_position = names.get(tensor.name), positions.get(index)
        other, how = (by_name, "name") if by_name is not None else (by_position, "position")
        if other in there and other is not None and one[0][index].size == two[0][other].size:
            pairs.append(((number, index, other), how))
        else:
            missing.append(tensor.name)
    return pairs, tuple(missing)


def _same_graph(a: Model, b: Model) -> bool:
    first, second = a.main.operators, b.main.operators
    return len(first) == len(second) and all(
        (x.name, x.inputs, x.outputs) == (y.name, y.inputs, y.outputs)
        for x, y in zip(first, second, strict=True)
    )


def _positions(a: Model, b: Model) -> dict[int, int]:
    """Outputs of the operators at the same place, where the networks are of the same kinds.

    Conversions, of which a quantised network has more, do not count.
    """
    rows = [
        [one for one in model.main.operators if not traits_of(one.name).converts]
        for model in (a, b)
    ]
    if [one.name for one in rows[0]] != [one.name for one in rows[1]]:
        return {}
    return {
        first: second
        for x, y in zip(*rows, strict=True)
        for first, second in zip(x.outputs, y.outputs, strict=False)
    }


def _layer(place: Pair, paired: str, name: str, x: Stack, y: Stack) -> Layer:
    """Comparison of a pair of tensors; whose fault a difference is comes later."""
    if x.sizes != y.sizes:
        return _of_other_size(place, paired, name, x, y)
    a, b = x.real, y.real
    error = error_of(a, b)
    by_bits = same_numbers(x, y)
    differs = x.values != y.values if by_bits else error > FLOAT_TOLERANCE * largest(a)
    steps = np.abs(x.values.astype(np.int64) - y.values).max(initial=0) if by_bits else None
    return Layer(
        operator=place[0],
        name=name,
        tensors=place[1:],
        tensor_name=x.tensor.name,
        paired=paired,
        elements=int(a.size),
        different=int(differs.sum()),
        steps=None if steps is None else int(steps),
        error=float(error.max(initial=0)),
        sqnr=sqnr(a, b),
        cosine=cosine(a, b),
        worst=worst_of(x, a, b, error) if differs.any() else None,
    )


def _of_other_size(place: Pair, paired: str, name: str, x: Stack, y: Stack) -> Layer:
    """A pair of tensors with other numbers of elements, of which none can be compared."""
    sizes = zip(x.sizes, y.sizes, x.shapes, y.shapes, strict=True)
    shapes = next((here, there) for m, n, here, there in sizes if m != n)
    count = max(len(x.values), len(y.values))
    layer = Layer(
        place[0],
        name,
        place[1:],
        x.tensor.name,
        paired,
        count,
        count,
        None,
        math.inf,
        -math.inf,
        0.0,
        None,
    )
    return replace(layer, shapes=shapes)


def _judged(
    layer: Layer,
    model: Model,
    before: dict[int, Layer],
    habits: Habits | None,
    *,
    a_is_float: bool,
) -> Layer:
    """The layer with what it adds to the differences of what it reads."""
    read = [before[i] for i in model.main.operators[layer.operator].inputs if i in before]
    is_origin = bool(layer.different) and not any(one.different for one in read)
    arrives = min((one.sqnr for one in read), default=math.inf)
    loss = arrives - layer.sqnr if math.isfinite(arrives) else 0.0
    advice: tuple[str, ...] = ()
    if habits is not None:
        advice = advice_for(habits, layer.tensors[1 if a_is_float else 0])
    values = {**vars(layer), "is_origin": is_origin, "loss": loss, "advice": advice}
    return Layer(**values)


def compare_facts(found: Comparison) -> dict[str, Any]:
    """Everything that ``arenite compare`` prints; see ``docs/cli.md`` for the keys."""
    first = found.first_different
    return {
        "first": found.first,
        "second": found.second,
        "runs": found.runs,
        "inputs": found.fed,
        "sqnr": found.sqnr,
        "equal": found.equal,
        "first_different": None if first is None else first.operator,
        "origins": [layer.operator for layer in found.origins],
        "missing": list(found.missing),
        "layers": [
            {**vars(one), "worst": None if one.worst is None else vars(one.worst)}
            for one in found.layers
        ],
    }
