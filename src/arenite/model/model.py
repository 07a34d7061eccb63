"""A model as plain, frozen data: what a ``.tflite`` file says, nothing computed.

Constant data are read-only views on the file's bytes. Every index that appears here
has been checked by whoever built the model (the reader, or :class:`ModelBuilder`).
Facts about the fields: TensorFlow Lite ``schema.fbs``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.callable_modules import html_of
from arenite.model.fast_init import quick
from arenite.model.offline_plan import plan_text
from arenite.model.options import OptionsTable, RawOptions
from arenite.model.text import printable
from arenite.model.types import TensorType

Array = npt.NDArray[Any]


@quick
@dataclass(frozen=True, eq=False)
class Quantization:
    """Affine quantisation: ``real = scale * (q - zero_point)``.

    ``scale`` (float32) and ``zero_point`` (int64) have one entry per tensor, or one per
    slice along ``quantized_dimension``. ``min`` and ``max`` (float32) are what the
    converter saw; nothing computes with them.
    """

    scale: Array
    zero_point: Array
    quantized_dimension: int = 0
    min: Array | None = None
    max: Array | None = None

    @property
    def is_per_channel(self) -> bool:
        """Whether there is more than one scale."""
        return len(self.scale) > 1

    def __repr__(self) -> str:
        if self.is_per_channel:
            return f"<{len(self.scale)} scales on axis {self.quantized_dimension}>"
        if not len(self.scale):
            return "<no scale>"
        zero_point = self.zero_point[0] if len(self.zero_point) else 0
        return f"<scale {self.scale[0]:.6g}, zero point {zero_point}>"


@quick
@dataclass(frozen=True, eq=False)
class Tensor:
    """One tensor of a subgraph.

    ``data`` holds the raw bytes (uint8, read-only) of a constant and is None for a
    tensor that is computed, fed or variable. ``buffer`` is the index of the model's
    buffer, kept so that a model can be written back unchanged.
    """

    name: str
    type: TensorType
    shape: tuple[int, ...]
    data: Array | None = None
    quantization: Quantization | None = None
    is_variable: bool = False
    shape_signature: tuple[int, ...] | None = None
    has_rank: bool = False
    buffer: int = 0

    @property
    def is_constant(self) -> bool:
        """Whether the value is part of the model."""
        return self.data is not None

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes that the tensor's value takes."""
        return (prod(self.shape) * self.type.bits + 7) // 8

    @property
    def value(self) -> Array | None:
        """The constant as a read-only array of ``shape``.

        Types without a NumPy dtype (packed ones, bfloat16, string) stay flat uint8.
        """
        data, type_ = self.data, self.type
        if data is None or type_.bits == 0:
            return data
        dtype = type_.dtype
        if type_.bits != 8 * dtype.itemsize:
            return data[: self.nbytes]
        value: Array = np.ndarray(self.shape, dtype, data)
        return value

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self.data is not None:
            self.data.flags.writeable = False  # which NumPy forgets in pickles and copies

    def __repr__(self) -> str:
        kind = "constant" if self.is_constant else "variable" if self.is_variable else "tensor"
        quantization = f" {self.quantization!r}" if self.quantization else ""
        return f"<{kind} {self.name!r} {self.type}{list(self.shape)}{quantization}>"


@quick
@dataclass(frozen=True, eq=False)
class Operator:
    """One operator of a subgraph.

    ``name`` is the builtin's name (``"CONV_2D"``) or a custom operator's own name.
    Tensors are given by index; -1 stands for an optional input that is absent.
    ``options`` is the operator's row, or None where it has none or it is not known;
    ``raw_options`` is the table in the file, for registrations with a row of their own.
    ``options_type`` and ``options_2_type`` are the file's union types, 0 for none.
    """

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: OptionsTable | None = None
    custom_options: bytes = b""
    is_custom: bool = False
    intermediates: tuple[int, ...] = ()
    version: int = 1
    options_type: int = 0
    options_2_type: int = 0
    mutating_variable_inputs: tuple[bool, ...] = ()
    raw_options: RawOptions | None = None

    def __getstate__(self) -> dict[str, Any]:
        # A raw table brings its whole file along: only where nothing else says what is in it.
        state = dict(vars(self))
        if self.options is not None:
            state["raw_options"] = None
        return state

    def __repr__(self) -> str:
        return f"<{self.name} {list(self.inputs)} -> {list(self.outputs)}>"


@dataclass(frozen=True, eq=False)
class Subgraph:
    """A list of operators in execution order, over its own tensors."""

    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    name: str = ""

    def __repr__(self) -> str:
        return (
            f"<subgraph {self.name!r}: {len(self.operators)} operators, "
            f"{len(self.tensors)} tensors>"
        )


@dataclass(frozen=True, eq=False)
class SignatureDef:
    """Names for a subgraph's inputs and outputs: name -> tensor index."""

    key: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    subgraph: int = 0


@dataclass(frozen=True, eq=False)
class Model:
    """A whole model: subgraph 0 is the entry point.

    ``metadata`` maps names to raw bytes (``OfflineMemoryAllocation``, say). ``source`` is
    the file's name, for messages; ``nbytes`` the file's size, 0 for a built model; ``format``
    the file's, ``"tflite"`` or ``"mnn"``, empty for a built model. ``registrations`` are those of
    the user's own operators, by name: no file has them, they come with
    :func:`arenite.load`. ``behind`` says what lies behind the FlatBuffer, where LiteRT looks and
    TFLM does not: see :mod:`arenite.model.unread`.
    """

    subgraphs: tuple[Subgraph, ...]
    description: str = ""
    metadata: Mapping[str, bytes] = field(default_factory=dict)
    signatures: tuple[SignatureDef, ...] = ()
    version: int = 3
    source: str = ""
    nbytes: int = 0
    format: str = ""
    registrations: Mapping[str, Any] = field(default_factory=dict)
    behind: tuple[str, ...] = ()
    #: The file's bytes; None for a model that was built, or made of another one.
    content: Any = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "content": None}

    @property
    def main(self) -> Subgraph:
        """The subgraph that an inference runs."""
        return self.subgraphs[0]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The main subgraph's input tensors."""
        return tuple(self.main.tensors[i] for i in self.main.inputs)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The main subgraph's output tensors."""
        return tuple(self.main.tensors[i] for i in self.main.outputs)

    _repr_html_ = html_of

    def __repr__(self) -> str:
        return table(self)


def table(model: Model) -> str:
    """The model as a table: one line per operator of every subgraph."""
    lines = [f"Model {model.source or '(built)'}"]
    if model.description:
        lines[0] += f": {model.description}"
    for number, subgraph in enumerate(model.subgraphs):
        if len(model.subgraphs) > 1:
            lines.append(f"subgraph {number} {subgraph.name}")
        lines += [f"  in   {_port(subgraph.tensors[i])}" for i in subgraph.inputs]
        width = max((len(op.name) for op in subgraph.operators), default=0)
        lines += [
            f"  {index:3d}  {op.name:{width}s}  {_shapes(subgraph, op)}"
            for index, op in enumerate(subgraph.operators)
        ]
        lines += [f"  out  {_port(subgraph.tensors[i])}" for i in subgraph.outputs]
    plan = plan_text(model.metadata)
    if plan:
        lines.append(f"  plan {plan}")
    return "\n".join(map(printable, lines))


def _port(tensor: Tensor) -> str:
    quantization = f" {tensor.quantization!r}" if tensor.quantization else ""
    return f"{tensor.name}  {tensor.type}{list(tensor.shape)}{quantization}"


def _shapes(subgraph: Subgraph, op: Operator) -> str:
    def side(indices: tuple[int, ...]) -> str:
        tensors = [subgraph.tensors[i] for i in indices if i >= 0]
        return ", ".join(f"{t.type}{list(t.shape)}" for t in tensors if not t.is_constant)

    return f"{side(op.inputs)} -> {side(op.outputs)}"


def constant_bytes(array: Array) -> Array:
    """An array's bytes as a read-only uint8 array: what :attr:`Tensor.data` holds."""
    contiguous = np.ascontiguousarray(array)
    flat = contiguous.reshape(-1).view(np.uint8)
    flat.flags.writeable = False
    return flat


def tensor_text(tensor: Tensor) -> str:
    """A tensor's type and shape: ``int8[1,49,10,1]``."""
    return f"{tensor.type}[{','.join(map(str, tensor.shape))}]"
