"""A planned quantisation as a model: integers where the plan says so, conversions in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from arenite.model import (
    Model,
    Operator,
    Quantization,
    SignatureDef,
    Subgraph,
    Tensor,
    TensorType,
)
from arenite.model.model import Array, constant_bytes
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.model.types import FLOAT32, INT4, INT16
from arenite.ops import scheme_of
from arenite.ops.scheme import Bias, Scheme, State, Weights
from arenite.quantize.numbers import (
    affine,
    bias_of,
    packed_int4,
    quantized,
    roomy,
    single,
    symmetric,
)
from arenite.quantize.plan import FLOAT, Plan, Precision, has_floats


@dataclass(frozen=True, eq=False)
class Changes:
    """Decisions of passes on constants, which the plan does not know.

    Attributes:
        integers: Weights as integers, by operator's position.
        scales: Scales of weights, by operator's position.
        biases: Real biases in the place of the model's own, by operator's position.
    """

    integers: Mapping[int, Array] = field(default_factory=dict)
    scales: Mapping[int, Quantization] = field(default_factory=dict)
    biases: Mapping[int, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Written:
    """A quantised model.

    Attributes:
        model: The model.
        tensors: Where a float tensor's values are in it, by the float tensor's index.
        operators: Where an operator is in it, by its position in the float model.
    """

    model: Model
    tensors: Mapping[int, int]
    operators: Mapping[int, int]


def written(
    model: Model, plan: Plan, ports: tuple[TensorType, TensorType], changes: Changes | None = None
) -> Written:
    """The model that a plan describes.

    Args:
        model: The float model.
        plan: What becomes of it.
        ports: Types of float inputs and outputs; float32 leaves them as they are.
        changes: What passes have decided of constants.
    """
    writer = _Writer(model.main, plan, changes or Changes())
    for index in model.main.inputs:
        writer.add_input(index, ports[0])
    for position, op in enumerate(model.main.operators):
        writer.add(position, op)
    outputs = tuple(writer.output(index, ports[1]) for index in model.main.outputs)
    inputs = tuple(writer.homes[index] for index in model.main.inputs)
    main = replace(
        model.main,
        tensors=tuple(writer.tensors),
        operators=tuple(writer.operators),
        inputs=inputs,
        outputs=outputs,
    )
    ends = dict(zip((*model.main.inputs, *model.main.outputs), (*inputs, *outputs), strict=True))
    metadata = {k: v for k, v in model.metadata.items() if k != OFFLINE_METADATA}
    made = replace(
        model,
        subgraphs=(main, *model.subgraphs[1:]),
        signatures=_signatures(model, ends),
        metadata=metadata,
        nbytes=0,
    )
    return Written(made, writer.homes, writer.places)


def _signatures(model: Model, ends: Mapping[int, int]) -> tuple[SignatureDef, ...]:
    """Signatures with the new tensors of the main subgraph."""

    def moved(names: Mapping[str, int]) -> dict[str, int]:
        return {name: ends.get(index, index) for name, index in names.items()}

    return tuple(
        one if one.subgraph else replace(one, inputs=moved(one.inputs), outputs=moved(one.outputs))
        for one in model.signatures
    )


class _Writer:
    """Tensors and operators of the new subgraph, while it grows."""

    def __init__(self, main: Subgraph, plan: Plan, changes: Changes) -> None:
        self.tensors: list[Tensor] = []
        self.operators: list[Operator] = []
        #: Where a tensor's values are, as its writer made them.
        self.homes: dict[int, int] = {}
        self.places: dict[int, int] = {}
        self._main, self._plan, self._changes = main, plan, changes
        self._converted: dict[tuple[object, ...], int] = {}

    # -- tensors

    def _new(self, tensor: Tensor) -> int:
        self.tensors.append(replace(tensor, buffer=0))
        return len(self.tensors) - 1

    def _typed(self, index: int, kind: TensorType, quantization: Quantization | None) -> int:
        """A computed tensor in another type."""
        return self._new(
            replace(self._main.tensors[index], type=kind, quantization=quantization, data=None)
        )

    def _as_is(self, index: int) -> int:
        if index not in self.homes:
            self.homes[index] = self._new(self._main.tensors[index])
        return self.homes[index]

    def add_input(self, index: int, kind: TensorType) -> None:
        """An input of the model."""
        if self._main.tensors[index].type is not FLOAT32:
            self._as_is(index)
        elif index not in self.homes:
            self.homes[index] = self._typed(index, kind, self._plan.required(index, kind))

    def output(self, index: int, kind: TensorType) -> int:
        """An output of the model, converted where its type is another one."""
        home = self._as_is(index)
        if self._main.tensors[index].type is not FLOAT32 or self.tensors[home].type is kind:
            return home
        if kind is not FLOAT32 and self.tensors[home].type is not FLOAT32:
            return home  # int16 where int8 is the rule: a conversion would lose what it gained
        return self._value(index, kind, self._plan.made(index, kind))

    # -- operators

    def add(self, position: int, op: Operator) -> None:
        """An operator with what it reads and writes."""
        precision = self._plan.precisions.get(position, FLOAT)
        scheme = scheme_of(op.name)
        if precision == FLOAT or scheme is None or not has_floats(self._main, op):
            self._add_as_is(position, op)
            return
        inputs = [
            self._input(position, op, scheme, precision, index) for index in range(len(op.inputs))
        ]
        outputs = []
        for index in op.outputs:
            if self._main.tensors[index].type is FLOAT32:
                kind = precision.values
                self.homes[index] = self._typed(index, kind, self._plan.made(index, kind))
            outputs.append(self._as_is(index))
        made = replace(op, inputs=tuple(inputs), outputs=tuple(outputs), intermediates=())
        self._put(position, made)

    def _add_as_is(self, position: int, op: Operator) -> None:
        def given(index: int) -> int:
            if index < 0 or self._main.tensors[index].type is not FLOAT32:
                return index if index < 0 else self._as_is(index)
            if self._main.tensors[index].is_constant or self._main.tensors[index].is_variable:
                return self._constant_as_is(index)
            return self._value(index, FLOAT32, None)

        inputs = tuple(given(index) for index in op.inputs)
        inner = tuple(self._as_is(index) for index in op.intermediates)
        outputs = tuple(self._as_is(index) for index in op.outputs)
        self._put(position, replace(op, inputs=inputs, outputs=outputs, intermediates=inner))

    def _constant_as_is(self, index: int) -> int:
        key = (index, "float")
        if key not in self._converted:
            self._converted[key] = self._new(self._main.tensors[index])
        return self._converted[key]

    def _put(self, position: int, op: Operator) -> None:
        self.places[position] = len(self.operators)
        self.operators.append(op)

    # -- inputs

    def _input(
        self, position: int, op: Operator, scheme: Scheme, precision: Precision, index: int
    ) -> int:
        tensor = op.inputs[index]
        if tensor < 0:
            return -1
        if self._main.tensors[tensor].type is not FLOAT32:
            return self._as_is(tensor)
        if index in scheme.states:
            return self._state(op, tensor, scheme.states[index], precision)
        if index in scheme.weights:
            return self._weights(position, op, scheme, precision, index)
        if index in scheme.biases:
            return self._bias(position, op, scheme, precision, index)
        quantization = self._plan.required(tensor, precision.values)
        if self._main.tensors[tensor].is_constant:
            assert quantization is not None
            return self._constant(tensor, precision.values, quantization)
        value = self._value(tensor, precision.values, quantization)
        if scheme.pole is not None and index == scheme.pole.place:
            return self._kept_from_zero(
                value, *self._plan.ranges[self._plan.groups.get(tensor, tensor)]
            )
        return value

    def _kept_from_zero(self, home: int, low: float, high: float) -> int:
        """A tensor without the integer of zero, of which an operator's kernel makes an error.

        The samples kept away from it; what the device sees may not.
        """
        key = (home, "kept from zero")
        if key not in self._converted:
            there = self.tensors[home]
            assert there.quantization is not None
            name, step = ("MINIMUM", -1) if low < 0 >= high else ("MAXIMUM", 1)
            most = np.full((1,) * len(there.shape), there.quantization.zero_point[0] + step)
            raw = constant_bytes(most.astype(there.type.dtype))
            limit = self._new(replace(there, name=f"{there.name}_end", shape=most.shape, data=raw))
            new = self._new(replace(there, name=f"{there.name}_not_0"))
            self.operators.append(Operator(name, (home, limit), (new,)))
            self._converted[key] = new
        return self._converted[key]

    def _value(self, tensor: int, kind: TensorType, quantization: Quantization | None) -> int:
        """A computed tensor in a type and quantisation, converted where it is in others."""
        home = self._as_is(tensor)
        there = self.tensors[home]
        if there.type is kind and _same(there.quantization, quantization):
            return home
        key = (tensor, kind, _key(quantization))
        if key not in self._converted:
            new = self._typed(tensor, kind, quantization)
            self.tensors[new] = replace(self.tensors[new], name=f"{there.name}_{kind}")
            name = "DEQUANTIZE" if kind is FLOAT32 else "QUANTIZE"
            self.operators.append(Operator(name, (home,), (new,)))
            self._converted[key] = new
        return self._converted[key]

    def _constant(self, tensor: int, kind: TensorType, quantization: Quantization) -> int:
        key = (tensor, kind, _key(quantization))
        if key not in self._converted:
            old = self._main.tensors[tensor]
            assert old.value is not None
            raw = quantized(old.value, quantization, kind)
            self._converted[key] = self._new(
                replace(old, type=kind, quantization=quantization, data=constant_bytes(raw))
            )
        return self._converted[key]

    def _state(self, op: Operator, tensor: int, state: State, precision: Precision) -> int:
        kind = state.type if state.like is None else precision.values
        quantization = self.state_quantization(op, tensor, state, precision)
        self.homes[tensor] = self._typed(tensor, kind, quantization)
        return self.homes[tensor]

    def state_quantization(
        self, op: Operator, tensor: int, state: State, precision: Precision
    ) -> Quantization:
        """The quantisation of a variable tensor of an operator."""
        if state.like is not None:
            made = self._plan.made(op.outputs[state.like], precision.values)
            assert made is not None
            return made
        found = affine(*self._plan.ranges[self._plan.groups.get(tensor, tensor)], state.type)
        if not state.power_of_two:
            return found
        return single(2.0 ** np.ceil(np.log2(float(found.scale[0]) * (1 - 1e-6))))

    # -- weights and biases

    def _weights_of(
        self, position: int, op: Operator, scheme: Scheme, precision: Precision, index: int
    ) -> tuple[TensorType, Quantization]:
        """Type and scales of weights, with room for the bias that is added to their products."""
        stated: Weights = scheme.weights[index]
        kind = precision.weights if precision.weights in stated.types else stated.types[0]
        value = self._main.tensors[op.inputs[index]].value
        assert value is not None
        is_one = kind in stated.per_tensor or (precision.spares and stated.spares)
        axis = None if is_one else stated.axis
        found = self._changes.scales.get(position)
        if found is None or index != min(scheme.weights):
            found = symmetric(value, axis, kind)
        for place, bias in scheme.biases.items():
            if bias.weights == index and place < len(op.inputs) and op.inputs[place] >= 0:
                wide = bias.wide if precision.values is INT16 else TensorType.INT32
                real = self._bias_values(position, op, place)
                scale = self._scale(op, scheme, bias.values, precision)
                found = roomy(found, real, scale, wide)
        return kind, found

    def _weights(
        self, position: int, op: Operator, scheme: Scheme, precision: Precision, index: int
    ) -> int:
        kind, quantization = self._weights_of(position, op, scheme, precision, index)
        tensor = op.inputs[index]
        changed = self._changes.integers.get(position) if index == min(scheme.weights) else None
        key = (tensor, kind, _key(quantization), None if changed is None else position)
        if key not in self._converted:
            old = self._main.tensors[tensor]
            assert old.value is not None
            raw = quantized(old.value, quantization, kind) if changed is None else changed
            data = constant_bytes(packed_int4(raw) if kind is INT4 else raw)
            self._converted[key] = self._new(
                replace(old, type=kind, quantization=quantization, data=data)
            )
        return self._converted[key]

    def _scale(self, op: Operator, scheme: Scheme, index: int, precision: Precision) -> float:
        """The scale of an input's values."""
        tensor = op.inputs[index]
        if index in scheme.states:
            found = self.state_quantization(op, tensor, scheme.states[index], precision)
        else:
            required = self._plan.required(tensor, precision.values)
            assert required is not None
            found = required
        return float(found.scale[0])

    def _bias_values(self, position: int, op: Operator, index: int) -> Array:
        value = self._changes.biases.get(position)
        if value is None:
            value = self._main.tensors[op.inputs[index]].value
        assert value is not None
        return value

    def _bias(
        self, position: int, op: Operator, scheme: Scheme, precision: Precision, index: int
    ) -> int:
        stated: Bias = scheme.biases[index]
        wide = stated.wide if precision.values is INT16 else TensorType.INT32
        _, weights = self._weights_of(position, op, scheme, precision, stated.weights)
        values = self._bias_values(position, op, index)
        scale = self._scale(op, scheme, stated.values, precision)
        raw, quantization = bias_of(values, scale, weights, wide)
        old = self._main.tensors[op.inputs[index]]
        return self._new(
            replace(old, type=wide, quantization=quantization, data=constant_bytes(raw))
        )


def _key(quantization: Quantization | None) -> object:
    if quantization is None:
        return None
    return quantization.scale.tobytes(), quantization.zero_point.tobytes()


def _same(a: Quantization | None, b: Quantization | None) -> bool:
    return _key(a) == _key(b)
