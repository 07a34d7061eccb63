"""A ``.mnn`` file run by Arenite, in an arena and on the heap, and by MNN."""

from collections.abc import Mapping

import numpy as np

import arenite as ar
from arenite.mnn.lowering import models
from arenite.mnn.lowering.models import Converted
from arenite.model import Array, TensorType
from arenite.runtime.heap_host import HeapInterpreter
from tests.mnn_oracle import MnnOracle

Values = dict[str, Array]

#: Of the largest output: what floats may differ from MNN's by.
TOLERANCE = 1e-4


def random_inputs(converted: Converted, seed: int = 0) -> Values:
    """Normal numbers, or small integers."""
    rng = np.random.default_rng(seed)
    return {
        port.name: rng.normal(size=port.shape).astype(np.float32)
        if port.type is TensorType.FLOAT32
        else rng.integers(0, 3, port.shape).astype(port.type.dtype)
        for port in converted.inputs
    }


def run(converted: Converted, inputs: Mapping[str, Array]) -> Values:
    """The outputs by name, computed in an arena; on the heap they are the same."""
    interpreter = ar.Interpreter(converted.model)
    heap = HeapInterpreter(converted.model)
    heap.allocate_tensors()
    for place, port in enumerate(converted.inputs):
        interpreter.input(place)[...] = inputs[port.name]
        heap.input(place)[...] = inputs[port.name]
    interpreter.invoke()
    heap.invoke()
    outputs = {}
    for place, port in enumerate(converted.outputs):
        outputs[port.name] = np.array(interpreter.output(place))
        assert difference(heap.output(place), outputs[port.name]) < TOLERANCE / 10
    return outputs


def difference(got: Array, want: Array) -> float:
    """The largest difference, relative to the largest number; shapes and types are equal."""
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    if not want.size:
        return 0.0
    scale = max(float(np.abs(want).max()), 1e-9)
    found = np.abs(got.astype(np.float64) - want).max() / scale
    assert not np.isnan(found)
    return float(found)


def agrees(oracle: MnnOracle, data: bytes, seed: int = 0) -> Converted:
    """Assert that all outputs are MNN's; returns what was run."""
    converted = models.convert(models.read_net(data))
    inputs = random_inputs(converted, seed)
    want = oracle.run(data, inputs)
    got = run(converted, inputs)
    assert set(got) == set(want)
    for name, value in got.items():
        assert difference(value, want[name]) < TOLERANCE, name
    return converted
