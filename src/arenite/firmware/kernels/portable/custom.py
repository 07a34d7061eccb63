"""TFLM's own operators: TFLite_Detection_PostProcess, TFLM_DECODE, CIRCULAR_BUFFER.

Where the engine refuses detections (boxes without height or width, no room), there are none here.
Facts: TFLM ``micro/kernels/detection_postprocess.cc``, ``decode.cc``, ``circular_buffer.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, float_literal, templates
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Arrays, Constant, Scratch, State, UnsupportedError, Work
from arenite.firmware.network.layers import Layer, Value
from arenite.ops.custom.circular_buffer import PERIOD, CircularBufferParams
from arenite.ops.custom.tflite_detection_post_process import DetectionPostProcessParams
from arenite.ops.custom.tflm_decode import DecodeParams

_C = templates(__name__)

#: Scratch memory; how many elements is said where they are known.
_MEMORY = (
    *("float *corners", "float *values", "int32_t *order", "int32_t *merged"),
    *("int32_t *kept", "int32_t *selected", "int32_t *found", "int32_t *best"),
)


def detection_post_process(layer: Layer[DetectionPostProcessParams]) -> Work:
    """Boxes, their classes and scores, and how many they are."""
    require_elements(layer)
    p = layer.params
    names = ("encodings", "predictions", "anchors")
    read = {name: layer.input(number) for number, name in enumerate(names)}
    encodings, predictions, _ = read.values()
    boxes, stride = predictions.shape[1:]
    classes = stride - p.first_class
    sizes = [value.size for value in layer.outputs]
    room = min(sizes[0] // 4, sizes[1], sizes[2])
    most = p.max_detections if p.is_regular else room
    columns = 1 if p.is_regular else p.classes_per_box
    candidates = (most if p.is_regular else 0) + boxes + classes
    found = most + boxes + columns * boxes
    text = fill(
        _C["detection"],
        boxes=boxes,
        classes=classes,
        stride=stride,
        most=p.max_detections,
        score=float_literal(p.score_threshold),
        overlap=float_literal(p.iou_threshold),
        first=p.first_class,
        step=encodings.shape[2],
        scales=", ".join(repr(float(s)) for s in (p.scale_y, p.scale_x, p.scale_h, p.scale_w)),
        detect=f"ar_detect_by_class(&d, {p.detections_per_class})"
        if p.is_regular
        else f"ar_detect_by_box(&d, {columns}, {room})",
        columns=columns,
        boxes_size=sizes[0],
        classes_size=sizes[1],
        scores_size=sizes[2],
        count_size=sizes[3],
    )
    counts = (4 * boxes, candidates, candidates, candidates, boxes, boxes, found, found)
    written = dict(zip(("places", "classes", "scores", "number"), layer.outputs, strict=True))
    memory = {one: Scratch(4 * count) for one, count in zip(_MEMORY, counts, strict=True)}
    arrays: Arrays = {**read, **written, **memory}
    return work_of(layer, text, arrays, writes=written, stem="detection_post_process")


def decode(layer: Layer[DecodeParams]) -> Work:
    """Constants that were decoded when the folder was written."""
    decoded, text, at = layer.params.decoded, [], 0
    read, written = dict[str, Constant](), dict[str, Value]()
    for number, value in enumerate(layer.outputs):
        data = np.ascontiguousarray(decoded[at : at + value.nbytes])
        at += value.nbytes
        text.append(f"for (int32_t i = 0; i < {value.nbytes}; ++i) y{number}[i] = x{number}[i];")
        read[f"x{number}"] = Constant("decoded", data)
        written[f"int8_t *y{number}"] = value
    names = [f"y{number}" for number in range(len(written))]
    return work_of(layer, "\n".join(text), {**read, **written}, writes=names, stem="decode")


_CIRCULAR_BUFFER = """\
*cycles = *cycles + 1 == $period ? 0 : *cycles + 1;
for (int32_t i = 0; i < $kept; ++i) y[i] = y[i + $depth];
for (int32_t i = 0; i < $depth; ++i) y[$kept + i] = x[i];"""


def circular_buffer(layer: Layer[CircularBufferParams]) -> Work:
    """The last inputs, one behind the other; the inference goes on every so many cycles."""
    require_elements(layer)
    p = layer.params
    if not layer.output.is_variable:
        raise UnsupportedError("the output must be a variable")
    kept, period = (p.slots - 1) * p.depth, int(layer.state[0].view(np.int32)[PERIOD])
    text = fill(_CIRCULAR_BUFFER, kept=kept, depth=p.depth, period=period)
    cycles = State(f"cycles of layer {layer.index}", 4)
    arrays: Arrays = {"x": layer.input(0), "y": layer.output}
    arrays["int32_t *cycles"] = cycles
    return work_of(layer, text, arrays, ends=cycles)


KERNELS = {
    "TFLite_Detection_PostProcess": detection_post_process,
    "TFLM_DECODE": decode,
    "CIRCULAR_BUFFER": circular_buffer,
}
