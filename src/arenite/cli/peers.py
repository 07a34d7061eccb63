"""Arenite and its peers, all alike: a file goes in, a function for one inference comes out.

Peers are imported when they are asked for. Some end the process on some models, so
:mod:`arenite.cli.trial` tries them out in a process of their own first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from arenite.model.model import Array

Infer = Callable[..., Any]
"""``infer(*inputs)`` runs one inference and returns an output, or a list of several."""

_ARENA = 1 << 22


@dataclass(frozen=True)
class Peer:
    """Something that runs models.

    Attributes:
        name: What ``--against`` calls it.
        package: Its package on PyPI.
        module: What is imported.
        formats: File name endings that it loads.
        load: ``load(path)`` loads and plans a model; Arenite's takes a ``target`` and more.
        gives_bits: Whether outputs can be compared with TFLM's bit for bit.
    """

    name: str
    package: str
    module: str
    formats: tuple[str, ...]
    load: Callable[..., Infer]
    gives_bits: bool = True

    @property
    def version(self) -> str:
        """The installed version; empty where there is none."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""


@contextmanager
def hushed() -> Iterator[None]:
    """Nothing that C code prints gets out; peers greet when they are loaded."""
    saved = [(fd, os.dup(fd)) for fd in (1, 2)]
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        for fd, _ in saved:
            os.dup2(sink, fd)
        yield
    finally:
        for fd, copy in saved:
            os.dup2(copy, fd)
            os.close(copy)
        os.close(sink)


def load_arenite(path: Path, operators: Any = None, **setup: Any) -> Infer:
    """Arenite, as it is by default or with a target, an engine and operators of the user's."""
    from arenite import Interpreter, load

    return Interpreter(load(path, operators=operators), **setup)


def load_litert(path: Path) -> Infer:
    """LiteRT with XNNPACK on one thread."""
    from ai_edge_litert.interpreter import Interpreter

    interp = Interpreter(model_path=str(path), num_threads=1)
    interp.allocate_tensors()
    sources = [port["index"] for port in interp.get_input_details()]
    sinks = [port["index"] for port in interp.get_output_details()]
    write, run, read = interp.set_tensor, interp.invoke, interp.get_tensor
    if len(sources) == len(sinks) == 1:
        source, sink = sources[0], sinks[0]

        def infer(x: Array) -> Any:
            write(source, x)
            run()
            return read(sink)

        return infer

    def infer_all(*inputs: Array) -> Any:
        for index, x in zip(sources, inputs, strict=True):
            write(index, x)
        run()
        return [read(index) for index in sinks]

    return infer_all


def load_tflm(path: Path) -> Infer:
    """TFLM's own Python package."""
    from tflite_micro.python.tflite_micro import runtime

    from arenite import load

    interp = runtime.Interpreter.from_file(str(path), arena_size=_ARENA)
    outputs = range(len(load(path).outputs))

    def infer(*inputs: Array) -> Any:
        for index, x in enumerate(inputs):
            interp.set_input(x, index)
        interp.invoke()
        results = [interp.get_output(index) for index in outputs]
        return results[0] if len(results) == 1 else results

    return infer


def load_mnn(path: Path) -> Infer:
    """MNN on one thread, with its defaults."""
    import MNN
    import numpy as np

    net = MNN.Interpreter(str(path))
    session = net.createSession({"backend": "CPU", "numThread": 1})
    sources = list(net.getSessionInputAll(session).values())
    sinks = list(net.getSessionOutputAll(session).values())
    real = MNN.Halide_Type_Float
    codes = {"f": real, "i": MNN.Halide_Type_Int}
    orders = (MNN.Tensor_DimensionType_Tensorflow, MNN.Tensor_DimensionType_Caffe)

    def order(tensor: Any) -> Any:
        return orders[tensor.getDimensionType() != orders[0]]

    targets = []
    for tensor in sinks:
        shape = tensor.getShape()
        targets.append(MNN.Tensor(shape, real, np.zeros(shape, np.float32), order(tensor)))

    def write(tensor: Any, x: Array) -> None:
        x = x.reshape(tensor.getShape())
        if x.dtype.itemsize == 1:  # the package has no name for int8
            tensor.fromNumpy(x)
        else:
            tensor.copyFrom(MNN.Tensor(x.shape, codes[x.dtype.kind], x, order(tensor)))

    def infer(*inputs: Array) -> Any:
        for tensor, x in zip(sources, inputs, strict=True):
            write(tensor, x)
        net.runSession(session)
        for tensor, target in zip(sinks, targets, strict=True):
            tensor.copyToHostTensor(target)
        results = [target.getNumpyData() for target in targets]
        return results[0] if len(results) == 1 else results

    return infer


def convert_to_mnn(path: Path, target: Path) -> None:
    """A ``.tflite`` file as a ``.mnn`` one.

    The converter's library function is called: the command around it reports its use.

    Raises:
        ValueError: The converter wrote no file.
    """
    import_module("MNN")  # brings the library of the next line
    tools = import_module("_tools")
    files = ["--modelFile", str(path), "--MNNModel", str(target)]
    tools.mnnconvert(["mnnconvert", "-f", "TFLITE", "--bizCode", "arenite", *files])
    if not target.exists():
        raise ValueError("mnnconvert does not convert it")


ARENITE = Peer("arenite", "arenite", "arenite", (".tflite", ".mnn"), load_arenite)
PEERS = {
    engine.name: engine
    for engine in (
        Peer("litert", "ai-edge-litert", "ai_edge_litert.interpreter", (".tflite",), load_litert),
        Peer(
            "tflm",
            "tflite-micro",
            "tflite_micro.python.tflite_micro.runtime",
            (".tflite",),
            load_tflm,
        ),
        Peer("mnn", "MNN", "MNN", (".mnn",), load_mnn, gives_bits=False),
    )
}
ENGINES = {ARENITE.name: ARENITE, **PEERS}


def peers_called(names: Sequence[str]) -> list[Peer]:
    """Peers by name.

    Raises:
        ValueError: There is none of that name.
    """
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise ValueError(f"expected some of {','.join(PEERS)}, got {unknown[0]!r}")
    return [PEERS[name] for name in dict.fromkeys(names)]
