"""Vela's public estimate of U85's cycles, worked out from a verified stream: no measurement.

As for U55 (:mod:`arenite.npu.cycles`) blocks go through two units. What is handed on is scaled and
stored together with what it comes from. Each kind of access has a channel of its own, as fast as
its buffers and a memory's latency let it be.

Facts: Vela 5.2.0 regor ``ethos_u85_performance.cpp``, ``ethos_u85.cpp`` (blocks of the input),
``compiler/network_performance.cpp``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from arenite.npu.blocks import keeps_depth, least, parts, rounded, units_of
from arenite.npu.constants import READ_ONLY
from arenite.npu.cycles import AT_ONCE, Cycles, through_units
from arenite.npu.feature_map import BRICK, INSIDE, FeatureMap, Shape
from arenite.npu.layers import RECORD
from arenite.npu.operations import (
    Convolution,
    Copy,
    Elementwise,
    Gather,
    Operation,
    Pool,
    Product,
    Program,
    Resize,
)
from arenite.npu.u85.rates import (
    BUFFERS,
    CHANNELS,
    CUTS,
    DIVISION,
    FAST_MEMORY,
    OUTPUT,
    RESIZED,
    SLOW_MEMORY,
    TURNED,
    Memory,
)

#: A part of the kernel.
_PART = 8
#: How much of what a memory could have under way it has.
_USED = 0.8
#: Transpositions that exchange rows and columns.
_ROWS_AND_COLUMNS = ((1, 0, 2), (1, 2, 0), (2, 1, 0))
Layer = Convolution | Pool | Product | Resize | Elementwise


def estimate(program: Program) -> tuple[Cycles, ...]:
    """Of all operations that compute, in order; what goes on from a chain has none of its own."""
    return tuple(_Estimate(program).all())


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def _is_chained(operation: Operation) -> bool:
    return any(one.region >= INSIDE for one in operation.reads)


def _parts(operation: Any) -> list[int]:
    """Elements of each part of a kernel."""
    return list(parts(operation.window.kernel if hasattr(operation, "window") else (1, 1)))


class _Estimate:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._macs, self._cores = program.accelerator.macs, program.accelerator.cores
        work = FAST_MEMORY if program.is_shared else SLOW_MEMORY
        self._areas = {READ_ONLY: SLOW_MEMORY, 1: work, 2: FAST_MEMORY}

    def _area(self, one: FeatureMap) -> Memory:
        return self._areas.get(one.region, self._areas[1])

    def all(self) -> Iterator[Cycles]:
        """Those of each operation, with the copies before it."""
        copies: list[Copy] = []
        hidden = 0
        operations = self._program.operations
        for place, operation in enumerate(operations):
            if isinstance(operation, Copy):
                copies.append(operation)
                continue
            if isinstance(operation, Gather) or _is_chained(operation):
                yield Cycles(operation.number, 0, 0, (0, 0), 0)
                continue
            assert isinstance(operation, (Convolution, Pool, Product, Resize, Elementwise))
            group = [operation, *self._behind(operations[place + 1 :])]
            units = self._units(operation, group)
            waiting = max(sum(self._copied(one, operation) for one in copies) - hidden, 0)
            memory = self._traffic(operation, group)
            yield Cycles(operation.number, units, waiting, memory, self._multiplied(operation))
            copies, hidden = [], units

    def _behind(self, operations: Sequence[Operation]) -> Iterator[Any]:
        """Elements that go on from chains."""
        for one in operations:
            if isinstance(one, Copy):
                continue
            if not _is_chained(one):
                return
            yield one

    def _multiplied(self, operation: Layer) -> int:
        if isinstance(operation, Convolution):
            return operation.work // (1 + operation.is_sparse)
        if isinstance(operation, Pool) and operation.kind != "sum":
            return operation.result.map.size * math.prod(operation.window.kernel)
        return operation.input.size if isinstance(operation, Pool) else 0

    # -- memory

    def _channel(self, memory: Memory, channel: str) -> float:
        """Bytes per cycle."""
        words = max(memory.burst // 16, 1)
        if channel == "store":
            most, latency, buffers = memory.writes, memory.write, math.inf
        else:
            most, latency = memory.reads, memory.read
            buffers = BUFFERS[self._macs][CHANNELS.index(channel)] / words
        under_way = min(buffers, most * memory.ports * _USED)
        return min(memory.bytes, memory.burst * under_way / latency * _USED)

    def _copied(self, copy: Copy, operation: Layer) -> int:
        """Of a table only where that is an operation of its own."""
        if copy.target[0] is None and not isinstance(operation, Pool):
            return 0
        source = self._areas[copy.source[0]]
        target = FAST_MEMORY if copy.target[0] is None else self._areas[copy.target[0]]
        if source is target:
            return 0
        there = int(copy.length / self._channel(source, "copy")) + source.read
        return max(there, int(copy.length / self._channel(target, "store")) + target.write)

    def _with_bursts(self, one: FeatureMap, block: Shape, elements: int, *, is_read: bool) -> int:
        """Bytes that a memory transfers for so many elements, in whole bursts."""
        itemsize, (_, width, depth) = one.dtype.itemsize, block
        step = one.shape[1] * itemsize * BRICK if one.is_bricks else one.shape[2] * itemsize
        if step == depth and (one.is_bricks or is_read or depth <= BRICK):
            burst = itemsize * width * depth
        elif one.is_bricks:
            burst = BRICK * itemsize * width
        elif is_read:
            burst = itemsize * depth
        else:
            burst = min(64, BRICK * itemsize, depth * itemsize)
        whole = self._area(one).burst
        return elements * itemsize * whole // max(min(whole, burst), 1)

    def _traffic(self, operation: Layer, group: Sequence[Layer]) -> tuple[int, int]:
        """Cycles of both memories for all bytes that are read and written, without copies."""
        moved: dict[tuple[Memory, str], int] = {}

        def add(memory: Memory, channel: str, count: int) -> None:
            moved[memory, channel] = moved.get((memory, channel), 0) + count

        block = self._input_block(operation)
        is_row = isinstance(operation, (Elementwise, Resize))
        for place, one in enumerate(operation.reads):
            elements = rounded(one) if is_row else self._fetched(operation, one, block)
            channel = "rows" if is_row or (place and isinstance(operation, Product)) else "input"
            count = self._with_bursts(one, block, elements, is_read=True)
            add(self._area(one), channel, count)
        for one in (one for other in group[1:] for one in other.reads if one.region < INSIDE):
            count = self._with_bursts(one, block, rounded(one), is_read=True)
            add(self._area(one), "rows", count)
        for one in (other.result.map for other in group if other.result.map.region < INSIDE):
            count = self._with_bursts(one, operation.result.block, rounded(one), is_read=False)
            add(self._area(one), "store", count)
        if isinstance(operation, Convolution):
            times = self._blocks(operation)
            for region, _, length in operation.streams:
                channel = "fast" if operation.is_fast and region != READ_ONLY else "weights"
                add(self._areas[region], channel, length * times)
            scales = _up(RECORD * _up(operation.result.map.shape[2], BRICK), 16)
            add(SLOW_MEMORY, "scales", scales * times)
        return self._cycles(FAST_MEMORY, moved), self._cycles(SLOW_MEMORY, moved)

    def _cycles(self, memory: Memory, moved: dict[tuple[Memory, str], int]) -> int:
        own = {channel: count for (area, channel), count in moved.items() if area is memory}
        longest = (int(count / self._channel(memory, name)) for name, count in own.items())
        return max(int(sum(own.values()) / memory.bytes), max(longest, default=0))

    def _blocks(self, operation: Layer) -> int:
        """Blocks of an output's rows and columns."""
        target = operation.result.map.shape
        rows, columns, _ = units_of(target, least(target, operation.result.block))
        return rows * columns

    def _fetched(self, operation: Any, one: FeatureMap, block: Shape) -> int:
        """Elements of an input, which every block fetches again."""
        height, width, _ = least(one.shape, block)
        depth = _up(one.shape[2], BRICK) if one.is_bricks else one.shape[2]
        times = self._blocks(operation)
        if not keeps_depth(operation):
            target = operation.result.map.shape[2]
            times *= -(-target // min(target, operation.result.block[2]))
        return height * width * depth * times * len(_parts(operation))

    # -- units

    def _input_depth(self, operation: Layer) -> int:
        """Channels of a block of the input, before they are rounded up."""
        if keeps_depth(operation):
            return operation.result.block[2]
        if isinstance(operation, Convolution) and operation.is_part_first:
            return 16
        is_sparse = isinstance(operation, Convolution) and operation.is_sparse
        bits, unit = 8 * operation.input.dtype.itemsize, operation.result.unit
        if bits == 32 or (self._macs <= 256 and unit[2] == 16 and not is_sparse):
            return 32
        return 128 if is_sparse and bits == 8 else 64

    def _input_block(self, operation: Layer) -> Shape:
        block = operation.result.block
        if isinstance(operation, (Elementwise, Resize)):
            return block
        depth, bits = self._input_depth(operation), 8 * operation.input.dtype.itemsize
        unit = operation.result.unit
        cuts = CUTS[self._macs][unit[:2] != (1, 4)]
        cut = cuts[0 if depth * bits <= 128 else 1 if depth * bits <= 256 else 2]
        sizes = list(block[:2])
        if not isinstance(operation, Product):
            window = operation.window
            for axis in range(2):
                extent = (window.kernel[axis] - 1) * window.dilation[axis] + 1
                size = (block[axis] - 1) * window.stride[axis] + min(extent, _PART)
                if window.upscale and not keeps_depth(operation):
                    size = -(-(size + (window.upscale == "nearest")) // 2)
                sizes[axis] = size
        if keeps_depth(operation):
            depth = _up(depth, max(cut[2] * 128 // bits, 1))
        return _up(sizes[0], cut[0]), _up(sizes[1], cut[1]), depth

    def _units(self, operation: Layer, group: Sequence[Layer]) -> int:
        per_element = sum(self._per_element(one) for one in group)
        transfers = self._transfers(operation)
        if isinstance(operation, (Elementwise, Resize)):
            elements = rounded(operation.result.map)
            commands = max(transfers) / math.prod(operation.result.block)
            limit = math.ceil((commands + per_element) / AT_ONCE * elements)
            return max(limit, math.ceil(per_element * elements))
        shape, unit = operation.result.map.shape, operation.result.unit
        block = least(shape, operation.result.block)
        count = math.prod(units_of(shape, unit)) / math.prod(units_of(block, unit))
        stores: float = math.ceil(per_element * math.prod(block))
        if isinstance(operation, Convolution):
            constants = self._areas[operation.streams[0][0]]
            stores = max(stores, RECORD * block[2] * constants.read / 256)
        products = self._products(operation, units_of(block, unit))
        return through_units(products, stores, transfers, count)

    def _transfers(self, operation: Layer) -> tuple[int, int]:
        """Cycles until a block's inputs are there, and its output stored."""
        block, target = self._input_block(operation), operation.result.map
        fetched = []
        for one in operation.reads:
            elements = math.prod(least(one.shape, block))
            moved = self._with_bursts(one, block, elements, is_read=True)
            fetched.append(self._area(one).read + int(moved / self._area(one).bytes))
        if isinstance(getattr(operation, "other", None), int):
            fetched.append(SLOW_MEMORY.read)
        elements = math.prod(least(target.shape, operation.result.block))
        moved = self._with_bursts(target, operation.result.block, elements, is_read=False)
        return max(fetched), self._area(target).write + int(moved / self._area(target).bytes)

    def _per_element(self, operation: Layer) -> float:
        """Cycles for an element's scale, function and store."""
        result = operation.result
        cycles = self._bare(operation)
        return max(cycles, TURNED[self._macs]) if result.map.axes in _ROWS_AND_COLUMNS else cycles

    def _bare(self, operation: Layer) -> float:
        target, itemsize = operation.result.map, operation.input.dtype.itemsize
        if isinstance(operation, Elementwise) and operation.function == "div":
            return DIVISION
        if isinstance(operation, Resize):
            return RESIZED[self._macs][itemsize > 1]
        rates = OUTPUT[self._macs]
        size = target.dtype.itemsize
        if target.region >= INSIDE and 4 in (size, itemsize):
            return rates[4]
        if size == 8:
            return rates[3]
        if isinstance(operation, Elementwise) and operation.other is not None and itemsize == 4:
            return rates[5 if size == 4 else 4]
        return rates[{1: 0, 2: 1, 4: 2}[size]]

    def _products(self, operation: Any, units: Shape) -> int:
        """Cycles of the multiplying units for a block of so many units."""
        channels = min(operation.input.shape[2], self._input_block(operation)[2])
        total: int = sum(
            self._part(operation, elements, units, channels) for elements in _parts(operation)
        )
        if keeps_depth(operation):
            return total
        times: int = -(-operation.input.shape[2] // channels)
        return total * times

    def _part(self, operation: Any, elements: int, units: Shape, channels: int) -> int:
        """Cycles for a part of the kernel, and those between its steps."""
        positions, depth = units[0] * units[1], units[2]
        itemsize, eights = operation.input.dtype.itemsize, -(-channels // 8)
        weights = 4 * operation.result.unit[2] // self._cores
        is_part = getattr(operation, "is_part_first", False)
        if isinstance(operation, Pool) and operation.kind != "sum":
            steps, cycles = 1, max(4, elements) * positions * depth * 4 * itemsize
        elif getattr(operation, "is_depthwise", False):
            steps = -(-elements // 4)
            cycles = max(weights, 4 * positions * itemsize) * steps * depth
        elif is_part:
            steps = -(-elements // (2 if itemsize == 2 else 4))
            cycles = max(weights, 4 * positions) * steps * depth * eights
        else:
            steps = elements
            cycles = max(weights, channels // 8 * positions) * steps * depth * itemsize
        cycles //= 1 + getattr(operation, "is_sparse", False)
        delay = 3 if operation.result.has_wide_sums and self._macs <= 128 else 2
        waiting = 0
        if positions == 1:
            waiting = delay * (steps if depth == 1 else (steps - 1) * depth)
        found: int = cycles + waiting * (eights if is_part and not keeps_depth(operation) else 1)
        return found
