"""TFLM_DECODE gives TFLM's bits, and reads nothing beside its codes and tables."""

import tracemalloc
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ArenaError, ConstraintError, StateError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.codes import (
    COPIED,
    Codes,
    Shape,
    as_bytes,
    decode,
    header,
    huffman,
    looked_up,
    packed,
    pruned,
    quantizations,
    random_values,
)
from tests.ops.differential import agrees, equals_tflm, one_operator
from tests.oracle import Oracle, printed_rows, tflm_rows
from tests.variants import interpreter, variants

Array = np.ndarray[Any, Any]


def channels_of(shape: Shape, quantization: dict[str, Any]) -> tuple[int, Array]:
    """How many channels there are, and whose every element is."""
    count, size = len(quantization.get("scale", [1])), prod(shape)
    if count > 1 and quantization["quantized_dimension"] == len(shape) - 1:
        return count, np.arange(size) % count
    return count, np.arange(count).repeat(size // count)


@st.composite
def coded(draw: st.DrawFn) -> tuple[Codes, str, Shape, dict[str, Any]]:
    """One output: its codes, type, shape and quantisation."""
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)))
    if draw(st.booleans()):
        shape = (2 * draw(st.integers(1, 40)), *shape[:2])
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    way = draw(st.sampled_from(["table", "huffman", "mask"]))
    if way == "huffman":
        kind, wide = draw(st.sampled_from([("int8", False), ("int8", True), ("int16", True)]))
        few = random_values(rng, kind, (draw(st.integers(1, 20)),))
        values = rng.choice(few, shape, p=rng.dirichlet(np.full(len(few), 0.3)))
        first, later = draw(st.integers(1, 9)), draw(st.integers(1, 9 if wide else 6))
        return huffman(values, wide=wide, first=first, later=later), kind, shape, {}
    kind = draw(st.sampled_from(COPIED))
    quantized = kind.startswith("int")
    zero_points = kind == "int8" or (way == "table" and quantized)
    quantization = draw(quantizations(shape, zero_points=zero_points)) if quantized else {}
    count, channel = channels_of(shape, quantization)
    if way == "table":
        width = draw(st.integers(1, 7))
        stride = draw(st.integers(1, 1 << width))
        tables = random_values(rng, kind, (count, stride))
        indices = rng.integers(0, stride, len(channel))
        return looked_up(indices, tables, width), kind, shape, quantization
    zeros = np.resize(quantization.get("zero_point", [0]), count)[channel].astype(kind)
    zeros = zeros if len(zeros) == prod(shape) else np.zeros(prod(shape), kind)
    values = np.where(
        rng.random(prod(shape)) < 0.4, random_values(rng, kind, (prod(shape),)), zeros
    )
    return pruned(values, zeros), kind, shape, quantization


@st.composite
def models(draw: st.DrawFn) -> Model:
    return decode(*draw(st.lists(coded(), min_size=1, max_size=3)))


def whole_channels(model: Model) -> bool:
    """Whether every element of every output belongs to a channel."""
    return all(
        tensor.quantization is None or tensor.size % len(tensor.quantization.scale) == 0
        for tensor in model.outputs
    )


test_equals_tflm = equals_tflm(models().filter(whole_channels), invokes=3, reset=True)


def compressed_layer() -> Model:
    """FULLY_CONNECTED with weights out of a table per row."""
    rng = np.random.default_rng(0)
    tables = rng.integers(-127, 128, (4, 8), dtype=np.int8)
    codes, meaning = looked_up(rng.integers(0, 8, 4 * 32), tables, 3)
    b = ModelBuilder()
    x = b.input("x", (2, 32), "int8", scale=0.1)
    pair = [b.constant("codes", codes), b.constant("meaning", meaning)]
    scales = {"scale": [0.01, 0.02, 0.03, 0.04], "zero_point": [0] * 4}
    w = b.tensor("w", (4, 32), "int8", **scales)
    y = b.tensor("y", (2, 4), "int8", scale=0.5)
    b.operator("TFLM_DECODE", pair, [w], custom_options=b"")
    return one_operator(b, "FULLY_CONNECTED", [x, w], [y], FullyConnectedOptions())


def test_a_layer_with_compressed_weights_equals_tflm(oracle: Oracle) -> None:
    assert agrees(oracle, compressed_layer(), 0, invokes=3).status == "ok"


everywhere = pytest.mark.parametrize("variant", variants())


def run(
    codes: Codes, kind: str, shape: Shape, variant: str = "reference", **quantization: Any
) -> Any:
    interp = interpreter(decode((codes, kind, shape, quantization)), variant)
    interp.invoke()
    return interp.output().tolist()


@everywhere
def test_indices_of_three_bits(variant: str) -> None:
    # 111 000 011 010 and padding: TFLM's own example
    codes = as_bytes(bytes([0b11100001, 0b10100000]))
    meaning = as_bytes(header(0, 3, 8) + bytes(range(10, 18)))
    assert run(Codes(codes, meaning), "int8", (4,), variant) == [17, 10, 13, 12]


@everywhere
def test_every_channel_has_a_table(variant: str) -> None:
    codes = looked_up(np.array([0, 1, 1, 0]), np.array([[1, 2], [30, 40]], np.int16), 1)
    channels = {"scale": [1.0, 1.0], "zero_point": [0, 0]}
    assert run(codes, "int16", (2, 2), variant, **channels) == [[1, 2], [40, 30]]
    last = run(codes, "int16", (2, 2), variant, **channels, quantized_dimension=1)
    assert last == [[1, 40], [2, 30]]


@everywhere
def test_what_was_pruned_is_the_zero_point(variant: str) -> None:
    codes = Codes(as_bytes(b"\x50"), as_bytes(header(2) + bytes([7, 8])))
    assert run(codes, "int8", (4,), variant, scale=1.0, zero_point=-3) == [-3, 7, -3, 8]


@everywhere
def test_code_words_of_one_and_two_bits(variant: str) -> None:
    # 0: 5, 10: 6, 11: 7, in one table of two bits
    table = [0x8000 | 1 << 11 | 5] * 2 + [0x8000 | 2 << 11 | 6, 0x8000 | 2 << 11 | 7]
    meaning = as_bytes(header(1, 1 << 4) + np.array(table, np.uint16).tobytes())
    codes = Codes(as_bytes(bytes([0b01001100, 0, 0, 0])), meaning)  # 0 10 0 11
    assert run(codes, "int8", (4,), variant) == [5, 6, 5, 7]


def test_a_single_symbol_takes_no_bits() -> None:
    codes = huffman(np.full(100_000, 9, np.int8), wide=False, first=1, later=1)
    assert run(codes, "int8", (100_000,)) == [9] * 100_000


def test_elements_behind_the_last_whole_channel_are_0() -> None:
    codes = looked_up(np.array([1, 1]), np.array([[1, 2], [3, 4]], np.int8), 1)
    channels = {"scale": [1.0, 1.0], "zero_point": [0, 0]}
    assert run(codes, "int8", (3, 1), **channels) == [[2], [4], [0]]


TABLE = looked_up(np.array([0, 1, 2, 3]), np.arange(4, dtype=np.int8)[None], 2)
NARROW = huffman(np.array([1, 2, 3, 4, 1, 1], np.int8), wide=False, first=2, later=2)
WIDE = huffman(np.array([1, 2, 3, 4, 1, 1], np.int8), wide=True, first=2, later=2)
MASK = pruned(np.array([0, 1, 0, 2], np.int8), np.zeros(4, np.int8))


def endless(entry: int) -> Codes:
    """A Huffman table whose entries lead further and further."""
    meaning = header(1, 0) + np.full(8, entry, np.uint16).tobytes()
    return Codes(as_bytes(bytes(4)), as_bytes(meaning))


@pytest.mark.parametrize(
    ("codes", "kind", "shape", "words"),
    [
        (Codes(TABLE.codes, TABLE.meaning[:15]), "int8", (4,), "at least 16 bytes, got 15"),
        (Codes(TABLE.codes, TABLE.meaning[:19]), "int8", (4,), "index 3 is beyond the 3 values"),
        (Codes(TABLE.codes[:0], TABLE.meaning), "int8", (4,), "at least 8 bits of codes, got 0"),
        (TABLE, "int8", (5,), "at least 10 bits of codes, got 8"),
        (TABLE, "int8", (2**30,), "bits of codes, got 8"),
        (TABLE, "int16", (4,), "index 3 is beyond the 2 values"),
        (TABLE, "uint8", (4,), "is one of: bool, int8, int16"),
        (Codes(TABLE.codes, as_bytes(header(0, 0, 4) + b"1234")), "int8", (4,), "1 to 7 bits"),
        (Codes(TABLE.codes, as_bytes(header(0, 2, 4, version=2))), "int8", (4,), "version 1"),
        (Codes(TABLE.codes, as_bytes(header(3, 2, 4))), "int8", (4,), "expected kind 0"),
        (Codes(TABLE.codes, as_bytes(header(127))), "int8", (4,), "expected kind 0"),
        (Codes(MASK.codes, MASK.meaning[:-1]), "int8", (4,), "expected 2 values for as many"),
        (Codes(MASK.codes[:0], MASK.meaning), "int8", (4,), "at least 4 bits of codes, got 0"),
        (Codes(NARROW.codes, NARROW.meaning[:20]), "int8", (6,), "beyond the 2 of the tables"),
        (Codes(NARROW.codes[:1], NARROW.meaning), "int8", (6,), "the 8 bits end within symbol"),
        (NARROW, "int8", (2**30,), "bits end within symbol"),
        (NARROW, "int16", (6,), "is int8 here"),
        (WIDE, "int32", (6,), "is int8 or int16 here"),
        (endless(0), "int8", (4,), "the 32 bits end within symbol 0"),
        (endless(7), "int8", (4,), "beyond the 8 of the tables"),
    ],
)
def test_refuses_codes_that_lead_out_of_their_bytes(
    codes: Codes, kind: str, shape: Shape, words: str
) -> None:
    with pytest.raises(ConstraintError, match=words):
        HeapInterpreter(decode((codes, kind, shape, {}))).allocate_tensors()


@pytest.mark.parametrize("codes", [TABLE, MASK, NARROW], ids=["table", "mask", "narrow"])
def test_what_is_refused_takes_no_memory_for_its_elements(codes: Codes) -> None:
    tensor = {"scale": [1.0] * 2, "zero_point": [1, 2], "quantized_dimension": 0}
    interpreter = HeapInterpreter(decode((codes, "int8", (2, 2**23), tensor)))
    tracemalloc.start()
    try:
        with pytest.raises(ConstraintError):
            interpreter.allocate_tensors()
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("quantization", "shape", "words"),
    [
        ({"scale": [1.0] * 2, "zero_point": [0] * 2, "quantized_dimension": 1}, (2, 2, 1), "got 1"),
        ({"scale": 1.0, "zero_point": 0, "quantized_dimension": 1}, (2, 2), "got 1"),
    ],
)
def test_refuses_channels_of_other_dimensions(
    oracle: Oracle, quantization: dict[str, Any], shape: Shape, words: str
) -> None:
    model = decode((TABLE, "int8", shape, quantization))
    assert agrees(oracle, model, 0).status == "refused"
    with pytest.raises(ConstraintError, match=words):
        HeapInterpreter(model).allocate_tensors()


def test_refuses_zero_points_of_other_types_than_int8(oracle: Oracle) -> None:
    codes = pruned(np.array([0, 1], np.int16), np.zeros(2, np.int16))
    model = decode((codes, "int16", (2,), {"scale": 1.0, "zero_point": 3}))
    assert agrees(oracle, model, 0).status == "refused"


@pytest.mark.parametrize("inputs", [1, 0])
def test_refuses_inputs_that_are_no_pairs(inputs: int) -> None:
    with pytest.raises(ConstraintError, match="two inputs for each"):
        HeapInterpreter(decode((TABLE, "int8", (4,), {}), inputs=inputs)).allocate_tensors()


def changed(codes: Codes, rng: np.random.Generator) -> Codes:
    """A few other bytes, or fewer of them."""
    parts = [part.copy() for part in codes]
    for _ in range(rng.integers(1, 5)):
        part = parts[rng.integers(2)]
        if len(part):
            part[rng.integers(len(part))] = rng.integers(256)
    cut = int(rng.integers(2))
    if rng.random() < 0.3:
        parts[cut] = parts[cut][: rng.integers(len(parts[cut]) + 1)]
    return Codes(*parts)


@pytest.mark.parametrize("codes", [TABLE, NARROW, WIDE, MASK], ids=["table", "16", "32", "mask"])
def test_changed_codes_are_decoded_or_refused(codes: Codes) -> None:
    rng = np.random.default_rng(0)
    outcomes = {"decoded": 0, "refused": 0}
    for _ in range(300):
        model = decode((changed(codes, rng), "int8", (4,), {}))
        try:
            HeapInterpreter(model).allocate_tensors()
            outcomes["decoded"] += 1
        except ConstraintError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20


def test_packed_numbers_have_their_highest_bit_first() -> None:
    assert packed(np.array([5, 1]), 3).tolist() == [0b10100100]


# -- alternate memory ---------------------------------------------------------------------


def two_layers(*, late: bool = False) -> Model:
    """Two constants that are decompressed, each for an ADD; ``late``: the first is read last."""
    rng = np.random.default_rng(1)
    b = ModelBuilder()
    x = b.input("x", (1, 40), "float32")
    weights = []
    for number in range(2):
        codes = looked_up(rng.integers(0, 4, 40), rng.normal(size=(1, 4)).astype(np.float32), 2)
        pair = [b.constant(f"{n}{number}", part) for n, part in zip("cm", codes, strict=True)]
        weights.append(b.tensor(f"w{number}", (1, 40), "float32"))
        b.operator("TFLM_DECODE", pair, [weights[-1]], custom_options=b"")
        if not late:
            y = b.tensor(f"y{number}", (1, 40), "float32")
            b.operator("ADD", [x, weights[-1]], [y], AddOptions())
            x = y
    for number in range(2 if late else 0):
        y = b.tensor(f"z{number}", (1, 40), "float32")
        b.operator("ADD", [x, weights[number]], [y], AddOptions())
        x = y
    b.output(x)
    return b.build()


@pytest.mark.parametrize("late", [False, True], ids=["in order", "late"])
@pytest.mark.parametrize("size", [16, 159, 160, 1000])
def test_alternate_memory_equals_tflm(oracle: Oracle, size: int, late: bool) -> None:
    model = two_layers(late=late)
    x = np.random.default_rng(0).normal(size=(1, 40)).astype(np.float32)
    answer = oracle.run(tflite.write(model), [[x], [x]], decompression_memory=size)
    micro = MicroInterpreter(model, AllOpsResolver(), 1 << 16)
    micro.set_decompression_memory(size)
    micro.allocate_tensors()
    for ((expected,),) in zip(answer.outputs, strict=True):
        micro.input()[...] = x
        micro.invoke()
        np.testing.assert_array_equal(micro.output(), expected)
    used = micro.allocations()
    assert (used.head, used.tail) == (answer.allocations["head"], answer.allocations["tail"])
    assert tflm_rows(used) == printed_rows(answer.log)


@everywhere
def test_outputs_lie_in_the_first_region_with_room(variant: str) -> None:
    memory = [np.zeros(size, np.uint8) for size in (100, 200)]
    interp = interpreter(two_layers(), variant, decompression_memory=memory)
    plain = interpreter(two_layers(), variant)
    x = np.ones((1, 40), np.float32)
    np.testing.assert_array_equal(interp(x), plain(x))
    assert [bool(region.any()) for region in memory] == [False, True]
    assert interp.arena.head_used < plain.arena.head_used


@everywhere
def test_batches_and_copies_have_alternate_memory_too(variant: str) -> None:
    interp = interpreter(two_layers(late=True), variant, decompression_memory=[160])
    x = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    expected = np.concatenate([interp(row[None]) for row in x])
    np.testing.assert_array_equal(interp.predict(x, threads=2), expected)
    np.testing.assert_array_equal(interp.copy().predict(x), expected)


def test_alternate_memory_is_given_once_and_before_tensors_are_allocated() -> None:
    micro = MicroInterpreter(two_layers(), AllOpsResolver(), 1 << 16)
    micro.set_decompression_memory(100)
    with pytest.raises(StateError, match="once"):
        micro.set_decompression_memory(100)
    micro.allocate_tensors()
    with pytest.raises(StateError, match="legal in the init phase"):
        micro.set_decompression_memory(100)


def test_an_arena_that_is_too_small_counts_alternate_memory() -> None:
    micro = MicroInterpreter(two_layers(), AllOpsResolver(), 1500)
    micro.set_decompression_memory(160)
    with pytest.raises(ArenaError) as caught:
        micro.allocate_tensors()
    needed = caught.value.needed
    for size, works in ((needed, True), (needed - 16, False)):
        other = MicroInterpreter(two_layers(), AllOpsResolver(), size)
        other.set_decompression_memory(160)
        if works:
            other.allocate_tensors()
        else:
            with pytest.raises(ArenaError):
                other.allocate_tensors()
