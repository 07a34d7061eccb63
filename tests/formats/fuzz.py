"""Feed broken files to the loader and run what it accepts.

    python -m tests.formats.fuzz --count 10000 --seed 1 --corpus mnn

Every file is made from its seed and number alone, and handled in a worker process with a
limit on time and memory; the worker that dies or hangs is an outcome, and is replaced.
``--case NUMBER`` shows one case's traceback, ``--save FILE`` keeps its file.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
import traceback
import tracemalloc
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from arenite import ops
from arenite.errors import AreniteError, ModelError, UnsupportedOperatorError
from arenite.formats import load
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter import Interpreter
from tests.formats.corpus import CORPORA
from tests.formats.mutate import mutant, places_of
from tests.ops.differential import random_array

TIMEOUT = 20.0
ADDRESS_SPACE = 3 << 30
#: What loading may take in memory: a multiple of the file's size, and room for imports.
LOAD_MULTIPLE, LOAD_SLACK = 100, 1 << 20
#: What is run: models with at most so many bytes in tensors and multiplications.
RUN_BYTES, RUN_MACS = 8 << 20, 20_000_000

BUGS = ("CRASH", "HANG", "MEMORY", "FOREIGN")


@dataclass
class Report:
    """How often each outcome came up, and the first cases of each bug."""

    outcomes: Counter[str] = field(default_factory=Counter)
    bugs: dict[str, list[int]] = field(default_factory=dict)

    def add(self, number: int, outcome: str) -> None:
        """Count one case's outcome."""
        self.outcomes[outcome] += 1
        if outcome.startswith(BUGS):
            self.bugs.setdefault(outcome, []).append(number)

    def __str__(self) -> str:
        lines = [f"{count:7d}  {outcome}" for outcome, count in self.outcomes.most_common()]
        lines += [f"cases of {bug}: {cases[:8]}" for bug, cases in self.bugs.items()]
        return "\n".join(lines)


# -- one case -----------------------------------------------------------------------------


class Cases:
    """Makes and handles cases by number."""

    def __init__(self, seed: int, corpus: str = "tflite") -> None:
        self._seed = seed
        self._files = list(CORPORA[corpus]().values())
        self._places = [places_of(data) for data in self._files]
        # Small files are quicker, and their structure is all there is to them.
        weights = np.array([(4096 + len(data)) ** -0.5 for data in self._files])
        self._weights = weights / weights.sum()

    def file(self, number: int) -> bytes:
        """The broken file of a case."""
        rng = np.random.default_rng([self._seed, number])
        index = int(rng.choice(len(self._files), p=self._weights))
        return mutant(self._files[index], self._places[index], rng)

    def outcome(self, number: int) -> str:
        """What came of a case, in words; bugs begin with one of ``BUGS``."""
        data = self.file(number)
        tracemalloc.start()
        try:
            model = load(data)
        except (ModelError, UnsupportedOperatorError) as error:
            return type(error).__name__
        except Exception as error:
            return _foreign(error)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        if peak > LOAD_MULTIPLE * len(data) + LOAD_SLACK:
            return f"MEMORY: loading took more than {LOAD_MULTIPLE} times the file's size"
        if not small_enough(model):
            return "loads, too large to run"
        return run(model, number)


def run(model: Model, number: int) -> str:
    """Prepare a model and run it twice with random inputs."""
    rng = np.random.default_rng(number)
    stage = "prepare"
    try:
        interpreter = prepare(model, number)
        stage = "invoke"
        for _ in range(2):
            for index, tensor in enumerate(model.inputs):
                values = interpreter.input(index)
                if tensor.type.dtype.kind in "iufb" and tensor.type.name != "FLOAT16":
                    values[...] = random_array(tensor, rng).reshape(values.shape)
            interpreter.invoke()
    except AreniteError as error:
        return f"loads, {type(error).__name__} in {stage}"
    except Exception as error:
        return _foreign(error)
    return "loads and runs"


def prepare(model: Model, number: int) -> HeapInterpreter | Interpreter:
    """An interpreter that is ready to run: on the heap or in an arena, in turns."""
    if number % 2:
        return Interpreter(model)
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    return interpreter


def small_enough(model: Model) -> bool:
    """Whether running the model takes little time and memory, by a rough guess."""
    size = macs = 0
    for subgraph in model.subgraphs:
        size += sum(abs(tensor.nbytes) for tensor in subgraph.tensors)
        for operator in subgraph.operators:
            tensors = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
            products = max(
                (abs(t.size) // max(t.shape[0], t.shape[-1], 1) for t in tensors if t.shape),
                default=1,
            )
            outputs = sum(abs(subgraph.tensors[i].size) for i in operator.outputs)
            macs += outputs * max(products, 1)
    return size <= RUN_BYTES and macs <= RUN_MACS


def _foreign(error: Exception) -> str:
    """The place in Arenite where an exception that is not its own comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "arenite" in Path(frame.filename).parts]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"FOREIGN {type(error).__name__} at {where}"


# -- workers ------------------------------------------------------------------------------


class Worker:
    """A process that handles cases, replaced when it dies or hangs."""

    def __init__(self, seed: int, corpus: str) -> None:
        arguments = ["--serve", "--seed", str(seed), "--corpus", corpus]
        self._command = [sys.executable, "-m", "tests.formats.fuzz", *arguments]
        self._process: subprocess.Popen[str] | None = None

    def outcome(self, number: int) -> str:
        """What came of a case."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{number}\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], TIMEOUT)[0]:
            self.close()
            return "HANG"
        line = process.stdout.readline()
        if not line:
            code = process.wait()
            self.close()
            return f"CRASH, exit code {code}"
        return str(json.loads(line))

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[2],
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()  # It is ready when it says so.
        return self._process


def serve(seed: int, corpus: str) -> None:
    """Handle the cases whose numbers come in, until there are no more."""
    import resource

    for name in ops.builtin_names():
        ops.builtin(name)
    cases = Cases(seed, corpus)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(cases.outcome(int(line))), flush=True)


def fuzz(count: int, seed: int, corpus: str = "tflite", progress: bool = False) -> Report:
    """Handle ``count`` cases."""
    report = Report()
    worker = Worker(seed, corpus)
    began = time.monotonic()
    try:
        for number in range(count):
            report.add(number, worker.outcome(number))
            if progress and (number + 1) % 1000 == 0:
                print(f"{number + 1} cases, {time.monotonic() - began:.0f} s", file=sys.stderr)
    finally:
        worker.close()
    return report


def main() -> int:
    """The command line; the exit code is 1 if there was a bug."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", choices=CORPORA, default="tflite", help="which files")
    parser.add_argument("--case", type=int, help="handle this case only, in this process")
    parser.add_argument("--save", type=Path, help="where to keep the file of --case")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.seed, arguments.corpus)
        return 0
    if arguments.case is not None:
        cases = Cases(arguments.seed, arguments.corpus)
        return show(cases, arguments.case, arguments.save)
    report = fuzz(arguments.count, arguments.seed, arguments.corpus, progress=True)
    print(report)
    return 1 if report.bugs else 0


def show(cases: Cases, number: int, save: Path | None) -> int:
    """One case, with its traceback."""
    data = cases.file(number)
    if save is not None:
        save.write_bytes(data)
    model = load(data)
    print(model)
    print(run(model, number))
    prepare(model, number).invoke()
    return 0


if __name__ == "__main__":
    sys.exit(main())
