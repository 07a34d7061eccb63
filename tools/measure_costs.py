"""Measure what CMSIS-NN's and TFLM's kernels of int8 take on a core, loop by loop.

    python tools/measure_costs.py --tflm TREE --target cortex-m4 --compare
    python tools/measure_costs.py --tflm TREE --target cortex-m33 --write MODEL...
    python tools/measure_costs.py --tflm TREE --optimize Os --write

TFLM with CMSIS-NN is built as its makefile does, and runs random layers on an emulated core that
counts how often every instruction runs. Two thirds of the layers say what a pass of a loop takes,
the others how far that is off. ``--compare`` says how far it is from the table's rows, ``--write``
puts it there, and the errors into the page of boards; of some operators the loops that no other one
has. Estimates of models are checked. Fresh layers, which nothing was fitted on, say whether the
table's rows or the new ones are better.

It needs ``arm-none-eabi-gcc`` and ``-g++`` (12.2 made the table's rows), SciPy (group ``dev``),
Unicorn (extra ``board``), and TFLM's sources: a checkout of ``tensorflow/tflite-micro`` after
``make -f tensorflow/lite/micro/tools/make/Makefile OPTIMIZED_KERNEL_DIR=cmsis_nn
third_party_downloads``, or what its ``create_tflm_tree.py`` writes.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cost_firmware import Board, linked
from cost_fit import Key, Pass, Sample, errors, fit, shares
from cost_layers import LAYERS, chain, layers
from tflm_gcc import Build

from arenite.analysis.device import device_operators
from arenite.analysis.resolver_code import resolver
from arenite.cores import CORES
from arenite.errors import AreniteError
from arenite.formats import load
from arenite.kernels.tree import find_tree
from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of
from arenite.libraries.cmsis_nn.cost.steps import STEPS
from arenite.model import Model
from arenite.target import OPTIMIZATIONS, OPTIMIZE, find_target

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "src/arenite/libraries/cmsis_nn/cost/tables"
#: What an operator takes of the interpreter, measured on chains of operators.
OPERATOR: Key = ("TFLM", "operator")
#: Functions whose instructions no kernel runs.
_INTERPRETER = re.compile(r"stock_|_ZN6tflite(16|21)MicroInterpreter|\w+ResetTempAllocations")
_CHAINS = (1, 2, 3, 5, 8)
_CORES = [one.name for one in CORES.values() if one.family == "cortex-m" and one.unicorn]


def main() -> None:
    """Measure a core."""
    options = _options()
    target, names = options.target, options.operators.split(",")
    level = options.optimize
    flags = () if level == OPTIMIZE else (f"-{level}",)  # the last one counts
    build = Build(find_tree(options.tflm), target, ROOT / "build/costs" / level, flags)
    models = {Path(path).name: load(path) for path in options.models}
    lines = resolver_lines([*models.values(), *(layers(name, 1)[0] for name in names), chain(1)])
    board = Board(linked(build, lines, options.jobs), target)

    def drawn(seed: int, count: int) -> list[Sample]:
        return counted(board, target, (one for name in names for one in layers(name, count, seed)))

    samples = drawn(options.seed, options.count)
    held = samples[2::3]
    symbols = {at: board.symbol(at) for sample in samples for at in sample.times}
    costs = {**fit([*samples[::3], *samples[1::3]], symbols), OPERATOR: _operator(board)}
    off = errors(held, costs)
    for kernel, (median, worst, count) in off.items():
        print(f"{kernel}: {median:.1f} % in the median, {worst:.1f} % at worst, {count} layers")
    if options.compare:
        compare(costs, known_rows(target, level), drawn(options.seed + 1, options.count // 2))
    for name, model in models.items():
        check(board, target, {**known_rows(target, level), **costs}, name, model)
    if options.write:
        costs = {key: costs[key] for key in own_loops(names, target, options.count) & costs.keys()}
        write(level, "steps.csv", target, {key: cost._asdict() for key, cost in costs.items()})
        fields = ("median", "worst", "layers")
        rows = {(kernel,): dict(zip(fields, one, strict=True)) for kernel, one in off.items()}
        write(level, "errors.csv", target, rows)
        subprocess.run([sys.executable, ROOT / "docs/make_cost.py"], check=True)


def _options() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--tflm", required=True, help="a folder with TFLM's sources, see above")
    parser.add_argument("--target", choices=_CORES, default="cortex-m4")
    parser.add_argument("--optimize", choices=OPTIMIZATIONS, default=OPTIMIZE, help="GCC's level")
    parser.add_argument("--operators", default=",".join(LAYERS), help="CONV_2D,ADD")
    parser.add_argument("--count", type=int, default=210, help="layers of an operator")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="files compiled at once")
    parser.add_argument("--compare", action="store_true", help="with the table's rows")
    parser.add_argument("--write", action="store_true", help="into the tables and the page")
    parser.add_argument("models", nargs="*", help="models to check")
    return parser.parse_args()


def own_loops(names: Sequence[str], processor: str, count: int) -> set[Key]:
    """Loops of some operators that no other one has: not memcpy's, unless all are measured."""
    loops = {
        name: {key for one in layers(name, count) for key in passes(one, processor) or ()}
        for name in LAYERS
    }
    others = [found for name, found in loops.items() if name not in names]
    if not others:
        return {OPERATOR}.union(*loops.values())
    return set[Key]().union(*(loops[name] for name in names)) - {OPERATOR}.union(*others)


def passes(model: Model, processor: str) -> Counter[Key] | None:
    """How often the loops of a model's only operator run; None where CMSIS-NN does not take it."""
    try:
        operator = device_operators(model, find_target(processor))[0]
    except AreniteError:
        return None
    loops = Counter[Key]()
    for loop in operator.loops or ():
        loops[loop.function, loop.step] += loop.times
    return loops


def counted(board: Board, processor: str, models: Iterable[Model]) -> list[Sample]:
    """What layers ran, without the interpreter; those that CMSIS-NN does not take are left out."""
    found = []
    for model in models:
        loops = passes(model, processor)
        if loops is None:
            continue
        operator, runs = device_operators(model, find_target(processor))[0], board.runs(model)
        del loops[OPERATOR]
        kept = [at for at in runs.times if not _INTERPRETER.match(board.symbol(at))]
        times, cycles = ({at: one[at] for at in kept} for one in runs)
        found.append(Sample(kernel_of(operator.view), loops, times, cycles))
    return found


def _operator(board: Board) -> Pass:
    """What the interpreter takes of every operator, beyond what it takes once."""
    found = []
    for length in _CHAINS:
        runs = board.runs(chain(length))
        own = [at for at in runs.times if _INTERPRETER.match(board.symbol(at))]
        found.append([float(sum(one[at] for at in own)) for one in runs])
    table = np.array([[1.0, length] for length in _CHAINS])
    instructions, cycles = (
        shares(table, values, np.ones(len(table)))[1] for values in np.array(found).T
    )
    return Pass(float(instructions), float(cycles))


def known_rows(processor: str, level: str) -> dict[Key, Pass]:
    """The rows of a core in the table of a level of optimisation."""
    rows = STEPS.get((processor, level), {}).items()
    return {(name, step): Pass(*row) for name, loops in rows for step, row in loops.items()}


def compare(costs: Mapping[Key, Pass], known: Mapping[Key, Pass], fresh: Sequence[Sample]) -> None:
    """Say for every row what it was and is, and for every kernel how far both are off."""
    for key, cost in costs.items():
        old = known.get(key, cost)
        parts = (f"{a:g} -> {b:.4g} ({_percent(a, b)})" for a, b in zip(old, cost, strict=True))
        print(f"{', '.join(key)}: {', '.join(parts)}" + " new" * (key not in known))
    ours = [one for one in fresh if one.loops.keys() <= known.keys()]
    for field in Pass._fields:
        was, now = (errors(ours, of, field) for of in (known, costs))
        for kernel, (median, worst, count) in now.items():
            before = "{:.1f} / {:.1f} %".format(*was[kernel])
            here = [one for one in ours if one.kernel == kernel]
            parts = (sum(one.estimated(of, field) for one in here) for of in (known, costs))
            print(
                f"{kernel}, {field}, {count} fresh layers: off by {before}, now "
                f"{median:.1f} / {worst:.1f} %; all of them {_percent(*parts)}"
            )


def _percent(old: float, new: float) -> str:
    return f"{100 * (new / old - 1):+.1f} %" if old else f"{new:+.1f}"


def resolver_lines(models: Iterable[Model]) -> list[str]:
    """What adds the operators of all models to a resolver."""
    return sorted({line for model in models for line in resolver(model).lines[1:]})


def check(board: Board, processor: str, costs: Mapping[Key, Pass], name: str, model: Model) -> None:
    """Say how far the estimate of a model is off what it runs."""
    ran = sum(board.runs(model).times.values())
    operators = device_operators(model, find_target(processor))
    loops = [loop for operator in operators for loop in operator.loops or ()]
    lacking = sorted({loop[:2] for loop in loops} - costs.keys())
    said = sum(loop.times * costs[loop[:2]].instructions for loop in loops if not lacking)
    result = f"{said:,.0f} estimated, {_percent(ran, said)}" if said else f"not known: {lacking}"
    print(f"{name}: {ran:,} instructions ran, {result}")


def write(
    level: str, name: str, processor: str, measured: Mapping[tuple[str, ...], Mapping[str, float]]
) -> None:
    """Put a core's columns into a table; what was not measured stays."""
    place = TABLES / level / name
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        keys = {"steps.csv": "set,kernel,loop", "errors.csv": "kernel"}
        place.write_text(f"{keys[name]}\n", encoding="utf-8")
    with place.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        header, rows = list(table.fieldnames or ()), list(table)
    keys = [column for column in ("kernel", "loop") if column in header]
    known = {tuple(row[key] for key in keys): row for row in rows}
    stay = [row for key, row in known.items() if row.get("set") == "int8" and key not in measured]
    if names := {row["kernel"] for row in stay if row.get(f"{processor} instructions")}:
        print(f"rows of int8 stay that no layer runs: {', '.join(sorted(names))}")
    for key, values in measured.items():
        if key not in known:
            known[key] = {"set": "int8"} if "set" in header else {}
            known[key] |= zip(keys, key, strict=True)
        for field, value in values.items():
            column = f"{processor} {field}"
            header += [column] if column not in header else []
            known[key][column] = f"{round(value, 1):g}"
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(known.values())


if __name__ == "__main__":
    main()
