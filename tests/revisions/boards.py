"""TFLM of a day with the CMSIS-NN of its time on an emulated core, for any model.

The firmware is built once, with those operators that the day's resolver has, and is given one
model after the other.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arenite.c_text import fill
from arenite.cores import CORES
from arenite.emulator import machine as memory
from arenite.emulator import qemu
from arenite.emulator.elf import Image
from arenite.emulator.machine import Machine
from arenite.emulator.qemu import Qemu
from arenite.errors import BoardError, KernelBuildError
from arenite.files import save
from arenite.firmware.compiler.zig import link_script
from arenite.firmware.stock.board import variables
from arenite.firmware.stock.build import core_flags, linked_with_tree, tree_flags
from arenite.firmware.stock.text import LINK, MAIN, MODEL, QEMU_BOARD
from arenite.formats.tflite_write import write
from arenite.kernels.closure import sources_for
from arenite.kernels.tree import Tree, find_tree
from arenite.model import Model
from arenite.ops.context import Array
from arenite.ops.tflm_names import add_method

#: Operators that the firmware has: those of a library, and those that public models use most.
ASKED = (
    *("ADD", "AVERAGE_POOL_2D", "BATCH_MATMUL", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D"),
    *("DEQUANTIZE", "FULLY_CONNECTED", "LOGISTIC", "MAXIMUM", "MAX_POOL_2D", "MEAN", "MINIMUM"),
    *("MUL", "PAD", "PADV2", "QUANTIZE", "RELU", "RESHAPE", "SOFTMAX", "STRIDED_SLICE", "SUB"),
    *("SVDF", "TRANSPOSE", "TRANSPOSE_CONV", "UNIDIRECTIONAL_SEQUENCE_LSTM"),
)
_RESOLVER = "tensorflow/lite/micro/micro_mutable_op_resolver.h"
_LSTM = "tensorflow/lite/micro/kernels/cmsis_nn/unidirectional_sequence_lstm.cc"
_ARENA, _MODEL = 1 << 19, 1 << 19
_ARENA_NAME = "_ZN12_GLOBAL__N_15arenaE"
_LINKED = ("-nostartfiles", "-Wl,-T,link.ld", "-Wl,--gc-sections")


class Answer(NamedTuple):
    """What TFLM did: ``ok`` or what it printed, its arena, and the outputs of each inference."""

    status: str
    arena: int = 0
    outputs: tuple[tuple[Array, ...], ...] = ()


class OldBoard:
    """A firmware of a tree on an emulated core."""

    def __init__(self, tree: str | Path, processor: str) -> None:
        found = find_tree(tree)
        with tempfile.TemporaryDirectory() as folder:
            image = _built(found, processor, Path(folder))
        is_qemu = CORES[processor].qemu
        self._machine = Qemu(image) if is_qemu else Machine(image, processor)

    def answer(self, model: Model, inputs: Sequence[Sequence[Array]], filling: int = 0) -> Answer:
        """A model's arena, and its outputs for each of these inputs.

        ``filling`` is what all bytes of the arena are before.
        """
        data, machine = write(model), self._machine
        if len(data) > _MODEL:
            raise BoardError(f"expected a model of up to {_MODEL} bytes, got {len(data)}")
        machine.restart()
        machine.write(machine.address("stock_model"), data)
        if filling:
            machine.write(machine.address(_ARENA_NAME), bytes([filling]) * _ARENA)
        count = variables(model).to_bytes(4, "little")
        machine.write(machine.address("stock_variables"), count)
        printed: list[str] = []

        def told() -> None:
            printed.append(machine.text(machine.argument(0)))

        with machine.watching("board_print", told):
            try:
                if machine.call("stock_begin"):
                    return Answer("refused: " + "".join(printed))
                made = tuple(self._outputs(model, arrays) for arrays in inputs)
            except BoardError as error:
                return Answer(f"crashed: {error}")
        return Answer("ok", machine.call("stock_arena_used"), made)

    def _outputs(self, model: Model, arrays: Sequence[Array]) -> tuple[Array, ...]:
        machine, found = self._machine, []
        for index, array in enumerate(arrays):
            machine.write(machine.call("stock_input", index), np.ascontiguousarray(array).tobytes())
        if machine.call("stock_invoke"):
            raise BoardError("Invoke failed")
        for index, tensor in enumerate(model.outputs):
            data = machine.read(machine.call("stock_output", index), tensor.nbytes)
            found.append(np.frombuffer(data, tensor.type.dtype).reshape(tensor.shape))
        return tuple(found)


def _operators(tree: Tree) -> tuple[list[str], list[Path]]:
    """Lines of a resolver for those that it has kernels for, and their sources."""
    text, asked = tree.text(_RESOLVER), list(ASKED)
    if not tree.text(_LSTM):  # one that was written anew: revisions/tflm.csv
        asked.remove("UNIDIRECTIONAL_SEQUENCE_LSTM")
    methods = [method for method in map(add_method, asked) if f" {method}(" in text]
    lines = [f"resolver.{method}();" for method in methods]
    try:
        return lines, sources_for(tree, lines)
    except KernelBuildError as error:  # a few methods were there before their kernels
        lines = [line for line in lines if line not in str(error)]
        return lines, sources_for(tree, lines)


def _built(tree: Tree, processor: str, folder: Path) -> Image:
    lines, sources = _operators(tree)
    main = fill(
        MAIN,
        profiler="nullptr",
        arena=_ARENA,
        operators=len(lines),
        takes_list=int(tree.log_takes_list),
        declarations='extern "C" { int stock_variables; }',
        calls="\n".join(lines),
        variables="stock_variables",
    )
    is_qemu = CORES[processor].qemu
    board = {"board.c": QEMU_BOARD} if is_qemu else {}
    script = link_script(LINK, qemu if is_qemu else memory)
    texts = {"main.cc": main, "model.S": MODEL, **board}
    for name, text in {**texts, "link.ld": script, "model.bin": "\0" * _MODEL}.items():
        save(folder / name, text.encode())
    files = [*(folder / name for name in texts), *sources]
    flags = [*core_flags(processor), *tree_flags(tree, ())]
    return linked_with_tree(tree, processor, files, folder, flags=flags, linking=_LINKED)
