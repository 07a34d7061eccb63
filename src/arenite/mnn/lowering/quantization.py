"""The operators of a quantised net that compute in int8, and their scales.

A net's tensors are real numbers all the same; some have a scale. An operator computes in int8
where its inputs and its output have one and MNN has a kernel for it; everywhere else the
numbers are made real again. Facts: MNN 3.6.1 ``core/Pipeline.cpp`` (propagation, casts),
``backend/cpu/CPUBackend.cpp`` (``_supportQuant``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from arenite.mnn.file.enums import OpType, UnaryKind
from arenite.mnn.file.net import Net, Op, Quant
from arenite.mnn.lowering.values import Steps

_INT8 = 6

#: Operators that leave numbers as they are, or pick some of them: MNN's Raster.
MOVING = frozenset(
    {
        *(OpType.BroadcastTo, OpType.Concat, OpType.ConvertTensor, OpType.Crop),
        *(OpType.DepthToSpace, OpType.ExpandDims, OpType.Flatten, OpType.Identity),
        *(OpType.Pack, OpType.Padding, OpType.Permute, OpType.Raster, OpType.Reshape),
        *(OpType.Slice, OpType.SliceTf, OpType.SpaceToDepth, OpType.Squeeze),
        *(OpType.StridedSlice, OpType.Tile, OpType.Transpose, OpType.Unpack),
        *(OpType.Unsqueeze,),
    }
)
#: Operators whose inputs' scale is their output's where that has none, and the other way.
PASSING = MOVING | {
    *(OpType.ReLU, OpType.ReLU6, OpType.Pooling, OpType.Pooling3D, OpType.Interp),
}
#: Inputs of moving operators that are numbers; the others are shapes. -1: all.
_NUMBERS = {OpType.Concat: -1, OpType.Pack: -1, OpType.Raster: -1}

#: Operators that take int8 without a scale as it is; for others it stands for whole numbers.
READING_INT8 = MOVING | {
    *(OpType.ConvInt8, OpType.DepthwiseConvInt8, OpType.Int8ToFloat, OpType.Cast),
    *(OpType.CastLike, OpType.Shape, OpType.Rank, OpType.Size, OpType.EltwiseInt8),
}

_CONVOLUTIONS = (
    *(OpType.Convolution, OpType.ConvolutionDepthwise),
    *(OpType.ConvInt8, OpType.DepthwiseConvInt8),
)
_ALWAYS = (OpType.BinaryOp, OpType.LayerNorm, OpType.PReLU, OpType.Scale, OpType.Softmax)
_UNARY = (UnaryKind.NEG, UnaryKind.ABS, UnaryKind.SIGN)


def scales(net: Net, ops: Iterable[Op]) -> dict[int, Steps]:
    """The tensors that have scales, by position: the file's, and those passed on."""
    found = {index: steps for index, quant in net.quants.items() if (steps := steps_of(quant))}
    if found:
        _propagate(found, list(ops))
    return found


def steps_of(quant: Quant) -> Steps | None:
    """A scale that int8 can have; None if the file's means something else."""
    if quant.type != _INT8 or not quant.scale > 0 or not -128 <= quant.zero <= 127:
        return None
    low, high = (int(min(max(bound, -128), 127)) for bound in (quant.min, quant.max))
    return Steps(quant.scale, int(quant.zero), low, high)


def computes_in_int8(op: Op, steps: Mapping[int, Steps]) -> bool:
    """Whether MNN's kernel for an operator reads and writes int8."""
    if not op.outputs or op.outputs[0] not in steps:
        return False
    inputs = op.inputs[:1] if op.type is OpType.Interp else op.inputs
    if not inputs or any(index not in steps for index in inputs):
        return False
    if op.type in _CONVOLUTIONS:
        return len(op.inputs) == 1 and op.main.get("weight") is None
    if op.type in (OpType.Pooling, OpType.Pooling3D):
        return steps[op.inputs[0]].equals(steps[op.outputs[0]])
    if op.type is OpType.UnaryOp:
        return op.main["opType"] in _UNARY or op.main["tableInt8"] is not None
    return op.type in _ALWAYS or op.type is OpType.Interp


# -- scales that are passed on ------------------------------------------------------------

Edges = dict[int, set[int]]


def _propagate(steps: dict[int, Steps], ops: list[Op]) -> None:
    """Give operators that pass scales on the scale of their input, or that of their output."""
    forward, backward = _edges(steps, ops)
    # Where several tensors wait for the scale of one, they do not pass theirs on.
    first, second = _roots(forward, backward), _roots(backward, forward)
    # As MNN has it: backwards only where nothing was to be done forwards, three times at most.
    for _ in range(3):
        if not (_spread(steps, forward, first) or _spread(steps, backward, second)):
            return


def _edges(steps: Mapping[int, Steps], ops: list[Op]) -> tuple[Edges, Edges]:
    """From inputs to outputs without a scale, and from outputs to inputs without one."""
    forward: Edges = {}
    backward: Edges = {}
    for op in ops:
        if op.type not in PASSING:
            continue
        inputs = op.inputs if _NUMBERS.get(op.type) else op.inputs[:1]
        if len(inputs) == 1:
            waiting = {index for index in op.outputs if index not in steps}
            forward.setdefault(inputs[0], set()).update(waiting)
        for output in op.outputs:
            missing = {index for index in inputs if index not in steps}
            backward.setdefault(output, set()).update(missing)
    return (
        {index: others for index, others in forward.items() if others},
        {index: others for index, others in backward.items() if others},
    )


def _roots(edges: Edges, others: Edges) -> set[int]:
    for waiting in list(others.values()):
        if len(waiting) > 1:
            for index in waiting:
                edges.pop(index, None)
    return set(edges) - {index for waiting in edges.values() for index in waiting}


def _spread(steps: dict[int, Steps], edges: Edges, start: Collection[int]) -> bool:
    """Pass scales on along the edges; whether any tensor has another one now."""
    changed = False
    waiting = [index for index in sorted(start) if index in steps]
    seen = set(waiting)
    while waiting:
        index = waiting.pop()
        for other in sorted(edges.get(index, ())):
            if steps.get(other) != steps[index]:
                steps[other] = steps[index]
                changed = True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return changed
