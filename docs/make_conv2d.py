"""Draw the pictures of ``conv2d.md``: ``python docs/make_conv2d.py``.

Every number in them is computed by Arenite's model of CMSIS-NN, for the bundled model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import arenite as ar
from arenite.analysis.device import device_operators
from arenite.libraries.cmsis_nn.arithmetic import dsp, mve
from arenite.libraries.cmsis_nn.arithmetic.convolve import ConvArguments, im2col
from arenite.libraries.cmsis_nn.arithmetic.mat_mult_mve import offsets
from arenite.libraries.cmsis_nn.arithmetic.support import (
    arm_nn_read_s8x4,
    arm_s8_to_s16_unordered_with_offset,
)
from arenite.libraries.cmsis_nn.arithmetic.trace import requantization
from arenite.libraries.cmsis_nn.cost.estimate import cost_of
from arenite.libraries.cmsis_nn.operators.conv_2d import arguments
from arenite.report.drawing import LARGE, SMALL, Drawing, documents
from arenite.report.text import number
from arenite.target import find_target

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
MODEL = ROOT / "examples" / "digits" / "digits_int8.tflite"
DIGIT = ROOT / "examples" / "digits" / "images" / "7.png"
WIDTH, LEFT = 780, 20


@dataclass(frozen=True)
class Layer:
    """The first convolution on the picture of a 7: two positions and two channels of it."""

    args: ConvArguments
    image: np.ndarray
    scales: tuple[float, np.ndarray, float]
    output: np.ndarray

    positions = (2, 3)
    channels = (2, 3)

    @property
    def rows(self) -> np.ndarray:
        """Both rows of im2col."""
        return self.windows(self.positions)

    def windows(self, positions: tuple[int, ...]) -> np.ndarray:
        """Rows of im2col."""
        rows = np.empty((len(positions), 9), np.int8)
        im2col(self.args, self.image, np.array(positions), rows)
        return rows

    @property
    def weights(self) -> np.ndarray:
        """Those of both channels."""
        return self.args.weights[list(self.channels)].reshape(2, 9)

    def sums(self, columns: int) -> np.ndarray:
        """Accumulators ``[channel, position]`` after so many columns."""
        x = self.rows[:, :columns].astype(int) + self.args.quant.input_offset
        bias = self.args.bias[list(self.channels)][:, np.newaxis]
        return self.weights[:, :columns].astype(int) @ x.T + bias


@cache
def layer(target: str = "cortex-m4") -> Layer:
    """The layer as built for a target."""
    model, processor = ar.load(MODEL), find_target(target)
    operator = device_operators(model, processor)[0]
    x, weights, bias = operator.view.inputs[:3]
    out = operator.view.output(0)
    assert x is not None
    assert weights is not None
    assert bias is not None
    assert operator.path is not None
    operands = (x.shape, weights.data, bias.data, out.shape)
    image = (np.array(Image.open(DIGIT)) ^ 0x80).view(np.int8).reshape(1, 8, 8, 1)
    interpreter = ar.Interpreter(model, engine="reference", preserve_all_tensors=True)
    interpreter(image)
    return Layer(
        args=arguments(operator.params, operands, operator.path, processor, Counter()),
        image=image[0],
        scales=(x.scale, weights.quantization.scale, out.scale),  # type: ignore[union-attr]
        output=interpreter.tensor(out.index).copy(),
    )


def conv_window() -> Drawing:
    """A window and its row of im2col."""
    one = layer()
    d = Drawing(WIDTH, 330, "A window of the picture, and the row of im2col that it becomes")
    d.text(LEFT, 24, "im2col: the window at output (0, 2)", size=LARGE, bold=True)
    d.text(LEFT, 46, "int8 pixels; above row 0 there is padding", size=SMALL, dim=True)
    row = one.rows[0]
    for y in range(-1, 3):
        d.text(74, 78 + 30 * (y + 1), "padding" if y < 0 else f"row {y}", anchor="end", size=SMALL)
        for x in range(8):
            inside = y <= 1 and 1 <= x <= 3
            value = "" if y < 0 and not inside else str(row[x - 1] if y < 0 else one.image[y, x, 0])
            fill = "none" if not inside else "red" if y < 0 else "green"
            d.box((84 + 46 * x, 60 + 30 * (y + 1)), (46, 30), fill, value)
    d.text(480, 84, f"padding holds {-one.args.quant.input_offset}: it is", size=SMALL)
    d.text(480, 100, "-input_offset, which stands for 0.", size=SMALL)
    d.arrow((84 + 46 * 2.5, 186), (84 + 46 * 2.5, 236))
    d.text(84 + 46 * 2.5 + 10, 216, "row after row", size=SMALL, dim=True)
    d.cells(84, 242, [str(v) for v in row], width=60, height=32, fills=["red"] * 3 + ["green"] * 6)
    for place in range(9):
        d.text(
            84 + 60 * place + 30,
            292,
            f"{place // 3},{place % 3}",
            anchor="middle",
            size=SMALL,
            dim=True,
        )
    d.text(74, 263, "im2col", anchor="end", size=SMALL)
    d.text(74, 292, "tap", anchor="end", size=SMALL, dim=True)
    d.text(
        LEFT,
        320,
        "One row per output position. C keeps two of them at a time.",
        size=SMALL,
        dim=True,
    )
    return d


def _hex(register: Any) -> str:
    return f"0x{int(register) & 0xFFFFFFFF:08x}"


def _halves(register: Any) -> list[str]:
    return [str(int(dsp.bottom(np.asarray(register)))), str(int(dsp.top(np.asarray(register))))]


def conv_widening() -> Drawing:
    """Four int8 become int16."""
    one, count = layer(), Counter[str]()
    four, offset = one.rows[0, 4:8], one.args.quant.input_offset
    word, packed = arm_nn_read_s8x4(four), dsp.pkhbt(offset, offset, 16, count)
    turned = dsp.ror(word, 8, count)
    even, odd = dsp.sxtab16(packed, word, count), dsp.sxtab16(packed, turned, count)
    stored = np.empty(4, np.int16)
    arm_s8_to_s16_unordered_with_offset(four, stored, offset, count)
    d = Drawing(WIDTH, 372, "Four int8 become int16 in the order 0, 2, 1, 3")
    d.text(LEFT, 24, "int8 to int16: columns 4 to 7 of the row", size=LARGE, bold=True)
    names = ("blue", "amber", "green", "pink")
    d.text(LEFT, 70, "memory, int8")
    d.cells(150, 52, [str(v) for v in four], width=70, fills=names)
    d.text(450, 70, f"one load: {_hex(word)}", dim=True)
    for place in range(4):
        d.text(150 + 70 * place + 35, 94, f"byte {place}", anchor="middle", size=SMALL, dim=True)
    d.text(LEFT, 154, "PKHBT")
    d.cells(150, 136, [str(offset)] * 2, width=140)
    d.text(450, 154, f"the offset, twice: {_hex(packed)}", dim=True)
    for y, name, register, fills, note in (
        (184, "SXTAB16", even, names[::2], "bytes 0 and 2, plus the offset"),
        (232, "ROR, SXTAB16", odd, names[1::2], "bytes 1 and 3, plus the offset"),
    ):
        d.text(LEFT, y + 18, name)
        d.cells(150, y, _halves(register), width=140, fills=fills)
        d.text(450, y + 18, f"{_hex(register)}", dim=True)
        d.text(450, y + 33, note, size=SMALL, dim=True)
    d.arrow((290, 262), (290, 296))
    d.text(LEFT, 318, "memory, int16")
    d.cells(150, 300, [str(v) for v in stored], width=70, fills=[names[i] for i in (0, 2, 1, 3)])
    for place, index in enumerate((0, 2, 1, 3)):
        d.text(
            150 + 70 * place + 35, 342, f"column {4 + index}", anchor="middle", size=SMALL, dim=True
        )
    d.text(450, 318, "two stores of 32 bits", dim=True)
    d.text(
        LEFT,
        364,
        "Registers are drawn with the low half at the left, as memory is.",
        size=SMALL,
        dim=True,
    )
    return d


def conv_smlad() -> Drawing:
    """The innermost step: eight SMLAD."""
    one = layer()
    before, after = one.sums(4), one.sums(8)
    x = one.rows[:, 4:8].astype(int) + one.args.quant.input_offset
    w = one.weights[:, 4:8].astype(int)
    d = Drawing(WIDTH, 386, "Two channels times two positions times four columns: eight SMLAD")
    title = "arm_nn_mat_mult_kernel_s8_s16: columns 4 to 7, eight SMLAD"
    d.text(LEFT, 24, title, size=LARGE, bold=True)
    d.text(
        LEFT,
        46,
        "2 channels (rows of weights) x 2 positions (rows of inputs)",
        size=SMALL,
        dim=True,
    )
    for p in range(2):
        left = 210 + 280 * p
        d.text(left + 120, 74, f"position (0, {one.positions[p]})", anchor="middle")
        d.cells(
            left + 24,
            84,
            [f"{x[p, i]}" for i in (0, 2, 1, 3)],
            width=48,
            fills=("blue", "blue", "green", "green"),
        )
    for c in range(2):
        top = 140 + 112 * c
        d.text(LEFT, top + 20, f"channel {one.channels[c]}")
        d.cells(
            LEFT,
            top + 30,
            [f"{w[c, i]}" for i in (0, 2, 1, 3)],
            width=44,
            fills=("blue", "blue", "green", "green"),
        )
        for p in range(2):
            _products(d, (210 + 280 * p, top), (before[c, p], after[c, p]), w[c], x[p])
    d.box((LEFT, 366), (12, 12), "blue")
    d.text(LEFT + 18, 376, "columns 4 and 6, one register", size=SMALL)
    d.box((270, 366), (12, 12), "green")
    d.text(288, 376, "columns 5 and 7, one register", size=SMALL)
    return d


def _products(
    d: Drawing, corner: tuple[int, int], sums: tuple[int, int], w: np.ndarray, x: np.ndarray
) -> None:
    (left, top), (before, after) = corner, sums
    d.box((left, top), (270, 98))
    d.text(left + 260, top + 20, number(int(before)), anchor="end")
    for line, (i, j) in enumerate(((0, 2), (1, 3))):
        y = top + 40 + 20 * line
        d.text(left + 8, y, "SMLAD", size=SMALL, dim=True)
        total = int(w[i] * x[i] + w[j] * x[j])
        d.text(
            left + 260,
            y,
            f"{w[i]} x {x[i]} + {w[j]} x {x[j]} =  {total:+,}",
            anchor="end",
            size=SMALL,
        )
    d.line((left + 144, top + 68), (left + 260, top + 68))
    d.text(left + 8, top + 20, "sum so far", dim=True)
    d.text(left + 260, top + 88, number(int(after)), anchor="end", bold=True)


def conv_requantize() -> Drawing:
    """From the accumulator to int8, with the real numbers beside."""
    one = layer()
    channel = one.channels[1]
    r = requantization(int(one.sums(9)[1, 0]), one.args.quant, channel)
    x_scale, w_scale, y_scale = one.scales
    real = r.acc * x_scale * float(w_scale[channel])
    d = Drawing(
        WIDTH, 344, "An accumulator on its way to int8, and the real numbers that it stands for"
    )
    d.text(LEFT, 24, f"Requantisation: channel {channel} at (0, 2)", size=LARGE, bold=True)
    d.text(LEFT, 56, "integer", dim=True)
    d.text(480, 56, "stands for", dim=True)
    rows = [
        (
            "sum",
            number(r.acc),
            f"{real:.4f}, in steps of {x_scale * float(w_scale[channel]):.3g}",
            "blue",
        ),
        ("SMLAL", number(r.product), f"x {r.multiplier}, + 2^30", "grey"),
        (">> 31", number(r.high), f"{real / y_scale:.3f} x 2^{-r.shift}", "grey"),
        (
            f">> {-r.shift}, rounded",
            number(r.scaled),
            f"{real / y_scale:.3f} steps of {y_scale:.4g}",
            "green",
        ),
        (
            "zero point",
            number(r.with_offset),
            f"plus {one.args.quant.output_offset}, which stands for 0",
            "grey",
        ),
        (
            "clamp",
            str(r.value),
            f"{(r.value - one.args.quant.output_offset) * y_scale:.4f}",
            "amber",
        ),
    ]
    for place, (name, value, meaning, fill) in enumerate(rows):
        y = 68 + 46 * place
        d.text(LEFT + 120, y + 19, name, anchor="end")
        d.box((LEFT + 134, y), (290, 28), fill, value)
        d.text(480, y + 19, meaning)
        if place:
            d.arrow((LEFT + 279, y - 18), (LEFT + 279, y - 1))
    return d


def conv_vectors() -> Drawing:
    """Sixteen columns in a vector, four positions at a time."""
    one, count = layer("cortex-m55"), Counter[str]()
    positions = (0, 1, 2, 3)
    channel, rows = one.channels[1], one.windows(positions)
    weights = one.args.weights[channel].reshape(9)
    sum_tmp = mve.vaddva(np.int32(0), weights, count)
    d = Drawing(WIDTH, 330, "A vector of weights times vectors of four positions")
    title = f"arm_nn_mat_mult_nt_t_s8 with vectors: channel {channel} at four positions"
    d.text(LEFT, 24, title, size=LARGE, bold=True)
    d.text(
        LEFT, 46, "16 lanes; a row has 9 values, so 7 lanes are switched off", size=SMALL, dim=True
    )
    width = 32

    def vector(y: int, name: str, values: Any, fill: str, result: str) -> None:
        d.text(106, y + 17, name, anchor="end", size=SMALL)
        for place in range(16):
            text = str(values[place]) if place < len(values) else ""
            d.box((112 + width * place, y), (width, 24), fill if text else "grey")
            d.text(112 + width * (place + 0.5), y + 16, text, anchor="middle", size=9)
        d.text(112 + width * 16 + 8, y + 17, result, size=SMALL)

    vector(60, "weights", weights, "amber", f"VADDVA {number(int(sum_tmp))}")
    sums = []
    for place, row in enumerate(rows):
        acc = mve.vmladava(np.int32(0), weights, row, count)
        sums.append(int(acc))
        vector(100 + 32 * place, f"(0, {place})", row, "blue", f"VMLADAVA {number(int(acc))}")
    more = int(offsets(sum_tmp, one.args.bias[channel], one.args.quant))
    quant = one.args.quant
    d.text(
        112,
        252,
        f"behind the loop, to all four:  {number(int(sum_tmp))} x offset {quant.input_offset}"
        f" + bias {number(int(one.args.bias[channel]))} = {number(more)}",
    )
    values = [requantization(total + more, quant, channel).value for total in sums]
    d.text(112, 278, "VQRDMULH and shifts, zero point, clamp:")
    d.cells(112, 288, [str(value) for value in values], width=64, fills=["green"] * 4)
    d.text(112 + 64 * 4 + 12, 305, "one vector of four int32, stored as int8", size=SMALL, dim=True)
    return d


def conv_cost() -> Drawing:
    """Where the layer's instructions go."""
    d = Drawing(WIDTH, 392, "Instructions of the layer, loop by loop, on Cortex-M4 and Cortex-M55")
    d.text(LEFT, 24, "Instructions of this layer, by function (estimated)", size=LARGE, bold=True)
    y, scale = 48, 0.0
    for target in ("cortex-m4", "cortex-m55"):
        functions, total = _functions(target)
        scale = scale or 300 / functions[0][1]
        d.text(LEFT, y + 14, f"{target}: {number(total)}", bold=True)
        for name, count in functions:
            y += 26
            d.text(370, y + 14, name, anchor="end", size=SMALL)
            d.box(
                (380, y), (max(count * scale, 2), 18), "blue" if target == "cortex-m4" else "green"
            )
            d.text(388 + count * scale, y + 14, number(count), size=SMALL)
        y += 46
    return d


def _functions(target: str) -> tuple[list[tuple[str, int]], int]:
    processor = find_target(target)
    operator = device_operators(ar.load(MODEL), processor)[0]
    cost = cost_of(operator.view, operator.path, processor)
    assert cost is not None
    counts: Counter[str] = Counter()
    for line in cost.lines:
        counts[line.loop.function] += round(line.instructions)
    return counts.most_common(), cost.instructions


FIGURES = (
    conv_window,
    conv_widening,
    conv_smlad,
    conv_requantize,
    conv_vectors,
    conv_cost,
)


def figures() -> Iterator[tuple[Path, str]]:
    """Every picture's file and text."""
    return documents(IMAGES, FIGURES)


if __name__ == "__main__":
    for path, text in figures():
        path.write_text(text, encoding="utf-8")
