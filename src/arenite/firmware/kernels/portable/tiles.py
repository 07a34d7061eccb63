"""Several output channels at a time: an input is read once for all, and sums stay in registers.

Where channels are no multiple, the last ones begin with some that were done before.
"""

from __future__ import annotations

from collections.abc import Iterable

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.sums import Sums

_C = templates(__name__)


#: Sums at a time, and products of a sum in a turn of the innermost loop: what 32-bit cores have
#: registers for beside an input, a weight and pointers.
_WIDTH, _STEP = 4, 4


def width_of(channels: int) -> int:
    """Channels at a time, of so many."""
    return min(channels, _WIDTH)


def width_within(channels: int) -> int:
    """Channels at a time, which divide their number."""
    return next(width for width in range(_WIDTH, 0, -1) if channels % width == 0)


def step_of(depth: int) -> int:
    """Products in a turn, of so many."""
    return next(step for step in (_STEP, 2, 1) if depth % step == 0)


def tiles(
    sums: Sums, channels: int, width: int, body: str, *, products: Iterable[str], y: str = "y"
) -> str:
    """The loop over channels.

    Args:
        sums: How sums are taken.
        channels: Of the output.
        width: How many are done at a time.
        body: What is done for channel ``n`` and those behind it: begins sums (``$starts;``), adds
            to ``s0``, ``s1`` ... (``$products;``), and stores them (``$stores;``).
        products: Statements.
        y: Where the outputs of a position begin.
    """
    last = channels - width
    starts = [f"{sums.total} s{k} = {sums.started(nth('n', k))};" for k in range(width)]
    lines = with_lines(
        body,
        products="\n".join(products),
        starts="\n".join(starts),
        stores=_stores(sums, width, y),
    )
    loop = _C["last_again"] if channels % width else _C["tiles"]
    loop = fill(loop, filters=channels, width=width, last=last, body="$body;")
    return with_lines(loop, body=lines)


def nth(base: str, k: int) -> str:
    """``base`` or ``base + k``."""
    return f"{base} + {k}" if k else base


def _stores(sums: Sums, width: int, y: str) -> str:
    if width == 1:
        return sums.finished("s0", "n", f"{y}[n]")
    return fill(
        _C["stores"],
        total=sums.total,
        width=width,
        sums=", ".join(f"s{k}" for k in range(width)),
        store=sums.finished("sums[k]", "n + k", f"{y}[n + k]"),
    )
