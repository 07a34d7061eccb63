"""Loops of TFLM's operators beside the builtins: TFLM_DECODE, TFLite_Detection_PostProcess.

Facts: TFLM ``micro/kernels/decode_state_lut.cc``, ``decode_state_prune.cc``,
``decode_state_huffman.cc``, ``detection_postprocess.cc``.
"""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from arenite.libraries.cmsis_nn.cost.loops.kind import loops
from arenite.libraries.costs import Loop
from arenite.model import TensorType, flexbuffer
from arenite.ops.constraints import NodeView
from arenite.ops.context import TfLiteTensor

_LUT, _HUFFMAN = range(2)


def decode(view: NodeView) -> list[Loop]:
    """Each output is decoded in every inference: from a table, a mask or Huffman's codes."""
    found = [Loop(view.name, "call", 1), Loop(view.name, "output", len(view.outputs))]
    for number in range(len(view.outputs)):
        codes, meaning = (_bytes(view.input(2 * number + i)) for i in range(2))
        found += _decoded(view.name, view.output(number), codes, meaning)
    return found


def _bytes(tensor: TfLiteTensor) -> Any:
    data = np.zeros(16, np.uint8) if tensor.data is None else tensor.data
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8)


def _decoded(name: str, output: TfLiteTensor, codes: Any, meaning: Any) -> list[Loop]:
    kind, own = int(meaning[0]), int(meaning[5])
    if kind == _LUT:
        return _looked_up(name, output, own & 7)
    if kind == _HUFFMAN:
        width = "wide" if own & 1 else "narrow"
        times = {"value": output.size, "32 bits": codes.size // 4}
        return loops(f"{name}, Huffman, {width}", times)
    kept = int(np.unpackbits(codes[: -(-output.size // 8)], count=output.size).sum())
    channels = _channels(output)[0] if output.type is TensorType.INT8 else 1
    kernel = f"{name}, mask, {'bytes' if output.type is TensorType.INT8 else 'wider values'}"
    kernel += ", by channel" if channels > 1 else ""
    return loops(kernel, {"channel": channels, "value": output.size, "value that is kept": kept})


def _channels(output: TfLiteTensor) -> tuple[int, bool]:
    """The number of tables, and whether they alternate value by value."""
    quantization = output.quantization
    if quantization is None or len(quantization.scale) < 2:
        return 1, False
    last = quantization.quantized_dimension == len(output.shape) - 1
    return len(quantization.scale), last


def _looked_up(name: str, output: TfLiteTensor, bits: int) -> list[Loop]:
    """Value by value. int8 of 2 to 4 bits is taken many at a time, and faster: at most so long.

    (Their loops were measured on tensors of one size, which does not say what a value takes.)
    """
    channels, alternate = _channels(output)
    order = ", alternating" if alternate else ""
    times = {"channel": 1 if alternate else channels, "value": output.size}
    return loops(f"{name}, table{order}", {**times, f"value of {bits} bits": output.size})


def detection_post_process(view: NodeView) -> list[Loop]:
    """As if all boxes scored enough and none lay over another: the most that it takes.

    The regular way suppresses class by class, the fast one once, by each box's best class.
    """
    options: Any = flexbuffer.read(view.options) if isinstance(view.options, bytes) else {}
    boxes, classes = view.input(1).shape[1], max(int(options.get("num_classes", 1)), 1)
    most, regular = int(options.get("max_detections", 1)), bool(options.get("use_regular_nms"))
    rounds, wanted, kernel = 1, most, f"{view.name}, fast"
    if regular:
        rounds, wanted = classes, int(options.get("detections_per_class", 100))
        kernel = f"{view.name}, regular"
    selected = min(boxes, wanted)
    per_box = min(int(options.get("max_classes_per_detection", 1)), classes)
    times = {
        "box": boxes,
        "score": boxes * classes,
        "round": rounds,
        "candidate": rounds * boxes,
        "sorting": round(rounds * boxes * log2(max(boxes, 2))),
        "pair": rounds * sum(boxes - 1 - index for index in range(selected)),
        "selected": rounds * selected,
        "class of a box": boxes * per_box,
        "detection": most * (1 if regular else per_box),
    }
    return loops(kernel, times)


KERNELS = {
    "TFLM_DECODE": decode,
    "TFLite_Detection_PostProcess": detection_post_process,
}
