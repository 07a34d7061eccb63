"""The packages themselves, a row each: how one loads a model, and its interpreter.

A peer's interpreter has the methods of :class:`Opened`, whatever its package calls them. ``load``
is for ``arenite bench``, which tries a peer out in a child first and then measures it in turn with
Arenite, in one process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from arenite.files import read_file
from arenite.model.model import Array
from arenite.processes.paths import find_package

Infer = Callable[..., Any]
"""``infer(*inputs)`` runs one inference and returns an output, or a list of several."""

_ARENA = 1 << 22


class Opened(Protocol):
    """A package's interpreter with a model."""

    def set_input(self, value: Array, number: int) -> None:
        """Write an input."""

    def invoke(self) -> None:
        """Run one inference."""

    def get_output(self, number: int) -> Array:
        """Read an output."""

    def tensor(self, index: int) -> Array:
        """Read any tensor, where all were kept."""

    def reset(self) -> None:
        """Forget what was before."""


class Litert:
    """LiteRT's interpreter.

    Args:
        model: A file's content.
        kernels: A name of LiteRT's ``OpResolverType``; by default kernels without a delegate:
            what a model computes does not depend on the machine then.
        keeps: Whether every tensor can be read after an inference.
    """

    def __init__(
        self,
        model: bytes,
        kernels: str = "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
        *,
        keeps: bool = False,
        arena: int = 0,
    ) -> None:
        from ai_edge_litert import interpreter  # noqa: PLC0415 - an extra

        self._litert: Any = interpreter.Interpreter(
            model_content=model,
            num_threads=1,
            experimental_op_resolver_type=interpreter.OpResolverType[kernels],
            experimental_preserve_all_tensors=keeps,
        )
        self._litert.allocate_tensors()
        self._inputs = [one["index"] for one in self._litert.get_input_details()]
        self._outputs = [one["index"] for one in self._litert.get_output_details()]
        self.invoke = self._litert.invoke
        self.reset = self._litert.reset_all_variables
        self.tensor = self._litert.get_tensor

    def set_input(self, value: Array, number: int) -> None:
        """Write an input."""
        self._litert.set_tensor(self._inputs[number], value)

    def get_output(self, number: int) -> Array:
        """Read an output."""
        found: Array = self.tensor(self._outputs[number])
        return found


class Tflm:
    """TFLM's own Python package; it has no limits of its own on what it reads and writes."""

    def __init__(self, model: bytes, *, keeps: bool = False, arena: int = _ARENA) -> None:
        from tflite_micro.python.tflite_micro import runtime  # noqa: PLC0415 - an extra

        configs = runtime.InterpreterConfig
        kept = configs.kPreserveAllTensors if keeps else configs.kAllocationRecording
        self._tflm: Any = runtime.Interpreter.from_bytes(
            model, arena_size=arena, intrepreter_config=kept
        )
        self.set_input, self.invoke = self._tflm.set_input, self._tflm.invoke
        self.get_output, self.reset = self._tflm.get_output, self._tflm.reset

    def tensor(self, index: int) -> Array:
        """Read any tensor, where all were kept."""
        found: Array = self._tflm.GetTensor(index, 0)["tensor_data"]
        return found


# -- in turns, as a benchmark has them ----------------------------------------------------


def load_litert(path: Path) -> Infer:
    """LiteRT with XNNPACK on one thread."""
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - an extra

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
    from arenite.formats import load  # noqa: PLC0415 - not where peers alone are asked

    interp, outputs = Tflm(read_file(path)), range(len(load(path).outputs))

    def infer(*inputs: Array) -> Any:
        for index, x in enumerate(inputs):
            interp.set_input(x, index)
        interp.invoke()
        results = [interp.get_output(index) for index in outputs]
        return results[0] if len(results) == 1 else results

    return infer


def load_mnn(path: Path) -> Infer:
    """MNN on one thread, with its defaults."""
    import MNN  # noqa: PLC0415 - an extra

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


# -- rows --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Peer:
    """Something that runs models.

    Attributes:
        name: Its name in commands.
        package: Its package on PyPI.
        module: What is imported.
        formats: File name endings that it loads.
        load: ``load(path)`` loads and plans a model for ``arenite bench``; Arenite's takes a
            ``target`` and more.
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


PEERS = {
    one.name: one
    for one in (
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

#: ``start(content, keeps=, arena=)`` in a process of its own, by the name of who computes.
STARTS: dict[str, Callable[..., Opened]] = {
    "litert": partial(Litert, kernels="AUTO"),
    "litert-reference": partial(Litert, kernels="BUILTIN_REF"),
    "litert-builtin": Litert,
    "tflm": Tflm,
}


def package_of(name: str) -> Peer:
    """The package behind a name of :data:`STARTS`."""
    return PEERS[name.partition("-")[0]]


def is_installed(name: str) -> bool:
    """Whether the package behind a name can be asked."""
    return find_package(package_of(name).module.partition(".")[0]) is not None


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


def peers_called(names: Sequence[str]) -> list[Peer]:
    """Peers by name.

    Raises:
        ValueError: There is none of that name.
    """
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise ValueError(f"expected some of {','.join(PEERS)}, got {unknown[0]!r}")
    return [PEERS[name] for name in dict.fromkeys(names)]
