"""A model's firmware on an emulated board, called like an interpreter."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.boards.board import Board as BoardFacts
from arenite.cores import CORES, DEFAULT
from arenite.emulator.machine import Count
from arenite.errors import BoardError, BoardLimitError
from arenite.firmware.compiler.toolchain import DEFAULT as ZIG
from arenite.firmware.compiler.toolchain import Toolchain
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.device import SECONDS, Device, LayerRun, Limits, whole
from arenite.firmware.export import headers_in, layered, tflm_arena, write
from arenite.firmware.flash_reads import FlashReads, flash_reads
from arenite.firmware.folder.exported import Export, export_of
from arenite.firmware.folder.io_spec import ports_model
from arenite.firmware.folder.manifest import MANIFEST, manifest_of
from arenite.firmware.measurements import Measured, measured
from arenite.firmware.plan.budget import Budget, Least
from arenite.firmware.plan.layout import Inputs
from arenite.formats import Source, model_of
from arenite.model import Model, Tensor
from arenite.ops.context import Array
from arenite.runtime.batch import batch_of
from arenite.runtime.independent_samples import Run, each_anew
from arenite.runtime.io_conversion import (
    Outputs,
    checked,
    collected,
    dequantized,
    input_index,
    output_index,
    port,
)
from arenite.runtime.predict import finish, run_in_order
from arenite.target import find_target

#: Instructions that a call may take where it is not known that it comes to an end, and how far what
#: a folder says of itself may raise them.
LIMIT, MOST = 500_000_000, 5_000_000_000


class Board:
    """A model as firmware: exported, built with zig's clang, run by unicorn or QEMU.

    It has an interpreter's methods. Arrays that :meth:`input` gives lie here; an inference takes
    them to the board.

    >>> board = Board("kws_int8.tflite")                     # doctest: +SKIP
    >>> y = board(x); board.count.instructions               # doctest: +SKIP

    No board was measured: cycles follow ``arenite cost``'s rule, for memory that never waits.

    Args:
        model: A model, a file's path, a file's bytes, or a folder that was exported, which is
            built and run as it stands.
        processor: A core that there is an emulated board for, see :mod:`arenite.cores`; by
            default the folder's, or ``"cortex-m4"``.
        name: What all names in C begin with.
        flash: Bytes that constants may take, see :func:`export`.
        ram: Bytes that the arena may take.
        least: What shall be small: ``"time"``, ``"ram"`` or ``"flash"``.
        inputs: What becomes of inputs; where their rows are asked for, the board delivers them.
        icache: Bytes of the cache of instructions, see :func:`export`.
        folder: Where to export to; by default nothing is kept.
        optimize: Whether passes that lose nothing run before, see :func:`export`.
        limit: Instructions that a call may take (:class:`Machine`): by default :data:`LIMIT` of a
            model with loops and of a folder, whose sources may be anybody's; a folder may take 20
            times what it says of itself, up to :data:`MOST`. What has no loops comes to an end.
        seconds: The time that a call may take on this machine.
        tell: Called now and then with instructions and seconds of a call that goes on.
        headers: What kernels in C++ are compiled against, of a folder that has some.
        toolchain: The compiler that builds it.

    Attributes:
        model: The model, without a plan for TFLM's memory; of a folder, its ports alone.
        layered: The model whose layers the firmware has: what passes left of it.
        export: The folder's figures.
        count: Instructions and cycles of the last inference.

    Raises:
        BoardLimitError: Loops of the model, or a call, go on for too long.
        BoardError: The emulator or ziglang is missing, the folder was not exported, its manifest
            is broken, or the firmware does what it must not.
        UnsupportedOperatorError: Some layers cannot be exported.
    """

    def __init__(
        self,
        model: Model | Source,
        processor: str | None = None,
        *,
        name: str | None = None,
        flash: int | None = None,
        ram: int | None = None,
        least: Least | None = None,
        inputs: Inputs = "overwritten",
        icache: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        optimize: bool = True,
        limit: int | None = None,
        seconds: float | None = SECONDS,
        tell: Callable[[int, float], None] | None = None,
        headers: Headers | None = None,
        toolchain: Toolchain = ZIG,
    ) -> None:
        exported = exported_folder(model)
        if exported is not None:
            facts = manifest_of(exported)
            self.export: Export = export_of(facts, exported)
            self.model = self.layered = ports_model(facts, str(exported))
            processor = processor or _emulated(self.export.target)
            limit = limit or max(LIMIT, min(20 * _stated(facts), MOST))
            row_bytes, name = self.export.row_bytes, self.export.name
            self._device = Device(
                *(exported, name, processor, row_bytes, Limits(limit, seconds, tell)),
                headers=headers,
                toolchain=toolchain,
            )
        else:
            processor = processor or DEFAULT
            model = model_of(model)
            made = layered(model, processor, icache, optimize=optimize)
            self.model, self.layered = made.original, made.model
            with tempfile.TemporaryDirectory(prefix="arenite-") as into:
                place = Path(folder or Path(into) / "folder")
                tflm = tflm_arena(model, find_target(processor))
                budget = Budget(ram, flash, least, inputs, icache, tflm)
                self.export = write(made, place, processor, budget, name=name)
                if self.export.not_verified:
                    raise BoardLimitError(f"the reference: {self.export.not_verified}")
                if limit is None and has_loops(made.model):
                    limit = LIMIT
                row_bytes, name = self.export.row_bytes, self.export.name
                self._device = Device(
                    *(place, name, processor, row_bytes, Limits(limit, seconds, tell)),
                    headers=headers_in(made.model),
                    toolchain=toolchain,
                )
        self.processor = processor
        self._has_kernels = any(layer.language == "cc" for layer in self.export.layers)
        self.count = Count(0, 0)
        ports = self.model.inputs
        self._inputs: list[Array] = [
            _shaped(bytes(tensor.nbytes), tensor).copy() for tensor in ports
        ]

    def __repr__(self) -> str:
        return (
            f"<Board {self.export.name}: {self.processor}, {self.export.arena_bytes} bytes of RAM>"
        )

    # -- inferences

    def __call__(
        self, *inputs: npt.ArrayLike, quantize: bool = False, **named: npt.ArrayLike
    ) -> Outputs:
        """One inference; a copy of the output, or a tuple of them.

        Args:
            inputs: Arrays of the inputs' shapes and dtypes, in order.
            quantize: Take real numbers, and give them.
            named: Inputs by name.

        Raises:
            DTypeError: An array has another dtype than its input.
            ShapeError: An array has another shape than its input.
            ValueError: An input is missing, given twice or unknown.
            BoardError: The firmware left its memory.
        """
        self._take(inputs, named, quantize=quantize)
        self.invoke()
        return self.outputs(quantize=quantize)

    def input(self, index: int | str = 0) -> Array:
        """An input, by index or name: an array that the next inference takes."""
        if isinstance(index, str):
            index = input_index(self.model, index)
        return self._inputs[port("input", range(len(self._inputs)), index)]

    def invoke(self) -> bool:
        """One inference of what :meth:`input` holds; True, as all of it ran."""
        self._write()
        self.count = self._device.invoke()
        return True

    def invoke_uncounted(self) -> None:
        """The same as fast as the core is emulated."""
        self._write()
        self._device.invoke_uncounted()

    def output(self, index: int | str = 0) -> Array:
        """A copy of an output of the last inference, by index or name."""
        tensors = self.model.outputs
        if isinstance(index, str):
            index = output_index(self.model, index)
        tensor = tensors[port("output", range(len(tensors)), index)]
        data = self._device.read(index, tensor.nbytes)
        array: Array = _shaped(data, tensor).copy()
        return array

    def outputs(self, *, quantize: bool = False) -> Outputs:
        """Copies of the last inference's outputs."""
        found = [self.output(index) for index in range(len(self.model.outputs))]
        if quantize:
            pairs = zip(found, self.model.outputs, strict=True)
            found = [dequantized(value, tensor) for value, tensor in pairs]
        return found[0] if len(found) == 1 else tuple(found)

    def predict(
        self,
        batch: npt.ArrayLike | tuple[npt.ArrayLike, ...],
        *,
        stateful: bool | None = None,
        quantize: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Outputs:
        """One inference per sample; see :meth:`arenite.Interpreter.predict`.

        Args:
            batch: ``(N, ...)`` samples; with several inputs a tuple of such arrays.
            stateful: Of a firmware that remembers: True, the samples are a sequence; False, each
                starts as after a reset of the board.
            quantize: As of a call.
            progress: Called after all samples with their number, twice.

        Raises:
            DTypeError, ShapeError: A sample has another dtype or shape than its input.
            ValueError: There are not as many arrays as inputs, or ``stateful`` is not said.
            PredictError: A sample failed.
        """
        if self.is_stateful and stateful is None:
            raise ValueError("the firmware remembers: expected stateful=True or stateful=False")
        values = batch if isinstance(batch, tuple) else (batch,)
        like = [self.output(index) for index in range(len(self.model.outputs))]
        samples = batch_of(self.model, values, like, quantize=quantize)
        run: Run = self._run
        if self.is_stateful and not stateful:
            run = each_anew(run, self._begin)
        finish(run_in_order(samples, run), samples.count, progress)
        return samples.results

    def reset(self) -> None:
        """Forget what was before."""
        self._device.call("reset")

    def layers(self, *inputs: npt.ArrayLike, is_counted: bool = True) -> list[LayerRun]:
        """One inference, layer by layer; a layer's cost has the call that tells of it in it.

        Costs are 0 where nothing ``is_counted``, which takes a tenth of the time. It raises what
        calling the board does.
        """
        self._take(inputs, {}, quantize=False)
        self._write()
        runs = self._device.invoke_observed(is_counted=is_counted)
        return whole(runs, [one.rows > 0 for one in self.export.layers])

    def flash_reads(self, on: BoardFacts | None) -> FlashReads | None:
        """Waits of the last inference, run again, for a board's flash; see :func:`flash_reads`.

        Raises:
            BoardError: Results are others while reads are watched.
        """
        before, cycles = self.outputs(), self.count.cycles
        found = flash_reads(self._device.machine, self.invoke_uncounted, on, cycles)
        if not self.is_stateful and not _same(before, self.outputs()):
            raise BoardError("the emulated core computes something else while reads are watched")
        return found

    def measured(self, inputs: Sequence[bytes]) -> Measured:
        """The first inference and the next, of the board as it begins; see :class:`Measured`."""
        return measured(self._device, len(self.export.layers), inputs)

    def self_test(self) -> str:
        """Output of the folder's self-test."""
        return self._device.self_test()

    # -- figures

    @property
    def is_stateful(self) -> bool:
        """Whether an inference may depend on those before it."""
        return self.export.state_bytes > 0

    @property
    def stack_bytes(self) -> int:
        """The deepest that the stack of the last inference was."""
        return self._device.stack_bytes

    @property
    def code_bytes(self) -> int:
        """All that runs; the self-test and the board's own few lines are not counted."""
        return self._device.code_bytes

    @property
    def static_bytes(self) -> int:
        """RAM of users' kernels in C++ beside the arena, and of what is around them."""
        return self._device.ram_bytes - self.export.arena_bytes if self._has_kernels else 0

    @property
    def flash_bytes(self) -> int:
        """Code and constants."""
        return self.code_bytes + self.export.constant_bytes

    # -- how

    def _take(
        self, inputs: Sequence[npt.ArrayLike], named: dict[str, npt.ArrayLike], *, quantize: bool
    ) -> None:
        given = zip(collected(self.model, inputs, named), self.model.inputs, strict=True)
        found = [checked(one, to, i, quantize=quantize) for i, (one, to) in enumerate(given)]
        for own, value in zip(self._inputs, found, strict=True):
            own[...] = value

    def _begin(self) -> None:
        self._device.call("init")

    def _write(self) -> None:
        for index, array in enumerate(self._inputs):
            self._device.write(index, array.tobytes())

    def _run(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> tuple[int, Exception | None]:
        count = len(inputs[0]) if inputs else len(outputs[0])
        for number in range(count):
            for own, samples in zip(self._inputs, inputs, strict=True):
                own[...] = samples[number]
            try:
                self.invoke()
            except BoardError as error:
                return number, error
            for index, results in enumerate(outputs):
                results[number] = self.output(index)
        return count, None


def _same(one: Outputs, two: Outputs) -> bool:
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (one, two)), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def has_loops(model: Model) -> bool:
    """Whether an inference may go on for as long as its inputs want."""
    return any(op.name == "WHILE" for one in model.subgraphs for op in one.operators)


def _stated(facts: Mapping[str, Any]) -> int:
    """Instructions of an inference, as a manifest has them; 0 where it says nothing."""
    found = facts.get("instructions")
    return found if isinstance(found, int) else 0


def _shaped(data: bytes, tensor: Tensor) -> Array:
    """Bytes as a tensor's elements; flat where several share a byte, as in an interpreter."""
    array: Array = np.frombuffer(data, tensor.type.dtype)
    return array.reshape(tensor.shape) if array.size == tensor.size else array


def exported_folder(model: Model | Source) -> Path | None:
    """The folder that a path names, if it is one.

    Raises:
        BoardError: It was not exported.
    """
    if not isinstance(model, str | os.PathLike):
        return None
    path = Path(os.fsdecode(model))
    if not path.is_dir():
        return None
    if not (path / MANIFEST).is_file():
        raise BoardError(f"expected an exported folder, got '{path}' without {MANIFEST}")
    return path


def _emulated(target: str) -> str:
    """The core for a folder's target; C for any processor runs on :data:`DEFAULT`."""
    return target if CORES[target].is_emulated else DEFAULT
