"""An operator's kernel, by its name and types, and the names of its loops."""

from __future__ import annotations

from arenite.libraries.costs import Loop
from arenite.model import TensorType
from arenite.ops.constraints import NodeView

#: The input whose type chooses the kernel, where it is not the first.
_TYPED_INPUT = {"SPLIT": 1, "TRANSPOSE_CONV": 2, "EMBEDDING_LOOKUP": 1, "FILL": 1}
_CONVERSIONS = ("CAST", "QUANTIZE", "DEQUANTIZE")


def kernel_of(view: NodeView) -> str:
    """``CONV_2D, float32``; ``CONV_2D, int4`` by its weights; ``CAST, int8 to float32``."""
    if any(tensor is not None and tensor.type is TensorType.INT4 for tensor in view.inputs):
        return f"{view.name}, int4"
    index = _TYPED_INPUT.get(view.name, 0)
    typed = view.inputs[index] if index < len(view.inputs) else None
    if typed is None:
        typed = view.outputs[0] if view.outputs else None
    kernel = view.name if typed is None else f"{view.name}, {typed.type}"
    if view.name in _CONVERSIONS:
        kernel += f" to {view.output(0).type}"
    return kernel


def loops(kernel: str, times: dict[str, int]) -> list[Loop]:
    """One call, and the other levels by name."""
    return [Loop(kernel, "call", 1), *(Loop(kernel, step, n) for step, n in times.items())]


def bytes_of(view: NodeView, index: int = 0) -> int:
    """Bytes of one value of an input."""
    return int(view.input(index).type.dtype.itemsize)
