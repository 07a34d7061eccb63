"""Kernels refuse what they cannot prove: parameters that do not go with the dimensions.

Each case takes a node that a kernel runs and changes one thing about it, which would lead the
kernel out of its memory: see ``csrc/engine/proof.h``.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arenite.model import Model, TensorType
from arenite.runtime.heap_host import HeapInterpreter
from tests.native.contract_models import MODELS

pytest.importorskip("arenite.native._engine")

from arenite.native.program import Program, available_isas
from arenite.native.tensors import ABSENT, NativeTensor


class Node:
    """What a kernel is measured with, to be changed: parameters, outputs and inputs."""

    def __init__(self, model: Model) -> None:
        interpreter = HeapInterpreter(model)
        interpreter.allocate_tensors()
        node = interpreter.prepare_operator(0)
        self.name, self.params = node.name, node.params
        self.outputs, self.inputs = (
            [ABSENT if i < 0 else _tensor(interpreter.eval_tensor(i)) for i in indices]
            for indices in (node.outputs, node.inputs)
        )
        states = interpreter._context.native_state() or []
        self.inputs += [NativeTensor(s, TensorType.UINT8, s.shape) for s in states]

    def is_taken(self, isa: str) -> bool:
        """Whether there is a kernel for it."""
        return Program(isa).add(self.name, self.params, self.outputs, self.inputs)

    def set(self, **fields: Any) -> None:
        """Change parameters; ``window__stride`` is a field of a field."""
        for name, value in fields.items():
            outer, _, inner = name.partition("__")
            changed = replace(getattr(self.params, outer), **{inner: value}) if inner else value
            self.params = replace(self.params, **{outer: changed})

    def shape(self, tensor: int, *shape: int) -> None:
        """Give tensor ``tensor`` (the output is 0) zeros of another shape."""
        tensors, index = (self.inputs, tensor - 1) if tensor else (self.outputs, 0)
        old = tensors[index]
        assert old.data is not None
        data = np.zeros(shape, old.data.dtype)
        data.flags.writeable = old.data.flags.writeable
        tensors[index] = old._replace(data=data, shape=shape)


def _tensor(tensor: Any) -> NativeTensor:
    return NativeTensor(tensor.data, int(tensor.type), tensor.shape)


def short(name: str) -> Callable[[Node], None]:
    """Leaves the last number of an array out."""
    return lambda node: node.set(**{name: getattr(node.params, name)[:-1]})


def reshaped(tensor: int, *shape: int) -> Callable[[Node], None]:
    """Gives a tensor another shape."""
    return lambda node: node.shape(tensor, *shape)


def other(**fields: Any) -> Callable[[Node], None]:
    """Changes parameters."""
    return lambda node: node.set(**fields)


def index(name: str, value: int) -> Callable[[Node], None]:
    """Puts a number into an array of positions."""

    def change(node: Node) -> None:
        outer, _, inner = name.partition("__")
        array = np.array(
            getattr(getattr(node.params, outer), inner) if inner else getattr(node.params, outer)
        )
        array.reshape(-1)[-1] = value
        node.set(**{name: array})

    return change


HUGE = 2**31 - 1

CASES: dict[str, list[Callable[[Node], None]]] = {
    "conv": [
        reshaped(0, 1, 4, 6, 4), reshaped(0, 1, 6, 6, 3),
        reshaped(1, 1, 6, 6, 2), reshaped(2, 4, 3, 3, 2), reshaped(2, 4, 1, 3, 3),
        reshaped(3, 3), short("multiplier"), short("shift"), other(groups=2), other(groups=0),
        other(window__output_size=(7, 6)), other(window__filter_size=(3, 5)),
        other(window__stride=(0, 1)), other(window__stride=(1, -1)),
        other(window__dilation=(0, 1)), other(window__dilation=(1, -HUGE)),
    ],
    "float conv": [reshaped(0, 1, 7, 7, 4), reshaped(3, 3)],
    "pointwise float conv": [reshaped(1, 1, 3, 12, 4), reshaped(0, 1, 8, 8, 4)],
    "depthwise": [
        reshaped(0, 1, 6, 6, 7), reshaped(1, 1, 6, 6, 9), reshaped(2, 1, 3, 3, 9),
        reshaped(2, 0, 3, 3, 8), reshaped(3, 7), short("multiplier"),
        other(window__dilation=(0, 0)), other(window__stride=(0, 1)), other(depth_multiplier=2),
    ],
    "float depthwise": [reshaped(2, 1, 2, 3, 8), reshaped(3, 7), reshaped(0, 2, 6, 6, 8)],
    "fully connected": [
        reshaped(0, 2, 5), reshaped(1, 1, 8), reshaped(2, 5, 8), reshaped(3, 3),
        short("multiplier"), short("shift"),
    ],
    "transpose conv": [
        reshaped(0, 1, 6, 6, 3), reshaped(2, 4, 3, 3, 2), reshaped(4, 3), short("multiplier"),
        other(stride=(0, 1)),
    ],
    "batch matmul": [reshaped(1, 2, 3, 5), reshaped(0, 2, 4, 3), other(accumulates_64_bits=True)],
    "pool": [reshaped(0, 1, 3, 3, 5), reshaped(1, 2, 6, 6, 4), other(window__output_size=(4, 3)),
             other(window__stride=(-1, 1))],
    "add": [reshaped(1, 2, 3), reshaped(0, 2, 5), other(left_shift=40), other(input1_shift=-40)],
    "comparison": [reshaped(1, 2, 3), reshaped(0, 2, 5), other(left_shift=40),
                   other(input1_shift=-40), other(input2_offset=HUGE)],
    "add n": [reshaped(0, 2, 5), reshaped(3, 2, 3), other(inputs=4), other(inputs=0),
              other(left_shift=-1), other(output_shift=-40)],
    "select": [reshaped(0, 2, 5), reshaped(1, 2, 3), reshaped(3, 3)],
    "broadcast to": [reshaped(0, 3, 3), reshaped(0, 1, 3), reshaped(1, 2, 2)],
    "softmax": [reshaped(0, 2, 5), short("exp_table")],
    "softmax int16": [short("exp_table"), short("reciprocal_table")],
    "log softmax": [reshaped(0, 2, 5), short("exp_table")],
    "logistic": [short("table"), reshaped(0, 2, 3)],
    "relu": [short("table"), reshaped(0, 2, 3)],
    "reshape": [other(nbytes=13), reshaped(0, 2, 2), reshaped(1, 2, 2)],
    "concatenation": [reshaped(1, 1, 3), reshaped(0, 4, 4), other(outer_size=HUGE),
                      other(parts=3), short("copy_sizes")],
    "split": [reshaped(2, 4, 2), other(parts=3), other(parts=0), other(outer_size=-1)],
    "split v": [reshaped(1, 4, 2), other(parts=3), other(parts=0), other(outer_size=-1)],
    "space to depth": [other(outer=3), other(run=HUGE, rows=HUGE), other(rows=-2, outer=-2),
                       reshaped(0, 1, 2, 3, 5)],
    "slice": [reshaped(2, 1), reshaped(3, 1)],
    "update slice": [reshaped(2, 5, 1), reshaped(2, 3), reshaped(3, 1), reshaped(0, 4, 5)],
    "reverse": [reshaped(2, 0), reshaped(2, 3), reshaped(0, 4, 5)],
    "mirror pad": [reshaped(2, 3), reshaped(0, 20), other(edge=2), other(edge=-1)],
    "space to batch": [reshaped(2, 1), reshaped(3, 3), reshaped(0, 4, 2, 2, 3),
                       reshaped(0, 4, 2, 4), reshaped(1, 1, 1, 4, 4, 2)],
    "batch to space": [reshaped(2, 1), reshaped(3, 3), reshaped(0, 1, 4, 4, 3)],
    "embedding lookup": [reshaped(0, 2, 4), reshaped(2, 0, 3), reshaped(1, 3)],
    "pad": [reshaped(1, 2, 2), reshaped(0, 3, 5), other(start=(-1, 1)), other(stop=(HUGE, 4)),
            other(output_shape=(-4, -5))],
    "strided slice": [other(start=(4, 0)), other(start=(-1, 0)), other(stride=(HUGE, 1)),
                      other(size=(2, -1)), reshaped(1, 2, 8), reshaped(0, 3, 2)],
    "transpose": [other(perm=(0, 0)), other(perm=(0, 2)), other(perm=(-1, 0)), reshaped(0, 2, 2)],
    "gather": [other(axis=2), other(batch_dims=2), reshaped(2, 4), reshaped(0, 2, 2)],
    "gather nd": [other(slice_size=4), other(slice_size=-3), reshaped(0, 2, 4)],
    "tile": [other(multiples=(HUGE, HUGE)), other(multiples=(-2, -2)), reshaped(0, 4, 5)],
    "mean": [reshaped(0, 3), other(axis_mask=1), reshaped(1, 3, 3)],
    "reduce max": [reshaped(0, 3), other(axis_mask=1), reshaped(1, 3, 3)],
    "cumsum": [other(axis=2), other(axis=-1), other(shift=40), reshaped(0, 2, 4)],
    "abs int16": [other(input_offset=HUGE), other(shift=-40), reshaped(0, 2, 3)],
    "abs": [short("table"), reshaped(0, 2, 3)],
    "rsqrt int16": [short("table_int16"), reshaped(0, 2, 3)],
    "sin": [reshaped(0, 2, 3)],
    "shape": [short("dims"), reshaped(0, 3)],
    "l2 normalization": [other(rounding=3), other(input_zero_point=HUGE), reshaped(0, 2, 3)],
    "l2 pool": [reshaped(0, 1, 3, 3, 5), reshaped(1, 2, 6, 6, 4), other(window__stride=(-1, 1))],
    "arg max": [other(axis=2), reshaped(0, 4)],
    "resize nearest": [index("rows", 4), index("rows", -1), short("columns"),
                       reshaped(1, 1, 2, 4, 1)],
    "resize bilinear": [index("rows__upper", 4), index("columns__lower", -1),
                        index("rows__fraction", HUGE), reshaped(0, 1, 9, 10, 1)],
    "svdf": [reshaped(1, 2, 3), reshaped(2, 3, 3), reshaped(3, 4, 2), reshaped(5, 1, 8),
             reshaped(0, 1, 3), other(rank=3), other(memory=0), other(batches=2)],
    "lstm": [reshaped(1, 1, 2, 4), reshaped(0, 1, 3, 4), other(steps=HUGE), other(units=4),
             other(batches=2), reshaped(19, 1, 2)],
    "raster": [index("pieces", HUGE), other(count=2), other(rank=-1), reshaped(0, 10)],
    "mnn conv": [short("start"), short("factor"), reshaped(0, 1, 6, 6, 5), other(groups=0),
                 other(groups=8), reshaped(2, 4, 3, 2, 3), other(activation_max=1e9)],
    "mnn resize": [index("rows", 9), index("columns", -1), index("row_weights", HUGE),
                   short("column_weights")],
    "mnn casts": [short("factors"), other(channels=0)],
    "detections": [reshaped(0, 1, 1, 4), reshaped(1, 1, 2, 4), reshaped(1, 1, 3, 3),
                   reshaped(2, 1, 4, 2), reshaped(3, 2, 4), other(first_class=2),
                   other(first_class=-1), other(max_detections=3), other(max_detections=0),
                   other(is_regular=False, classes_per_box=3),
                   other(is_regular=False, classes_per_box=0)],
    "delay": [reshaped(2, 9), other(rows=3), other(delay_length=400), other(frame_size=0)],
    "framer": [reshaped(3, 15), other(frame_size=9), other(frame_step=0), other(frames=HUGE),
               reshaped(0, 2, 2, 3)],
    "stacker": [reshaped(2, 23), other(repeats=3), other(step=4), other(num_channels=5),
                other(frames=HUGE)],
    "overlap add": [reshaped(2, 5), other(frame_step=4), other(frames=3), other(rows=2)],
    "spectral subtraction": [reshaped(2, 8), other(smoothing_bits=32), other(num_channels=4),
                             other(spectral_subtraction_bits=64)],
    "energy": [other(start=-1), other(end=5), other(start=5), reshaped(0, 2)],
    "filter bank": [other(num_channels=2), reshaped(4, 1), reshaped(0, 2)],
    "filter bank log": [short("bulges"), index("bulges", HUGE), reshaped(0, 3),
                        other(input_correction_bits=32)],
    "pcan": [reshaped(2, 3), other(snr_shift=64), reshaped(0, 5)],
    "window": [reshaped(2, 3), reshaped(2, 0), other(shift=32), other(shift=-1)],
    "rfft": [short("factors"), short("twiddles"), short("real_twiddles"), index("factors", 2),
             index("factors", 7), other(length=7), other(length=8), other(rows=2),
             other(input_size=13), other(output_size=13), other(type=2)],
    "irfft": [short("factors"), other(length=14), other(input_size=12), other(rows=0)],
    "decode": [reshaped(0, 2, 3), reshaped(0, 1, 3), short("decoded")],
    "circular buffer": [reshaped(0, 1, 3, 2, 3), reshaped(1, 1, 1, 1, 5), reshaped(2, 7),
                        other(slots=0), other(slots=5), other(depth=-1), other(depth=7)],
}  # fmt: skip

CHANGES = [
    pytest.param(name, change, id=f"{name}-{number}")
    for name, changes in CASES.items()
    for number, change in enumerate(changes)
]


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", CASES)
def test_a_kernel_takes_the_node_as_it_is(name: str, isa: str) -> None:
    assert Node(MODELS[name]()).is_taken(isa)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_no_kernel_takes_the_changed_node(
    name: str, change: Callable[[Node], None], isa: str
) -> None:
    node = Node(MODELS[name]())
    change(node)
    assert not node.is_taken(isa)
