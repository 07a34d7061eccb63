"""Try an engine out on a model in a process of its own: it may crash, or hang.

Its arguments there are ENGINE MODEL SEED CONVERTED [SETUP], and it prints what it took, as
JSON; ``SETUP`` holds Arenite's target, engine and module of operators, as JSON too.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arenite.cli.kernels import KernelOptions, given, given_kernels
from arenite.cli.operators import chosen_operators
from arenite.peers import Infer, Peer, hushed
from arenite.peers.packages import PEERS, convert_to_mnn
from arenite.processes.children import run_module
from arenite.processes.verdict import EARLY

TIMEOUT = 120.0
#: Arenite as it is by default.
DEFAULT: Mapping[str, Any] = MappingProxyType({})
#: Exit code of a process that meets an error of the engine's, which it prints.
_REFUSED = 3
_NOT_INSTALLED = 4


def load_arenite(path: Path, operators: Any = None, **setup: Any) -> Infer:
    """Arenite, as it is by default or with a target, an engine and operators of the user's."""
    from arenite import Interpreter, load

    return Interpreter(load(path, operators=operators), **setup)


ARENITE = Peer("arenite", "arenite", "arenite", (".tflite", ".mnn"), load_arenite)
ENGINES = {ARENITE.name: ARENITE, **PEERS}


@dataclass(frozen=True)
class Trial:
    """Work of an engine in a fresh process.

    Attributes:
        engine: The engine.
        path: The file that it loads: the model, or the model converted.
        reason: Why it cannot run the model; empty if it can.
        cold_seconds: ``"load"`` and ``"first"``: loading and planning, and the first
            inference, with the engine imported and nothing else done.
    """

    engine: Peer
    path: Path
    reason: str = ""
    cold_seconds: dict[str, float] | None = None


@dataclass(frozen=True)
class _Cold:
    load: float
    first: float


def try_out(
    engine: Peer, model: Path, seed: int, folder: Path, setup: Mapping[str, Any] = DEFAULT
) -> Trial:
    """Run an engine on a model once; ``folder`` is for a converted model."""
    path = model
    if model.suffix.lower() not in engine.formats:
        if engine.name != "mnn":
            return Trial(engine, model, f"loads no {model.suffix} files")
        path = folder / f"{model.stem}.mnn"
    arguments = [engine.name, str(model.absolute()), str(seed), str(path.absolute())]
    setup_text = json.dumps(_elsewhere(setup), default=asdict)
    try:
        done = run_module(
            "arenite.cli.trial", *arguments, setup_text, folder=folder, timeout=TIMEOUT
        )
    except TimeoutError:
        return Trial(engine, path, f"takes over {TIMEOUT:.0f} s")
    lines = done.out.splitlines() or [""]
    if done.code == _NOT_INSTALLED:
        return Trial(engine, path, f"not installed (pip install {engine.package})")
    if done.code == _REFUSED:
        return Trial(engine, path, f"refuses the model ({lines[-1]})")
    if done.code:
        return Trial(engine, path, f"crashes ({_cause(done.code)})")
    return Trial(engine, path, cold_seconds=json.loads(lines[-1]))


def _elsewhere(setup: Mapping[str, Any]) -> dict[str, Any]:
    """The setup for a process that has another working folder."""
    ops, kernels = setup.get("ops"), given_kernels()
    found = dict(setup) if ops is None else {**setup, "ops": str(Path(ops).absolute())}
    return {**found, "kernels": kernels.elsewhere()} if kernels.is_any else found


def _cause(code: int) -> str:
    """The end of a process in words: a signal's name, or Windows' code of the exception."""
    if code > 0:
        return f"exit code {code % EARLY:#x}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _cold(engine: Peer, model: Path, seed: int, path: Path, setup: Mapping[str, Any]) -> _Cold:
    from arenite import load
    from arenite.analysis.inputs.files import random_inputs

    if path != model and not path.exists():
        convert_to_mnn(model, path)
    inputs = [one.array for one in random_inputs(load(model), seed)]
    import_module(engine.module)
    start = time.perf_counter()
    infer = engine.load(path, **setup)
    loaded = time.perf_counter()
    infer(*inputs)
    return _Cold(loaded - start, time.perf_counter() - loaded)


def _setup(text: str = "{}") -> dict[str, Any]:
    from arenite import Target

    setup: dict[str, Any] = json.loads(text)
    if "target" in setup:
        setup["target"] = Target(**setup["target"])
    ops, kernels = setup.pop("ops", None), KernelOptions(**setup.pop("kernels", {}))
    with given(kernels):
        operators = chosen_operators(None if ops is None else Path(ops))
    return {**setup, "operators": operators} if operators else setup


def main(arguments: list[str]) -> int:
    """Run one trial; the last line of the output counts."""
    name, model, seed, path, *setup = arguments
    try:
        with hushed():
            cold = _cold(ENGINES[name], Path(model), int(seed), Path(path), _setup(*setup))
    except ImportError as error:
        print(error)
        return _NOT_INSTALLED
    except Exception as error:
        print(" ".join(str(error).split()) or type(error).__name__)
        return _REFUSED
    print(json.dumps(asdict(cold)))
    return 0
