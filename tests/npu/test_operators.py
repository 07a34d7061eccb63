"""Single operators through Vela: random int8 models of four dimensions have the original's bits."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model
from tests.fuzz.seeds import random_models
from tests.npu.vela import compiled_apart
from tests.ops.differential import CASES

#: How many models of an operator are compiled, of those that its own test draws.
WANTED = max(1, CASES // 15)
OPERATORS = ("CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "AVERAGE_POOL_2D", "SOFTMAX")
#: In ``make test-long`` alone. One FULLY_CONNECTED differed, and it is not known yet who is right.
MORE = (
    "FULLY_CONNECTED",
    *("TRANSPOSE_CONV", "MUL", "MAXIMUM", "MAX_POOL_2D", "CONCATENATION"),
    *("HARD_SWISH", "LEAKY_RELU", "RESIZE_BILINEAR"),
)


def is_ordinary(model: Model) -> bool:
    """int8 of at most four dimensions, scales as networks have them, weights without offsets."""
    tensors = (*model.inputs, *model.outputs)
    for tensor in tensors:
        q = tensor.quantization
        if str(tensor.type) != "int8" or len(tensor.shape) > 4 or q is None or not len(q.scale):
            return False
        if not 1e-3 < float(q.scale[0]) < 10:
            return False
    weights = (t.quantization for t in model.main.tensors if t.is_constant and t.quantization)
    return not any(q.zero_point.any() for q in weights)


@pytest.mark.parametrize("name", OPERATORS if CASES <= 50 else (*OPERATORS, *MORE))
def test_a_compiled_operator_has_the_original_s_bits(name: str) -> None:
    found = 0
    for model in islice(filter(is_ordinary, random_models(name, 12 * WANTED)), 4 * WANTED):
        file = compiled_apart(model, "ethos-u55-128")
        if file is None or ar.load(file).main.operators[0].name != "ethos-u":
            continue  # Vela leaves it to the CPU, or makes nothing of it
        one, other = ar.Interpreter(model), ar.Interpreter(file)
        rng = np.random.default_rng(11)
        for _ in range(3):
            x = [rng.integers(-128, 128, t.shape).astype(np.int8) for t in model.inputs]
            assert np.array_equal(one(*x), other(*x))
        found += 1
        if found == WANTED:
            break
