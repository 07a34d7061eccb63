"""One operator explained; an int8 convolution's first output value, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.convolution_walk import ConvolutionWalk
from arenite.analysis.device import DeviceOperator
from arenite.analysis.explanation import Explanation
from arenite.libraries.walk import Requantization, Step, Walk
from arenite.model.text import printable
from arenite.ops import TfLiteTensor
from arenite.report.explain import UNICODE, Marks, heading, operator_lines, why
from arenite.report.text import Column, counted, number, table, wrapped

_TAPS, _FIRST_STEPS, _LAST_STEPS, _CHANNELS = 9, 4, 2, 4
_ROOM = 20  # cells for a meaning beside its value; else it takes lines of its own


# -- text -----------------------------------------------------------------------------


def render_operator(
    what: Explanation,
    index: int,
    one: ConvolutionWalk | None,
    width: int,
    marks: Marks = UNICODE,
) -> Iterator[Text]:
    """An operator: tensors, path, what it takes; then the walk if there is one."""
    operator = what.operators[index]
    yield from heading(what, width)
    yield Text()
    yield from operator_lines(operator, width)
    yield from why(what, [operator], width, marks)
    yield Text()
    yield from _tensors(operator, width)
    yield from _takes(what, operator, width)
    if one is not None:
        yield from _walk(one, width, marks)


def _tensors(operator: DeviceOperator, width: int) -> list[Text]:
    view = operator.view
    if view.name in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
        names = ["input", "weights", "bias"]
    elif len(view.inputs) > 1:
        names = [f"input {index}" for index in range(len(view.inputs))]
    else:
        names = ["input"]
    inputs = zip(names, view.inputs, strict=False)
    outputs = (("output", tensor) for tensor in view.outputs)
    rows = [(name, tensor) for name, tensor in (*inputs, *outputs) if tensor is not None]
    return table(
        [
            Column("", [name for name, _ in rows]),
            Column("tensor", [_tensor(t) for _, t in rows]),
            Column("scale", [_scale(t) for _, t in rows], keep=1),
            Column("zero point", [_zero_point(t) for _, t in rows], "right", keep=2),
            Column("name", [printable(t.name) for _, t in rows], keep=3, shrink=12),
        ],
        width,
    )


def _tensor(tensor: TfLiteTensor) -> str:
    return f"{tensor.type}[{','.join(map(str, tensor.shape))}]"


def _scale(tensor: TfLiteTensor) -> str:
    if tensor.quantization is None or not len(tensor.quantization.scale):
        return ""
    scales = tensor.quantization.scale
    first = f"{float(scales[0]):.6g}"
    return first if len(scales) == 1 else f"{first}, ... ({len(scales)} channels)"


def _zero_point(tensor: TfLiteTensor) -> str:
    if tensor.quantization is None or len(tensor.quantization.zero_point) != 1:
        return ""
    return str(tensor.zero_point)


def _takes(what: Explanation, operator: DeviceOperator, width: int) -> Iterator[Text]:
    scratch = ", ".join(f"{number(r.size)} bytes ({r.purpose})" for r in operator.scratch)
    counts = what.instructions(operator).most_common()
    yield Text()
    yield Text(f"MACs     {number(operator.macs) if operator.macs is not None else '?'}")
    yield from wrapped(f"scratch  {scratch or 'none'}", width, indent=9)
    if counts:
        listed = ", ".join(f"{name} {number(count)}" for name, count in counts)
        yield from wrapped(f"runs     {listed}", width, indent=9)


# -- the walk -------------------------------------------------------------------------


def _walk(one: ConvolutionWalk, width: int, marks: Marks) -> Iterator[Text]:
    numbers = one.numbers
    parts = [_row(one, width)]
    if numbers.widening is not None:
        parts.append(_widening(numbers, width))
    sums = [_sums(numbers, width)]
    if numbers.weight_sums:
        # Vectors add the offset's part behind the loop.
        sums.insert(numbers.instructions == "mve", _offsets(numbers, width))
    parts += [*sums, _requantized(one, width), _check(numbers, marks)]
    for place, lines in enumerate(parts, 1):
        yield Text()
        title, *rest = lines
        first, *more = wrapped(f"{place}  {title.plain}", width, indent=3, style="bold")
        first.stylize("cyan", 0, 1)
        yield from (first, *more)
        yield from rest


def _row(one: ConvolutionWalk, width: int) -> Iterator[Text]:
    numbers, (height, across, depth) = one.numbers, one.taps
    if height == across == 1:
        yield Text(f"The row is a pixel: {counted(depth, 'channel')}, as they lie in memory")
        yield _values("   ", numbers.row, width)
        return
    yield Text(
        f"im2col: {height} x {across} taps of {counted(depth, 'channel')} make "
        f"{len(numbers.row)} values"
    )
    outside = sum(not tap.inside for tap in numbers.taps)
    if outside:
        yield from wrapped(
            f"   {outside} of {len(numbers.taps)} taps meet padding and are filled with "
            f"-input_offset = {-numbers.offset}, which stands for 0.",
            width,
            indent=3,
        )
    shown = numbers.taps[:_TAPS]
    columns = [
        Column("  tap", ["  {},{}".format(*tap.place) for tap in shown]),
        Column("pixel", ["{},{}".format(*tap.pixel) if tap.inside else "-" for tap in shown]),
        Column("int8", [_listed(tap.values, width - 20) for tap in shown], shrink=12),
    ]
    yield from table(columns, width)
    if len(numbers.taps) > _TAPS:
        yield Text(f"  ... {len(numbers.taps) - _TAPS} more taps", style="dim")


def _widening(numbers: Walk, width: int) -> Iterator[Text]:
    widening = numbers.widening
    assert widening is not None
    yield Text("int8 to int16, plus the offset: four values in two registers")
    a, b, c, d = widening.values
    low, high = _halves(widening.even)
    other_low, other_high = _halves(widening.odd)
    rows = [
        ("read", f"{widening.word & 0xFFFFFFFF:#010x}", f"bytes 0 to 3: {a}, {b}, {c}, {d}"),
        ("PKHBT", f"{widening.offsets & 0xFFFFFFFF:#010x}", f"the offset {numbers.offset}, twice"),
        (
            "SXTAB16",
            f"{widening.even & 0xFFFFFFFF:#010x}",
            f"bytes 0, 2 plus offset: {low}, {high}",
        ),
        (
            "ROR, SXTAB16",
            f"{widening.odd & 0xFFFFFFFF:#010x}",
            f"bytes 1, 3 plus offset: {other_low}, {other_high}",
        ),
    ]
    yield from _steps_table(rows, width)
    stored = ", ".join(map(str, widening.stored))
    yield from wrapped(f"   in memory, in the order 0, 2, 1, 3: {stored}", width, indent=3)


def _offsets(numbers: Walk, width: int) -> Iterator[Text]:
    vectors = numbers.instructions == "mve"
    yield Text(
        "Behind the loop: sum of weights (VADDVA) x offset, and the bias"
        if vectors
        else "The offset comes with the bias: sum of weights x offset"
    )
    for channel, total, bias in zip(
        numbers.channels, numbers.weight_sums, numbers.bias, strict=True
    ):
        start = total * numbers.offset + bias
        text = f"   channel {channel}: {number(total)} x {numbers.offset} + bias {number(bias)}"
        if vectors:
            acc = numbers.requantization.acc
            text += f" + sum {number(acc - start)} = {number(acc)}"
        else:
            text += f" = {number(start)}"
        yield from wrapped(text, width, indent=3)


def _sums(numbers: Walk, width: int) -> Iterator[Text]:
    channels, positions = len(numbers.channels), len(numbers.positions)
    yield Text(
        f"{numbers.kernel}: {counted(channels, 'channel')} x {counted(positions, 'position')}"
    )
    which = ", ".join(map(str, numbers.channels))
    places = ", ".join(f"({y}, {x})" for y, x in numbers.positions)
    yield from wrapped(
        f"   {'channels' if channels > 1 else 'channel'} {which} at "
        f"{'positions' if positions > 1 else 'position'} {places}; sums begin with "
        f"{_start(numbers)}",
        width,
        indent=3,
    )
    steps = numbers.steps
    shown = list(steps)
    if len(steps) > _FIRST_STEPS + _LAST_STEPS:
        shown = [*steps[:_FIRST_STEPS], *steps[-_LAST_STEPS:]]
    columns = [
        Column("  columns", [f"  {_columns(step)}" for step in shown]),
        Column("", [step.instruction for step in shown], keep=1),
        *(
            Column(
                f"w{numbers.channels[c]}",
                [_pair(step.weights[c]) for step in shown],
                "right",
                keep=1 if c == numbers.traced else 4,
            )
            for c in range(channels)
        ),
        *(
            Column(f"x{p}", [_pair(step.inputs[p]) for step in shown], "right", keep=4 if p else 1)
            for p in range(positions)
        ),
        *(
            Column(
                f"sum {numbers.channels[c]},{p}",
                [number(step.sums[c][p]) for step in shown],
                "right",
                keep=2 + (c != numbers.traced) if p or c != numbers.traced else 0,
            )
            for c in range(channels)
            for p in range(positions)
        ),
    ]
    lines = table(columns, width)
    if len(shown) < len(steps):
        left = Text(f"  ... {counted(len(steps) - len(shown), 'more step')}", style="dim")
        lines.insert(1 + _FIRST_STEPS, left)
    yield from lines
    yield from _registers(numbers, width)


def _registers(numbers: Walk, width: int) -> Iterator[Text]:
    """The first step's registers."""
    if not numbers.steps or numbers.steps[0].instruction != "SMLAD":
        return
    step, start = numbers.steps[0], numbers.start[0][0]
    a, b = step.registers
    (w0, w2), (x0, x2) = step.weights[0], step.inputs[0]
    yield from wrapped(
        f"   the first one: SMLAD {a:#010x}, {b:#010x} = {w0} x {x0} + {w2} x {x2} + {start} = "
        f"{step.sums[0][0]}",
        width,
        indent=3,
    )


def _requantized(one: ConvolutionWalk, width: int) -> Iterator[Text]:
    numbers = one.numbers
    r = numbers.requantization
    y, x = numbers.positions[0]
    channel = numbers.channels[numbers.traced]
    yield Text(f"Requantisation of channel {channel} at position ({y}, {x})")
    factor = one.input_scale * one.weight_scale / one.output_scale if one.output_scale else 0.0
    yield from wrapped(
        f"   {one.input_scale:.6g} x {one.weight_scale:.6g} / {one.output_scale:.6g} = {factor:.6g}"
        f", as integers {r.multiplier} x 2^({r.shift} - 31)",
        width,
        indent=3,
    )
    yield from _steps_table(_stages(numbers, r), width)


def _stages(numbers: Walk, r: Requantization) -> list[tuple[str, str, str]]:
    rows = [("sum", number(r.acc), "")]
    if r.shift > 0:
        rows.append(("shift left", number(r.shifted), f"by {r.shift}"))
    if numbers.instructions == "mve":
        rows.append(("VQRDMULH", number(r.high), "times the multiplier, by 2^31, rounded"))
    else:
        name = "SMLAL" if numbers.instructions == "dsp" else "product"
        rows.append((name, number(r.product), "times the multiplier, plus 2^30, in 64 bits"))
        rows.append(("shift right", number(r.high), "by 31"))
    if r.shift < 0:
        up = "more" if r.remainder > r.threshold else "no more"
        lost = f"by {-r.shift}, loses {r.remainder}, {up} than {r.threshold}"
        rows.append(("shift right", number(r.scaled), lost))
    rows += [
        ("zero point", number(r.with_offset), f"plus {r.with_offset - r.scaled}"),
        ("clamp", str(r.value), f"to {r.bounds[0]} .. {r.bounds[1]}"),
    ]
    return rows


def _check(numbers: Walk, marks: Marks) -> Iterator[Text]:
    yield Text("The reference kernel's value")
    mark = marks.holds if numbers.agrees else marks.fails
    word = "equal" if numbers.agrees else "NOT EQUAL"
    yield Text(f"   {mark} {numbers.reference}: {word}", "green" if numbers.agrees else "bold red")


# -- small texts ----------------------------------------------------------------------


def _steps_table(rows: Sequence[tuple[str, str, str]], width: int) -> Iterator[Text]:
    """Names, values to the right, and what they mean, which may take several lines."""
    name_width = max(len(name) for name, _, _ in rows)
    value_width = max(len(value) for _, value, _ in rows)
    for name, value, meaning in rows:
        start = f"   {name:{name_width}}  {value:>{value_width}}  "
        room = width - len(start)
        if room < _ROOM:
            yield Text(start.rstrip())
            yield from wrapped(f"      {meaning}", width, indent=6) if meaning else ()
            continue
        first, *more = [line.plain for line in wrapped(meaning, room)] or [""]
        yield Text((start + first).rstrip())
        for line in more:
            yield Text(" " * len(start) + line)


def _start(numbers: Walk) -> str:
    starts = [number(row[0]) for row in numbers.start]
    if numbers.weight_sums:
        return ", ".join(starts)
    return f"the bias, {', '.join(starts)}"


def _columns(step: Step) -> str:
    if step.instruction == "VMLADAVA":
        return f"{step.columns[0]} to {step.columns[-1]}"
    return ", ".join(map(str, step.columns))


def _pair(values: Sequence[int]) -> str:
    return ", ".join(map(str, values)) if len(values) <= 2 else f"{values[0]}, ..."


def _halves(register: int) -> tuple[int, int]:
    """The low and the high half as signed numbers."""
    low, high = register & 0xFFFF, register >> 16 & 0xFFFF
    return (low ^ 0x8000) - 0x8000, (high ^ 0x8000) - 0x8000


def _listed(values: Sequence[int], width: int) -> str:
    text = ", ".join(map(str, values))
    if len(text) <= width and len(values) <= 4 * _CHANNELS:
        return text
    return ", ".join(map(str, values[:_CHANNELS])) + f", ... ({len(values)})"


def _values(indent: str, values: Sequence[int], width: int) -> Text:
    return Text(indent + _listed(values, width - len(indent)))
