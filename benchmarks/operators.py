"""Time of single operators on tensors of 16 KB next to LiteRT and tflite_micro, in one process.

``python benchmarks/operators.py [--repeat N] [--output FILE] [NAME ...]``

A line per operator and type: ``invoke()`` of a model with that operator alone, the Python call
included, in turns of about 2 ms, engines in turn. Ratios are peer / Arenite: above 1 Arenite is
faster. LiteRT has none of TFLM's custom operators (:mod:`custom_operators`). ``ARENITE_ISA``
chooses the instruction set, as always.
"""

from __future__ import annotations

from shared import RESULTS, machine_text, parser_of, table_of

# isort: split
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import custom_operators
import numpy as np
from rich.console import Console

import arenite as ar
from arenite.analysis import timing
from arenite.analysis.benchmark import Spread
from arenite.analysis.inputs.files import random_inputs
from arenite.analysis.machine import machine
from arenite.formats.tflite import write
from arenite.model import Model, ModelBuilder, TensorType
from arenite.native.program import isa
from arenite.ops import builtin
from arenite.peers.packages import hushed

Shape = tuple[int, ...]
Array = np.ndarray[Any, Any]
Call = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """One operator: shapes are fed, arrays are constants; a type by name in ``types``.

    ``types``: the fed inputs' and outputs' type, one model each. ``first`` is the first input's
    type, ``result`` the outputs', where they differ. ``scales`` are those of inputs and outputs.
    """

    name: str
    inputs: Sequence[Shape | Array]
    outputs: Sequence[Shape]
    types: Sequence[str] = ("float32",)
    options: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    first: str = ""
    scales: tuple[float, float] = (0.05, 0.05)

    def model(self, kind: str) -> Model:
        """The operator on tensors of a type."""
        b = ModelBuilder()
        indices = []
        for number, one in enumerate(self.inputs):
            type_ = self.first if self.first and number == 0 else kind
            if isinstance(one, tuple):
                shape = sized(one, kind)
                indices.append(b.input(f"x{number}", shape, type_, **scale(type_, self.scales[0])))
            else:
                indices.append(b.constant(f"c{number}", one))
        type_ = self.result or kind
        outputs = [
            b.tensor(f"y{number}", sized(shape, kind), type_, **scale(type_, self.scales[1]))
            for number, shape in enumerate(self.outputs)
        ]
        registration = builtin(self.name)
        assert registration is not None
        row = registration.options
        b.operator(self.name, indices, outputs, row(**self.options) if row else None)
        for index in outputs:
            b.output(index)
        return b.build()


def scale(kind: str, value: float) -> dict[str, float]:
    """Quantisation of the types that have one."""
    return {"scale": value} if kind in ("int8", "int16") else {}


def sized(shape: Shape, kind: str) -> Shape:
    """A shape, written for bytes, with as many bytes for another type: rows are left out."""
    if len(shape) < 2 or np.prod(shape) < 1024:
        return shape
    return (shape[0], shape[1] * 8 // TensorType[kind.upper()].bits, *shape[2:])


def ints(*values: int) -> Array:
    """A constant of shapes, axes or sizes."""
    return np.array(values, np.int32)


X: Shape = (1, 64, 64, 4)
QUANTISED = ("float32", "int8", "int16")
REAL = (
    "ABS",
    "CEIL",
    "COS",
    "EXP",
    "FLOOR",
    "LOG",
    "NEG",
    "ROUND",
    "RSQRT",
    "SIN",
    "SQRT",
    "SQUARE",
)
#: Operators that take positive numbers.
POSITIVE = ("LOG", "RSQRT", "SQRT")
COMPARISONS = ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")


def cases() -> Iterator[Case]:
    """One or more per operator; what rearranges is as large on both sides."""
    for name in REAL:
        yield Case(name, [X], [X])
    for name in ("ABS", "RSQRT"):
        yield Case(name, [X], [X], ("int8", "int16"))
    yield Case("ZEROS_LIKE", [X], [X], ("float32", "int8"))
    yield Case("LOGICAL_NOT", [X], [X], ("bool",))
    for name in COMPARISONS:
        yield Case(name, [X, X], [X], ("float32", "int8", "int32"), result="bool")
    for name in ("LOGICAL_AND", "LOGICAL_OR"):
        yield Case(name, [X, X], [X], ("bool",))
    for name in ("FLOOR_DIV", "FLOOR_MOD"):
        yield Case(name, [X, X], [X], ("float32",))
    yield Case("SQUARED_DIFFERENCE", [X, X], [X], ("float32", "int8"))
    yield Case("ADD_N", [X, X, X], [X], ("float32", "int8"))
    yield Case("SELECT_V2", [X, X, X], [X], ("float32", "int8"), first="bool")
    yield Case("CUMSUM", [X, ints(3).reshape(())], [X], ("float32", "int8"))
    for name in ("SUM", "REDUCE_MAX", "REDUCE_MIN"):
        yield Case(name, [X, ints(1, 2)], [(1, 4)], ("float32", "int8"))
    yield Case("REDUCE_ALL", [X, ints(1, 2)], [(1, 4)], ("bool",))
    yield Case("L2_NORMALIZATION", [X], [X], ("float32", "int8"), scales=(0.05, 1 / 128))
    windows = {"padding": 1, "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}
    yield Case("L2_POOL_2D", [(1, 32, 32, 16)], [(1, 16, 16, 16)], options=windows)
    yield from movements()


def movements() -> Iterator[Case]:
    """Operators that only copy."""
    four = ("float32", "int8")
    for kind in four:
        rows = 64 * 8 // TensorType[kind.upper()].bits
        one = (kind,)
        yield Case("BROADCAST_TO", [(4,), ints(1, rows, 64, 4)], [X], one)
        yield Case("FILL", [ints(1, rows, 64, 4), ()], [X], one)
        yield Case(
            "SLICE",
            [(1, 128, 64, 4), ints(0, 3, 5, 0), ints(1, rows, 59, 4)],
            [(1, 64, 59, 4)],
            one,
        )
        yield Case(
            "SPLIT_V",
            [X, ints(32, 32), ints(2).reshape(())],
            [(1, 64, 32, 4)] * 2,
            one,
            {"num_splits": 2},
        )
        yield Case("REVERSE_V2", [X, ints(2)], [X], one)
        pads = np.array([[0, 0], [0, 0], [2, 2], [0, 0]], np.int32)
        yield Case("MIRROR_PAD", [(1, 64, 60, 4), pads], [X], one, {"mode": 0})
        blocks, none = ints(2, 2), np.zeros((2, 2), np.int32)
        flat = (1, 64, 64, 4)
        yield Case("SPACE_TO_BATCH_ND", [flat, blocks, none], [(4, 32, 32, 4)], one)
        yield Case("BATCH_TO_SPACE_ND", [(4, 32, 32, 4), blocks, none], [flat], one)
        yield Case("SPACE_TO_DEPTH", [flat], [(1, 32, 32, 16)], one, {"block_size": 2})
        yield Case("DEPTH_TO_SPACE", [(1, 32, 32, 16)], [flat], one, {"block_size": 2})
        yield Case("DYNAMIC_UPDATE_SLICE", [X, (1, 32, 64, 4), ints(0, 3, 0, 0)], [X], one)
    yield Case("EMBEDDING_LOOKUP", [np.arange(64, dtype=np.int32), (64, 256)], [(64, 256)])
    yield Case("SHAPE", [X], [(4,)], result="int32")
    yield Case("BROADCAST_ARGS", [ints(1, 64, 1), ints(8, 1, 4)], [(3,)], ("int32",))


def builds(names: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], Model]]]:
    """Name, type and model of every line; of these operators only, if there are some."""
    for case in cases():
        for kind in case.types:
            if not names or case.name in names:
                yield case.name, kind, partial(case.model, kind)
    for custom in custom_operators.cases():
        if not names or custom.name.split()[0] in names:
            yield custom


def arenite(path: Path, inputs: Sequence[Array]) -> Call:
    """An inference of Arenite on these inputs."""
    interp = ar.Interpreter(path)
    for index, x in enumerate(inputs):
        interp.input(index)[...] = x
    return interp.invoke


def litert(path: Path, inputs: Sequence[Array]) -> Call:
    """One of LiteRT, on one thread."""
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - it greets

    interp = Interpreter(model_path=str(path), num_threads=1)
    interp.allocate_tensors()
    for port, x in zip(interp.get_input_details(), inputs, strict=True):
        interp.set_tensor(port["index"], x)
    invoke: Call = interp.invoke
    return invoke


def tflm(path: Path, inputs: Sequence[Array]) -> Call:
    """One of TFLM's package."""
    from tflite_micro.python.tflite_micro import runtime  # noqa: PLC0415

    interp = runtime.Interpreter.from_file(str(path), arena_size=1 << 20)
    for index, x in enumerate(inputs):
        interp.set_input(x, index)
    invoke: Call = interp.invoke
    return invoke


ENGINES = {"arenite": arenite, "litert": litert, "tflm": tflm}


def times(name: str, model: Model, repeat: int, folder: Path) -> tuple[dict[str, Spread], str]:
    """Every engine's seconds, and what runs the operator here."""
    path = folder / f"{name}.tflite"
    path.write_bytes(write(model))
    inputs = [one.array for one in random_inputs(ar.load(path), 0)]
    if name in POSITIVE:
        inputs = [np.maximum(x, 1) for x in inputs]
    calls = {}
    for engine, prepare in ENGINES.items():
        try:
            with hushed():
                invoke = prepare(path, inputs)
                invoke()
        except (RuntimeError, ValueError):
            if engine == "arenite":
                raise
            continue
        calls[engine] = invoke
    heap = ar.HeapInterpreter(path)
    heap.allocate_tensors()
    kernel = heap.compile().kernel(0)
    return timing.take_turns(calls, repeat, lambda: None), kernel


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="operators; all without")
    parser.add_argument("--repeat", type=int, default=60, help="turns per engine")
    parser.add_argument("--output", type=Path, default=RESULTS / "operators.json")
    args = parser.parse_args()
    console = Console(width=max(Console().width, 100), highlight=False)
    headings = ("operator", "type", "kernel", "arenite", "x litert", "x tflm")
    view = table_of("One operator, 16 KB, one thread: microseconds", headings)
    warnings.simplefilter("ignore", ar.UndefinedWarning)  # some leave outputs as they are
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, build in builds(args.names):
            with console.status(f"timing {name} {kind}"):
                spreads, kernel = times(name, build(), args.repeat, Path(folder))
            seconds = {k: vars(v) for k, v in spreads.items()}
            results.append({"operator": name, "type": kind, "kernel": kernel, "seconds": seconds})
            own = spreads["arenite"].median
            ratios = [
                f"{spreads[peer].median / own:.2f}" if peer in spreads else "-"
                for peer in ("litert", "tflm")
            ]
            view.add_row(name, kind, kernel, f"{own * 1e6:.2f}", *ratios)
    console.print(view)
    about = machine()
    console.print(f"{machine_text(about)}, kernels: {isa()}")
    if args.names:
        return
    lines = ",\n".join(map(json.dumps, results))
    head = json.dumps({"machine": about, "isa": isa()}, indent=1)[:-2]
    args.output.write_text(f'{head},\n "results": [\n{lines}\n]}}\n', encoding="utf-8")
    console.print(f"written to {args.output}")


if __name__ == "__main__":
    main()
