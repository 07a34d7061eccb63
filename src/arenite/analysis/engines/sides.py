"""Sides of a comparison: a model on an engine, or values that a board has sent.

A side is named ``MODEL@ENGINE``. The engine is a processor of :data:`arenite.cores.CORES`
(its firmware's bits, computed here), ``litert``, ``litert-reference``, ``tflm`` or ``kernels``, the
user's own; without one the bits are TFLM's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arenite.analysis.engines.dumps import read_dump
from arenite.analysis.engines.npu_tensors import is_compiled, run_in_arena
from arenite.cores import DEFAULT
from arenite.errors import CompareError
from arenite.formats import Source, content_of, load, model_of
from arenite.model import Model, TensorType
from arenite.model.model import Array
from arenite.ops import Registration, builtin, named
from arenite.optimize.samples import sequence
from arenite.peers import ENGINES, PeerProcess, Tensors
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.io_conversion import translated
from arenite.target import find_target

_MODELS = (".tflite", ".mnn")
#: The engine of a model's own operators: a user's kernels, in the place of Arenite's.
KERNELS = "kernels"
#: Tensors without a value that can be read: peers end when they are asked.
_OPAQUE = (TensorType.RESOURCE, TensorType.VARIANT)
_EXTREME = 4  # inputs of sequence() before the random ones


@dataclass(frozen=True)
class Side:
    """One of two: a model, and who computes it; or a dump of its tensors.

    Attributes:
        label: As it was given, for people.
        model: The model; for a dump the one whose tensors they are.
        engine: ``""`` for TFLM's bits, a processor, or a peer.
        dump: What a board has sent, or None.
        isa: Whose native kernels run; None for the best.
        is_npu: Its tensors were found among what an NPU stores.
    """

    label: str
    model: Model
    engine: str = ""
    dump: Tensors | None = None
    isa: str | None = None
    is_npu: bool = False

    def tensors(self, runs: Sequence[Sequence[Array]]) -> list[Tensors]:
        """All tensors of every inference, by index.

        Raises:
            CompareError: A peer does not run the model.
            AreniteError: The model cannot run.
        """
        if self.dump is not None:
            return [self.dump]
        if self.engine in ENGINES:
            return peer_tensors(self.model, self.engine, runs)
        return _own(self, runs)


def _own(side: Side, runs: Sequence[Sequence[Array]]) -> list[Tensors]:
    model = side.model
    if is_compiled(model):
        return run_in_arena(model, runs, side.engine or None)[0]
    interpreter = HeapInterpreter(model, target=side.engine or None, engine="auto", isa=side.isa)
    interpreter.allocate_tensors()
    found = []
    written = {index for one in model.main.operators for index in one.outputs if index >= 0}
    for inputs in runs:
        for number, value in enumerate(inputs):
            interpreter.input(number)[...] = value
        interpreter.invoke()
        arrays = {index: interpreter.eval_tensor(index).data for index in sorted(written)}
        found.append({index: data.copy() for index, data in arrays.items() if data is not None})
    return found


def peer_tensors(model: Model, engine: str, runs: Sequence[Sequence[Array]]) -> list[Tensors]:
    """Every tensor that a peer shows, per inference of the user's own file.

    Outputs are those of an interpreter that keeps nothing, as it is used.

    Raises:
        CompareError: The package is not installed, refuses the model, or ends.
    """
    content, main = content_of(model), model.main
    computed = {index for one in main.operators for index in one.outputs if index >= 0}
    asked = computed if engine == "tflm" else range(len(main.tensors))
    indices = [index for index in sorted(asked) if main.tensors[index].type not in _OPAQUE]
    count = len(main.outputs)
    with PeerProcess(engine, content, count) as peer:
        plain = peer.infer(runs)
    with PeerProcess(engine, content, count, keeps=True) as peer:
        found = [peer.tensors(run, indices, number) for number, run in enumerate(runs)]
    for tensors, outputs in zip(found, plain, strict=True):
        ports = zip(main.outputs, outputs, strict=True)
        tensors |= {index: value for index, value in ports if index in tensors}
    return found


def side_of(
    given: Model | Source | Side,
    other: Model | None = None,
    operators: Mapping[str, Registration] | None = None,
    isa: str | None = None,
) -> Side:
    """A side by its name, or a model as one; ``other`` is that of ``@ENGINE`` alone and of a dump.

    ``operators`` are those that Arenite does not have, as :func:`arenite.load` takes them; ``isa``
    is the instruction set whose kernels run, where Arenite computes.

    Raises:
        ValueError: There is no such engine, or a model is missing.
        ModelError, CompareError, OSError: The file is none.
        TypeError: It is neither a model nor a file's path or content.
    """
    if isinstance(given, Side):
        return given
    if not isinstance(given, str | os.PathLike):
        taken = model_of(given)
        return Side(taken.source or "model", taken, isa=isa)
    text = os.fspath(given)
    file, engine = _parts(text)
    if file and Path(file).suffix.lower() not in _MODELS:
        if other is None:
            raise ValueError(f"expected a model before the dump {text!r}")
        return Side(text, other, dump=read_dump(Path(file), other))
    if engine == KERNELS:
        return _with_kernels(text, load(file) if file else other, operators, isa)
    if not file and other is None:
        raise ValueError(f"expected MODEL or MODEL@ENGINE, got {text!r}")
    others = {name: one for name, one in (operators or {}).items() if builtin(name) is None}
    model = load(file, operators=others) if file else other
    assert model is not None
    return Side(text, model, engine, isa=isa)


def _with_kernels(
    label: str, model: Model | None, operators: Mapping[str, Registration] | None, isa: str | None
) -> Side:
    """A model with a user's kernels in the place of Arenite's operators."""
    if model is None:
        raise ValueError(f"expected MODEL or MODEL@{KERNELS}, got {label!r}")
    names = {one.name for subgraph in model.subgraphs for one in subgraph.operators}
    used = {name: one for name, one in (operators or {}).items() if name in names}
    if not used:
        raise ValueError(f"@{KERNELS}: expected kernels for some of {', '.join(sorted(names))}")
    registrations = named({**model.registrations, **used}, replace=True)
    return Side(label, replace(model, registrations=registrations), isa=isa)


def file_of(given: str | os.PathLike[str]) -> str:
    """The file of a side by its name; empty for ``@ENGINE`` alone."""
    return _parts(given)[0] if isinstance(given, str) else os.fspath(given)


def _parts(text: str) -> tuple[str, str]:
    """File and engine; a name with ``@`` in it is a file where no engine is called so."""
    file, at, engine = text.rpartition("@")
    if not at:
        return text, ""
    if engine in ENGINES or engine == KERNELS:
        return file, engine
    try:
        return file, find_target(engine).processor
    except ValueError:
        if Path(engine).suffix.lower() in _MODELS or Path(text).exists():
            return text, ""
        known = ", ".join([f"{DEFAULT} and other processors", *ENGINES, KERNELS])
        raise ValueError(f"expected an engine of {known}, got {engine!r}") from None


def random_runs(model: Model, count: int, seed: int) -> list[list[Array]]:
    """Extreme and random inputs, seeded."""
    steps = [step for step in sequence(model, count, seed=seed) if step is not None]
    return [list(step) for step in steps[: _EXTREME + count]]


def inputs_for(runs: Sequence[Sequence[Array]], given: Model, wanted: Model) -> list[list[Array]]:
    """Inputs for one model as inputs for another, which stand for the same real numbers.

    Raises:
        CompareError: The models have other inputs.
    """
    pairs = list(zip(given.inputs, wanted.inputs, strict=False))
    shapes = [[tensor.shape for tensor in model.inputs] for model in (given, wanted)]
    if shapes[0] != shapes[1]:
        raise CompareError(f"the models have other inputs: {shapes[0]} and {shapes[1]}")
    return [
        [translated(value, *pair) for value, pair in zip(run, pairs, strict=True)] for run in runs
    ]
