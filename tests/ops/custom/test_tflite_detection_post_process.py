"""TFLite_Detection_PostProcess equals TFLM wherever that writes its outputs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arenite as ar
from arenite.errors import ConstraintError, ModelError
from arenite.model import Model, ModelBuilder, flexbuffer
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import agrees, differential, one_operator
from tests.ops.flexbuffers import packed
from tests.oracle import Oracle
from tests.variants import interpreter, variants

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")

OPTIONS: dict[str, Any] = {
    "max_detections": 3,
    "max_classes_per_detection": 1,
    "detections_per_class": 2,
    "use_regular_nms": True,
    "nms_score_threshold": 0.1,
    "nms_iou_threshold": 0.5,
    "num_classes": 2,
    "y_scale": 10.0,
    "x_scale": 10.0,
    "h_scale": 5.0,
    "w_scale": 5.0,
}


def postprocess(
    boxes: int,
    *,
    background: int = 1,
    numbers: int = 4,
    anchors: Any = None,
    room: int | None = None,
    sizes: tuple[int, int, int, int] | None = None,
    kind: str = "float32",
    **options: Any,
) -> Model:
    """Suppression of encodings and scores that are fed; room for as much as it can write."""
    options = {**OPTIONS, **options}
    most, classes = int(options["max_detections"]), options["num_classes"]
    columns = min(options["max_classes_per_detection"], classes)
    if room is None:
        room = most if options["use_regular_nms"] else min(most, boxes) * columns**2
    room = max(room, 1)
    if anchors is None:
        anchors = np.tile(np.float32([0.5, 0.5, 1, 1]), (boxes, 1))
    b = ModelBuilder()
    inputs = [
        b.input("encodings", (1, boxes, numbers), kind),
        b.input("scores", (1, boxes, classes + background), "float32"),
        b.constant("anchors", np.asarray(anchors, np.float32)),
    ]
    whole = sizes or (4 * room, room, room, 1)
    shapes = [(1, whole[0] // 4, 4), (1, whole[1]), (1, whole[2]), (whole[3],)]
    names = ("boxes", "classes", "scores", "count")
    outputs = [b.tensor(f"detected {n}", s, "float32") for n, s in zip(names, shapes, strict=True)]
    given_options = {key: value for key, value in options.items() if value is not None}
    data = packed(given_options)
    return one_operator(b, "TFLite_Detection_PostProcess", inputs, outputs, custom_options=data)


@st.composite
def models(draw: st.DrawFn) -> Model:
    boxes, classes = draw(st.integers(2, 30)), draw(st.integers(1, 5))
    regular = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    anchors = rng.uniform(0.05, 1, (boxes + draw(st.integers(0, 2)), 4))
    if draw(st.booleans()):
        anchors = np.round(anchors * 4 + 1) / 4  # boxes that are equal
    scale = st.sampled_from([1.0, 5.0, 10.0, 3.7])
    return postprocess(
        boxes,
        background=draw(st.integers(0, 1)),
        numbers=draw(st.integers(4, 6)),
        anchors=anchors,
        max_detections=draw(st.integers(2, 12)),
        num_classes=classes,
        use_regular_nms=regular,
        detections_per_class=draw(st.none() | st.integers(1, 10)),
        max_classes_per_detection=draw(st.integers(1, 3)) if not regular else 1,
        nms_score_threshold=draw(st.sampled_from([-10.0, 0.0, 0.5, 1.5, 1e30])),
        nms_iou_threshold=draw(st.sampled_from([0.05, 0.3, 0.6, 1.0])),
        **{f"{axis}_scale": draw(scale) for axis in "yxhw"},
    )


def written(columns: int) -> Callable[[list[Array], int], list[Array]]:
    """Outputs with 0 where there are no detections."""

    def only_detections(outputs: list[Array], inference: int) -> list[Array]:
        number = np.arange(int(outputs[3].reshape(-1)[0]))
        places = columns * number + number % columns
        kept = [np.zeros_like(output) for output in outputs[:3]]
        for output, its, width in zip(kept, outputs, (4, 1, 1), strict=False):
            output.reshape(-1, width)[places] = its.reshape(-1, width)[places]
        return [*kept, outputs[3]]

    return only_detections


def columns_of(model: Model) -> int:
    """How many classes a detection has."""
    options = flexbuffer.read(model.main.operators[0].custom_options)
    if options["use_regular_nms"]:
        return 1
    return int(min(options["max_classes_per_detection"], options["num_classes"]))


@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1), coarse=st.booleans())
def test_equals_tflm(oracle: Oracle, model: Model, seed: int, coarse: bool) -> None:
    inputs = None
    if coarse:  # many scores are equal
        rng = np.random.default_rng(seed)
        inputs = [np.float32(rng.integers(-4, 5, tensor.shape) / 2) for tensor in model.inputs]
    marks = written(columns_of(model))
    agrees(oracle, model, seed, inputs=inputs, invokes=3, reset=True, defined=marks)


@pytest.mark.parametrize("regular", [True, False])
def test_equals_tflm_with_as_many_boxes_as_an_ssd_model_has(oracle: Oracle, regular: bool) -> None:
    rng = np.random.default_rng(0)
    model = postprocess(
        1917,
        anchors=rng.uniform(0.05, 1, (1917, 4)),
        num_classes=90,
        max_detections=10,
        detections_per_class=100,
        use_regular_nms=regular,
        nms_score_threshold=2.0,
    )
    answer = agrees(oracle, model, 0, defined=written(1))
    assert answer.outputs[0][3][0] == 10


def run(model: Model, encodings: Any, scores: Any, variant: str = "reference") -> Any:
    interp = interpreter(model, variant)
    shapes = [tensor.shape for tensor in model.inputs]
    values = (np.reshape(x, s) for x, s in zip((encodings, scores), shapes, strict=True))
    return [output.tolist() for output in interp(*(np.asarray(x, np.float32) for x in values))]


everywhere = pytest.mark.parametrize("variant", variants())


@everywhere
def test_a_box_lies_around_its_anchor(variant: str) -> None:
    # y = 5 / 10 * 2 + 3, x = -10 / 10 * 4 + 1, half sides 0.5 * exp(0) times 2 and 4
    model = postprocess(1, anchors=[[3, 1, 2, 4]], background=0, num_classes=1)
    boxes, classes, scores, count = run(model, [[5, -10, 0, 0]], [0.75], variant)
    assert boxes[0] == [[3.0, -5.0, 5.0, -1.0], [0] * 4, [0] * 4]
    assert (classes, scores, count) == ([[0, 0, 0]], [[0.75, 0, 0]], [1])


@everywhere
def test_of_boxes_that_overlap_the_best_is_left(variant: str) -> None:
    model = postprocess(3, background=0, num_classes=1, detections_per_class=3)
    # The first two lie over each other by 9 / 11, the third beside them.
    encodings = [[0, 0, 0, 0], [1, 0, 0, 0], [20, 0, 0, 0]]
    _, _, scores, count = run(model, encodings, [0.5, 0.75, 0.25], variant)
    assert (scores, count) == ([[0.75, 0.25, 0]], [2])


@everywhere
def test_the_regular_kind_suppresses_in_every_class_alone(variant: str) -> None:
    model = postprocess(2, background=1, num_classes=2)
    _, classes, scores, count = run(
        model, np.zeros((2, 4)), [[9, 0.5, 0.75], [9, 0.25, 0]], variant
    )
    assert (classes, scores, count) == ([[1, 0, 0]], [[0.75, 0.5, 0]], [2])


@everywhere
def test_the_fast_kind_looks_at_the_best_class_of_a_box(variant: str) -> None:
    model = postprocess(2, background=1, num_classes=2, use_regular_nms=False)
    far = [[0, 0, 0, 0], [20, 0, 0, 0]]
    _, classes, scores, count = run(model, far, [[9, 0.5, 0.75], [9, 0.875, 0.125]], variant)
    assert (classes, scores, count) == ([[0, 1]], [[0.875, 0.75]], [2])


@everywhere
def test_several_classes_of_a_box_lie_apart(variant: str) -> None:
    model = postprocess(2, background=0, use_regular_nms=False, max_classes_per_detection=2)
    far = [[0, 0, 0, 0], [20, 0, 0, 0]]
    _, classes, scores, count = run(model, far, [[0.5, 0.75], [0.875, 0.125]], variant)
    assert scores == [[0.875, 0, 0, 0.125, 0.75, 0, 0, 0.5]]
    assert (classes, count) == ([[0, 0, 0, 1, 1, 0, 0, 0]], [4])


@everywhere
def test_scores_below_the_threshold_and_nan_are_no_detections(variant: str) -> None:
    for regular in (True, False):
        model = postprocess(3, background=0, num_classes=1, use_regular_nms=regular)
        far = [[0, 0, 0, 0], [20, 0, 0, 0], [40, 0, 0, 0]]
        _, _, scores, count = run(model, far, [np.nan, 0.05, 0.5], variant)
        assert (scores, count) == ([[0.5, 0, 0]], [1])


@everywhere
def test_a_class_score_that_is_nan_is_the_lowest(variant: str) -> None:
    options = {"use_regular_nms": False, "max_classes_per_detection": 3}
    model = postprocess(1, background=0, num_classes=3, **options)
    _, classes, scores, _ = run(model, [0, 0, 0, 0], [-np.inf, np.nan, 0.5], variant)
    assert [classes[0][place] for place in (0, 4, 8)] == [2, 0, 1]
    assert [scores[0][place] for place in (0, 4)] == [0.5, -np.inf]


@everywhere
@pytest.mark.parametrize("height", [-np.inf, 800 * 5])
def test_a_box_without_a_height_is_refused(height: float, variant: str) -> None:
    # exp(-inf) is 0; exp(800) is infinite, and -inf and inf have something between them.
    model = postprocess(1, background=0, num_classes=1)
    if height > 0:
        assert run(model, [0, 0, height, 0], [0.5], variant)[0][0][0][2] == np.inf
        return
    with pytest.raises(ConstraintError, match="boxes of a height and a width"):
        run(model, [0, 0, height, 0], [0.5], variant)


@everywhere
def test_more_detections_than_the_outputs_hold_are_refused(variant: str) -> None:
    model = postprocess(2, background=0, use_regular_nms=False, max_classes_per_detection=2, room=7)
    far, scores = [[0, 0, 0, 0], [20, 0, 0, 0]], [[0.5, 0.75], [0.875, 0.125]]
    with pytest.raises(ConstraintError, match="end at place 7, the outputs have room for 7"):
        run(model, far, scores, variant)
    assert run(model, far, [[0.5, 0.75], [0, 0]], variant)[3] == [2]


def refused(words: str, boxes: int = 2, **changes: Any) -> Any:
    return pytest.param(lambda: postprocess(boxes, **changes), words, id=words)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        refused("max_detections of at least 1, got 0", max_detections=0, room=3),
        refused("max_detections of at least 1, got -5", max_detections=-5, room=3),
        refused("max_detections is 3, the outputs have room for 2", room=2),
        refused("outputs have room for 2", max_detections=2**31 - 1, room=2),
        refused("num_classes to be 0 or -1, and at least 1", num_classes=0, background=0),
        refused("num_classes to be 5 or 4", num_classes=2, background=3),
        refused("0 < nms_iou_threshold <= 1, got 0", nms_iou_threshold=0.0),
        refused("0 < nms_iou_threshold <= 1, got 1.5", nms_iou_threshold=1.5),
        refused("0 < nms_iou_threshold <= 1, got nan", nms_iou_threshold=float("nan")),
        refused("detections_per_class of at least 1, got 0", detections_per_class=0),
        refused(
            "max_classes_per_detection of at least 1, got -1",
            max_classes_per_detection=-1, use_regular_nms=False, room=3,
        ),
        refused("at least 4 numbers for each box", anchors=[[1, 1, 1, 1]]),
        refused("at least 4]", numbers=3),
        refused("Input 0 is one of: float32", kind="int8"),
        refused("The last of them with at least 1 element".lower(), sizes=(12, 3, 3, 0)),
    ],
)  # fmt: skip
def test_refuses(model: Callable[[], Model], words: str) -> None:
    with pytest.raises(ConstraintError) as caught:
        HeapInterpreter(model()).allocate_tensors()
    assert words in str(caught.value)


@pytest.mark.parametrize("options", [b"", b"\x01", packed([1, 2]), packed({"max_detections": 3})])
def test_refuses_options_that_do_not_say_enough(options: bytes) -> None:
    model = postprocess(2)
    operator = replace(model.main.operators[0], custom_options=options)
    graph = replace(model.main, operators=(operator,))
    with pytest.raises((ConstraintError, ModelError)):
        HeapInterpreter(replace(model, subgraphs=(graph,))).allocate_tensors()


def test_options_may_be_numbers_of_any_type(oracle: Oracle) -> None:
    model = postprocess(
        4, max_detections=3.9, use_regular_nms=2, nms_score_threshold=0, y_scale=300
    )
    agrees(oracle, model, 0, defined=written(1))


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_options_that_are_no_finite_numbers_count_as_0(number: float) -> None:
    model = postprocess(2, use_regular_nms=number, room=3)
    assert run(model, np.zeros((2, 4)), np.ones((2, 3)))[3] == [1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"use_regular_nms": False}, "leaves outputs behind the detections as they are"),
        (
            {"use_regular_nms": False, "max_classes_per_detection": 2},
            "leaves gaps between several classes of a box",
        ),
        ({"room": 5}, r"outputs behind max_detections \(3\) are left as they are"),
        ({"max_detections": 1}, "scratch memory has no room"),
    ],
)
def test_warns_of_what_tflm_leaves_undefined(changes: dict[str, Any], words: str) -> None:
    with pytest.warns(ar.UndefinedWarning, match=words):
        ar.Interpreter(postprocess(4, **changes))


@pytest.mark.filterwarnings("error")
def test_the_regular_kind_leaves_nothing_undefined() -> None:
    assert ar.Interpreter(postprocess(4))
