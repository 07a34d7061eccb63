"""A model's firmware on an emulated board, called like an interpreter."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import DTypeError, ShapeError
from arenite.firmware.build import build
from arenite.firmware.export import ASSEMBLED, Export, export, without_constant_channels
from arenite.firmware.machine import Count, Machine
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.ops.context import Array


@dataclass(frozen=True)
class LayerRun:
    """A result of a layer in the last inference: what it cost since the one before, its bytes."""

    index: int
    count: Count
    result: bytes


class Board:
    """A model as firmware: exported, built with zig's clang, run by unicorn.

    >>> board = Board("kws_int8.tflite")                     # doctest: +SKIP
    >>> y = board(x); board.count.instructions               # doctest: +SKIP

    No board was measured: cycles follow ``arenite cost``'s rule, for memory that never waits.

    Args:
        model: A model, a file's path, or a file's bytes.
        processor: ``"cortex-m0"``, ``-m3``, ``-m4``, ``-m7`` or ``-m33``.
        name: What all names in C begin with.
        flash: Bytes that constants may take, see :func:`export`.
        folder: Where to export to; by default nothing is kept.

    Attributes:
        model: The model.
        layered: The model whose layers the firmware has: without channels that never change.
        export: The folder's figures.
        count: Instructions and cycles of the last inference.
        stack_bytes: The deepest that its stack was.
        code_bytes: All that runs, the self-test and the board's own few lines not counted.

    Raises:
        BoardError: Unicorn or ziglang is missing, or the firmware does what it must not.
        UnsupportedOperatorError: Some layers cannot be exported.
    """

    def __init__(
        self,
        model: Model | Source,
        processor: str = "cortex-m4",
        *,
        name: str | None = None,
        flash: int | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.model = self.layered = model_of(model)
        if processor in ASSEMBLED:
            self.layered = without_constant_channels(self.model)
        with tempfile.TemporaryDirectory(prefix="arenite-") as temporary:
            into = Path(temporary)
            self.export: Export = export(
                self.model, folder or into / "folder", target=processor, name=name, flash=flash
            )
            image = build(Path(self.export.folder), into, processor)
        self._machine = Machine(image, processor)
        self.count, self.stack_bytes = Count(0, 0), 0
        self._call("init")

    # -- inferences

    def __call__(self, *inputs: npt.ArrayLike) -> Array | tuple[Array, ...]:
        """One inference; a copy of the output, or a tuple of them.

        Raises:
            DTypeError: An array has another dtype than its input.
            ShapeError: An array has another shape than its input.
            ValueError: There are more or fewer arrays than inputs.
            BoardError: The firmware left its memory.
        """
        self._write(inputs)
        self.count = self._counted("invoke")
        return self.outputs()

    def layers(self, *inputs: npt.ArrayLike) -> list[LayerRun]:
        """One inference, layer by layer; a layer's cost has the call that tells of it in it.

        Raises:
            As calling the board.
        """
        self._write(inputs)
        machine, runs = self._machine, []
        last = machine.count()

        def told() -> None:
            nonlocal last
            now, layer = machine.count(), machine.argument(1)
            count = Count(now.instructions - last.instructions, now.cycles - last.cycles)
            result = machine.read(machine.argument(3), machine.argument(4))
            runs.append(LayerRun(layer, count, result))
            last = now

        with machine.watching("board_observe", told):
            self._call("invoke_observed", machine.address("board_observe") | 1, 0)
        return runs

    def self_test(self) -> str:
        """What the folder's self-test prints."""
        machine, printed = self._machine, list[str]()

        def told() -> None:
            printed.append(machine.text(machine.argument(0)))

        with machine.watching("board_print", told):
            self._call("selftest", machine.address("board_print") | 1)
        return "".join(printed)

    def reset(self) -> None:
        """Forget what was before."""
        self._call("reset")

    # -- figures

    @property
    def code_bytes(self) -> int:
        """Bytes of the folder's functions, without the self-test."""
        name = self.export.name
        own = (f"{name}_", "ar_")
        return sum(
            size
            for function, size in self._machine.image.functions
            if function.startswith(own) and function != f"{name}_selftest"
        )

    @property
    def flash_bytes(self) -> int:
        """Code and constants."""
        return self.code_bytes + self.export.constant_bytes

    # -- how

    def _counted(self, function: str) -> Count:
        before = self._machine.count()
        self._call(function)
        after = self._machine.count()
        return Count(after.instructions - before.instructions, after.cycles - before.cycles)

    def _call(self, function: str, *arguments: int) -> int:
        result = self._machine.call(f"{self.export.name}_{function}", *arguments)
        self.stack_bytes = self._machine.stack_bytes()
        return result

    def _write(self, inputs: tuple[Any, ...]) -> None:
        tensors = self.model.inputs
        if len(inputs) != len(tensors):
            raise ValueError(f"expected {len(tensors)} inputs, got {len(inputs)}")
        for index, (value, tensor) in enumerate(zip(inputs, tensors, strict=True)):
            array = np.asarray(value)
            if array.dtype != tensor.type.dtype:
                raise DTypeError(f"input {index}: expected {tensor.type}, got {array.dtype}")
            if array.shape != tensor.shape:
                raise ShapeError(f"input {index}: expected {tensor.shape}, got {array.shape}")
            self._machine.write(self._call("input", index), array.tobytes())

    def outputs(self) -> Array | tuple[Array, ...]:
        """Copies of the last inference's outputs."""
        stack = self.stack_bytes
        arrays = []
        for index, tensor in enumerate(self.model.outputs):
            data = self._machine.read(self._call("output", index), tensor.nbytes)
            arrays.append(np.frombuffer(data, tensor.type.dtype).reshape(tensor.shape).copy())
        self.stack_bytes = stack
        return arrays[0] if len(arrays) == 1 else tuple(arrays)
