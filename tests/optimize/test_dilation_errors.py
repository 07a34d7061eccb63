"""Deliberate errors in dilating 1x1 convolutions for a plan: each is found, nothing is written."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.errors import OptimizationError
from arenite.libraries.cmsis_nn.decisions import conv_2d as cmsis_conv
from arenite.model import Model, Operator
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.optimize import planning
from arenite.optimize.planning import Head, Layout
from arenite.runtime.distances import safe_distances
from arenite.target import find_target
from tests.optimize.layers import Layers
from tests.optimize.planned import Patch, ends_ignored, lessened

module = importlib.import_module("arenite.optimize.passes.plan")
SETTINGS: dict[str, Any] = {"only": ["plan"], "overlap": "target", "dilate": True}


def pointwise() -> Model:
    """A 1x1 convolution that wins by a dilation, before a 3x3 one."""
    net = Layers(3)
    x = net.conv(net.input(1, 12, 12, 12), 16, (1, 1), activation=1)
    net.output(net.conv(x, 2, (3, 3), stride=2, activation=1))
    return net.build()


def pair() -> Model:
    """Two 1x1 convolutions that both have to be dilated."""
    net = Layers(4)
    x = net.input(1, 12, 12, 16)
    for _ in range(2):
        x = net.conv(x, 16, (1, 1), activation=1)
    net.output(net.conv(x, 2, (3, 3), stride=2, activation=1))
    return net.build()


def around() -> Model:
    """A 1x1 convolution whose input is added to its output."""
    net = Layers(5)
    x = net.input(1, 12, 12, 16)
    x = net.add(net.conv(x, 16, (1, 1), activation=1), x)
    net.output(net.conv(x, 2, (3, 3), stride=2, activation=1))
    return net.build()


# -- errors ---------------------------------------------------------------------------------


def changed(change: Callable[[Model, Operator], Operator], count: int = 1) -> Patch:
    """Something else is done to operators that are to be dilated, so many behind each other."""

    def dilate(model: Model, numbers: list[int]) -> Model:
        operators = list(model.main.operators)
        for number in (first + n for first in numbers for n in range(count)):
            operators[number] = change(model, operators[number])
        return replace(model, subgraphs=(replace(model.main, operators=tuple(operators)),))

    return lambda m: m.setattr(module, "_dilate", dilate)


def options(**values: int) -> Callable[[Model, Operator], Operator]:
    def change(model: Model, operator: Operator) -> Operator:
        assert isinstance(operator.options, Conv2DOptions)
        return replace(operator, options=replace(operator.options, **values))

    return change


def without_bias(model: Model, operator: Operator) -> Operator:
    dilated = options(dilation_w_factor=2)(model, operator)
    return replace(dilated, inputs=operator.inputs[:2])


def not_written(m: pytest.MonkeyPatch) -> None:
    """The plan is for dilated operators, the file has them as they were."""
    finished = Head.finished

    def undilated(self: Head, layout: Layout) -> Model:
        plain = tuple(
            options(dilation_w_factor=1)(self.model, one) if one.name == "CONV_2D" else one
            for one in self.model.main.operators
        )
        main = replace(self.model.main, operators=plain)
        return finished(replace(self, model=replace(self.model, subgraphs=(main,))), layout)

    m.setattr(Head, "finished", undilated)


def taken_back(m: pytest.MonkeyPatch) -> None:
    """An operator goes back to what it was, its plan stays."""
    with_dilation = module._with_dilation

    def wrong(found: Any, settings: Any) -> Any:
        numbers, best = with_dilation(found, settings)
        model = module._dilate(found.head.model, list(numbers[1:]))
        return numbers[1:], best._replace(head=replace(best.head, model=model))

    m.setattr(module, "_with_dilation", wrong)


def for_another(target: str) -> Patch:
    """The distances are those of other kernels."""

    def distances(model: Model, _: Any, overlap: Any) -> Any:
        return safe_distances(model, find_target(target), overlap)

    return lambda m: m.setattr(planning, "_distances", distances)


def pixel_by_pixel(m: pytest.MonkeyPatch) -> None:
    """What im2col has copied is not waited for: outputs are written as soon as they are there."""

    def wrong(window: Any, pixels: int) -> Any:
        return cmsis_conv.Clearance(window.furthest(lambda n: np.maximum(n - 8, 0)))

    m.setattr(cmsis_conv, "_group_by_group", wrong)


ERRORS: dict[str, tuple[Callable[[], Model], Patch]] = {
    "the operator behind is dilated": (pointwise, changed(options(dilation_w_factor=2), 2)),
    "a stride instead of a dilation": (pointwise, changed(options(stride_w=2))),
    "a dilation of 0": (pointwise, changed(options(dilation_w_factor=0))),
    "another activation": (
        pointwise,
        changed(options(dilation_w_factor=2, fused_activation_function=2)),
    ),
    "the bias is lost": (pointwise, changed(without_bias)),
    "dilations are planned and not written": (pointwise, not_written),
    "one goes back and its plan stays": (pair, taken_back),
    "a pixel less of distance": (pointwise, lessened(cmsis_conv, "_group_by_group", 16)),
    "nothing waits for im2col": (pointwise, pixel_by_pixel),
    "distances of TFLM's kernels": (pair, for_another("host")),
    "distances of vectors": (pair, for_another("cortex-m55")),
    "an input that is read later": (around, ends_ignored),
}


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "is_installed", lambda name: name != "tflm")


@pytest.mark.parametrize("make", [pointwise, pair])
def test_without_an_error_dilations_win(make: Callable[[], Model]) -> None:
    model = make()
    plain, _ = ar.optimize(model, "cortex-m4", only=["plan"], overlap="target", verify=2)
    result, report = ar.optimize(model, "cortex-m4", verify=2, **SETTINGS)
    assert OFFLINE_METADATA in result.metadata
    assert any("a dilation of 2" in note.text for note in report.changes)
    assert ar.smallest_arena(result, target="cortex-m4") < ar.smallest_arena(
        plain, target="cortex-m4"
    )


@pytest.mark.parametrize("name", ERRORS)
def test_a_deliberate_error_gives_no_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, mutate = ERRORS[name]
    model = make()
    mutate(monkeypatch)
    try:
        found, report = ar.optimize(model, "cortex-m4", verify=2, **SETTINGS)
    except OptimizationError:
        return
    assert found is model, report
    (note,) = report.declined
    assert "the best plan" not in note.text, "the error has changed nothing"
