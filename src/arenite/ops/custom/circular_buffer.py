"""CIRCULAR_BUFFER: the last inputs of a strided streaming model, one behind the other.

The output, a variable, moves by one slot and takes the input as its last. After that the inference
goes on in every `cycles_max`-th inference only; in all others it ends here, without an error: what
lies behind this operator does not run, and `invoke()` answers False. `reset` counts anew.
`cycles_max` is the first number of a FlexBuffer. Where it is missing or below 1, TensorFlow Lite
Micro guesses 1 or 2 from the output's shape; for one shape it counts such operators over all models
of the process, here those of an interpreter. An output that is no variable begins with what the
arena holds at its place, and loses what other tensors write there.

Facts: TFLM ``micro/kernels/circular_buffer.cc``, ``circular_buffer_common.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from arenite.model import flexbuffer
from arenite.model.types import INT8
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor

#: ``cycles_until_run`` and ``cycles_max``.
OP_DATA = Struct("OpDataCircularBuffer", ("int", "int"))
UNTIL_RUN, PERIOD = range(2)
#: By how many slots, or as which operator of its kind with slots of which size, TFLM knows the
#: last buffer of a model, behind which every inference goes on.
_EVERY_CYCLE = (5, 13, 25)
_LAST_OF, _LAST_SLOT = 5, (2, 96)

#: How many operators without a period were prepared since one that runs in every cycle.
_guessed: WeakKeyDictionary[Context, int] = WeakKeyDictionary()


@dataclass(frozen=True)
class CircularBufferParams:
    """The number of slots, and of a slot's elements."""

    slots: int
    depth: int


def shapes_match(node: c.NodeView) -> bool:
    """Input [n, 1, a, b] goes into a slot of output [n, slots, a, b], of at least 1 slot.

    Both have at least 4 dimensions, and none behind these is 0.
    """
    x, y = node.input(0).shape, node.output(0).shape
    if len(x) < 4 or len(y) < 4 or 0 in (*x[4:], *y[4:]):
        return False
    return (x[0], x[1], *x[2:4]) == (y[0], 1, *y[2:4]) and min(y[0], y[1]) >= 1


def init(context: Context, options: bytes) -> None:
    """Parse the period."""
    period = flexbuffer.vector(options).int32(0) if options else 0
    context.allocate_state(OP_DATA.size(context.abi), OP_DATA.name)
    _op_data(context)[PERIOD] = period


def prepare(context: Context, node: Node) -> CircularBufferParams:
    """Finish the period."""
    input_tensor(context, node, 0)
    output = output_tensor(context, node)
    if not output.is_variable:
        context.warn_undefined(
            f"output {output.name!r} is no variable: it begins with what the arena holds, and "
            "other tensors may take its memory"
        )
    _, slots, height, width = output.shape[:4]
    data = _op_data(context)
    if data[PERIOD] <= 0:
        data[PERIOD] = _guessed_period(context, slots, (height, width))
    data[UNTIL_RUN] = data[PERIOD]
    return CircularBufferParams(slots, height * width)


def _guessed_period(context: Context, slots: int, slot: tuple[int, int]) -> int:
    """1 or 2, by what TFLM knows of two models."""
    count = _guessed.get(context, 0) + 1
    runs_always = slots in _EVERY_CYCLE or (count == _LAST_OF and slot == _LAST_SLOT)
    _guessed[context] = 0 if runs_always else count
    return 1 if runs_always else 2


def invoke(context: Context, node: Node) -> None:
    """Take the input in, and end the inference unless it is time."""
    params: CircularBufferParams = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    size = params.slots * params.depth
    slots = out.reshape(-1)[:size].reshape(params.slots, params.depth)
    slots[:-1] = slots[1:]
    slots[-1] = x.reshape(-1)[: params.depth]
    data = _op_data(context)
    data[UNTIL_RUN] -= 1
    if data[UNTIL_RUN] != 0:
        context.abort()
    data[UNTIL_RUN] = data[PERIOD]


def reset(context: Context, user_data: None) -> None:
    """Count anew; the buffer is a variable, which the interpreter resets."""
    data = _op_data(context)
    data[UNTIL_RUN] = data[PERIOD]


def _op_data(context: Context) -> npt.NDArray[np.int32]:
    return context.state_buffers()[0].view(np.int32)


REGISTRATION = Registration(
    name="CIRCULAR_BUFFER",
    init=init,
    prepare=prepare,
    invoke=invoke,
    reset=reset,
    constraints=(
        *c.counts(1, 1),
        c.input_types(0, INT8),
        c.same_type(),
        shapes_match,
    ),
)
