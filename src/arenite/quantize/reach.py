"""Constants far beyond what can reach an output: masks of attention, ends of clips.

Minus infinity in front of a softmax, or a clip at a million, would take nearly all integers of the
scale that they share with other values. A few samples say which values make a difference to whom
reads them; constants beyond are brought to a little beyond those. The float model computes the
same on these samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from arenite.analysis.evaluation.samples import Source
from arenite.model import Model, Operator, Subgraph, Tensor
from arenite.model.model import Array, constant_bytes
from arenite.model.types import FLOAT32
from arenite.ops import scheme_of
from arenite.ops.registry import traits_of
from arenite.ops.traits import Saturation
from arenite.quantize.calibration import Run, runs

#: So many samples show what makes a difference.
_SAMPLES = 64
#: Smaller constants are looked at where they are selected alone.
_LARGE = 100.0
#: Kernels of floats make float32's largest number of infinity; nothing of that size has a scale.
_INFINITE = 3e38
#: A constant may be so far outside, in widths of what makes a difference; it comes so near.
_OUTSIDE, _BEYOND = 0.25, 1 / 16


class Span(NamedTuple):
    """Real values from and to, either of which may be infinite."""

    low: float
    high: float

    def __or__(self, other: Span) -> Span:
        return Span(min(self.low, other.low), max(self.high, other.high))

    def cut(self, other: Span) -> Span:
        """This span within another one; the other one's nearer end where they are apart."""
        low, high = (min(max(end, other.low), other.high) for end in self)
        return Span(low, high)


@dataclass
class _Seen:
    """A tensor's values: their span, the least magnitude but zero, rows' least maximum."""

    span: Span
    least: float
    row: float


class Near(NamedTuple):
    """A model whose constants are near what makes a difference.

    Attributes:
        model: The model.
        notes: What was done, in words.
        limits: Spans of computed tensors beyond which values make no difference, by index.
    """

    model: Model
    notes: tuple[str, ...] = ()
    limits: Mapping[int, Span] = {}


def brought_near(model: Model, source: Source) -> Near:
    """A model with its constants near what makes a difference on a few samples."""
    main = model.main
    if not any(_may_be_far(main, op) for op in main.operators):
        return Near(model)
    seen = _look(model, source.part(np.arange(min(_SAMPLES, len(source)))))
    reach = _reaches(main, seen)
    tensors, notes, limits = list(main.tensors), [], {}
    for index, span in reach.items():
        tensor = main.tensors[index]
        if not _is_constant(tensor):
            limits[index] = _limits(seen[index].span, span)
            continue
        value = tensor.value
        assert value is not None
        near = None if np.isnan(value).any() else _near(value, span)
        if near is not None:
            tensors[index] = replace(tensor, data=constant_bytes(near), buffer=0)
            notes.append(
                f"constant {tensor.name!r}: {_ends(value)} became {_ends(near)}, beyond which "
                "nothing changes"
            )
    changed = replace(main, tensors=tuple(tensors))
    made = replace(model, subgraphs=(changed, *model.subgraphs[1:]))
    return Near(made if notes else model, tuple(notes), limits)


def _is_constant(tensor: Tensor) -> bool:
    return tensor.is_constant and not tensor.is_variable


def _limits(seen: Span, reach: Span) -> Span:
    """The ends of a reach that are far inside what was seen; infinity in the place of others."""
    far = _OUTSIDE * (reach.high - reach.low)
    low = reach.low if seen.low < reach.low - far else -math.inf
    return Span(low, reach.high if seen.high > reach.high + far else math.inf)


def _ends(value: Array) -> str:
    low, high = float(value.min()), float(value.max())
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def _may_be_far(main: Subgraph, op: Operator) -> bool:
    """Whether an operator has a constant that may be far from other values."""
    scheme = scheme_of(op.name)
    if scheme is None or not (scheme.affine or scheme.scales == "same"):
        return False
    for index in op.inputs:
        value = main.tensors[index].value if index >= 0 else None
        if value is None or main.tensors[index].type is not FLOAT32 or not value.size:
            continue
        if not scheme.affine or not np.abs(value).max() < _LARGE:
            return True
    return False


def _near(value: Array, span: Span) -> Array | None:
    """A constant a little beyond a span where it is far from it; None where it is not."""
    width = span.high - span.low
    if not width < _INFINITE:
        return None
    width = width or max(abs(span.low), 1.0)
    allowed = span.low - _OUTSIDE * width, span.high + _OUTSIDE * width
    real = value.astype(np.float64)
    is_far = (real < allowed[0]) | (real > allowed[1])
    if not is_far.any():
        return None
    near = np.clip(real, span.low - _BEYOND * width, span.high + _BEYOND * width)
    return np.where(is_far, near, real).astype(np.float32)


# -- what is seen -----------------------------------------------------------------------------


def _look(model: Model, source: Source) -> dict[int, _Seen]:
    """All float tensors' values while samples run; constants are their own."""
    main = model.main
    found: dict[int, _Seen] = {}
    run = Run.of(model)
    for index, tensor in enumerate(main.tensors):
        if tensor.type is FLOAT32 and _is_constant(tensor):
            value = tensor.value
            if value is not None and value.size:
                found[index] = _of(value)
    for _ in runs(run.interpreter, source.feed(model, None)):
        for index in run.tensors:
            values = run.interpreter.tensor(index)
            if not values.size:
                continue
            new, old = _of(values), found.get(index)
            if old is not None:
                new = _Seen(new.span | old.span, min(new.least, old.least), min(new.row, old.row))
            found[index] = new
    return found


def _of(values: Array) -> _Seen:
    magnitudes = np.abs(values[values != 0])
    rows = values.reshape(-1, values.shape[-1]) if values.ndim else values.reshape(1, 1)
    span = Span(float(values.min()), float(values.max()))
    return _Seen(span, float(magnitudes.min(initial=math.inf)), float(rows.max(axis=1).min()))


# -- what makes a difference ------------------------------------------------------------------


def _reaches(main: Subgraph, seen: Mapping[int, _Seen]) -> dict[int, Span]:
    """The values of every float tensor that make a difference to an output."""
    found = {index: seen[index].span for index in main.outputs if index in seen}
    for op in reversed(main.operators):
        for place, index in enumerate(op.inputs):
            if index < 0 or index not in seen:
                continue
            span = _read(op, place, seen, found)
            if not _is_constant(main.tensors[index]):
                span = span.cut(seen[index].span)
            found[index] = found[index] | span if index in found else span
    return found


def _read(op: Operator, place: int, seen: Mapping[int, _Seen], found: Mapping[int, Span]) -> Span:
    """The values of an input that make a difference to what an operator's readers take."""
    own = seen[op.inputs[place]]
    scheme, traits = scheme_of(op.name), traits_of(op.name)
    if traits.saturation is not None and place == 0:
        return _unsaturated(traits.saturation, own)
    outputs = [found[index] for index in op.outputs if index in found]
    if scheme is None or not outputs:
        return own.span
    wanted = outputs[0]
    for other in outputs[1:]:
        wanted |= other
    if scheme.scales == "same" and traits.exact_on_floats:
        return wanted
    others = [seen[i].span for n, i in enumerate(op.inputs) if n != place and i in seen]
    if not scheme.affine or len(others) != 1:
        return own.span
    return _operand(scheme.affine, place, wanted, others[0], seen[op.inputs[1 - place]].least)


def _unsaturated(stated: Saturation, own: _Seen) -> Span:
    base = {"zero": 0.0, "row": own.row, "all": own.span.high}[stated.of]
    return Span(base + stated.low, base + stated.high)


def _operand(kind: str, place: int, out: Span, other: Span, least: float) -> Span:
    """Values of one operand that decide where in ``out`` a result lies, given the other one's."""
    everything = Span(-math.inf, math.inf)
    if not all(map(math.isfinite, (*out, *other))):
        return everything
    match kind, place:
        case "adds", _:
            return Span(out.low - other.high, out.high - other.low)
        case "subtracts", 0:
            return Span(out.low + other.low, out.high + other.high)
        case "subtracts", _:
            return Span(other.low - out.high, other.high - out.low)
        case "multiplies", _ if other.low >= 0 and least >= 1:  # whole numbers, as of masks
            return Span(min(out.low, 0.0), max(out.high, 0.0))
    return everything
