"""Remedies for a model that TFLM does not run: the end of a refusal."""

from __future__ import annotations

from arenite.model.types import FLOAT16, FLOAT32, UINT8
from arenite.ops.constraints import Constraint, NodeView

_COMPILED = (
    "the file was compiled for an accelerator, {}; load the original .tflite that went into its "
    "compiler"
)
_LARQ = (
    "the file was converted for the Larq Compute Engine, whose operators TFLM does not have; "
    "convert the original model with TensorFlow Lite's converter"
)
#: Custom operators of other runtimes, of which no kernel of one's own would help.
_FOREIGN = {
    "edgetpu-custom-op": _COMPILED.format("the Edge TPU"),
    **dict.fromkeys(("LceBconv2d", "LceBMaxPool2d", "LceQuantize", "LceDequantize"), _LARQ),
}
_TYPES = {
    UINT8: (
        "uint8 is how older converters quantised, and TFLM runs int8: convert the original model "
        "again, with inference_input_type and inference_output_type tf.int8"
    ),
    FLOAT16: (
        "float16 weights are for GPUs, and TFLM has no such arithmetic: convert the original "
        "model again without tf.float16 in supported_types"
    ),
}


def of_custom_operator(name: str) -> str:
    """Remedy for a custom operator of another runtime; empty for all others."""
    return _FOREIGN.get(name, "")


def of_types(node: NodeView, constraint: Constraint) -> str:
    """Remedy for a type that a constraint, which does not hold, has nothing for; or nothing."""
    text = constraint.__doc__ or ""
    if not any(word in text for word in ("type", "is one of", "float32", "int8")):
        return ""
    tensors = [tensor for tensor in (*node.inputs, *node.outputs) if tensor is not None]
    types = {tensor.type for tensor in tensors}
    if FLOAT32 in types and not any(one.scale_count for one in tensors if one.type is UINT8):
        types.discard(UINT8)  # pixels that become floats
    return next((f" ({remedy})" for type_, remedy in _TYPES.items() if type_ in types), "")
