"""An operator's quantisation: stated in its own file, beside ``REGISTRATION``.

What quantises a float model asks for a scheme instead of listing names: an operator that states
its own is quantised, one that states none stays float. :func:`arenite.ops.registry.scheme_of` finds
it. Facts: TensorFlow Lite's quantisation specification ("LiteRT 8-bit quantization specification")
and what TFLM's kernels demand in ``Prepare``, which each operator's constraints say.

Tensors of float32 are values, all others (axes, shapes, indices) stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from arenite.model.types import INT8, INT16, INT64, TensorType

#: Which scales have to be equal. ``"free"``: none; ``"same"``: those of all values that go in and
#: come out, since they are moved and not computed; ``"inputs"``: those of all that go in.
Scales = Literal["free", "same", "inputs"]


#: See :attr:`Scheme.inner`.
Inner = Callable[[Sequence[Any], Any], Mapping[int, Any]]

#: ``x + c``, ``x - c``, ``x * c``, ``x / c``.
Affine = Literal["", "adds", "subtracts", "multiplies", "divides"]


class Weights(NamedTuple):
    """An input of constants with symmetric scales: zero points are 0.

    ``axis`` is where each slice has a scale of its own, None where there is one for all. ``types``
    are those that TFLM has kernels for with int8 activations; with int16 ones they are int8.
    ``per_tensor`` types have one scale whatever ``axis`` says. ``spares`` says that one scale for
    all takes less of the arena than one for each slice. ``columns`` is the axis along which the
    input's channels, its last dimension, lie.
    """

    axis: int | None = None
    types: tuple[TensorType, ...] = (INT8,)
    per_tensor: tuple[TensorType, ...] = ()
    spares: bool = False
    columns: int | None = None


class Bias(NamedTuple):
    """An input of constants that are added to sums: its scale is the product of two others'.

    ``wide`` is its type beside int16 activations; beside int8 ones it is int32.
    """

    values: int
    weights: int
    wide: TensorType = INT64


class State(NamedTuple):
    """An input that is a variable tensor.

    ``like`` is the output whose type and quantisation it has, None where its own values count;
    ``type`` is its type then, and ``power_of_two`` says that its scale is one.
    """

    like: int | None = None
    type: TensorType = INT16
    power_of_two: bool = False


class Pole(NamedTuple):
    """An input near whose zero results have no bound.

    ``steps`` are those that its values have to keep from zero for the integer kernel to be of use.
    The kernel refuses zero, or what is below it, when it comes.
    """

    place: int
    steps: int


class FixedQuantization(NamedTuple):
    """A scale and a zero point that the kernels prescribe."""

    scale: float
    zero_point: int = 0


@dataclass(frozen=True)
class Scheme:
    """The quantisation of one operator.

    Attributes:
        types: Types of values that TFLM has kernels for.
        scales: Which scales have to be equal.
        fixed: What the output's quantisation has to be, by type.
            weights: Inputs that are weights, by index.
        biases: Inputs that are biases, by index.
        states: Inputs that are variable tensors, by index.
        alike: Whether the values that several operators read and write under one handle have one
            quantisation, as those of a variable do; input 0 is the handle.
        inner: Values that a state takes within one inference, which nothing else sees: given the
            inputs' arrays before it and the options, arrays by index of the state.
        fused: The fused activation of another operator that does the same, 0 where there is none.
        activations: Fused activations that the integer kernels do; None where they do all that
            float ones do.
        pole: The input that it divides by, or takes a root of that it divides by; None without.
        exact: Whether it is of use on exact values alone, as a comparison for equality is.
        affine: What it does to its first input with a constant, which weights and bias of the
            operator before it can do as well.
    """

    types: tuple[TensorType, ...] = (INT8, INT16)
    scales: Scales = "free"
    fixed: Mapping[TensorType, FixedQuantization] = field(default_factory=dict)
    weights: Mapping[int, Weights] = field(default_factory=dict)
    biases: Mapping[int, Bias] = field(default_factory=dict)
    states: Mapping[int, State] = field(default_factory=dict)
    alike: bool = False
    inner: Inner | None = None
    fused: int = 0
    activations: tuple[int, ...] | None = None
    pole: Pole | None = None
    exact: bool = False
    affine: Affine = ""

    def is_value(self, index: int) -> bool:
        """Whether a float input is a value with a zero point of its own."""
        return index not in self.weights and index not in self.biases and index not in self.states


#: What most operators that only move values state.
MOVES = Scheme(scales="same")
MOVES_INT8 = Scheme(types=(INT8,), scales="same")
#: What operators state that compute values, with kernels for both types or for int8 alone.
COMPUTES = Scheme()
COMPUTES_INT8 = Scheme(types=(INT8,))
#: Logistic functions and softmax: results from 0 to 1.
UNIT_INTERVAL = {INT8: FixedQuantization(1 / 256, -128), INT16: FixedQuantization(1 / 32768)}
#: Results from -1 to 1.
BETWEEN_ONES = {INT8: FixedQuantization(1 / 128), INT16: FixedQuantization(1 / 32768)}
