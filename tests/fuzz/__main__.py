"""Feed broken files to the package.

    python -m tests.fuzz --count 10000 --seed 1 --corpus mnn

Every file is made from its seed and number alone, and handled in a process with limits on time
and memory. ``--case NUMBER`` shows one case's traceback, ``--save FOLDER`` keeps files of bugs.
``tools/fuzz.py`` runs this on a build with sanitizers.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from arenite import ops
from tests.fuzz import trial
from tests.fuzz.cases import Cases
from tests.fuzz.seeds import CORPORA
from tests.fuzz.workers import Case, handled


@dataclass
class Report:
    """How often each outcome came up, and the first cases of each bug."""

    outcomes: Counter[str] = field(default_factory=Counter)
    bugs: dict[str, list[int]] = field(default_factory=dict)
    seconds: float = 0.0
    slowest: Case = field(default_factory=lambda: Case(-1, ""))
    largest: Case = field(default_factory=lambda: Case(-1, ""))

    def add(self, case: Case) -> None:
        """Count one case's outcome."""
        self.outcomes[case.outcome] += 1
        self.seconds += case.seconds
        self.slowest = max(self.slowest, case, key=lambda c: c.seconds)
        self.largest = max(self.largest, case, key=lambda c: c.memory)
        if case.outcome.startswith(trial.BUGS):
            self.bugs.setdefault(case.outcome, []).append(case.number)

    def __str__(self) -> str:
        lines = [f"{count:7d}  {outcome}" for outcome, count in self.outcomes.most_common()]
        total = sum(self.outcomes.values())
        lines += [
            f"{total:7d}  cases, {self.seconds:.0f} s, {1e3 * self.seconds / max(total, 1):.1f} ms "
            f"each; the slowest {self.slowest.seconds:.2f} s (case {self.slowest.number}), the "
            f"largest +{self.largest.memory >> 20} MB (case {self.largest.number})"
        ]
        lines += [f"cases of {bug}: {cases[:8]}" for bug, cases in self.bugs.items()]
        return "\n".join(lines)


def prepare() -> None:
    """In a new child: its peak of memory is its own."""
    gc.freeze()
    Path("/proc/self/clear_refs").write_text("5")


def fuzz(
    count: int,
    seed: int,
    corpus: str = "tflite",
    *,
    first: int = 0,
    progress: bool = False,
    save: Path | None = None,
) -> Report:
    """Handle ``count`` cases from number ``first`` on."""
    for name in ops.builtin_names():
        ops.builtin(name)
    cases, report, began = Cases(seed, corpus), Report(), time.monotonic()

    def handle(number: int) -> str:
        return trial.outcome(cases.file(number), number)

    for case in handled(range(first, first + count), handle, prepare):
        is_new = case.outcome.startswith(trial.BUGS) and case.outcome not in report.bugs
        report.add(case)
        if is_new and progress:
            print(f"seed {seed} case {case.number}: {case.outcome}", file=sys.stderr, flush=True)
        if save is not None and len(report.bugs.get(case.outcome, ())) in (1, 2, 3):
            save.mkdir(parents=True, exist_ok=True)
            kind = "mnn" if cases.is_net else "tflite"
            name = f"{corpus}-{seed}-{case.number}.{kind}"
            (save / name).write_bytes(cases.file(case.number))
        done = case.number + 1 - first
        if progress and done % 10_000 == 0:
            print(f"{done} cases, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return report


def main() -> int:
    """The command line; the exit code is 1 if there was a bug."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--corpus", choices=CORPORA, default="tflite", help="which files")
    parser.add_argument("--case", type=int, help="handle this case only, in this process")
    parser.add_argument("--file", type=Path, help="handle this file only, in this process")
    parser.add_argument("--save", type=Path, help="a folder for the files of bugs")
    options = parser.parse_args()
    if options.case is not None or options.file is not None:
        return show(options)
    report = fuzz(
        options.count,
        options.seed,
        options.corpus,
        first=options.first,
        progress=True,
        save=options.save,
    )
    print(report)
    return 1 if report.bugs else 0


def show(options: argparse.Namespace) -> int:
    """One case, with its traceback."""
    number = options.case or 0
    if options.file is not None:
        data = options.file.read_bytes()
    else:
        data = Cases(options.seed, options.corpus).file(number)
    if options.save is not None:
        options.save.write_bytes(data)
    model = trial.load(data)
    print(model)
    print(trial.outcome(data, number))
    if trial.small_enough(model):
        interpreter = trial.native(model)
        trial.run(model, interpreter, number)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
