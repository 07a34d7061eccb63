"""A memory plan as an SVG picture: offset upwards, time to the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from arenite.memory.plan import PlannedBuffer
from arenite.model.text import printable
from arenite.report.memory_map import buffer_name, extent, lifetime
from arenite.report.text import number

_FILLS = ("#7fc4d8", "#f0c36d", "#93c98a", "#d79bc6", "#8fa9dc", "#e59a8d", "#b8b08d", "#a6d4c6")
_LEFT, _TOP, _RIGHT, _BOTTOM = 90, 46, 20, 46
_HEIGHT = 420
_MIN_WIDTH, _MAX_WIDTH, _MOMENT_WIDTH = 640, 1600, 48
_CHARACTER_WIDTH = 6.6
_LINE = 13


def memory_svg(buffers: Sequence[PlannedBuffer], title: str, top: int = 0) -> str:
    """The plan as a stand-alone SVG document; every rectangle's tooltip says what it is.

    The scale reaches to ``top`` bytes, or as far as the buffers do.
    """
    highest, moments = (limit or 1 for limit in extent(buffers))
    top = max(top, highest)
    inner = min(max(moments * _MOMENT_WIDTH, _MIN_WIDTH), _MAX_WIDTH)
    width, height = _LEFT + inner + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    x_unit, y_unit = inner / moments, _HEIGHT / top
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="monospace" font-size="11" '
        'role="img">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="14" font-weight="bold">{_text(title)}</text>',
        *_scale(top, y_unit, inner),
        *(
            line
            for index, buffer in enumerate(buffers)
            for line in _rectangle(index, buffer, x_unit, y_unit)
        ),
        *_times(moments, x_unit),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rectangle(index: int, buffer: PlannedBuffer, x_unit: float, y_unit: float) -> Iterator[str]:
    begin = max(buffer.begin, 0)
    x, width = _LEFT + begin * x_unit, (buffer.end - begin) * x_unit
    y = _TOP + _HEIGHT - (buffer.offset + buffer.size) * y_unit
    height = buffer.size * y_unit
    tip = (
        f"{index}: {buffer_name(buffer)} ({buffer.kind}), {number(buffer.size)} bytes at "
        f"{number(buffer.offset)}, {lifetime(buffer)}"
    )
    yield f"<g><title>{_text(tip)}</title>"
    yield (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'fill="{_FILLS[index % len(_FILLS)]}" stroke="#333333" stroke-width="0.6"/>'
    )
    label = _label(index, buffer, width, height)
    if label:
        yield (
            f'<text x="{x + width / 2:.2f}" y="{y + height / 2 + 4:.2f}" '
            f'text-anchor="middle">{_text(label)}</text>'
        )
    yield "</g>"


def _label(index: int, buffer: PlannedBuffer, width: float, height: float) -> str:
    """Number, name and size, as far as they fit."""
    if height < _LINE:
        return ""
    name = buffer_name(buffer)
    bytes_ = f"{number(buffer.size)} B"
    candidates = (f"{index} {name}, {bytes_}", f"{index}, {bytes_}", str(index))
    return next((text for text in candidates if len(text) * _CHARACTER_WIDTH < width - 4), "")


def _scale(top: int, y_unit: float, inner: float) -> Iterator[str]:
    """Lines at round offsets and at the top."""
    step = _round_step(top)
    marks = [offset for offset in range(0, top, step) if (top - offset) * y_unit > _LINE]
    for offset in (*marks, top):
        y = _TOP + _HEIGHT - offset * y_unit
        yield f'<path d="M{_LEFT} {y:.2f}h{inner:.2f}" stroke="#dddddd"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.2f}" text-anchor="end">{number(offset)}</text>'


def _round_step(top: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that gives at most ten steps."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if top <= 10 * factor * power:
                return factor * power
        power *= 10


def _times(moments: int, x_unit: float) -> Iterator[str]:
    y = _TOP + _HEIGHT + 16
    every = max(1, -(-36 // int(max(x_unit, 1))))
    for moment in range(0, moments, every):
        x = _LEFT + (moment + 0.5) * x_unit
        text = "in" if moment == 0 else str(moment - 1)
        yield f'<text x="{x:.2f}" y="{y}" text-anchor="middle">{text}</text>'
    yield f'<text x="{_LEFT}" y="{y + 18}">operator</text>'
    yield f'<text x="{_LEFT - 8}" y="{_TOP - 10}" text-anchor="end">bytes</text>'


def _text(text: str) -> str:
    return escape(printable(text))
