"""Weights of convolutions and inner products, in the encodings in which MNN stores them.

Plain floats, halves, and integers with a scale per output channel or block: as a table of
values and indices of 1 to 8 bits (dense or sparse), or as plain int8. Facts: MNN 3.6.1
``core/ConvolutionCommon.cpp``, ``core/IDSTEncoder.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NoReturn

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.net import Net
from arenite.model import Array

#: ``IDSTQuan.type``
TABLE, SPARSE_TABLE, HALF, INT8 = 1, 2, 3, 4


@dataclass(frozen=True, eq=False)
class Quantized:
    """Weights as integers: ``real = scale * q + zero``.

    ``values`` (int8) is flat; ``scale`` and ``zero`` (float32) have one entry per piece of
    equal length. ``zero`` is None for symmetric weights.
    """

    values: Array
    scale: Array
    zero: Array | None

    def real(self) -> Array:
        """The weights as flat float32, computed as MNN computes them."""
        pieces = self.values.reshape(len(self.scale), -1).astype(np.float32)
        pieces *= self.scale[:, None]
        if self.zero is not None:
            pieces += self.zero[:, None]
        return pieces.reshape(-1)


class Decoder:
    """Reads the encodings of one operator's ``quanParameter``."""

    def __init__(self, net: Net, row: Row, path: str) -> None:
        self._net, self._row, self._path = net, row, path
        self._data = row["buffer"]
        self._place = 0

    @property
    def has_integers(self) -> bool:
        """Whether the weights are integers with scales."""
        return self._row["index"] is None and self._row["type"] != HALF

    def real(self, count: int) -> Array:
        """``count`` weights as float32."""
        row = self._row
        if row["index"] is not None:
            return self._scattered(count)
        if row["type"] == HALF:
            halves = self._buffer()
            if len(halves) != 2 * count:
                self._fail(f"expected {count} halves, got {len(halves)} bytes")
            return np.frombuffer(halves.tobytes(), "<f2").astype(np.float32)
        return self.quantized(count).real()

    def quantized(self, count: int) -> Quantized:
        """``count`` weights as integers with their scales."""
        row = self._row
        values = self._values(count)
        alpha = self._alpha()
        old_int8 = row["type"] == INT8 and row["aMin"] == 0 and abs(row["quantScale"]) < 1e-6
        if not row["has_scaleInt"] and not old_int8:
            alpha = alpha * np.float32(row["quantScale"])
        zero = None
        if row["readType"] != 0 or old_int8:
            if len(alpha) % 2:
                self._fail(f"expected pairs of minimum and scale, got {len(alpha)} numbers")
            minimum, alpha = alpha[0::2], alpha[1::2]
            low = np.float32(row["aMin"] or -128)
            zero = minimum - low * alpha if low < 0 else minimum
        if not len(alpha) or count % len(alpha):
            self._fail(f"expected scales for equal parts of {count} weights, got {len(alpha)}")
        return Quantized(values, alpha, zero)

    # -- encodings

    def _values(self, count: int) -> Array:
        match self._row["type"]:
            case 1:
                values = self._table(count)
            case 2:
                values = self._sparse_table(count)
            case 4:
                values = self._buffer().view(np.int8)
            case other:
                self._fail(f"weights of encoding {other} are not known")
        if len(values) != count:
            self._fail(f"expected {count} weights, got {len(values)}")
        return values

    def _table(self, count: int) -> Array:
        """Sorted values, then an index for every weight."""
        if self._dimensions() != count:
            self._fail(f"expected a shape of {count} weights")
        samples = np.sort(self._take(self._take(1)[0] or 256).view(np.int8))
        indices = self._packed(count, max(1, (len(samples) - 1).bit_length()))
        return self._picked(samples, indices)

    def _sparse_table(self, count: int) -> Array:
        """Steps between the weights that are not zero, sorted values, then their indices."""
        if self._dimensions() != count:
            self._fail(f"expected a shape of {count} weights")
        filled = int(self._take(4).view("<u4")[0])
        if filled > count:
            self._fail(f"expected at most {count} weights that are not zero, got {filled}")
        places = np.cumsum(self._packed(filled, int(self._take(1)[0])), dtype=np.int64)
        raw = self._take(self._take(1)[0] or 256).view(np.int8)
        samples = np.unique(raw)
        bits = max(1, (len(raw) - 1).bit_length())
        indices = self._packed(filled, bits)
        if filled and places[-1] >= count:
            self._fail(f"expected weights up to {count - 1}, got one at {places[-1]}")
        values = np.repeat(self._resting(count, bits), count // max(self._channels(), 1))
        values[places] = self._picked(samples, indices)
        return values

    def _resting(self, count: int, bits: int) -> Array:
        """Per output channel, the integer that stands for zero."""
        channels, alpha = self._channels(), self._alpha()
        if channels < 1 or count % channels:
            self._fail(f"expected channels that divide {count} weights, got {channels}")
        if len(alpha) != 2 * channels:
            return np.zeros(channels, np.int8)
        minimum, scale = alpha[0::2].astype(np.float64), alpha[1::2].astype(np.float64)
        low = -(1 << (bits - 1))
        steps = np.divide(-minimum, scale, out=np.zeros(channels), where=scale > 1e-6)
        return (np.copysign(np.floor(np.abs(steps) + 0.5), steps) + low).astype(np.int8)

    def _scattered(self, count: int) -> Array:
        """Floats at their places, zeros elsewhere."""
        index, alpha = self._row["index"], self._alpha()
        if len(index) != len(alpha) or (len(index) and int(index.max()) >= count):
            self._fail(f"expected a place under {count} for each of {len(alpha)} weights")
        values = np.zeros(count, np.float32)
        values[index] = alpha
        return values

    def _alpha(self) -> Array:
        row = self._row
        if row["scaleStorage"] == 1:
            halves = row["alphaFp16"]
            alpha = None if halves is None else halves.view(np.float16).astype(np.float32)
        else:
            alpha = row["alpha"]
        if alpha is None:
            self._fail("the scales (alpha) are missing")
        return np.asarray(alpha)

    # -- bytes

    def _buffer(self) -> Array:
        if self._data is None:
            self._fail("the weights (buffer) are missing; those of another file are not read")
        return np.asarray(self._data).view(np.uint8)

    def _take(self, count: int) -> Array:
        start, self._place = self._place, self._place + int(count)
        data = self._buffer()
        if self._place > len(data):
            self._fail(f"expected {self._place} bytes or more, got {len(data)}")
        return np.array(data[start : self._place])

    def _dimensions(self) -> int:
        """The number of weights that the buffer's own shape says; remembers the first."""
        rank = int(self._take(1)[0])
        item = "<u4" if self._row["shapeInt32"] else "<u2"
        if not 1 <= rank <= 4:
            self._fail(f"expected a shape of 1 to 4 dimensions, got {rank}")
        shape = self._take(rank * int(item[-1])).view(item).tolist()
        self._first = int(shape[0])
        return prod(shape)

    def _channels(self) -> int:
        return self._first

    def _packed(self, count: int, bits: int) -> Array:
        """``count`` numbers of 1 to 8 bits, the highest bit first."""
        if not 1 <= bits <= 8:
            self._fail(f"expected numbers of 1 to 8 bits, got {bits}")
        data = self._take(-(-count * bits // 8))
        if bits == 8:
            return data
        flags = np.unpackbits(data, count=count * bits).reshape(count, bits)
        shifted: Array = np.packbits(flags, axis=1)[:, 0] >> (8 - bits)
        return shifted

    def _picked(self, samples: Array, indices: Array) -> Array:
        if len(indices) and int(indices.max()) >= len(samples):
            self._fail(f"expected indices under {len(samples)}, got {int(indices.max())}")
        picked: Array = samples[indices]
        return picked

    def _fail(self, message: str) -> NoReturn:
        self._net.fail(f"quantised weights: {message}", self._path)
