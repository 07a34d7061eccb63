"""Layers of U85 written by hand."""

from typing import Any

from tests.npu.streams import U85_256, Assembler, Bytes, layer, stored, verified

#: A scale of 1, rounded with halves up; the output has one scale.
PLAIN = {
    **{"OFM_SCALE": 1 << 45 | 1, "OFM_PRECISION": 1 | 1 << 8, "ACC_FORMAT": 0},
    **{"IFM_SCALE": 1, "IFM2_SCALE": 1, "IFM_BROADCAST": 0, "IFM2_BROADCAST": 0},
}
#: Where elements lie: a chain, or a number in OP_SCALAR.
CHAIN, NUMBER = 2 << 14, 3 << 14
#: A number instead of the second input.
THREE = {"IFM2_PRECISION": 1 | NUMBER, "OP_SCALAR": 3, "IFM2_ZERO_POINT": 0}
MUL, ADD, SUB, MINIMUM, MAXIMUM, LEAKY, ABS, CLZ, SHR, SHL, LSR, DIV = range(12)
MAX, AVERAGE, SUM, TOTAL, NONE, MIN, ARGMAX_X = range(7)


def layer85(height: int = 1, width: int = 2, depth: int = 1, **changed: int) -> Assembler:
    """Registers of a layer from bytes 0 to bytes 64, with some changed."""
    return layer(height, width, depth, **{**PLAIN, **changed})


def stored85(commands: Assembler, x: list[int], count: int, **given: Any) -> list[int]:
    """The first bytes from 64 on, as int8, behind commands that found ``x`` at byte 0."""
    return stored(commands.stop(U85_256), x, count, **given)


def row85(x: list[int], operation: str, parameter: int = 0, **changed: int) -> list[int]:
    """What an operation makes of a row of int8."""
    return stored85(layer85(1, len(x), 1, **changed).do(operation, parameter), x, len(x))


def verified85(commands: Assembler, read_only: Bytes | None = None) -> Any:
    """The operations of commands."""
    return verified(commands.stop(U85_256), read_only)


def handed_on(**second: int) -> Assembler:
    """A sum that is handed on in chain 3, and its product with 3."""
    first = {"OFM_PRECISION": 1 | 1 << 8 | CHAIN, "OFM_REGION": 3, **THREE}
    commands = layer85(1, 2, 1, **first).do("ELEMENTWISE", ADD)
    after = {"IFM_PRECISION": 1 | CHAIN, "IFM_REGION": 3, "OFM_PRECISION": 1 | 1 << 8}
    return commands.set(**{**after, "OFM_REGION": 1, **second}).do("ELEMENTWISE", MUL)
