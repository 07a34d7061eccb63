"""A model in TFLM's interpreter with CMSIS-NN's kernels on an emulated Cortex-M.

TFLM's sources are the user's. zig's clang compiles them with what TFLM's own Makefile defines for
a Cortex-M, and keeps every object in its cache: the first build takes minutes, those after it
seconds.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np

from arenite.analysis.resolver_code import resolver
from arenite.analysis.time_range import Running
from arenite.boards.board import Board as BoardFacts
from arenite.c_text import fill
from arenite.cores import CORES, DEFAULT, emulated
from arenite.emulator import machine as memory
from arenite.emulator import qemu
from arenite.emulator.elf import Image
from arenite.emulator.machine import Count, Machine
from arenite.emulator.qemu import Qemu
from arenite.errors import BoardError, UnsupportedOperatorError
from arenite.files import save
from arenite.firmware.board import LIMIT, has_loops
from arenite.firmware.compiler.zig import link_script
from arenite.firmware.flash_reads import FlashReads, flash_reads, why_unknown
from arenite.firmware.network.layers import compiled_in
from arenite.firmware.stock.build import core_flags, files_of, linked_with_tree, tree_flags
from arenite.firmware.stock.text import LINK, MAIN, MODEL, QEMU_BOARD
from arenite.firmware.trial import LayerTrial, Trial, same_outputs, time_of, trial_inputs
from arenite.formats import Source, content_of, model_of
from arenite.kernels.build import Origin
from arenite.kernels.closure import sources_for
from arenite.kernels.compile import origins_of
from arenite.kernels.tree import Tree, find_tree
from arenite.model import Model
from arenite.ops.context import Array
from arenite.runtime.interpreter import Interpreter

_LINKED = ("-nostartfiles", "-Wl,-T,link.ld", "-Wl,--gc-sections")
_OWN = ("main.cc", "model.S", "board.c")
#: What TFLM may take while it prepares, beyond what stays.
_ROOM = 16 << 10
_STEPS = {2: "AllocateTensors failed", 3: "Invoke failed"}


class StockBoard:
    """TFLM's interpreter with a model on an emulated core.

    Args:
        model: The model.
        tflm: Its sources, see :mod:`arenite.kernels.tree`.
        processor: A Cortex-M that is emulated, see :mod:`arenite.cores`.
        kernels: Where a user's own kernels are from, by the operators that they run; by default
            those of the model.
        arena: Bytes of its arena; None for what Arenite says that the model needs.

    Raises:
        BoardError: Sources, ziglang or unicorn are missing, the compiler does not take them, or
            TFLM does not take the model; says what it printed.
        UnsupportedOperatorError: TFLM has no kernels for some operators.
    """

    def __init__(
        self,
        model: Model,
        tflm: str | os.PathLike[str],
        processor: str,
        kernels: Mapping[str, Origin] | None = None,
        *,
        arena: int | None = None,
    ) -> None:
        _check(processor)
        self.model, self.processor = model, processor
        self.model_bytes = content_of(model)
        self._arena = arena
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            own = origins_of(model) if kernels is None else kernels
            self.image = self._built(find_tree(tflm), own, Path(folder))
        limit = LIMIT if has_loops(model) else None
        is_qemu = CORES[processor].qemu
        self._machine = Qemu(self.image) if is_qemu else Machine(self.image, processor, limit)
        self._printed: list[str] = []

    def begin(self) -> None:
        """Start TFLM's interpreter and let it allocate its tensors.

        Raises:
            BoardError: TFLM does not take the model.
        """
        self._call("begin")
        self.arena_bytes = self._call("arena_used")

    def _built(self, tree: Tree, own: Mapping[str, Origin], folder: Path) -> Image:
        functions = {name: one.function for name, one in own.items()}
        calls = {name: f"stock_own({one.name}())" for name, one in functions.items()}
        needed = resolver(self.model, calls)
        if needed.missing:
            missing = list(needed.missing)
            raise UnsupportedOperatorError(f"TFLM has no {', '.join(missing)}", missing)
        lines = needed.lines[1:]
        is_qemu = CORES[self.processor].qemu
        texts = {
            "link.ld": link_script(LINK, qemu if is_qemu else memory),
            "model.S": MODEL,
            "board.c": QEMU_BOARD if is_qemu else "",
            "main.cc": fill(
                MAIN,
                profiler="new (profiler_bytes) Profiler",
                arena=self._arena
                or Interpreter(self.model, target=self.processor).arena.size + _ROOM,
                operators=max(needed.operators, 1),
                takes_list=int(tree.log_takes_list),
                declarations="\n".join({one.declaration: "" for one in functions.values()}),
                calls="\n".join(lines),
                variables=variables(self.model),
            ),
        }
        for name, text in texts.items():
            save(folder / name, text.encode())
        save(folder / "model.bin", self.model_bytes)
        arguments = [*core_flags(self.processor), *tree_flags(tree, own.values())]
        files = files_of(own.values())
        sources = [*files, *sources_for(tree, lines, files)]
        own_files = [folder / name for name in _OWN]
        files = [*own_files, *sources]
        return linked_with_tree(
            tree, self.processor, files, folder, flags=arguments, linking=_LINKED
        )

    # -- inferences

    def layers(
        self, inputs: Sequence[Array], through: Callable[[int], object] | None = None
    ) -> tuple[list[tuple[str, Count]], Count]:
        """One inference: every layer's name and cost, and that of all.

        ``through`` is told of every layer's number when it has run.
        """
        machine = self._machine
        for index, array in enumerate(inputs):
            machine.write(self._call("input", index), np.ascontiguousarray(array).tobytes())
        found: list[tuple[str, Count]] = []
        open_: list[tuple[str, Count]] = []

        def begins() -> None:
            open_.append((machine.text(machine.argument(0)), machine.count()))

        def ends() -> None:
            name, before = open_.pop()
            if not open_:  # of the main subgraph
                found.append((name, machine.count().since(before)))
                if through is not None:
                    through(len(found) - 1)

        before = machine.count()
        layers = machine.watching("board_layer", begins), machine.watching("board_layer_end", ends)
        with machine.counting(), layers[0], layers[1]:
            self._call("invoke")
        return found, machine.count().since(before)

    def results(self, inputs: Sequence[Array]) -> list[dict[int, Array]]:
        """One inference: the outputs of every layer by their tensors, when it has just run."""
        operators, tensors = self.model.main.operators, self.model.main.tensors
        wanted = {index for one in operators for index in one.outputs if index >= 0}
        places = {index: self._call("tensor", index) for index in wanted}
        found: list[dict[int, Array]] = []

        def through(layer: int) -> None:
            read = {}
            for index in operators[layer].outputs:
                if index >= 0:
                    data = self._machine.read(places[index], tensors[index].nbytes)
                    read[index] = np.frombuffer(data, tensors[index].type.dtype)
            found.append(read)

        self.layers(inputs, through)
        return found

    def asks(self, functions: Mapping[str, int]) -> list[tuple[str, int]]:
        """Arguments of functions while TFLM's interpreter begins: names, and an argument.

        Raises:
            BoardError: There is no such function in the firmware, or TFLM does not take the model.
        """
        machine, found = self._machine, list[tuple[str, int]]()

        def told(name: str, number: int) -> None:
            found.append((name, machine.argument(number)))

        with ExitStack() as watches:
            for name, number in functions.items():
                hears = machine.watching(name, partial(told, name, number), goes_on=True)
                watches.enter_context(hears)
            self._call("begin")
        return found

    def flash_reads(self, on: BoardFacts | None, cycles: int) -> FlashReads | None:
        """Waits of the last inference, run again, for a board's flash; see the function."""
        return flash_reads(self._machine, lambda: self._call("invoke"), on, cycles)

    def outputs(self) -> tuple[Array, ...]:
        """Copies of the last inference's outputs."""
        found = []
        for index, tensor in enumerate(self.model.outputs):
            data = self._machine.read(self._call("output", index), tensor.nbytes)
            found.append(np.frombuffer(data, tensor.type.dtype).reshape(tensor.shape))
        return tuple(found)

    @property
    def stack_bytes(self) -> int:
        """The deepest that the stack of the last call was."""
        return self._machine.stack_bytes()

    @property
    def code_bytes(self) -> int:
        """All functions, the C library's and the board's own few with them."""
        return sum(size for _, size in self.image.functions)

    def _call(self, function: str, *arguments: int) -> int:
        machine = self._machine

        def told() -> None:
            self._printed.append(machine.text(machine.argument(0)))

        with machine.watching("board_print", told):
            result = machine.call(f"stock_{function}", *arguments)
        if function in ("begin", "invoke") and result:
            told_text = "".join(self._printed).strip() or "nothing"
            raise BoardError(f"TFLM: {_STEPS[result]}; it printed: {told_text}")
        return result


def _check(processor: str) -> None:
    """Refuse what CMSIS-NN is not for, or what no core is emulated for."""
    names = [one.name for one in emulated() if one.family == "cortex-m"]
    if processor not in names:
        raise BoardError(f"expected one of {', '.join(names)}, got {processor!r}")


def stock_trial(
    model: Model | Source,
    tflm: str | os.PathLike[str],
    processor: str = DEFAULT,
    runs: int = 4,
    *,
    on: BoardFacts | None = None,
) -> Trial:
    """Cost of TFLM with CMSIS-NN, and whether it gives what Arenite's interpreter says of it.

    Where a user's own kernels run the model, the outputs of every layer are compared too.

    Args:
        model: A model, a file's path, or a file's bytes.
        tflm: A folder with TFLM's sources.
        processor: The emulated core.
        runs: How many inferences are compared with the interpreter's for that target.
        on: The board whose flash and caches count.

    Raises:
        BoardError: As :class:`StockBoard`.
        UnsupportedOperatorError: TFLM has no kernels for some operators.
    """
    model = model_of(model)
    board, reference = (
        StockBoard(model, tflm, processor),
        Interpreter(model, target=processor),
    )
    board.begin()
    differences = _parting_layers(board, processor) if compiled_in(model) else []
    for number, arrays in enumerate(trial_inputs(model, runs)):
        layers, count = board.layers(arrays)
        stack = board.stack_bytes
        if not same_outputs(reference(*arrays), board.outputs()):
            differences.append(f"inference {number}, outputs")
    reads = board.flash_reads(on, count.cycles)
    work = Running(count.cycles, count.instructions, len(board.model_bytes), len(layers))
    return Trial(
        file=model.source,
        processor=processor,
        runs=runs,
        instructions=count.instructions,
        cycles=count.cycles,
        arena_bytes=board.arena_bytes,
        stack_bytes=stack,
        constant_bytes=len(board.model_bytes),
        code_bytes=board.code_bytes,
        self_test="",
        differences=tuple(differences),
        layers=tuple(
            LayerTrial(index, name, "", one.instructions, one.cycles)
            for index, (name, one) in enumerate(layers)
        ),
        library="tflm",
        built="TFLM's interpreter with CMSIS-NN's kernels; zig's clang, -O2",
        reads=reads,
        reads_reason=why_unknown(on),
        time=time_of(work, processor, on, reads),
    )


def _parting_layers(board: StockBoard, processor: str) -> list[str]:
    """Where layers' outputs are not the interpreter's for that target, in one inference."""
    model = board.model
    reference = Interpreter(model, target=processor, preserve_all_tensors=True)
    (inputs,) = trial_inputs(model, 1)
    reference(*inputs)
    return [
        f"layer {number} ({model.main.operators[number].name}), tensor {index}"
        for number, outputs in enumerate(board.results(inputs))
        for index, array in outputs.items()
        if not same_outputs(np.asarray(reference.tensor(index)).reshape(-1), array)
    ]


def variables(model: Model) -> int:
    """The most resource variables."""
    operators = [op for subgraph in model.subgraphs for op in subgraph.operators]
    return sum(op.name == "VAR_HANDLE" for op in operators)
