"""Every operator on data in NCHW, NHWC and NC4HW4: Arenite computes what MNN computes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.formats.flatbuffer import Row
from arenite.mnn.lowering import models
from tests.mnn.lowering.compare import TOLERANCE, difference, random_inputs, run
from tests.mnn.lowering.net_cases import CASES, ints
from tests.mnn.nets import NC4HW4, NCHW, NHWC, const, given, op, write
from tests.mnn_oracle import MnnOracle

FORMATS = {"NCHW": NCHW, "NHWC": NHWC, "NC4HW4": NC4HW4}
#: MNN's kernels of these read packed memory as if it were plain, so that what they compute depends
#: on the processor's vectors; of a row that fills its packs it is right (docs/mnn.md says so).
READ_AS_PLAIN = ("CumProd", "CumSum", "GatherV2", "LayerNorm", "ScatterNd", "TopKV2")
#: MNN's kernels of these take plain memory for packed memory, and write behind its end.
READ_AS_PACKED = ("PReLU", "Scale")
#: Operators that read images: given in NHWC, their channels are last.
OF_IMAGES = (
    "Convolution", "ConvolutionDepthwise", "Deconvolution", "DeconvolutionDepthwise",
    "DepthToSpace", "SpaceToDepth", "Pooling", "Interp",
)  # fmt: skip
OPERATORS = sorted({name.split()[0] for name in CASES})


def variants(operator: str) -> Iterator[tuple[str, bytes]]:
    """The operator's cases, each in all formats; Reshape thinking in NCHW and in NHWC."""
    names = [name for name in CASES if name.split()[0] == operator]
    if operator in ("BinaryOp", "UnaryOp"):  # all kinds of these share one mapping
        names = names[:3]
    for name in names:
        _, inputs, main, _ = CASES[name].args
        for form, code in FORMATS.items():
            for row in turned_rows(operator, main):
                data = [turned(value, operator, code) for value in inputs]
                yield f"{name} {form}", CASES[name].func(name, data, row, code, **options(name))


def options(name: str) -> dict[str, Any]:
    """What the case says beside inputs, parameters and format."""
    return CASES[name].keywords


def turned(value: Any, operator: str, code: int) -> Any:
    """A shape of images in the order of a format."""
    if code != NHWC or operator not in OF_IMAGES or not isinstance(value, tuple):
        return value
    return (value[0], *value[2:], value[1])


def turned_rows(operator: str, main: tuple[str, Row] | None) -> list[tuple[str, Row] | None]:
    """The parameters, with every value of ``dimType`` where the operator has it."""
    if operator != "Reshape" or main is None:
        return [main]
    return [(main[0], {**main[1], "dimType": code}) for code in (NCHW, NHWC)]


@pytest.mark.parametrize("operator", OPERATORS)
def test_is_as_mnn_has_it_in_every_format(operator: str, mnn: MnnOracle) -> None:
    compared = 0
    for label, data in variants(operator):
        if operator in (READ_AS_PLAIN if label.endswith("NC4HW4") else READ_AS_PACKED):
            continue
        try:
            converted = models.convert(models.read_net(data))
        except ar.ModelError as error:
            assert refused_by_name(operator, label), (label, error)
            continue
        inputs = random_inputs(converted)
        want = mnn.run(data, inputs)
        for name, value in run(converted, inputs).items():
            assert difference(value, want[name]) < TOLERANCE, label
        compared += 1
    assert compared


def refused_by_name(operator: str, label: str) -> bool:
    """Whether Arenite refuses the operator in this format on purpose."""
    pairs = {("LRN", "NHWC"), ("Normalize", "NHWC"), ("Resize", "NHWC"), ("ArgMax", "NC4HW4")}
    return (operator, label.rsplit(maxsplit=1)[-1]) in pairs


SHAPES = [(1, 16, 6), (1, 4, 24), (1, 2, 8, 6), (1, -1, 6), (96,)]
RESHAPES = [
    (dims, code, is_input)
    for dims in SHAPES
    for code in (NCHW, NHWC)
    for is_input in (False, True)
    # Of a shape that is an input, MNN reads four dimensions in NHWC, whatever there are.
    if not is_input or code == NCHW or len(dims) == 4
]


@pytest.mark.parametrize(("dims", "code", "is_input"), RESHAPES)
def test_packed_boxes_are_reshaped_in_the_order_that_the_operator_thinks_in(
    dims: tuple[int, ...], code: int, is_input: bool, mnn: MnnOracle
) -> None:
    x = given("x", 0, [1, 6, 4, 4], NC4HW4)
    shape = op("s", models.OpType.Const, [], [1], ("Blob", {
        "dims": ints(len(dims)), "dataFormat": NHWC, "dataType": 3,
        "int32s": ints(*dims)}))  # fmt: skip
    told: Row = {"dimType": code}
    rows = [x, shape, op("y", models.OpType.Reshape, [0, 1], [2], ("Reshape", told))]
    if not is_input:
        told = {"dimType": code, "dims": ints(*dims)}
        rows = [x, op("y", models.OpType.Reshape, [0], [1], ("Reshape", told))]
    converted = models.convert(models.read_net(write(rows)))
    inputs = random_inputs(converted)
    want = mnn.run(write(rows), inputs)["y"]
    np.testing.assert_array_equal(run(converted, inputs)["y"], want)


def test_packed_rows_are_gathered_as_the_file_says(mnn: MnnOracle) -> None:
    # MNN's loop over three indices or more reads packs of channels; over two it does not.
    rows = [
        given("x", 0, [1, 6, 2, 2], NC4HW4),
        const("i", 1, np.float32([5, 0])),
        op("j", models.OpType.Cast, [1], [2], ("CastParam", {"srcT": 1, "dstT": 3})),
        op("y", models.OpType.GatherV2, [0, 2], [3], ("Axis", {"axis": 1})),
    ]
    converted = models.convert(models.read_net(write(rows)))
    inputs = random_inputs(converted)
    np.testing.assert_array_equal(run(converted, inputs)["y"], inputs["x"][:, [5, 0]])
