"""Constants in fewer bytes: the same model, decoded by TFLM_DECODE."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arenite as ar
from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, Tensor
from arenite.ops.shared import huffman
from arenite.ops.shared.encoding import Codes, coded, counts_of, looked_up, masked
from arenite.optimize.optimizer import run_pass
from arenite.optimize.settings import Settings
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target
from tests.ops.codes import COPIED, decode, quantizations, random_values
from tests.optimize.compressible import dense, weights

#: In a firmware that has TFLM_DECODE anyway.
ON = Settings(compress=True, decoder_code=0)


def compressed(model: Model, settings: Settings = ON) -> Model:
    return run_pass("compress", model, settings).after


def kinds(model: Model) -> list[int]:
    """What the constants of TFLM_DECODE are."""
    tensors = model.main.tensors
    pairs = (op.inputs[1::2] for op in model.main.operators if op.name == "TFLM_DECODE")
    return [int(tensors[index].data[0]) for inputs in pairs for index in inputs]


def decoded(codes: Codes, tensor: Tensor) -> bytes:
    """What TFLM_DECODE makes of codes: one output of the tensor's type."""
    interpreter = HeapInterpreter(_alone(codes, tensor))
    interpreter.allocate_tensors()
    interpreter.invoke()
    return bytes(interpreter.output(0).tobytes())


def _alone(codes: Codes, tensor: Tensor) -> Model:
    q = tensor.quantization
    said = {} if q is None else {
        "scale": q.scale.tolist(),
        "zero_point": q.zero_point.tolist(),
        "quantized_dimension": q.quantized_dimension,
    }  # fmt: skip
    parts = tuple(np.frombuffer(part, np.uint8) for part in (codes.codes, codes.meaning))
    return decode((parts, str(tensor.type), tensor.shape, said))


# -- codes --------------------------------------------------------------------------------


@st.composite
def constants(draw: st.DrawFn) -> Tensor:
    """A constant of any type that can be decoded, with few values or many."""
    kind = draw(st.sampled_from(COPIED))
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    few = random_values(rng, kind, (draw(st.integers(1, 140)),))
    values = rng.choice(few, shape, p=rng.dirichlet(np.full(len(few), draw(st.floats(0.05, 2)))))
    if draw(st.booleans()):
        values = values * (rng.random(shape) < 0.2).astype(values.dtype)
    quantized = kind.startswith("int")
    said = draw(quantizations(shape, zero_points=True)) if quantized else {}
    b = ModelBuilder()
    index = b.constant("c", np.ascontiguousarray(values.astype(kind)), **said)
    b.output(index)
    return b.build("constant").main.tensors[index]


def all_codes(tensor: Tensor) -> list[Codes]:
    counts = counts_of(tensor)
    made = [looked_up(tensor), masked(tensor)]
    made += (coded([tensor], counts) or []) if counts else []
    return [one for one in made if one is not None]


@given(constants())
def test_any_constant_comes_back(tensor):
    for codes in all_codes(tensor):
        assert decoded(codes, tensor) == tensor.value.tobytes()


@given(tensor=constants())
def test_tflm_decodes_it_to_the_same(tensor, oracle):
    for codes in all_codes(tensor):
        answer = oracle.run(tflite.write(_alone(codes, tensor)), [()])
        assert answer.status == "ok", answer.log
        assert answer.outputs[0][0].tobytes() == tensor.value.tobytes()


COUNTS = st.dictionaries(st.integers(-128, 127), st.integers(1, 10**6), min_size=1)


@given(COUNTS, st.integers(8, 15))
def test_code_words_are_short_enough_and_fill_what_there_is(counts, limit):
    found = huffman.lengths(counts, limit)
    assert max(found.values()) <= limit
    room = sum(2.0**-length for length in found.values())
    assert room == (0.5 if len(counts) == 1 else 1.0)


def test_no_code_words_are_shorter_together():
    counts = {0: 1, 1: 1, 2: 2, 3: 3, 4: 5, 5: 8}  # of 1 to 5 bits; with 3 at most: 2, 2, 3 ...
    assert sum(counts[one] * bits for one, bits in huffman.lengths(counts, 8).items()) == 45
    assert sum(counts[one] * bits for one, bits in huffman.lengths(counts, 3).items()) == 47


def test_tables_that_are_too_large_to_address_are_not_made():
    counts = dict.fromkeys(range(-(2**15), 2**15), 1)
    assert huffman.best(counts, huffman.NARROW) is None


# -- models -------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "code"), [("few", 0), ("narrow", 1), ("sparse", 2)])
def test_what_takes_least_is_written(kind, code):
    model = dense(weights(kind))
    result = compressed(model)
    assert kinds(result) == [code]
    assert len(tflite.write(result)) < len(tflite.write(model))


def test_random_weights_stay():
    model = dense(weights("random"))
    step = run_pass("compress", model, ON)
    assert step.after is model
    assert "no constant takes less" in step.declined[-1].text


def test_without_the_setting_nothing_is_done():
    model = dense(weights("few"))
    assert compressed(model, Settings()) is model


def test_layers_that_are_alike_share_a_table():
    b = dense(weights("narrow"), layers=3)
    tensors = [t for t in b.main.tensors if t.data is not None]
    other = [replace(t, data=np.roll(t.data, 7 * n)) for n, t in enumerate(tensors)]
    changed = iter(other)
    subgraph = replace(
        b.main, tensors=tuple(next(changed) if t.data is not None else t for t in b.main.tensors)
    )
    result = compressed(replace(b, subgraphs=(subgraph,)))
    meanings = {
        index
        for op in result.main.operators
        if op.name == "TFLM_DECODE"
        for index in op.inputs[1::2]
    }
    assert kinds(result) == [1, 1, 1]
    assert len(meanings) == 1


def test_each_reader_has_a_decode_of_its_own_right_before_it():
    result = compressed(dense(weights("few"), layers=2, shared=True))
    names = [op.name for op in result.main.operators]
    assert names == ["TFLM_DECODE", "FULLY_CONNECTED"] * 2
    first, second = result.main.operators[::2]
    assert first.inputs == second.inputs
    assert first.outputs != second.outputs


def test_what_another_operator_reads_stays():
    b = ModelBuilder()
    x = b.input("x", (1, 64), "int8", scale=0.5)
    w = b.constant("w", weights("few"), scale=[0.25], zero_point=[0])
    y, z = (b.tensor(n, s, "int8", scale=0.25) for n, s in (("y", (1, 64)), ("z", (64, 64))))
    b.operator("FULLY_CONNECTED", [x, w, -1], [y])
    b.operator("MAXIMUM", [w, w], [z])
    b.output(y)
    b.output(z)
    model = b.build("shared")
    assert compressed(model) is model


def test_the_arena_stays_within_what_there_is():
    model = dense(weights("few"))
    without = ar.smallest_arena(model)
    step = run_pass("compress", model, replace(ON, ram=without + 1000))
    assert step.after is model
    assert "decoded, the model needs an arena of" in step.declined[0].text
    enough = ar.smallest_arena(compressed(model))
    assert compressed(model, replace(ON, ram=enough)) is not model


def test_a_firmware_without_the_operator_gets_none():
    target = Target("cortex-m4", tflm="2025-06")
    step = run_pass("compress", dense(weights("few")), replace(ON, target=target))
    assert not step.changes
    assert "TFLM_DECODE came to TFLM on 2025-10-17" in step.declined[0].text


@pytest.mark.parametrize("target", [None, "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("kind", ["few", "narrow"])
def test_outputs_are_the_same_everywhere(kind, target):
    model = dense(weights(kind), layers=2)
    result, report = ar.optimize(model, target, compress=True, decoder_code=0, verify=2)
    assert report.verification is not None
    assert "TFLM_DECODE" in {op.name for op in result.main.operators}
    assert len(tflite.write(result)) < len(tflite.write(model))


def test_memory_beside_the_arena_takes_what_is_decoded():
    result = compressed(dense(weights("few"), layers=2))
    plain = ar.MicroInterpreter(result, ar.AllOpsResolver(), bytearray(1 << 20))
    plain.allocate_tensors()
    beside = ar.MicroInterpreter(result, ar.AllOpsResolver(), bytearray(1 << 20))
    beside.set_decompression_memory(bytearray(4096))
    beside.allocate_tensors()
    assert beside.allocations().head <= plain.allocations().head - 4096


def test_a_model_that_does_not_run_is_left_alone():
    b = ModelBuilder()
    x = b.input("x", (1, 64), "int8", scale=0.5)
    y = b.tensor("y", (1, 64), "int8", scale=0.25)
    b.operator("NOBODY", [x], [y], custom_options=b"")
    b.output(y)
    try:
        result, _ = ar.optimize(b.build("odd"), compress=True)
    except AreniteError:
        return
    assert [op.name for op in result.main.operators] == ["NOBODY"]
