"""Memory to work in from inside."""

import numpy as np

from arenite.npu.scratch import scratch_of
from arenite.npu.stream import read_stream
from arenite.npu.verification.reader import read_program
from tests.npu.damage import parts_of
from tests.npu.streams import Assembler, layer, map_of, verified
from tests.npu.vela import KEPT

COPY = {"DMA0_SRC_REGION": 0, "DMA0_SRC": 0, "DMA0_DST_REGION": 1, "DMA0_DST": 0, "DMA0_LEN": 16}


def rows(commands: Assembler) -> list[tuple[str, int, int, int, int]]:
    """What, first byte, end, first and last operation of every buffer."""
    found = scratch_of(verified(commands.stop(), np.zeros(32, np.uint8)))
    return [(b.what, b.begin, b.end, b.first, b.last) for b in found.buffers]


def test_an_input_is_there_before_and_an_output_stays() -> None:
    assert rows(layer(2, 2, 2).do("POOL")) == [
        ("int8 2x2x2", 0, 8, -1, 0),
        ("int8 2x2x2", 64, 72, 0, 0),
    ]


def test_a_buffer_is_alive_until_it_is_read_last() -> None:
    commands = layer(2, 2, 2).do("POOL")
    commands.set(**map_of("IFM", 64, 2, 2, 2), **map_of("OFM", 0, 2, 2, 2)).do("POOL")
    assert rows(commands) == [
        ("int8 2x2x2", 0, 8, -1, 0),
        ("int8 2x2x2", 64, 72, 0, 1),
        ("int8 2x2x2", 0, 8, 1, 1),
    ]


def test_constants_that_are_copied_are_a_buffer() -> None:
    assert rows(Assembler().set(**COPY).do("DMA_START")) == [("constants", 0, 16, 0, 0)]


def test_rows_of_one_map_are_one_buffer() -> None:
    commands = layer(2, 2, 2).do("POOL").set(OFM_BASE0=72).do("POOL")
    assert rows(commands)[1:] == [("int8 4x2x2", 64, 80, 0, 1)]


def test_channels_of_one_map_are_one_buffer() -> None:
    strides = {"OFM_STRIDE_X": 4, "OFM_STRIDE_Y": 8}
    commands = layer(2, 2, 2, **strides).do("POOL").set(OFM_BASE0=66).do("POOL")
    assert rows(commands)[1:] == [("int8 2x2x4", 64, 80, 0, 1)]


def test_most_is_alive_where_weights_meet_the_largest_maps() -> None:
    parts = parts_of(KEPT["ethos-u65-256"])
    stream = read_stream(parts.stream)
    scratch = scratch_of(read_program(stream, parts.read_only, parts.work, parts.fast))
    assert (scratch.peak, scratch.alive[scratch.peak]) == (4, 3700)
    assert [b.what for b in scratch.at(4)] == ["int8 8x8x12", "constants", "int8 8x8x24"]


def test_no_two_buffers_share_bytes_while_both_are_alive() -> None:
    parts = parts_of(KEPT["ethos-u55-128"])
    stream = read_stream(parts.stream)
    buffers = scratch_of(read_program(stream, parts.read_only, parts.work, parts.fast)).buffers
    for place, one in enumerate(buffers):
        for other in buffers[place + 1 :]:
            # An element's place is read before it is written: both may touch at one operation.
            is_together = one.first < other.last and other.first < one.last
            assert not (is_together and one.overlaps((other.region, other.begin, other.end)))
