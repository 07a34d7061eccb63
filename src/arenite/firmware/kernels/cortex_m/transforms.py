"""Winograd's convolution in Thumb-2: the parts that its driver calls for a strip of tiles.

Memory that they share, in words of two channels or of one sum:

* ``down``: ``[column][2][n]``, four channels transformed downwards, as SXTB16 leaves them;
* ``tiles``: ``[n*n][tile][channels / 2]``, all channels transformed both ways;
* ``sums``: ``[tile][4][n*n]`` of four filters.
"""

from __future__ import annotations

from collections.abc import Sequence

from arenite.firmware.kernels.cortex_m.asm import MAX_OFFSET, Assembly, offset
from arenite.firmware.kernels.cortex_m.gemm import QUAD
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.tiles import Made, Store, Tiles
from arenite.firmware.network.kernel import Routine

#: Steps of two channels in one turn of the loop of products, at most.
_UNROLLED = 32


def rows(tiles: Tiles, row_in: int, depth: int) -> Routine:
    """Four channels of some columns, n rows each, transformed downwards.

    The rows between the top and the bottom one follow each other.
    """
    n = tiles.side
    a = Assembly(top="r0", middle="r1", bottom="r2", to="r3", end="sp, #36")
    a("push {r4-r11, lr}", ".columns:")
    for half, turned in enumerate(("", ", ror #8")):
        if half == 0 or tiles.raw == tiles.values:
            _emit_loads(a, tiles.raw, row_in)
        pairs = zip(tiles.values, tiles.raw, strict=True)
        a(*(f"sxtb16 {value}, {raw}{turned}" for value, raw in pairs))
        tiles.forward(a, tiles.values, _stores(a, "to", 4 * half * n, 4))
    for row in ("r0", "r1", "r2"):
        a.add(row, depth)
    a.add("to", 8 * n)
    a("ldr r4, [end]", "cmp to, r4", "bne .columns", "pop {r4-r11, pc}")
    parameters = (
        *(f"const int8_t *{name}" for name in ("top", "middle", "bottom")),
        *("int32_t *to", "const int32_t *end"),
    )
    about = "inputs, transformed downwards"
    return a.routine(f"winograd_{tiles.name}_rows", parameters, about)


def _emit_loads(a: Assembly, to: Sequence[str], row_in: int) -> None:
    a(f"ldr {to[0]}, [top]", f"ldr {to[-1]}, [bottom]")
    between = to[1:-1]
    if (len(between) - 1) * row_in <= MAX_OFFSET:
        a(*(f"ldr {one}, [middle, #{i * row_in}]" for i, one in enumerate(between)))
        return
    at = "middle"
    for i, one in enumerate(between):
        if i:
            a.add("lr", row_in, at)
            at = "lr"
        a(f"ldr {one}, [{at}]")


def _stores(a: Assembly, base: str, first: int, distance: int) -> Store:
    """Values go to memory at ``base``, so many bytes from each other."""

    def store(register: str, number: int) -> None:
        a(f"str {register}, [{base}, #{offset(first + number * distance)}]")

    return store


def across(tiles: Tiles, starts: Sequence[int], slots: int, depth: int) -> Routine:
    """Four channels of all columns from left to right, every tile of n columns."""
    n, pixel, block = tiles.side, 2 * depth, 2 * slots * depth
    a = Assembly(down="r0", tiles="r1", rows="r2", pairs="r3")
    a("push {r4-r11, lr}", "movs pairs, #2", ".pairs:", f"movs rows, #{n}", ".rows:")
    values = list(tiles.values)
    for tile, start in enumerate(starts):
        # The last two columns of a tile are the first two of the next one.
        known = 2 if tile and start - starts[tile - 1] == tiles.outputs else 0
        values = values[-known:] + values[:-known] if known else values
        for column in range(known, n):
            a(f"ldr {values[column]}, [down, #{offset(8 * n * (start + column))}]")
        tiles.forward(a, values, _stores(a, "tiles", tile * pixel, block))
    a("add down, down, #4")
    a.add("tiles", n * block)
    a("subs rows, rows, #1", "bne .rows")
    a.add("tiles", 4 - n * n * block)
    a("subs pairs, pairs, #1", "bne .pairs", "pop {r4-r11, pc}")
    return a.routine(
        f"winograd_{tiles.name}_across",
        ("const int32_t *down", "int32_t *tiles"),
        "inputs, transformed from left to right",
    )


def products(tiles: Tiles, slots: int, depth: int) -> Routine:
    """At every position two tiles times four filters."""
    steps, block = depth // 2, 4 * tiles.positions
    unrolled = next(i for i in range(min(steps, _UNROLLED), 0, -1) if steps % i == 0)
    a = Assembly(tiles="r0", weights="r1", x_a="r2", x_b="r3")
    a.enter("sums", "positions", "end", "steps_end")
    a("str r2, [sums]")
    a(f"movs r3, #{tiles.positions}", "str r3, [positions]", ".positions:")
    a.add("r2", 2 * slots * depth, "tiles")
    a("str r2, [end]", ".tiles:")
    if unrolled < steps:
        a.add("r2", 2 * depth, "tiles")
        a("str r2, [steps_end]", *(f"movs r{i}, #0" for i in range(4, 8)))
        a(*(f"mov.w r{i}, #0" for i in range(8, 12)), ".steps:")
    for step in range(unrolled):
        _emit_step(a, step, depth, first=unrolled == steps and step == 0)
    if unrolled < steps:
        a.add("tiles", 4 * unrolled)
        a.add("weights", 16 * unrolled)
        a("ldr x_a, [steps_end]", "cmp tiles, x_a", "bne .steps")
        a.add("weights", -8 * depth)
        a.add("tiles", -2 * depth)
    a("ldr lr, [sums]", "ldr r2, [end]")
    a(*(f"str r{4 + 2 * f + t}, [lr, #{(QUAD * t + f) * block}]" for f in range(4) for t in (0, 1)))
    a.add("lr", 2 * QUAD * block)
    a("str lr, [sums]")
    a.add("tiles", 4 * depth)
    a("cmp tiles, r2", "bne .tiles", "ldr r3, [positions]")
    a.add("lr", 4 - slots * QUAD * block)
    a("str lr, [sums]")
    a.add("weights", 8 * depth)
    a("subs r3, r3, #1", "str r3, [positions]", "bne .positions")
    a.leave()
    return a.routine(
        f"winograd_{tiles.name}_products",
        ("const int32_t *tiles", "const uint32_t *weights", "int32_t *sums"),
        "products of four filters",
    )


def _emit_step(a: Assembly, step: int, depth: int, *, first: bool) -> None:
    """16 products of two channels of either tile and four filters; the first begin the sums."""
    near, far = offset(4 * step), offset(4 * step + 2 * depth)
    a(f"ldr x_a, [tiles, #{near}]", f"ldr x_b, [tiles, #{far}]")
    for pair in range(2):
        at = 16 * step + 8 * pair
        a(f"ldr r12, [weights, #{at}]", f"ldr lr, [weights, #{at + 4}]")
        for word, sum_ in (("r12", 4 + 4 * pair), ("lr", 6 + 4 * pair)):
            for x, number in (("x_a", sum_), ("x_b", sum_ + 1)):
                more = f"smlad r{number}, {word}, {x}, r{number}"
                a(f"smuad r{number}, {word}, {x}" if first else more)


def outputs(
    tiles: Tiles, starts: Sequence[int], filters: int, row_out: int, finish: Finish
) -> Routine:
    """Sums of four filters back to m*m outputs a tile, requantised."""
    block, step = 4 * tiles.positions, tiles.outputs * filters
    is_even = len(starts) < 2 or starts[-1] - starts[-2] == tiles.outputs
    turn = tiles.turn if is_even and len(starts) % tiles.turn == 0 else 1
    a = Assembly(sums="r0", y="r1", factor="r2", addend="r3", step="lr")
    kept = [f"kept{i}" for i in range(tiles.kept)]
    a.enter(*kept, "begin", "sums_at", "y_at", "constants", "left", "end", "last")
    a("str r0, [sums_at]", "str r1, [constants]", "str r2, [y_at]", "movs r3, #4", "str r3, [left]")
    a(".filters:", "ldr r4, [constants]", "ldm r4!, {factor, addend, r12, step}")
    a("str r4, [constants]", "str r12, [begin]", "ldr sums, [sums_at]", "ldr y, [y_at]")
    a.add("r4", QUAD * block * len(starts), "sums")
    a("str r4, [end]")
    if not is_even:
        a.add("r4", starts[-1] * filters, "y")
        a("str r4, [last]")
    a(".tiles:")
    for tile in range(turn):
        tiles.backward(a, _finishing(a, finish, tile * step, (row_out, filters)))
        a.add("sums", (QUAD - 1) * block)
    a.add("y", turn * step)
    if not is_even:
        a("ldr r4, [last]", "cmp y, r4", "it hi", "movhi y, r4")
    a("ldr r4, [end]", "cmp sums, r4", "bne .tiles")
    a("ldr r0, [sums_at]", "ldr r1, [y_at]", "ldr r3, [left]")
    a.add("r0", block)
    a("add r1, r1, #1", "str r0, [sums_at]", "str r1, [y_at]")
    a("subs r3, r3, #1", "str r3, [left]", "bne .filters")
    a.leave()
    return a.routine(
        f"winograd_{tiles.name}_outputs",
        ("const int32_t *sums", "const uint32_t *constants", "int8_t *y"),
        "sums of four filters to outputs",
    )


def _finishing(a: Assembly, finish: Finish, first: int, distances: tuple[int, int]) -> Made:
    """Registers are requantised and stored; ``distances`` are those of rows and columns."""

    def made(registers: dict[str, tuple[int, int]], free: str) -> None:
        for one in registers:
            if finish.signed:
                a(f"and {free}, step, {one}, asr #31", f"smmla {one}, {one}, factor, addend")
                a(f"sub {one}, {one}, {free}")
            else:
                a(f"smmla {one}, {one}, factor, addend")
        for one, (row, column) in registers.items():
            a(*finish.clamp(one))
            at = first + row * distances[0] + column * distances[1]
            a.store_byte(one, "y", at, free)

    return made
