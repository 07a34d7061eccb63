"""Deliberate errors in the pass: verification finds every one of them."""

import importlib
from collections import defaultdict
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from arenite import peers
from arenite.errors import OptimizationError
from arenite.model import Model
from arenite.optimize import (
    _channel_edit,
    _channel_links,
    _channel_removal,
    _propagation,
    _sums,
)
from arenite.optimize._channel_folding import Layer
from arenite.optimize._channel_groups import Channels
from arenite.optimize._intervals import Interval
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from tests.optimize.chains import SAME, Chain
from tests.optimize.quiet import quiet_network

module = importlib.import_module("arenite.optimize.passes.channels")
Patch = Callable[[pytest.MonkeyPatch], None]
QUIET = (0, 1, 5, 6)


def padded(taps: int, zero: int) -> Model:
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=QUIET, zero=zero)
    x = net.conv(x, 8, taps, padding=SAME, quiet=QUIET)
    return net.build(net.conv(x, 4))


def multiplied() -> Model:
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8)
    x = net.depthwise(x, multiplier=2, quiet=(0, 1, 2, 3, 8, 9, 10, 11))
    return net.build(net.conv(x, 4))


def forked() -> Model:
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=QUIET, zero=-100)
    return net.build(net.conv(x, 4), net.conv(x, 4, 3, padding=SAME))


def shared() -> Model:
    net = Chain()
    x = net.input(1, 5, 5, 8)
    last = net.conv(net.conv(x, 8, quiet=QUIET, zero=-100), 4)
    other = net.tensor((1, 5, 5, 4), -128)
    operator = net.b.subgraph().operators[-1]
    inputs = [x.index, *operator.inputs[1:]]
    net.b.operator("CONV_2D", inputs, [other.index], operator.options)
    return net.build(last, other)


def joined() -> Model:
    net = Chain()
    x = net.input(1, 5, 5, 3)
    parts = net.conv(x, 8, quiet=QUIET), net.conv(x, 8)
    return net.build(net.conv(net.concat(*parts), 4))


def seen() -> Model:
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=QUIET)
    return net.build(net.conv(x, 4), x)


def nearly() -> Model:
    """Four filters with one weight of 1: only the largest inputs come out, as -127."""
    net = Chain()
    values = net.values(8, 1, 1, 3)
    values[:4] = 0
    values[:4, ..., 0] = 1
    # Scales are from 1/12 to 1/6: 127 - 119 becomes 0.7 to 1.3.
    x = net.conv(net.input(1, 5, 5, 3), 8, values=values, bias=np.array([-119] * 4 + [0] * 4))
    return net.build(net.conv(x, 4))


MODELS = [
    padded(3, -100),
    padded(3, -128),
    padded(1, -100),
    multiplied(),
    forked(),
    shared(),
    joined(),
    seen(),
    nearly(),
    *(quiet_network(seed, kind) for kind in ("separable", "residual", "dense") for seed in (1, 2)),
]


# -- the errors ----------------------------------------------------------------------------


def as_if_inside(window, size):
    always, sometimes = _sums.taps_of(window, size)
    return _sums.Taps(always | sometimes, np.zeros_like(sometimes))


def the_border_is_taken_for_the_middle(patch):
    own = SimpleNamespace(**{**vars(_sums), "taps_of": as_if_inside})
    patch.setattr(_channel_links, "_sums", own)


def ranges_know_no_border(patch):
    own = SimpleNamespace(**{**vars(_sums), "taps_of": as_if_inside})
    patch.setattr(_propagation, "_sums", own)


def upper_ends_are_forgotten(patch):
    own = _sums.outputs_of
    low = lambda *given: Interval(own(*given).low, own(*given).low)  # noqa: E731
    patch.setattr(_sums, "outputs_of", low)


def two_neighbours_are_one_value(patch):
    patch.setattr(Interval, "is_constant", property(lambda i: i.high - i.low <= 1))


def addends_have_the_wrong_sign(patch):
    own = Layer.addends
    patch.setattr(Layer, "addends", lambda *given: -own(*given))


def nothing_is_added(patch):
    patch.setattr(Layer, "addends", lambda layer, inputs, gone: 0 * layer.bias)


def one_filter_without_weights_is_enough(patch):
    def can_go(layer, inputs, filters):
        return ~layer.is_read[filters].all(axis=0)

    patch.setattr(Layer, "can_go", can_go)


def one_reader_is_enough(patch):
    own = _channel_removal._removable

    def of_first_readers(groups, layers, inputs, stays):
        first = {layer.x: layer for layer in reversed(layers)}
        return own(groups, list(first.values()), inputs, stays)

    patch.setattr(_channel_removal, "_removable", of_first_readers)


def outputs_may_go(patch):
    own = Channels.keep

    def keep(channels, tensors, reason):
        if "output of the subgraph" not in reason:
            own(channels, tensors, reason)

    patch.setattr(Channels, "keep", keep)


def channels_are_tied_in_reverse(patch):
    own = Channels.tie
    patch.setattr(Channels, "tie", lambda c, some, others: own(c, some, others[::-1]))


def depth_multipliers_go_round(patch):
    def depthwise(links, operator, node):
        x, y = (links.channels.numbers(i) for i in (node.inputs[0], node.outputs[0]))
        links.channels.tie(y, np.resize(x, len(y)))

    patch.setattr(_channel_links.Links, "_depthwise", depthwise)


def scales_are_the_first_ones(patch):
    own = _channel_edit._taken

    def taken(quantization, axis, mask):
        return own(quantization, axis, np.arange(len(mask)) < mask.sum())

    patch.setattr(_channel_edit, "_taken", taken)


def biases_are_the_first_ones(patch):
    own = _channel_edit.Edit._bias

    def bias(edit, index, values, rows):
        own(edit, index, values, np.arange(len(rows)) < rows.sum())

    patch.setattr(_channel_edit.Edit, "_bias", bias)


def filters_are_those_beside(patch):
    own = _channel_edit.Edit._mask
    patch.setattr(_channel_edit.Edit, "_mask", lambda edit, tensor: np.roll(own(edit, tensor), 1))


def shared_constants_are_changed(patch):
    own = _channel_edit.Edit.__init__

    def init(edit, *given):
        own(edit, *given)
        edit._readers = defaultdict(lambda: 1)

    patch.setattr(_channel_edit.Edit, "__init__", init)


ERRORS: list[Patch] = [
    the_border_is_taken_for_the_middle,
    ranges_know_no_border,
    upper_ends_are_forgotten,
    two_neighbours_are_one_value,
    addends_have_the_wrong_sign,
    nothing_is_added,
    one_filter_without_weights_is_enough,
    one_reader_is_enough,
    outputs_may_go,
    channels_are_tied_in_reverse,
    depth_multipliers_go_round,
    scales_are_the_first_ones,
    biases_are_the_first_ones,
    filters_are_those_beside,
    shared_constants_are_changed,
]


@pytest.fixture(autouse=True)
def without_tflm(monkeypatch: pytest.MonkeyPatch) -> None:
    """TFLM's package takes a process for every model, and the kernels here find errors too."""
    monkeypatch.setattr(peers, "is_installed", lambda name: name != "tflm")


def first_difference() -> str:
    """What verification says of the first model that the pass gets wrong; empty if of none."""
    for model in MODELS:
        try:
            result = module.channels(model, Settings()).model
        except Exception:
            continue  # an error in the pass may stop it; there are other models
        try:
            verify(model, result, Settings(), count=4)
        except OptimizationError as error:
            return str(error)
    return ""


def test_without_errors_there_is_no_difference():
    assert first_difference() == ""


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_verification_finds_an_error(error: Patch, monkeypatch: pytest.MonkeyPatch):
    error(monkeypatch)
    assert first_difference() != ""
