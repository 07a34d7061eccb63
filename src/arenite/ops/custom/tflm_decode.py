"""TFLM_DECODE: constants of a compressed model, decompressed into tensors.

Inputs come in pairs, one for each output: codes, and what they mean, both constants. The second
begins with 16 bytes: kind (0 a table of values, 1 Huffman codes, 2 a mask of what was pruned),
version 1, and the kind's own; values or tables follow. All is decoded when the operator is
prepared, since constants stay what they are; what it costs the device is another matter. An
interpreter may have memory beside the arena for the outputs (`set_decompression_memory`).

Undefined in TFLM: codes, tables and values are not checked against their sizes, and what lies
behind them is read; here that is an error, but for Huffman codes: the bits behind the last symbol,
which are looked up with it, count as 0. Elements behind the last whole channel are not written;
here they are 0.

Facts: TFLM ``micro/kernels/decode.cc``, ``decode_state.{h,cc}``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.ops import Array, Context, Node, NodeView, Registration, Struct, TfLiteTensor
from arenite.ops.kernel_util import input_tensor, output_array, output_tensor
from arenite.ops.shared.decoding import (
    HEADER,
    Bytes,
    channels_of,
    has_zero_points,
    look_up,
    unhuffman,
    unprune,
)

LUT, HUFFMAN, PRUNE = range(3)
#: The table of virtual functions, the context and the profiler.
_BASE = ("pointer", "pointer", "pointer")
STATES = {
    LUT: Struct(
        "DecodeStateLut",
        (*_BASE, "pointer", *("size_t",) * 3, "pointer", "uint8", "uint8", "bool"),
    ),
    HUFFMAN: Struct(
        "DecodeStateHuffman", (*_BASE, "pointer", "size_t", "pointer", "bool", "uint8")
    ),
    PRUNE: Struct(
        "DecodeStatePrune",
        (*_BASE, "pointer", *("size_t",) * 3, "pointer", "pointer", "int8", "bool"),
    ),
}
DECODERS: dict[int, Callable[[Context, Bytes, Bytes, TfLiteTensor], Array]] = {
    LUT: look_up,
    HUFFMAN: unhuffman,
    PRUNE: unprune,
}


@dataclass(frozen=True)
class DecodeParams:
    """The bytes of all outputs, one behind the other."""

    decoded: npt.NDArray[np.int8]


def inputs_come_in_pairs(node: NodeView) -> bool:
    """There are outputs, and two inputs for each, which are constants of the model."""
    tensors = (*node.inputs, *node.outputs)
    if not node.outputs or len(node.inputs) != 2 * len(node.outputs):
        return False
    if any(tensor is None for tensor in tensors):
        return False
    return all(node.input(index).is_constant for index in range(len(node.inputs)))


def prepare(context: Context, node: Node) -> DecodeParams:
    """Decode everything."""
    pointers = len(node.outputs) * Struct("DecodeState*", ("pointer",)).size(context.abi)
    context.reserve_persistent_buffer(pointers, "DecodeState*")
    context.reset_decompression_memory()
    decoded = [_output(context, node, number) for number in range(len(node.outputs))]
    return DecodeParams(np.concatenate([part.reshape(-1).view(np.int8) for part in decoded]))


def _output(context: Context, node: Node, number: int) -> Array:
    """One output's values."""
    codes, meaning = (raw(input_tensor(context, node, 2 * number + i)) for i in range(2))
    output = output_tensor(context, node, number)
    if len(meaning) < HEADER:
        context.report_error(
            f"input {2 * number + 1}: expected at least {HEADER} bytes, got {len(meaning)}"
        )
    kind, version = int(meaning[0]), int(meaning[1])
    if version != 1 or (kind in DECODERS and meaning[4] != 1):
        context.report_error(
            f"input {2 * number + 1}: expected version 1 of kind {kind}, got {version} and "
            f"{meaning[4]}"
        )
    if kind not in DECODERS:
        context.report_error(
            f"input {2 * number + 1}: expected kind 0 (a table), 1 (Huffman) or 2 (pruned), "
            f"got {kind}"
        )
    context.reserve_persistent_buffer(STATES[kind].size(context.abi), STATES[kind].name)
    size = output.type.nbytes(output.size)
    if (memory := context.allocate_decompression_memory(size)) is not None:
        data = memory.view(output.type.dtype).reshape(output.shape)
        context.place_tensor(output.index, data)
    values = DECODERS[kind](context, codes, meaning, output)
    if kind == PRUNE and has_zero_points(channels := channels_of(context, output)):
        context.reserve_persistent_buffer(channels.number, "zero points")
    return values


def raw(tensor: TfLiteTensor) -> Bytes:
    """A constant's bytes, whatever its type."""
    assert tensor.data is not None
    return np.ascontiguousarray(tensor.data).reshape(-1).view(np.uint8)


def invoke(context: Context, node: Node) -> None:
    """Write the outputs."""
    params: DecodeParams = node.params
    decoded = params.decoded.view(np.uint8)
    for number in range(len(node.outputs)):
        out = output_array(context, node, number).reshape(-1).view(np.uint8)
        out[...] = decoded[: len(out)]
        decoded = decoded[len(out) :]


REGISTRATION = Registration(
    name="TFLM_DECODE",
    prepare=prepare,
    invoke=invoke,
    constraints=(inputs_come_in_pairs,),
)
