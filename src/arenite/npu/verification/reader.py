"""A command stream verified and read into operations, before any of them runs.

Every address lies inside its region, constants are not written, weights are decoded, tables are
there, work is bounded, and the stream ends with a stop. What is left is arithmetic.

Facts: Vela 5.2.0 ``register_command_stream_generator.py`` and ``ethos_u55_regs.py``; of U85, regor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arenite.accelerators import Accelerator
from arenite.npu import layers
from arenite.npu.constants import FAST, READ_ONLY, SHARED_BUFFER, WORK, Known
from arenite.npu.feature_map import FeatureMap
from arenite.npu.operations import Convolution, Copy, Operation, Program
from arenite.npu.registers import WAITS, Registers, operation_name
from arenite.npu.stream import Command, Stream, StreamError
from arenite.npu.u85 import layers as u85
from arenite.npu.u85.gathers import gather, is_indexed

#: Multiply-adds or elements of a whole stream, which take minutes.
MAX_WORK = 10**10
#: Weights of a whole stream.
MAX_WEIGHTS = 1 << 26
#: Operations of a whole stream.
MAX_OPERATIONS = 1 << 20
#: Of a region register of a copy: the NPU's own buffer; more dimensions than one.
_BUFFER, _DIMENSIONS = 1 << 8, 3 << 9


def why_not(accelerator: Accelerator | None) -> str:
    """The reason why streams for an NPU are not computed; empty where they are."""
    return "no NPU of that configuration is known" if accelerator is None else ""


@dataclass(eq=False)
class Reading:
    """The state of reading a stream.

    Attributes:
        accelerator: Whose stream.
        sizes: Bytes of each region; fast memory that is shared counts as memory to work in.
        known: Constants.
        registers: As the commands so far have set them.
        chains: What U85's operations have handed on, by its region.
    """

    accelerator: Accelerator
    sizes: dict[int, int]
    known: Known
    registers: Registers
    chains: dict[int, FeatureMap] = field(default_factory=dict)


def read_program(
    stream: Stream, read_only: npt.NDArray[np.uint8], work: int, fast: int | None
) -> Program:
    """Verify a stream.

    Args:
        stream: The stream.
        read_only: Region 0.
        work: Bytes of region 1.
        fast: Bytes of region 2; None where it is region 1.

    Raises:
        StreamError: The first thing that is wrong, with its operation.
    """
    accelerator = stream.accelerator
    reason = why_not(accelerator)
    if reason or accelerator is None:
        raise StreamError(reason)
    sizes = {READ_ONLY: len(read_only), WORK: work, FAST: work if fast is None else fast}
    buffer = {SHARED_BUFFER: accelerator.shram * 1024}
    known, registers = Known(read_only, {**sizes, **buffer}), Registers(is_u85=accelerator.is_u85)
    reading = Reading(accelerator, sizes, known, registers)
    operations: list[Operation] = []
    total = weights = 0
    for command in stream.commands():
        if not command.is_operation:
            reading.registers.set(command)
            continue
        name = operation_name(command)
        if name == "STOP":
            return Program(accelerator, tuple(operations), sizes, fast is None)
        if name in WAITS:
            continue
        operation = _operation(reading, command, len(operations), fast is None)
        operations.append(operation)
        total += operation.work
        weights += operation.weights.size if isinstance(operation, Convolution) else 0
        _check_totals(total, weights, len(operations))
    raise StreamError("expected a STOP at the end of the commands, got none")


def _check_totals(work: int, weights: int, count: int) -> None:
    """Check what one stream asks for in all."""
    for got, most, what in (
        (work, MAX_WORK, "multiply-adds or elements"),
        (weights, MAX_WEIGHTS, "weights"),
        (count, MAX_OPERATIONS, "operations"),
    ):
        if got > most:
            raise StreamError(f"expected at most {most} {what} in a stream, got more")


def _operation(reading: Reading, command: Command, number: int, is_shared: bool) -> Operation:
    """One operation, with its place in an error."""
    name = operation_name(command)
    read = (_READERS_U85 if reading.accelerator.is_u85 else _READERS).get(name)
    try:
        if read is None:
            raise StreamError("Vela writes no such operation for this NPU")
        operation = read(reading, command, number)
        _follow(reading, operation, is_shared)
    except StreamError as error:
        raise StreamError(
            f"operation {number}, {name} at word {command.position}: {error}"
        ) from None
    return operation


def _follow(reading: Reading, operation: Operation, is_shared: bool) -> None:
    """Follow an operation's effect on known memory."""

    def seen(region: int) -> int:
        return WORK if is_shared and region == FAST else region

    if isinstance(operation, Copy):
        region, begin = operation.target
        to = SHARED_BUFFER if region is None else seen(region)
        source = seen(operation.source[0]), operation.source[1]
        reading.known.copy(source, (to, begin), operation.length)
        return
    written: FeatureMap | None = operation.writes
    assert written is not None
    if written.region == READ_ONLY:
        raise StreamError("it writes to constants")
    reading.known.forget(seen(written.region), *written.span)


def _copy(reading: Reading, command: Command, number: int) -> Copy:
    registers = reading.registers
    source, target = (registers.short(f"DMA0_{end}_REGION") for end in ("SRC", "DST"))
    if (source | target) & _DIMENSIONS:
        raise StreamError("copies of more than one dimension are not there yet")
    if source & _BUFFER:
        raise StreamError("it reads the NPU's own buffer, which Vela never does")
    if not target & _BUFFER and target & 7 == READ_ONLY:
        raise StreamError("it writes to constants")
    length = registers.address("DMA0_LEN")
    origin = source & 7, registers.address("DMA0_SRC")
    place = registers.address("DMA0_DST")
    reading.known.require(*origin, length, "source")
    to = SHARED_BUFFER if target & _BUFFER else target & 7
    reading.known.require(to, place, length, "target")
    region = None if target & _BUFFER else target & 7
    return Copy(number, command.position, origin, (region, place), length)


def _copy_u85(reading: Reading, command: Command, number: int) -> Operation:
    """A copy as it is, or by indices."""
    read = gather if is_indexed(reading.registers) else _copy
    return read(reading, command, number)


_READERS: dict[str, Callable[[Reading, Command, int], Operation]] = {
    "CONV": layers.convolution,
    "DEPTHWISE": layers.convolution,
    "POOL": layers.pool,
    "ELEMENTWISE": layers.elementwise,
    "DMA_START": _copy,
}
_READERS_U85: dict[str, Callable[[Reading, Command, int], Operation]] = {
    **{"CONV": u85.product, "DEPTHWISE": u85.convolution, "POOL": u85.pool},
    **{"ELEMENTWISE": u85.elementwise, "RESIZE": u85.resize, "DMA_START": _copy_u85},
}
