"""ethos-u: the layers that Vela compiled for an Ethos-U NPU, as one operator.

Inputs are the command stream and what it reads (weights, scales, tables), both constants; memory
to work in; fast memory, which is the same tensor where the NPU has none of its own; then the
layers' inputs. Those and the outputs lie inside the memory to work in, where the plan in the file
says: commands know no other addresses. Where tensors are no arena's, inputs are copied there before
commands run, and outputs from there. Custom options are the number 1.

Facts: TFLM ``micro/kernels/ethos_u/ethosu.cc``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from arenite.model.types import UINT8
from arenite.npu.operations import Program
from arenite.npu.reference import run
from arenite.npu.stream import StreamError, read_stream
from arenite.npu.verification.reader import read_program
from arenite.ops import Array, Context, Node, NodeView, Registration, Struct, TfLiteTensor, Traits
from arenite.ops.kernel_util import input_array, input_tensor, output_array

#: The stream's bytes, and the handles of the two buffers.
OP_DATA = Struct("OpData", ("int", "int", "int"))
#: Of the inputs.
STREAM, READ_ONLY, WORK, FAST, FIRST = range(5)
#: Custom options: the number 1 as a FlexBuffer.
_ETHOS_U = bytes([1, 4, 1])
#: Of a node's ``host``: who is told of what each operation stores, if anybody.
WATCH = "watch"
Bytes = npt.NDArray[np.uint8]


def operands_are_velas(node: NodeView) -> bool:
    """Inputs begin with a command stream, constants to read, and two tensors to work in.

    All four are uint8, the first two constants.
    """
    tensors = (*node.inputs, *node.outputs)
    if len(node.inputs) < FIRST or any(tensor is None for tensor in tensors):
        return False
    parts = [node.input(index) for index in range(FIRST)]
    if any(part.type is not UINT8 for part in parts):
        return False
    return all(part.is_constant or not part.size for part in parts[:WORK])


def init(context: Context, options: bytes) -> None:
    """Allocate TFLM's struct."""
    context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)


def prepare(context: Context, node: Node) -> None:
    """Ask for addresses and sizes of all operands, and check the NPU."""
    if not node.custom_options:
        context.report_error("expected custom options, got none")
    operands = len(node.inputs) + len(node.outputs)
    for field, purpose in (("uint64", "addresses for the NPU"), ("size_t", "sizes for the NPU")):
        size = operands * Struct(purpose, (field,)).size(context.abi)
        context.request_scratch_buffer_in_arena(size, purpose)
    _check_accelerator(context, input_tensor(context, node, STREAM))


def _check_accelerator(context: Context, stream: TfLiteTensor) -> None:
    """The target's NPU, if it names one, is the one that the stream was compiled for."""
    wanted = context.target.npu
    if not wanted or stream.data is None:
        return
    try:
        found = read_stream(stream.data).accelerator_text
    except StreamError as error:
        context.report_error(str(error))
    if found != wanted:
        context.report_error(f"expected commands for the target's {wanted}, got those for {found}")


def invoke(context: Context, node: Node) -> None:
    """Run the commands, which the first call verifies."""
    try:
        program = _program(context, node)
        memory = _memory(context, node, program)
        inputs, outputs = _apart(context, node, memory[1])
    except StreamError as error:
        context.report_error(str(error))
    for place, array in inputs:
        place[:] = array
    run(program, memory, node.host.get(WATCH))
    for place, array in outputs:
        array[:] = place


def spans(context: Context, node: Node, work: Bytes) -> Iterator[list[tuple[int, int]]]:
    """Where inputs, and where outputs lie in the memory to work in."""
    for arrays in _operands(context, node):
        begins = [_address(array) - _address(work) for array in arrays]
        yield [(b, b + array.nbytes) for b, array in zip(begins, arrays, strict=True)]


def _operands(context: Context, node: Node) -> tuple[list[Array], list[Array]]:
    inputs = [input_array(context, node, i) for i in range(FIRST, len(node.inputs))]
    return inputs, [output_array(context, node, i) for i in range(len(node.outputs))]


def verified(context: Context, node: Node) -> tuple[Program, dict[int, Bytes]]:
    """The stream's operations, read once, and its regions, among which all operands lie.

    Raises:
        StreamError: It is damaged, or for an NPU that is not computed, or operands lie elsewhere.
    """
    program = _program(context, node)
    memory = _memory(context, node, program)
    if any(_apart(context, node, memory[1])):
        raise StreamError("its operands lie beside its memory to work in")
    return program, memory


def _program(context: Context, node: Node) -> Program:
    program: Program | None = node.host.get("program")
    if program is None:
        program = node.host["program"] = _read(context, node)
    return program


def _read(context: Context, node: Node) -> Program:
    if node.custom_options != _ETHOS_U:
        raise StreamError(f"expected custom options 010401, got {node.custom_options.hex()}")
    stream, read_only, work, fast = (_bytes(context, node, index) for index in range(FIRST))
    own = None if node.inputs[FAST] == node.inputs[WORK] else len(fast)
    return read_program(read_stream(stream), read_only, len(work), own)


def _memory(context: Context, node: Node, program: Program) -> dict[int, Bytes]:
    """The stream's regions: fast memory is the NPU's own, where it is not memory to work in."""
    _, read_only, work, _ = (_bytes(context, node, index) for index in range(FIRST))
    if program.is_shared:
        return {0: read_only, 1: work, 2: work}
    fast = node.host.get("fast")
    if fast is None:
        fast = node.host["fast"] = np.zeros(program.sizes[2], np.uint8)
    return {0: read_only, 1: work, 2: fast}


def _apart(
    context: Context, node: Node, work: Bytes
) -> tuple[list[tuple[Bytes, Bytes]], list[tuple[Bytes, Bytes]]]:
    """Places of inputs and of outputs in memory to work in, and their bytes; none in an arena."""
    both = _operands(context, node)
    if all(_is_inside(array, work) for array in itertools.chain(*both)):
        return [], []
    begin = context.planned_offset(node.inputs[WORK])
    indices = node.inputs[FIRST:], node.outputs
    found = []
    for arrays, numbers in zip(both, indices, strict=True):
        offsets = map(context.planned_offset, numbers)
        found.append(
            [
                (_place(work, begin, offset, array.nbytes), array.reshape(-1).view(np.uint8))
                for array, offset in zip(arrays, offsets, strict=True)
            ]
        )
    return found[0], found[1]


def _place(work: Bytes, begin: int | None, offset: int | None, count: int) -> Bytes:
    """Bytes of an operand in the memory to work in."""
    if begin is None or offset is None or not 0 <= offset - begin <= len(work) - count:
        raise StreamError(
            "its inputs and outputs have to lie in its memory to work in, as the file's plan says: "
            "run it in an arena, without preserve_all_tensors"
        )
    return work[offset - begin :][:count]


def _bytes(context: Context, node: Node, index: int) -> Bytes:
    """An input's bytes."""
    return input_array(context, node, index).reshape(-1).view(np.uint8)


def _is_inside(array: Array, memory: Bytes) -> bool:
    begin, first = _address(array), _address(memory)
    return bool(first <= begin and begin + array.nbytes <= first + memory.nbytes)


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


TRAITS = Traits(operands_are_placed=True)
REGISTRATION = Registration(
    name="ethos-u",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(operands_are_velas,),
)
