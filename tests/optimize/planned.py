"""A layer that wins by overlap, and errors in plans, which are patched in."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arenite.model import Model
from arenite.ops.overlap import Clearance
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.optimize import planning
from tests.ops.overlapping import Layer

Patch = Callable[[pytest.MonkeyPatch], None]


def layer() -> Layer:
    return Layer(np.random.default_rng(0), "int8")


def conv(taps: int = 1, channels: int = 18) -> Model:
    one = layer()
    x = one.x((1, 8, 8, channels))
    parts = one.weights((channels, taps, taps, channels), channels, 0)
    options = Conv2DOptions(stride_h=1, stride_w=1)
    return one.done("CONV_2D", [x, *parts], (1, 8, 8, channels), options)


def lessened(module: Any, name: str, by: int) -> Patch:
    """A distance is stated too small."""
    right = getattr(module, name)

    def wrong(*args: Any) -> Clearance | None:
        found: Clearance | None = right(*args)
        return None if found is None else found._replace(least=max(0, found.least - by))

    return lambda m: m.setattr(module, name, wrong)


def replaced(module: Any, name: str, value: Any) -> Patch:
    return lambda m: m.setattr(module, name, value)


def ends_ignored(m: pytest.MonkeyPatch) -> None:
    """Inputs that are needed later are taken for dead, by the planner and by its own check."""

    def pairs(self: planning.Head) -> tuple[planning.Pair, ...]:
        number = {(b.subgraph, b.index): n for n, b in enumerate(self.buffers)}
        return tuple(
            planning.Pair(number[0, one[2]], number[0, one[3]], one.distance, one.step)
            for one in self.distances
        )

    # Lifetimes end where the overlap begins, so that a separation applies.
    right = planning.Head.of.__func__  # type: ignore[attr-defined]

    def of(cls: Any, *args: Any) -> planning.Head:
        head: planning.Head = right(cls, *args)
        ends = tuple(replace(b, end=min(b.end, b.begin + 2)) for b in head.buffers)
        return replace(head, buffers=ends)

    m.setattr(planning.Head, "pairs", property(pairs))
    m.setattr(planning.Head, "of", classmethod(of))
