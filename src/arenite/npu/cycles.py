"""Vela's public estimate of an NPU's cycles, worked out from a verified stream: no measurement.

Blocks of the output go through two units, one that multiplies and one that scales and stores; the
slower one of both, or the commands and transfers of a block, say how long a block takes. An
operation takes that for all of its blocks, or what its memories need for their bytes, if that is
more. Copies run beside the operation before them.

A file does not say which memories a chip has: those are Vela's defaults for the NPU.

Facts: Vela 5.2.0 ``ethosu/regor/architecture/ethosu55/ethos_u55_performance.cpp`` and
``ethos_u55.cpp``, ``ethosu65/ethos_u65.cpp`` (rates), ``compiler/network_performance.cpp``,
``architecture_allocator.py`` (``_get_ifm_blocksize``), ``config_files/Arm/vela.ini``: the core that
Vela takes by default. Its older one, ``npu_performance.py``, counts pools and int32 otherwise.
Vela's ``PERFORMANCE.md`` says that its numbers are for comparing its options.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arenite.accelerators import Accelerator
from arenite.npu.blocks import (
    Layer,
    Windowed,
    blocks,
    fetched,
    input_block,
    input_depth,
    keeps_depth,
    least,
    parts,
    rounded,
    units_of,
)
from arenite.npu.constants import FAST, READ_ONLY, WORK
from arenite.npu.feature_map import BRICK, FeatureMap, Shape
from arenite.npu.layers import RECORD
from arenite.npu.operations import Convolution, Copy, Elementwise, Pool, Program

#: Blocks whose commands are under way at once.
AT_ONCE = 4
#: Bytes that the scales of a layer are rounded up to.
_ROUNDED = 16


@dataclass(frozen=True)
class Memory:
    """One kind of memory, in the NPU's cycles.

    Attributes:
        name: What Vela calls it.
        bytes: Per cycle.
        burst: Bytes that are transferred whole.
        read, write: Until the first byte is there.
    """

    name: str
    bytes: float
    burst: int
    read: int
    write: int


@dataclass(frozen=True)
class System:
    """The memories of a chip: Vela's configuration of this name."""

    name: str
    fast: Memory
    slow: Memory


_U55 = System(
    "Ethos_U55_High_End_Embedded",
    Memory("SRAM", 8.0, 32, 32, 32),
    Memory("off-chip flash", 1.0, 128, 64, 0),
)
_U65 = System(
    "Ethos_U65_Client_Server", Memory("SRAM", 16.0, 32, 32, 32), Memory("DRAM", 12.0, 128, 500, 250)
)


@dataclass(frozen=True)
class _Rates:
    """Cycles per element that is scaled and stored; ``by_macs`` has a row per NPU.

    Attributes:
        block: Height and width of what the units compute at once.
        wide: int32 of one input, of two.
        mul: Products of int32; products and sums of 40 bits.
        add: ADD and SUB.
        plain: The greatest element; all else.
        table, limits: At least, with a function or limits behind.
    """

    block: tuple[int, int]
    wide: tuple[float, float]
    mul: tuple[float, float]
    add: float
    plain: tuple[float, float]
    table: float = 1.0
    limits: float = 1.0


_RATES = {
    32: _Rates((1, 1), (2.0, 3.0), (3.0, 3.0), 6.0, (1.0, 2.0)),
    64: _Rates((1, 1), (1.0, 1.5), (1.5, 1.5), 3.0, (0.5, 1.0)),
    128: _Rates((1, 2), (0.75, 1.25), (0.75, 0.75), 1.5, (0.25, 0.5), limits=0.5),
    256: _Rates((2, 2), (0.625, 1.125), (0.5, 0.375), 0.75, (0.125, 0.25), limits=0.25),
    512: _Rates((2, 2), (0.3125, 0.5625), (0.25, 0.1875), 0.375, (0.0625, 0.125), 0.5, 0.125),
}


@dataclass(frozen=True)
class Cycles:
    """An operation's.

    Attributes:
        number: The operation's.
        units: Of multiplying, scaling, storing.
        waiting: Of copies before it that the operation before them did not hide.
        memory: Of the fast and the slow memory, for the bytes that it moves.
        macs: Multiply-adds.
    """

    number: int
    units: int
    waiting: int
    memory: tuple[int, int]
    macs: int

    @property
    def total(self) -> int:
        """The cycles that it takes in all."""
        return max(self.units + self.waiting, *self.memory)


def system_of(accelerator: Accelerator) -> System:
    """Vela's default for an NPU."""
    return _U65 if accelerator.product else _U55


def estimate(program: Program) -> tuple[Cycles, ...]:
    """Of all operations that compute, in order."""
    return tuple(_Estimate(program).all())


class _Estimate:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._accelerator: Accelerator = program.accelerator
        self._rates = _RATES[self._accelerator.macs]
        system = system_of(self._accelerator)
        # With fast memory of its own, what is worked in is as slow as constants.
        work = system.fast if program.is_shared or not self._accelerator.product else system.slow
        self._areas = {READ_ONLY: system.slow, WORK: work, FAST: system.fast}
        self._system = system

    def all(self) -> Iterator[Cycles]:
        """Those of each operation, with the copies before it."""
        copies: list[Copy] = []
        hidden = 0
        for operation in self._program.operations:
            if isinstance(operation, Copy):
                copies.append(operation)
                continue
            assert isinstance(operation, (Convolution, Pool, Elementwise))
            units = self._units(operation)
            waiting = max(sum(self._copied(one, operation) for one in copies) - hidden, 0)
            fast, slow = self._traffic(operation)
            yield Cycles(operation.number, units, waiting, (fast, slow), _macs(operation))
            copies, hidden = [], units

    # -- copies and traffic

    def _copied(self, copy: Copy, operation: Layer) -> int:
        """Of a table only where that is an operation of its own."""
        if copy.target[0] is None and not isinstance(operation, Pool):
            return 0
        source = self._areas[copy.source[0]]
        target = self._system.fast if copy.target[0] is None else self._areas[copy.target[0]]
        if source is target:
            return 0
        there = int(copy.length / source.bytes) + source.read
        return max(there, int(copy.length / target.bytes) + target.write)

    def _traffic(self, operation: Layer) -> tuple[int, int]:
        """Cycles of both memories for all bytes that are read and written, without copies."""
        moved = {self._system.fast: 0.0, self._system.slow: 0.0}
        for one, elements in fetched(operation):
            moved[self._areas[one.region]] += self._with_bursts(
                one, operation, elements * one.dtype.itemsize, is_read=True
            )
        target = operation.result.map
        stored = rounded(target) * target.dtype.itemsize
        moved[self._areas[target.region]] += self._with_bursts(
            target, operation, stored, is_read=False
        )
        if isinstance(operation, Convolution):
            rows, columns, _ = blocks(operation)
            for region, _, length in operation.streams:
                moved[self._areas[region]] += length * rows * columns
            # Scales are counted where the file has them, copied or not.
            scales = -(-RECORD * target.shape[2] // _ROUNDED) * _ROUNDED
            moved[self._areas[READ_ONLY]] += scales * rows * columns
        fast, slow = (int(moved[one] / one.bytes) for one in (self._system.fast, self._system.slow))
        return fast, slow

    def _with_bursts(
        self, one: FeatureMap, operation: Layer, size: float, *, is_read: bool
    ) -> float:
        """Bytes that a memory transfers for so many, in whole bursts."""
        area = self._areas[one.region]
        block = input_block(operation) if is_read else operation.result.block
        itemsize, cores = one.dtype.itemsize, self._accelerator.cores
        if one.is_bricks:
            whole = itemsize * BRICK * one.shape[1] == block[2]
            burst = itemsize * block[1] * (block[2] if whole else BRICK)
            burst *= 1 if whole or is_read else cores
        elif itemsize == block[2] and (is_read or block[2] <= BRICK):
            burst = itemsize * block[2] * block[1]
        elif is_read:
            burst = itemsize * block[2]
        else:
            burst = min(64, BRICK * itemsize * cores, block[2] * itemsize)
        return size * area.burst / min(area.burst, burst)

    # -- units

    def _units(self, operation: Layer) -> int:
        if isinstance(operation, Elementwise):
            return self._elementwise(operation)
        shape, unit = operation.result.map.shape, self._at_once(operation)
        block = least(shape, operation.result.block)
        # A block that the output does not fill counts as far as the units compute it.
        count = math.prod(units_of(shape, unit)) / math.prod(units_of(block, unit))
        stores: float = math.ceil(self._per_element(operation) * math.prod(block))
        if isinstance(operation, Convolution):
            constants = self._areas[operation.streams[0][0]]
            stores = max(stores, 10 * block[2] * constants.read / 256)
        products = self._products(operation, units_of(block, unit)) // self._accelerator.cores
        return through_units(products, stores, self._transfers(operation), count)

    def _elementwise(self, operation: Elementwise) -> int:
        """Elements one by one, or as fast as commands bring blocks of them."""
        elements, cycles = rounded(operation.result.map), self._per_element(operation)
        commands = max(self._transfers(operation)) / math.prod(operation.result.block)
        return math.ceil(max(cycles, (commands + cycles) / AT_ONCE) * elements)

    def _transfers(self, operation: Layer) -> tuple[int, int]:
        """Cycles until a block's inputs are there, and its output stored."""
        block, target = input_block(operation), operation.result.map
        fetched = (self._transfer(one, operation, block, is_read=True) for one in operation.reads)
        stored = self._transfer(target, operation, operation.result.block, is_read=False)
        return max(fetched), stored

    def _transfer(self, one: FeatureMap, operation: Layer, block: Shape, *, is_read: bool) -> int:
        area = self._areas[one.region]
        size = math.prod(least(one.shape, block)) * one.dtype.itemsize
        moved = self._with_bursts(one, operation, size, is_read=is_read)
        return (area.read if is_read else area.write) + int(moved / area.bytes)

    def _per_element(self, operation: Layer) -> float:
        """Cycles for an element's scale, function and store."""
        rates, result = self._rates, operation.result
        cycles = self._bare(operation)
        info = np.iinfo(result.map.dtype)
        if result.table is not None or result.curve:
            return max(cycles, rates.table)
        return max(cycles, rates.limits) if result.limits != (info.min, info.max) else cycles

    def _bare(self, operation: Layer) -> float:
        rates = self._rates
        if isinstance(operation, Elementwise):
            if operation.is_wide:
                return rates.wide[operation.other is not None]
            if operation.function == "mul":
                return rates.mul[operation.result.map.dtype.itemsize < 4]
            if operation.function in ("add", "sub"):
                return rates.add
            return rates.plain[1]
        if operation.result.has_wide_sums:
            return rates.mul[1]
        return rates.plain[not (isinstance(operation, Pool) and operation.kind == "max")]

    def _products(self, operation: Windowed, units: Shape) -> int:
        """Cycles of the multiplying units for a block of so many units."""
        total = 0
        for elements in parts(operation.window.kernel):
            steps, cycles = self._part(operation, elements, units)
            total += cycles + self._delay(operation, steps, units)
        if keeps_depth(operation):
            return total
        depth = operation.input.shape[2]
        return total * -(-depth // min(depth, input_depth(operation)))

    def _at_once(self, operation: Windowed) -> Shape:
        """The shape that is computed at once; a lone row is taken as such."""
        shape, depth = operation.result.map.shape, self._accelerator.ofm_depth
        is_row = shape[0] == 1 and shape[1] % 2 == 0 and operation.window.kernel[0] == 1
        is_dense = isinstance(operation, Convolution) and not operation.is_depthwise
        if is_dense and is_row and self._rates.block[0] == 2:
            return 1, 4, depth
        return (*self._rates.block, depth)

    def _part(self, operation: Windowed, elements: int, units: Shape) -> tuple[int, int]:
        """Steps and cycles for a part of the kernel."""
        positions, depth = units[0] * units[1], units[2]
        itemsize, weights = operation.input.dtype.itemsize, 4 * self._accelerator.ofm_depth
        if isinstance(operation, Pool) and operation.kind != "sum":
            cycles = max(4, elements) * positions * depth
            return 1, cycles * (1 if self._accelerator.macs == 32 else 4 * itemsize)
        if isinstance(operation, Convolution) and operation.is_depthwise:
            steps = -(-elements // 4)
            return steps, max(weights, 4 * positions * itemsize) * steps * depth
        if isinstance(operation, Convolution) and operation.is_part_first:
            steps = -(-elements // (2 if itemsize == 2 else 4))
            return steps, max(weights, 4 * positions) * steps * depth * self._eights(operation)
        return elements, max(weights, 4 * positions) * elements * depth

    def _eights(self, operation: Windowed) -> int:
        """Groups of eight channels in a block of the input."""
        return -(-min(operation.input.shape[2], input_depth(operation)) // 8)

    def _delay(self, operation: Windowed, steps: int, units: Shape) -> int:
        """Cycles between steps where units wait for their own sums."""
        rows, columns, depth = units
        is_wide, macs = operation.result.has_wide_sums, self._accelerator.macs
        delay = (3 if is_wide and macs in (64, 128) else 2) if macs != 32 else 7 if is_wide else 3
        cycles = 0
        if rows == columns == 1:
            cycles = delay * (steps if depth == 1 else (steps - 1) * depth)
        if macs == 32 and is_wide and depth > 1 and 1 in (rows, columns):
            cycles += delay * depth
        if isinstance(operation, Convolution) and operation.is_part_first:
            cycles *= self._eights(operation)
        return cycles


def through_units(products: float, stores: float, transfers: tuple[int, int], count: float) -> int:
    """Cycles of so many blocks through both units, between a first fetch and a last store."""
    fetch, store = transfers
    commands = ((abs(store - fetch) if count > 1 else 0) + products + stores) / AT_ONCE
    slow, fast = sorted((max(products, commands), max(stores, commands)), reverse=True)
    return int(slow * count + fast) + fetch + store


def _macs(operation: Layer) -> int:
    if isinstance(operation, Convolution):
        return operation.work
    if not isinstance(operation, Pool):
        return 0
    if operation.kind == "sum":
        return operation.input.size
    return operation.result.map.size * math.prod(operation.window.kernel)
