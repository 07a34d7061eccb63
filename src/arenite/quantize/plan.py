"""The plan of a quantisation: operators that become integers, and every tensor's scale.

All that is true of one operator comes from its scheme (:mod:`arenite.ops.scheme`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from arenite.model import Model, Operator, Quantization, Subgraph, TensorType
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.ops import scheme_of
from arenite.ops.scheme import Scheme
from arenite.quantize.numbers import affine, single
from arenite.quantize.poles import float_near_poles

#: How far beyond a prescribed range values may be that share its scale, in steps.
_STEPS_BEYOND = 0.5
#: Real values from and to.
Range = tuple[float, float]


@dataclass(frozen=True)
class Precision:
    """The types of an operator's values and weights; float32 where it stays as it is.

    ``spares``: weights have one scale for all where that takes less of the arena.
    """

    values: TensorType = INT8
    weights: TensorType = INT8
    spares: bool = False

    def __str__(self) -> str:
        names = {(INT8, INT8): "int8", (INT16, INT8): "16x8", (FLOAT32, INT8): "float32"}
        name = names.get((self.values, self.weights), f"{self.weights} weights")
        return f"{name}, one scale" if self.spares and self != FLOAT else name


FLOAT = Precision(FLOAT32)


@dataclass(frozen=True, eq=False)
class Plan:
    """Plan for every operator and tensor of a model's main subgraph.

    Attributes:
        precisions: Of every operator, by position.
        reasons: Why an operator stays float, by position.
        groups: The tensor that stands for all that share a tensor's scale, by index.
        ranges: Real values of every such group.
        fixed: Tensors whose quantisation is prescribed and not the group's, by index and type.
        prescribed: Groups that take what is prescribed for one of them, likewise.
    """

    precisions: Mapping[int, Precision]
    reasons: Mapping[int, str]
    groups: Mapping[int, int]
    ranges: Mapping[int, Range]
    fixed: Mapping[tuple[int, TensorType], Quantization] = field(default_factory=dict)
    prescribed: Mapping[tuple[int, TensorType], Quantization] = field(default_factory=dict)

    def required(self, tensor: int, kind: TensorType) -> Quantization | None:
        """The quantisation that operators which read a tensor expect of it."""
        if kind is FLOAT32:
            return None
        group = self.groups.get(tensor, tensor)
        found = self.prescribed.get((group, kind))
        return affine(*self.ranges[group], kind) if found is None else found

    def made(self, tensor: int, kind: TensorType) -> Quantization | None:
        """The quantisation that the operator gives it which writes it."""
        found = self.fixed.get((tensor, kind))
        return self.required(tensor, kind) if found is None else found


def plan_of(
    model: Model,
    ranges: Mapping[int, Range],
    wanted: Mapping[int, Precision],
    keep_float: Mapping[int, str],
    ends: Mapping[int, Range] | None = None,
) -> Plan:
    """The plan for a float model.

    Args:
        model: The model; its main subgraph is quantised.
        ranges: Real values of all computed float tensors, by index.
        wanted: Precision of every operator, by position.
        keep_float: Operators that stay float, and why.
        ends: The least and the largest value that was seen, by index; by default the ranges' ends.
    """
    main = model.main
    precisions: dict[int, Precision] = {}
    reasons: dict[int, str] = {}
    for position, op in enumerate(main.operators):
        if not has_floats(main, op):
            continue
        found, reason = _precision(main, op, wanted[position], keep_float.get(position, ""))
        precisions[position] = found
        if reason:
            reasons[position] = reason
    _whole_variables(model, precisions, reasons)
    groups = _groups(main, precisions)
    own = _ranges(main, ranges, groups)
    shared = {i: own.get(groups.get(i, i), (0.0, 0.0)) for i in range(len(main.tensors))}
    poles = _poles(main, ends or ranges, shared, precisions)
    if poles:
        precisions |= dict.fromkeys(poles, FLOAT)
        reasons |= poles
        _whole_variables(model, precisions, reasons)
        groups = _groups(main, precisions)
        own = _ranges(main, ranges, groups)
    plan = Plan(precisions, reasons, groups, own)
    return _with_fixed(main, plan, ranges)


def _poles(
    main: Subgraph,
    ranges: Mapping[int, Range],
    shared: Mapping[int, Range],
    precisions: Mapping[int, Precision],
) -> dict[int, str]:
    """Operators that would be integers, and stay float for a pole's sake."""
    kinds = {position: one.values for position, one in precisions.items()}
    found = float_near_poles(main, ranges, shared, kinds)
    return {n: why for n, why in found.items() if precisions.get(n, FLOAT) != FLOAT}


def has_floats(main: Subgraph, op: Operator) -> bool:
    """Whether an operator reads or writes float32."""
    return any(i >= 0 and main.tensors[i].type is FLOAT32 for i in (*op.inputs, *op.outputs))


def _precision(main: Subgraph, op: Operator, wanted: Precision, kept: str) -> tuple[Precision, str]:
    """Precision of an operator, of that which is wanted, and why not more."""
    if kept:
        return FLOAT, kept
    scheme = scheme_of(op.name)
    if scheme is None:
        return FLOAT, f"no integer kernel of TFLM does {op.name}"
    if wanted.values is FLOAT32:
        return FLOAT, "asked for"
    activation = getattr(op.options, "fused_activation_function", 0)
    if scheme.activations is not None and activation not in scheme.activations:
        return FLOAT, f"TFLM's integer kernel does not do its activation ({activation})"
    for index, _ in constants_of(scheme, op):
        if not main.tensors[op.inputs[index]].is_constant:
            return FLOAT, f"input {index} would have to be a constant, and is computed"
    values = wanted.values if wanted.values in scheme.types else scheme.types[0]
    weights = wanted.weights
    if values is INT16 or any(weights not in w.types for w in scheme.weights.values()):
        weights = INT8
    return Precision(values, weights, wanted.spares), ""


def constants_of(scheme: Scheme, op: Operator) -> Iterator[tuple[int, bool]]:
    """Inputs of an operator that are there and have to be constants; whether it is a bias."""
    for index in (*scheme.weights, *scheme.biases):
        if index < len(op.inputs) and op.inputs[index] >= 0:
            yield index, index in scheme.biases


def values_of(main: Subgraph, op: Operator, scheme: Scheme) -> list[int]:
    """An operator's float inputs that are values, as indices of tensors."""
    return [
        tensor
        for index, tensor in enumerate(op.inputs)
        if tensor >= 0 and scheme.is_value(index) and main.tensors[tensor].type is FLOAT32
    ]


def _results_of(main: Subgraph, op: Operator) -> list[int]:
    return [tensor for tensor in op.outputs if main.tensors[tensor].type is FLOAT32]


# -- variables ---------------------------------------------------------------------------


def handle_of(main: Subgraph, op: Operator) -> object:
    """Name of the variable that an operator reads or writes: its handle's maker's options."""
    handle = op.inputs[0]
    maker = next((one for one in main.operators if handle in one.outputs), None)
    return handle if maker is None or maker.options is None else repr(maker.options)


def _variables_of(subgraph: Subgraph) -> set[object]:
    """The variables that a subgraph reads or writes, by name; numbers where it does not say."""
    schemes = ((op, scheme_of(op.name)) for op in subgraph.operators)
    return {handle_of(subgraph, op) for op, scheme in schemes if scheme and scheme.alike}


def _whole_variables(
    model: Model, precisions: dict[int, Precision], reasons: dict[int, str]
) -> None:
    """All that read or write one variable have one type: the widest, which float is.

    Other subgraphs stay as they are, and so do the variables that they use.
    """
    main = model.main
    elsewhere = {name for other in model.subgraphs[1:] for name in _variables_of(other)}
    is_unclear = any(isinstance(name, int) for name in elsewhere)
    users: defaultdict[object, list[int]] = defaultdict(list)
    for position, op in enumerate(main.operators):
        scheme = scheme_of(op.name)
        if position in precisions and scheme is not None and scheme.alike:
            users[handle_of(main, op)].append(position)
    for name, positions in users.items():
        if is_unclear or name in elsewhere:
            precisions |= dict.fromkeys(positions, FLOAT)
            reasons |= dict.fromkeys(positions, "another subgraph uses the variable")
            continue
        widest = max((precisions[n] for n in positions), key=_width)
        for position in positions:
            if precisions[position] != widest and widest == FLOAT:
                reasons[position] = "another operator has the variable as float"
            precisions[position] = widest


def _width(precision: Precision) -> int:
    return precision.values.bits


# -- groups ------------------------------------------------------------------------------


def _groups(main: Subgraph, precisions: Mapping[int, Precision]) -> dict[int, int]:
    """The tensor that stands for another: ties of all operators that become integers."""
    parents: dict[object, object] = {}

    def root(one: object) -> object:
        while parents.setdefault(one, one) != one:
            one = parents[one]
        return one

    for position, op in enumerate(main.operators):
        scheme = scheme_of(op.name)
        if scheme is None or precisions.get(position, FLOAT) == FLOAT:
            continue
        for tied in _ties(main, op, scheme):
            for other in tied[1:]:
                parents[root(other)] = root(tied[0])
    members: defaultdict[object, list[int]] = defaultdict(list)
    for one in parents:
        if isinstance(one, int):
            members[root(one)].append(one)
    return {one: min(group) for group in members.values() for one in group}


def _ties(main: Subgraph, op: Operator, scheme: Scheme) -> Iterator[list[object]]:
    """Tensors that an operator wants to share a scale."""
    inputs, outputs = values_of(main, op, scheme), _results_of(main, op)
    if scheme.scales == "same":
        handle = [("variable", handle_of(main, op))] if scheme.alike else []
        yield [*inputs, *outputs, *handle]
    elif scheme.scales == "inputs":
        yield list(inputs)
    for index, state in scheme.states.items():
        if state.like is not None:
            yield [op.outputs[state.like], op.inputs[index]]


def _ranges(
    main: Subgraph, ranges: Mapping[int, Range], groups: Mapping[int, int]
) -> dict[int, Range]:
    """Every group's values: from the least to the largest of its tensors."""
    found: dict[int, Range] = {}
    for index in range(len(main.tensors)):
        own = range_of(main, index, ranges)
        if own is None:
            continue
        group = groups.get(index, index)
        low, high = found.get(group, own)
        found[group] = min(low, own[0]), max(high, own[1])
    return found


def range_of(main: Subgraph, index: int, ranges: Mapping[int, Range]) -> Range | None:
    """A float tensor's values: a constant's own, or those that were seen."""
    tensor = main.tensors[index]
    if tensor.type is not FLOAT32:
        return None
    if tensor.is_constant and not tensor.is_variable:
        value = tensor.value
        assert value is not None
        return (float(value.min()), float(value.max())) if value.size else (0.0, 0.0)
    return ranges.get(index, (0.0, 0.0))


def _with_fixed(main: Subgraph, plan: Plan, ranges: Mapping[int, Range]) -> Plan:
    """The plan with what kernels prescribe.

    Where one prescription serves all of a group, the group takes it; else the tensor alone has
    it, and whoever reads it as one of the group gets it converted.
    """
    fixed: dict[tuple[int, TensorType], Quantization] = {}
    for position, op in enumerate(main.operators):
        scheme = scheme_of(op.name)
        precision = plan.precisions.get(position, FLOAT)
        if scheme is None or precision == FLOAT or not scheme.fixed:
            continue
        for tensor in _results_of(main, op):
            for kind, stated in scheme.fixed.items():
                fixed[tensor, kind] = single(stated.scale, stated.zero_point)
    prescribed = {}
    for (tensor, kind), one in fixed.items():
        group = plan.groups.get(tensor, tensor)
        members = {group, *(t for t, g in plan.groups.items() if g == group)}
        others = [fixed.get((t, kind)) for t in members]
        own = [range_of(main, t, ranges) for t in members if (t, kind) not in fixed]
        agrees = all(other is None or _is_same(other, one) for other in others)
        if agrees and all(values is None or _holds(one, kind, values) for values in own):
            prescribed[group, kind] = one
    return replace(plan, fixed=fixed, prescribed=prescribed)


def _is_same(a: Quantization, b: Quantization) -> bool:
    return bool(a.scale[0] == b.scale[0] and a.zero_point[0] == b.zero_point[0])


def _holds(quantization: Quantization, kind: TensorType, values: Range) -> bool:
    """Whether integers reach all values, to within half a step."""
    scale, zero = float(quantization.scale[0]), int(quantization.zero_point[0])
    limits = np.iinfo(kind.dtype)
    low, high = (scale * (end - zero) for end in (limits.min, limits.max))
    beyond = _STEPS_BEYOND * scale
    return low - beyond <= values[0] and values[1] <= high + beyond
