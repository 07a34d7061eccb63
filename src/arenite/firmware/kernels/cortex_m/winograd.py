"""CONV_2D 3x3 with stride 1 by Winograd's F(2x2, 3x3) and F(4x4, 3x3), exact in integers.

Four products, or two and a quarter, make what nine make otherwise. Transforms are scaled so that
all stays whole (:mod:`arenite.firmware.kernels.cortex_m.tiles`): weights have 16 bits, sums are
``64 * a`` or ``576 * a``. They may wrap on the way, the result does not: that is checked of all
that a channel can reach. Constants in flash take 3.6 or 8 times as much, so it is a choice.

A strip of tiles, one row of them, at a time. By four channels ``rows`` transforms its inputs
downwards and ``across`` that from left to right; ``products`` multiplies position by position two
tiles by four filters; ``outputs`` transforms back and requantises. Where sizes are no multiples,
the last strip, tile or quad of filters begins with some outputs that were made before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from arenite.c_text import fill, indented, templates, with_lines
from arenite.firmware.kernels.cortex_m.asm_cycles import count_of
from arenite.firmware.kernels.cortex_m.gemm import QUAD, expanded_order, quads
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.sums import Int64s, finish_of, halfwords, packed, words
from arenite.firmware.kernels.cortex_m.tiles import Tiles
from arenite.firmware.kernels.cortex_m.transforms import across, outputs, products, rows
from arenite.firmware.kernels.cortex_m.weights import (
    convolution_weights,
    require_no_dilation,
    require_one_group,
)
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import (
    Arrays,
    Constant,
    Routine,
    Scratch,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.conv_2d import Conv2DParams

#: The most outputs in a row of a strip.
_WIDEST = 32
#: Cycles of the driver, about: a strip, a call of one of its parts.
_STRIP, _CALL = 300, 25

_C = templates(__name__)
_ZEROS = """\
int8_t *zeros = (int8_t *)(down + $columns);
for (int32_t i = 0; i < $zero_bytes; ++i) zeros[i] = $zero;"""


@dataclass(frozen=True)
class Strips:
    """The cut of outputs: rows of tiles into strips of as many.

    Attributes:
        starts: Where the tiles of a strip begin, in outputs.
        span: Outputs of a strip.
    """

    starts: tuple[int, ...]
    span: int

    @property
    def slots(self) -> int:
        """Tiles that there is room for: products take two at a time."""
        return len(self.starts) + len(self.starts) % 2


def strips_of(tiles: Tiles, width: int, depth: int) -> Strips:
    """Strips for so many outputs in a row: as wide as memory for so many channels is meant to be.

    >>> from arenite.firmware.kernels.cortex_m.tiles import TILES_4X4
    >>> strips_of(TILES_4X4, 10, 16).starts, strips_of(TILES_4X4, 40, 16).span
    ((0, 4, 6), 24)
    """
    m = tiles.outputs
    count = -(-width // m)
    most = max(min(_WIDEST // m, tiles.room // depth) // 2 * 2, 2)
    if count <= most:
        return Strips(tuple(min(m * i, width - m) for i in range(count)), width)
    strips = -(-count // most)
    each = -(-count // strips)
    each += each % 2
    return Strips(tuple(range(0, m * each, m)), m * each)


def winograd(layer: Layer[Conv2DParams], tiles: Tiles) -> Work:
    """The kernel for a 3x3 convolution of stride 1, padded by one or not at all."""
    weights = convolution_weights(layer)
    require_one_group(layer)
    require_no_dilation(layer)
    window, (_, height, width, depth) = layer.params.window, layer.input(0).shape
    pad, m = window.padding[0], tiles.outputs
    is_even = window.padding in ((0, 0), (1, 1))
    expected = (height + 2 * pad - 2, width + 2 * pad - 2)
    if window.filter_size != (3, 3) or window.stride != (1, 1) or not is_even:
        raise UnsupportedError("expected 3x3 weights, stride 1, padding of one or none")
    if window.output_size != expected or min(expected) < m:
        raise UnsupportedError(f"expected at least {tiles.name} outputs")
    if depth % 4 or len(weights) < QUAD:
        raise UnsupportedError("expected a multiple of 4 channels and at least 4 filters")
    flat = weights.reshape(len(weights), -1)
    stream, requantization = packed(layer, flat, partial(pack, tiles, weights))
    finish = finish_of(layer, requantization)._replace(k=requantization.shift(tiles.scale))
    return _work(layer, tiles, Constant("stream", stream), finish)


def pack(
    tiles: Tiles, weights: Int64s, bias: Int64s, requantization: Requantization
) -> npt.NDArray[np.uint32]:
    """Per four filters: transformed weights by position and step, then four words a filter."""
    transformed = np.einsum("ia,nabc,jb->ijnc", tiles.weights, weights, tiles.weights)
    filters, depth = len(weights), weights.shape[3]
    lanes = transformed.reshape(tiles.positions, filters, depth)[:, :, expanded_order(depth)]
    parts = []
    for quad in quads(filters):
        numbers = []
        for channel in quad:
            one = requantization.constants(channel, tiles.scale)
            begin = tiles.scale * int(bias[channel]) + one.bias
            numbers += [one.multiplier, one.addend, begin, one.step]
        parts += [halfwords(lanes[:, quad].transpose(0, 2, 1, 3)), words(numbers)]
    return np.concatenate(parts)


def _work(layer: Layer[Conv2DParams], tiles: Tiles, stream: Constant, finish: Finish) -> Work:
    _, _, width, depth = layer.input(0).shape
    _, _, out_width, filters = layer.output.shape
    strips, pad = strips_of(tiles, out_width, depth), layer.params.window.padding[0]
    sizes = {
        "tiles": tiles.positions * strips.slots * depth // 2,
        "sums": tiles.positions * strips.slots * QUAD,
        "columns": 2 * tiles.side * (strips.span + 2),
    }
    zero_bytes = pad * depth * min(width, strips.span + 2)
    text = _driver(layer, tiles, strips, {**sizes, "zero_bytes": zero_bytes})
    row_in, row_out = width * depth, out_width * filters
    parts = (
        ("rows", rows(tiles, row_in, depth)),
        ("across", across(tiles, strips.starts, strips.slots, depth)),
        ("products", products(tiles, strips.slots, depth)),
        ("outputs", outputs(tiles, strips.starts, filters, row_out, finish)),
    )
    scratch = Scratch(4 * sum(sizes.values()) + zero_bytes)
    arrays: Arrays = {"x": layer.input(0), "stream": stream, "int32_t *scratch": scratch}
    cycles, stem = _cycles(layer, tiles, strips, parts), f"winograd_{tiles.name}"
    return work_of(layer, text, arrays, stem=stem, parts=parts, cycles=cycles)


def _cycles(
    layer: Layer[Conv2DParams], tiles: Tiles, strips: Strips, parts: Sequence[tuple[str, Routine]]
) -> float:
    """Of the layer, counted from its parts; its driver, in C, is estimated."""
    images, out_height, out_width, filters = layer.output.shape
    _, _, width, depth = layer.input(0).shape
    count = images * -(-out_height // tiles.outputs) * -(-out_width // strips.span)
    end = 8 * tiles.side * min(strips.span + 1, width)
    total = _STRIP
    for word, routine in parts:
        calls = depth // 4 if word in ("rows", "across") else -(-filters // QUAD)
        text = routine.body.replace("@name@", word)
        total += calls * (_CALL + count_of(text, (0, 0, 0, 0, end)).cycles)
    return count * total


def _driver(layer: Layer[Conv2DParams], tiles: Tiles, strips: Strips, sizes: dict[str, int]) -> str:
    images, height, width, depth = layer.input(0).shape
    _, out_height, out_width, filters = layer.output.shape
    m, side, zero = tiles.outputs, tiles.side, -layer.params.input_offset
    pad = bool(layer.params.window.padding[0])
    numbers = {
        **sizes,
        "images": images,
        "image": height * width * depth,
        "out_image": out_height * out_width * filters,
        "height": out_height,
        "width": out_width,
        "depth": depth,
        "filters": filters,
        "row_in": width * depth,
        "tile": m,
        "side": side,
        "span": strips.span,
        "pixel": 2 * side,
        "last_row": out_height - m,
        "last_column": out_width - strips.span,
        "last_filter": filters - QUAD,
        "below": 0 if pad else 1,
        "zero": zero,
        "edge": _both(int(tiles.inputs[1].sum()) * zero),
        "weights": tiles.positions * depth * 2,
        "constants": tiles.positions * depth * 2 + 4 * QUAD,
    }
    top, bottom = "middle - $row_in", f"middle + {m} * $row_in"
    if pad:
        top = f"oy > 0 ? {top} : zeros"
        bottom = f"oy + {m} < $height ? {bottom} : zeros"
    text = _C["driver"].replace("$top", top).replace("$bottom", bottom)
    text = with_lines(text, zeros=_ZEROS if pad else "")
    text = text.replace("$sides", indented(_C["sides"], 6).lstrip() if pad else "")
    return fill(text, **numbers)


def _both(number: int) -> int:
    """A word with a number in both halfwords."""
    word = (number & 0xFFFF) * 0x10001
    return word - (1 << 32) if word >> 31 else word
