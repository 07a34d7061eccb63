"""ADD of int8 gives the reference's outputs on all pairs of inputs, whether or not a line does."""

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from arenite.ops.tflite.add import AddOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.binary import Scales, binary_model

#: Scales of the inputs and of the output.
SCALES = {
    "a line": (0.3, 0.7, 0.9),
    "halves away from zero, on no line": (1.0, 1.0, 2.0),
    "one input almost lost": (1.0, 0.001, 1.0),
    "all of them at the ends": (1.0, 1.0, 0.001),
}


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("activation", [0, 3], ids=["as it is", "RELU6"])
@pytest.mark.parametrize("scales", SCALES.values(), ids=list(SCALES))
def test_all_pairs(scales: Scales, activation: int, isa: str) -> None:
    model = binary_model(
        "ADD",
        ((256, 256), (256, 256)),
        "int8",
        AddOptions(activation),
        scales=scales,
        zero_points=(3, -7, 5),
    )
    reference, native = HeapInterpreter(model), HeapInterpreter(model)
    values = np.arange(-128, 128, dtype=np.int8)
    for interpreter in (reference, native):
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = values[:, None]
        interpreter.input(1)[...] = values
    reference.invoke()
    compiled = native.compile(isa)
    assert compiled.kernel(0) != "python"
    compiled.invoke()
    np.testing.assert_array_equal(native.output(0), reference.output(0))
