"""A net on its way to a :class:`Model`: MNN's tensors, and the Arenite tensors that hold them.

MNN thinks in NCHW, packed by four channels or not, and in NHWC; Arenite's kernels read NHWC.
So a :class:`Value` is what MNN means by a tensor, and :class:`Bytes` are Arenite tensors that
hold its elements in one order, under one shape or several. Operators ask for the order that
they read; a conversion is emitted where a value is first asked for in an order that nobody
has made yet, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from typing import Any, NoReturn

import numpy as np

from arenite.errors import ModelError
from arenite.mnn.file.enums import Format
from arenite.mnn.file.net import Net, Op, Shape
from arenite.mnn.lowering.values import (
    Bytes,
    Key,
    Layout,
    Steps,
    Value,
    same_numbers,
)
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.model import Array, ModelBuilder, OptionsTable, TensorType
from arenite.model.check import MAX_TENSOR_BYTES
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.transpose import TransposeOptions

#: Dimensions that MNN's tensors have at most (``MNN_MAX_TENSOR_DIM``).
MAX_RANK = 9
#: Bytes that values computed while loading may take: a multiple of the file's, and some more.
_FOLDED_MULTIPLE, _FOLDED_SLACK = 8, 1 << 16


class GraphBuilder:
    """Builds the model; the methods that operators' mappings call."""

    def __init__(self, net: Net, steps: Mapping[int, Steps] | None = None) -> None:
        self.net = net
        #: How MNN quantises tensors, by position.
        self.steps = steps or {}
        self.builder = ModelBuilder()
        self.values: dict[int, Value] = {}
        self.types: list[TensorType] = []
        self.shapes: list[Shape] = []
        self.scales: list[Steps | None] = []
        #: For every operator of the model: the operator of the net that it comes from.
        self.origins: list[int] = []
        self._op = 0
        self._foldable = _FOLDED_MULTIPLE * net.nbytes + _FOLDED_SLACK
        self._constants: dict[tuple[Any, ...], int] = {}

    # -- values

    def enter(self, op: Op) -> None:
        """Let what is emitted next come from ``op``."""
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

    def number(self, op: Op, place: int) -> int:
        """The first number of an input that must be known now."""
        numbers = self.known(op, place).reshape(-1)[:1]
        if not np.isfinite(numbers).all() or not len(numbers):
            self.fail(op, f"expected a number as input {place}, got {numbers.tolist()}")
        return int(numbers[0])

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
            steps=self.steps.get(index),
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
        steps = source.first.steps
        value.held[Key(layout, steps)] = self.bytes(source, Key(of, steps))

    # -- what holds a value

    def tensor(self, value: Value, layout: Layout = Layout.PLAIN) -> int:
        """The Arenite tensor that holds ``value``, with the shape that it has in ``layout``."""
        layout = value.layout(layout)
        return self.shaped(self.bytes(value, Key(layout)), value.physical(layout), value.name)

    def bytes(self, value: Value, key: Key) -> Bytes:
        """Tensor that holds ``value`` in some order; made if it is not there yet."""
        key = key._replace(layout=value.layout(key.layout))
        if key not in value.held:
            value.held[key] = self._made(value, key)
        return value.held[key]

    def _made(self, value: Value, key: Key) -> Bytes:
        if value.constant is not None:
            array = np.asarray(value.constant.transpose(value.order(key.layout)), order="C")
            if key.steps is None:
                return Bytes(value.type, array=array)
            return Bytes(TensorType.INT8, array=key.steps.quantized(array))
        alike = [other for other in value.held if same_numbers(other.steps, key.steps)]
        if not alike:
            return self._cast(value, key)
        other = alike[0]
        source = value.held[other]
        if other.layout == key.layout or value.shape[1] == 1 or prod(value.shape[2:]) == 1:
            return source
        former = value.order(other.layout)
        perm = tuple(former.index(axis) for axis in value.order(key.layout))
        index = self.shaped(source, value.physical(other.layout), value.name)
        return self.permuted(index, perm, f"{value.name} ({key.layout.value})")

    def _cast(self, value: Value, key: Key) -> Bytes:
        """Real numbers from quantised ones, or the other way, or from one scale to another."""
        real = Key(value.first.layout)
        if real not in value.held:
            held = value.held[value.first]
            value.held[real] = self._casted(value, held, None)
        if key.steps is not None:
            near = key._replace(layout=real.layout)
            value.held[near] = self._casted(value, value.held[real], key.steps)
        return self.bytes(value, key)

    def _casted(self, value: Value, held: Bytes, steps: Steps | None) -> Bytes:
        type_ = value.type if steps is None else TensorType.INT8
        source = self.shaped(held, held.shape, value.name)
        kind = "real" if steps is None else "quantised"
        target = self.temporary(held.shape, type_, f"{value.name} ({kind})", steps)
        if steps is None:
            self.emit("DEQUANTIZE", [source], [target])
        elif (steps.low, steps.high) == (-128, 127):
            self.emit("QUANTIZE", [source], [target])
        else:
            factor = float(np.float32(1) / np.float32(steps.scale))
            options = MnnFloatToInt8Options((factor,), float(steps.zero), steps.low, steps.high)
            self.emit("MNN_FLOAT_TO_INT8", [source], [target], options)
        return Bytes(type_, {held.shape: target})

    def real(self, value: Value) -> Value:
        """Real numbers of a value that is int8 without a scale."""
        made = replace(value, type=TensorType.FLOAT32, held={})
        if value.constant is not None:
            made.constant = value.constant.astype(np.float32)
            return made
        held = value.held[value.first]
        source = self.shaped(held, held.shape, value.name)
        target = self.new(made, value.first.layout, held.shape)
        options = CastOptions(int(TensorType.INT8), int(TensorType.FLOAT32))
        self.emit("CAST", [source], [target], options)
        return made

    @contextmanager
    def reading_int8(self, op: Op) -> Iterator[None]:
        """Meanwhile an operator's inputs are no more than int8 can say of them."""
        before = {index: self.values[index] for index in op.inputs if index in self.values}
        for index, value in before.items():
            if index in self.steps and value.constant is None:
                if value.type not in (TensorType.FLOAT32, TensorType.INT8):
                    self.fail(op, f"int8 stands for real numbers, not for {value.type}")
                key = value.first._replace(steps=self.steps[index])
                self.values[index] = replace(value, held={key: self.bytes(value, key)})
        try:
            yield
        finally:
            self.values.update(before)

    def quantize(self, value: Value) -> None:
        """Leave of a value only what int8 can say: its operator computes in int8."""
        if value.steps is None or value.constant is not None or value.first.steps is not None:
            return
        key = value.first._replace(steps=value.steps)
        value.held = {key: self.bytes(value, key)}

    def shaped(self, held: Bytes, shape: Shape, name: str) -> int:
        """The tensor that holds these elements under ``shape``; reshaped if there is none."""
        if shape not in held.tensors:
            if held.array is not None:
                held.tensors[shape] = self.constant(held.array.reshape(shape), name)
            else:
                source = next(iter(held.tensors.values()))
                target = self.temporary(shape, held.type, name, self.scales[source])
                self.emit("RESHAPE", [source], [target], ReshapeOptions(shape))
                held.tensors[shape] = target
        return held.tensors[shape]

    def permuted(self, index: int, perm: tuple[int, ...], name: str) -> Bytes:
        """The tensor with its axes in another order."""
        shape, type_ = self.shapes[index], self.types[index]
        target_shape = tuple(shape[axis] for axis in perm)
        target = self.temporary(target_shape, type_, name, self.scales[index])
        if len(perm) <= 5 and type_ in _TRANSPOSED:
            order = self.constant(np.array(perm, np.int32), "perm")
            self.emit("TRANSPOSE", [index, order], [target], TransposeOptions())
        else:
            strides = np.cumprod([1, *shape[:0:-1]])[::-1]
            region = Region.whole(target_shape, [int(strides[axis]) for axis in perm])
            self.emit("MNN_RASTER", [index], [target], MnnRasterOptions((region,)))
        return Bytes(type_, {target_shape: target})

    def new(
        self,
        value: Value,
        layout: Layout = Layout.PLAIN,
        shape: Shape | None = None,
        *,
        steps: Steps | None = None,
    ) -> int:
        """A tensor for an operator to write ``value`` to; ``shape`` if not that of ``layout``."""
        layout = value.layout(layout)
        shape = value.physical(layout) if shape is None else shape
        type_ = value.type if steps is None else TensorType.INT8
        index = self.temporary(shape, type_, value.name, steps)
        value.held[Key(layout, steps)] = Bytes(type_, {shape: index})
        return index

    # -- Arenite's tensors and operators

    def temporary(
        self, shape: Shape, type_: TensorType, name: str, steps: Steps | None = None
    ) -> int:
        """A tensor that an operator writes."""
        self.shapes.append(shape)
        self.types.append(type_)
        self.scales.append(steps)
        if steps is None:
            return self.builder.tensor(name, shape, type_)
        return self.builder.tensor(name, shape, type_, scale=steps.scale, zero_point=steps.zero)

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
        self.scales.append(None)
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

__all__ = ["Bytes", "GraphBuilder", "Key", "Layout", "ModelError", "Steps", "Value"]
