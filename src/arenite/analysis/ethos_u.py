"""Vela's work on a model: the NPU, its commands and memory, and what stayed on the CPU."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arenite.accelerators import ACCELERATORS
from arenite.boards import Board
from arenite.errors import ConstraintError
from arenite.model import Model, Operator, Subgraph, Tensor
from arenite.npu.limits import GUESSED, INFERRED
from arenite.npu.operations import Program
from arenite.npu.registers import WAITS, operation_name
from arenite.npu.scratch import Scratch, scratch_of
from arenite.npu.stream import Stream, StreamError, read_stream
from arenite.npu.verification.reader import read_program, why_not
from arenite.npu.words import kind_of, sentence
from arenite.ops import places_operands


@dataclass(frozen=True, eq=False)
class NpuOperator:
    """An operator of the model whose layers Vela compiled.

    Attributes:
        subgraph, operator: Where it is.
        stream: Its command stream; None where that is damaged.
        refusal: Why it is not computed here; empty where it is.
        read_only: Its constants.
        work: Bytes to work in.
        fast: Bytes of fast memory of its own; None where it works in the arena alone.
    """

    subgraph: int
    operator: int
    stream: Stream | None
    refusal: str
    read_only: np.ndarray[Any, np.dtype[np.uint8]]
    work: int
    fast: int | None

    @property
    def accelerator(self) -> str:
        """Accelerator that it was compiled for."""
        return "" if self.stream is None else self.stream.accelerator_text

    @property
    def word_count(self) -> int:
        """Words of its commands."""
        return 0 if self.stream is None else len(self.stream.words)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Operations of the stream by their commands' names."""
        if self.stream is None:
            return {}
        try:
            names = [operation_name(one) for one in self.stream.commands() if one.is_operation]
        except StreamError:
            return {}
        return dict(Counter(name for name in names if name not in WAITS and name != "STOP"))

    @cached_property
    def program(self) -> Program:
        """Its operations.

        Raises:
            StreamError: It is refused.
        """
        if self.stream is None:
            raise StreamError(self.refusal)
        return read_program(self.stream, self.read_only, self.work, self.fast)

    @cached_property
    def scratch(self) -> Scratch | None:
        """Its memory from inside; None where it is refused."""
        try:
            return scratch_of(self.program)
        except StreamError:
            return None


def npu_operators(model: Model) -> tuple[NpuOperator, ...]:
    """All operators that Vela compiled, in order."""
    return tuple(
        _compiled(subgraph, number, place, operator)
        for number, subgraph in enumerate(model.subgraphs)
        for place, operator in enumerate(subgraph.operators)
        if places_operands(operator) and len(operator.inputs) >= 4
    )


def _compiled(subgraph: Subgraph, number: int, place: int, operator: Operator) -> NpuOperator:
    stream, read_only, work, fast = (subgraph.tensors[i] for i in operator.inputs[:4])
    own = None if operator.inputs[2] == operator.inputs[3] else fast.nbytes
    found, refusal = None, ""
    try:
        found = read_stream(_data(stream))
        refusal = why_not(found.accelerator)
    except StreamError as error:
        refusal = str(error)
    return NpuOperator(number, place, found, refusal, _data(read_only), work.nbytes, own)


def _data(tensor: Tensor) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.zeros(0, np.uint8) if tensor.data is None else tensor.data


def on_the_cpu(model: Model) -> dict[str, int]:
    """Operators that Vela left to the CPU, by name."""
    names = (
        operator.name
        for subgraph in model.subgraphs
        for operator in subgraph.operators
        if not places_operands(operator)
    )
    return dict(Counter(names))


def fast_bytes(model: Model) -> int:
    """Bytes of fast memory that the driver has to be given; 0 where there is none."""
    return max((one.fast or 0 for one in npu_operators(model)), default=0)


def check_npu(model: Model, board: Board) -> None:
    """Refuse a file that was compiled for an NPU that a board does not have.

    Raises:
        ConstraintError: It was; says what to do.
    """
    for one in npu_operators(model):
        if one.stream is None or board.has_npu(one.accelerator):
            continue
        if not board.npus:
            raise ConstraintError(
                f"expected a model without NPU commands, as no Ethos-U of {board.name} is known, "
                f"got commands for {one.accelerator}: take the original, or a board with it "
                "(npus = [...] in a .toml file)"
            )
        choice = " or ".join(board.npus)
        named = next((npu for npu in board.npus if npu in ACCELERATORS), f"{board.npus[0]}-...")
        raise ConstraintError(
            f"expected commands for {choice} of {board.name}, got those for {one.accelerator}: "
            f"compile the original for it (vela --accelerator-config {named})"
        )


def npu_facts(model: Model) -> dict[str, Any] | None:
    """Operators of the NPU as JSON, and what agreement with it rests on; None without any."""
    found = npu_operators(model)
    if not found:
        return None
    return {
        "operators": [_operator_facts(one) for one in found],
        "cpu": on_the_cpu(model),
        "inferred": list(INFERRED),
        "guessed": list(GUESSED),
    }


def _operator_facts(one: NpuOperator) -> dict[str, Any]:
    return {
        "subgraph": one.subgraph,
        "operator": one.operator,
        "accelerator": one.accelerator,
        "architecture": None if one.stream is None else one.stream.version,
        "command_words": one.word_count,
        "operations": one.counts,
        "regions": {"read_only": len(one.read_only), "work": one.work, "fast": one.fast},
        "refusal": one.refusal or None,
    }


def scratch_facts(model: Model) -> list[dict[str, Any]]:
    """Each operator's memory from inside, as JSON."""
    return [
        {
            "subgraph": one.subgraph,
            "operator": one.operator,
            "alive": list(scratch.alive),
            "buffers": [
                {
                    **{"what": b.what, "region": b.region, "offset": b.begin, "size": b.size},
                    **{"first": b.first, "last": b.last},
                }
                for b in scratch.buffers
            ],
        }
        for one in npu_operators(model)
        if (scratch := one.scratch) is not None
    ]


def command_facts(one: NpuOperator) -> list[dict[str, Any]]:
    """Its operations in words, as JSON; none where it is refused."""
    return [
        {"operation": number, "kind": kind, "text": text}
        for number, (kind, text) in enumerate(commands(one))
    ]


def commands(one: NpuOperator) -> list[tuple[str, str]]:
    """Its operations in words; none where it is refused."""
    try:
        return [(kind_of(operation), sentence(operation)) for operation in one.program.operations]
    except StreamError:
        return []
