"""The pass ``plan``: the place of every tensor, chosen here instead of by TFLM's greedy planner.

See ``docs/optimize.md`` for what such a plan may do and why nothing is lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from arenite.libraries.library import library_of
from arenite.model import Model, Operator, TensorType
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.optimize.outcome import Note, Outcome
from arenite.optimize.passes.compress import has_decoder
from arenite.optimize.planning import Head, Layout, Worth, worth
from arenite.optimize.settings import OVERLAPS, Settings
from arenite.target import HOST, Target

#: What makes CMSIS-NN take its path by im2col, and computes the same with one tap.
_DILATION = 2


def plan(model: Model, settings: Settings) -> Outcome:
    """Give the model a plan for its tensors, where that takes less of the arena.

    Raises:
        PlanError: The plan is not what the target's kernels allow.
    """
    if settings.decompression_memory and has_decoder(model):
        beside = (
            "what is decoded lies beside the arena, which no plan knows of: TFLM plans the rest"
        )
        return Outcome(model, declined=(Note("$", beside),))
    target = settings.target or HOST
    before = worth(model, target)
    found = _least(Head.of(model, target), settings)
    dilated: tuple[int, ...] = ()
    if settings.dilate and _may_help(settings, target):
        dilated, found = _with_dilation(found, settings)
    head, layout = found
    planned = head.finished(layout)
    head.check(planned)
    after = worth(planned, target)
    if not _wins(before, after):
        return Outcome(model, declined=(Note("$", _nothing(before, after, layout)),))
    notes = [Note("$", _won(before, after, found))]
    notes += [Note(_place(number), _dilated(model, number)) for number in dilated]
    return Outcome(planned, tuple(notes))


class Found(NamedTuple):
    """A head, and the best plan that was found for it."""

    head: Head
    layout: Layout


def _least(head: Head, settings: Settings) -> Found:
    """The lowest plan; of several the one that is right for the most kernels."""
    kinds = OVERLAPS[: OVERLAPS.index(settings.overlap) + 1]
    heads = [head.overlapping(kind) if kind != "none" else head for kind in kinds]
    found = [Found(one, one.layout(settings.seconds)) for one in heads]
    return min(found, key=lambda one: one.layout.height)


def _wins(before: Worth, after: Worth) -> bool:
    """Whether a plan is worth its bytes in the file: an arena is allocated, no head."""
    return after.arena < before.arena and after.head <= before.head


def _nothing(before: Worth, after: Worth, layout: Layout) -> str:
    return (
        f"the best plan has a head of {after.head} bytes, the model's own way gives {before.head} "
        f"({_proof(layout)}); arena {after.arena} and {before.arena}"
    )


def _won(before: Worth, after: Worth, found: Found) -> str:
    kinds = {
        "none": "outputs apart from inputs",
        "portable": "outputs over inputs as all builds allow it",
        "target": f"outputs over inputs as {found.head.target} allows it",
    }
    return (
        f"arena {before.arena} to {after.arena} bytes, head {before.head} to {after.head} "
        f"({_proof(found.layout)}); {kinds[found.head.overlap]}"
    )


def _proof(layout: Layout) -> str:
    if layout.is_proved:
        return "proved to be the least"
    return f"no plan takes less than {layout.lower_bound}"


def _place(operator: int) -> str:
    return f"$.subgraphs[0].operators[{operator}]"


# -- dilation ------------------------------------------------------------------------------


def _may_help(settings: Settings, target: Target) -> bool:
    """Whether a library's loops over channels decide on what may overlap."""
    by_channels = library_of(target).dilates(target)
    return settings.overlap == "portable" or (settings.overlap == "target" and by_channels)


def _with_dilation(found: Found, settings: Settings) -> tuple[tuple[int, ...], Found]:
    """Dilate the 1x1 convolutions that the least plan needs.

    All of them at first; then one after the other, the largest first, goes back to what it was, as
    long as the plan stays as low.
    """
    model, target = found.head.model, found.head.target

    def dilated(numbers: list[int]) -> Found:
        return _least(Head.of(_dilate(model, numbers), target), settings)

    wanted = [n for n, one in enumerate(model.main.operators) if _is_pointwise(model, one)]
    best = dilated(wanted) if wanted else found
    if best.layout.height >= found.layout.height:
        return (), found
    for number in sorted(wanted, key=lambda n: _products(model, n), reverse=True):
        fewer = [n for n in wanted if n != number]
        without = dilated(fewer)
        if without.layout.height <= best.layout.height:
            wanted, best = fewer, without
    return tuple(wanted), best


def _is_pointwise(model: Model, operator: Operator) -> bool:
    """Whether CMSIS-NN takes ``arm_convolve_1x1_s8_fast`` for an operator."""
    options, tensors = operator.options, model.main.tensors
    if operator.name != "CONV_2D" or not isinstance(options, Conv2DOptions):
        return False
    x, weights = (tensors[index] for index in operator.inputs[:2])
    strides = options.stride_h, options.stride_w
    dilations = options.dilation_h_factor, options.dilation_w_factor
    return (
        {x.type, weights.type} == {TensorType.INT8}
        and len(x.shape) == len(weights.shape) == 4
        and (x.shape[0], *weights.shape[1:3], *strides, *dilations) == (1,) * 7
        and x.shape[3] == weights.shape[3]
    )


def _dilate(model: Model, numbers: list[int]) -> Model:
    """The model with a horizontal dilation of these operators, whose one tap stays where it is."""
    operators = list(model.main.operators)
    for number in numbers:
        options = operators[number].options
        assert isinstance(options, Conv2DOptions)
        other = replace(options, dilation_w_factor=_DILATION)
        operators[number] = replace(operators[number], options=other)
    main = replace(model.main, operators=tuple(operators))
    return replace(model, subgraphs=(main, *model.subgraphs[1:]))


def _products(model: Model, number: int) -> int:
    """Multiplications of a 1x1 convolution."""
    operator = model.main.operators[number]
    x, weights = (model.main.tensors[index] for index in operator.inputs[:2])
    return x.size * weights.shape[0]


def _dilated(model: Model, number: int) -> str:
    return (
        f"a dilation of {_DILATION} of its one tap: CMSIS-NN then copies pixels two by two, "
        "instead of going through the image for each pair of channels; "
        f"{_products(model, number)} multiplications"
    )
