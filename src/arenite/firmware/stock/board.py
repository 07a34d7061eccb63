"""A model in TFLM's interpreter with CMSIS-NN's kernels on an emulated Cortex-M.

TFLM's sources are the user's. zig's clang compiles them with what TFLM's own Makefile defines for
a Cortex-M, and keeps every object in its cache: the first build takes minutes, those after it
seconds.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arenite.analysis.resolver_code import resolver
from arenite.cores import CORES, DEFAULT
from arenite.errors import BoardError, UnsupportedOperatorError
from arenite.files import save
from arenite.firmware import machine as memory
from arenite.firmware.board import LIMIT, has_loops
from arenite.firmware.build import link_script, linked
from arenite.firmware.elf import Image
from arenite.firmware.machine import Count, Machine, unicorn_name
from arenite.kernels.closure import sources_for
from arenite.firmware.stock.text import LINK, MAIN, MODEL
from arenite.kernels.tree import Tree, find_tree
from arenite.firmware.text import fill
from arenite.firmware.trial import LayerTrial, Trial, same_outputs, trial_inputs
from arenite.formats import Source, model_of
from arenite.formats.tflite_write import write
from arenite.model import Model
from arenite.ops.context import Array
from arenite.runtime.interpreter import Interpreter

#: As TFLM's ``cortex_m_generic_makefile.inc`` and ``cmsis_nn.inc`` have them.
_DEFINED = (
    *("-DTF_LITE_STATIC_MEMORY", "-DTF_LITE_DISABLE_X86_NEON"),
    *("-DCMSIS_NN", "-DKERNELS_OPTIMIZED_FOR_SPEED"),
)
#: Enumerations as small as they can be, as for bare cores (AAPCS, GCC's ``arm-none-eabi``): structs
#: in the arena have them.
_FLAGS = (
    *("-fshort-enums", "-O2", "-w", "-fno-rtti", "-fno-exceptions", "-fno-threadsafe-statics"),
    *("-fno-unwind-tables", "-fno-asynchronous-unwind-tables"),
    *("-ffunction-sections", "-fdata-sections", "-funsigned-char", "-fomit-frame-pointer"),
)
_LINKED = ("-lc++", "-static", "-nostartfiles", "-Wl,-T,link.ld", "-Wl,--gc-sections")
#: What TFLM may take while it prepares, beyond what stays.
_ROOM = 16 << 10
_STEPS = {2: "AllocateTensors failed", 3: "Invoke failed"}


class StockBoard:
    """TFLM's interpreter with a model on an emulated core.

    Args:
        model: The model.
        tflm: Its sources, see :mod:`arenite.kernels.tree`.
        processor: A core that Unicorn has, see :mod:`arenite.cores`.

    Raises:
        BoardError: Sources, ziglang or unicorn are missing, the compiler does not take them, or
            TFLM does not take the model; says what it printed.
        UnsupportedOperatorError: TFLM has no kernels for some operators.
    """

    def __init__(self, model: Model, tflm: str | os.PathLike[str], processor: str) -> None:
        unicorn_name(processor)
        self.model, self.processor = model, processor
        self.model_bytes = write(model)
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            self.image = self._built(find_tree(tflm), Path(folder))
        self._machine = Machine(self.image, processor, LIMIT if has_loops(model) else None)
        self._printed: list[str] = []
        self._call("begin")
        self.arena_bytes = self._call("arena_used")

    def _built(self, tree: Tree, folder: Path) -> Image:
        needed = resolver(self.model)
        if needed.missing:
            missing = list(needed.missing)
            raise UnsupportedOperatorError(f"TFLM has no {', '.join(missing)}", missing)
        calls = needed.lines[1:]
        texts = {
            "link.ld": link_script(LINK, memory),
            "model.S": MODEL,
            "main.cc": fill(
                MAIN,
                arena=Interpreter(self.model, target=self.processor).arena.size + _ROOM,
                operators=max(needed.operators, 1),
                calls="\n".join(f"  {line}" for line in calls),
                variables=_variables(self.model),
            ),
        }
        for name, text in texts.items():
            save(folder / name, text.encode())
        save(folder / "model.bin", self.model_bytes)
        core = CORES[self.processor]
        floats = "hf" if core.has_fpu else ""
        arguments = [f"--target=thumb-linux-musleabi{floats}"]
        arguments += [f"-mcpu={core.clang}", *_FLAGS, *_DEFINED]
        arguments += [f"-I{path}" for path in tree.includes]
        files = [*map(str, sources_for(tree, calls)), "main.cc", "model.S"]
        return linked([*arguments, *files, *_LINKED], folder, tree.root)

    # -- inferences

    def layers(self, inputs: Sequence[Array]) -> tuple[list[tuple[str, Count]], Count]:
        """One inference: every layer's name and cost, and that of all."""
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
                found.append((name, _since(before, machine.count())))

        before = machine.count()
        layers = machine.watching("board_layer", begins), machine.watching("board_layer_end", ends)
        with machine.counting(), layers[0], layers[1]:
            self._call("invoke")
        return found, _since(before, machine.count())

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


def stock_trial(
    model: Model | Source,
    tflm: str | os.PathLike[str],
    processor: str = DEFAULT,
    runs: int = 4,
) -> Trial:
    """What TFLM with CMSIS-NN costs, and whether it gives what Arenite's interpreter says of it.

    Args:
        model: A model, a file's path, or a file's bytes.
        tflm: A folder with TFLM's sources.
        processor: The emulated core.
        runs: How many inferences are compared with the interpreter's for that target.

    Raises:
        BoardError: As :class:`StockBoard`.
        UnsupportedOperatorError: TFLM has no kernels for some operators.
    """
    model = model_of(model)
    board, reference = StockBoard(model, tflm, processor), Interpreter(model, target=processor)
    differences = []
    for number, arrays in enumerate(trial_inputs(model, runs)):
        layers, count = board.layers(arrays)
        stack = board.stack_bytes
        if not same_outputs(reference(*arrays), board.outputs()):
            differences.append(f"inference {number}, outputs")
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
    )


def _variables(model: Model) -> int:
    """How many resource variables there may be."""
    operators = [op for subgraph in model.subgraphs for op in subgraph.operators]
    return sum(op.name == "VAR_HANDLE" for op in operators)


def _since(before: Count, after: Count) -> Count:
    return Count(after.instructions - before.instructions, after.cycles - before.cycles)
