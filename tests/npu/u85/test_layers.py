"""Single operations of U85 on numbers that a person can check."""

import numpy as np
import pytest

from arenite.npu.operations import Elementwise, Pool
from arenite.npu.stream import StreamError
from tests.npu.streams import Assembler, map_of
from tests.npu.u85.streams import (
    ABS,
    ADD,
    ARGMAX_X,
    AVERAGE,
    CHAIN,
    CLZ,
    LEAKY,
    MAX,
    MIN,
    NONE,
    NUMBER,
    SHR,
    SUB,
    SUM,
    THREE,
    TOTAL,
    handed_on,
    layer85,
    row85,
    stored85,
    verified85,
)

ROUNDINGS = ("double", "natural", "asymmetric", "symmetric", "truncate", "lower")


def test_a_pool_of_one_element_copies() -> None:
    assert row85([1, -2, 3], "POOL", MAX) == [1, -2, 3]
    assert row85([1, -2, 3], "POOL", TOTAL) == [1, -2, 3]


@pytest.mark.parametrize(
    ("code", "expected"),
    list(enumerate([[3, -3, 2], [3, -2, 2], [3, -2, 2], [3, -3, 2], [2, -2, 1], [2, -3, 1]])),
    ids=ROUNDINGS,
)
def test_halves_are_rounded_as_the_scale_says(code: int, expected: list[int]) -> None:
    quarter = (code << 13 | 32) << 32 | 1 << 30
    assert row85([10, -10, 7], "POOL", SUM, OFM_SCALE=quarter) == expected


def test_windows_have_a_greatest_and_a_least_element_and_its_place() -> None:
    window = {"KERNEL_WIDTH": 3, "IFM_PAD_LEFT": 1, "IFM_PAD_RIGHT": 1}
    assert row85([-5, -7, -6], "POOL", MAX, **window) == [-5, -5, -6]
    assert row85([-5, -7, -6], "POOL", MIN, **window) == [-7, -7, -7]
    assert row85([-5, -7, -6], "POOL", TOTAL, **window) == [-12, -18, -13]
    index = {**window, "OFM_SCALE": 5 << 45 | 16 << 32 | 1}
    assert row85([-5, -7, -6], "POOL", ARGMAX_X, **index) == [1, 0, 1]


def test_a_mean_is_divided_before_its_scale() -> None:
    window = {"KERNEL_WIDTH": 2, "IFM_PAD_LEFT": 1}
    assert row85([-5, -8, 9], "POOL", AVERAGE, **window) == [-5, -7, 1]


def test_a_number_stands_for_either_input() -> None:
    assert row85([5, -5], "ELEMENTWISE", SUB, **THREE) == [2, -8]
    first = {"IFM_PRECISION": 1 | NUMBER, "OP_SCALAR": 0xFD, "IFM_ZERO_POINT": 0}
    second = map_of("IFM2", 0, 1, 2, 1)
    assert row85([5, -5], "ELEMENTWISE", SUB, **{**second, **first}) == [-8, 2]


def test_inputs_have_scales_of_their_own_for_any_function() -> None:
    # 2**20 * x * 2**30 / 2**(31 + 19): both are halved, and rounded as TFLite does.
    half = (20 << 6 | 31) << 32 | 1 << 30
    scales = {"IFM_SCALE": half, "IFM2_SCALE": half}
    assert row85([5, -6], "ELEMENTWISE", ADD, **THREE, **scales) == [5, -1]
    assert row85([5, -6], "ELEMENTWISE", ABS, IFM_SCALE=half) == [3, 3]


def test_what_is_below_zero_has_a_scale_of_its_own() -> None:
    half = 31 << 32 | 1 << 30
    assert row85([5, -6], "ELEMENTWISE", LEAKY, IFM2_SCALE=half) == [5, -3]


@pytest.mark.parametrize(
    ("function", "expected"),
    [(16, [1, 0]), (17, [0, 1]), (18, [1, 0]), (19, [0, 0]), (33, [3, 3]), (34, [3, -5])],
)
def test_comparisons_and_bits(function: int, expected: list[int]) -> None:
    assert row85([3, -5], "ELEMENTWISE", function, **THREE) == expected


def test_functions_of_one_element() -> None:
    assert row85([5, -5, 0], "ELEMENTWISE", CLZ) == [29, 0, 32]
    assert row85([5, -5, 0], "ELEMENTWISE", 36) == [-6, 4, -1]
    assert row85([5, -6], "ELEMENTWISE", SHR, **{**THREE, "OP_SCALAR": 1}) == [3, -3]


# -- what is turned


@pytest.mark.parametrize(
    ("code", "axes"), [(1, "WHC"), (2, "HCW"), (3, "WCH"), (6, "CHW"), (7, "CWH")]
)
@pytest.mark.parametrize(("shape", "bricks"), [((2, 3, 4), 0), ((2, 2, 2), 1 << 6)])
def test_an_output_is_transposed(
    code: int, axes: str, shape: tuple[int, int, int], bricks: int
) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)
    turned = x.transpose(["HWC".index(axis) for axis in axes])
    height, width, depth = turned.shape
    place = map_of("OFM", 64, height, width, depth)
    if bricks:
        place |= {"OFM_STRIDE_Y": 16 * width, "OFM_STRIDE_C": 16 * width * height}
    sizes = zip(("OFM_HEIGHT", "OFM_WIDTH", "OFM_DEPTH"), shape, strict=True)
    precision = {"OFM_PRECISION": 1 | 1 << 8 | code << 11 | bricks}
    commands = layer85(*shape, **{**place, **dict(sizes), **precision}).do("POOL", MAX)
    found = stored85(commands, x.reshape(-1).tolist(), 64)
    rows = np.array(found)[: height * width * (16 if bricks else depth)]
    assert np.array_equal(rows.reshape(height, width, -1)[..., :depth], turned)


@pytest.mark.parametrize(("code", "axis"), [(1, 0), (2, 1), (3, 2)])
def test_an_output_runs_backwards(code: int, axis: int) -> None:
    x = np.arange(24).reshape(2, 3, 4)
    commands = layer85(2, 3, 4, OFM_PRECISION=1 | 1 << 8 | code << 9).do("POOL", MAX)
    found = stored85(commands, x.reshape(-1).tolist(), 24)
    assert np.array_equal(np.array(found).reshape(x.shape), np.flip(x, axis))


def test_a_transposition_that_there_is_not_is_refused() -> None:
    commands = layer85(OFM_PRECISION=1 | 1 << 8 | 5 << 11).do("POOL", MAX)
    with pytest.raises(StreamError, match="a transposition of 0 to 3, 6 or 7, got 5"):
        verified85(commands)


# -- what is handed on


def test_elements_are_handed_on_in_a_chain() -> None:
    assert stored85(handed_on(), [5, -5], 2) == [24, -6]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"IFM_REGION": 2}, "IFM: nothing was handed on in chain 2"),
        ({"OFM_WIDTH": 1}, "IFM: expected int8 1x2x1 of chain 3, got int8 1x1x1"),
        ({"IFM_PRECISION": 0 | CHAIN}, "IFM: expected int8 1x2x1 of chain 3, got uint8 1x2x1"),
        ({"IFM_PRECISION": 1 | 1 << 14}, "expected elements in memory or of a chain, got storage"),
        ({"IFM_PRECISION": 1, "IFM_REGION": 11}, "IFM: expected a region of 0, 1, 2, got 11"),
    ],
)
def test_a_chain_has_what_was_handed_on(changed: dict[str, int], message: str) -> None:
    with pytest.raises(StreamError, match=message):
        verified85(handed_on(**changed))


def test_a_chain_is_bounded() -> None:
    size = {"OFM_PRECISION": 1 | 1 << 8 | CHAIN, "OFM_WIDTH": 65536, "OFM_HEIGHT": 65536}
    number = {"IFM_PRECISION": 1 | NUMBER, "OP_SCALAR": 3, "IFM2_BROADCAST": 3}
    second = map_of("IFM2", 0, 1, 1, 1)
    commands = layer85(1, 2, 1, **{**second, **number, **size}).do("ELEMENTWISE", ADD)
    with pytest.raises(StreamError, match="at most 16777216 elements in a chain"):
        verified85(commands)


def test_sums_go_on_from_one_operation_to_the_next() -> None:
    kept = {"ACC_FORMAT": 1 << 6, "OFM_PRECISION": 1 | 1 << 8 | NUMBER}
    commands = layer85(1, 2, 1, **kept).do("POOL", TOTAL)
    after = {"ACC_FORMAT": 1 << 4, "OFM_PRECISION": 1 | 1 << 8, "IFM_BASE0": 2}
    commands.set(**after).do("POOL", TOTAL)
    assert stored85(commands, [1, 2, 10, 20], 2) == [11, 22]


def test_sums_that_nobody_kept_are_refused() -> None:
    with pytest.raises(StreamError, match="of the operation before to go on from, got none"):
        verified85(layer85(ACC_FORMAT=1 << 4).do("POOL", TOTAL))


def test_a_copy_of_wide_elements_reads_the_second_input() -> None:
    second = {**map_of("IFM2", 0, 1, 2, 1), "IFM2_PRECISION": 1 | 2 << 2}
    steps = {"IFM2_STRIDE_X": 4, "IFM2_STRIDE_Y": 8, "ACC_FORMAT": 2 << 4}
    stale = {"IFM_PAD_RIGHT": 1, "KERNEL_WIDTH": 2}
    commands = layer85(1, 2, 1, **{**second, **steps, **stale}).do("POOL", NONE)
    assert stored85(commands, [1, 0, 0, 0, -1, -1, -1, -1], 2) == [1, -1]


def test_weights_may_be_what_another_layer_computes() -> None:
    # Two positions of two channels, and a row for each of two channels of the output.
    second = map_of("IFM2", 4, 1, 2, 2)
    commands = layer85(1, 2, 2, IFM_DEPTH=2, **second).do("CONV", 1)
    assert stored85(commands, [1, 2, 3, 4, 1, 1, 10, -1], 4) == [3, 8, 7, 26]


# -- copies by indices


def gathered(**changed: int) -> Assembler:
    """Rows 1, 0 and 1 of two of two bytes."""
    ends = {"DMA0_SRC_REGION": 1 | 1 << 9 | 1 << 11, "DMA0_SRC": 0, "DMA0_SRC_STRIDE0": 2}
    target = {"DMA0_DST_REGION": 1, "DMA0_DST": 64, "DMA0_DST_STRIDE0": 2, "DMA0_LEN": 2}
    indices = {"DMA0_IDX_REGION": 1, "DMA0_IDX": 4, "DMA0_IDX_MAX": 1, "DMA0_SIZE0": 3}
    return Assembler().set(**{**ends, **target, **indices, **changed}).do("DMA_START")


@pytest.mark.parametrize("numbers", [[1, 0, 1], [7, -1, 1]])
def test_rows_are_copied_by_numbers_which_stay_in_the_table(numbers: list[int]) -> None:
    bytes_ = np.array(numbers, "<i4").view(np.int8).tolist()
    assert stored85(gathered(), [10, 11, 20, 21, *bytes_], 6) == [20, 21, 10, 11, 20, 21]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"DMA0_IDX_MAX": 64}, "rows: bytes 0 to 130 are outside of region 1 of 128 bytes"),
        ({"DMA0_DST": 124}, "target: bytes 124 to 130 are outside of region 1 of 128 bytes"),
        ({"DMA0_IDX": 120}, "indices: bytes 120 to 132 are outside of region 1"),
        ({"DMA0_IDX_REGION": 5}, "indices: there is no region 5"),
        ({"DMA0_DST_REGION": 0, "DMA0_DST": 0}, "it writes to constants"),
        ({"DMA0_DST_REGION": 1 | 1 << 11}, "copies to places that indices say are not there yet"),
        ({"DMA0_SRC_REGION": 1 << 8 | 1 << 11}, "indices of bytes in memory, got the NPU's own"),
        ({"DMA0_LEN": 0}, r"expected 1 to 16777216 bytes by indices, got \(1, 3, 0\)"),
    ],
)
def test_copies_by_indices_stay_inside(changed: dict[str, int], message: str) -> None:
    with pytest.raises(StreamError, match=message):
        verified85(gathered(**changed), np.zeros(64, np.uint8))


# -- tables, resizing, errors


def test_a_table_stands_where_the_copy_put_it() -> None:
    table = np.zeros(512, np.uint8)
    table[256:].view(np.int8)[:] = -np.arange(-128, 128).clip(-127)
    source = {"DMA0_SRC_REGION": 0, "DMA0_SRC": 256, "DMA0_LEN": 256}
    target = {"DMA0_DST_REGION": 1 << 8, "DMA0_DST": 768}
    commands = Assembler().set(**source, **target).do("DMA_START")
    commands.words += layer85(1, 3, 1, ACTIVATION=4 | 3 << 5).do("POOL", MAX).words
    assert stored85(commands, [1, -2, 3], 3, read_only=table) == [-1, 2, -3]


def test_curves_need_the_table_of_tflite() -> None:
    place = {"DMA0_SRC_REGION": 0, "DMA0_DST_REGION": 1 << 8, "DMA0_SRC": 0, "DMA0_DST": 0}
    commands = Assembler().set(**place, DMA0_LEN=2048).do("DMA_START")
    wide = {"IFM_PRECISION": 1 | 1 << 2, "OFM_PRECISION": 1 | 1 << 1 | 1 << 8, "ACTIVATION": 10}
    steps = {"IFM_STRIDE_X": 2, "OFM_STRIDE_X": 2, "IFM_STRIDE_Y": 4, "OFM_STRIDE_Y": 4}
    commands.words += layer85(1, 2, 1, **wide, **steps).do("POOL", MAX).words
    with pytest.raises(StreamError, match="expected TFLite's table of tanh, got another"):
        verified85(commands, np.zeros(2048, np.uint8))


def resized(mode: int, x: list[int], count: int, **changed: int) -> list[int]:
    """A row twice as wide."""
    size = {"KERNEL_HEIGHT": 1, "KERNEL_WIDTH": len(x)}
    parts = {"RESIZE_X_SCALE_N": 2, "RESIZE_Y_SCALE_N": 2, "RESIZE_X": 1 << 0, "RESIZE_Y": 1}
    place = {"RESIZE_X_OFFSET": 0, "RESIZE_Y_OFFSET": 0}
    commands = layer85(1, count, 1, **{**map_of("IFM", 0, 1, len(x), 1), **size, **parts})
    scale = {"OFM_SCALE": 3 << 45 | (18 if mode == 0 else 16) << 32 | 1}
    return stored85(commands.set(**{**place, **scale, **changed}).do("RESIZE", mode), x, count)


def test_elements_lie_between_others() -> None:
    assert resized(0, [10, 20], 4) == [10, 15, 20, 20]


def test_the_nearest_element_is_taken_and_halves_go_up() -> None:
    assert resized(2, [10, 20], 4) == [10, 20, 20, 20]
    assert resized(2, [10, 20], 4, RESIZE_X_OFFSET=0xFFF) == [10, 10, 20, 20]


@pytest.mark.parametrize(
    ("changed", "operation", "message"),
    [
        ({"OFM_SCALE": 6 << 45 | 1}, ("POOL", MAX), "a rounding of 0 to 5 and no shift"),
        ({"OFM_SCALE": 1 << 38 | 1}, ("POOL", MAX), "no shift to the left, got 0 and 1"),
        ({"OFM_SCALE": 1 << 31}, ("POOL", MAX), "a multiplier of 31 bits, got 2147483648"),
        ({"IFM_SCALE": 2 << 45 | 3}, ("ELEMENTWISE", ABS), "IFM_SCALE: expected a rounding of 0"),
        ({"OFM_PRECISION": 1}, ("POOL", MAX), "one scale of a pool, got one for each channel"),
        ({"ACTIVATION": 2}, ("POOL", MAX), "a function of 0, 1, 4, 5, 7, 8, 10, 11, got 2"),
        ({"ACTIVATION": 7}, ("POOL", MAX), "expected int32 of function 7, got int8"),
        ({"ACTIVATION": 4}, ("POOL", MAX), "table 0: bytes 0 to 256 .* are no constants"),
        ({}, ("POOL", 8), "expected a pool of 0 to 7, got 8"),
        ({}, ("POOL", NONE), "expected sums to go on from, got none"),
        ({}, ("ELEMENTWISE", 12), "expected a function of 0, 1, .*, got 12"),
        ({"IFM_BROADCAST": 8}, ("ELEMENTWISE", ADD), "IFM: expected axes of 0 to 7 to repeat"),
        ({}, ("RESIZE", 1), "expected a resizing of 0 or 2, got 1"),
        ({"ACC_FORMAT": 2}, ("POOL", MAX), "expected sums of 32 or 48 bits .0 or 1., got 2"),
        ({"ACC_FORMAT": 6 << 8, "OFM_BLK_DEPTH": 16}, ("CONV", 0), "units of 0 to 5, got 6"),
    ],
)
def test_what_there_is_not_is_refused(
    changed: dict[str, int], operation: tuple[str, int], message: str
) -> None:
    with pytest.raises(StreamError, match=message):
        verified85(layer85(**changed).do(*operation))


def test_control_flow_is_refused_by_name() -> None:
    commands = Assembler()
    commands.words += [0x4100, 0]
    with pytest.raises(StreamError, match="operation 0, BRANCH at word 0: Vela writes no such"):
        verified85(commands)


def test_operations_are_records() -> None:
    program = verified85(handed_on())
    first, second = program.operations
    assert isinstance(first, Elementwise)
    assert isinstance(second, Elementwise)
    assert first.result.map.region == second.input.region == 8 + 3
    assert program.inside().keys() == {11}
    assert not isinstance(first, Pool)
