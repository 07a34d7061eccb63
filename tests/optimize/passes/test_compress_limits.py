"""Compression that pays: within time, memory and what the decoder's code takes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import arenite as ar
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, Tensor
from arenite.model.model import constant_bytes
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from arenite.optimize._affordable import _knapsack
from arenite.optimize._cycles import cycles_of
from arenite.optimize._encodings import Place, Way, ways
from arenite.optimize.optimizer import run_pass
from arenite.optimize.settings import Settings
from arenite.target import Target
from tests.ops.lstm import lstm
from tests.optimize.compressible import dense, weights

M4 = Target("cortex-m4")
ON = Settings(M4, compress=True, decoder_code=0)


def size(model: Model) -> int:
    return len(tflite.write(model))


def compressed(model: Model, **limits) -> Model:
    return run_pass("compress", model, replace(ON, **limits)).after


def layers(count: int) -> Model:
    """Layers of other weights each."""
    made = dense(weights("narrow"), layers=count)
    kept = iter(range(count))
    tensors = tuple(
        replace(one, data=np.roll(one.data, 7 * next(kept))) if one.is_constant else one
        for one in made.main.tensors
    )
    return replace(made, subgraphs=(replace(made.main, tensors=tensors),))


# -- flash in total -----------------------------------------------------------------------


def test_the_decoders_code_counts():
    model = layers(2)
    saved = size(model) - size(compressed(model))
    assert compressed(model, decoder_code=saved - 1) is not model
    step = run_pass("compress", model, replace(ON, decoder_code=saved))
    assert step.after is model
    assert step.declined[-1].text == (
        f"it does not pay: the file would take {saved:,} bytes less, the code of TFLM_DECODE "
        f"{saved:,} more (decoder_code=0 where the firmware has it anyway)"
    )


def test_a_model_that_decodes_already_gets_no_more_code():
    once = compressed(dense(weights("few")), decoder_code=0)
    b = dense(weights("narrow"), layers=1)
    n = len(once.main.tensors)
    moved = tuple(
        replace(
            one,
            inputs=tuple(i if i < 0 else i + n for i in one.inputs),
            outputs=tuple(i + n for i in one.outputs),
        )
        for one in b.main.operators
    )
    both = replace(
        once.main,
        tensors=(*once.main.tensors, *b.main.tensors),
        operators=(*once.main.operators, *moved),
        inputs=(*once.main.inputs, *(i + n for i in b.main.inputs)),
        outputs=(*once.main.outputs, *(i + n for i in b.main.outputs)),
    )
    model = replace(once, subgraphs=(both,))
    assert size(compressed(model, decoder_code=17_000)) < size(model)


# -- time ---------------------------------------------------------------------------------


def test_an_inference_takes_no_more_cycles_than_there_are():
    model = layers(3)
    before, after = cycles_of(model, M4), cycles_of(compressed(model), M4)
    sizes = []
    for share in (0, 0.3, 0.6, 1):
        limit = int(before + share * (after - before)) + 1
        result = compressed(model, cycles=limit)
        assert cycles_of(result, M4) <= limit
        sizes.append(size(result))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == size(model) > sizes[1] > sizes[3] == size(compressed(model))


def test_a_deadline_that_is_over_already_is_named():
    model = layers(1)
    step = run_pass("compress", model, replace(ON, cycles=100))
    takes = cycles_of(model, M4)
    assert step.declined[0].text == f"an inference takes {takes:,} of 100 cycles without decoding"


@pytest.mark.parametrize("seed", range(20))
def test_no_other_choice_saves_more(seed: int):
    rng = np.random.default_rng(seed)
    codes = ways(dense(weights("few")))[Place(0, 1)][0].codes
    options = {
        Place(0, n): [Way(codes, float(s)) for s in rng.integers(1, 100, rng.integers(1, 3))]
        for n in range(5)
    }
    cost = {place: [int(c) for c in rng.integers(0, 40, len(some))]
            for place, some in options.items()}  # fmt: skip
    room = int(rng.integers(1, 100))
    numbered = {place: [way._replace(codes=codes._replace(kind=n)) for n, way in enumerate(some)]
                for place, some in options.items()}  # fmt: skip
    chosen = _knapsack(numbered, cost, room)
    assert sum(cost[place][one.kind] for place, one in chosen.items()) <= room
    got = sum(options[place][one.kind].saved for place, one in chosen.items())
    picks = product(*([-1, *range(len(some))] for some in options.values()))
    least = [
        sum(options[place][n].saved for place, n in zip(options, pick, strict=True) if n >= 0)
        for pick in picks
        if sum(cost[place][n] for place, n in zip(options, pick, strict=True) if n >= 0) <= room
    ]
    assert got == max(least)


# -- memory beside the arena --------------------------------------------------------------


def test_what_does_not_fit_beside_the_arena_stays():
    model = dense(weights("few"))
    assert compressed(model, decompression_memory=4096) is not model
    step = run_pass("compress", model, replace(ON, decompression_memory=4095))
    assert step.after is model
    assert step.declined[0].text == "decoded, it does not fit into 4,095 bytes"


def test_no_plan_is_made_for_what_lies_beside_the_arena():
    result, report = ar.optimize(
        layers(2), M4, compress=True, decoder_code=0, decompression_memory=4096, verify=1
    )
    assert not result.metadata
    assert ar.smallest_arena(result, target=M4, decompression_memory=[4096]) < 3000
    assert any("beside the arena" in note.text for note in report.declined)


@pytest.mark.parametrize(
    ("target", "given", "reason"),
    [
        ("cortex-m4", {"cycles": 5}, "expected compress=True"),
        ("cortex-m4", {"decompression_memory": 5}, "expected compress=True"),
        (None, {"cycles": 5, "compress": True}, "expected a target whose cycles are known"),
        (None, {"decoder_code": -1, "compress": True}, "expected decoder_code from 0 on, got -1"),
    ],
)
def test_limits_that_mean_nothing_are_refused(target, given, reason):
    with pytest.raises(ValueError, match=reason):
        ar.optimize(dense(weights("few")), target, **given)


# -- operators beside convolutions and dense layers ---------------------------------------


def with_few_values(model: Model) -> Model:
    """Constants of int8 have four values."""

    def few(tensor: Tensor) -> Tensor:
        value = tensor.value
        if value is None or value.dtype != np.int8 or value.size < 200:
            return tensor
        return replace(tensor, data=constant_bytes(weights("few", value.shape)))

    tensors = tuple(few(tensor) for tensor in model.main.tensors)
    return replace(model, subgraphs=(replace(model.main, tensors=tensors),))


def transposed() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 4, 4, 16), "int8", scale=0.5)
    told = b.constant("shape", np.array([1, 8, 8, 16], np.int32))
    scales = {"scale": [0.25] * 16, "zero_point": [0] * 16}
    w = b.constant("w", weights("few", (16, 3, 3, 16)), **scales)
    y = b.tensor("y", (1, 8, 8, 16), "int8", scale=4.0)
    b.operator("TRANSPOSE_CONV", [told, w, x], [y], TransposeConvOptions(stride_h=2, stride_w=2))
    b.output(y)
    return b.build("transposed")


def filtered() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 64), "int8", scale=0.5)
    features = b.constant("features", weights("few", (16, 64)), scale=0.25)
    times = b.constant("times", np.ones((16, 3), np.int16), scale=0.25)
    bias = b.constant("bias", np.zeros(8, np.int32), scale=0.125)
    state = b.variable("state", (1, 48), "int16", scale=0.5)
    y = b.tensor("y", (1, 8), "int8", scale=4.0)
    b.operator("SVDF", [x, features, times, bias, state], [y], SVDFOptions(rank=2))
    b.output(y)
    return b.build("filtered")


def gathered() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 3), "int32")
    table = b.constant("table", weights("few", (64, 16)), scale=0.5)
    y = b.tensor("y", (1, 3, 16), "int8", scale=0.5)
    b.operator("GATHER", [table, x], [y])
    b.output(y)
    return b.build("gathered")


OTHERS = {
    "TRANSPOSE_CONV": transposed,
    "GATHER": gathered,
    "SVDF": filtered,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lambda: lstm(
        "int8", np.random.default_rng(0), inputs=24, units=16, spread=0.1, zeros=(0, 0)
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_their_weights_are_decoded_too(name: str):
    model = with_few_values(OTHERS[name]())
    result, report = ar.optimize(model, compress=True, decoder_code=0, verify=2)
    assert "TFLM_DECODE" in [one.name for one in result.main.operators]
    assert report.verification is not None


@pytest.mark.parametrize(
    ("name", "target", "reason"),
    [
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", "cortex-m4", "weights and biases are constants"),
        ("SVDF", "cortex-m55", "the feature weights are a constant"),
    ],
)
def test_kernels_that_read_weights_before_anything_runs_keep_them(name, target, reason):
    model = with_few_values(OTHERS[name]())
    step = run_pass("compress", model, replace(ON, target=Target(target)))
    assert any(reason in note.text for note in step.declined)


def test_a_tflm_without_the_decoder_is_named_once():
    step = run_pass("compress", layers(1), replace(ON, target=Target("cortex-m4", tflm="2024-06")))
    (note,) = step.declined
    assert note.text.startswith("TFLM_DECODE came to TFLM on 2025-10-17")
