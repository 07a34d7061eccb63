"""Changed ``.tflite`` files beside TensorFlow Lite Micro: equal outputs, or a named difference.

    python -m tests.fuzz.differential --count 10000 --seed 1

Both run every case in a process that may crash. What TFLM runs must give its bits here, or be
one of the differences that ``docs/operators.md`` names; what it refuses is refused.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings

import numpy as np

import arenite as ar
from arenite.errors import AreniteError
from arenite.formats import load
from arenite.model import Array, Model
from tests.fuzz import trial
from tests.fuzz.__main__ import Report, prepare
from tests.fuzz.cases import Cases
from tests.fuzz.workers import handled

ARENA_SIZE = 1 << 22
#: How the outcomes begin that have no name yet.
UNNAMED = ("DIFFERENT", "RUNS HERE", "FOREIGN", "REFUSED HERE")
#: What TFLM does not look at, by the error that it is here: docs/safety.md has a row for each.
STRICTER = {
    ar.PlanError: "an offline plan in which operands overlap",
    ar.ShapeError: "an output of another shape than the operator's",
    ar.ConstraintError: "a constraint of the operator",
    ar.MemoryLimitError: "the memory limit",
}
STRICTER_MODELS = {
    "writes tensor|reads tensor|nothing writes it": "the order of reads and writes",
    "offline offset": "an offline plan in which operands overlap",
    "FlexBuffer": "custom options that are no sound FlexBuffer",
}
#: What TFLM's interpreter runs and its Python package does not give out.
NOT_GIVEN = ("Invalid tensor size of 0", "TFLM doesn't support strings, resource variables")
#: Options that make a window large.
WINDOWS = ("filter_width", "filter_height", "dilation_w_factor", "dilation_h_factor")


def compared(data: bytes, seed: int) -> str:
    """What became of a file here and there."""
    try:
        with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            model = load(data)
            if not trial.small_enough(model):
                return "too large to run"
            feeds = feeds_of(model, seed)
            mine = trial.results(trial.native(model), model, feeds)
    except AreniteError as error:
        return against_refusal(error, data)
    except Exception as error:
        return trial.foreign(error)
    theirs = tflm(data, feeds, len(model.outputs))
    if isinstance(theirs, str):
        return named(model, theirs) or f"RUNS HERE: {theirs} | {operators(model)}"
    is_undefined = any(issubclass(one.category, ar.UndefinedWarning) for one in said)
    for number, (ours, its) in enumerate(zip(mine, theirs, strict=True)):
        # Ours are none where an operator has ended the inference.
        for index, (x, y) in enumerate(zip(ours, its, strict=False)):
            if not same(x, y):
                what = f"DIFFERENT inference {number} output {index}: {operators(model)}"
                if is_undefined:
                    return "named: what TFLM leaves undefined, with a warning"
                return named(model, "") or what
    return "equal"


def against_refusal(error: AreniteError, data: bytes) -> str:
    """What TFLM makes of a file that is refused here."""
    if isinstance(error, ar.ModelError) and error.offset is not None:
        return "no sound file"  # TFLM trusts what it is given
    theirs = tflm(data, None, 0)
    if isinstance(theirs, str):
        return "refused by both"
    name = STRICTER.get(type(error), "")
    if isinstance(error, ar.ModelError):
        name = next((n for said, n in STRICTER_MODELS.items() if re.search(said, str(error))), "")
    return f"stricter: {name}" if name else f"REFUSED HERE: {words(error)}"


def named(model: Model, log: str) -> str:
    """The difference that docs/operators.md names, if it is one of these."""
    tensors, nodes = model.main.tensors, model.main.operators
    if log.startswith(("Unsupported data type", "Unhandled fully-connected weights format")):
        return "named: options that no kernel reads"
    if log.startswith(NOT_GIVEN):
        return "named: an output that the other's Python does not give out"
    if "Failed to resize buffer" in log:
        return "named: larger than the other's arena"
    if any(-1 in node.intermediates for node in nodes):
        return "named: an intermediate tensor that is absent"
    if any(tensor.is_variable and tensor.data is not None for tensor in tensors):
        return "named: a variable that has data"
    sizes = (getattr(node.options, name, 0) for node in nodes for name in WINDOWS)
    if not log and any(size >= 1 << 14 for size in sizes):
        return "named: padding of more than 32,767"
    return ""


def feeds_of(model: Model, seed: int) -> list[list[Array]]:
    """Two inferences' inputs."""
    rng = np.random.default_rng(seed)
    return [[trial.values(tensor, rng) for tensor in model.inputs] for _ in range(2)]


def tflm(data: bytes, feeds: list[list[Array]] | None, outputs: int) -> list[list[Array]] | str:
    """TFLM's outputs, or what it says when it refuses; only the first inference without feeds."""
    from tflite_micro.python.tflite_micro import runtime

    start = os.lseek(2, 0, os.SEEK_END)
    try:
        interpreter = runtime.Interpreter.from_bytes(data, arena_size=ARENA_SIZE)
        results = []
        for feed in feeds or [[]]:
            for index, value in enumerate(feed):
                interpreter.set_input(value, index)
            interpreter.invoke()
            results.append([np.array(interpreter.get_output(i)) for i in range(outputs)])
    except (RuntimeError, ValueError, IndexError) as error:
        os.lseek(2, start, os.SEEK_SET)
        log = os.read(2, 4096).decode(errors="replace")
        return (log.strip().splitlines() or [str(error)])[0][:100]
    return results


def same(x: Array, y: Array) -> bool:
    """Integers bit for bit; reals within 1e-5 of the largest, or not a number in both."""
    if x.dtype != y.dtype or x.size != y.size:
        return False
    x, y = x.reshape(-1), y.reshape(-1)
    if x.dtype.kind != "f":
        return bool((x == y).all())
    finite = np.isfinite(y)
    limit = float(np.abs(y[finite]).max(initial=0.0))
    if limit > 1e30:
        return True
    close = np.abs(x - y, where=finite, out=np.zeros_like(x)) <= 1e-5 * limit
    odd = (x == y) | (np.isnan(x) & np.isnan(y))
    return bool(np.where(finite, close & np.isfinite(x), odd).all())


def operators(model: Model) -> str:
    """The names of a model's operators, each once."""
    return " ".join(dict.fromkeys(op.name for op in model.main.operators))


def words(error: AreniteError) -> str:
    """An error without its numbers and names."""
    text = re.sub(r"\$\S*", "$", str(error))
    return re.sub(r"-?\d+(\.\d+)?", "N", f"{type(error).__name__} {text}")[:150]


def main() -> int:
    """The command line; 1 if there was a difference that has no name."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    cases, report = Cases(options.seed), Report()
    from tflite_micro.python.tflite_micro import runtime

    assert runtime

    def handle(number: int) -> str:
        return compared(cases.file(number), number)

    for case in handled(range(options.first, options.first + options.count), handle, prepare):
        if case.outcome.startswith("DIFFERENT"):
            # TFLM may have written where it should not in a case before, in the same process.
            case = next(handled([case.number], handle, prepare))  # noqa: PLW2901
        report.add(case)
        if case.outcome.startswith(("RUNS HERE", "REFUSED HERE")):
            report.bugs.setdefault(case.outcome, []).append(case.number)
    # Where it ends the process that is TFLM's: our side is done by then.
    report.bugs = {name: n for name, n in report.bugs.items() if name.startswith(UNNAMED)}
    print(report)
    return int(bool(report.bugs))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
