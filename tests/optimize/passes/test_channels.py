"""Channels that never change go exactly where that is true, and outputs stay what they are."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.statistics import statistics
from arenite.errors import ConstraintError
from arenite.model import Model, SignatureDef
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.optimize._cycles import cycles_of
from arenite.optimize.outcome import Outcome
from arenite.optimize.passes.channels import channels
from arenite.optimize.settings import Settings
from arenite.target import Target
from tests.optimize.chains import SAME, VALID, Chain
from tests.optimize.comparing import assert_same, assert_same_in_tflm
from tests.optimize.networks import KINDS
from tests.optimize.quiet import as_int16, quiet_network
from tests.oracle import Oracle
from tests.shared import shared_model, shared_models


def run(model: Model, **settings: object) -> Outcome:
    """The pass; what it did changed nothing."""
    outcome = channels(model, Settings(**settings))  # type: ignore[arg-type]
    if outcome.model is not model:
        assert_same(model, outcome.model)
    return outcome


def shapes(outcome: Outcome) -> list[tuple[int, ...]]:
    """What the operators compute."""
    main = outcome.model.main
    return [main.tensors[i].shape for operator in main.operators for i in operator.outputs]


def reasons(outcome: Outcome) -> str:
    return "\n".join(note.text for note in outcome.declined)


def constant(model: Model, operator: int, index: int) -> np.ndarray:
    value = model.main.tensors[model.main.operators[operator].inputs[index]].value
    assert value is not None
    return value


def two_layers(quiet: tuple[int, ...] = (1, 4, 5, 7), **second: object) -> Model:
    """Eight channels, some of them quiet, between two convolutions."""
    net = Chain()
    x = net.conv(net.input(1, 5, 4, 3), 8, 3, quiet=quiet, zero=second.pop("zero", -128))
    return net.build(net.conv(x, 4, **second))


# -- what goes -----------------------------------------------------------------------------


def test_a_constant_channel_goes_and_its_filter_with_it():
    outcome = run(two_layers())
    assert shapes(outcome) == [(1, 3, 2, 4), (1, 3, 2, 4)]
    assert constant(outcome.model, 0, 1).shape == (4, 3, 3, 3)
    assert constant(outcome.model, 1, 1).shape == (4, 1, 1, 4)
    assert outcome.changes == (("$.subgraphs[0].operators[0]", "CONV_2D: 8 -> 4 channels"),)


def test_what_it_added_goes_to_the_bias():
    before = two_layers(zero=-100)
    after = run(before).model
    weights = constant(before, 1, 1).astype(int)[:, 0, 0]
    gone = [1, 4, 5, 7]
    expected = constant(before, 1, 2) + weights[:, gone].sum(axis=1) * (-128 - -100)
    np.testing.assert_array_equal(constant(after, 1, 2), expected)


def test_scales_and_biases_go_with_their_channels():
    before = two_layers()
    main = run(before).model.main
    weights = main.tensors[main.operators[0].inputs[1]]
    bias = main.tensors[main.operators[0].inputs[2]]
    scales = before.main.tensors[before.main.operators[0].inputs[1]].quantization.scale
    np.testing.assert_array_equal(weights.quantization.scale, scales[[0, 2, 3, 6]])
    assert len(bias.quantization.scale) == len(bias.quantization.zero_point) == bias.size == 4


def test_a_channel_that_nobody_reads_goes_though_it_varies():
    outcome = run(two_layers(quiet=(), unread=(0, 2, 3, 6)))
    assert shapes(outcome)[0] == (1, 3, 2, 4)


def test_through_everything_that_works_channel_by_channel():
    net = Chain()
    x = net.conv(net.input(1, 6, 6, 3), 8, 3, quiet=(0, 1, 2, 3))
    x = net.depthwise(x)
    x = net.reshape(x, 1, 4 * 4 * 8)
    outcome = run(net.build(net.dense(x, 5)))
    assert shapes(outcome) == [(1, 4, 4, 4), (1, 4, 4, 4), (1, 64), (1, 5)]
    assert constant(outcome.model, 2, 1).tolist() == [1, 64]


def test_what_is_needed_for_a_channel_that_goes_goes_as_well():
    net = Chain()
    x = net.conv(net.input(1, 6, 6, 3), 8, 3)
    x = net.depthwise(x, quiet=(0, 1, 2, 3))
    outcome = run(net.build(net.conv(x, 4)))
    assert shapes(outcome) == [(1, 4, 4, 4), (1, 4, 4, 4), (1, 4, 4, 4)]


def test_branches_lose_their_own_channels():
    net = Chain()
    x = net.input(1, 5, 5, 3)
    parts = net.conv(x, 8, quiet=(0, 1, 2, 3)), net.conv(x, 4), net.conv(x, 8, quiet=(4, 5, 6, 7))
    outcome = run(net.build(net.conv(net.concat(*parts), 4)))
    assert [shape[-1] for shape in shapes(outcome)] == [4, 4, 4, 12, 4]


def test_a_sum_loses_what_is_constant_in_all_of_it():
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=(0, 1, 2, 3))
    y = net.add(x, net.conv(x, 8, quiet=(0, 1, 2, 3)))
    outcome = run(net.build(net.conv(y, 4)))
    assert [shape[-1] for shape in shapes(outcome)] == [4, 4, 4, 4]


def test_depthwise_channels_of_one_input_go_together():
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8)
    x = net.depthwise(x, multiplier=2, quiet=(0, 1, 2, 3, 4, 6, 7, 8, 9))
    outcome = run(net.build(net.conv(x, 4)))
    assert [shape[-1] for shape in shapes(outcome)] == [4, 8, 4]


def test_a_depthwise_layer_of_one_channel_gets_another_multiplier():
    net = Chain()
    x = net.depthwise(net.input(1, 5, 5, 1), multiplier=8, quiet=(0, 1, 4, 7))
    outcome = run(net.build(net.conv(x, 4)))
    assert shapes(outcome)[0] == (1, 5, 5, 4)
    assert outcome.model.main.operators[0].options.depth_multiplier == 4


def test_a_missing_bias_is_added():
    before = two_layers(zero=-100, bias=None)
    after = run(before).model
    assert len(before.main.operators[1].inputs) == 2
    assert constant(after, 1, 2).any()


def test_int16_loses_channels_that_are_0():
    net = Chain(dtype="int16")
    x = net.conv(net.input(1, 5, 4, 3), 8, 3, quiet=(1, 2, 4, 5))
    outcome = run(net.build(net.conv(x, 5)))
    assert shapes(outcome)[0] == (1, 3, 2, 4)


def test_promised_inputs_count():
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 1), 8, bias=np.array([0, -2000] * 4))
    model = net.build(net.conv(x, 4))
    assert not run(model).changes
    outcome = channels(model, Settings(ranges={"x": (0.0, 2.0)}))
    assert shapes(outcome)[0] == (1, 5, 5, 4)


def test_other_subgraphs_lose_theirs():
    model = two_layers()
    both = replace(model, subgraphs=(model.main, model.main))
    after = run(both).model
    assert [after.subgraphs[1].tensors[i].shape for i in (1, 4)] == [(1, 3, 2, 4)] * 2


# -- what stays ------------------------------------------------------------------------------


def test_a_constant_that_is_no_zero_point_stays_where_it_meets_padding():
    outcome = run(two_layers(zero=-100, taps=3, padding=SAME))
    assert not outcome.changes
    assert "padding" in reasons(outcome)


def test_a_constant_that_is_the_zero_point_meets_padding_that_is_the_same():
    outcome = run(two_layers(zero=-128, taps=3, padding=SAME))
    assert shapes(outcome)[0] == (1, 3, 2, 4)


def test_a_constant_goes_where_only_the_middle_of_a_padded_filter_reads_it():
    values = np.random.default_rng(0).integers(1, 100, (4, 3, 3, 8)).astype(np.int8)
    middle = np.zeros((3, 3), bool)
    middle[1, 1] = True
    values[:, ~middle] *= np.array([1, 0, 1, 1, 0, 0, 1, 0], np.int8)
    outcome = run(two_layers(zero=-100, taps=3, padding=SAME, values=values))
    assert shapes(outcome)[0] == (1, 3, 2, 4)


def test_a_constant_stays_before_a_padded_depthwise_layer():
    net = Chain()
    x = net.conv(net.input(1, 6, 6, 3), 8, 3, quiet=(0, 1, 2, 3), zero=-100)
    outcome = run(net.build(net.conv(net.depthwise(x), 4)))
    assert not outcome.changes


def test_a_constant_goes_before_a_depthwise_layer_without_padding():
    net = Chain()
    x = net.conv(net.input(1, 6, 6, 3), 8, 3, quiet=(0, 1, 2, 3), zero=-100)
    outcome = run(net.build(net.conv(net.depthwise(x, padding=VALID), 4)))
    assert shapes(outcome)[0] == (1, 4, 4, 4)


def test_one_reader_that_needs_it_keeps_a_channel():
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=(0, 1, 2, 3), zero=-100)
    outcome = run(net.build(net.conv(x, 4), net.conv(x, 4, 3, padding=SAME)))
    assert not outcome.changes


def test_a_sum_keeps_what_varies_in_a_part_of_it():
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=(0, 1, 2, 3))
    outcome = run(net.build(net.conv(net.add(x, net.conv(x, 8)), 4)))
    assert shapes(outcome)[0] == (1, 5, 5, 8)


def test_the_only_input_channel_of_a_depthwise_layer_stays():
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 1, quiet=(0,))
    outcome = run(net.build(net.conv(net.depthwise(x, multiplier=8), 4)))
    assert shapes(outcome)[0] == (1, 5, 5, 1)


@pytest.mark.parametrize("reader", ["output", "unknown", "signature"])
def test_what_others_see_stays(reader):
    net = Chain()
    x = net.conv(net.input(1, 5, 5, 3), 8, quiet=(0, 1, 2, 3))
    last = net.conv(x, 4)
    more = {}
    if reader == "unknown":
        net.unknown(x)
    if reader == "signature":
        more["signatures"] = (SignatureDef("main", {}, {"x": x.index}),)
    model = net.build(*([last, x] if reader == "output" else [last]), **more)
    outcome = channels(model, Settings())
    assert not outcome.changes
    assert {"output": "an output", "unknown": "SOMEBODYS", "signature": "in a signature"}[
        reader
    ] in reasons(outcome)


def test_a_bias_that_would_overflow_keeps_its_channels():
    bias = np.array([-(2**31) + 100] * 4)
    before = two_layers(zero=-100, bias=bias, values=np.full((4, 1, 1, 8), 127, np.int8))
    outcome = run(before)
    assert not outcome.changes
    assert "overflow" in reasons(outcome)


@pytest.mark.parametrize(("stride", "goes"), [(1, True), (2, False)])
def test_lines_whose_kernel_goes_by_their_channels_keep_them(stride, goes):
    net = Chain()
    x = net.conv(net.input(1, 1, 9, 3), 8, quiet=(0, 1, 2, 3))
    size = (9 - 1) // stride + 1
    y = net.tensor((1, 1, size, 4), -128)
    operands = net.operands(net.values(4, 1, 3, 8), 0, 4, (), "random")
    options = Conv2DOptions(SAME, stride, 1)
    net.b.operator("CONV_2D", [x.index, *operands], [y.index], options)
    outcome = run(net.build(y))
    assert bool(outcome.changes) is goes


def test_int4_weights_keep_their_channels():
    net = Chain(weights="int4")
    x = net.conv(net.input(1, 5, 4, 3), 8, 3, quiet=(1, 2, 4, 5))
    outcome = channels(net.build(net.conv(x, 5)), Settings(), multiple=1)
    assert not outcome.changes


def test_int16_without_a_bias_gets_none():
    net = Chain(dtype="int16")
    x = net.conv(net.input(1, 5, 4, 3), 8, 3, quiet=(1, 2, 4, 5))
    outcome = run(net.build(net.conv(x, 5, bias=None)))
    assert shapes(outcome)[0] == (1, 3, 2, 4)
    assert len(outcome.model.main.operators[1].inputs) == 2


def test_what_is_left_is_a_multiple_of_four():
    outcome = run(two_layers(quiet=(1,)))
    assert not outcome.changes
    assert "multiples of 4" in reasons(outcome)
    assert shapes(run(two_layers(quiet=(0, 1, 2, 3, 4, 5, 6))))[0][-1] == 4


def test_the_multiple_is_an_argument():
    outcome = channels(two_layers(quiet=(1,)), Settings(), multiple=1)
    assert shapes(outcome)[0] == (1, 3, 2, 7)


@pytest.mark.parametrize("processor", ["cortex-m4", "cortex-m7", "cortex-m55"])
def test_where_costs_are_known_the_multiple_is_the_fastest(processor):
    target = Target(processor)
    for seed in range(6):
        model = quiet_network(seed, "separable")
        best = channels(model, Settings(target=target)).model
        others = [channels(model, Settings(), multiple=n).model for n in (2, 4, 8)]
        assert cycles_of(best, target) <= min(cycles_of(other, target) for other in others)
        assert cycles_of(best, target) <= cycles_of(model, target)
        assert_same(model, best, target, count=3)


def test_a_layer_whose_channels_are_all_constant_keeps_some():
    assert shapes(run(two_layers(quiet=tuple(range(8)))))[0][-1] == 4


def test_constants_that_others_use_are_not_changed():
    net = Chain()
    x = net.input(1, 5, 5, 8)
    quiet = net.conv(x, 8, quiet=(0, 1, 2, 3))
    last = net.conv(quiet, 4)
    other = net.tensor((1, 5, 5, 4), -128)
    operator = net.b.subgraph().operators[-1]
    inputs = [x.index, *operator.inputs[1:]]
    net.b.operator("CONV_2D", inputs, [other.index], operator.options)
    outcome = run(net.build(last, other))
    assert shapes(outcome)[0][-1] == 4
    assert constant(outcome.model, 1, 1).shape == (4, 1, 1, 4)
    assert constant(outcome.model, 2, 1).shape == (4, 1, 1, 8)


def test_a_plan_of_memory_keeps_everything():
    plan = {OFFLINE_METADATA: np.zeros(3, np.int32).tobytes()}
    model = replace(two_layers(), metadata=plan)
    outcome = run(model)
    assert outcome.model is model
    assert "memory plan" in reasons(outcome)


def test_nothing_is_left_for_a_second_run():
    first = run(two_layers(zero=-100))
    second = run(first.model)
    assert second.model is first.model


def test_metadata_names_and_signatures_stay():
    signature = SignatureDef("main", {"x": 0}, {"y": 4})
    model = replace(two_layers(), signatures=(signature,), metadata={"a": b"b"}, description="d")
    after = run(model).model
    assert (after.metadata, after.description) == (model.metadata, "d")
    assert after.signatures == model.signatures
    assert [t.name for t in after.outputs] == [t.name for t in model.outputs]


# -- many models --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_random_networks_give_the_same_in_tflm(oracle: Oracle, kind):
    changed = 0
    for seed in range(10):
        model = quiet_network(seed, kind)
        outcome = run(model)
        if outcome.changes:
            changed += 1
            assert_same_in_tflm(oracle, model, outcome.model)
    assert changed


@pytest.mark.parametrize("kind", KINDS)
def test_random_networks_of_int16_give_the_same_in_tflm(oracle: Oracle, kind):
    for seed in range(6):
        model = as_int16(quiet_network(seed, kind))
        try:
            outcome = run(model)
        except ConstraintError:  # an operator has no int16
            continue
        if outcome.changes:
            assert_same_in_tflm(oracle, model, outcome.model)


@pytest.mark.parametrize("processor", ["cortex-m0", "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("rounding", ["double", "single"])
def test_random_networks_give_the_same_on_other_firmware(processor, rounding):
    target = Target(processor, rounding=rounding)
    for seed in range(6):
        for kind in ("separable", "mobilenet", "dense"):
            model = quiet_network(seed, kind)
            assert_same(model, channels(model, Settings()).model, target, count=5)


@pytest.mark.parametrize("path", shared_models(), ids=lambda path: path.stem)
def test_real_models_give_the_same_in_tflm(oracle: Oracle, path):
    if "hybrid" in path.stem:
        pytest.skip("no firmware runs it")
    model = ar.load(path)
    outcome = channels(model, Settings())
    if not outcome.changes:
        assert outcome.model is model
        return
    assert_same_in_tflm(oracle, model, outcome.model, count=12)


def test_half_of_vww_is_for_channels_that_never_change(oracle: Oracle):
    before = ar.load(shared_model("vww_int8"))
    after = channels(before, Settings()).model
    assert statistics(before).macs == 7_489_664
    assert statistics(after).macs < 4_000_000
    assert statistics(after).constant_bytes < 0.2 * statistics(before).constant_bytes
