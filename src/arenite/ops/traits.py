"""Nature of an operator, whatever its tensors: stated in its own file, beside ``REGISTRATION``.

Passes, streaming, reports and costs ask for a trait instead of listing names: a new operator that
states its own is served by all of them. :func:`arenite.ops.registry.traits_of` finds them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

#: How outputs follow from the inputs' values. ``"rising"``: each is one of the inputs' values or a
#: constant, or rises with all inputs; ``"corners"``: rises or falls with either of two inputs;
#: ``"function"``: a function of the value in its place; ``"sums"``: sums of products with weights.
Values = Literal["", "rising", "corners", "function", "sums"]
#: What becomes of channels, the last dimension. ``"same"``: each output channel comes from that
#: channel of the lone input; ``"broadcast"``: of two inputs that broadcast; ``"reduced"`` and
#: ``"padded"``: likewise, unless the axis is theirs. The others are rules of their own.
Channels = Literal[
    "",
    "same",
    "broadcast",
    "reduced",
    "padded",
    "concatenated",
    "split",
    "reshaped",
    "transposed",
    "convolved",
    "multiplied",
    "dense",
]
#: What an operator does besides computing outputs. ``"state"``: it remembers; ``"variables"``: it
#: reads or writes variables; ``"calls"``: it runs other subgraphs.
Effect = Literal["", "state", "variables", "calls"]
#: The class of its box in a report.
Drawn = Literal["other", "conv", "dense", "pool", "add", "shape", "call"]


class Saturation(NamedTuple):
    """Inputs beyond which an operator's output stays what it is, to within what 16 bits show.

    ``low`` and ``high`` are counted ``of`` zero, of the largest value of each row along the last
    axis, or of the largest value of all.
    """

    low: float
    high: float = math.inf
    of: Literal["zero", "row", "all"] = "zero"


@dataclass(frozen=True)
class Traits:
    """The nature of one operator. The defaults claim nothing.

    Attributes:
        values: How outputs follow from the inputs' values.
        channels: What becomes of channels.
        effect: What it does besides computing outputs.
        exact_on_floats: Floats are moved or rounded once: no build sums in another order.
        elementwise: An element of the output is made of the elements in its place alone.
        reshapes: The output is the input under another shape.
        tells_shape: The output is the input's shape, whatever the values are.
        clamps: It limits values, by constants or by its second input.
        fuses_clamp: It ends in an activation, which limits its results whatever they are.
        fixed_output: Scale and zero point of a quantised output are prescribed.
        runs_once: It does its work in the first inference and none in those after it.
        takes_decoded: Its kernels read its weights when they run, not before, so that TFLM_DECODE
            may have written them.
        converts: It changes type or quantisation alone.
        operands_are_placed: A compiler decided where its operands lie: they may share memory, and
            what nobody writes is memory for it to work in.
        compiled: Why what Vela compiles it to may have other bits than TFLM's kernel.
        saturation: Where its first input's values make no difference any more.
        product: The product that it is: of the input with itself, or with -1.
        drawn: The class of its box in a report.
    """

    values: Values = ""
    channels: Channels = ""
    effect: Effect = ""
    exact_on_floats: bool = False
    elementwise: bool = False
    reshapes: bool = False
    tells_shape: bool = False
    clamps: bool = False
    fuses_clamp: bool = False
    fixed_output: bool = False
    converts: bool = False
    takes_decoded: bool = False
    runs_once: bool = False
    operands_are_placed: bool = False
    compiled: str = ""
    saturation: Saturation | None = None
    product: Literal["", "squared", "negated"] = ""
    drawn: Drawn = "other"


#: Of operators that nobody has described: a user's own among them.
NO_TRAITS = Traits()
