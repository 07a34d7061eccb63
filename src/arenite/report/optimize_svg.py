"""The plans of two heads as one SVG picture, on one scale."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arenite.memory.plan import PlannedBuffer
from arenite.report.memory_map import extent
from arenite.report.memory_svg import memory_svg

Titled = tuple[str, Sequence[PlannedBuffer]]
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


def plans_svg(before: Titled, after: Titled) -> str:
    """Two plans one above the other; equal heights are equal numbers of bytes."""
    top = max(extent(before[1])[0], extent(after[1])[0])
    parts = [memory_svg(buffers, title, top=top) for title, buffers in (before, after)]
    sizes = [tuple(map(int, match.groups())) for part in parts if (match := _SIZE.search(part))]
    width, height = max(w for w, _ in sizes), sum(h for _, h in sizes)
    second = parts[1].replace("<svg ", f'<svg y="{sizes[0][1]}" ', 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">\n{parts[0]}{second}</svg>\n'
    )
