"""TFLite_Detection_PostProcess: boxes out of encodings and anchors, without those that overlap.

A box is `y, x, h, w` of its encoding over the scales, times its anchor's size, around its anchor.
Non-maximum suppression takes boxes by decreasing score, among equal ones the first, and drops those
whose intersection over union with one that is taken is above the threshold. The regular kind does
so for every class, and keeps the best `max_detections` of all; the fast one once, with each box's
best class, and gives the best `max_classes_per_detection` classes of a box. Outputs are boxes
(`ymin, xmin, ymax, xmax`), classes, scores, and the number of detections. Options are a FlexBuffer.

Undefined in TFLM: outputs behind the detections keep what the arena holds, in the fast kind and
where they are larger than `max_detections`; here they are 0. With more than one class per detection
the fast kind leaves gaps: column j of the i-th box of c columns goes to place c (c i + j) + j, and
what is beyond an output's end is written there all the same; here the gaps are 0 and the end is an
error. A class score that is NaN counts as the lowest one. With a single box, or `max_detections` of
1, the regular kind writes beyond its scratch memory; here it does not.

Facts: TFLM ``micro/kernels/detection_postprocess.cc``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.model import flexbuffer
from arenite.model.types import FLOAT32
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array

ENCODINGS, PREDICTIONS, ANCHORS = range(3)
BOXES, CLASSES, SCORES, COUNT = range(4)

OP_DATA = Struct(
    "OpData",
    (
        *("int", "int", "int", "float", "float", "int", "bool"),
        *(("float", 4), ("int", 11)),
        *("float", "int32") * 3,
    ),
)


@dataclass(frozen=True)
class DetectionPostProcessParams:
    """The options, and how many numbers an encoding has.

    ``classes_per_box`` is how many classes the fast kind gives of a box, ``first_class`` 1 where
    the scores' first class is the background.
    """

    is_regular: bool
    max_detections: int
    detections_per_class: int
    classes_per_box: int
    first_class: int
    score_threshold: float
    iou_threshold: float
    scale_y: float
    scale_x: float
    scale_h: float
    scale_w: float


@dataclass(frozen=True)
class Options:
    """Options in the FlexBuffer."""

    max_detections: int
    max_classes_per_detection: int
    detections_per_class: int
    use_regular_nms: bool
    nms_score_threshold: float
    nms_iou_threshold: float
    num_classes: int
    scales: tuple[float, ...]


def shapes_match(node: c.NodeView) -> bool:
    """Box encodings are [1, boxes, at least 4], class scores [1, boxes, classes].

    Anchors have 2 dimensions and at least 4 numbers for each box.
    """
    encodings, predictions, anchors = (node.input(index) for index in range(3))
    if (len(encodings.shape), len(predictions.shape), len(anchors.shape)) != (3, 3, 2):
        return False
    batches, boxes, numbers = encodings.shape
    fits = batches == 1 and numbers >= 4 and predictions.shape[:2] == (1, boxes)
    return fits and anchors.size >= 4 * boxes


def outputs_are_float(node: c.NodeView) -> bool:
    """Outputs are float32, the last of them with at least 1 element."""
    outputs = [node.output(index) for index in range(4)]
    return all(out.type is FLOAT32 for out in outputs) and outputs[COUNT].size >= 1


# -- options --------------------------------------------------------------------------------------


def init(context: Context, options: bytes) -> Options:
    """Parse the options."""
    found = flexbuffer.read(options)
    values: dict[str, Any] = found if isinstance(found, dict) else {}
    context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)
    per_class, regular = values.get("detections_per_class"), values.get("use_regular_nms")
    scales = (_float32(values.get(f"{axis}_scale")) for axis in "yxhw")
    return Options(
        max_detections=_int32(values.get("max_detections")),
        max_classes_per_detection=_int32(values.get("max_classes_per_detection")),
        detections_per_class=100 if per_class is None else _int32(per_class),
        use_regular_nms=_integer(regular) != 0,
        nms_score_threshold=_float32(values.get("nms_score_threshold")),
        nms_iou_threshold=_float32(values.get("nms_iou_threshold")),
        num_classes=_int32(values.get("num_classes")),
        scales=tuple(scales),
    )


def _int32(value: Any) -> int:
    """``AsInt32``: the low 32 bits of an integer."""
    low = _integer(value) & 0xFFFFFFFF
    return low - (low >> 31 << 32)


def _integer(value: Any) -> int:
    """0 for what is no number."""
    real = _number(value)
    return int(real) if math.isfinite(real) else 0


def _float32(value: Any) -> float:
    """``AsFloat``; 0 for what is no number."""
    with np.errstate(over="ignore"):
        return float(np.float32(_number(value)))


def _number(value: Any) -> int | float:
    return value if isinstance(value, int | float) else 0


# -- prepare --------------------------------------------------------------------------------------


def prepare(context: Context, node: Node) -> DetectionPostProcessParams:
    """Check the options against the shapes, and ask for TFLM's eleven scratch buffers."""
    options: Options = node.user_data
    tensors = [input_tensor(context, node, index) for index in range(3)]
    boxes, all_classes = tensors[PREDICTIONS].shape[1:]
    _check(context, node, options, all_classes)
    most, classes = options.max_detections, options.num_classes
    for size, purpose in (
        (boxes, "candidates that are active"),
        (16 * boxes, "decoded boxes"),
        (4 * boxes * all_classes, "scores"),
        (4 * boxes, "scores of a class"),
        (4 * boxes, "scores that are kept"),
        (4 * most * boxes, "scores of detections"),
        (4 * most * boxes, "sorted scores"),
        (4 * boxes, "indices that are kept"),
        (4 * most * boxes, "sorted indices"),
        (4 * max(classes, most) * boxes, "detections, or sorted classes"),
        (4 * min(boxes, most) * boxes, "selected boxes"),
    ):
        context.request_scratch_buffer_in_arena(size, purpose)
    _warn(context, node, options, boxes)
    y, x, h, w = options.scales
    return DetectionPostProcessParams(
        is_regular=options.use_regular_nms,
        max_detections=most,
        detections_per_class=options.detections_per_class,
        classes_per_box=min(options.max_classes_per_detection, classes),
        first_class=all_classes - classes,
        score_threshold=options.nms_score_threshold,
        iou_threshold=options.nms_iou_threshold,
        scale_y=y,
        scale_x=x,
        scale_h=h,
        scale_w=w,
    )


def _check(context: Context, node: Node, options: Options, all_classes: int) -> None:
    """Refuse options that no loop of TFLM's ends well with."""
    classes, most = options.num_classes, options.max_detections
    per_box, per_class = options.max_classes_per_detection, options.detections_per_class
    if classes < 1 or all_classes - classes not in (0, 1):
        context.report_error(
            f"expected num_classes to be {all_classes} or {all_classes - 1}, and at least 1, as "
            f"the class scores say, got {classes}"
        )
    if most < 1:
        context.report_error(f"expected max_detections of at least 1, got {most}")
    if not 0 < options.nms_iou_threshold <= 1:
        context.report_error(
            f"expected 0 < nms_iou_threshold <= 1, got {options.nms_iou_threshold}"
        )
    if not options.use_regular_nms:
        if per_box < 1:
            context.report_error(f"expected max_classes_per_detection of at least 1, got {per_box}")
        return
    if per_class < 1:
        context.report_error(f"expected detections_per_class of at least 1, got {per_class}")
    room = _room(context, node)
    if most > room:
        context.report_error(f"max_detections is {most}, the outputs have room for {room}")


def _room(context: Context, node: Node) -> int:
    """The number of detections that the outputs hold."""
    boxes, classes, scores = (context.get_eval_tensor(i).size for i in node.outputs[:COUNT])
    return min(boxes // 4, classes, scores)


def _warn(context: Context, node: Node, options: Options, boxes: int) -> None:
    """Say what TFLM leaves undefined of this node."""
    most, classes = options.max_detections, options.num_classes
    sizes = [context.get_eval_tensor(index).size for index in node.outputs]
    if not options.use_regular_nms:
        if min(options.max_classes_per_detection, classes) > 1:
            context.warn_undefined("the fast kind leaves gaps between several classes of a box")
        else:
            context.warn_undefined("the fast kind leaves outputs behind the detections as they are")
    elif sizes != [4 * most, most, most, 1]:
        context.warn_undefined(f"outputs behind max_detections ({most}) are left as they are")
    if options.use_regular_nms and classes > 1 and boxes and (most == 1 or boxes == 1 < classes):
        context.warn_undefined("scratch memory has no room for the detections of a class")


# -- invoke ---------------------------------------------------------------------------------------


def invoke(context: Context, node: Node) -> None:
    """Decode the boxes, suppress those that overlap, write what is left."""
    params: DetectionPostProcessParams = node.params
    encodings, predictions, anchors = (input_array(context, node, i) for i in range(3))
    scores = predictions[0, :, params.first_class :]
    with np.errstate(all="ignore"):
        boxes = decode(params, encodings[0, :, :4], anchors.reshape(-1)[: 4 * len(scores)])
        low, high = boxes[:, :2], boxes[:, 2:]
        if (low >= high).any():
            context.report_error("expected boxes of a height and a width, got one without")
        detect = regular if params.is_regular else fast
        found = detect(params, boxes, scores)
    places = places_of(params, len(found))
    if len(places) and places[-1] >= _room(context, node):
        context.report_error(
            f"{len(found)} detections end at place {places[-1]}, the outputs have room for "
            f"{_room(context, node)}"
        )
    anchor, class_ = found[:, 0], found[:, 1]
    for index, values in (
        (BOXES, boxes[anchor]),
        (CLASSES, class_.astype(np.float32)),
        (SCORES, scores[anchor, class_]),
        (COUNT, np.array([len(found)], np.float32)),
    ):
        out = output_array(context, node, index).reshape(-1)
        at = places if index != COUNT else np.arange(1)
        out[...] = 0
        width = 4 if index == BOXES else 1
        out[: len(out) // width * width].reshape(-1, width)[at] = values.reshape(-1, width)


def decode(params: DetectionPostProcessParams, encodings: Array, anchors: Array) -> Array:
    """Corners ``ymin, xmin, ymax, xmax`` of every box, in float64 up to the last rounding."""
    scales = np.array([params.scale_y, params.scale_x, params.scale_h, params.scale_w])
    scaled = encodings.astype(np.float64) / scales
    anchor = anchors.reshape(-1, 4).astype(np.float64)
    sizes = anchor[:, 2:]
    centre = (scaled[:, :2] * sizes + anchor[:, :2]).astype(np.float32)
    half = (0.5 * _exp(scaled[:, 2:]) * sizes).astype(np.float32)
    return np.concatenate([centre - half, centre + half], axis=1)


def _exp(x: Array) -> Array:
    """The C library's, whose last bit NumPy's may differ from."""
    return np.array([_exp_of(value) for value in x.reshape(-1).tolist()]).reshape(x.shape)


def _exp_of(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def regular(params: DetectionPostProcessParams, boxes: Array, scores: Array) -> Array:
    """Box and class of every detection: the best of all classes."""
    found, best = np.zeros((0, 2), np.intp), np.zeros(0, np.float32)
    for number in range(scores.shape[1]):
        of_class = scores[:, number]
        selected = suppress(params, boxes, of_class, params.detections_per_class)
        added = np.stack([selected, np.full_like(selected, number)], axis=1)
        found = np.concatenate([found, added])
        best = np.concatenate([best, of_class[selected]])
        order = decreasing(best)[: params.max_detections]
        found, best = found[order], best[order]
    return found


def fast(params: DetectionPostProcessParams, boxes: Array, scores: Array) -> Array:
    """Box and class of every detection: the best classes of boxes that do not overlap."""
    classes = (
        np.stack([decreasing(row)[: params.classes_per_box] for row in scores])
        if len(scores)
        else np.zeros((0, params.classes_per_box), np.intp)
    )
    best = np.take_along_axis(scores, classes[:, :1], axis=1)[:, 0]
    selected = suppress(params, boxes, best, params.max_detections)
    return np.stack(
        [selected.repeat(params.classes_per_box), classes[selected].reshape(-1)], axis=1
    )


def suppress(params: DetectionPostProcessParams, boxes: Array, scores: Array, most: int) -> Array:
    """Boxes by decreasing score, at most so many, that do not overlap with one before."""
    kept = np.flatnonzero(scores >= np.float32(params.score_threshold))
    candidates = kept[decreasing(scores[kept])]
    selected: list[int] = []
    while len(candidates) and len(selected) < most:
        first, candidates = candidates[0], candidates[1:]
        selected.append(first)
        overlaps = intersection_over_union(boxes[first], boxes[candidates])
        candidates = candidates[~(overlaps > np.float32(params.iou_threshold))]
    return np.array(selected, np.intp)


def decreasing(values: Array) -> Array:
    """The order of decreasing values, equal ones as they come, NaN last."""
    return np.argsort(-values, kind="stable")


def intersection_over_union(box: Array, others: Array) -> Array:
    """Of one box with each of some, in float32; C++'s ``max`` and ``min`` of NaN."""
    area, areas = _area(box[None]), _area(others)
    low = np.where(box[:2] < others[:, :2], others[:, :2], box[:2])
    high = np.where(others[:, 2:] < box[2:], others[:, 2:], box[2:])
    sides = np.where(high - low < 0, np.float32(0), high - low)
    shared = sides[:, 0] * sides[:, 1]
    ratio = shared / (area + areas - shared)
    result: Array = np.where((area <= 0) | (areas <= 0), np.float32(0), ratio)
    return result


def _area(boxes: Array) -> Array:
    area: Array = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return area


def places_of(params: DetectionPostProcessParams, count: int) -> Array:
    """Where in the outputs detections go: one behind the other, but see above."""
    number = np.arange(count)
    if params.is_regular:
        return number
    columns = params.classes_per_box
    return columns * number + number % columns


REGISTRATION = Registration(
    name="TFLite_Detection_PostProcess",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(3, 4),
        c.input_types(ENCODINGS, FLOAT32),
        c.input_types(PREDICTIONS, FLOAT32),
        c.input_types(ANCHORS, FLOAT32),
        shapes_match,
        outputs_are_float,
    ),
)
