"""DEPTHWISE_CONV_2D with 3x3 weights.

Four channels at a time are gathered from NHWC into padded planes of 16 bits, strip by strip of
rows. Then, channel by channel, up to 2x2 outputs are made at once: a word of a plane is two
neighbours, a word of weights too, so that an output takes six products. Weights are stored times
256, which scales sums as the requantisation wants them. A group of channels touches no other
channel's bytes, and rows that are still needed are in the planes: the output may lie over the
input.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from arenite.firmware.cortex_m.asm import Assembly, offset
from arenite.firmware.cortex_m.requantize import Requantization
from arenite.firmware.cortex_m.sums import Int64s, packed, require_int8_range
from arenite.firmware.layers import Layer
from arenite.firmware.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.text import fill
from arenite.firmware.work import Constant, Routine, Scratch, UnsupportedError, Work
from arenite.model import TensorType

#: Bytes of a plane, at most: the fourth one's rows are reached from the first one's.
_PLANE = 1064

_DRIVER = """\
for (int32_t b = 0; b < $images; ++b, x += $image, y += $image_out) {
  const uint32_t *constants = stream;
  for (int32_t c = 0; c < $channels; c += 4, constants += $constants) {
    for (int32_t strip = 0; strip < $strips; ++strip) {
      const int32_t first = strip * $step - $top;
      int32_t row = 0;
      if (strip > 0) {
        for (; row < $kept; ++row)
          for (int32_t plane = 0; plane < 4; ++plane)
            for (int32_t i = 0; i < $words; ++i)
              planes[plane * $plane + row * $words + i] =
                  planes[plane * $plane + (row + $step) * $words + i];
      }
      while (row < $rows) {
        const int32_t iy = first + row;
        if (iy >= 0 && iy < $in_h) {
          const int32_t left = $in_h - iy, wanted = $rows - row;
          const int32_t count = left < wanted ? left : wanted;
          @gather@(x + iy * $row_in + c, planes + row * $words, count);
          row += count;
        } else {
          for (int32_t plane = 0; plane < 4; ++plane)
            for (int32_t i = 0; i < $words; ++i)
              planes[plane * $plane + row * $words + i] = ${zeros}u;
          row += 1;
        }
      }
$convolve
    }
  }
}"""


@dataclass(frozen=True)
class Planes:
    """The geometry: what of the image is in the planes, and what is made of it."""

    channels: int
    width: int
    left: int
    out_width: int
    out_height: int
    stride: int

    @cached_property
    def words(self) -> int:
        """Words of a row: two columns each."""
        columns = (self.out_width - 1) * self.stride + 3
        if self.stride == 1 and self.out_width % 2:
            columns += 1
        return (columns + 1) // 2

    @cached_property
    def strip(self) -> int:
        """Rows of outputs that are made at once; the last strip may be lower."""
        most = (_PLANE // (4 * self.words) - 3) // self.stride + 1
        if most < 1:
            raise UnsupportedError(f"rows of {self.width} columns are too wide")
        count = -(-self.out_height // most)
        strip = -(-self.out_height // count)
        # Outputs are made in pairs of rows.
        return strip + 1 if strip % 2 and strip < min(most, self.out_height) else strip

    @property
    def strips(self) -> int:
        """How many strips there are."""
        return -(-self.out_height // self.strip)

    @property
    def last(self) -> int:
        """Rows of outputs of the last strip."""
        return self.out_height - (self.strips - 1) * self.strip

    @property
    def rows(self) -> int:
        """Rows of a plane."""
        return (self.strip - 1) * self.stride + 3

    @property
    def plane(self) -> int:
        """Bytes of a plane."""
        return 4 * self.words * self.rows


def depthwise_conv_2d(layer: Layer) -> Work:
    """The kernel for 3x3 weights, a depth multiplier of 1 and strides of 1 or 2.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    require_types(layer, TensorType.INT8, inputs=2)
    require_elements(layer)
    require_int8_range(layer.params)
    window, channels = layer.params.window, layer.output.shape[3]
    weights = constant_of(layer.input(1), "weights").astype(np.int64)
    if window.filter_size != (3, 3) or max(window.dilation) > 1:
        raise UnsupportedError("weights are not 3x3, or dilated")
    if window.stride not in ((1, 1), (2, 2)) or layer.params.depth_multiplier != 1 or channels % 4:
        raise UnsupportedError("expected strides of 1 or 2, and channels a multiple of 4")
    rows = weights.reshape(9, channels).T
    g = Planes(
        channels=channels,
        width=layer.input(0).shape[2],
        left=window.padding[1],
        out_width=window.output_size[1],
        out_height=window.output_size[0],
        stride=window.stride[0],
    )
    pack = partial(_pack, rows.reshape(channels, 3, 3), g.stride)
    stream, requantization = packed(layer, rows, pack)
    return _work(layer, g, Constant("stream", stream), requantization.k)


def _pack(
    weights: Int64s, stride: int, bias: Int64s, requantization: Requantization
) -> npt.NDArray[np.uint32]:
    """Per channel its weights in the order of registers, its first sum, its constants."""
    if requantization.signed:
        raise UnsupportedError("outputs of negative sums are seen")
    parts = []
    for channel, taps in enumerate(256 * weights):
        one = requantization.constants(channel, 256)
        begin = 256 * int(bias[channel]) + one.bias
        if requantization.constant[channel]:
            taps, begin = np.zeros_like(taps), 0  # noqa: PLW2901
        if stride == 1:
            halves = taps[:, [0, 1, 1, 2]].reshape(-1)
        else:
            halves = np.concatenate([taps[:, :2].reshape(-1), taps[:, 2], [0]])
        numbers = [begin, one.multiplier, one.addend]
        words = np.array([number & 0xFFFFFFFF for number in numbers], np.uint32)
        parts += [halves.astype("<i2").view("<u4").astype(np.uint32), words]
    return np.concatenate(parts)


def _work(layer: Layer, g: Planes, stream: Constant, k: int) -> Work:
    images, height, width, channels = layer.input(0).shape
    zero = -layer.params.input_offset & 0xFFFF
    parts = [("gather", _gather(g, zero)), ("rows", _rows(g, g.strip, k))]
    convolve = "@rows@(planes, constants, y + c + strip * $out);"
    if g.last != g.strip:
        parts.append(("last", _rows(g, g.last, k)))
        convolve = (
            "if (strip + 1 < $strips)\n"
            f"  {convolve}\n"
            "else\n"
            "  @last@(planes, constants, y + c + strip * $out);"
        )
    size = layer.output.size // images
    text = fill(
        _DRIVER.replace("$convolve", "\n".join(f"      {line}" for line in convolve.split("\n"))),
        images=images,
        image=height * width * channels,
        image_out=size,
        channels=channels,
        constants=4 * (len(stream.values) // channels),
        strips=g.strips,
        step=g.strip * g.stride,
        top=layer.params.window.padding[0],
        kept=g.rows - g.strip * g.stride,
        words=g.words,
        plane=g.plane // 4,
        rows=g.rows,
        in_h=height,
        row_in=width * channels,
        zeros=zero << 16 | zero,
        out=g.strip * g.out_width * channels,
    )
    routine = Routine(
        "depthwise_conv_2d",
        ("const int8_t *x", "const uint32_t *stream", "uint32_t *planes", "int8_t *y"),
        text,
        parts=tuple(parts),
        about=str(layer),
    )
    in_place = (0,) if size <= height * width * channels else ()
    arguments = (layer.input(0), stream, Scratch(4 * g.plane), layer.output)
    return Work(routine, arguments, in_place=in_place)


# -- four channels into planes ------------------------------------------------------------


def _gather(g: Planes, zero: int) -> Routine:
    """Rows of four channels into four planes, with the padding to the left and right."""
    a = Assembly(zeros="r3")
    a("push {r4-r11, lr}")
    a.put("zeros", zero << 16 | zero)
    a(".rows:")
    columns: list[int | None] = [None] * g.left + list(range(g.width))
    columns += [None] * (2 * g.words - len(columns))
    pairs = [(columns[2 * i], columns[2 * i + 1]) for i in range(g.words)]
    inner = [i for i, pair in enumerate(pairs) if None not in pair]
    first, count = (inner[0], len(inner)) if inner else (0, 0)
    turn = _turn(count, g)
    for i in range(first):
        _emit_pair(a, g, pairs[i], i)
    moved = 0
    if count > turn:
        a.add("r12", 4 * count, "r1")
        a(".columns:")
    for i in range(first, first + turn):
        _emit_pair(a, g, pairs[i], i)
    if count > turn:
        a.add("r0", 2 * turn * g.channels)
        a.add("r1", 4 * turn)
        a("cmp r1, r12", "bne .columns")
        moved = count
    for i in range(first + count, g.words):
        one, two = (None if column is None else column - 2 * moved for column in pairs[i])
        _emit_pair(a, g, (one, two), i - moved)
    a.add("r0", (g.width - 2 * moved) * g.channels)
    a.add("r1", 4 * (g.words - moved))
    a("subs r2, r2, #1", "bne .rows", "pop {r4-r11, pc}")
    parameters = ("const int8_t *x", "uint32_t *planes", "int32_t rows")
    return Routine(
        "gather", parameters, a.text(), language="s", about="four channels of rows into planes"
    )


def _turn(count: int, g: Planes) -> int:
    """How many words of a row are made in one turn of the loop."""
    if count <= 8 and (2 * count + 2) * g.channels < 4096:
        return count
    return next(n for n in (4, 3, 2, 1) if count % n == 0)


def _emit_pair(a: Assembly, g: Planes, columns: tuple[int | None, int | None], word: int) -> None:
    """Two columns of four channels: a word of every plane."""
    halves = []
    for column, (loaded, even, odd) in zip(
        columns, (("r4", "r6", "r7"), ("r5", "r8", "r9")), strict=True
    ):
        if column is not None:
            a(f"ldr {loaded}, [r0, #{offset(column * g.channels)}]")
        halves.append(("zeros", "zeros") if column is None else (even, odd))
    for column, (loaded, even, odd) in zip(
        columns, (("r4", "r6", "r7"), ("r5", "r8", "r9")), strict=True
    ):
        if column is not None:
            a(f"sxtb16 {even}, {loaded}", f"sxtb16 {odd}, {loaded}, ror #8")
    (even_0, odd_0), (even_1, odd_1) = halves
    a(f"pkhbt r4, {even_0}, {even_1}, lsl #16", f"pkhbt r5, {odd_0}, {odd_1}, lsl #16")
    a(f"pkhtb r10, {even_1}, {even_0}, asr #16", f"pkhtb r11, {odd_1}, {odd_0}, asr #16")
    for plane, register in enumerate(("r4", "r5", "r10", "r11")):
        a(f"str {register}, [r1, #{offset(plane * g.plane + 4 * word)}]")


# -- outputs of four channels -------------------------------------------------------------

_SUMS = (("r8", "r9"), ("r10", "r11"))


def _rows(g: Planes, height: int, k: int) -> Routine:
    """A strip of outputs of four channels, one channel after the other."""
    a = Assembly(planes="r0", y="r1")
    a.enter("begin", "factor", "addend", "planes_at", "y_at", "stream", "channels", "rows", "end")
    a("str r0, [planes_at]", "str r2, [y_at]", "movs r3, #4", "str r3, [channels]", "mov r12, r1")
    a(".channels:", f"ldm r12!, {{r2-r{7 if g.stride == 1 else 6}}}", "ldm r12!, {r8, r9, r10}")
    a("str r8, [begin]", "str r9, [factor]", "str r10, [addend]", "str r12, [stream]")
    a("ldr planes, [planes_at]", "ldr y, [y_at]")
    pairs = height // 2
    if pairs:
        if pairs > 1:
            a(f"movs r12, #{pairs}", "str r12, [rows]", ".pairs:")
        moved, moved_out = _emit_row(a, g, 2, k)
        if pairs > 1:
            a("ldr r12, [rows]")
        if pairs > 1 or height % 2:
            a.add("planes", 8 * g.words * g.stride - moved)
            a.add("y", 2 * g.out_width * g.channels - moved_out)
        if pairs > 1:
            a("subs r12, r12, #1", "str r12, [rows]", "bne .pairs")
    if height % 2:
        _emit_row(a, g, 1, k)
    a("ldr r0, [planes_at]", "ldr r1, [y_at]", "ldr r12, [stream]", "ldr r8, [channels]")
    a.add("r0", g.plane)
    a("add r1, r1, #1", "str r0, [planes_at]", "str r1, [y_at]")
    a("subs r8, r8, #1", "str r8, [channels]", "bne .channels")
    a.leave()
    return Routine(
        "depthwise_rows",
        ("const uint32_t *planes", "const uint32_t *stream", "int8_t *y"),
        a.text(),
        language="s",
        about=f"{height} rows of {g.out_width} outputs of four channels",
    )


def _emit_row(a: Assembly, g: Planes, rows: int, k: int) -> tuple[int, int]:
    """One or two rows of outputs; how far the pointers were moved."""
    pairs = g.out_width // 2
    turn = pairs if pairs <= 3 else 2 if pairs % 2 == 0 else 1
    step, moved, moved_out = 4 * g.stride, 0, 0
    if pairs > turn:
        a.add("r12", step * pairs, "planes")
        a("str r12, [end]", f".columns_{rows}:")
    for i in range(turn):
        _Block(a, g, rows, 2, k).emit(step * i, 2 * g.channels * i)
    if pairs > turn:
        a.add("planes", step * turn)
        a.add("y", 2 * g.channels * turn)
        a("ldr r12, [end]", "cmp planes, r12", f"bne .columns_{rows}")
        moved, moved_out = step * pairs, 2 * g.channels * pairs
    if g.out_width % 2:
        _Block(a, g, rows, 1, k).emit(step * pairs - moved, 2 * g.channels * pairs - moved_out)
    return moved, moved_out


@dataclass
class _Block:
    """``rows`` x ``columns`` outputs of one channel."""

    a: Assembly
    g: Planes
    rows: int
    columns: int
    k: int

    def emit(self, at: int, out: int) -> None:
        """Inputs are at ``planes + at``, outputs go to ``y + out``."""
        a, begun = self.a, set[str]()
        last = _SUMS[self.rows - 1][self.columns - 1]
        words = self._words()
        for i in range((self.rows - 1) * self.g.stride + 3):
            for number, word in enumerate(words):
                a(f"ldr {word}, [planes, #{offset(at + 4 * (self.g.words * i + number))}]")
            if i == 0:
                a(f"ldr {last}, [begin]")
            for row in range(self.rows):
                tap = i - row * self.g.stride
                if 0 <= tap <= 2:
                    self._products(row, tap, words, last, begun)
        sums = [_SUMS[row][column] for row in range(self.rows) for column in range(self.columns)]
        a("ldr r12, [factor]", "ldr lr, [addend]")
        a(*(f"smmla {one}, {one}, r12, lr" for one in sums))
        a(*(f"ssat {one}, #8, {one}, asr #{self.k}" for one in sums))
        for number, one in enumerate(sums):
            row, column = divmod(number, self.columns)
            place = out + (row * self.g.out_width + column) * self.g.channels
            a(f"strb {one}, [y, #{offset(place)}]")

    def _words(self) -> list[str]:
        """Registers for the words of a row of inputs."""
        if self.g.stride == 1:
            return ["r12", "lr"]
        return ["r7", "r12", "lr"][: self.columns + 1]

    def _products(self, row: int, tap: int, words: list[str], last: str, begun: set[str]) -> None:
        """Three weights of a row of taps; the first product adds to the sum's beginning."""
        for column in range(self.columns):
            into = _SUMS[row][column]
            begin = into if into in begun else last
            begun.add(into)
            if self.g.stride == 2:
                side, third = (("b", "r5"), ("t", "r5"), ("b", "r6"))[tap]
                self.a(f"smlad {into}, {words[column]}, r{2 + tap}, {begin}")
                self.a(f"smlab{side} {into}, {words[column + 1]}, {third}, {into}")
                continue
            w01, w12 = f"r{2 + 2 * tap}", f"r{3 + 2 * tap}"
            if column == 0:
                self.a(f"smlad {into}, {words[0]}, {w01}, {begin}")
                self.a(f"smlabt {into}, {words[1]}, {w12}, {into}")
            else:
                self.a(f"smlatb {into}, {words[0]}, {w01}, {begin}")
                self.a(f"smlad {into}, {words[1]}, {w12}, {into}")
