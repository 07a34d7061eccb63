"""RESHAPE: the same elements under another shape.

Facts: TFLM ``micro/kernels/reshape.cc`` and ``reshape_common.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from arenite.model import OptionsTable, slot
from arenite.ops import MOVES, Context, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.shared import copy
from arenite.ops.shared.overlap import same_place

Shape = tuple[int, ...]


class ReshapeOptions(OptionsTable, union=17):
    """``table ReshapeOptions``; ``new_shape`` is None where the file leaves it out."""

    new_shape: tuple[int, ...] | None = slot(0, "[int32]", None)


def new_shape_fits(node: c.NodeView) -> bool:
    """The option new_shape has at most 8 dimensions."""
    return len(node.options.new_shape or ()) <= 8


def prepare(context: Context, node: Node) -> copy.CopyParams:
    """The output's shape; TFLM copies its dimensions if it has to fill in a -1."""
    inp = input_tensor(context, node, 0)
    output = output_tensor(context, node)
    if output.declared.count(-1) == 1:
        context.reserve_persistent_buffer(4 * (1 + len(output.declared)), "output dimensions")
    shape = output_shape(context, node, inp, output.declared)
    context.resize_tensor(output.index, shape, "replaced")
    return copy.copy_params(inp.size, inp.type)


def output_shape(context: Context, node: Node, inp: TfLiteTensor, declared: Shape) -> Shape:
    """The first shape in :func:`candidates` that holds the input's elements."""
    size = inp.size
    resolved = (resolve(shape, size) for shape in candidates(context, node, inp, declared))
    shape = next((shape for shape in resolved if shape is not None), None)
    if shape is None:
        context.report_error(
            f"the output's shape must hold the input's {size} elements, with one -1 at most, "
            f"got {list(declared)}"
        )
    return shape


def candidates(context: Context, node: Node, inp: TfLiteTensor, declared: Shape) -> Iterator[Shape]:
    """Shapes that the output may have, the one that TFLM takes first.

    TFLM looks at the shape that the model declares for the output and at nothing else.
    Where the input was resized, which the heap host allows, the constant shape counts too, as
    in TensorFlow Lite. Where the model's inputs have another batch and the other dimensions are
    the model's, the output's first dimension follows.
    """
    if len(node.inputs) == 1 and declared == (0,):
        yield ()  # how old converters write a scalar
    resized = context.graph.resized()
    if not resized:
        yield declared
        if inp.size == prod(inp.declared):
            return
    wanted = node.options.new_shape
    if len(node.inputs) == 2 and node.inputs[1] >= 0:
        wanted = copy.constant_values(context, node.inputs[1])
    if wanted:
        yield wanted
    if resized == "shape":
        return
    if wanted:
        yield (-1, *wanted[1:])
    if declared:
        yield (-1, *declared[1:])


def resolve(shape: Shape, size: int) -> Shape | None:
    """``shape`` with its -1 filled in, or None if it cannot hold ``size`` elements."""
    known = prod(n for n in shape if n != -1)
    if -1 in shape and known > 0:
        shape = tuple(size // known if n == -1 else n for n in shape)
    return shape if prod(shape) == size and min(shape, default=0) >= 0 else None


REGISTRATION = Registration(
    prepare=prepare,
    invoke=copy.copy_invoke,
    overlap=same_place,
    rows=copy.copy_of_rows,
    options=ReshapeOptions,
    builtin_data=Struct("TfLiteReshapeParams", (("int32", 8), "int")),
    constraints=(
        c.inputs_between(1, 2, optional=frozenset({1})),
        c.outputs_exactly(1),
        c.input_types(0, *copy.COPIED_TYPES),
        c.same_type(),
        new_shape_fits,
    ),
)

TRAITS = Traits(
    values="rising", channels="reshaped", exact_on_floats=True, reshapes=True, drawn="shape"
)

SCHEME = MOVES
