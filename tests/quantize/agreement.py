"""A quantised model in TFLM's own package next to Arenite, and random samples for float models."""

import numpy as np

import arenite as ar
from arenite.formats import tflite
from arenite.model import Array, Model, TensorType
from arenite.runtime.io_conversion import quantized
from tests.inferences import take
from tests.oracle import Oracle
from tests.steps import Step

ARENA = 1 << 22


def samples(model: Model, count: int, seed: int = 0) -> list[Array]:
    """Real numbers for every input of a model."""
    rng = np.random.default_rng(seed)
    found = []
    for tensor in model.inputs:
        shape = (count, *tensor.shape)
        if tensor.type is TensorType.FLOAT32:
            found.append(rng.normal(0, 1, shape).astype(np.float32))
        else:
            found.append(rng.integers(0, 2, shape).astype(tensor.type.dtype))
    return found


def steps(model: Model, inputs: list[Array]) -> list[Step]:
    """Samples as inferences of a quantised model."""
    pairs = list(zip(inputs, model.inputs, strict=True))
    return [
        [
            quantized(values[n], tensor) if tensor.quantization else values[n]
            for values, tensor in pairs
        ]
        for n in range(len(inputs[0]))
    ]


def agrees(oracle: Oracle, model: Model, inputs: list[Array]) -> str:
    """TFLM's verdict of a model; its outputs are asserted to be Arenite's, integers bit for bit."""
    asked = steps(model, inputs)
    answer = oracle.run(tflite.write(model), asked, ARENA)
    if answer.status != "ok":
        return f"{answer.status}: {answer.log}"
    micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), ARENA)
    micro.allocate_tensors()
    try:
        found = take(micro, model, asked)
    except ar.ConstraintError as error:
        return f"refused here: {error}"
    for ours, theirs in zip(found, answer.outputs, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            if a.dtype == np.float32:
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            else:
                np.testing.assert_array_equal(a, b)
    return "ok"
