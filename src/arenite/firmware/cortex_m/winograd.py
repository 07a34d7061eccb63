"""CONV_2D 3x3 with stride 1 by Winograd's F(2x2, 3x3), exact in integers.

Four products make what nine make otherwise. Transforms are scaled so that all stays whole: weights
times 64 have 16 bits, sums are ``64 * a``. They may wrap on the way, the result does not. Constants
in flash take 3.6 times as much, so it is a choice.

Two rows of outputs at a time: ``rows`` transforms four rows of inputs downwards, ``across`` that
from left to right, ``products`` multiplies position by position two tiles by four filters,
``outputs`` transforms back and requantises.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from arenite.firmware.cortex_m.asm import Assembly, offset
from arenite.firmware.cortex_m.gemm import expanded_order
from arenite.firmware.cortex_m.requantize import Requantization
from arenite.firmware.cortex_m.sums import Int64s, packed, require_int8_range
from arenite.firmware.layers import Layer
from arenite.firmware.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.text import fill
from arenite.firmware.work import Constant, Routine, Scratch, UnsupportedError, Work
from arenite.model import TensorType

#: What sums are scaled by.
SCALE = 64
_POSITIONS = 16
_TRANSFORM = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]])

_DRIVER = """\
int16_t *down = scratch, *tiles = down + $down, *sums = tiles + $tiles;
int8_t *zeros = (int8_t *)(sums + $sums);
for (int32_t i = 0; i < $row_in; ++i) zeros[i] = $zero;
for (int32_t c = 0; c < $depth; ++c) {
  for (int32_t i = 0; i < 4; ++i) {
    down[i * $plane + c] = (int16_t)(i == 1 ? 2 * ($zero) : 0);
    down[(i + 1) * $plane - $depth + c] = (int16_t)(i == 1 ? 2 * ($zero) : 0);
  }
}
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $height; oy += 2, y += $rows_out) {
    const int8_t *from = x + (oy - 1) * $row_in;
    const int8_t *top = oy > 0 ? from : zeros;
    const int8_t *bottom = oy + 2 < $height ? from + 3 * $row_in : zeros;
    @rows@(top, from + $row_in, from + 2 * $row_in, bottom, down + $depth);
    @across@(down, tiles);
    const uint32_t *constants = stream;
    for (int32_t n = 0; n < $filters; n += 4, constants += $constants) {
      @products@(tiles, constants, sums);
      @outputs@(sums, constants + $weights, y + n);
    }
  }
}"""


def winograd(layer: Layer) -> Work:
    """The kernel for a 3x3 convolution of an image of even height and width, padded by one.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    require_types(layer, TensorType.INT8, inputs=2)
    require_elements(layer)
    require_int8_range(layer.params)
    window, (_, height, width, depth) = layer.params.window, layer.input(0).shape
    is_plain = window.stride == window.dilation == (1, 1) and layer.params.groups == 1
    if window.filter_size != (3, 3) or window.padding != (1, 1) or not is_plain:
        raise UnsupportedError("expected 3x3 weights, stride 1, padding of one")
    filters = layer.output.shape[3]
    if height % 2 or width % 4 or depth % 4 or filters % 4:
        raise UnsupportedError("expected an even height, all else a multiple of 4")
    weights = constant_of(layer.input(1), "weights").astype(np.int64)
    stream, requantization = packed(layer, weights.reshape(filters, -1), partial(pack, weights))
    return _work(layer, Constant("stream", stream), requantization)


def pack(weights: Int64s, bias: Int64s, requantization: Requantization) -> npt.NDArray[np.uint32]:
    """Per four filters: transformed weights by position and step, then four words a filter."""
    transformed = np.einsum("ia,nabc,jb->ijnc", _TRANSFORM, weights, _TRANSFORM) * (SCALE // 4)
    filters, depth = len(weights), weights.shape[3]
    lanes = transformed.reshape(_POSITIONS, filters, depth)[:, :, expanded_order(depth)]
    parts = []
    for first in range(0, filters, 4):
        quad = lanes[:, first : first + 4].transpose(0, 2, 1, 3)
        parts.append(np.ascontiguousarray(quad, "<i2").reshape(-1).view("<u4"))
        numbers = []
        for channel in range(first, first + 4):
            one = requantization.constants(channel, SCALE)
            begin = SCALE * int(bias[channel]) + one.bias
            numbers += [begin, one.multiplier, one.addend, one.step]
        parts.append(np.array([number & 0xFFFFFFFF for number in numbers], np.uint32))
    return np.concatenate(parts).astype(np.uint32)


def _work(layer: Layer, stream: Constant, requantization: Requantization) -> Work:
    images, height, width, depth = layer.input(0).shape
    filters, tiles = layer.output.shape[3], width // 2
    k = requantization.shift(SCALE)
    halfwords = (4 * (width + 2) * depth, _POSITIONS * tiles * depth, _POSITIONS * tiles * 8)
    text = fill(
        _DRIVER,
        down=halfwords[0],
        tiles=halfwords[1],
        sums=halfwords[2],
        plane=(width + 2) * depth,
        row_in=width * depth,
        rows_out=2 * width * filters,
        zero=-layer.params.input_offset,
        depth=depth,
        images=images,
        image=height * width * depth,
        height=height,
        filters=filters,
        weights=_POSITIONS * depth * 2,
        constants=_POSITIONS * depth * 2 + 16,
    )
    parts = (
        ("rows", _rows(width, depth)),
        ("across", _across(tiles, depth)),
        ("products", _products(tiles, depth)),
        ("outputs", _outputs(tiles, filters, k, signed=requantization.signed)),
    )
    routine = Routine(
        "winograd",
        ("const int8_t *x", "const uint32_t *stream", "int16_t *scratch", "int8_t *y"),
        text,
        parts=parts,
        about=str(layer),
    )
    scratch = Scratch(2 * sum(halfwords) + width * depth)
    return Work(routine, (layer.input(0), stream, scratch, layer.output))


def _rows(width: int, depth: int) -> Routine:
    """Four rows of inputs to four planes: differences and sums of rows."""
    plane = 2 * (width + 2) * depth
    a = Assembly(to="r12", end="lr")
    a("ldr to, [sp]", "push {r4-r11, lr}")
    a.add("end", width * depth, "r0")
    a(".pixels:")
    for word in range(depth // 4):
        a(*(f"ldr r{4 + i}, [r{i}, #{offset(4 * word)}]" for i in range(4)))
        for half, turned in enumerate(("", ", ror #8")):
            at = 8 * word + 4 * half
            a(*(f"sxtb16 r{8 + i}, r{4 + i}{turned}" for i in range(4)))
            a("ssub16 r8, r8, r10", "ssub16 r11, r9, r11")
            a(f"str r8, [to, #{offset(at)}]", f"str r11, [to, #{offset(3 * plane + at)}]")
            a("sadd16 r8, r9, r10", "ssub16 r11, r10, r9")
            a(f"str r8, [to, #{offset(plane + at)}]", f"str r11, [to, #{offset(2 * plane + at)}]")
    for row in ("r0", "r1", "r2", "r3"):
        a.add(row, depth)
    a.add("to", 2 * depth)
    a("cmp r0, end", "bne .pixels", "pop {r4-r11, pc}")
    names = ("top", "upper", "lower", "bottom")
    parameters = (*(f"const int8_t *{name}" for name in names), "int16_t *down")
    return Routine(
        "winograd_rows", parameters, a.text(), language="s", about="inputs, transformed downwards"
    )


def _across(tiles: int, depth: int) -> Routine:
    """The planes from left to right, every tile of four columns, two inputs at a time."""
    pixel, block = 2 * depth, 2 * tiles * depth
    a = Assembly(down="r0", tiles="r1", planes="r2", end="r3")
    a("push {r4-r11, lr}", "movs planes, #4", ".planes:")
    a.add("end", pixel, "down")
    a(".words:", "ldr r4, [down]", f"ldr r5, [down, #{offset(pixel)}]")
    columns = ["r4", "r5", "r6", "r7"]
    for tile in range(tiles):
        one, two, three, four = columns
        a(f"ldr {three}, [down, #{offset(pixel * (2 * tile + 2))}]")
        a(f"ldr {four}, [down, #{offset(pixel * (2 * tile + 3))}]")
        a(f"ssub16 r8, {one}, {three}", f"sadd16 r9, {two}, {three}")
        a(f"ssub16 r10, {three}, {two}", f"ssub16 r11, {two}, {four}")
        a(*(f"str r{8 + j}, [tiles, #{offset(j * block + tile * pixel)}]" for j in range(4)))
        columns = [three, four, one, two]
    a("add down, down, #4", "add tiles, tiles, #4", "cmp down, end", "bne .words")
    a.add("down", (2 * tiles + 2) * pixel - pixel)
    a.add("tiles", 4 * block - pixel)
    a("subs planes, planes, #1", "bne .planes", "pop {r4-r11, pc}")
    return Routine(
        "winograd_across",
        ("const int16_t *down", "int16_t *tiles"),
        a.text(),
        language="s",
        about="inputs, transformed from left to right",
    )


def _products(tiles: int, depth: int) -> Routine:
    """At every position two tiles times four filters."""
    a = Assembly(tiles="r0", weights="r1", x_a="r2", x_b="r3")
    a.enter("sums", "positions", "end")
    a("str r2, [sums]", f"movs r3, #{_POSITIONS}", "str r3, [positions]", ".positions:")
    a.add("r2", 2 * tiles * depth, "tiles")
    a("str r2, [end]", ".tiles:")
    for step in range(depth // 2):
        a(f"ldr x_a, [tiles, #{offset(4 * step)}]")
        a(f"ldr x_b, [tiles, #{offset(4 * step + 2 * depth)}]")
        for pair in range(2):
            at = 16 * step + 8 * pair
            a(f"ldr r12, [weights, #{offset(at)}]", f"ldr lr, [weights, #{offset(at + 4)}]")
            for word, sum_ in (("r12", 4 + 4 * pair), ("lr", 6 + 4 * pair)):
                for x, number in (("x_a", sum_), ("x_b", sum_ + 1)):
                    # The first product begins the sum.
                    begin = f"smlad r{number}, {word}, {x}, r{number}"
                    a(f"smuad r{number}, {word}, {x}" if step == 0 else begin)
    a("ldr lr, [sums]", "ldr r2, [end]", "stm lr!, {r4-r11}", "str lr, [sums]")
    a.add("tiles", 4 * depth)
    a("cmp tiles, r2", "bne .tiles", "ldr r3, [positions]")
    a.add("weights", 8 * depth)
    a("subs r3, r3, #1", "str r3, [positions]", "bne .positions")
    a.leave()
    return Routine(
        "winograd_products",
        ("const int16_t *tiles", "const uint32_t *weights", "int16_t *sums"),
        a.text(),
        language="s",
        about="products of four filters",
    )


def _outputs(tiles: int, filters: int, k: int, *, signed: bool) -> Routine:
    """Four filters back to 2x2 outputs a tile: sums of positions, requantised."""
    row = 2 * tiles * filters
    a = Assembly(sums="r0", y="r1", begin="r2", factor="r3", addend="r12", step="lr")
    a.enter("sums_at", "y_at", "constants", "left", "end")
    a("str r0, [sums_at]", "str r1, [constants]", "str r2, [y_at]", "movs r3, #4", "str r3, [left]")
    a(".filters:", "ldr r4, [constants]", "ldm r4!, {begin, factor, addend, step}")
    a("str r4, [constants]", "ldr sums, [sums_at]", "ldr y, [y_at]")
    a.add("r4", row, "y")
    a("str r4, [end]", ".tiles:")
    for tile in range(2):
        _emit_tile(a, 16 * tiles, 4 * tile)
        for one in ("r4", "r5", "r6", "r7"):
            if signed:
                a(f"and r8, step, {one}, asr #31", f"smmla {one}, {one}, factor, addend")
                a(f"sub {one}, {one}, r8")
            else:
                a(f"smmla {one}, {one}, factor, addend")
        a(*(f"ssat {one}, #8, {one}, asr #{k}" for one in ("r4", "r5", "r6", "r7")))
        at = 2 * filters * tile
        a(f"strb r4, [y, #{offset(at)}]", f"strb r5, [y, #{offset(at + filters)}]")
        a(f"strb r6, [y, #{offset(row + at)}]", f"strb r7, [y, #{offset(row + at + filters)}]")
    a("ldr r4, [end]", "add sums, sums, #32")
    a.add("y", 4 * filters)
    a("cmp y, r4", "bne .tiles", "ldr r0, [sums_at]", "ldr r1, [y_at]", "ldr r3, [left]")
    a("add r0, r0, #8", "add r1, r1, #1", "str r0, [sums_at]", "str r1, [y_at]")
    a("subs r3, r3, #1", "str r3, [left]", "bne .filters")
    a.leave()
    return Routine(
        "winograd_outputs",
        ("const int16_t *sums", "const uint32_t *constants", "int8_t *y"),
        a.text(),
        language="s",
        about="sums of four filters to outputs",
    )


def _emit_tile(a: Assembly, position: int, at: int) -> None:
    """16 sums to four: rows 0 and 1 of outputs in r4, r5 and r6, r7.

    The bias goes to position (1, 1), which is in all four outputs.
    """
    for column in range(4):
        for row in range(4):
            a(f"ldr r{8 + row}, [sums, #{offset((4 * row + column) * position + at)}]")
        if column == 0:
            a("add r4, r8, r9", "add r4, r4, r10", "sub r6, r9, r10", "sub r6, r6, r11")
        elif column == 1:
            a("add r9, r9, begin", "add r5, r8, r9", "add r5, r5, r10", "sub r7, r9, r10")
            a("sub r7, r7, r11", "add r4, r4, r5", "add r6, r6, r7")
        else:
            a("add r8, r8, r9", "add r8, r8, r10", "sub r9, r9, r10", "sub r9, r9, r11")
            if column == 2:
                a("add r4, r4, r8", "sub r5, r5, r8", "add r6, r6, r9", "sub r7, r7, r9")
            else:
                a("sub r5, r5, r8", "sub r7, r7, r9")
