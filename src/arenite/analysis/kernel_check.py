"""A conformance test of somebody's kernel for an operator of TFLM's: random models, one by one.

Both run in an arena of the same leftovers: outputs, head and tail of Arenite's operator are what is
expected. A model that differs is made smaller as long as it does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from arenite.errors import AreniteError, CompareError, UndefinedWarning
from arenite.formats import tflite
from arenite.formats.tflite_write import write
from arenite.model import Model
from arenite.model.model import Array
from arenite.ops import MutableOpResolver, Registration, builtin
from arenite.ops.cases import Cases, Draw, smaller
from arenite.ops.registry import cases_of
from arenite.runtime.micro_interpreter import MicroInterpreter

_ARENA = 1 << 20
_LEFTOVERS = 0x5A
#: Inferences with every model: a kernel may remember what it should not.
_INFERENCES = 2
#: Of floats, of the largest one's magnitude.
_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Difference:
    """A case in which a kernel is not the operator.

    Attributes:
        case: The number of the case, of which this is a smaller one.
        what: In words: the first value that differs, or what was refused, or the arena.
        model: The model, as text.
        content: The model's file.
        inputs: What it was given.
    """

    case: int
    what: str
    model: str
    content: bytes
    inputs: tuple[Array, ...]


@dataclass(frozen=True)
class KernelCheck:
    """Result of a check.

    Attributes:
        operator: The operator.
        cases: How many models ran on both.
        refused: How many both refused.
        seed: Of the first case.
        difference: The smallest that was found; None where both are alike.
    """

    operator: str
    cases: int
    refused: int
    seed: int
    difference: Difference | None

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None


def check_kernel(
    kernel: Registration,
    operator: str,
    cases: int = 500,
    seed: int = 0,
    progress: Callable[[], object] | None = None,
) -> KernelCheck:
    """Compare a kernel with an operator of Arenite's on random models of its own generator.

    Args:
        kernel: The registration, such as one of :func:`arenite.compile_kernels`.
        operator: Its name, such as ``"CONV_2D"``.
        cases: How many models.
        seed: Of the first one.
        progress: Called after every model.

    Raises:
        CompareError: Arenite has no such operator, or no generator for it.
    """
    own, generator = builtin(operator), cases_of(operator)
    if own is None or generator is None:
        raise CompareError(f"expected an operator with random models, got {operator!r}")
    pair, refused = _Pair(operator, own, kernel), 0
    for number in range(cases):
        drawn = Draw(seed + number)
        found = pair.difference(_case(generator, drawn), seed + number)
        if progress is not None:
            progress()
        if found is None:
            refused += 1
        elif found:
            difference = _smallest(pair, generator, seed + number, drawn.drawn, number)
            return KernelCheck(operator, number + 1 - refused, refused, seed, difference)
    return KernelCheck(operator, cases - refused, refused, seed, None)


def kernel_check_facts(check: KernelCheck) -> dict[str, Any]:
    """A check as plain data."""
    facts = asdict(check) | {"equal": check.equal}
    if check.difference is not None:
        facts["difference"] = {
            "case": check.difference.case,
            "what": check.difference.what,
            "model": check.difference.model,
            "inputs": [array.tolist() for array in check.difference.inputs],
        }
    return facts


def _case(generator: Cases, draw: Draw) -> Model:
    model = generator(draw)
    return tflite.read(write(model))


@dataclass(frozen=True)
class _Pair:
    """An operator of Arenite's, and a kernel that should be it."""

    operator: str
    own: Registration
    kernel: Registration

    def difference(self, model: Model, seed: int) -> str | None:
        """Difference in words: empty if there is none, None where both refuse the model."""
        inputs = inputs_of(model, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UndefinedWarning)
            try:
                expected = _ran(model, self.operator, self.own, inputs)
            except UndefinedWarning:
                return None
            except AreniteError as error:
                return self._refused(model, inputs, error)
        try:
            got = _ran(model, self.operator, self.kernel, inputs)
        except AreniteError as error:
            return f"it fails: {error}"
        return _first_difference(expected, got)

    def _refused(self, model: Model, inputs: Sequence[Array], error: Exception) -> str | None:
        try:
            _ran(model, self.operator, self.kernel, inputs)
        except AreniteError:
            return None
        return f"it runs what TFLM refuses: {error}"


def inputs_of(model: Model, seed: int) -> list[Array]:
    """Inputs of every inference, over the whole range of their types, extremes among them."""
    draw = Draw(seed)
    found = []
    for tensor in (*model.inputs,) * _INFERENCES:
        values: Array = draw.array(tensor.shape, tensor.type.dtype.name)
        if values.dtype.kind in "iu":
            limits = np.iinfo(tensor.type.dtype)
            ends = draw.values.choice([limits.min, limits.max], tensor.shape)
            values = np.where(draw.values.random(tensor.shape) < 0.1, ends, values)
        found.append(values.astype(tensor.type.dtype))
    return found


def _ran(
    model: Model, operator: str, registration: Registration, inputs: Sequence[Array]
) -> tuple[list[Array], dict[str, int]]:
    """All outputs, and how much of the arena there is of what."""
    resolver = MutableOpResolver()
    add = resolver.add_custom if model.main.operators[0].is_custom else resolver.add
    add(operator, registration)
    arena = bytearray([_LEFTOVERS]) * _ARENA
    micro = MicroInterpreter(model, resolver, arena, engine="auto")
    micro.allocate_tensors()
    outputs, count = [], len(model.inputs)
    for begin in range(0, len(inputs), count or 1):
        for index, values in enumerate(inputs[begin : begin + count]):
            micro.input(index)[...] = values
        micro.invoke()
        outputs += [micro.output(index).copy() for index in range(len(model.outputs))]
    return outputs, {"head": micro.arena.head_used, "tail": micro.arena.tail_used}


def _first_difference(
    expected: tuple[list[Array], dict[str, int]], got: tuple[list[Array], dict[str, int]]
) -> str:
    for number, (wanted, found) in enumerate(zip(expected[0], got[0], strict=True)):
        if wanted.dtype.kind == "f":
            largest = float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
            is_other = ~np.isclose(found, wanted, 0, _TOLERANCE * largest, equal_nan=True)
        else:
            is_other = np.asarray(found != wanted)
        if is_other.any():
            place = tuple(int(i) for i in np.argwhere(is_other)[0])
            count = int(is_other.sum())
            return (
                f"output {number}, {count} of {wanted.size} values: at {list(place)} expected "
                f"{wanted[place]}, got {found[place]}"
            )
    parts = [
        f"{name}: expected {size} bytes, got {got[1][name]}"
        for name, size in expected[1].items()
        if got[1][name] != size
    ]
    return f"the arena's {', '.join(parts)}" if parts else ""


def _smallest(
    pair: _Pair, generator: Cases, seed: int, drawn: Sequence[int], number: int
) -> Difference:
    def model_of(told: Sequence[int]) -> Model:
        return _case(generator, Draw(seed, told))

    def fails(told: Sequence[int]) -> bool:
        return bool(pair.difference(model_of(told), seed))

    model = model_of(smaller(drawn, fails))
    what = pair.difference(model, seed) or ""
    inputs = tuple(inputs_of(model, seed)[: len(model.inputs)])
    return Difference(number, what, _described(model), write(model), inputs)


def _described(model: Model) -> str:
    """The operator with its options and its tensors' types and shapes."""
    (operator,) = model.main.operators
    tensors = model.main.tensors
    shapes = [
        f"{tensors[i].name} {tensors[i].type.name.lower()}{list(tensors[i].shape)}"
        for i in (*operator.inputs, *operator.outputs)
        if i >= 0
    ]
    options = "" if operator.options is None else f" {operator.options}"
    return f"{operator.name}{options}: {', '.join(shapes)}"
