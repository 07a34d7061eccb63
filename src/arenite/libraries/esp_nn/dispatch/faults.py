"""Faults of ESP-NN and its glue, and their releases: a sentence each, with the way around.

What crashes is refused by a constraint, whose docstring is the message. What computes something
else or writes behind a buffer is warned about; results here are the reference's there. The S3's and
the P4's assembly could not be run: their rows are what was read in its sources, and reported.

Facts: esp-tflite-micro ``micro/kernels/esp_nn/conv.cc``, ``depthwise_conv.cc`` and ``softmax.cc``;
esp-nn ``src/convolution/esp_nn_conv_esp32s3.c``, ``esp_nn_conv_esp32p4.c``,
``esp_nn_depthwise_conv_s8_esp32s3.c``, ``src/fully_connected/esp_nn_fully_connected_esp32s3.c`` of
1.2.3 and 1.2.6; esp-nn's issues 30, 31, 34 and 37, esp-tflite-micro's issue 26.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch import scratch
from arenite.libraries.esp_nn.dispatch.versions import glue_since, since
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, convolution, depthwise_convolution
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target

# -- refused -------------------------------------------------------------------------------


def int8_has_a_bias(node: NodeView) -> bool:
    """Convolutions of int8 have a bias for ESP-NN, whose glue reads address 0 without: zeros do."""
    if {node.input(0).type, node.input(1).type} != {TensorType.INT8}:
        return True
    return len(node.inputs) > 2 and node.inputs[2] is not None


def softmax_has_two_dimensions(node: NodeView) -> bool:
    """A softmax of int8 has two dimensions or more for ESP-NN's glue, which reads the second."""
    is_int8 = {node.input(0).type, node.output(0).type} == {TensorType.INT8}
    return not is_int8 or len(node.input(0).shape) > 1


# -- warned about --------------------------------------------------------------------------


def convolution_faults(view: NodeView, path: Path, target: Target) -> str:
    """CONV_2D: groups everywhere; borders, filters in flash and a rounding on the S3."""
    if not path.is_library:
        return ""
    conv = convolution(view)
    if conv.groups > 1:
        return (
            "esp-tflite-micro takes the smaller of both depths for a grouped convolution and reads "
            "the wrong weights (with assertions it aborts): convolve each group by itself"
        )
    if target.instructions == "pie_rv32":
        return _on_p4(conv, target)
    return _on_s3(conv, target) if target.instructions == "pie" else ""


def depthwise_faults(view: NodeView, path: Path, target: Target) -> str:
    """DEPTHWISE_CONV_2D: an overrun on the S3."""
    if not path.is_library or target.instructions != "pie":
        return ""
    conv = depthwise_convolution(view)
    pad = conv.padding
    is_3x3 = (conv.filter.h, conv.filter.w, conv.ch_mult) == (3, 3, 1)
    if not is_3x3 or conv.input.c % 16 or bool(pad.h) == bool(pad.w):
        return ""
    return (
        "ESP-NN writes behind its scratch memory for 3x3 filters with padding along one axis alone "
        f"({pad}; reported for the S3, esp-nn issues 30 and 37): pad the input with PAD"
    )


def softmax_faults(view: NodeView, path: Path, target: Target) -> str:
    """SOFTMAX: rows that are longer than the second dimension."""
    shape = view.input(0).shape
    if not path.is_library or shape[-1] <= shape[1]:
        return ""
    return (
        f"esp-tflite-micro asks for memory for rows of {shape[1]} values and ESP-NN writes "
        f"{shape[-1]}: RESHAPE to [{view.input(0).size // max(shape[-1], 1)}, {shape[-1]}] first"
    )


def fully_connected_faults(view: NodeView, path: Path, target: Target) -> str:
    """FULLY_CONNECTED: the glue's own, and rows on the S3 that do not begin where vectors do."""
    if path.is_library and (fault := _glue_of_fully_connected(view, target)):
        return fault
    depth, batches = view.input(1).shape[-1], view.output(0).size // view.input(1).shape[-2]
    if not path.is_library or target.instructions != "pie" or since(target, "1.2.6"):
        return ""
    if batches < 2 or depth % 16 == 0:
        return ""
    return (
        f"ESP-NN before 1.2.6 may read a row of {depth} values that does not begin at a multiple "
        "of 16 wrongly (reported for the S3, esp-nn issue 34): take 1.2.6, one row at a time, or a "
        "depth in sixteens"
    )


def _glue_of_fully_connected(view: NodeView, target: Target) -> str:
    """Scales per unit before 1.3.4; outputs that have not two dimensions before 1.3.3."""
    if not glue_since(target, "1.3.4") and view.input(1).scale_count > 1:
        return (
            "esp-tflite-micro before 1.3.4 (312a65a0, 2025-09-01) multiplies all units by a value "
            "that nothing sets where weights have a scale per unit: convert with one scale "
            "(arenite quantize --dense tensor), or take 1.3.4"
        )
    shape = view.output(0).shape
    if not glue_since(target, "1.3.3") and len(shape) != 2:
        return (
            "esp-tflite-micro before 1.3.3 (eeb4e858, 2024-10-22) takes the first two dimensions "
            f"of the output {list(shape)} for batches and units: RESHAPE it behind two dimensions"
        )
    return ""


def _on_s3(conv: ConvShape, target: Target) -> str:
    """Read in its sources and reported."""
    if scratch.is_pointwise(conv):
        return "" if since(target, "1.2.3") or conv.input.c % 8 else _POINTWISE
    if scratch.has_short_rows(conv) and since(target, "1.2.1"):
        return "" if since(target, "1.2.2") else _IM2COL
    pad, (below, right) = conv.padding, scratch.padding_behind(conv)
    if since(target, "1.2.6") or not (pad.h or pad.w):
        return ""
    if below > pad.h or right > pad.w:
        return (
            "ESP-NN before 1.2.6 pads as much below and at the right as above and at the left "
            f"({pad}), and the last windows need more (reported for the S3, esp-nn issue 31): take "
            "1.2.6, or pad with PAD"
        )
    return ""


def _on_p4(conv: ConvShape, target: Target) -> str:
    """The last row of windows, which until 1.2.3 got two rows of the image whatever the filter."""
    pad, (below, _) = conv.padding, scratch.padding_behind(conv)
    if since(target, "1.2.6") or scratch.is_pointwise(conv) or pad.h or pad.w:
        return ""
    if not below or (below, conv.filter.h) == (1, 3):
        return ""
    if since(target, "1.2.3") and conv.filter.w * conv.input.c < 16:
        return ""
    return (
        "ESP-NN before 1.2.6 computes the last row wrongly on the P4 where filters of "
        f"{conv.filter.h} rows leave the image below and not above (read in its sources): take "
        "1.2.6, or pad with PAD"
    )


_POINTWISE = (
    "ESP-NN before 1.2.3 computes 1x1 convolutions wrongly on the S3 if filters do not begin at a "
    "multiple of 8 in flash: alignas(16) on the model's array"
)
_IM2COL = (
    "ESP-NN 1.2.1 rounds otherwise where a filter's row is less than 16 bytes (im2col on the S3): "
    "take 1.2.2 or later"
)
