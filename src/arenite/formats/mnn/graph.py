"""A net on its way to a :class:`Model`: MNN's tensors, and the Arenite tensors that hold them.

MNN thinks in NCHW, packed by four channels or not, and in NHWC; Arenite's kernels read NHWC.
So a :class:`Value` is what MNN means by a tensor, and :class:`Bytes` are Arenite tensors that
hold its elements in one order, under one shape or several. Operators ask for the order that
they read; a conversion is emitted where a value is first asked for in an order that nobody
has made yet, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from arenite.errors import ModelError
from arenite.formats.mnn.enums import Format
from arenite.formats.mnn.net import Net, Op, Quant, Shape
from arenite.model import ModelBuilder, OptionsTable, TensorType
from arenite.model.check import MAX_TENSOR_BYTES
from arenite.ops.mnn_raster import MnnRasterOptions, Region
from arenite.ops.reshape import ReshapeOptions
from arenite.ops.transpose import TransposeOptions

Array = npt.NDArray[Any]

#: Dimensions that MNN's tensors have at most (``MNN_MAX_TENSOR_DIM``).
MAX_RANK = 9
#: Bytes that values computed while loading may take: a multiple of the file's, and some more.
_FOLDED_MULTIPLE, _FOLDED_SLACK = 8, 1 << 16


class Layout(Enum):
    """The order of a value's elements in memory."""

    PLAIN = "as the shape says"
    LAST = "axis 1, the channels, last"


class Key(NamedTuple):
    """Which elements: their order, and whether they are quantised."""

    layout: Layout
    quantized: bool = False


@dataclass(eq=False)
class Bytes:
    """Arenite tensors with the same elements in the same order, by shape.

    A constant has its ``array``, and tensors only for the shapes that somebody reads.
    """

    type: TensorType
    tensors: dict[Shape, int] = field(default_factory=dict)
    array: Array | None = None

    @property
    def shape(self) -> Shape:
        """The shape under which the elements were made."""
        if self.array is not None:
            return tuple(self.array.shape)
        return next(iter(self.tensors))


@dataclass(eq=False)
class Value:
    """A tensor as MNN means it: ``shape`` is in the order of ``format``.

    ``constant`` is set where the value is known while the model is loaded.
    """

    name: str
    shape: Shape
    type: TensorType
    format: Format
    constant: Array | None = None
    quant: Quant | None = None
    held: dict[Key, Bytes] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def has_two_layouts(self) -> bool:
        """Whether moving the channels to the end changes the shape."""
        return self.format is not Format.NHWC and self.rank > 2

    def layout(self, wanted: Layout) -> Layout:
        """``wanted``, or the only layout that there is."""
        return wanted if self.has_two_layouts else Layout.PLAIN

    def physical(self, layout: Layout) -> Shape:
        """The shape in memory."""
        return tuple(self.shape[axis] for axis in self.order(layout))

    def order(self, layout: Layout) -> tuple[int, ...]:
        """Which axis of ``shape`` each axis in memory is."""
        axes = tuple(range(self.rank))
        if self.layout(layout) is Layout.PLAIN:
            return axes
        return (0, *axes[2:], 1)

    @property
    def key(self) -> Key:
        """How the value is there already; plain for a constant."""
        return next(iter(self.held), Key(Layout.PLAIN))


class Graph:
    """Builds the model; the methods that operators' mappings call."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.builder = ModelBuilder()
        self.values: dict[int, Value] = {}
        self.types: list[TensorType] = []
        self.shapes: list[Shape] = []
        #: For every operator of the model: the operator of the net that it comes from.
        self.origins: list[int] = []
        self._op = 0
        self._foldable = _FOLDED_MULTIPLE * net.nbytes + _FOLDED_SLACK
        self._constants: dict[tuple[Any, ...], int] = {}

    # -- values

    def enter(self, op: Op) -> None:
        """What is emitted next comes from ``op``."""
        self._op = op.index

    def input(self, op: Op, place: int = 0) -> Value:
        """The value of an operator's input."""
        if place >= len(op.inputs):
            self.fail(op, f"expected at least {place + 1} inputs, got {len(op.inputs)}")
        found = self.values.get(op.inputs[place])
        if found is None:
            name = self.net.tensor_names[op.inputs[place]]
            self.fail(op, f"tensor {name!r} is used before any operator has computed it")
        return found

    def inputs(self, op: Op) -> list[Value]:
        """The values of all inputs."""
        return [self.input(op, place) for place in range(len(op.inputs))]

    def known(self, op: Op, place: int) -> Array:
        """An input whose value must be known now, because shapes depend on it."""
        value = self.input(op, place)
        if value.constant is None:
            self.fail(
                op,
                f"input {place} ({value.name!r}) decides on shapes and must be a constant or "
                "follow from the shapes of inputs; here it depends on their data",
            )
        return value.constant

    def output(
        self,
        op: Op,
        shape: Sequence[int],
        like: Value | None = None,
        *,
        place: int = 0,
        type: TensorType | None = None,  # noqa: A002 - the schema's name
        format: Format | None = None,  # noqa: A002 - MNN's name
    ) -> Value:
        """Define an operator's output; type and format are those of ``like`` if not given."""
        if place >= len(op.outputs):
            self.fail(op, f"expected at least {place + 1} outputs, got {len(op.outputs)}")
        if type is None:
            type = like.type if like else TensorType.FLOAT32  # noqa: A001
        if format is None:
            format = like.format if like else op.format  # noqa: A001
        index = op.outputs[place]
        if index in self.values:
            self.fail(op, f"tensor {self.net.tensor_names[index]!r} is computed twice")
        self._check_shape(op, shape)
        value = Value(
            self.net.tensor_names[index],
            tuple(int(n) for n in shape),
            type,
            format,
            quant=self.net.quants.get(index),
        )
        self.values[index] = value
        return value

    def folds(self, y: Value, *values: Value) -> bool:
        """Whether ``y`` is to be computed now: its inputs are known, and it is not too large."""
        if any(value.constant is None for value in values):
            return False
        self._foldable -= y.size * y.type.dtype.itemsize
        return self._foldable >= 0

    def _check_shape(self, op: Op, shape: Sequence[int]) -> None:
        sizes = [int(n) for n in shape]
        if len(sizes) > MAX_RANK or min(sizes, default=0) < 0:
            self.fail(op, f"expected at most {MAX_RANK} dimensions of 0 or more, got {sizes}")
        if 4 * prod(max(n, 1) for n in sizes) > MAX_TENSOR_BYTES:
            self.fail(op, f"expected a tensor of at most {MAX_TENSOR_BYTES} bytes, got {sizes}")

    def share(self, value: Value, source: Value, layout: Layout, of: Layout) -> None:
        """``value`` in ``layout`` has the elements that ``source`` has in layout ``of``.

        For reshaping and renaming, which move nothing.
        """
        layout, of = value.layout(layout), source.layout(of)
        if source.constant is not None and self.folds(value, source):
            array = source.constant.transpose(source.order(of))
            back = np.argsort(value.order(layout))
            value.constant = array.reshape(value.physical(layout)).transpose(back)
            return
        value.held[Key(layout)] = self.bytes(source, Key(of))

    # -- what holds a value

    def tensor(self, value: Value, layout: Layout = Layout.PLAIN) -> int:
        """The Arenite tensor that holds ``value``, with the shape that it has in ``layout``."""
        layout = value.layout(layout)
        return self.shaped(self.bytes(value, Key(layout)), value.physical(layout), value.name)

    def bytes(self, value: Value, key: Key) -> Bytes:
        """What holds ``value`` in some order; made if it is not there yet."""
        key = key._replace(layout=value.layout(key.layout))
        if key not in value.held:
            value.held[key] = self._made(value, key)
        return value.held[key]

    def _made(self, value: Value, key: Key) -> Bytes:
        if value.constant is not None:
            array = np.asarray(value.constant.transpose(value.order(key.layout)), order="C")
            return Bytes(value.type, array=array)
        other = next(iter(value.held))
        source = value.held[other]
        if value.shape[1] == 1 or prod(value.shape[2:]) == 1:
            return source
        order = value.order(key.layout)
        former = value.order(other.layout)
        perm = tuple(former.index(axis) for axis in order)
        index = self.shaped(source, value.physical(other.layout), value.name)
        return self.permuted(index, perm, f"{value.name} ({key.layout.value})")

    def shaped(self, held: Bytes, shape: Shape, name: str) -> int:
        """The tensor that holds these elements under ``shape``; reshaped if there is none."""
        if shape not in held.tensors:
            if held.array is not None:
                held.tensors[shape] = self.constant(held.array.reshape(shape), name)
            else:
                source = next(iter(held.tensors.values()))
                target = self.temporary(shape, held.type, name)
                self.emit("RESHAPE", [source], [target], ReshapeOptions(shape))
                held.tensors[shape] = target
        return held.tensors[shape]

    def permuted(self, index: int, perm: tuple[int, ...], name: str) -> Bytes:
        """The tensor with its axes in another order."""
        shape, type_ = self.shapes[index], self.types[index]
        target_shape = tuple(shape[axis] for axis in perm)
        target = self.temporary(target_shape, type_, name)
        if len(perm) <= 5 and type_ in _TRANSPOSED:
            order = self.constant(np.array(perm, np.int32), "perm")
            self.emit("TRANSPOSE", [index, order], [target], TransposeOptions())
        else:
            strides = np.cumprod([1, *shape[:0:-1]])[::-1]
            region = Region.whole(target_shape, [int(strides[axis]) for axis in perm])
            self.emit("MNN_RASTER", [index], [target], MnnRasterOptions((region,)))
        return Bytes(type_, {target_shape: target})

    def new(self, value: Value, layout: Layout = Layout.PLAIN, shape: Shape | None = None) -> int:
        """A tensor for an operator to write ``value`` to; ``shape`` if not that of ``layout``."""
        layout = value.layout(layout)
        shape = value.physical(layout) if shape is None else shape
        index = self.temporary(shape, value.type, value.name)
        value.held[Key(layout)] = Bytes(value.type, {shape: index})
        return index

    # -- Arenite's tensors and operators

    def temporary(self, shape: Shape, type_: TensorType, name: str) -> int:
        """A tensor that an operator writes."""
        self.shapes.append(shape)
        self.types.append(type_)
        return self.builder.tensor(name, shape, type_)

    def constant(
        self, array: Array, name: str, *, scale: Any = None, quantized_dimension: int = 0
    ) -> int:
        """A constant tensor; small ones of equal value are one."""
        array = np.asarray(array, order="C")
        key = (array.dtype.str, array.shape, array.tobytes() if array.size <= 64 else id(array))
        if scale is None and key in self._constants:
            return self._constants[key]
        self.shapes.append(tuple(array.shape))
        self.types.append(TensorType.of(array.dtype))
        index = self.builder.constant(
            name, array, scale=scale, quantized_dimension=quantized_dimension
        )
        if scale is None and array.size <= 64:
            self._constants[key] = index
        return index

    def emit(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: OptionsTable | None = None,
    ) -> None:
        """Add an operator to the model."""
        custom = b"" if name.startswith("MNN_") else None
        self.builder.operator(name, inputs, outputs, options, custom_options=custom)
        self.origins.append(self._op)

    # -- errors

    def fail(self, op: Op, message: str, where: str = "") -> NoReturn:
        """Raise ``ModelError`` at an operator."""
        name = f" {op.name!r}" if op.name else ""
        self.net.fail(f"{op.type_name}{name}: {message}", op.path + where)


_TRANSPOSED = (TensorType.FLOAT32, TensorType.INT8, TensorType.INT16)

__all__ = ["Bytes", "Graph", "Key", "Layout", "ModelError", "Value"]
