"""What MNN's converter makes of TensorFlow Lite: Arenite computes what MNN and LiteRT compute."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from arenite.formats import tflite
from arenite.mnn.lowering import models as formats_mnn
from arenite.model import Array
from tests.litert_oracle import litert
from tests.mnn.lowering.compare import TOLERANCE, difference, run
from tests.mnn.lowering.conftest import Converter
from tests.mnn.lowering.tflite_cases import CASES
from tests.mnn_oracle import MnnOracle

#: What the converter of MNN 3.6.1 gets wrong: its models compute something else.
CHANGED = {
    "TRANSPOSE_CONV same": "reads the weights' input channels as output channels",
    "TRANSPOSE_CONV valid": "reads the weights' input channels as output channels",
    "MIRROR_PAD reflect": "writes no parameters, so zeros are padded",
    "MIRROR_PAD symmetric": "writes no parameters, so zeros are padded",
    **{
        f"RESIZE_NEAREST_NEIGHBOR {flag} {height}": "ignores align_corners and half_pixel_centers"
        for flag in ("corners", "half")
        for height in (12, 9, 3)
    },
}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[Array]]:
    """LiteRT's outputs of every case; cases with the same inputs share a process."""
    pytest.importorskip("ai_edge_litert")
    groups: dict[Any, list[str]] = {}
    for name, make in CASES.items():
        groups.setdefault(tuple(tensor.shape for tensor in make().inputs), []).append(name)
    found = {}
    for shapes, names in groups.items():
        answers = litert([tflite.write(CASES[name]()) for name in names], [inputs_of(shapes)])
        found.update(
            {name: answer[0] for name, answer in zip(names, answers, strict=True) if answer}
        )
    return found


def inputs_of(shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """Normal numbers."""
    return [
        np.random.default_rng(place).normal(size=shape).astype(np.float32)
        for place, shape in enumerate(shapes)
    ]


@pytest.mark.parametrize("name", CASES)
def test_is_as_mnn_and_litert_have_it(
    name: str, mnn: MnnOracle, converter: Converter, expected: dict[str, list[Array]]
) -> None:
    source = CASES[name]()
    data = converter("TFLITE", tflite.write(source))
    converted = formats_mnn.convert(formats_mnn.read_net(data))
    arrays = inputs_of([tensor.shape for tensor in source.inputs])
    inputs = {tensor.name: x for tensor, x in zip(source.inputs, arrays, strict=True)}
    got, want = run(converted, inputs), mnn.run(data, inputs)
    assert set(got) == set(want)
    for output, value in got.items():
        assert difference(value, want[output]) < TOLERANCE
    names = [tensor.name for tensor in source.outputs]
    pairs = zip(names, expected[name], strict=True)
    worst = max(difference(got[output], value) for output, value in pairs)
    assert (worst < TOLERANCE) == (name not in CHANGED)
