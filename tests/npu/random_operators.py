"""Random single operators through Vela: how many have the original's bits, and which have not.

    python -m tests.npu.random_operators --count 20 --seed 1 [--keep FOLDER] [OPERATOR ...]

Models are those that each operator's own test draws, from a seed of one's own. A process per model
compiles it, as some end Vela. ``--keep`` saves what Vela made.
"""

import argparse
import contextlib
import importlib
import os
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import arenite as ar
from arenite.formats.tflite import write
from arenite.model import Model
from tests.fuzz.seeds import random_cases
from tests.native.strategies import OPERATORS

#: Seconds that Vela has for a model, and inferences that are compared.
PATIENCE, RUNS = 60, 3
NAMES = "equal", "different", "on the CPU", "Vela refuses", "not run"


def compiled(model: Model, accelerator: str) -> bytes | None:
    """What Vela makes of a model, in a child that has Vela loaded; None where it makes nothing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.tflite").write_bytes(write(model))
        child = os.fork()
        if not child:
            _run_vela(folder, accelerator)
        end = time.monotonic() + PATIENCE
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(child, 9)
            time.sleep(0.01)
        found = next(folder.glob("*_vela.tflite"), None)
        return None if found is None else found.read_bytes()


def _run_vela(folder: Path, accelerator: str) -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    arguments = [str(folder / "model.tflite"), "--accelerator-config", accelerator]
    with contextlib.suppress(BaseException):
        importlib.import_module("ethosu.vela.vela").main([*arguments, "--output-dir", str(folder)])
    os._exit(0)


def values(rng: np.random.Generator, model: Model) -> list[np.ndarray]:
    """Any numbers that the inputs can hold."""
    found = []
    for tensor in model.inputs:
        info = np.iinfo(tensor.type.dtype)
        some = rng.integers(info.min, info.max, tensor.shape, endpoint=True)
        found.append(some.astype(tensor.type.dtype))
    return found


def outcome(model: Model, file: bytes | None, seed: int) -> tuple[str, str]:
    """One of ``NAMES``, and what is to be said of it."""
    if file is None:
        return "Vela refuses", ""
    if not any(one.name == "ethos-u" for one in ar.load(file).main.operators):
        return "on the CPU", ""
    rng, most, count, total = np.random.default_rng(seed), 0, 0, 0
    try:
        one, other = ar.Interpreter(model), ar.Interpreter(file)
        for _ in range(RUNS):
            x = values(rng, model)
            expected, got = (
                found if isinstance(found, tuple) else (found,) for found in (one(*x), other(*x))
            )
            for a, b in zip(expected, got, strict=True):
                steps = np.abs(a.astype(np.int64) - b.astype(np.int64))
                most = max(most, int(steps.max(initial=0)))
                count, total = count + int((steps > 0).sum()), total + steps.size
    except ar.AreniteError as error:
        return "not run", str(error)
    return ("different", f"{count} of {total}, by at most {most}") if count else ("equal", "")


def described(model: Model) -> str:
    """Types, shapes, scales and zero points of inputs and outputs, and options."""
    words = []
    for tensor in (*model.inputs, *model.outputs):
        q = tensor.quantization
        numbers = "" if q is None or not len(q.scale) else f" {q.scale[0]:.3g}@{q.zero_point[0]}"
        words.append(f"{tensor.type}{list(tensor.shape)}{numbers}")
    return f"{', '.join(words)}; {model.main.operators[0].options}"


def drawn(name: str, count: int, seed: int) -> Iterator[Model]:
    """Those of an operator whose inputs are integers."""
    for model, _, _ in random_cases(name, count, seed):
        if model.inputs and all(
            str(t.type) in ("int8", "int16", "uint8", "int32") for t in model.inputs
        ):
            yield model


def main() -> None:
    """Print a row per operator, and every difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operators", nargs="*", default=sorted(OPERATORS))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--accelerator", default="ethos-u55-128")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    importlib.import_module("ethosu.vela.vela")
    totals: dict[str, Counter[str]] = {"int8": Counter(), "other": Counter()}
    for name in given.operators:
        row: Counter[str] = Counter()
        for number, model in enumerate(drawn(name, given.count, given.seed)):
            file = compiled(model, given.accelerator)
            found, why = outcome(model, file, given.seed)
            row[found] += 1
            totals["int8" if str(model.inputs[0].type) == "int8" else "other"][found] += 1
            if why:
                print(f"  {name} {number}: {found}: {why}; {described(model)}", flush=True)
            if given.keep and file and found in ("equal", "different"):
                (given.keep / f"{name}_{number}.tflite").write_bytes(file)
        print(name, ", ".join(f"{row[one]} {one}" for one in NAMES if row[one]), flush=True)
    for kind, total in totals.items():
        print(f"{kind}:", ", ".join(f"{total[one]} {one}" for one in NAMES))


if __name__ == "__main__":
    main()
