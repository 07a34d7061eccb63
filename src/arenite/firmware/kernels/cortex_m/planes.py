"""Four channels at a time as padded planes of 16 bits: what depthwise convolutions read.

Rows of NHWC are gathered strip by strip. A group of channels touches no other channel's bytes, and
rows that are still needed are in the planes, so that outputs may lie over inputs. Where channels
are no multiple of four, the last group begins with some that were done before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import (
    Arrays,
    Constant,
    Routine,
    Scratch,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Offset, Windowed
from arenite.ops.shared.window import Window

#: Bytes of a plane: the fourth one's rows are reached from the first one's; or, of wide images,
#: from the third one's.
_PLANE, _WIDE = 1064, 2040
#: Pixels of a window with its gaps, at most: files may have any.
_SPAN = 1024
#: Channels of a group.
GROUP = 4

_C = templates(__name__)


@dataclass(frozen=True)
class Planes:
    """The geometry: what of the image is in the planes, and what is made of it.

    ``kernel`` is what a window spans, with the ``dilation``'s gaps in it. ``block`` outputs of a
    row are made at once, ``multiplier`` channels of one.
    """

    channels: int
    height: int
    width: int
    top: int
    left: int
    kernel: tuple[int, int]
    stride: tuple[int, int]
    out_height: int
    out_width: int
    block: int = 1
    multiplier: int = 1
    dilation: tuple[int, int] = (1, 1)

    @property
    def filters(self) -> int:
        """Channels of the output."""
        return self.channels * self.multiplier

    @cached_property
    def order(self) -> list[int]:
        """The output's channels in the order of their constants."""
        if self.multiplier == 1:
            return list(range(self.channels))
        starts = (min(first, self.channels - GROUP) for first in range(0, self.channels, GROUP))
        return [
            (first + channel) * self.multiplier + number
            for first in starts
            for number in range(self.multiplier)
            for channel in range(GROUP)
        ]

    @cached_property
    def words(self) -> int:
        """Words of a row: two columns each."""
        outputs = -(-self.out_width // self.block) * self.block
        columns = (outputs - 1) * self.stride[1] + self.kernel[1]
        # Taps at odd columns begin a column before theirs, and end behind them.
        odd = self.block == 1 and self.stride[1] % 2
        return (columns + odd + 1) // 2

    @cached_property
    def strip(self) -> int:
        """Rows of outputs that are made at once; the last strip may be lower."""
        most = self._rows_within(_PLANE) or self._rows_within(_WIDE)
        if most < 1:
            raise UnsupportedError(f"rows of {self.width} columns are too wide")
        count = -(-self.out_height // most)
        strip = -(-self.out_height // count)
        # Outputs may be made in pairs of rows.
        return strip + 1 if strip % 2 and strip < min(most, self.out_height) else strip

    def _rows_within(self, plane: int) -> int:
        """Rows of outputs that planes of so many bytes are enough for, at most."""
        return max((plane // (4 * self.words) - self.kernel[0]) // self.stride[0] + 1, 0)

    @property
    def strips(self) -> int:
        """The number of strips."""
        return -(-self.out_height // self.strip)

    @property
    def last(self) -> int:
        """Rows of outputs of the last strip."""
        return self.out_height - (self.strips - 1) * self.strip

    @property
    def rows(self) -> int:
        """Rows of a plane."""
        return (self.strip - 1) * self.stride[0] + self.kernel[0]

    @property
    def plane(self) -> int:
        """Bytes of a plane."""
        return 4 * self.words * self.rows

    @property
    def in_place(self) -> bool:
        """Whether outputs may lie over inputs."""
        return self.multiplier == 1 and not self.channels % GROUP and self.keeps_ahead(self.strip)

    def keeps_ahead(self, strip: int) -> bool:
        """Whether outputs of so many rows at a time do not reach inputs that were not read yet."""
        return all(
            done * self.out_width <= self._read(done) * self.width
            for done in (*range(strip, self.out_height, strip), self.out_height)
        )

    def _read(self, rows: int) -> int:
        """Rows of inputs that were read for so many rows of outputs."""
        if rows == self.out_height:
            return self.height
        return min((rows - 1) * self.stride[0] + self.kernel[0] - self.top, self.height)


def planes_of(layer: Layer[Windowed], block: int = 1, multiplier: int = 1) -> Planes:
    """The geometry of a layer; an image of one column is seen as one row."""
    window, (_, height, width, channels) = layer.params.window, layer.input(0).shape
    if width == window.filter_size[1] == 1 and window.padding[1] == 0:
        window, height, width = turned(window), width, height
    return Planes(
        *(channels, height, width, *window.padding, span_of(window), window.stride),
        *(*window.output_size, block, multiplier, window.dilation),
    )


def turned(window: Window) -> Window:
    """The window of an image whose rows are columns."""

    def turn(pair: tuple[int, int]) -> tuple[int, int]:
        return pair[1], pair[0]

    pairs = (window.output_size, window.filter_size, window.stride, window.dilation, window.padding)
    return Window(*map(turn, pairs))


def span_of(window: Window) -> tuple[int, int]:
    """Rows and columns from the first of a window to its last."""
    taps, dilation = window.filter_size, window.dilation
    rows, columns = ((n - 1) * by + 1 for n, by in zip(taps, dilation, strict=True))
    if max(rows, columns) > _SPAN:
        raise UnsupportedError(f"windows span {rows}x{columns} pixels, of at most {_SPAN}")
    return rows, columns


def by_planes(
    layer: Layer[Offset], g: Planes, stream: Constant, rows: Callable[[int], Routine]
) -> Work:
    """The driver: strips are gathered, then ``rows(height)`` makes their outputs."""
    zero = -layer.params.input_offset & 0xFFFF
    parts = [("gather", gather(g, zero)), ("rows", rows(g.strip))]
    if g.last != g.strip:
        parts.append(("last", rows(g.last)))
    text = with_lines(_C["driver"], convolve=_convolve(g))
    text = fill(text, **_numbers(layer, g, len(stream.values) // len(g.order), zero))
    arrays: Arrays = {
        "x": layer.input(0),
        "stream": stream,
        "uint32_t *planes": Scratch(4 * g.plane),
    }
    in_place = (0,) if g.in_place else ()
    stem = "depthwise_conv_2d"
    return work_of(layer, text, arrays, stem=stem, parts=tuple(parts), in_place=in_place)


def _convolve(g: Planes) -> str:
    """The calls for a strip, one for each channel that is made of one."""
    place = "constants, y + c" if g.multiplier == 1 else "more, y + c * $multiplier + m"
    call = f"@rows@(planes, {place} + strip * $out);"
    if g.last != g.strip:
        last = call.replace("@rows@", "@last@")
        call = f"if (strip + 1 < $strips)\n  {call}\nelse\n  {last}"
    return call if g.multiplier == 1 else with_lines(_C["several"], call=call)


def _numbers(layer: AnyLayer, g: Planes, constants: int, zero: int) -> dict[str, int | str]:
    """The names in the driver's text."""
    last = g.channels - GROUP
    return {
        "images": layer.input(0).shape[0],
        "image": g.height * g.width * g.channels,
        "image_out": g.out_height * g.out_width * g.filters,
        "channels": g.channels,
        "group": f"group < {last} ? group : {last}" if g.channels % GROUP else "group",
        "constants": constants * g.multiplier,
        "from": "c" if g.multiplier == 1 else "group",
        "multiplier": g.multiplier,
        "own": GROUP * constants,
        "strips": g.strips,
        "step": g.strip * g.stride[0],
        "top": g.top,
        "kept": g.rows - g.strip * g.stride[0],
        "words": g.words,
        "plane": g.plane // 4,
        "rows": g.rows,
        "in_h": g.height,
        "row_in": g.width * g.channels,
        "zeros": zero << 16 | zero,
        "out": g.strip * g.out_width * g.filters,
    }


def gather(g: Planes, zero: int) -> Routine:
    """Rows of four channels into four planes, with the padding to the left and right."""
    a = Assembly(zeros="r3")
    a("push {r4-r11, lr}")
    if g.plane > _PLANE:
        a.add("lr", 2 * g.plane, "r1")
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
        _move(a, g, 4 * turn)
        a("cmp r1, r12", "bne .columns")
        moved = count
    for i in range(first + count, g.words):
        one, two = (None if column is None else column - 2 * moved for column in pairs[i])
        _emit_pair(a, g, (one, two), i - moved)
    a.add("r0", (g.width - 2 * moved) * g.channels)
    _move(a, g, 4 * (g.words - moved))
    a("subs r2, r2, #1", "bne .rows", "pop {r4-r11, pc}")
    parameters = ("const int8_t *x", "uint32_t *planes", "int32_t rows")
    return a.routine("gather", parameters, "four channels of rows into planes")


def _move(a: Assembly, g: Planes, by: int) -> None:
    """On in all planes."""
    a.add("r1", by)
    if g.plane > _PLANE:
        a.add("lr", by)


def _turn(count: int, g: Planes) -> int:
    """Words of a row that one turn of the loop makes."""
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
        base, at = ("lr", plane - 2) if g.plane > _PLANE and plane > 1 else ("r1", plane)
        a(f"str {register}, [{base}, #{offset(at * g.plane + 4 * word)}]")
