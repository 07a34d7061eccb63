"""U85's weights: streams as those of U55, or the fast format, and what each channel adds.

The fast format has a header of 256 bits: whether weights are bytes; whether indices have 2 bits,
not 4; what is taken off bytes; a palette of 16 signed values. Then come bytes or indices.

Facts: Vela 5.2.0 regor ``mlw_encode_fwd.cpp``, ``ethos_u85_weight_encoder.cpp`` (``EncodeBias32``,
``EncodeBias48``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.npu.layers import MOST_SHIFT, Reading, address_range, records, signed, unsigned
from arenite.npu.stream import StreamError
from arenite.npu.u85.traversal import Traversal
from arenite.npu.weights import decode

Int64 = npt.NDArray[np.int64]
Places = tuple[tuple[int, int, int], ...]
#: Bits of the fast format's header, and of what comes in it.
_HEADER, _ADJUST, _PALETTE = 256, 104, 112
#: Bits of WEIGHT_FORMAT.
_FAST, _SPARSE = 1, 1 << 4
#: Bytes of a channel's bias and multiplier, by whether accumulators have 48 bits.
_BYTES = {False: (4, 4), True: (6, 2)}


def is_fast(reading: Reading) -> bool:
    """Whether weights are in the fast format."""
    return bool(reading.registers.short("WEIGHT_FORMAT") & _FAST)


def is_sparse(reading: Reading) -> bool:
    """Whether two of four weights are 0."""
    return bool(reading.registers.short("WEIGHT_FORMAT") & _SPARSE)


def weights(reading: Reading, order: Traversal) -> tuple[npt.NDArray[np.int16], Places]:
    """All weights of a layer, and where their streams lie.

    Raises:
        StreamError: They are damaged.
    """
    registers = reading.registers
    is_one = is_fast(reading)
    if is_one and order.way == "depthwise":
        raise StreamError("expected the standard weight format of a depthwise layer, got the fast")
    region = registers.short("WEIGHT_REGION")
    out, found = np.zeros(order.shape, np.int16), []
    for stream in range(1 if is_one else order.streams):
        where = region, *address_range(registers, f"WEIGHT{stream or ''}")
        places = order.merged_places() if is_one else order.places(stream)
        data = reading.known.take(*where, "weights").tobytes()
        values = (decode_fast if is_one else decode)(data, len(places))
        if values[places < 0].any():
            raise StreamError("expected weights of 0 beyond the filters, got others")
        out.reshape(-1)[places[places >= 0]] = values[places >= 0]
        found.append(where)
    if order.is_sparse:
        check_sparse(out)
    return out, tuple(found)


def check_sparse(values: npt.NDArray[np.int16]) -> None:
    """Of four weights along the depth at most two are not 0.

    Raises:
        StreamError: There are more.
    """
    depth = values.shape[3]
    fours = np.pad(values, ((0, 0), (0, 0), (0, 0), (0, -depth % 4))).reshape(-1, 4)
    most = int(np.count_nonzero(fours, axis=1).max())
    if most > 2:
        raise StreamError(f"expected at most 2 of 4 weights beside 0, got {most}")


def decode_fast(data: bytes, count: int) -> Int64:
    """The first ``count`` weights in the fast format.

    Raises:
        StreamError: There are fewer.
    """
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    if len(bits) < _HEADER:
        raise StreamError(f"expected a header of {_HEADER} bits of weights, got {len(bits)}")
    header, body = bits[:_HEADER], bits[_HEADER:]
    is_bytes, is_small = bool(header[0]), bool(header[1])
    width = 8 if is_bytes else 2 if is_small else 4
    if len(body) < width * count:
        raise StreamError(f"expected {count} weights in a stream, got {len(body) // width}")
    codes = _numbers(body[: width * count], width)
    if is_bytes:
        adjust = int(_numbers(header[_ADJUST:_PALETTE], 8)[0])
        return _signed(codes) - int(_signed(np.array([adjust]))[0])
    palette = _numbers(header[_PALETTE:], 9)
    values: Int64 = np.where(palette & 1, -(palette >> 1), palette >> 1)[codes]
    return values


def _numbers(bits: npt.NDArray[np.uint8], width: int) -> Int64:
    rows = bits.reshape(-1, width).astype(np.int64)
    found: Int64 = (rows << np.arange(width)).sum(axis=1)
    return found


def _signed(numbers: Int64) -> Int64:
    return np.where(numbers >> 7, numbers - 256, numbers)


def channels(reading: Reading, depth: int, *, is_wide: bool) -> tuple[Int64, Int64, Int64]:
    """Bias, multiplier and shift of each output channel.

    Args:
        reading: What is known.
        depth: Channels.
        is_wide: Accumulators have 48 bits.
    """
    rows = records(reading, 0, depth)
    first, second = _BYTES[is_wide]
    multiplier = unsigned(rows[:, first : first + second]) & (1 << 8 * second - 1) - 1
    return signed(rows[:, :first]), multiplier, rows[:, 8] & MOST_SHIFT
