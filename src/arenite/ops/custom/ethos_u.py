"""ethos-u: the layers that Vela compiled for an Ethos-U NPU, as one operator.

Inputs are the command stream and what it reads (weights, scales, tables), both constants; memory
to work in; fast memory, which is the same tensor where the NPU has none of its own; then the
layers' inputs. Those and the outputs lie inside the memory to work in, where the plan in the file
says: commands know no other addresses. Custom options are the number 1.

Facts: TFLM ``micro/kernels/ethos_u/ethosu.cc``.
"""

from __future__ import annotations

from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.npu.stream import StreamError, read_stream
from arenite.ops.constraints import NodeView
from arenite.ops.context import Context, Node, TfLiteTensor
from arenite.ops.kernel_util import input_tensor
from arenite.ops.registry import Registration
from arenite.ops.traits import Traits

#: The stream's bytes, and the handles of the two buffers.
OP_DATA = Struct("OpData", ("int", "int", "int"))
#: Of the inputs.
STREAM, READ_ONLY, SCRATCH, FAST, FIRST = range(5)


def operands_are_velas(node: NodeView) -> bool:
    """Inputs begin with a command stream, constants to read, and two tensors to work in.

    All four are uint8, the first two constants.
    """
    tensors = (*node.inputs, *node.outputs)
    if len(node.inputs) < FIRST or any(tensor is None for tensor in tensors):
        return False
    parts = [node.input(index) for index in range(FIRST)]
    if any(part.type is not TensorType.UINT8 for part in parts):
        return False
    return all(part.is_constant or not part.size for part in parts[:SCRATCH])


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
    """Run the commands."""
    context.report_error("not there yet")


TRAITS = Traits(operands_are_placed=True)
REGISTRATION = Registration(
    name="ethos-u",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(operands_are_velas,),
)
