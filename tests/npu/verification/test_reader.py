"""What the verifier refuses before anything runs, and where it says so."""

import numpy as np
import pytest

from arenite.npu.stream import StreamError
from arenite.npu.verification import reader
from arenite.npu.verification.reader import read_program
from tests.npu.streams import (
    Assembler,
    layer,
    payload,
    stored,
    stream_of,
    verified,
)

MAX_POOL, AVERAGE_POOL = 0, 1
ADD = 1
#: A copy of 16 bytes from constants to memory.
COPY = {"DMA0_SRC_REGION": 0, "DMA0_SRC": 0, "DMA0_DST_REGION": 1, "DMA0_DST": 0, "DMA0_LEN": 16}
#: A table of 256 bytes in the first slot of the shared buffer of 24 KiB.
TABLE = {**COPY, "DMA0_DST_REGION": 1 << 8, "DMA0_DST": 24 * 1024 - 2048, "DMA0_LEN": 256}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"IFM_BASE0": 121}, r"IFM: bytes 121 to 129 are outside of region 1 of 128 bytes"),
        ({"OFM_BASE0": 2**47}, "OFM: bytes 140737488355328 to"),
        ({"IFM_STRIDE_Y": -5}, "IFM: bytes -5 to 4 are outside"),
        ({"IFM_REGION": 3}, "IFM: expected a region of 0, 1, 2, got 3"),
        ({"OFM_REGION": 0}, "OFM: 2x2x2 elements of int8 do not fit region 0 of 0 bytes"),
        ({"OFM_HEIGHT": 65536, "OFM_STRIDE_Y": 0}, "elements of int8 do not fit region 1 of 128"),
        ({"IFM_PRECISION": 13}, "IFM: there is no type of width 3"),
        ({"OFM_PRECISION": 3 << 14 | 1}, "expected a rounding of 0 to 2, got 3"),
        ({"IFM_PAD_TOP": 1}, "expected padding below the kernel's 1x1, got 1, 0, 0 and 0"),
        ({"IFM_UPSCALE": 3}, "expected an upscaling of 0 to 2, got 3"),
        ({"KERNEL_STRIDE": 1 << 5}, "kernels in parts of 4x4 are not there yet"),
        ({"ACTIVATION": 5}, "expected a function of 0, 3, 4 or 16 to 23, got 5"),
        ({"ACTIVATION": 1 << 12}, "expected a range of 0, 2, 3 or 5, got 1"),
        ({"ACTIVATION_MIN": 5, "ACTIVATION_MAX": 4}, "a lower limit below the upper one"),
        ({"ACTIVATION": 16}, "table 0: bytes 22528 to 22784 of region -1 are no constants"),
        ({"OFM_PRECISION": 1 | 1 << 8, "OFM_SCALE": 64 << 32 | 1}, "a shift of at most 63, got 64"),
    ],
)
def test_a_layer_that_cannot_be_is_refused(changed: dict[str, int], message: str) -> None:
    with pytest.raises(StreamError, match=message) as error:
        verified(layer(**changed).do("POOL", MAX_POOL).stop())
    assert str(error.value).startswith("operation 0, POOL at word ")


def test_a_register_that_was_never_set_is_named() -> None:
    with pytest.raises(StreamError, match="register OFM_HEIGHT_M1 is read before it is set"):
        verified(Assembler().do("POOL").stop())


def test_constants_are_not_written() -> None:
    with pytest.raises(StreamError, match="it writes to constants"):
        verified(layer(OFM_REGION=0).do("POOL").stop(), np.zeros(128, np.uint8))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"DMA0_LEN": 17}, "source: bytes 0 to 17 are outside of region 0 of 16 bytes"),
        ({"DMA0_DST": 113}, "target: bytes 113 to 129 are outside of region 1 of 128 bytes"),
        ({"DMA0_DST_REGION": 0}, "it writes to constants"),
        ({"DMA0_DST_REGION": 1 << 8, "DMA0_DST": 24 * 1024}, "outside of region -1 of 24576 bytes"),
        ({"DMA0_SRC_REGION": 1 << 8}, "it reads the NPU's own buffer"),
        ({"DMA0_SRC_REGION": 1 << 9}, "copies of more than one dimension"),
        ({"DMA0_SRC_REGION": 5}, "source: there is no region 5"),
    ],
)
def test_a_copy_out_of_bounds_is_refused(changed: dict[str, int], message: str) -> None:
    stream = Assembler().set(**{**COPY, **changed}).do("DMA_START").stop()
    with pytest.raises(StreamError, match=message):
        verified(stream, np.zeros(16, np.uint8))


def test_a_table_is_known_where_a_copy_brought_it() -> None:
    table = np.arange(255, -1, -1).astype(np.uint8)
    commands = layer(ACTIVATION=16, **TABLE).do("DMA_START").do("POOL", MAX_POOL)
    # The index is the value plus 128: -128 finds the first entry, 255, which is -1 as int8.
    x = [-128, 127, 0, 0, 0, 0, 0, 0]
    assert stored(commands.stop(), x, 2, table) == [-1, 0]


def test_a_limit_does_not_move_a_table() -> None:
    table = np.arange(255, -1, -1).astype(np.uint8)
    commands = layer(ACTIVATION=16, ACTIVATION_MIN=0, **TABLE).do("DMA_START").do("POOL", MAX_POOL)
    # 0 finds entry 128, which is 127; -5 is limited to 0 before.
    assert stored(commands.stop(), [0, -5, 1, 0, 0, 0, 0, 0], 3, table) == [127, 127, 126]


def test_unsigned_pairs_are_refused() -> None:
    wide = {
        "OFM_PRECISION": 1 << 1,
        "OFM_STRIDE_X": 4,
        "OFM_STRIDE_Y": 8,
        "OFM_BASE0": 64,
        "ACTIVATION_MIN": 0,
    }
    commands = layer(ACTIVATION=16, **wide, **TABLE).do("DMA_START").do("POOL", MAX_POOL)
    with pytest.raises(StreamError, match="expected int16 for pairs, got uint16 and uint16"):
        verified(commands.stop(), np.zeros(256, np.uint8))


def test_a_table_behind_the_shared_buffer_is_refused() -> None:
    commands = layer(ACTIVATION=23, OFM_PRECISION=5 << 1 & 6 | 1, **TABLE).do("DMA_START")
    with pytest.raises(StreamError, match="table 7"):
        verified(commands.do("POOL", MAX_POOL).stop(), np.zeros(256, np.uint8))


def test_weights_that_are_computed_are_refused() -> None:
    weights = {"WEIGHT_REGION": 1, "WEIGHT_BASE": 0, "WEIGHT_LENGTH": 16}
    scales = {"SCALE_REGION": 0, "SCALE_BASE": 0, "SCALE_LENGTH": 20, "OFM_BLK_DEPTH": 8}
    with pytest.raises(StreamError, match="weights: bytes 0 to 16 of region 1 are no constants"):
        verified(layer(**weights, **scales).do("CONV").stop(), np.zeros(32, np.uint8))


def test_scales_for_every_channel_are_needed() -> None:
    scales = {"SCALE_REGION": 0, "SCALE_BASE": 0, "SCALE_LENGTH": 19, "OFM_BLK_DEPTH": 8}
    weights = {"WEIGHT_REGION": 0, "WEIGHT_BASE": 0, "WEIGHT_LENGTH": 16}
    with pytest.raises(StreamError, match="expected 20 bytes of scales for 2 channels, got 19"):
        verified(layer(**weights, **scales).do("CONV").stop(), np.zeros(32, np.uint8))


def test_commands_end_with_a_stop() -> None:
    with pytest.raises(StreamError, match="expected a STOP at the end of the commands"):
        verified(payload(layer().do("POOL").words))


def test_what_is_behind_the_stop_is_not_looked_at() -> None:
    words = layer().do("POOL").do("STOP").do("RESIZE").words
    assert len(verified(payload(words)).operations) == 1


def test_waits_are_no_operations() -> None:
    commands = layer().do("KERNEL_WAIT", 1).do("DMA_WAIT").do("POOL").do("POOL")
    assert [one.number for one in verified(commands.stop()).operations] == [0, 1]


@pytest.mark.parametrize("name", ["IRQ", "RESIZE"])
def test_operations_that_vela_does_not_write_are_refused(name: str) -> None:
    with pytest.raises(StreamError, match=f"{name} at word 0: Vela writes no such operation"):
        verified(Assembler().do(name).stop())


@pytest.mark.parametrize(("name", "last"), [("POOL", 2), ("ELEMENTWISE", 9)])
def test_kinds_that_there_are_not_are_refused(name: str, last: int) -> None:
    with pytest.raises(StreamError, match=f"of 0 to {last}, got {last + 1}"):
        verified(layer().do(name, last + 1).stop())


def test_a_register_that_there_is_not_is_refused() -> None:
    with pytest.raises(StreamError, match="word 0: there is no register 0x1ff of one word"):
        verified(payload([0x1FF]))


def test_an_npu_that_nobody_knows_is_refused() -> None:
    with pytest.raises(StreamError, match="no NPU of that configuration is known"):
        read_program(stream_of([0], 0xF0000000), np.zeros(0, np.uint8), 16, None)


def test_padding_is_bounded() -> None:
    kernel = {"KERNEL_HEIGHT": 32768, "KERNEL_WIDTH": 32768}
    pads = {"IFM_PAD_TOP": 32767, "IFM_PAD_LEFT": 32767}
    with pytest.raises(StreamError, match="expected an input of at most 16777216 elements"):
        verified(layer(**kernel, **pads).do("POOL", AVERAGE_POOL).stop())


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = layer(2, 2, 2).do("POOL", MAX_POOL).do("POOL", MAX_POOL)
    assert verified(Assembler().stop()).work == 0
    monkeypatch.setattr(reader, "MAX_WORK", 2 * 16 - 1)
    with pytest.raises(StreamError, match="at most 31 multiply-adds or elements in a stream"):
        verified(commands.stop())
